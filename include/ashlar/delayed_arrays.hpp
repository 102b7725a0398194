/// \file
/// Between arrays and tasks that are none: to_delayed() gives the blocks of an array to delayed calls, from_delayed()
/// makes an array of what delayed calls give.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <source_location>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <ashlar/array.hpp>
#include <ashlar/chunks.hpp>
#include <ashlar/delayed.hpp>
#include <ashlar/detail/unify_chunks.hpp>
#include <ashlar/graph/region.hpp>
#include <ashlar/graph/source.hpp>

namespace ashlar {

namespace detail {

/// A packed, row-major block and what keeps it alive.
struct packed_block {
  const void* data = nullptr;
  buffer owner;
};

/// Blocks that delayed calls make, in C order.
class delayed_source final : public source {
 public:
  explicit delayed_source(std::vector<delayed<packed_block>> blocks) : blocks_(std::move(blocks)) {}

  const char* name() const noexcept override { return "delayed"; }
  void fill(std::int64_t, std::int64_t, void*) const override {}
  bool pending() const noexcept override { return true; }

  /// All in one run, so that what they share is made once. They are the only sources that are ever pending.
  std::vector<source_ptr> make(const std::vector<const source*>& all, const executor_ref& where,
                               const run_options& options) const override {
    std::vector<task_input> roots;
    for (const source* s : all) {
      for (const auto& b : static_cast<const delayed_source*>(s)->blocks_) roots.push_back(root_of(b));
    }
    run_options quiet;  // what watches the run of the arrays does not watch this one
    quiet.stop = options.stop;
    quiet.timeout = options.timeout;
    delayed_results results(where, roots, quiet);
    std::size_t next = 0;
    std::vector<source_ptr> made;
    for (const source* s : all) {
      const std::size_t count = static_cast<const delayed_source*>(s)->blocks_.size();
      auto owners = std::make_shared<std::vector<packed_block>>();
      std::vector<const void*> data;
      owners->reserve(count);
      data.reserve(count);
      for (std::size_t k = 0; k < count; ++k) {
        owners->push_back(take_result<packed_block>(results, next++));
        data.push_back(owners->back().data);
      }
      made.push_back(std::make_shared<blocks_source>(std::move(data), std::move(owners)));
    }
    return made;
  }

 private:
  std::vector<delayed<packed_block>> blocks_;
};

/// Checks a block, and packs it where it is not.
template <class T>
struct pack_block {
  ashlar::shape expected;
  std::int64_t number;

  packed_block operator()(const ndarray<T>& block) const {
    if (block.shape() != expected) {
      throw shape_error("from_delayed: block " + std::to_string(number) + " has shape " + block.shape().to_string() +
                        ", and by the chunks it has shape " + expected.to_string());
    }
    const ndarray<T> dense = block.contiguous();
    return {dense.data(), dense.owner()};
  }
};

/// Computes an array into blocks that stay.
template <class T>
struct keep_blocks {
  array<T> x;
  source_ptr operator()() const { return x.persist().node()->from; }
};

/// One block of them, as a view.
template <class T>
struct view_block {
  box where;

  ndarray<T> operator()(const source_ptr& kept, std::int64_t number) const {
    ashlar::shape extents;
    for (int a = 0; a < where.ndim; ++a) extents.push_back(where.length[a]);
    ashlar::strides steps = row_major_strides(extents);
    const T* data = nullptr;
    if (const memory_view* m = kept->memory(); m != nullptr) {
      steps = m->strides;
      data = static_cast<const T*>(m->data);
      for (int a = 0; a < where.ndim; ++a) data += where.offset[a] * steps[a];
    } else {
      data = static_cast<const T*>(kept->blocks()[number]);
    }
    T* const own = const_cast<T*>(data);
    return ndarray<T>(buffer::adopt(own, static_cast<std::size_t>(extents.size()) * sizeof(T), kept), own, extents,
                      steps);
  }
};

}  // namespace detail

/// The array of one block that a delayed call gives. It is called anew in each compute(), before the blocks of the
/// array are, on the same executor; compute(a, b) of several arrays makes what their calls share once. memory_limit
/// does not count what delayed calls hold. @throws in compute(): task_error, also for a block of another shape
template <element T>
array<T> from_delayed(const delayed<ndarray<T>>& block, const shape& extents,
                      std::source_location where = std::source_location::current());

/// The array whose blocks, in C order, are given by delayed calls. @throws shape_error unless there are as many of them
/// as blocks; chunk_error
template <element T>
array<T> from_delayed(const std::vector<delayed<ndarray<T>>>& blocks, const shape& extents,
                      const creation_options& options, std::source_location where = std::source_location::current()) {
  block_grid grid =
      normalize_chunks(options.chunks, extents, static_cast<std::int64_t>(sizeof(T)), nullptr, "from_delayed");
  if (grid.count() != static_cast<std::int64_t>(blocks.size())) {
    throw shape_error("from_delayed: " + std::to_string(blocks.size()) + " blocks are given, and shape " +
                      extents.to_string() + " in chunks " + grid.to_string() + " has " + std::to_string(grid.count()));
  }
  std::vector<delayed<detail::packed_block>> packed;
  packed.reserve(blocks.size());
  for (std::size_t k = 0; k < blocks.size(); ++k) {
    const auto number = static_cast<std::int64_t>(k);
    const delayed pack(detail::pack_block<T>{grid.block_shape(number), number}, {.name = "from_delayed"}, where);
    packed.push_back(pack(blocks[k], where));
  }
  return array<T>(detail::make_source(std::make_shared<detail::delayed_source>(std::move(packed)), dtype_of<T>, extents,
                                      std::move(grid), where));
}

template <element T>
array<T> from_delayed(const delayed<ndarray<T>>& block, const shape& extents, std::source_location where) {
  return from_delayed(std::vector<delayed<ndarray<T>>>{block}, extents, {.chunks = full}, where);
}

/// The blocks of an array as delayed values, in C order (those of x.chunks()). All of them are computed at once, on the
/// default executor, by one task that all blocks wait for, and stay until the last of them has gone. Blocks are views
/// of memory that is made for each run and shared with nothing else, so a call may write to the block that it is given
/// when no other call is.
template <lazy X>
auto to_delayed(const X& x, std::source_location where = std::source_location::current()) {
  using T = value_type_t<X>;
  const array<T> whole(detail::node_of(x, where));
  const block_grid& grid = whole.chunks();
  grid.require_known("to_delayed");
  const delayed compute_all(detail::keep_blocks<T>{whole}, {.name = "to_delayed"}, where);
  const delayed<detail::source_ptr> kept = compute_all(where);
  std::vector<delayed<ndarray<T>>> blocks;
  const std::int64_t count = grid.count();
  if (count > most_listed_blocks) {
    throw chunk_error("to_delayed: " + grid.to_string() + " are " + std::to_string(count) +
                      " blocks; use larger chunks");
  }
  blocks.reserve(static_cast<std::size_t>(count));
  std::int64_t position[max_ndim] = {};
  for (std::int64_t k = 0; k < count; ++k) {
    grid.coords(k, position);
    const delayed view(detail::view_block<T>{detail::block_box(grid, position)}, {.name = "block"}, where);
    blocks.push_back(view(kept, k, where));
  }
  return blocks;
}

namespace detail {

template <class X>
concept array_or_call = lazy<X> || is_delayed_value<X>;

template <class... X>
concept mixed = (array_or_call<X> && ...) && (lazy<X> || ...) && (is_delayed_value<X> || ...);

/// Calls f with those arguments that are `Wanted`, in order.
template <template <class> class Wanted, class F, class... X>
decltype(auto) with_only(F f, const X&... x) {
  const auto keep = []<class Y>(const Y& y) {
    if constexpr (Wanted<Y>::value) {
      return std::tuple<const Y&>(y);
    } else {
      return std::tuple<>();
    }
  };
  return std::apply(f, std::tuple_cat(keep(x)...));
}

template <class X>
struct is_lazy_array : std::bool_constant<lazy<X>> {};
template <class X>
struct is_call : std::bool_constant<is_delayed_value<X>> {};
template <class X>
struct is_void_call : std::false_type {};
template <class T>
struct is_void_call<delayed<T>> : std::is_void<T> {};

template <class... X>
auto compute_mixed(const executor_ref& on, const run_options& options, const X&... x) {
  if (!options.trace.empty() || options.report != nullptr) {
    throw value_error(
        "compute: arrays and delayed calls together are two runs, and a trace or report holds one; "
        "compute them apart to watch them");
  }
  const auto begin = std::chrono::steady_clock::now();
  auto tasks = with_only<is_call>([&](const auto&... d) { return compute_delayed(on, options, d...); }, x...);
  run_options rest = options;
  if (options.timeout.count() > 0) {  // what is left of it, and not the 0 that means none
    rest.timeout -= std::chrono::steady_clock::now() - begin;
    if (rest.timeout.count() <= 0) rest.timeout = std::chrono::nanoseconds(1);
  }
  auto arrays = with_only<is_lazy_array>(
      [&](const auto&... a) { return compute_all(on, rest, std::source_location{}, a...); }, x...);
  // the results in the order of the arguments: from the one tuple or the other, with a place in each
  constexpr std::size_t n = sizeof...(X);
  constexpr bool from_arrays[n] = {is_lazy_array<X>::value...};
  constexpr bool nothing[n] = {is_void_call<X>::value...};
  const auto one = [&]<std::size_t I>(std::integral_constant<std::size_t, I>) {
    constexpr std::size_t place = [&] {
      std::size_t k = 0;
      for (std::size_t j = 0; j < I; ++j) k += from_arrays[j] == from_arrays[I] && !nothing[j] ? 1 : 0;
      return k;
    }();
    if constexpr (nothing[I]) {
      return std::tuple<>();
    } else if constexpr (from_arrays[I]) {
      return std::make_tuple(std::move(std::get<place>(arrays)));
    } else {
      return std::make_tuple(std::move(std::get<place>(tasks)));
    }
  };
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    return std::tuple_cat(one(std::integral_constant<std::size_t, I>{})...);
  }(std::make_index_sequence<n>{});
}

}  // namespace detail

/// Computes arrays and delayed calls, in any order of arguments: the calls in one run, then the arrays in one run. What
/// from_delayed() made arrays of is called for them, also when the same call is an argument.
/// @returns a tuple of the results, in order; calls that return nothing are left out. @throws as the two of them do;
/// value_error for options with a trace or report
template <class... X>
  requires detail::mixed<X...>
auto compute(const X&... x) {
  return detail::compute_mixed(detail::default_executor().load()(), run_options{}, x...);
}

/// The same on a given executor.
template <executor Where, class... X>
  requires detail::mixed<X...>
auto compute(const Where& on, const X&... x) {
  return detail::compute_mixed(detail::ref(on), run_options{}, x...);
}

/// The same on a given executor with options.
template <executor Where, class... X>
  requires detail::mixed<X...>
auto compute(const Where& on, const run_options& options, const X&... x) {
  return detail::compute_mixed(detail::ref(on), options, x...);
}

}  // namespace ashlar
