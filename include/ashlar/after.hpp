/// \file
/// after: an array whose tasks begin once something else is done, of which they read nothing: a file has been written,
/// a directory made, a device set up. Nothing is passed on but the order.
#pragma once

#include <source_location>
#include <type_traits>
#include <vector>

#include <ashlar/array.hpp>
#include <ashlar/delayed_arrays.hpp>
#include <ashlar/graph/make_blockwise.hpp>

namespace ashlar {

namespace detail {

/// What stands, in a graph of arrays, for an array or a delayed call that is to be done before.
template <class D>
void add_marks(std::vector<node_ptr>& marks, const D& d, std::source_location where) {
  if constexpr (lazy<D>) {
    marks.push_back(make_mark(node_of(d, where), where));
  } else if constexpr (is_delayed_value<D>) {
    const delayed done([] { return packed_block{"", {}}; }, {.name = "after"}, where);
    const std::vector<delayed<packed_block>> one{done.after(d)(where)};
    marks.push_back(make_source(std::make_shared<delayed_source>(one), dtype::boolean, {}, {}, where));
  } else {
    for (const auto& each : d) add_marks(marks, each, where);
  }
}

template <class D>
inline constexpr bool can_precede = lazy<D> || is_delayed_value<D>;
template <class D>
inline constexpr bool can_precede<std::vector<D>> = lazy<D> || is_delayed_value<D>;

}  // namespace detail

/// The same array, of which nothing is read or computed before `first` is done: arrays, delayed calls, and vectors of
/// them, each done once in a run, also when it is a result of the run. In full: of an array all blocks are made, and
/// freed where nobody else reads them. Only this handle, and what is made of it, waits.
///
/// It is made of a copy of the graph down to its sources, so what it shares with other arrays is computed for it anew;
/// persist that, or order it instead. Cost: linear in the nodes below x; in a run, a task for each block that is waited
/// for, an edge for each task that reads a source or calls a function of blocks.
/// @throws value_error when elements of x are made by delayed calls, which have after() themselves; chunk_error for
///         arrays in `first` of unknown block lengths
template <lazy X, class... D>
  requires(sizeof...(D) > 0 && (detail::can_precede<D> && ...))
array<value_type_t<X>> after(const X& x, const D&... first) {
  const std::source_location where;
  std::vector<detail::node_ptr> marks;
  (detail::add_marks(marks, first, where), ...);
  return array<value_type_t<X>>(detail::make_after(detail::node_of(x, where), marks, where));
}

}  // namespace ashlar
