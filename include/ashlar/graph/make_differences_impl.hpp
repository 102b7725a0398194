/// \file
/// Stretches of axes, and what is checked about differences and gradients.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <ashlar/error.hpp>
#include <ashlar/graph/make_differences.hpp>
#include <ashlar/graph/make_movement.hpp>
#include <ashlar/graph/make_view_impl.hpp>

namespace ashlar::detail {

/// The same elements in other blocks, where a task may read across the blocks below it.
inline node_ptr with_grid(const node_ptr& n, block_grid grid) {
  if (n->grid == grid) return n;
  const std::shared_ptr<node> copy = node::copy(*n, n->inputs);
  copy->grid = std::move(grid);
  return copy;
}

ASHLAR_DETAIL_SEPARATE node_ptr make_stretch(node_ptr input, int axis, std::int64_t first, std::int64_t count,
                                             std::int64_t cut_at, std::source_location where) {
  ashlar::shape result = input->shape;
  result[axis] = count;
  view_map m = identity_view(result.ndim());
  m.start[axis] = count > 0 ? first : 0;
  block_grid grid;
  for (int a = 0; a < result.ndim(); ++a) {
    grid.push_back(a == axis ? cuts_of_run(input->grid.axis(a), {count > 0 ? cut_at : 0, count, 1})
                             : input->grid.axis(a));
  }
  node_ptr n = make_view(input, std::move(m), result, "slice", where);
  return n == input ? n : with_grid(n, std::move(grid));
}

ASHLAR_DETAIL_SEPARATE node_ptr make_along(node_ptr input, int axis, int ndim, std::source_location where) {
  view_map m;
  m.ndim = ndim;
  m.start = strides::filled(input->shape.ndim(), 0);
  ashlar::shape result = ashlar::shape::filled(ndim, 1);
  if (input->shape.ndim() == 1) {
    m.terms.push_back({0, axis, 1});
    result[axis] = input->shape[0];
  }
  return make_view(std::move(input), std::move(m), result, "expand_dims", where);
}

ASHLAR_DETAIL_SEPARATE node_ptr make_joined(std::vector<node_ptr> parts, int axis, const node& like, const char* name,
                                            std::source_location where) {
  return with_grid(make_concatenated(std::move(parts), axis, name, where), like.grid);
}

ASHLAR_DETAIL_SEPARATE node_ptr make_end(node_ptr end, const node& beside, int axis, std::source_location where) {
  if (end->shape.ndim() != 0) return end;  // joining checks its shape
  ashlar::shape across = beside.shape;
  across[axis] = 1;
  return make_broadcast(std::move(end), across, where);
}

ASHLAR_DETAIL_SEPARATE void check_times(std::int64_t n) {
  if (n < 0) {
    throw value_error("diff: n is " + std::to_string(n) +
                      "; it is the number of times that differences are taken, 0 or more");
  }
}

ASHLAR_DETAIL_SEPARATE std::vector<int> listed_axes(const axes& which, const ashlar::shape& extents, const char* call) {
  std::vector<int> list;
  const axis_set set = normalize_axes(which, extents, call);
  if (which.all()) {
    for (const int a : set) list.push_back(a);
  } else {
    for (const std::int64_t a : which) list.push_back(normalize_axis(a, extents, call));
  }
  return list;
}

ASHLAR_DETAIL_SEPARATE void check_spacings(std::size_t given, std::size_t axes) {
  if (given < 2 || given == axes) return;
  throw value_error("gradient: " + std::to_string(given) + " spacings for " + std::to_string(axes) +
                    (axes == 1 ? " axis" : " axes") + "; give none, one for all, or one for each");
}

ASHLAR_DETAIL_SEPARATE void check_gradient(const ashlar::shape& extents, int axis, int edge_order) {
  if (edge_order != 1 && edge_order != 2) {
    throw value_error("gradient: edge_order is " + std::to_string(edge_order) + "; it is 1 or 2");
  }
  if (extents[axis] < edge_order + 1) {
    throw shape_error("gradient: axis " + std::to_string(axis) + " of shape " + extents.to_string() + " has length " +
                      std::to_string(extents[axis]) + "; with edge_order " + std::to_string(edge_order) + " it takes " +
                      std::to_string(edge_order + 1) + " elements or more");
  }
}

ASHLAR_DETAIL_SEPARATE void check_coordinates(const ashlar::shape& coordinates, const ashlar::shape& extents,
                                              int axis) {
  if (coordinates.ndim() == 1 && coordinates[0] == extents[axis]) return;
  throw shape_error("gradient: coordinates of shape " + coordinates.to_string() + " for axis " + std::to_string(axis) +
                    " of shape " + extents.to_string() + "; give one number for each of its " +
                    std::to_string(extents[axis]) + " elements, or one distance for all");
}

}  // namespace ashlar::detail
