/// \file
/// Views: other ways to look at the elements of an array. Nothing is computed, copied or kept by a view; whoever reads
/// it reads the elements that it picks where they are, and of a file only those. A view of an expression that nobody
/// else reads is computed for these elements alone.
///
/// Cost of each: linear in the blocks along the axes that it cuts anew; a task reads a view of memory, of persisted
/// blocks or of another array's blocks in place where they lie in one block, and puts the region together first where
/// they lie in several. Axes of the result are cut where the axes behind them are.
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <source_location>
#include <utility>

#include <ashlar/expression.hpp>
#include <ashlar/graph/make_view.hpp>
#include <ashlar/index.hpp>

namespace ashlar {

/// The members that make views. `Self` is array<T> or an expression; `T` its element type.
template <class Self, class T>
class view_members {
  using here = std::source_location;

 public:
  /// Part of the array, one entry an axis: `x(3)`, `x(slice{0, 10, 2}, all)`, `x(ellipsis, newaxis, last)`. An integer
  /// picks a position and drops the axis, negative ones count from the end; a slice keeps it, clipped to the array,
  /// with a step of either sign; `all` is the whole axis, `newaxis` a new one of extent 1, `ellipsis` as many whole
  /// axes as are not named. Axes that are left out at the end are whole. Messages of a later run name the line of what
  /// reads the view.
  /// @throws index_error for a position outside its axis, more entries than axes or two ellipses; value_error for a
  ///         step of 0
  template <index_entry... I>
  array<T> operator()(const I&... entries) const {
    const std::array<detail::index_item, sizeof...(I)> items{detail::index_item(entries)...};
    return array<T>(detail::make_indexed(node({}), items, here{}));
  }

  /// The array with axis k of the result being axis order[k]; all axes backwards when left out.
  /// @throws axis_error unless each axis stands once
  array<T> transpose(const axes& order = all_axes, here where = here::current()) const {
    return array<T>(detail::make_transposed(node(where), order, "transpose", where));
  }

  /// Two axes exchanged. @throws axis_error
  array<T> swapaxes(std::int64_t axis1, std::int64_t axis2, here where = here::current()) const {
    const detail::node_ptr n = node(where);
    return array<T>(detail::make_transposed(n, detail::swapped(axis1, axis2, n->shape), "swapaxes", where));
  }

  /// Without the given axes, which have extent 1; without all of that extent when left out.
  /// @throws axis_error; shape_error for an axis of another extent
  array<T> squeeze(const axes& which = all_axes, here where = here::current()) const {
    return array<T>(detail::make_squeezed(node(where), which, where));
  }

  /// Elements (i, i + offset) of two axes, as the last axis of the result; below the main diagonal for negative
  /// offsets.
  /// @throws axis_error for equal axes or fewer than two
  array<T> diagonal(std::int64_t offset = 0, std::int64_t axis1 = 0, std::int64_t axis2 = 1,
                    here where = here::current()) const {
    return array<T>(detail::make_diagonal(node(where), offset, axis1, axis2, where));
  }

  /// Blocks instead of elements: `x.blocks(0)` is the first row of blocks, `x.blocks(slice{1, 3}, last)` two blocks of
  /// the last column. One entry an axis, an integer or a slice with step 1; axes stay. Cost: as a slice of the same
  /// elements, a view.
  /// @throws index_error for a block that is not there, newaxis, or a step other than 1; axis_error for too many
  /// entries;
  ///         chunk_error for unknown block lengths
  template <index_entry... I>
  array<T> blocks(const I&... entries) const {
    const std::array<detail::index_item, sizeof...(I)> items{detail::index_item(entries)...};
    return array<T>(detail::make_block_view(node({}), items, here{}));
  }

 private:
  detail::node_ptr node(here where) const { return detail::node_of(static_cast<const Self&>(*this), where); }
};

/// @name Free functions of the same names
/// @{
template <lazy X>
auto transpose(const X& x, const axes& order = all_axes, std::source_location where = std::source_location::current()) {
  return x.transpose(order, where);
}
template <lazy X>
auto swapaxes(const X& x, std::int64_t axis1, std::int64_t axis2,
              std::source_location where = std::source_location::current()) {
  return x.swapaxes(axis1, axis2, where);
}
template <lazy X>
auto squeeze(const X& x, const axes& which = all_axes, std::source_location where = std::source_location::current()) {
  return x.squeeze(which, where);
}
template <lazy X>
auto diagonal(const X& x, std::int64_t offset = 0, std::int64_t axis1 = 0, std::int64_t axis2 = 1,
              std::source_location where = std::source_location::current()) {
  return x.diagonal(offset, axis1, axis2, where);
}
/// @}

/// The axes `from` at the places `to` of the result, the others in their order.
/// @throws axis_error unless both name as many axes, each once
template <lazy X>
auto moveaxis(const X& x, const axes& from, const axes& to,
              std::source_location where = std::source_location::current()) {
  return array<value_type_t<X>>(detail::make_moved_axes(detail::node_of(x, where), from, to, where));
}

/// With new axes of extent 1 at the places `which` of the result. @throws axis_error
template <lazy X>
auto expand_dims(const X& x, const axes& which, std::source_location where = std::source_location::current()) {
  return array<value_type_t<X>>(detail::make_expanded(detail::node_of(x, where), which, where));
}

/// The array repeated to `result` without a copy: lengths agree from the right, or are 1 in the array. New blocks along
/// repeated axes hold at most 16 Mi elements. @throws shape_error
template <lazy X>
auto broadcast_to(const X& x, const ashlar::shape& result,
                  std::source_location where = std::source_location::current()) {
  return array<value_type_t<X>>(detail::make_broadcast(detail::node_of(x, where), result, where));
}

/// The given axes backwards, all when left out. @throws axis_error
template <lazy X>
auto flip(const X& x, const axes& which = all_axes, std::source_location where = std::source_location::current()) {
  return array<value_type_t<X>>(detail::make_flipped(detail::node_of(x, where), which, "flip", where));
}
/// Rows backwards: flip along axis 0. @throws axis_error for a 0-d array
template <lazy X>
auto flipud(const X& x, std::source_location where = std::source_location::current()) {
  return array<value_type_t<X>>(detail::make_flipped(detail::node_of(x, where), 0, "flipud", where));
}
/// Columns backwards: flip along axis 1. @throws axis_error for fewer than two axes
template <lazy X>
auto fliplr(const X& x, std::source_location where = std::source_location::current()) {
  return array<value_type_t<X>>(detail::make_flipped(detail::node_of(x, where), 1, "fliplr", where));
}

/// Turned by 90 degrees `times` times in the plane of two axes, from the first towards the second.
/// @throws axis_error for equal axes or axes that are not there
template <lazy X>
auto rot90(const X& x, std::int64_t times = 1, std::int64_t axis1 = 0, std::int64_t axis2 = 1,
           std::source_location where = std::source_location::current()) {
  return array<value_type_t<X>>(detail::make_rotated(detail::node_of(x, where), times, axis1, axis2, where));
}

/// At least that many axes: new ones of extent 1 in front; of a 1-d array atleast_3d makes (1, n, 1) and of (m, n)
/// (m, n, 1), as NumPy's.
/// @{
template <lazy X>
auto atleast_1d(const X& x, std::source_location where = std::source_location::current()) {
  return array<value_type_t<X>>(detail::make_at_least(detail::node_of(x, where), 1, where));
}
template <lazy X>
auto atleast_2d(const X& x, std::source_location where = std::source_location::current()) {
  return array<value_type_t<X>>(detail::make_at_least(detail::node_of(x, where), 2, where));
}
template <lazy X>
auto atleast_3d(const X& x, std::source_location where = std::source_location::current()) {
  return array<value_type_t<X>>(detail::make_at_least(detail::node_of(x, where), 3, where));
}
/// @}

/// Windows of `window` elements along the given axes (all when left out): the axes become as many positions as windows
/// have, and the windows are new last axes. Nothing is copied, so a reduction over the windows reads each element of
/// the array in place once for each window that holds it: `sliding_window_view(x, {3}).mean(-1)`.
/// @throws axis_error; shape_error for a window of no element or longer than its axis
template <lazy X>
auto sliding_window_view(const X& x, const ashlar::shape& window, const axes& which = all_axes,
                         std::source_location where = std::source_location::current()) {
  return array<value_type_t<X>>(detail::make_windows(detail::node_of(x, where), window, which, where));
}

}  // namespace ashlar
