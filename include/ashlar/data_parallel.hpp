/// \file
/// One function on several executors at once, each with a part of the data: scatter, replicate, parallel_apply, gather,
/// and data_parallel, which is scatter, apply and gather in one call.
///
/// Every part is a run of its own on a thread of its own, so executors of any kind go together: GPUs, pools of threads,
/// one thread. They share nothing; what lies on an executor stays there until gather() brings it together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <source_location>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <ashlar/array.hpp>
#include <ashlar/execution/executor.hpp>
#include <ashlar/execution/parallel_parts.hpp>
#include <ashlar/joining.hpp>
#include <ashlar/place.hpp>

namespace ashlar {

namespace detail {

/// Executors by value in a container: std::vector<cuda::device>, std::array<threads, 2>.
template <class R>
concept executor_range = requires(const R& r) {
  { *r.begin() } -> executor;
  r.size();
};

template <class X>
inline constexpr bool is_tuple = false;
template <class... X>
inline constexpr bool is_tuple<std::tuple<X...>> = true;
template <class X>
inline constexpr bool is_vector = false;
template <class X>
inline constexpr bool is_vector<std::vector<X>> = true;

/// Copies of the arrays in x on an executor, in the same container.
template <class X, class Where>
auto sent(const X& x, const Where& on, std::source_location where) {
  if constexpr (lazy<X>) {
    return x.to(on, {}, where);
  } else if constexpr (is_tuple<X>) {
    return std::apply([&](const auto&... each) { return std::make_tuple(sent(each, on, where)...); }, x);
  } else if constexpr (is_vector<X>) {
    std::vector<decltype(sent(x[0], on, where))> all;
    all.reserve(x.size());
    for (const auto& each : x) all.push_back(sent(each, on, where));
    return all;
  } else {
    static_assert(lazy<X>,
                  "ashlar: what goes to an executor, and what a function of parts returns, is an array, an expression, "
                  "or a std::tuple or std::vector of them; return arrays without compute()");
    return array<bool>(node_ptr());  // so that compilers say no more than that
  }
}

/// One list of pieces for each array, or one list of tuples.
template <class X>
auto pieces(const X& x, std::int64_t count, std::int64_t axis, const char* call, std::source_location where) {
  if constexpr (lazy<X>) {
    const array<value_type_t<X>> whole(node_of(x, where));
    const std::int64_t n = whole.shape()[normalize_axis(axis, whole.shape(), call)];
    return split_at(whole, split_positions(n, count, false, call), axis, call, where);
  } else {
    return std::apply(
        [&](const auto&... each) {
          const auto lists = std::make_tuple(pieces(each, count, axis, call, where)...);
          std::vector<std::tuple<array<value_type_t<decltype(each)>>...>> parts;
          for (std::size_t k = 0; k < static_cast<std::size_t>(count); ++k) {
            parts.push_back(std::apply([&](const auto&... list) { return std::make_tuple(list[k]...); }, lists));
          }
          return parts;
        },
        x);
  }
}

/// Views of as many parts as there can be, at most one for each executor.
template <class X>
auto parts_of(const X& x, std::size_t executors, std::int64_t axis, const char* call, std::source_location where) {
  static_assert(lazy<X> || is_tuple<X>, "ashlar: an array, an expression or a std::tuple of them is cut into parts");
  require_executors(call, executors);
  std::int64_t n = 0;
  if constexpr (lazy<X>) {
    n = length_to_cut(call, {node_of(x, where)}, axis);
  } else {
    n = std::apply([&](const auto&... each) { return length_to_cut(call, {node_of(each, where)...}, axis); }, x);
  }
  const auto most = static_cast<std::int64_t>(executors);
  return pieces(x, n < 1 ? 1 : n < most ? n : most, axis, call, where);
}

/// f(k, devices[k]) for each of `count` parts at once; the results in order.
template <class D, class F>
auto on_each(const char* call, std::size_t count, const D& devices, const F& f) {
  using result = decltype(f(std::size_t{0}, *devices.begin()));
  using difference = decltype(devices.end() - devices.begin());
  std::vector<std::optional<result>> made(count);
  const auto one = [&](std::size_t k) { made[k].emplace(f(k, *(devices.begin() + static_cast<difference>(k)))); };
  if (count > 0) {
    run_parts(call, count, &one,
              [](const void* object, std::size_t k) { (*static_cast<const decltype(one)*>(object))(k); });
  }
  std::vector<result> results;
  results.reserve(count);
  for (std::optional<result>& r : made) results.push_back(std::move(*r));
  return results;
}

template <class F, class P>
decltype(auto) call_with_part(const F& f, const P& part) {
  if constexpr (is_tuple<P>) {
    return std::apply(f, part);
  } else {
    static_assert(std::is_invocable_v<const F&, const P&>,
                  "ashlar: the function of a part is called with the part, and const: `[](const auto& part) { … }`");
    return f(part);
  }
}

template <class P, class Where>
auto gathered(const char* call, const std::vector<P>& parts, const Where& on, std::int64_t axis,
              std::source_location where) {
  if constexpr (lazy<P>) {
    std::vector<node_ptr> nodes;
    for (const P& p : parts) nodes.push_back(node_of(p, where));
    return array<value_type_t<P>>(make_gathered(call, std::move(nodes), axis, where)).to(on, {}, where);
  } else {
    static_assert(is_tuple<P>, "ashlar: what is put together are arrays, or tuples of arrays");
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      const auto each = [&]<std::size_t J>(std::integral_constant<std::size_t, J>) {
        std::vector<std::tuple_element_t<J, P>> list;
        for (const P& p : parts) list.push_back(std::get<J>(p));
        return gathered(call, list, on, axis, where);
      };
      return std::make_tuple(each(std::integral_constant<std::size_t, I>{})...);
    }(std::make_index_sequence<std::tuple_size_v<P>>{});
  }
}

}  // namespace detail

/// Cuts x along `axis` into one part for each executor, as even as can be, the first ones longer by one, and computes
/// each part on its executor, all at once; it stays there. Parts that would be empty are left out: an axis shorter than
/// the number of executors gives as many parts as it is long. Without elements along the axis there is one part, empty,
/// so that the shape is not lost. A std::tuple of arrays is cut alike and gives tuples.
///
/// Cost: as to(). What parts of a lazy array have in common is computed for each of them; persist() such an array
/// first.
/// @returns a std::vector of arrays, or of tuples; part k is on devices[k]
/// @throws value_error without executors; shape_error for a 0-d array, and for a tuple whose lengths along the axis
/// differ; axis_error; task_error that names the part whose run failed
template <class X, detail::executor_range D>
auto scatter(const X& x, const D& devices, std::int64_t axis = 0,
             std::source_location where = std::source_location::current()) {
  const auto parts = detail::parts_of(x, devices.size(), axis, "scatter", where);
  return detail::on_each("scatter", parts.size(), devices,
                         [&](std::size_t k, const auto& on) { return detail::sent(parts[k], on, where); });
}

/// A copy of x on each executor, made at once: of an array, or of a std::tuple or std::vector of arrays. A lazy one is
/// computed by each of them: cheaper than a transfer for generators, otherwise persist() it first.
/// @returns a std::vector with a copy for each executor @throws value_error without executors; task_error as scatter()
template <class X, detail::executor_range D>
auto replicate(const X& x, const D& devices, std::source_location where = std::source_location::current()) {
  detail::require_executors("replicate", devices.size());
  return detail::on_each("replicate", devices.size(), devices,
                         [&](std::size_t, const auto& on) { return detail::sent(x, on, where); });
}

/// Calls f(parts[k]) for each part at once, each on a thread of its own (one part: on the caller's), and computes the
/// result on devices[k], where it stays. f returns an array, an expression, or a std::tuple or std::vector of them; it
/// is called as const, and gets the elements of a tuple as its arguments. A std::vector of functions has one for each
/// part, or one for each executor. compute() inside f without an executor runs where a part on a GPU is, and for parts
/// on the host on the default executor.
///
/// All parts are worked on to their end; then the error of the first one that failed is thrown. Parts may wait for each
/// other: none begins before all threads are there. Cost: a thread a part, some 20 µs.
/// @returns a std::vector of results, in order
/// @throws value_error without executors, for more parts than executors and for another number of functions; task_error
/// that names the part, with what was thrown nested; error when the system gives no thread
template <class F, class P, detail::executor_range D>
auto parallel_apply(const F& f, const std::vector<P>& parts, const D& devices,
                    std::source_location where = std::source_location::current()) {
  detail::require_executors("parallel_apply", devices.size(), parts.size());
  if constexpr (detail::is_vector<F>) {
    detail::require_functions("parallel_apply", f.size(), parts.size(), devices.size());
  }
  return detail::on_each("parallel_apply", parts.size(), devices, [&](std::size_t k, const auto& on) {
    if constexpr (detail::is_vector<F>) {
      return detail::sent(detail::call_with_part(f[k], parts[k]), on, where);
    } else {
      return detail::sent(detail::call_with_part(f, parts[k]), on, where);
    }
  });
}

/// The parts one behind the other along `axis`, as one array on an executor, or at a place. Tuples are put together
/// element by element and give a tuple. Cost: a copy.
/// @throws shape_error without parts, for 0-d parts, and for parts whose lengths along the other axes differ;
/// axis_error; what to() throws
template <class P, class Where>
  requires(executor<Where> || std::is_same_v<Where, place>)
auto gather(const std::vector<P>& parts, const Where& on, std::int64_t axis = 0,
            std::source_location where = std::source_location::current()) {
  return detail::gathered("gather", parts, on, axis, where);
}

/// f(x) with the work divided: cuts x along `axis` into a part for each executor, calls f with each part there, all at
/// once, and puts the results together along the same axis on the first executor. That is f(x) whenever rows of the
/// result (along `axis`) need only the same rows of x: for element-wise functions with the same bits, and for
/// reductions over the other axes, too. A std::tuple of arrays is cut alike, and f called with its parts.
///
/// With one executor, or an axis of length 1, no thread is started and nothing put together. Other arrays that f uses
/// go to each executor in each call; replicate() and parallel_apply() keep them there. Cost: beside f, a copy of each
/// part and two of the result, so one compute(threads{}) is faster where all executors are the same cores.
/// @returns an array, or a tuple when f returns one
/// @throws as scatter(), parallel_apply() and gather()
template <class F, class X, detail::executor_range D>
auto data_parallel(const F& f, const X& x, const D& devices, std::int64_t axis = 0,
                   std::source_location where = std::source_location::current()) {
  const auto parts = detail::parts_of(x, devices.size(), axis, "data_parallel", where);
  auto results = detail::on_each("data_parallel", parts.size(), devices, [&](std::size_t k, const auto& on) {
    return detail::sent(detail::call_with_part(f, detail::sent(parts[k], on, where)), on, where);
  });
  if (results.size() == 1) return std::move(results[0]);
  return detail::gathered("data_parallel", results, *devices.begin(), axis, where);
}

}  // namespace ashlar
