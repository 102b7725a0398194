/// \file
/// Triangles and diagonals of matrices, and coordinate matrices: tri, tril, triu, diag, meshgrid. All are lazy
/// and cost no memory: triangles are a comparison of indices inside the loop of whoever reads them.
#pragma once

#include <cstdint>
#include <limits>
#include <source_location>
#include <string>
#include <tuple>
#include <utility>

#include <ashlar/creation.hpp>
#include <ashlar/functions.hpp>
#include <ashlar/joining.hpp>
#include <ashlar/padding.hpp>

namespace ashlar {

namespace detail {

/// One where column - row <= offset, C order.
template <class T>
struct triangle_values {
  std::int64_t columns;
  std::int64_t offset;
  void operator()(std::int64_t first, std::int64_t n, T* out) const {
    std::int64_t row = first / columns;
    std::int64_t column = first % columns;
    for (std::int64_t i = 0; i < n; ++i) {
      out[i] = column - row <= offset ? T(1) : T(0);
      if (++column == columns) {
        column = 0;
        ++row;
      }
    }
  }
  bool operator==(const triangle_values&) const noexcept = default;
  std::size_t hash() const noexcept {
    return type_hash<triangle_values>() ^ static_cast<std::size_t>(columns * 31 + offset);
  }
};

/// Offsets beyond the matrix are as one just outside it, so that differences of indices cannot overflow.
inline std::int64_t clipped_offset(std::int64_t offset, std::int64_t rows, std::int64_t columns) noexcept {
  return offset < -rows ? -rows : offset > columns ? columns : offset;
}

template <class Tag, class T>
array<bool> triangle_mask(const array<T>& x, std::int64_t offset, const char* call, std::source_location where) {
  const int nd = x.ndim();
  if (nd < 2) {
    throw shape_error(std::string(call) + ": an array of shape " + x.shape().to_string() +
                      " is no matrix; it has two axes or more");
  }
  const std::int64_t rows = x.shape()[nd - 2];
  const std::int64_t columns = x.shape()[nd - 1];
  block_grid grid;
  grid.push_back(x.chunks().axis(nd - 2));
  grid.push_back(x.chunks().axis(nd - 1));
  const triangle_values<bool> values{columns > 0 ? columns : 1, clipped_offset(offset, rows, columns)};
  return array<bool>(make_source(std::make_shared<generator_source<bool, triangle_values<bool>, Tag>>(values, call),
                                 dtype_of<bool>, {rows, columns}, std::move(grid), where));
}

}  // namespace detail

/// Options of tri.
struct tri_options {
  /// Columns; as many as rows when negative.
  std::int64_t columns = -1;
  /// The highest diagonal of ones: 0 the main one, above it positive.
  std::int64_t diagonal = 0;
  ashlar::chunks chunks = {};
};

/// Ones at and below a diagonal, zeros above. @throws shape_error for a negative number of rows
template <element T, class Tag = detail::backend_tag>
array<T> tri(std::int64_t rows, const tri_options& options = {},
             std::source_location where = std::source_location::current()) {
  const std::int64_t columns = options.columns < 0 ? rows : options.columns;
  return detail::make_generator<T, Tag>(
      detail::triangle_values<T>{columns > 0 ? columns : 1, detail::clipped_offset(options.diagonal, rows, columns)},
      "tri", {rows, columns}, options.chunks, where);
}

/// The elements at and below a diagonal of the last two axes, zeros elsewhere (NaN there too). @throws shape_error for
/// fewer than two axes
template <lazy X, class Tag = detail::backend_tag>
auto tril(const X& x, std::int64_t diagonal = 0, std::source_location where = std::source_location::current()) {
  using T = value_type_t<X>;
  const array<T> whole(detail::node_of(x, where));
  return array<T>(ashlar::where(detail::triangle_mask<Tag>(whole, diagonal, "tril", where), whole, T{}), where);
}

/// The elements at and above a diagonal; as tril.
template <lazy X, class Tag = detail::backend_tag>
auto triu(const X& x, std::int64_t diagonal = 0, std::source_location where = std::source_location::current()) {
  using T = value_type_t<X>;
  const array<T> whole(detail::node_of(x, where));
  const std::int64_t below = diagonal > -whole.size() - 1 ? diagonal - 1 : diagonal;
  return array<T>(ashlar::where(detail::triangle_mask<Tag>(whole, below, "triu", where), T{}, whole), where);
}

/// Of one axis the matrix that has it on a diagonal, with zeros elsewhere; of two the diagonal.
/// @throws shape_error for other numbers of axes
template <lazy X, class Tag = detail::backend_tag>
auto diag(const X& x, std::int64_t diagonal = 0, std::source_location where = std::source_location::current()) {
  using T = value_type_t<X>;
  const array<T> whole(detail::node_of(x, where));
  if (whole.ndim() == 2) return whole.diagonal(diagonal, 0, 1, where);
  if (whole.ndim() != 1) {
    throw shape_error("diag: an array of shape " + whole.shape().to_string() +
                      "; it takes one axis, to be put on a diagonal, or two");
  }
  if (diagonal == std::numeric_limits<std::int64_t>::min()) {
    throw shape_error("diag: diagonal " + std::to_string(diagonal) + " makes a matrix of more rows than 64 bits count");
  }
  const std::int64_t away = diagonal < 0 ? -diagonal : diagonal;
  const array<T> line = pad(whole, pad_width{0, away}, {}, where);
  const axis_blocks& cuts = line.chunks().axis(0);
  block_grid grid;
  grid.push_back(cuts);
  grid.push_back(cuts);
  const array<bool> mask = eye<bool, Tag>(line.size(), {.diagonal = diagonal, .chunks = ashlar::chunks(grid)}, where);
  return array<T>(ashlar::where(mask, expand_dims(line, diagonal < 0 ? 0 : 1, where), T{}), where);
}

/// Which axis of coordinate matrices follows the first array.
enum class mesh_indexing : std::uint8_t {
  xy,  // the second, as for pictures and NumPy's default
  ij   // the first, as for matrices
};

/// Coordinate matrices of one-dimensional arrays: a tuple with a matrix for each, all of the shape of the grid that
/// they span. They are views and take no memory. @throws shape_error for an array of more than one axis
template <lazy... X>
auto meshgrid(const std::tuple<X...>& arrays, mesh_indexing indexing = mesh_indexing::xy,
              std::source_location where = std::source_location::current()) {
  constexpr int nd = sizeof...(X);
  static_assert(nd >= 1 && nd <= max_ndim, "ashlar: meshgrid takes one array or more");
  ashlar::shape lengths;
  std::apply(
      [&](const X&... x) {
        (..., [&](const ashlar::shape& s) {
          if (s.ndim() > 1) {
            throw shape_error("meshgrid: an array of shape " + s.to_string() + "; each has one axis");
          }
          lengths.push_back(s.size());
        }(x.shape()));
      },
      arrays);
  const bool swapped = indexing == mesh_indexing::xy && nd > 1;
  ashlar::shape result = lengths;
  if (swapped) std::swap(result[0], result[1]);
  int k = 0;
  const auto matrix = [&]<class A>(const A& x) {
    const int axis = swapped && k < 2 ? 1 - k : k;
    ashlar::shape along = ashlar::shape::filled(nd, 1);
    along[axis] = lengths[k++];
    return broadcast_to(x.reshape(along, where), result, where);
  };
  return std::apply([&](const X&... x) { return std::tuple{matrix(x)...}; }, arrays);
}
template <lazy A, lazy... X>
auto meshgrid(const A& first, const X&... others) {
  return meshgrid(std::tuple{first, others...});
}

}  // namespace ashlar
