/// \file
/// How nodes of views are made whose axes are others, or in another order or direction, than those of the array.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include <ashlar/error.hpp>
#include <ashlar/graph/make_view.hpp>

namespace ashlar::detail {

inline node_ptr permuted(node_ptr input, const std::vector<int>& order, const char* name, std::source_location where) {
  view_map m;
  m.ndim = static_cast<int>(order.size());
  m.start = strides::filled(m.ndim, 0);
  ashlar::shape result;
  for (int a = 0; a < m.ndim; ++a) {
    const int from = order[static_cast<std::size_t>(a)];
    add_term(m, {from, a, 1});
    result.push_back(input->shape[from]);
  }
  return make_view(std::move(input), std::move(m), result, name, where);
}

ASHLAR_DETAIL_SEPARATE node_ptr make_transposed(node_ptr input, const axes& order, const char* name,
                                                std::source_location where) {
  const int nd = input->shape.ndim();
  std::vector<int> list;
  if (order.all()) {
    for (int a = nd; a-- > 0;) list.push_back(a);
  } else {
    const axis_set all = normalize_axes(order, input->shape, name);
    if (all.count() != nd) {
      throw axis_error(std::string(name) + ": axes " + order.to_string() + " for " + array_text(nd, &input->shape) +
                       "; name each of its axes once");
    }
    for (const std::int64_t a : order) list.push_back(normalize_axis(a, input->shape, name));
  }
  return permuted(std::move(input), list, name, where);
}

ASHLAR_DETAIL_SEPARATE node_ptr make_moved_axes(node_ptr input, const axes& from, const axes& to,
                                                std::source_location where) {
  const int nd = input->shape.ndim();
  const axis_set moved = normalize_axes(from, input->shape, "moveaxis");
  const axis_set places = normalize_axes(to, input->shape, "moveaxis");
  if (from.all() || to.all() || moved.count() != places.count()) {
    throw axis_error("moveaxis: from " + from.to_string() + " to " + to.to_string() +
                     "; name as many places as axes, one or more");
  }
  std::vector<int> order(static_cast<std::size_t>(nd), -1);
  for (int k = 0; k < from.count(); ++k) {
    order[static_cast<std::size_t>(normalize_axis(to[k], input->shape, "moveaxis"))] =
        normalize_axis(from[k], input->shape, "moveaxis");
  }
  int next = 0;
  for (int& a : order) {
    if (a >= 0) continue;
    while (moved.contains(next)) ++next;
    a = next++;
  }
  return permuted(std::move(input), order, "moveaxis", where);
}

ASHLAR_DETAIL_SEPARATE node_ptr make_squeezed(node_ptr input, const axes& which, std::source_location where) {
  const ashlar::shape& extents = input->shape;
  axis_set gone;
  if (which.all()) {
    for (int a = 0; a < extents.ndim(); ++a) {
      if (extents[a] == 1) gone.insert(a);
    }
  } else {
    gone = normalize_axes(which, extents, "squeeze");
  }
  view_map m;
  m.start = strides::filled(extents.ndim(), 0);
  ashlar::shape result;
  for (int a = 0; a < extents.ndim(); ++a) {
    if (gone.contains(a)) {
      if (extents[a] == 1) continue;
      throw shape_error("squeeze: axis " + std::to_string(a) + " of shape " + extents.to_string() + " has length " +
                        std::to_string(extents[a]) + "; only axes of length 1 can be left out");
    }
    m.terms.push_back({a, result.ndim(), 1});
    result.push_back(extents[a]);
  }
  m.ndim = result.ndim();
  return make_view(std::move(input), std::move(m), result, "squeeze", where);
}

ASHLAR_DETAIL_SEPARATE node_ptr make_expanded(node_ptr input, const axes& which, std::source_location where) {
  const ashlar::shape& extents = input->shape;
  if (which.all()) throw axis_error("expand_dims: say at which places of the result the new axes are");
  const axis_set fresh = normalize_axes(which, extents.ndim() + which.count(), "expand_dims");
  view_map m;
  m.ndim = extents.ndim() + fresh.count();
  m.start = strides::filled(extents.ndim(), 0);
  ashlar::shape result;
  int axis = 0;
  for (int a = 0; a < m.ndim; ++a) {
    if (!fresh.contains(a)) m.terms.push_back({axis, a, 1});
    result.push_back(fresh.contains(a) ? 1 : extents[axis++]);
  }
  return make_view(std::move(input), std::move(m), result, "expand_dims", where);
}

ASHLAR_DETAIL_SEPARATE node_ptr make_broadcast(node_ptr input, const ashlar::shape& result, std::source_location where,
                                               const char* name) {
  bool fits = input->shape.ndim() <= result.ndim();
  for (int a = 0; fits && a < input->shape.ndim(); ++a) {
    fits = input->shape[a] == 1 || input->shape[a] == result[a + result.ndim() - input->shape.ndim()];
  }
  if (!fits) {
    throw shape_error(std::string(name) + ": an array of shape " + input->shape.to_string() +
                      " does not broadcast to " + result.to_string() +
                      "; lengths agree from the right, or are 1 in the array");
  }
  view_map m = broadcast_view(input->shape, result);
  return make_view(std::move(input), std::move(m), result, name, where);
}

ASHLAR_DETAIL_SEPARATE node_ptr make_flipped(node_ptr input, const axes& which, const char* name,
                                             std::source_location where) {
  const ashlar::shape result = input->shape;
  const axis_set set = normalize_axes(which, result, name);
  view_map m = identity_view(result.ndim());
  for (view_term& t : m.terms) {
    if (!set.contains(t.axis) || result[t.axis] < 2) continue;
    m.start[t.axis] = result[t.axis] - 1;
    t.step = -1;
  }
  return make_view(std::move(input), std::move(m), result, name, where);
}

ASHLAR_DETAIL_SEPARATE axes swapped(std::int64_t axis1, std::int64_t axis2, const ashlar::shape& extents) {
  const int a = normalize_axis(axis1, extents, "swapaxes");
  const int b = normalize_axis(axis2, extents, "swapaxes");
  ashlar::shape order;
  for (int k = 0; k < extents.ndim(); ++k) order.push_back(k == a ? b : k == b ? a : k);
  return axes(std::span<const std::int64_t>(order.begin(), order.end()));
}

ASHLAR_DETAIL_SEPARATE node_ptr make_rotated(node_ptr input, std::int64_t times, std::int64_t axis1, std::int64_t axis2,
                                             std::source_location where) {
  const int a = normalize_axis(axis1, input->shape, "rot90");
  const int b = normalize_axis(axis2, input->shape, "rot90");
  if (a == b) throw axis_error("rot90: both axes are axis " + std::to_string(a) + "; name two different ones");
  switch (((times % 4) + 4) % 4) {
    case 1: {
      const axes order = swapped(a, b, input->shape);
      return make_transposed(make_flipped(std::move(input), b, "rot90", where), order, "rot90", where);
    }
    case 2:
      return make_flipped(std::move(input), axes{a, b}, "rot90", where);
    case 3: {
      const axes order = swapped(a, b, input->shape);
      return make_flipped(make_transposed(std::move(input), order, "rot90", where), b, "rot90", where);
    }
    default:
      return input;
  }
}

ASHLAR_DETAIL_SEPARATE node_ptr make_at_least(node_ptr input, int ndim, std::source_location where) {
  const int nd = input->shape.ndim();
  if (nd >= ndim) return input;
  if (ndim == 3 && nd == 2) return make_expanded(std::move(input), 2, where);
  if (ndim == 3 && nd == 1) return make_expanded(std::move(input), axes{0, 2}, where);
  if (ndim == 3) return make_expanded(std::move(input), axes{0, 1, 2}, where);
  return ndim - nd == 2 ? make_expanded(std::move(input), axes{0, 1}, where)
                        : make_expanded(std::move(input), 0, where);
}

ASHLAR_DETAIL_SEPARATE node_ptr make_diagonal(node_ptr input, std::int64_t offset, std::int64_t axis1,
                                              std::int64_t axis2, std::source_location where) {
  const ashlar::shape& extents = input->shape;
  if (extents.ndim() < 2) {
    throw axis_error("diagonal: " + array_text(extents.ndim(), &extents) + "; a diagonal needs two axes");
  }
  const int a = normalize_axis(axis1, extents, "diagonal");
  const int b = normalize_axis(axis2, extents, "diagonal");
  if (a == b) {
    throw axis_error("diagonal: both axes are axis " + std::to_string(a) + "; name two different ones");
  }
  const std::int64_t down = offset < 0 && offset > -extents[a] ? -offset : 0;
  const std::int64_t right = offset > 0 && offset < extents[b] ? offset : 0;
  const std::int64_t rows = extents[a] - down;
  const std::int64_t columns = extents[b] - right;
  const bool outside = offset >= extents[b] || offset <= -extents[a];
  view_map m;
  m.start = strides::filled(extents.ndim(), 0);
  ashlar::shape result;
  for (int k = 0; k < extents.ndim(); ++k) {
    if (k == a || k == b) continue;
    m.terms.push_back({k, result.ndim(), 1});
    result.push_back(extents[k]);
  }
  m.start[a] = down;
  m.start[b] = right;
  add_term(m, {a, result.ndim(), 1});
  add_term(m, {b, result.ndim(), 1});
  result.push_back(outside ? 0 : rows < columns ? rows : columns);
  m.ndim = result.ndim();
  return make_view(std::move(input), std::move(m), result, "diagonal", where);
}

ASHLAR_DETAIL_SEPARATE node_ptr make_windows(node_ptr input, const ashlar::shape& window, const axes& which,
                                             std::source_location where) {
  const ashlar::shape& extents = input->shape;
  const char* const call = "sliding_window_view";
  if (which.all() ? window.ndim() != extents.ndim() : window.ndim() != which.count()) {
    throw axis_error(std::string(call) + ": windows of shape " + window.to_string() + " along axes " +
                     which.to_string() + " of " + array_text(extents.ndim(), &extents) +
                     "; give one length for each axis");
  }
  ashlar::shape result = extents;
  view_map m = identity_view(extents.ndim());
  for (int k = 0; k < window.ndim(); ++k) {
    const int a = which.all() ? k : normalize_axis(which[k], extents, call);
    if (window[k] < 1 || window[k] > result[a]) {
      throw shape_error(std::string(call) + ": a window of " + std::to_string(window[k]) + " along axis " +
                        std::to_string(a) + ", where " + std::to_string(result[a]) +
                        " elements are left; it has 1 or more, and no more than the axis");
    }
    result[a] -= window[k] - 1;
    add_term(m, {a, result.ndim(), 1});
    result.push_back(window[k]);
  }
  m.ndim = result.ndim();
  return make_view(std::move(input), std::move(m), result, call, where);
}

}  // namespace ashlar::detail
