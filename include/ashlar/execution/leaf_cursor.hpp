/// \file
/// Leaves in memory: every leaf is addressed the same way, by a position and one stride per axis, in bytes for memory,
/// in linear indices for generators.
#pragma once

#include <cstdint>
#include <cstring>

#include <ashlar/execution/run.hpp>
#include <ashlar/graph/plan.hpp>
#include <ashlar/graph/region.hpp>

namespace ashlar::detail {

struct leaf_cursor {
  const unsigned char* data;  // memory
  const source* generator;    // or a generator
  std::int64_t start;         // linear index of the box's first element; memory: 0
  std::int64_t size;
  // the broadcast value that the slot holds
  std::int64_t held;
  std::int64_t held_n;
  std::int64_t stride[max_ndim];  // by task axis: bytes, or linear indices; the last one stands for no axis

  /// A task has few axes; the strides of the others are left as they are.
  void reset(int ndim) noexcept {
    data = nullptr;
    generator = nullptr;
    start = 0;
    size = 8;
    held = -1;
    held_n = 0;
    for (int a = 0; a < ndim; ++a) stride[a] = 0;
    stride[max_ndim - 1] = 0;
  }
};

template <int Size>
inline void gather(unsigned char* out, const unsigned char* in, std::int64_t stride, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) std::memcpy(out + i * Size, in + i * stride, Size);
}

inline void gather(unsigned char* out, const unsigned char* in, std::int64_t stride, std::int64_t n,
                   std::int64_t size) {
  switch (size) {
    case 1:
      return gather<1>(out, in, stride, n);
    case 2:
      return gather<2>(out, in, stride, n);
    case 4:
      return gather<4>(out, in, stride, n);
    case 8:
      return gather<8>(out, in, stride, n);
    default:
      return gather<16>(out, in, stride, n);
  }
}

template <int Size>
inline void scatter(unsigned char* out, std::int64_t stride, const unsigned char* in, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) std::memcpy(out + i * stride, in + i * Size, Size);
}

inline void scatter(unsigned char* out, std::int64_t stride, const unsigned char* in, std::int64_t n,
                    std::int64_t size) {
  switch (size) {
    case 1:
      return scatter<1>(out, stride, in, n);
    case 2:
      return scatter<2>(out, stride, in, n);
    case 4:
      return scatter<4>(out, stride, in, n);
    case 8:
      return scatter<8>(out, stride, in, n);
    default:
      return scatter<16>(out, stride, in, n);
  }
}

/// Copies the part of `b` (packed at `from`) that lies in `part` (packed at `to`).
inline void copy_overlap(unsigned char* to, const box& part, const unsigned char* from, const box& b,
                         std::int64_t size) {
  const int nd = part.ndim;
  std::int64_t first[max_ndim];
  std::int64_t count[max_ndim];
  for (int a = 0; a < nd; ++a) {
    const std::int64_t lo = part.offset[a] > b.offset[a] ? part.offset[a] : b.offset[a];
    const std::int64_t hi_part = part.offset[a] + part.length[a];
    const std::int64_t hi_b = b.offset[a] + b.length[a];
    first[a] = lo;
    count[a] = (hi_part < hi_b ? hi_part : hi_b) - lo;
    if (count[a] <= 0) return;
  }
  std::int64_t i[max_ndim] = {};
  for (;;) {
    std::int64_t in = 0;
    std::int64_t out = 0;
    for (int a = 0; a < nd; ++a) {
      in = in * b.length[a] + (first[a] + i[a] - b.offset[a]);
      out = out * part.length[a] + (first[a] + i[a] - part.offset[a]);
    }
    std::memcpy(to + out * size, from + in * size, static_cast<std::size_t>(count[nd - 1] * size));
    int a = nd - 2;
    while (a >= 0 && ++i[a] == count[a]) i[a--] = 0;
    if (a < 0) return;
  }
}

/// Points the cursor at the region: inside its block, or, when it spans several, at a copy put together in scratch.
/// `block(number, elements)` gives the address of a packed block.
template <class Block>
void open_blocks(leaf_cursor& c, scratch_stack& scratch, const leaf& f, const box& part, int lead, Block block) {
  const block_range r = blocks_under(f.grid, part);
  const int nd = part.ndim;
  box held = part;
  if (r.single(nd)) {
    held = block_box(f.grid, r.first);
    std::int64_t at = 0;
    for (int a = 0; a < nd; ++a) at = at * held.length[a] + (part.offset[a] - held.offset[a]);
    c.data = block(f.grid.linear(r.first), held.size()) + at * c.size;
  } else {
    unsigned char* const whole = scratch.take(part.size() * c.size);
    for_each_block(r, nd, [&](const std::int64_t* coords) {
      const box b = block_box(f.grid, coords);
      if (b.size() == 0) return;
      copy_overlap(whole, part, block(f.grid.linear(coords), b.size()), b, c.size);
    });
    c.data = whole;
  }
  std::int64_t stride = c.size;
  for (int a = nd - 1; a >= 0; --a) {
    c.stride[a + lead] = f.shape[a] == 1 ? 0 : stride;
    stride *= held.length[a];
  }
}

/// Points `c` at the non-empty or empty region `part` of a leaf. Axes are those of a task with `task_ndim` axes,
/// matched from the right.
inline void open_leaf(leaf_cursor& c, const run_state& run, scratch_stack& scratch, const leaf& f, const box& part,
                      int task_ndim) {
  c.size = itemsize(f.type);
  const int nd = part.ndim;
  const int lead = task_ndim - nd;
  const auto set_strides = [&](const ashlar::strides& s, std::int64_t unit) {
    for (int a = 0; a < nd; ++a) c.stride[a + lead] = f.shape[a] == 1 ? 0 : s[a] * unit;
  };
  const auto at_origin = [&](const void* data, const ashlar::strides& s) {
    std::int64_t at = 0;
    for (int a = 0; a < nd; ++a) at += part.offset[a] * s[a];
    c.data = static_cast<const unsigned char*>(data) + at * c.size;
    set_strides(s, c.size);
  };
  if (part.size() == 0) {
    static const unsigned char nothing[16] = {};
    c.data = nothing;
    return;
  }
  if (f.from == nullptr) {
    const layer& from = run.plan().layers[static_cast<std::size_t>(f.layer)];
    const layer_output& value = from.outputs[static_cast<std::size_t>(f.output)];
    if (value.root >= 0) {
      const result_target& t = run.target(value.root);
      at_origin(t.data, t.strides);
      return;
    }
    open_blocks(c, scratch, f, part, lead, [&](std::int64_t block, std::int64_t elements) {
      const auto* base =
          static_cast<const unsigned char*>(run.chunk(static_cast<std::uint32_t>(from.first_task + block)));
      for (int k = 0; k < f.output; ++k) {
        const layer_output& before = from.outputs[static_cast<std::size_t>(k)];
        if (before.root < 0) base += round_up(elements * itemsize(before.type), 64);
      }
      return base;
    });
    return;
  }
  if (const memory_view* m = f.from->memory(); m != nullptr) {
    at_origin(m->data, m->strides);
    return;
  }
  if (f.from->blocks() != nullptr) {
    open_blocks(c, scratch, f, part, lead, [&](std::int64_t block, std::int64_t) {
      return static_cast<const unsigned char*>(f.from->blocks()[block]);
    });
    return;
  }
  c.generator = f.from;
  const ashlar::strides s = row_major_strides(f.shape);
  for (int a = 0; a < nd; ++a) c.start += part.offset[a] * s[a];
  set_strides(s, 1);
}

}  // namespace ashlar::detail
