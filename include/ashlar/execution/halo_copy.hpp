/// \file
/// A part of an operand with what lies around it, for one call of a user's function.
///
/// A part that lies in one place in memory, and does not reach beyond the array, is handed over where it lies: its rows
/// follow each other at the array's distance. Any other is put together in scratch, each element copied once: the part
/// itself block by block, what lies beyond the array piece by piece (graph/halo.hpp).
#pragma once

#include <cstdint>

#include <ashlar/detail/copy_elements.hpp>
#include <ashlar/execution/leaf_cursor.hpp>
#include <ashlar/execution/red_zones.hpp>
#include <ashlar/graph/halo.hpp>

namespace ashlar::detail {

/// Where a product of pieces goes.
struct piece_target {
  shape extents;
  unsigned char* data;
  strides steps;  // elements
};

/// Writes what the generator of `c` yields, walked with `steps` in linear indices.
inline void generate_elements(const leaf_cursor& c, std::int64_t start, const strides& steps, const piece_target& to) {
  const int last = to.extents.ndim() - 1;
  const std::int64_t n = to.extents[last];
  std::int64_t i[max_ndim] = {};
  std::int64_t from = start;
  unsigned char* row = to.data;
  for (;;) {
    if (steps[last] == 1 && to.steps[last] == 1) {
      c.generator->fill(from, n, row);
    } else {
      for (std::int64_t k = 0; k < n; ++k) {
        c.generator->fill(from + k * steps[last], 1, row + k * to.steps[last] * c.size);
      }
    }
    int a = last - 1;
    for (; a >= 0; --a) {
      from += steps[a];
      row += to.steps[a] * c.size;
      if (++i[a] < to.extents[a]) break;
      from -= steps[a] * to.extents[a];
      row -= to.steps[a] * to.extents[a] * c.size;
      i[a] = 0;
    }
    if (a < 0) return;
  }
}

/// Copies the box `from` of a leaf, whose axes are walked with the given steps of 1, -1 or 0.
inline void copy_box(const run_state& run, scratch_stack& scratch, const leaf& f, const box& from, const int* step,
                     const piece_target& to) {
  const scratch_stack::mark mark = scratch.here();
  leaf_cursor c;
  c.reset(from.ndim);
  open_leaf(c, run, scratch, f, from, from.ndim);
  strides steps = strides::filled(from.ndim, 0);
  std::int64_t first = 0;
  const std::int64_t unit = c.data != nullptr ? c.size : 1;
  for (int a = 0; a < from.ndim; ++a) {
    steps[a] = c.stride[a] / unit * step[a];
    if (step[a] < 0) first += (from.length[a] - 1) * c.stride[a];
  }
  if (c.data != nullptr) {
    copy_elements(c.size, to.extents, c.data + first, steps, to.data, to.steps);
  } else {
    generate_elements(c, c.start + first, steps, to);
  }
  scratch.rewind(mark);
}

/// Whether the elements of a leaf lie in blocks, cut along its axes.
inline bool is_in_blocks(const leaf& f) {
  if (f.view != nullptr) return false;
  return f.from == nullptr ? !f.in_result : f.from->memory() == nullptr && f.from->blocks() != nullptr;
}

/// As copy_box() forwards: straight from each block that the box touches.
inline void copy_box_by_blocks(const run_state& run, scratch_stack& scratch, const leaf& f, const box& from,
                               const int* step, const piece_target& to) {
  for_each_block(blocks_under(f.grid, from), from.ndim, [&](const std::int64_t* coords) {
    box b = block_box(f.grid, coords);
    piece_target part = to;
    for (int a = 0; a < from.ndim; ++a) {
      const std::int64_t end = b.offset[a] + b.length[a];
      const std::int64_t from_end = from.offset[a] + from.length[a];
      if (b.offset[a] < from.offset[a]) b.offset[a] = from.offset[a];
      b.length[a] = (end < from_end ? end : from_end) - b.offset[a];
      if (b.length[a] <= 0) return;
      part.extents[a] = b.length[a];
      part.data += (b.offset[a] - from.offset[a]) * to.steps[a] * itemsize(f.type);
    }
    copy_box(run, scratch, f, b, step, part);
  });
}

/// One product of pieces, one an axis, written to the packed copy.
inline void copy_piece(const run_state& run, scratch_stack& scratch, const leaf& f, const halo* h,
                       const halo_piece* const* piece, unsigned char* copy, const strides& packed) {
  const int nd = packed.ndim();
  const std::int64_t size = itemsize(f.type);
  piece_target to{shape::filled(nd, 0), copy, packed};
  box from;
  from.ndim = nd;
  int step[max_ndim];
  bool forwards = true;
  int constant = -1;  // the last axis that asks for one has it
  for (int a = 0; a < nd; ++a) {
    const halo_piece& p = *piece[a];
    to.extents[a] = p.length;
    to.data += p.at * packed[a] * size;
    const axis_span reads = p.reads();
    from.offset[a] = reads.first;
    from.length[a] = reads.length();
    step[a] = p.step;
    forwards = forwards && p.step == 1;
    if (p.constant) constant = a;
  }
  if (constant >= 0) {
    copy_elements(size, to.extents, h[constant].value, strides::filled(nd, 0), to.data, packed);
  } else if (forwards && is_in_blocks(f)) {
    copy_box_by_blocks(run, scratch, f, from, step, to);
  } else {
    copy_box(run, scratch, f, from, step, to);
  }
}

/// Points `part`, whose place is known, at its elements and those around it. `f` has axes.
inline void open_with_halo(block_part& part, const run_state& run, scratch_stack& scratch, guarded_scratch& memory,
                           const leaf& f, const halo* h) {
  const int nd = part.where.ndim;
  const std::int64_t size = itemsize(f.type);
  auto* const around = scratch.take_array<surroundings>(nd);
  part.around = around;
  axis_span span[max_ndim];
  box whole;  // with what is around
  whole.ndim = nd;
  bool inside = true;
  for (int a = 0; a < nd; ++a) {
    span[a] = span_with_halo(h[a], part.where.offset[a], part.where.length[a], f.shape[a]);
    whole.offset[a] = span[a].first;
    whole.length[a] = span[a].length();
    inside = inside && span[a].first >= 0 && span[a].end <= f.shape[a];
    around[a].before = part.where.offset[a] - span[a].first;
    around[a].after = span[a].end - part.where.offset[a] - part.where.length[a];
  }
  unsigned char* first = nullptr;  // the first element, with what is around
  const auto finish = [&] {
    part.data = first;
    for (int a = 0; a < nd; ++a) first += around[a].before * around[a].stride * size;
    part.data = first;
  };
  if (inside && !has_red_zones && whole.size() != 0) {
    leaf_cursor c;
    c.reset(nd);
    const scratch_stack::mark mark = scratch.here();
    open_leaf(c, run, scratch, f, whole, nd);
    if (c.data != nullptr && (whole.length[nd - 1] == 1 || c.stride[nd - 1] == size)) {
      for (int a = 0; a < nd; ++a) around[a].stride = c.stride[a] / size;
      around[nd - 1].stride = 1;
      first = const_cast<unsigned char*>(c.data);
      return finish();
    }
    scratch.rewind(mark);
  }
  first = memory.take(whole.size() * size);
  shape extents;
  for (int a = 0; a < nd; ++a) extents.push_back(whole.length[a]);
  const strides packed = row_major_strides(extents);
  for (int a = 0; a < nd; ++a) around[a].stride = packed[a];
  unsigned char* const copy = first;
  finish();
  if (whole.size() == 0) return;

  const scratch_stack::mark mark = scratch.here();
  const halo_piece* pieces[max_ndim];
  std::int64_t count[max_ndim];
  for (int a = 0; a < nd; ++a) {
    count[a] = 0;
    for_each_piece(h[a], span[a], f.shape[a], [&](const halo_piece&) { ++count[a]; });
    auto* const list = scratch.take_array<halo_piece>(count[a]);
    std::int64_t k = 0;
    for_each_piece(h[a], span[a], f.shape[a], [&](const halo_piece& p) { list[k++] = p; });
    pieces[a] = list;
  }
  std::int64_t pick[max_ndim] = {};
  for (;;) {
    const halo_piece* chosen[max_ndim] = {};
    for (int a = 0; a < nd; ++a) chosen[a] = pieces[a] + pick[a];
    copy_piece(run, scratch, f, h, chosen, copy, packed);
    int a = nd - 1;
    while (a >= 0 && ++pick[a] == count[a]) pick[a--] = 0;
    if (a < 0) break;
  }
  scratch.rewind(mark);
}

}  // namespace ashlar::detail
