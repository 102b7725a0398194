/// \file
/// Reductions of your own: what to make of a block, how to merge what several blocks gave, and what to make of that.
///
/// As in Dask, all three functions get an array and reduce it along the same axes, leaving them with length 1:
///
///     chunk(ndarray<const T>)      a block of x           → ndarray<S>, one state for each kept element
///     combine(ndarray<const S>)    states side by side    → ndarray<S>
///     aggregate(ndarray<const S>)  states side by side    → ndarray<R>, the result
///
/// A state S is anything trivially copyable: a number, or a struct of a sum and a count. Where nothing is kept (all
/// axes are reduced) a function may return its one value as it is. A function may take the axes as a second parameter,
/// `const axes&`; chunk may then take, as a third, `const block_place&`, where its block lies in x.
///
/// Blocks are merged by a tree over their positions, so a program gives the same bits on any number of workers; other
/// chunks or another split_every may round differently. Along one axis split_every blocks are merged at once; along
/// each of n axes as many as the n-th root of split_every, rounded down, but 2 at least: 4 together over two axes for 2
/// to 8.
#pragma once

#include <cstdint>
#include <memory>
#include <source_location>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include <ashlar/array.hpp>
#include <ashlar/block_info.hpp>
#include <ashlar/detail/block_kernel.hpp>
#include <ashlar/graph/make_blockwise.hpp>

namespace ashlar {

namespace detail {

/// How a function of a reduction is called with a block of In.
enum class stage_form : std::uint8_t { none, block, with_axes, with_place };

template <class F, class In>
constexpr stage_form find_stage_form() {
  using block = ndarray<const In>;
  if constexpr (std::is_invocable_v<const F&, block>) {
    return stage_form::block;
  } else if constexpr (std::is_invocable_v<const F&, block, const axes&>) {
    return stage_form::with_axes;
  } else if constexpr (std::is_invocable_v<const F&, block, const axes&, const block_place&>) {
    return stage_form::with_place;
  } else {
    return stage_form::none;
  }
}

template <stage_form Form, class F, class In>
decltype(auto) call_stage(const F& f, const ndarray<const In>& block, const axes& over, const block_place& place) {
  if constexpr (Form == stage_form::block) {
    return f(block);
  } else if constexpr (Form == stage_form::with_axes) {
    return f(block, over);
  } else {
    return f(block, over, place);
  }
}

struct no_value {};

/// What a function of a reduction gives: the element type of its array, or its one value.
template <class F, class In>
struct stage_value {
  static constexpr auto find() {
    constexpr stage_form form = find_stage_form<F, In>();
    if constexpr (form == stage_form::none) {
      return std::type_identity<no_value>{};
    } else {
      using given = std::remove_cvref_t<decltype(call_stage<form, F, In>(
          std::declval<const F&>(), std::declval<const ndarray<const In>&>(), std::declval<const axes&>(),
          std::declval<const block_place&>()))>;
      if constexpr (std::is_void_v<given>) {
        return std::type_identity<no_value>{};
      } else {
        return std::type_identity<typename returned<given>::type>{};
      }
    }
  }
  using type = typename decltype(find())::type;
};

/// F over one block of In; states that are no elements lie as bytes along a last axis.
template <class F, class In, class Out, bool InIsState>
class reduction_stage final : public block_function {
 public:
  reduction_stage(F f, axis_set which) : f_(std::move(f)), which_(which) {
    std::int64_t list[max_ndim];
    for (int k = 0; k < which.count(); ++k) list[k] = which[k];
    over_ = axes(std::span<const std::int64_t>(list, static_cast<std::size_t>(which.count())));
  }

  const char* name() const noexcept override { return "reduction"; }

  void call(const block_call& c) const override {
    box where = c.in[0].where;
    if (InIsState && !element<In>) --where.ndim;
    const shape extents = shape_of_box(where);
    shape expected = extents;
    for (const int axis : which_) expected[axis] = 1;
    const auto given = call_stage<find_stage_form<F, In>(), F, In>(f_, view_of<const In>(c.in[0].data, extents), over_,
                                                                   place_of(c.in[0]));
    store_block<Out>(given, c.out.data, expected, name(),
                     ": every reduced axis has length 1, and the others are as they were");
  }

 private:
  F f_;
  axis_set which_;
  axes over_ = axes::none();
};

}  // namespace detail

/// x reduced by three functions of your own; the top of this file says what they get and give. They first run in
/// compute(), on any thread and on several at once; for an empty axis chunk gets a block without elements.
///
/// Cost: a task for each block, and for each group of blocks that is merged. options.keepdims leaves the reduced axes
/// with extent 1; split_every is 2 or more, and no power of two is asked for.
/// @returns an array of the type that aggregate gives
/// @throws axis_error, value_error (split_every), chunk_error (unknown block lengths)
template <lazy X, class Chunk, class Combine, class Aggregate>
auto reduction(const X& x, Chunk chunk, Combine combine, Aggregate aggregate, const axes& which = all_axes,
               const reduce_options& options = {}, std::source_location where = std::source_location::current()) {
  using T = value_type_t<X>;
  using S = typename detail::stage_value<Chunk, T>::type;
  constexpr bool has_state = !std::is_same_v<S, detail::no_value> && std::is_trivially_copyable_v<S>;
  static_assert(has_state,
                "ashlar: the first function given to reduction is called with an ndarray<const T>, where T is the "
                "element type of the array, and returns an ndarray<S>, or one S, of a trivially copyable type");
  if constexpr (has_state) {
    constexpr bool combines = std::is_same_v<typename detail::stage_value<Combine, S>::type, S>;
    static_assert(combines,
                  "ashlar: the second function given to reduction is called with an ndarray<const S>, where S is what "
                  "the first one makes, and returns the same: an ndarray<S>, or one S");
    using R = typename detail::stage_value<Aggregate, S>::type;
    static_assert(element<R>,
                  "ashlar: the third function given to reduction is called with an ndarray<const S>, where S is what "
                  "the first one makes, and returns an ndarray<R>, or one R, of an element type");
    if constexpr (combines && element<R>) {
      const detail::node_ptr input = detail::node_of(x, where);
      const axis_set set = normalize_axes(which, input->shape, "reduction");
      detail::user_reduction_spec spec;
      spec.chunk = std::make_shared<detail::reduction_stage<Chunk, T, S, false>>(std::move(chunk), set);
      spec.combine = std::make_shared<detail::reduction_stage<Combine, S, S, true>>(std::move(combine), set);
      spec.aggregate = std::make_shared<detail::reduction_stage<Aggregate, S, R, true>>(std::move(aggregate), set);
      if constexpr (element<S>) {
        spec.state = dtype_of<S>;
      } else {
        spec.state = dtype::uint8;
        spec.state_bytes = static_cast<std::int64_t>(sizeof(S));
      }
      spec.type = dtype_of<R>;
      spec.keepdims = options.keepdims;
      spec.split_every = options.split_every;
      return array<R>(detail::make_user_reduction(input, set, spec, where));
    } else {
      return array<T>(detail::node_of(x, where));  // the error has been given
    }
  } else {
    return array<T>(detail::node_of(x, where));  // the error has been given
  }
}

namespace detail {

/// A block of shape `from` folded along `over` into one of states, which have extent 1 there: calls f(state, element)
/// for all elements in C order.
template <class S, class T, class F>
ndarray<S> fold_block(const ndarray<const T>& from, const axes& over, const S& init, F f) {
  const axis_set gone = normalize_axes(over, from.shape(), "reduction");
  ashlar::shape extents = from.shape();
  for (const int a : gone) extents[a] = 1;
  ndarray<S> states(extents);
  for (std::int64_t k = 0; k < extents.size(); ++k) states.data()[k] = init;
  strides to = row_major_strides(extents);
  for (const int a : gone) to[a] = 0;
  if (from.size() == 0) return states;
  const int inner = from.ndim() - 1;
  const std::int64_t n = inner < 0 ? 1 : from.shape()[inner];
  const std::int64_t in_step = inner < 0 ? 0 : from.strides()[inner];
  const std::int64_t out_step = inner < 0 ? 0 : to[inner];
  std::int64_t at[max_ndim] = {};
  const T* in = from.data();
  S* out = states.data();
  for (;;) {
    for (std::int64_t k = 0; k < n; ++k) f(out[k * out_step], in[k * in_step]);
    int a = inner - 1;
    for (; a >= 0; --a) {
      in += from.strides()[a];
      out += to[a];
      if (++at[a] < from.shape()[a]) break;
      in -= from.strides()[a] * from.shape()[a];
      out -= to[a] * from.shape()[a];
      at[a] = 0;
    }
    if (a < 0) return states;
  }
}

}  // namespace detail

/// x reduced element by element: a state begins as `init`, accumulate(state, element) gives the state after one more,
/// merge(state, state) joins the states of two parts, the first one being of the elements in front, and finish(state)
/// makes an element of the result. A state is anything trivially copyable; accumulate must take the elements of one
/// block in C order, merge the blocks by position, so the same bits come out on any number of workers. Where there are
/// no elements the result is finish(init).
///
///     reduction(x, 0.0, [](double s, double v) { return s + v * v; }, std::plus<>(), [](double s) { return
///     std::sqrt(s); })
///
/// Cost and errors as of the other form.
template <lazy X, class S, class Accumulate, class Merge, class Finish>
  requires std::is_invocable_r_v<S, const Accumulate&, S, value_type_t<X>> && std::is_invocable_v<const Finish&, S>
auto reduction(const X& x, S init, Accumulate accumulate, Merge merge, Finish finish, const axes& which = all_axes,
               const reduce_options& options = {}, std::source_location where = std::source_location::current()) {
  using T = value_type_t<X>;
  using R = std::remove_cvref_t<std::invoke_result_t<const Finish&, S>>;
  static_assert(std::is_trivially_copyable_v<S>, "ashlar: the state of a reduction is of a trivially copyable type");
  static_assert(std::is_invocable_r_v<S, const Merge&, S, S>,
                "ashlar: the function that merges takes two states of a reduction and returns one");
  static_assert(element<R>, "ashlar: the function that finishes takes a state and returns an element type");
  const auto merged = [init, merge](const ndarray<const S>& states, const axes& over) {
    struct partial {
      S state;
      bool begun;
    };
    const ndarray<partial> sums = detail::fold_block<partial>(states, over, {init, false}, [&](partial& p, const S& s) {
      p = {p.begun ? merge(p.state, s) : s, true};
    });
    ndarray<S> out(sums.shape());
    for (std::int64_t k = 0; k < sums.size(); ++k) out.data()[k] = sums.data()[k].state;
    return out;
  };
  return reduction(
      x,
      [init, accumulate](const ndarray<const T>& block, const axes& over) {
        return detail::fold_block<S>(block, over, init, [&](S& s, const T& v) { s = accumulate(s, v); });
      },
      merged,
      [merged, finish](const ndarray<const S>& states, const axes& over) {
        const ndarray<S> last_states = merged(states, over);
        ndarray<R> out(last_states.shape());
        for (std::int64_t k = 0; k < last_states.size(); ++k) out.data()[k] = finish(last_states.data()[k]);
        return out;
      },
      which, options, where);
}

}  // namespace ashlar
