/// \file
/// What differences are made of: stretches of an axis that are cut alike, though they begin at different positions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <source_location>
#include <vector>

#include <ashlar/detail/config.hpp>
#include <ashlar/graph/make_view.hpp>
#include <ashlar/graph/node.hpp>

namespace ashlar::detail {

/// Elements first … first + count - 1 along `axis`, in the blocks that those from `cut_at` on would have. Stretches
/// that are cut alike are read side by side in blocks of full length; as slices they would be cut where either is.
node_ptr make_stretch(node_ptr input, int axis, std::int64_t first, std::int64_t count, std::int64_t cut_at,
                      std::source_location where);

/// A node of one axis, or of none, as it stands along axis `axis` of an array of `ndim` axes: the others have extent 1.
node_ptr make_along(node_ptr input, int axis, int ndim, std::source_location where);

/// The parts one behind the other along `axis`, in the blocks of `like`.
node_ptr make_joined(std::vector<node_ptr> parts, int axis, const node& like, const char* name,
                     std::source_location where);

/// What is put before or behind an array along an axis: the array itself, or a number repeated across the others.
node_ptr make_end(node_ptr end, const node& beside, int axis, std::source_location where);

/// Differences of differences up to this order are computed in one pass; it takes n (n + 1) / 2 of them.
inline constexpr std::int64_t most_fused_differences = 4;

/// @throws value_error unless 0 or more
void check_times(std::int64_t n);

/// The axes in the order in which they are named. @throws axis_error
std::vector<int> listed_axes(const axes& which, const ashlar::shape& extents, const char* call);

/// @throws value_error unless there is no spacing, one, or one for each axis
void check_spacings(std::size_t given, std::size_t axes);

/// @throws value_error for an edge order other than 1 and 2; shape_error for too few elements along the axis
void check_gradient(const ashlar::shape& extents, int axis, int edge_order);

/// @throws shape_error unless the coordinates are one for each element along the axis
void check_coordinates(const ashlar::shape& coordinates, const ashlar::shape& extents, int axis);

}  // namespace ashlar::detail

#if !defined(ASHLAR_SEPARATE)
#include <ashlar/graph/make_differences_impl.hpp>
#endif
