/// \file
/// Runs a tape over pieces of a task's box. A piece of a leaf that lies packed in memory is used in place; anything
/// else (strided, broadcast, generated) is packed into a scratch slot in the first-level cache.
#pragma once

#include <cstdint>
#include <cstring>

#include <ashlar/execution/leaf_cursor.hpp>
#include <ashlar/graph/analyse.hpp>

namespace ashlar::detail {

inline constexpr int max_registers = max_tape_leaves + max_group + max_tape_steps + 4;

class tape_run {
 public:
  /// `rows` x `columns` elements is the largest piece.
  tape_run(const run_state& run, lane_memory& lane, const layer& l, const box& task, std::int64_t rows,
           std::int64_t columns)
      : tape_(l.tape), columns_(columns) {
    std::int64_t widest = 1;
    for (const dtype t : tape_.types) {
      if (itemsize(t) > widest) widest = itemsize(t);
    }
    slot_bytes_ = rows * columns * widest;
    slots_ = lane.scratch.take(slot_bytes_ * tape_.slots);
    cursor_ = lane.scratch.take_array<leaf_cursor>(static_cast<std::int64_t>(tape_.leaves.size()));
    for (std::size_t k = 0; k < tape_.leaves.size(); ++k) {
      cursor_[k].reset(task.ndim);
      open_leaf(cursor_[k], run, lane.scratch, tape_.leaves[k], operand_box(task, tape_.leaves[k].shape), task.ndim);
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

  const tape& tape_;
  std::int64_t columns_;
  std::int64_t slot_bytes_ = 0;
  unsigned char* slots_ = nullptr;
  leaf_cursor* cursor_ = nullptr;
  int isa_ = 0;
  const void* value_[max_registers];
};

}  // namespace ashlar::detail
