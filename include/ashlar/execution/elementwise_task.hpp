/// \file
/// One task of an elementwise layer: the tape over one block, written into the result or into a block of its own.
#pragma once

#include <cstdint>

#include <ashlar/execution/tape_run.hpp>

namespace ashlar::detail {

/// Nested loops over a box: extents, with the task axis that each stands for. Neighbouring axes that are contiguous in
/// every leaf and in the output are one loop.
struct loop_nest {
  int n = 0;
  int axis[max_ndim];
  std::int64_t extent[max_ndim];
};

inline void run_elementwise(run_state& run, lane_memory& lane, const layer& l, const std::int64_t* coords,
                            unsigned char* chunk) {
  const box b = task_box(l, coords);
  if (b.size() == 0) return;
  const layer_output& out = l.outputs[0];
  const std::int64_t size = itemsize(out.type);
  std::int64_t out_stride[max_ndim];
  unsigned char* base = open_block(run, out, b, chunk, out_stride);
  tape_run t(run, lane, l, b, 1, tile_elements);

  loop_nest nest;
  for (int a = 0; a < b.ndim; ++a) {
    if (b.length[a] == 1) continue;
    if (nest.n > 0) {
      const int before = nest.axis[nest.n - 1];
      bool merge = out_stride[before] == out_stride[a] * b.length[a];
      for (int k = 0; k < t.leaves() && merge; ++k) {
        merge = t.cursor(k).stride[before] == t.cursor(k).stride[a] * b.length[a];
      }
      if (merge) {
        nest.extent[nest.n - 1] *= b.length[a];
        nest.axis[nest.n - 1] = a;
        continue;
      }
    }
    nest.axis[nest.n] = a;
    nest.extent[nest.n++] = b.length[a];
  }
  if (nest.n == 0) {
    nest.n = 1;
    nest.extent[0] = 1;
    nest.axis[0] = max_ndim - 1;  // no leaf has a stride there
    out_stride[max_ndim - 1] = size;
  }
  const int inner = nest.n - 1;
  const int inner_axis = nest.axis[inner];
  const std::int64_t n = nest.extent[inner];
  const bool packed_out = out_stride[inner_axis] == size || n == 1;
  unsigned char* const piece = packed_out ? nullptr : lane.scratch.take(tile_elements * size);

  // Short rows whose results lie one behind the other are taken many at a time.
  const bool short_rows = inner > 0 && n <= tile_elements / 8 && packed_out &&
                          out_stride[nest.axis[inner - 1]] == n * out_stride[inner_axis];
  if (short_rows) --nest.n;

  std::int64_t at[max_registers];
  std::int64_t row_start[max_registers];
  for (int k = 0; k < t.leaves(); ++k) row_start[k] = 0;
  std::int64_t i[max_ndim];
  for (int a = 0; a < nest.n; ++a) i[a] = 0;
  for (;;) {
    if (short_rows) {
      const int row_axis = nest.axis[inner - 1];
      const std::int64_t rows = nest.extent[inner - 1];
      const std::int64_t at_once = tile_elements / n;
      for (std::int64_t r = 0; r < rows; r += at_once) {
        const std::int64_t m = rows - r < at_once ? rows - r : at_once;
        for (int k = 0; k < t.leaves(); ++k) at[k] = row_start[k] + r * t.cursor(k).stride[row_axis];
        t.run_short_rows(at, row_axis, m, inner_axis, n, out.value, base + r * out_stride[row_axis]);
      }
    }
    for (std::int64_t j = short_rows ? n : 0; j < n; j += tile_elements) {
      const std::int64_t m = n - j < tile_elements ? n - j : tile_elements;
      for (int k = 0; k < t.leaves(); ++k) at[k] = row_start[k] + j * t.cursor(k).stride[inner_axis];
      unsigned char* const target = base + j * out_stride[inner_axis];
      t.run(at, inner_axis, m, 0, nullptr, out.value, packed_out ? target : piece);
      if (!packed_out) scatter(target, out_stride[inner_axis], piece, m, size);
    }
    int a = nest.n - 2;
    for (; a >= 0; --a) {
      const int axis = nest.axis[a];
      base += out_stride[axis];
      for (int k = 0; k < t.leaves(); ++k) row_start[k] += t.cursor(k).stride[axis];
      if (++i[a] < nest.extent[a]) break;
      i[a] = 0;
      base -= out_stride[axis] * nest.extent[a];
      for (int k = 0; k < t.leaves(); ++k) row_start[k] -= t.cursor(k).stride[axis] * nest.extent[a];
    }
    if (a < 0) return;
  }
}

}  // namespace ashlar::detail
