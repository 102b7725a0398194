/// \file
/// How nodes of views are made and checked. A view of a view is one view; a view of memory is memory with other
/// strides.
#pragma once

#include <cstdint>
#include <source_location>
#include <span>
#include <vector>

#include <ashlar/detail/config.hpp>
#include <ashlar/graph/node.hpp>
#include <ashlar/index.hpp>
#include <ashlar/shape.hpp>

namespace ashlar::detail {

/// The view `map` of shape `result`, cut where what it views is cut. `name` is a literal.
/// @throws chunk_error for unknown block lengths
node_ptr make_view(node_ptr input, view_map map, const ashlar::shape& result, const char* name,
                   std::source_location where);

/// What an index picks along one axis of an array, or an axis that it adds.
struct index_part {
  enum kind_type : std::uint8_t { keeps, drops, adds };

  index_run run;
  kind_type kind = keeps;
};

/// One for each axis, in order, with those that are new between. @throws index_error; value_error for a step of 0
std::vector<index_part> resolve_index(std::span<const index_item> items, const ashlar::shape& extents,
                                      const char* call);

/// x(3, slice{0, 10, 2}, newaxis, ellipsis). @throws index_error, axis_error (too many axes), value_error (a step of 0)
node_ptr make_indexed(node_ptr input, std::span<const index_item> items, std::source_location where);

/// Axis k of the result is axis order[k] of the input. @throws axis_error unless each axis stands once
node_ptr make_transposed(node_ptr input, const axes& order, const char* name, std::source_location where);

/// The axes `from` at the places `to`, the others in their order. @throws axis_error
node_ptr make_moved_axes(node_ptr input, const axes& from, const axes& to, std::source_location where);

/// The order that exchanges two axes of `extents`. @throws axis_error
axes swapped(std::int64_t axis1, std::int64_t axis2, const ashlar::shape& extents);

/// Turned by 90 degrees in the plane of two axes. @throws axis_error
node_ptr make_rotated(node_ptr input, std::int64_t times, std::int64_t axis1, std::int64_t axis2,
                      std::source_location where);

/// With at least `ndim` (1, 2 or 3) axes, NumPy's atleast_1d, atleast_2d and atleast_3d.
node_ptr make_at_least(node_ptr input, int ndim, std::source_location where);

/// Without axes of extent 1. @throws axis_error; shape_error for an axis of another extent
node_ptr make_squeezed(node_ptr input, const axes& which, std::source_location where);

/// With axes of extent 1 at the places `which` of the result. @throws axis_error
node_ptr make_expanded(node_ptr input, const axes& which, std::source_location where);

/// @throws shape_error when the extents do not broadcast to `result`
node_ptr make_broadcast(node_ptr input, const ashlar::shape& result, std::source_location where,
                        const char* name = "broadcast_to");

/// The given axes backwards. @throws axis_error
node_ptr make_flipped(node_ptr input, const axes& which, const char* name, std::source_location where);

/// The diagonal of two axes, as the last axis of the result. @throws axis_error for equal axes or fewer than two
node_ptr make_diagonal(node_ptr input, std::int64_t offset, std::int64_t axis1, std::int64_t axis2,
                       std::source_location where);

/// Windows of `window` elements along the given axes, as new last axes. @throws axis_error; shape_error for a window of
/// no element or longer than its axis
node_ptr make_windows(node_ptr input, const ashlar::shape& window, const axes& which, std::source_location where);

/// The blocks `blocks` of the grid: one entry an axis, integers and slices over block numbers.
/// @throws index_error; axis_error for too many entries
node_ptr make_block_view(node_ptr input, std::span<const index_item> blocks, std::source_location where);

}  // namespace ashlar::detail

#if !defined(ASHLAR_SEPARATE)
#include <ashlar/graph/make_axes_impl.hpp>
#include <ashlar/graph/make_view_impl.hpp>
#endif
