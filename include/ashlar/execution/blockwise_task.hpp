/// \file
/// One task of a blockwise layer: the parts of the operands, packed, are handed to the user's function, which writes
/// one block of the result. Parts that lie packed in memory are used in place; generated, strided and scattered ones
/// are put together in scratch first, and so is a result whose rows do not follow each other where they belong.
#pragma once

#include <cstdint>
#include <cstring>

#include <ashlar/execution/halo_copy.hpp>
#include <ashlar/execution/leaf_cursor.hpp>
#include <ashlar/execution/red_zones.hpp>

namespace ashlar::detail {

/// Whether elements at these strides (bytes, by axis) are packed in row-major order.
inline bool is_packed(const box& b, const std::int64_t* stride, std::int64_t size) noexcept {
  for (int a = b.ndim - 1; a >= 0; --a) {
    if (b.length[a] != 1 && stride[a] != size) return false;
    size *= b.length[a];
  }
  return true;
}

/// Calls row(offset, number of elements, position) for the rows of a box without empty axes: `offset` is measured in
/// `stride`, `position` counts elements in row-major order.
template <class Row>
void for_each_row_of(const box& b, const std::int64_t* stride, Row row) {
  const int last = b.ndim - 1;
  const std::int64_t n = last < 0 ? 1 : b.length[last];
  std::int64_t i[max_ndim] = {};
  std::int64_t offset = 0;
  for (std::int64_t position = 0;; position += n) {
    row(offset, n, position);
    int a = last - 1;
    for (; a >= 0; --a) {
      offset += stride[a];
      if (++i[a] < b.length[a]) break;
      offset -= stride[a] * b.length[a];
      i[a] = 0;
    }
    if (a < 0) return;
  }
}

/// Copies what the cursor points at, `b` without empty axes, to packed memory.
inline void pack_leaf(const leaf_cursor& c, const box& b, unsigned char* to) {
  const std::int64_t step = b.ndim == 0 ? c.size : c.stride[b.ndim - 1];
  for_each_row_of(b, c.stride, [&](std::int64_t offset, std::int64_t n, std::int64_t position) {
    unsigned char* const target = to + position * c.size;
    if (c.data == nullptr) {
      if (step == 1 || n == 1) {
        c.generator->fill(c.start + offset, n, target);
      } else {
        for (std::int64_t k = 0; k < n; ++k) c.generator->fill(c.start + offset + k * step, 1, target + k * c.size);
      }
    } else if (step == c.size || n == 1) {
      std::memcpy(target, c.data + offset, static_cast<std::size_t>(n * c.size));
    } else {
      gather(target, c.data + offset, step, n, c.size);
    }
  });
}

/// What the block that a task's function returns has around the block of the result, by axis: what the operands that it
/// is cut with have.
inline const surroundings* trimmed_off(const layer& l, const block_part* in, scratch_stack& scratch) {
  auto* const trim = scratch.take_array<surroundings>(l.grid.ndim());
  for (int axis = 0; axis < l.grid.ndim(); ++axis) trim[axis] = {};
  for (std::size_t k = 0; k < l.tape.leaves.size(); ++k) {
    if (in[k].around == nullptr) continue;
    for (int a = 0; a < in[k].where.ndim; ++a) {
      const int axis = l.rule->follows[k][static_cast<std::size_t>(a)];
      if (axis == block_rule::whole || (*in[k].whole)[a] != l.rule->loop.axis(axis).total()) continue;
      trim[axis] = in[k].around[a];
    }
  }
  return trim;
}

inline void run_blockwise(run_state& run, lane_memory& lane, const layer& l, const std::int64_t* coords,
                          unsigned char* chunk) {
  block_call call;
  call.out.where = task_box(l, coords);
  const box& b = call.out.where;
  if (b.size() == 0) return;
  const layer_output& out = l.outputs[0];
  guarded_scratch memory(lane.scratch);

  call.inputs = static_cast<int>(l.tape.leaves.size());
  auto* const in = lane.scratch.take_array<block_part>(call.inputs);
  for (int k = 0; k < call.inputs; ++k) {
    const leaf& f = l.tape.leaves[static_cast<std::size_t>(k)];
    in[k].where = leaf_box(l, static_cast<std::size_t>(k), coords, b);
    in[k].whole = &f.shape;
    in[k].around = nullptr;
    if (const halo* const h = l.rule->halo_of(static_cast<std::size_t>(k)); h != nullptr && f.shape.ndim() > 0) {
      open_with_halo(in[k], run, lane.scratch, memory, f, h);
      continue;
    }
    leaf_cursor c;
    c.reset(f.shape.ndim());
    open_leaf(c, run, lane.scratch, f, in[k].where, f.shape.ndim());
    if (!has_red_zones && c.data != nullptr && is_packed(in[k].where, c.stride, c.size)) {
      in[k].data = const_cast<unsigned char*>(c.data);
      continue;
    }
    unsigned char* const copy = memory.take(in[k].where.size() * c.size);
    if (in[k].where.size() != 0) pack_leaf(c, in[k].where, copy);
    in[k].data = copy;
  }
  call.in = in;
  call.out.whole = &out.made_by->shape;
  call.position = coords;
  call.grid = &l.grid;
  if (l.rule->trimmed) call.trim = trimmed_off(l, in, lane.scratch);

  const std::int64_t size = itemsize(out.type);
  std::int64_t stride[max_ndim];
  unsigned char* const target = open_block(run, out, b, chunk, stride);
  const bool in_place = !has_red_zones && is_packed(b, stride, size);
  auto* const made = in_place ? target : memory.take(b.size() * size);
  call.out.data = made;
  l.rule->function->call(call);
  if (in_place) return;
  const std::int64_t step = b.ndim == 0 ? size : stride[b.ndim - 1];
  for_each_row_of(b, stride, [&](std::int64_t offset, std::int64_t n, std::int64_t position) {
    const unsigned char* const from = made + position * size;
    if (step == size || n == 1) {
      std::memcpy(target + offset, from, static_cast<std::size_t>(n * size));
    } else {
      scatter(target + offset, step, from, n, size);
    }
  });
}

}  // namespace ashlar::detail
