/// \file
/// Arrays put together and taken apart: concatenate, stack and their kin, block, split, append, insert, delete_.
///
/// The result of putting together holds its own blocks, cut where the operands are cut; what is taken apart are views.
/// Lists are of one element type, `concatenate({a, b})`, and of arrays; a tuple may hold expressions and several types,
/// which are promoted: `concatenate(std::tuple{a, 2 * b}, 0)`.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <source_location>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include <ashlar/array.hpp>
#include <ashlar/creation.hpp>
#include <ashlar/graph/make_movement.hpp>
#include <ashlar/index.hpp>

namespace ashlar {

namespace detail {

template <class T>
std::vector<node_ptr> nodes_of(const std::vector<array<T>>& list) {
  std::vector<node_ptr> nodes;
  nodes.reserve(list.size());
  for (const array<T>& x : list) nodes.push_back(x.node());
  return nodes;
}

template <class T>
struct promote_all;
template <class T>
struct promote_all<std::tuple<T>> {
  using type = value_type_t<T>;
};
template <class A, class B, class... Rest>
struct promote_all<std::tuple<A, B, Rest...>> {
  using type = promote_t<value_type_t<A>, typename promote_all<std::tuple<B, Rest...>>::type>;
};

template <class T, class X>
array<T> as_array(const X& x, std::source_location where) {
  if constexpr (std::is_same_v<value_type_t<X>, T>) {
    return array<T>(node_of(x, where));
  } else {
    return array<T>(x.template astype<T>(), where);
  }
}

/// The arrays of a tuple in the type that holds them all.
template <class... X>
auto promoted_list(const std::tuple<X...>& list, std::source_location where) {
  using T = typename promote_all<std::tuple<X...>>::type;
  return std::apply([&](const X&... x) { return std::vector<array<T>>{as_array<T>(x, where)...}; }, list);
}

/// Pieces of an axis between positions, which are clipped as slices are.
template <class T>
std::vector<array<T>> split_at(const array<T>& x, std::span<const std::int64_t> positions, std::int64_t axis,
                               const char* call, std::source_location where) {
  const int a = normalize_axis(axis, x.shape(), call);
  std::vector<array<T>> parts;
  std::vector<index_item> items(static_cast<std::size_t>(a) + 1, index_item(slice{}));
  for (std::size_t k = 0; k <= positions.size(); ++k) {
    slice s;
    if (k > 0) s.start = positions[k - 1];
    if (k < positions.size()) s.stop = positions[k];
    items.back() = index_item(s);
    parts.push_back(array<T>(make_indexed(x.node(), items, where)));
  }
  return parts;
}

}  // namespace detail

/// The arrays one behind the other along `axis`. All other lengths agree.
/// Cost: a copy of the elements when it is made; an edge for each block that meets one of the result.
/// @throws shape_error for an empty list or lengths that differ; axis_error
template <class T>
array<T> concatenate(const std::vector<array<T>>& list, std::int64_t axis = 0,
                     std::source_location where = std::source_location::current()) {
  return array<T>(detail::make_concatenated(detail::nodes_of(list), axis, "concatenate", where));
}
template <class T>
array<T> concatenate(std::initializer_list<array<T>> list, std::int64_t axis = 0,
                     std::source_location where = std::source_location::current()) {
  return concatenate(std::vector<array<T>>(list), axis, where);
}
template <lazy... X>
auto concatenate(const std::tuple<X...>& list, std::int64_t axis = 0,
                 std::source_location where = std::source_location::current()) {
  return concatenate(detail::promoted_list(list, where), axis, where);
}

/// Arrays of one shape along a new axis, which is cut into blocks of 1. @throws as concatenate
template <class T>
array<T> stack(const std::vector<array<T>>& list, std::int64_t axis = 0,
               std::source_location where = std::source_location::current()) {
  return array<T>(detail::make_stacked(detail::nodes_of(list), axis, "stack", where));
}
template <class T>
array<T> stack(std::initializer_list<array<T>> list, std::int64_t axis = 0,
               std::source_location where = std::source_location::current()) {
  return stack(std::vector<array<T>>(list), axis, where);
}
template <lazy... X>
auto stack(const std::tuple<X...>& list, std::int64_t axis = 0,
           std::source_location where = std::source_location::current()) {
  return stack(detail::promoted_list(list, where), axis, where);
}

/// Along axis 0, after making all at least 2-d (vstack), along axis 1, or 0 for 1-d arrays (hstack), along axis 2 after
/// making all at least 3-d (dstack); 1-d arrays as the columns of a matrix (column_stack). As NumPy's.
/// @throws as concatenate
/// @{
template <class T>
array<T> vstack(std::vector<array<T>> list, std::source_location where = std::source_location::current()) {
  for (array<T>& x : list) x = atleast_2d(x, where);
  return concatenate(list, 0, where);
}
template <class T>
array<T> hstack(std::vector<array<T>> list, std::source_location where = std::source_location::current()) {
  for (array<T>& x : list) x = atleast_1d(x, where);
  return concatenate(list, !list.empty() && list.front().ndim() > 1 ? 1 : 0, where);
}
template <class T>
array<T> dstack(std::vector<array<T>> list, std::source_location where = std::source_location::current()) {
  for (array<T>& x : list) x = atleast_3d(x, where);
  return concatenate(list, 2, where);
}
template <class T>
array<T> column_stack(std::vector<array<T>> list, std::source_location where = std::source_location::current()) {
  for (array<T>& x : list) {
    if (x.ndim() < 2) x = expand_dims(atleast_1d(x, where), 1, where);
  }
  return concatenate(list, 1, where);
}
template <class T>
array<T> vstack(std::initializer_list<array<T>> list, std::source_location where = std::source_location::current()) {
  return vstack(std::vector<array<T>>(list), where);
}
template <class T>
array<T> hstack(std::initializer_list<array<T>> list, std::source_location where = std::source_location::current()) {
  return hstack(std::vector<array<T>>(list), where);
}
template <class T>
array<T> dstack(std::initializer_list<array<T>> list, std::source_location where = std::source_location::current()) {
  return dstack(std::vector<array<T>>(list), where);
}
template <class T>
array<T> column_stack(std::initializer_list<array<T>> list,
                      std::source_location where = std::source_location::current()) {
  return column_stack(std::vector<array<T>>(list), where);
}
/// @}

/// A matrix of blocks: each inner list is put together along the last axis, and the rows along the one before it, after
/// making all at least 2-d. @throws as concatenate
template <class T>
array<T> block(const std::vector<std::vector<array<T>>>& rows,
               std::source_location where = std::source_location::current()) {
  std::vector<array<T>> joined;
  for (std::vector<array<T>> row : rows) {
    for (array<T>& x : row) x = atleast_2d(x, where);
    joined.push_back(concatenate(row, -1, where));
  }
  return concatenate(joined, -2, where);
}
template <class T>
array<T> block(std::initializer_list<std::initializer_list<array<T>>> rows,
               std::source_location where = std::source_location::current()) {
  std::vector<std::vector<array<T>>> list;
  for (const auto& row : rows) list.emplace_back(row);
  return block(list, where);
}

/// Views of `sections` parts of an axis: of equal length (split), or the first ones longer by one (array_split).
/// @throws shape_error when split cannot make them equal; value_error below 1; axis_error
/// @{
template <lazy X, detail::integer I>
auto split(const X& x, I sections, std::int64_t axis = 0,
           std::source_location where = std::source_location::current()) {
  const array<value_type_t<X>> whole(detail::node_of(x, where));
  const std::int64_t n = whole.shape()[normalize_axis(axis, whole.shape(), "split")];
  return detail::split_at(whole, detail::split_positions(n, static_cast<std::int64_t>(sections), true, "split"), axis,
                          "split", where);
}
template <lazy X>
auto array_split(const X& x, std::int64_t sections, std::int64_t axis = 0,
                 std::source_location where = std::source_location::current()) {
  const array<value_type_t<X>> whole(detail::node_of(x, where));
  const std::int64_t n = whole.shape()[normalize_axis(axis, whole.shape(), "array_split")];
  return detail::split_at(whole, detail::split_positions(n, sections, false, "array_split"), axis, "array_split",
                          where);
}
/// @}

/// Views of the parts between positions of an axis: `split(x, {3, 5})` gives x[:3], x[3:5], x[5:]. @throws axis_error
template <lazy X>
auto split(const X& x, std::initializer_list<detail::extent> positions, std::int64_t axis = 0,
           std::source_location where = std::source_location::current()) {
  std::vector<std::int64_t> at;
  for (const detail::extent& p : positions) at.push_back(p.value);
  return detail::split_at(array<value_type_t<X>>(detail::node_of(x, where)), at, axis, "split", where);
}

/// Equal parts along axis 0 (vsplit), axis 1, or 0 of a 1-d array (hsplit), axis 2 (dsplit). @throws as split
/// @{
template <lazy X>
auto vsplit(const X& x, std::int64_t sections, std::source_location where = std::source_location::current()) {
  return split(x, sections, 0, where);
}
template <lazy X>
auto hsplit(const X& x, std::int64_t sections, std::source_location where = std::source_location::current()) {
  return split(x, sections, x.ndim() > 1 ? 1 : 0, where);
}
template <lazy X>
auto dsplit(const X& x, std::int64_t sections, std::source_location where = std::source_location::current()) {
  return split(x, sections, 2, where);
}
/// @}

/// `values` behind `x` along an axis; both flattened without one. @throws as concatenate
template <lazy X, lazy V>
auto append(const X& x, const V& values, std::source_location where = std::source_location::current()) {
  return concatenate(std::tuple{x.ravel(where), values.ravel(where)}, 0, where);
}
template <lazy X, lazy V>
auto append(const X& x, const V& values, std::int64_t axis,
            std::source_location where = std::source_location::current()) {
  return concatenate(std::tuple{x, values}, axis, where);
}

/// `values` in front of position `at` of an axis: a number or an array of fewer axes, which broadcasts to one slice
/// without that axis, or an array of all axes, of as many slices as it has along the axis. Cost: as concatenate, of the
/// two parts and what is between them. @throws index_error for a position outside; shape_error for values that do not
/// broadcast; dtype_error for a number that the element type cannot hold; axis_error; chunk_error for unknown block
/// lengths
template <lazy X, class V>
auto insert(const X& x, std::int64_t at, const V& values, std::int64_t axis,
            std::source_location where = std::source_location::current()) {
  using T = value_type_t<X>;
  const array<T> whole(detail::node_of(x, where));
  const int a = normalize_axis(axis, whole.shape(), "insert");
  const std::int64_t n = whole.shape()[a];
  if (at < -n || at > n) {
    throw index_error("insert: position " + std::to_string(at) + " is outside axis " + std::to_string(a) +
                      " of length " + std::to_string(n) + "; it is -" + std::to_string(n) + " to " + std::to_string(n));
  }
  detail::node_ptr part = detail::value_node<T>(values, where);
  ashlar::shape room = whole.shape();
  if (part->shape.ndim() == whole.ndim()) {
    room[a] = part->shape[a];
    part = detail::make_broadcast(std::move(part), room, where, "insert");
  } else {
    ashlar::shape one;
    for (int b = 0; b < room.ndim(); ++b) {
      if (b != a) one.push_back(room[b]);
    }
    part = detail::make_expanded(detail::make_broadcast(std::move(part), one, where, "insert"), a, where);
  }
  const std::int64_t position = at < 0 ? at + n : at;
  const std::vector<array<T>> parts = detail::split_at(whole, {&position, 1}, a, "insert", where);
  return concatenate({parts[0], array<T>(std::move(part)), parts[1]}, a, where);
}

/// Without the elements that a slice, or one position, picks along an axis. (`delete` is a word of the language.)
/// Blocks keep what stays of them. Cost: a copy of the elements when it is made; with a step each block is put together
/// from as many parts as the step is long, or as there are gaps in all, whichever is less; two copies more where both
/// are above 1024.
/// @throws index_error for a position outside; value_error for a step of 0; axis_error; chunk_error for unknown block
///         lengths
template <lazy X>
auto delete_(const X& x, const slice& gone, std::int64_t axis,
             std::source_location where = std::source_location::current()) {
  using T = value_type_t<X>;
  const array<T> whole(detail::node_of(x, where));
  const int a = normalize_axis(axis, whole.shape(), "delete_");
  const std::int64_t n = whole.shape()[a];
  detail::index_run r = detail::resolve_slice(gone, n, "delete_");
  if (r.count == 0) return whole;
  if (r.step < 0) r = {r.first + (r.count - 1) * r.step, r.count, -r.step};
  if (r.count == 1) r.step = 1;
  return array<T>(detail::make_deleted(whole.node(), a, r, where));
}
template <lazy X>
auto delete_(const X& x, std::int64_t gone, std::int64_t axis,
             std::source_location where = std::source_location::current()) {
  const ashlar::shape extents = x.shape();
  const int a = normalize_axis(axis, extents, "delete_");
  const std::int64_t n = extents[a];
  if (gone < -n || gone >= n) {
    throw index_error("delete_: position " + std::to_string(gone) + " is outside axis " + std::to_string(a) +
                      " of length " + std::to_string(n));
  }
  const std::int64_t at = gone < 0 ? gone + n : gone;
  return delete_(x, slice{at, at + 1}, axis, where);
}

}  // namespace ashlar
