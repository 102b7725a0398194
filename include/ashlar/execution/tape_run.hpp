/// \file
/// Runs a tape over pieces of a task's box. Every leaf is addressed the same way: a position and one stride per axis,
/// in bytes for memory, in linear indices for generators. A piece of a leaf that lies packed in memory is used in
/// place; anything else (strided, broadcast, generated) is packed into a scratch slot in the first-level cache.
#pragma once

#include <cstdint>
#include <cstring>

#include <ashlar/execution/run.hpp>
#include <ashlar/graph/lower.hpp>
#include <ashlar/graph/region.hpp>

namespace ashlar::detail {

inline constexpr int max_registers = max_tape_leaves + max_group + max_tape_steps + 4;

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

class tape_run {
 public:
  /// `rows` x `columns` elements is the largest piece.
  tape_run(const run_state& run, lane_memory& lane, const layer& l, const box& task, std::int64_t rows,
           std::int64_t columns)
      : run_(run), lane_(lane), tape_(l.tape), columns_(columns) {
    std::int64_t widest = 1;
    for (const dtype t : tape_.types) {
      if (itemsize(t) > widest) widest = itemsize(t);
    }
    slot_bytes_ = rows * columns * widest;
    slots_ = lane.scratch.take(slot_bytes_ * tape_.slots);
    cursor_ = lane.scratch.take_array<leaf_cursor>(static_cast<std::int64_t>(tape_.leaves.size()));
    for (std::size_t k = 0; k < tape_.leaves.size(); ++k) {
      cursor_[k].reset(task.ndim);
      open(cursor_[k], tape_.leaves[k], task);
    }
    isa_ = static_cast<int>(current_isa());
  }

  int leaves() const noexcept { return static_cast<int>(tape_.leaves.size()); }
  leaf_cursor& cursor(int k) noexcept { return cursor_[k]; }

  /// True when register `r` is a leaf whose runs along `axis` lie packed in memory.
  bool in_place(int r, int axis) const noexcept {
    return r < leaves() && cursor_[r].data != nullptr && cursor_[r].stride[axis] == cursor_[r].size;
  }

  const unsigned char* address(int r, std::int64_t at) const noexcept { return cursor_[r].data + at; }

  unsigned char* slot(int r) const noexcept { return slots_ + tape_.slot[static_cast<std::size_t>(r)] * slot_bytes_; }

  /// Evaluates `n` elements along `axis` starting at `at[k]` for each leaf k. Values end in their slots, displaced by
  /// `row` times a row of `columns` elements for the registers that `keeps_rows` marks; the register `direct` is
  /// written to `out` instead. Pointers to all registers are left in value().
  void run(const std::int64_t* at, int axis, std::int64_t n, std::int64_t row, const char* keeps_rows, int direct,
           void* out) {
    for (int k = 0; k < leaves(); ++k) {
      unsigned char* target = slot(k);
      const bool kept = keeps_rows != nullptr && keeps_rows[k] != 0;
      if (kept) target += row * columns_ * cursor_[k].size;
      if (k == direct) target = static_cast<unsigned char*>(out);
      value_[k] = load(cursor_[k], at[k], axis, n, target, kept || k == direct);
      if (k == direct && out != nullptr && value_[k] != out) {  // direct is -1 where out is null; g++ cannot know
        std::memcpy(out, value_[k], static_cast<std::size_t>(n * cursor_[k].size));
        value_[k] = out;
      }
    }
    run_steps(n, row, keeps_rows, direct, out);
  }

  /// Evaluates `rows` short rows of `n` elements at once, as one run of rows * n packed elements, into `out`.
  void run_short_rows(const std::int64_t* at, int row_axis, std::int64_t rows, int axis, std::int64_t n, int direct,
                      void* out) {
    for (int k = 0; k < leaves(); ++k) {
      leaf_cursor& c = cursor_[k];
      unsigned char* const target = k == direct ? static_cast<unsigned char*>(out) : slot(k);
      const std::int64_t row_stride = c.stride[row_axis];
      if (row_stride == c.stride[axis] * n) {
        value_[k] = load(c, at[k], axis, rows * n, target, k == direct);
        if (k == direct && out != nullptr && value_[k] != out) {  // direct is -1 where out is null; g++ cannot know
          std::memcpy(out, value_[k], static_cast<std::size_t>(rows * n * c.size));
          value_[k] = out;
        }
        continue;
      }
      value_[k] = target;
      if (row_stride == 0 && k != direct && c.held == at[k] && c.held_n >= rows * n) continue;
      for (std::int64_t r = 0; r < rows; ++r) {
        unsigned char* const place = target + r * n * c.size;
        const void* const from = load(c, at[k] + r * row_stride, axis, n, place, true);
        if (from != place) std::memcpy(place, from, static_cast<std::size_t>(n * c.size));
      }
      c.held = row_stride == 0 && k != direct ? at[k] : -1;
      c.held_n = rows * n;
    }
    run_steps(rows * n, 0, nullptr, direct, out);
  }

  const void* value(int r) const noexcept { return value_[r]; }

 private:
  void run_steps(std::int64_t n, std::int64_t row, const char* keeps_rows, int direct, void* out) {
    const void* in[max_kernel_inputs];
    for (const tape_step& s : tape_.steps) {
      for (int k = 0; k < s.inputs; ++k) in[k] = value_[s.input[k]];
      unsigned char* target = slot(s.output);
      if (keeps_rows != nullptr && keeps_rows[s.output] != 0) target += row * columns_ * s.output_size;
      if (s.output == direct) target = static_cast<unsigned char*>(out);
      s.call->descriptor->host[isa_](s.call->parameters.get(), in, target, n);
      value_[s.output] = target;
    }
  }

  const void* load(leaf_cursor& c, std::int64_t at, int axis, std::int64_t n, unsigned char* target, bool moves) {
    const std::int64_t stride = c.stride[axis];
    if (stride == 0 && n > 1) {
      if (!moves && c.held == at && c.held_n >= n) return target;
      if (c.data != nullptr) {
        std::memcpy(target, c.data + at, static_cast<std::size_t>(c.size));
      } else {
        c.generator->fill(c.start + at, 1, target);
      }
      std::int64_t done = 1;
      while (done < n) {
        const std::int64_t m = done < n - done ? done : n - done;
        std::memcpy(target + done * c.size, target, static_cast<std::size_t>(m * c.size));
        done += m;
      }
      c.held = moves ? -1 : at;
      c.held_n = n;
      return target;
    }
    if (c.data != nullptr) {
      if (stride == c.size || n == 1) return c.data + at;
      gather(target, c.data + at, stride, n, c.size);
      return target;
    }
    if (stride == 1 || n == 1) {
      c.generator->fill(c.start + at, n, target);
    } else {
      for (std::int64_t i = 0; i < n; ++i) c.generator->fill(c.start + at + i * stride, 1, target + i * c.size);
    }
    return target;
  }

  void open(leaf_cursor& c, const leaf& f, const box& task) {
    c.size = itemsize(f.type);
    const box part = operand_box(task, f.shape);
    const int nd = part.ndim;
    const int lead = task.ndim - nd;
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
      const layer& from = run_.plan().layers[static_cast<std::size_t>(f.layer)];
      const layer_output& value = from.outputs[static_cast<std::size_t>(f.output)];
      if (value.root >= 0) {
        const result_target& t = run_.target(value.root);
        at_origin(t.data, t.strides);
        return;
      }
      from_blocks(c, f, part, [&](std::int64_t block, std::int64_t elements) {
        const auto* base =
            static_cast<const unsigned char*>(run_.chunk(static_cast<std::uint32_t>(from.first_task + block)));
        for (int k = 0; k < f.output; ++k) {
          const layer_output& before = from.outputs[static_cast<std::size_t>(k)];
          if (before.root < 0) base += round_up(elements * itemsize(before.type), 64);
        }
        return base;
      });
      set_block_strides(c, f, part, lead);
      return;
    }
    if (const memory_view* m = f.from->memory(); m != nullptr) {
      at_origin(m->data, m->strides);
      return;
    }
    if (f.from->blocks() != nullptr) {
      from_blocks(c, f, part, [&](std::int64_t block, std::int64_t) {
        return static_cast<const unsigned char*>(f.from->blocks()[block]);
      });
      set_block_strides(c, f, part, lead);
      return;
    }
    c.generator = f.from;
    const ashlar::strides s = row_major_strides(f.shape);
    for (int a = 0; a < nd; ++a) c.start += part.offset[a] * s[a];
    set_strides(s, 1);
  }

  /// Points the cursor at the region: inside its block, or, when it spans several, at a copy put together in scratch.
  template <class Block>
  void from_blocks(leaf_cursor& c, const leaf& f, const box& part, Block block) {
    const block_range r = blocks_under(f.grid, part);
    const int nd = part.ndim;
    if (r.single(nd)) {
      const box b = block_box(f.grid, r.first);
      std::int64_t at = 0;
      for (int a = 0; a < nd; ++a) at = at * b.length[a] + (part.offset[a] - b.offset[a]);
      c.data = block(f.grid.linear(r.first), b.size()) + at * c.size;
      for (int a = 0; a < nd; ++a) extent_[a] = b.length[a];
      return;
    }
    unsigned char* const whole = lane_.scratch.take(part.size() * c.size);
    for_each_block(r, nd, [&](const std::int64_t* coords) {
      const box b = block_box(f.grid, coords);
      if (b.size() == 0) return;
      copy_overlap(whole, part, block(f.grid.linear(coords), b.size()), b, c.size);
    });
    c.data = whole;
    for (int a = 0; a < nd; ++a) extent_[a] = part.length[a];
  }

  void set_block_strides(leaf_cursor& c, const leaf& f, const box& part, int lead) {
    std::int64_t stride = c.size;
    for (int a = part.ndim - 1; a >= 0; --a) {
      c.stride[a + lead] = f.shape[a] == 1 ? 0 : stride;
      stride *= extent_[a];
    }
  }

  /// Copies the part of `b` (packed at `from`) that lies in `part` (packed at `to`).
  static void copy_overlap(unsigned char* to, const box& part, const unsigned char* from, const box& b,
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

  const run_state& run_;
  lane_memory& lane_;
  const tape& tape_;
  std::int64_t columns_;
  std::int64_t slot_bytes_ = 0;
  unsigned char* slots_ = nullptr;
  leaf_cursor* cursor_ = nullptr;
  int isa_ = 0;
  const void* value_[max_registers];
  std::int64_t extent_[max_ndim];
};

}  // namespace ashlar::detail
