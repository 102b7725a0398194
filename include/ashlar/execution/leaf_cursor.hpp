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

/// Where a task writes its block: the address of its first element, and by axis the distance to the next, in bytes.
inline unsigned char* open_block(const run_state& run, const layer_output& out, const box& b, unsigned char* chunk,
                                 std::int64_t* stride) {
  const std::int64_t size = itemsize(out.type);
  if (out.root >= 0) {
    const result_target& t = run.target(out.root);
    auto* base = static_cast<unsigned char*>(t.data);
    for (int a = 0; a < b.ndim; ++a) {
      stride[a] = t.strides[a] * size;
      base += b.offset[a] * stride[a];
    }
    return base;
  }
  std::int64_t s = size;
  for (int a = b.ndim - 1; a >= 0; --a) {
    stride[a] = s;
    s *= b.length[a];
  }
  return chunk;
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

/// Where `part` of a leaf begins in what is stored, in units of `stride` (by stored axis), counted from `origin`.
inline std::int64_t stored_start(const leaf& f, const box& part, const strides& stride, const std::int64_t* origin) {
  std::int64_t at = 0;
  for (int a = 0; a < stride.ndim(); ++a) {
    at += ((f.view != nullptr ? f.view->start[a] : part.offset[a]) - (origin != nullptr ? origin[a] : 0)) * stride[a];
  }
  if (f.view == nullptr) return at;
  for (const view_term& t : f.view->terms) at += t.step * part.offset[t.axis] * stride[t.input_axis];
  return at;
}

/// Sets the strides by task axis of a leaf whose stored axes have `stride`. What has an extent of 1 stands still.
inline void set_strides(leaf_cursor& c, const leaf& f, const strides& stride, std::int64_t unit, int lead) {
  if (f.view == nullptr) {
    for (int a = 0; a < f.shape.ndim(); ++a) c.stride[a + lead] = f.shape[a] == 1 ? 0 : stride[a] * unit;
    return;
  }
  const strides s = view_strides(*f.view, stride);
  for (int a = 0; a < f.shape.ndim(); ++a) c.stride[a + lead] = f.shape[a] == 1 ? 0 : s[a] * unit;
}

/// Packs `part` of a view, one element after the other, from wherever its block is.
template <class Block>
void gather_elements(unsigned char* to, const leaf& f, const box& part, std::int64_t size, Block block) {
  const int nd = f.grid.ndim();
  std::int64_t i[max_ndim] = {};
  std::int64_t coords[max_ndim];
  std::int64_t within[max_ndim];
  for (std::int64_t k = 0; k < part.size(); ++k) {
    for (int a = 0; a < nd; ++a) within[a] = f.view->start[a];
    for (const view_term& t : f.view->terms) within[t.input_axis] += t.step * (part.offset[t.axis] + i[t.axis]);
    std::int64_t elements = 1;
    std::int64_t at = 0;
    for (int a = 0; a < nd; ++a) {
      const axis_blocks& cuts = f.grid.axis(a);
      coords[a] = cuts.find(within[a]);
      at = at * cuts.length(coords[a]) + within[a] - cuts.offset(coords[a]);
      elements *= cuts.length(coords[a]);
    }
    std::memcpy(to + k * size, block(f.grid.linear(coords), elements) + at * size, static_cast<std::size_t>(size));
    for (int a = part.ndim - 1; a >= 0 && ++i[a] == part.length[a]; --a) i[a] = 0;
  }
}

inline strides packed_strides(const box& b) {
  strides s = strides::filled(b.ndim, 1);
  for (int a = b.ndim - 2; a >= 0; --a) s[a] = s[a + 1] * b.length[a + 1];
  return s;
}

/// Points the cursor at the region: inside its block, or, when it spans several, at a copy put together in scratch.
/// `block(number, elements)` gives the address of a packed block.
template <class Block>
void open_blocks(leaf_cursor& c, scratch_stack& scratch, const leaf& f, const box& part, int lead, Block block) {
  const box needed = stored_box(f, part);
  const block_range r = blocks_under(f.grid, needed);
  box held = needed;
  if (r.single(needed.ndim)) {
    held = block_box(f.grid, r.first);
    c.data = block(f.grid.linear(r.first), held.size());
  } else if (f.view != nullptr && needed.size() / sparse_view > part.size()) {
    unsigned char* const packed = scratch.take(part.size() * c.size);
    gather_elements(packed, f, part, c.size, block);
    c.data = packed;
    const strides s = packed_strides(part);
    for (int a = 0; a < part.ndim; ++a) c.stride[a + lead] = f.shape[a] == 1 ? 0 : s[a] * c.size;
    return;
  } else {
    unsigned char* const whole = scratch.take(needed.size() * c.size);
    for_each_block(r, needed.ndim, [&](const std::int64_t* coords) {
      const box b = block_box(f.grid, coords);
      if (b.size() == 0) return;
      copy_overlap(whole, needed, block(f.grid.linear(coords), b.size()), b, c.size);
    });
    c.data = whole;
  }
  const strides s = packed_strides(held);
  c.data += stored_start(f, part, s, held.offset) * c.size;
  set_strides(c, f, s, c.size, lead);
}

/// Whether the elements of a generator are better made in their own order, for the whole region at once, than one by
/// one where the view needs them.
inline bool generate_region(const leaf_cursor& c, const leaf& f, const box& part, int lead) {
  if (f.view == nullptr) return false;
  int inner = part.ndim - 1;
  while (inner >= 0 && part.length[inner] == 1) --inner;
  if (inner < 0 || c.stride[inner + lead] == 1 || c.stride[inner + lead] == 0) return false;
  return input_box(*f.view, part).size() / sparse_view <= part.size();
}

/// Makes the region that `part` reads in scratch.
inline void open_generated(leaf_cursor& c, scratch_stack& scratch, const leaf& f, const box& part, int lead) {
  const box needed = stored_box(f, part);
  unsigned char* const whole = scratch.take(needed.size() * c.size);
  const int last = needed.ndim - 1;
  const std::int64_t n = needed.length[last];
  const strides s = row_major_strides(f.stored);
  std::int64_t i[max_ndim] = {};
  for (std::int64_t done = 0; done < needed.size(); done += n) {
    std::int64_t first = 0;
    for (int a = 0; a <= last; ++a) first += (needed.offset[a] + i[a]) * s[a];
    f.from->fill(first, n, whole + done * c.size);
    for (int a = last - 1; a >= 0 && ++i[a] == needed.length[a]; --a) i[a] = 0;
  }
  const strides packed = packed_strides(needed);
  c.data = whole + stored_start(f, part, packed, needed.offset) * c.size;
  set_strides(c, f, packed, c.size, lead);
}

/// Points `c` at the non-empty or empty region `part` of a leaf. Axes are those of a task with `task_ndim` axes,
/// matched from the right.
inline void open_leaf(leaf_cursor& c, const run_state& run, scratch_stack& scratch, const leaf& f, const box& part,
                      int task_ndim) {
  c.size = itemsize(f.type);
  const int lead = task_ndim - part.ndim;
  const auto at_origin = [&](const void* data, const ashlar::strides& s) {
    c.data = static_cast<const unsigned char*>(data) + stored_start(f, part, s, nullptr) * c.size;
    set_strides(c, f, s, c.size, lead);
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
  const ashlar::strides s = row_major_strides(f.stored);
  c.start = stored_start(f, part, s, nullptr);
  set_strides(c, f, s, 1, lead);
  if (generate_region(c, f, part, lead)) {
    c.generator = nullptr;
    c.start = 0;
    open_generated(c, scratch, f, part, lead);
  }
}

}  // namespace ashlar::detail
