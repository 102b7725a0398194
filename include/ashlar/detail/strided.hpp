/// \file
/// Walking strided arrays: several arrays of one shape are walked together, row by row, after axes that lie behind each
/// other in every one of them have been merged, so that a contiguous array is one long row however many axes it has.
#pragma once

#include <cstdint>
#include <cstring>
#include <utility>

#include <ashlar/detail/transpose_tiles.hpp>
#include <ashlar/shape.hpp>

namespace ashlar::detail {

/// The merged axes of N arrays. Lengths are above 1, except for the single row of length 1 of a one-element array.
/// Steps are in elements.
template <int N>
struct strided_loop {
  int ndim = 0;
  std::int64_t length[max_ndim] = {};
  std::int64_t step[N][max_ndim] = {};

  std::int64_t row_length() const noexcept { return length[ndim - 1]; }
  std::int64_t row_step(int array) const noexcept { return step[array][ndim - 1]; }

  void swap_axes(int i, int j) noexcept {
    std::swap(length[i], length[j]);
    for (auto& steps : step) std::swap(steps[i], steps[j]);
  }
};

/// Merges axes without changing the order of elements. For a shape without empty axes.
template <int N>
strided_loop<N> merge_axes(const shape& extents, const strides* const (&steps)[N]) noexcept {
  strided_loop<N> loop;
  for (int axis = 0; axis < extents.ndim(); ++axis) {
    if (extents[axis] == 1) continue;
    bool joins = loop.ndim > 0;
    for (int k = 0; joins && k < N; ++k) {
      joins = loop.step[k][loop.ndim - 1] == (*steps[k])[axis] * extents[axis];
    }
    if (!joins) loop.length[loop.ndim++] = 1;
    loop.length[loop.ndim - 1] *= extents[axis];
    for (int k = 0; k < N; ++k) loop.step[k][loop.ndim - 1] = (*steps[k])[axis];
  }
  if (loop.ndim == 0) {
    loop.ndim = 1;
    loop.length[0] = 1;
    for (auto& step : loop.step) step[0] = 1;
  }
  return loop;
}

/// Calls `row(offsets)` for the first element of every row, in C order, where offsets[k] is the distance from the first
/// element of array k; stops when it returns false, and then returns false. `inner` last axes belong to the row.
template <int N, class Row>
bool for_each_row(const strided_loop<N>& loop, int inner, Row&& row) {
  std::int64_t index[max_ndim] = {};
  std::int64_t offset[N] = {};
  while (true) {
    if (!row(offset)) return false;
    int axis = loop.ndim - inner - 1;
    for (; axis >= 0; --axis) {
      for (int k = 0; k < N; ++k) offset[k] += loop.step[k][axis];
      if (++index[axis] < loop.length[axis]) break;
      for (int k = 0; k < N; ++k) offset[k] -= loop.step[k][axis] * loop.length[axis];
      index[axis] = 0;
    }
    if (axis < 0) return true;
  }
}

inline std::int64_t magnitude(std::int64_t step) noexcept { return step < 0 ? -step : step; }

template <class T>
void copy_row(const T* from, std::int64_t from_step, T* to, std::int64_t to_step, std::int64_t count) noexcept {
  if (from_step == 1 && to_step == 1) {
    std::memcpy(to, from, static_cast<std::size_t>(count) * sizeof(T));
    return;
  }
  for (std::int64_t i = 0; i < count; ++i) to[i * to_step] = from[i * from_step];
}

/// Copies every element of one strided array to the other; they must not overlap. Writes along the destination's
/// densest axis; where the source is densest along another axis (a transposed copy) the two are walked in tiles of
/// 32 x 32, which keeps both sides in L1.
template <class T>
void copy_strided(const shape& extents, const T* from, const strides& from_steps, T* to, const strides& to_steps) {
  for (const std::int64_t length : extents) {
    if (length == 0) return;
  }
  strided_loop<2> loop = merge_axes<2>(extents, {&from_steps, &to_steps});
  const int last = loop.ndim - 1;
  // Insertion sort by the destination's step, the densest last; equal steps keep their order.
  for (int i = 1; i <= last; ++i) {
    for (int j = i; j > 0 && magnitude(loop.step[1][j - 1]) < magnitude(loop.step[1][j]); --j) loop.swap_axes(j - 1, j);
  }
  int dense = last;
  for (int axis = last - 1; axis >= 0; --axis) {
    if (magnitude(loop.step[0][axis]) < magnitude(loop.step[0][dense])) dense = axis;
  }
  const std::int64_t columns = loop.row_length();
  const std::int64_t from_step = loop.row_step(0);
  const std::int64_t to_step = loop.row_step(1);
  if (dense == last || magnitude(from_step) * static_cast<std::int64_t>(sizeof(T)) < 64) {
    for_each_row(loop, 1, [&](const std::int64_t(&offset)[2]) {
      copy_row(from + offset[0], from_step, to + offset[1], to_step, columns);
      return true;
    });
    return;
  }
  for (int axis = dense; axis + 1 < last; ++axis) loop.swap_axes(axis, axis + 1);
  constexpr std::int64_t tile = 32;
  const std::int64_t rows = loop.length[last - 1];
  const std::int64_t from_row = loop.step[0][last - 1];
  const std::int64_t to_row = loop.step[1][last - 1];
  const bool turned = from_row == 1 && to_step == 1 && rows >= 8 && columns >= 8;
  for_each_row(loop, 2, [&](const std::int64_t(&offset)[2]) {
    constexpr auto size = static_cast<std::int64_t>(sizeof(T));
    if (turned &&
        transpose_matrix<sizeof(T)>(from + offset[0], from_step * size, to + offset[1], to_row * size, columns, rows)) {
      return true;
    }
    for (std::int64_t r = 0; r < rows; r += tile) {
      const std::int64_t r_end = r + tile < rows ? r + tile : rows;
      for (std::int64_t c = 0; c < columns; c += tile) {
        const std::int64_t count = c + tile < columns ? tile : columns - c;
        for (std::int64_t row = r; row < r_end; ++row) {
          copy_row(from + offset[0] + row * from_row + c * from_step, from_step,
                   to + offset[1] + row * to_row + c * to_step, to_step, count);
        }
      }
    }
    return true;
  });
}

/// True when the strides are those of a dense array in C order. Axes of length 1 may have any stride, and an empty
/// array is dense.
constexpr bool is_row_major(const shape& extents, const strides& steps) noexcept {
  std::int64_t expected = 1;
  bool dense = true;
  for (int axis = extents.ndim() - 1; axis >= 0; --axis) {
    if (extents[axis] == 0) return true;
    if (extents[axis] == 1) continue;
    dense = dense && steps[axis] == expected;
    if (dense) expected *= extents[axis];
  }
  return dense;
}

/// True when the strides are those of a dense array in Fortran order; rules as for is_row_major.
constexpr bool is_column_major(const shape& extents, const strides& steps) noexcept {
  std::int64_t expected = 1;
  bool dense = true;
  for (int axis = 0; axis < extents.ndim(); ++axis) {
    if (extents[axis] == 0) return true;
    if (extents[axis] == 1) continue;
    dense = dense && steps[axis] == expected;
    if (dense) expected *= extents[axis];
  }
  return dense;
}

}  // namespace ashlar::detail
