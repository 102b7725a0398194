/// \file
/// Boxes of elements and the blocks that they touch: a task's inputs are regions, not blocks, so operands with other
/// chunks, broadcasting and (later) slices need no further kind of edge.
#pragma once

#include <cstdint>

#include <ashlar/block_grid.hpp>
#include <ashlar/graph/box.hpp>
#include <ashlar/graph/plan.hpp>
#include <ashlar/shape.hpp>

namespace ashlar::detail {

constexpr std::int64_t round_up(std::int64_t bytes, std::int64_t to) noexcept { return (bytes + to - 1) / to * to; }

/// The part of an operand of shape `shape` that an element-wise task over `task` reads: axes are right-aligned, an
/// extent of 1 is read as it is.
inline box operand_box(const box& task, const ashlar::shape& shape) {
  box b;
  b.ndim = shape.ndim();
  const int lead = task.ndim - b.ndim;
  for (int a = 0; a < b.ndim; ++a) {
    const bool one = shape[a] == 1;
    b.offset[a] = one ? 0 : task.offset[a + lead];
    b.length[a] = one ? (task.length[a + lead] == 0 ? 0 : 1) : task.length[a + lead];
  }
  return b;
}

inline box block_box(const block_grid& grid, const std::int64_t* coords) {
  box b;
  b.ndim = grid.ndim();
  for (int a = 0; a < b.ndim; ++a) {
    b.offset[a] = grid.axis(a).offset(coords[a]);
    b.length[a] = grid.axis(a).length(coords[a]);
  }
  return b;
}

/// The blocks first[a] … last[a] along each axis that a non-empty box touches.
struct block_range {
  std::int64_t first[max_ndim];
  std::int64_t last[max_ndim];

  bool single(int ndim) const noexcept {
    for (int a = 0; a < ndim; ++a) {
      if (first[a] != last[a]) return false;
    }
    return true;
  }
};

inline block_range blocks_under(const block_grid& grid, const box& b) {
  block_range r;
  for (int a = 0; a < b.ndim; ++a) {
    r.first[a] = grid.axis(a).find(b.offset[a]);
    r.last[a] = b.length[a] == 1 ? r.first[a] : grid.axis(a).find(b.offset[a] + b.length[a] - 1);
  }
  return r;
}

/// Calls f(coordinates) for every block of the range, in row-major order.
template <class F>
void for_each_block(const block_range& r, int ndim, F f) {
  std::int64_t c[max_ndim];
  for (int a = 0; a < ndim; ++a) c[a] = r.first[a];
  for (;;) {
    f(static_cast<const std::int64_t*>(c));
    int a = ndim - 1;
    while (a >= 0 && c[a] == r.last[a]) {
      c[a] = r.first[a];
      --a;
    }
    if (a < 0) return;
    ++c[a];
  }
}

/// Row-major coordinates of a task inside its layer.
inline void task_coords(const ashlar::shape& counts, std::int64_t block, std::int64_t* out) noexcept {
  auto rest =
      static_cast<std::uint32_t>(block);  // a plan has less than 2^31 tasks; the short division is the quick one
  for (int a = counts.ndim() - 1; a >= 0; --a) {
    const auto count = static_cast<std::uint32_t>(counts[a]);
    out[a] = rest % count;
    rest /= count;
  }
}

inline std::int64_t task_index(const ashlar::shape& counts, const std::int64_t* coords) noexcept {
  std::int64_t block = 0;
  for (int a = 0; a < counts.ndim(); ++a) block = block * counts[a] + coords[a];
  return block;
}

/// Canonical blocks along axis `a` that a task of a partial layer takes.
inline std::int64_t blocks_per_task(const layer& l, int a) noexcept {
  if (a == l.grouped_axis) return l.group;
  return a == l.grid.ndim() - 1 ? l.strip : 1;
}

/// Whether a task of the layer makes one block of a result, rather than states or what becomes of them.
inline bool makes_blocks(const layer& l) noexcept {
  return l.kind == layer_kind::elementwise || l.kind == layer_kind::blockwise || l.kind == layer_kind::scan ||
         l.kind == layer_kind::movement;
}

/// The elements that a task of a layer covers, other than one that combines.
inline box task_box(const layer& l, const std::int64_t* coords) {
  if (makes_blocks(l)) return block_box(l.grid, coords);
  box b;
  b.ndim = l.grid.ndim();
  for (int a = 0; a < b.ndim; ++a) {
    const axis_blocks& blocks = l.grid.axis(a);
    const std::int64_t per = blocks_per_task(l, a);
    const std::int64_t first = coords[a] * per;
    const std::int64_t end = first + per < blocks.count() ? first + per : blocks.count();
    b.offset[a] = blocks.offset(first);
    b.length[a] = blocks.offset(end - 1) + blocks.length(end - 1) - b.offset[a];
  }
  return b;
}

/// The part of leaf `k` that a task over `task` reads.
inline box leaf_box(const layer& l, std::size_t k, const std::int64_t* coords, const box& task) {
  const ashlar::shape& extents = l.tape.leaves[k].shape;
  return l.kind == layer_kind::blockwise ? operand_part(*l.rule, k, extents, coords) : operand_box(task, extents);
}

/// Of bytes that all tasks of a layer would read those of the tasks that a result needs, which read about as much each.
inline std::int64_t needed_part(const layer& l, std::int64_t bytes) noexcept {
  if (l.skipped == 0) return bytes;
  return static_cast<std::int64_t>(static_cast<double>(bytes) * static_cast<double>(l.task_count - l.skipped) /
                                   static_cast<double>(l.task_count));
}

/// A view that leaves out so much, this many elements for one that it reads, that the box around them is not worth
/// putting together.
inline constexpr std::int64_t sparse_view = 8;

/// The part of what is stored that is read for `part` of a leaf.
inline box stored_box(const leaf& f, const box& part) { return f.view == nullptr ? part : input_box(*f.view, part); }

/// An upper bound of the elements of what is stored that a task whose box is at most `length` reads of a leaf.
inline std::int64_t largest_stored_box(const leaf& f, const ashlar::shape& length) {
  box part;
  part.ndim = f.shape.ndim();
  for (int a = 0; a < part.ndim; ++a) {
    const int axis = a + length.ndim() - part.ndim;
    part.offset[a] = 0;
    part.length[a] = length[axis] < f.shape[a] ? length[axis] : f.shape[a];
  }
  const box b = stored_box(f, part);
  std::int64_t n = 1;
  for (int a = 0; a < b.ndim; ++a) n *= b.length[a] < f.stored[a] ? b.length[a] : f.stored[a];
  return n;
}

/// Calls f(box) for the boxes of leaf `k` that a task over `task` reads: one, but for what lies around blocks at the
/// ends of arrays that wrap.
template <class F>
void for_each_leaf_box(const layer& l, std::size_t k, const std::int64_t* coords, const box& task, F f) {
  const box part = leaf_box(l, k, coords, task);
  const halo* const h = l.kind == layer_kind::blockwise ? l.rule->halo_of(k) : nullptr;
  if (h != nullptr) {
    for_each_read(h, part, l.tape.leaves[k].shape, f);
  } else {
    f(part);
  }
}

/// The axis of what is stored that an axis of a view follows, and its step.
struct followed_axis {
  int axis = -1;
  std::int64_t start = 0;
  std::int64_t step = 0;
};

/// Whether each axis of the leaf follows at most one of what is stored, and no two the same; and which.
inline bool follows_one_each(const leaf& f, followed_axis* out) {
  const int nd = f.shape.ndim();
  for (int a = 0; a < nd; ++a) out[a] = f.view == nullptr ? followed_axis{a, 0, 1} : followed_axis{};
  if (f.view == nullptr) return true;
  int before = -1;
  for (const view_term& t : f.view->terms) {
    if (t.input_axis == before || out[t.axis].axis >= 0) return false;
    before = t.input_axis;
    out[t.axis] = {t.input_axis, f.view->start[t.input_axis], t.step};
  }
  return true;
}

inline bool is_reduced(const layer& l, int axis) noexcept {
  for (const int a : l.axes) {
    if (a == axis) return true;
  }
  return false;
}

/// States that a task of a reduction holds: the product of the kept extents of its box.
inline std::int64_t kept_elements(const layer& l, const std::int64_t* coords) {
  std::int64_t n = 1;
  for (int a = 0; a < l.grid.ndim(); ++a) {
    if (is_reduced(l, a)) continue;
    const axis_blocks& blocks = l.grid.axis(a);
    const std::int64_t per = blocks_per_task(l, a);
    const std::int64_t first = coords[a] * per;
    const std::int64_t end = first + per < blocks.count() ? first + per : blocks.count();
    n *= blocks.offset(end - 1) + blocks.length(end - 1) - blocks.offset(first);
  }
  return n;
}

// --- chunks that hold states: a count of elements, then the fields one after the other, each 64-byte aligned ---

inline constexpr std::int64_t state_header = 64;

inline std::int64_t state_bytes(const layer& l, std::int64_t columns) {
  std::int64_t bytes = state_header;
  for (const reducer_use& r : l.reducers) {
    for (int f = 0; f < r.reducer->fields; ++f) bytes += round_up(columns * itemsize(r.reducer->field[f]), 64);
  }
  return bytes;
}

// --- chunks of scans: the block, unless it is written elsewhere, then the states of all lines for the next block ---

/// Lines along the axis of a scan that the box cuts.
inline std::int64_t scan_lines(const layer& l, const box& b) noexcept {
  std::int64_t n = 1;
  for (int a = 0; a < b.ndim; ++a) n *= a == l.scan_axis ? 1 : b.length[a];
  return n;
}

inline std::int64_t scan_state_bytes(const layer& l, std::int64_t lines) {
  std::int64_t bytes = 0;
  for (int f = 0; f < l.scan->fields; ++f) bytes += round_up(lines * itemsize(l.scan->field[f]), 64);
  return bytes;
}

/// Whether there is a next block.
inline bool hands_on_states(const layer& l, const std::int64_t* coords) noexcept {
  return coords[l.scan_axis] + 1 < l.counts[l.scan_axis];
}

/// Bytes in front of the states.
inline std::int64_t scan_block_bytes(const layer& l, const box& b) {
  return l.outputs[0].root >= 0 ? 0 : round_up(b.size() * itemsize(l.outputs[0].type), 64);
}

}  // namespace ashlar::detail
