/// \file
/// One task of a scan: the tape over one block, and the scan over what it gives, piece by piece while that is in the
/// first-level cache. The states of all lines come from the block before along the axis, and go to the next one behind
/// the elements of the chunk.
#pragma once

#include <cstdint>
#include <cstring>

#include <ashlar/execution/tape_run.hpp>

namespace ashlar::detail {

/// One block, with elements. Two axes are looped over inside: columns lie one behind the other in the result, or are
/// the axis of the scan, and rows are the axis of the scan or the axis before it. Other axes that are neighbours in
/// everything are one.
class scan_run {
 public:
  /// `states` go on, line by line in row-major order of the other axes.
  scan_run(run_state& run, lane_memory& lane, const layer& l, const box& b, unsigned char* chunk, state_ref states)
      : scan_(*l.scan),
        entries_(l.scan->host[static_cast<int>(current_isa())]),
        states_(states),
        value_(l.outputs[0].value),
        size_(itemsize(l.outputs[0].type)),
        in_size_(itemsize(l.scan->input)),
        tape_(run, lane, l, b, 1, piece_elements) {
    piece_.leaf = l.scan_leaf;
    first_ = b.offset[l.scan_axis];
    out_ = open_block(run, l.outputs[0], b, chunk, out_stride_);
    join_axes(b, l.scan_axis);
    const bool packed_out = out_stride_[column_axis_] == size_ || columns_ == 1;
    direct_ = l.tape.steps.empty() && packed_out && tape_.in_place(value_, column_axis_);
    if (direct_) return;
    values_ = lane.scratch.take(piece_elements * in_size_);
    if (!packed_out) results_ = lane.scratch.take(piece_elements * size_);
  }

  void run() {
    std::int64_t at[max_registers];
    for (int k = 0; k < tape_.leaves(); ++k) at[k] = 0;
    std::int64_t i[max_ndim] = {};
    std::int64_t line = 0;
    unsigned char* out = out_;
    for (;;) {
      if (direct_) {
        in_place(at, out, line);
      } else {
        in_pieces(at, out, line);
      }
      int k = outer_ - 1;
      for (; k >= 0; --k) {
        const outer_axis& o = other_[k];
        out += out_stride_[o.axis];
        line += o.lines;
        for (int f = 0; f < tape_.leaves(); ++f) at[f] += tape_.cursor(f).stride[o.axis];
        if (++i[k] < o.extent) break;
        i[k] = 0;
        out -= out_stride_[o.axis] * o.extent;
        line -= o.lines * o.extent;
        for (int f = 0; f < tape_.leaves(); ++f) at[f] -= tape_.cursor(f).stride[o.axis] * o.extent;
      }
      if (k < 0) return;
    }
  }

 private:
  static constexpr std::int64_t piece_elements = 2048;
  static constexpr std::int64_t piece_columns = 256;
  static constexpr std::int64_t short_row = 128;  // rows of at most this many elements are evaluated together

  struct outer_axis {
    int axis;
    std::int64_t extent;
    std::int64_t lines;  // states from one index to the next
  };

  /// Whether the axes `a` and, next to it, `b` are walked as one.
  bool joins(int a, int b, std::int64_t length) {
    bool join = out_stride_[a] == out_stride_[b] * length;
    for (int k = 0; k < tape_.leaves() && join; ++k) {
      join = tape_.cursor(k).stride[a] == tape_.cursor(k).stride[b] * length;
    }
    return join;
  }

  void join_axes(const box& b, int along) {
    outer_axis list[max_ndim];
    int n = 0;
    int scanned = 0;
    for (int a = 0; a < b.ndim; ++a) {
      if (a != along && b.length[a] == 1) continue;
      if (a != along && n > 0 && list[n - 1].axis != along && joins(list[n - 1].axis, a, b.length[a])) {
        list[n - 1].axis = a;
        list[n - 1].extent *= b.length[a];
        continue;
      }
      if (a == along) scanned = n;
      list[n++] = {a, b.length[a], 0};
    }
    std::int64_t lines = 1;
    for (int k = n - 1; k >= 0; --k) {
      list[k].lines = k == scanned ? 0 : lines;
      if (k != scanned) lines *= list[k].extent;
    }
    const int column = n - 1;
    along_columns_ = column == scanned;
    column_axis_ = list[column].axis;
    columns_ = list[column].extent;
    const int row = along_columns_ ? column - 1 : scanned;
    if (row >= 0) {
      row_axis_ = list[row].axis;
      rows_ = list[row].extent;
    } else {
      out_stride_[row_axis_] = 0;
    }
    for (int k = 0; k < n; ++k) {
      if (k != row && k != column) other_[outer_++] = list[k];
    }
  }

  /// `rows` rows of `columns` elements from (row, column) on.
  void scan(const void* in, std::int64_t in_stride, unsigned char* out, std::int64_t out_stride, std::int64_t line,
            std::int64_t row, std::int64_t column, std::int64_t rows, std::int64_t columns) {
    piece_.in = in;
    piece_.in_stride = in_stride;
    piece_.out = out;
    piece_.out_stride = out_stride;
    piece_.rows = rows;
    piece_.n = columns;
    piece_.position = first_ + (along_columns_ ? column : row);
    line += along_columns_ ? row : column;
    state_ref s;
    for (int f = 0; f < scan_.fields; ++f) {
      s.field[f] = static_cast<unsigned char*>(states_.field[f]) + line * itemsize(scan_.field[f]);
    }
    (along_columns_ ? entries_.rows : entries_.columns)(piece_, s);
  }

  void in_place(const std::int64_t* at, unsigned char* out, std::int64_t line) {
    scan(tape_.address(value_, at[value_]), tape_.cursor(value_).stride[row_axis_], out, out_stride_[row_axis_], line,
         0, 0, rows_, columns_);
  }

  void in_pieces(const std::int64_t* start, unsigned char* out, std::int64_t line) {
    const bool short_rows = rows_ > 1 && columns_ <= short_row;
    const std::int64_t most_rows = short_rows                     ? piece_elements / columns_
                                   : along_columns_ && rows_ == 1 ? 1
                                                                  : piece_elements / piece_columns;
    const std::int64_t most_columns = short_rows ? columns_ : piece_elements / most_rows;
    std::int64_t at[max_registers];
    for (std::int64_t r = 0; r < rows_; r += most_rows) {
      const std::int64_t rows = rows_ - r < most_rows ? rows_ - r : most_rows;
      for (std::int64_t c = 0; c < columns_; c += most_columns) {
        const std::int64_t columns = columns_ - c < most_columns ? columns_ - c : most_columns;
        for (int k = 0; k < tape_.leaves(); ++k) {
          const leaf_cursor& f = tape_.cursor(k);
          at[k] = start[k] + r * f.stride[row_axis_] + c * f.stride[column_axis_];
        }
        if (short_rows) {
          tape_.run_short_rows(at, row_axis_, rows, column_axis_, columns, value_, values_);
        } else {
          for (std::int64_t k = 0; k < rows; ++k) {
            tape_.run(at, column_axis_, columns, 0, nullptr, value_, values_ + k * columns * in_size_);
            for (int f = 0; f < tape_.leaves(); ++f) at[f] += tape_.cursor(f).stride[row_axis_];
          }
        }
        unsigned char* const target = out + r * out_stride_[row_axis_] + c * out_stride_[column_axis_];
        if (results_ == nullptr) {
          scan(values_, columns * in_size_, target, out_stride_[row_axis_], line, r, c, rows, columns);
          continue;
        }
        scan(values_, columns * in_size_, results_, columns * size_, line, r, c, rows, columns);
        for (std::int64_t k = 0; k < rows; ++k) {
          scatter(target + k * out_stride_[row_axis_], out_stride_[column_axis_], results_ + k * columns * size_,
                  columns, size_);
        }
      }
    }
  }

  const scan_descriptor& scan_;
  const scan_entries& entries_;
  state_ref states_;
  int value_;
  std::int64_t size_;
  std::int64_t in_size_;
  tape_run tape_;
  scan_piece piece_{};
  std::int64_t first_ = 0;  // position of the block along the axis
  unsigned char* out_ = nullptr;
  std::int64_t out_stride_[max_ndim];
  bool along_columns_ = false;  // the columns are the axis of the scan
  int column_axis_ = 0;
  std::int64_t columns_ = 1;
  int row_axis_ = max_ndim - 1;  // no leaf has a stride there
  std::int64_t rows_ = 1;
  outer_axis other_[max_ndim];
  int outer_ = 0;
  bool direct_ = false;
  unsigned char* values_ = nullptr;
  unsigned char* results_ = nullptr;
};

inline state_ref scan_states(const layer& l, std::int64_t lines, unsigned char* memory) {
  state_ref s{};
  for (int f = 0; f < l.scan->fields; ++f) {
    s.field[f] = memory;
    memory += round_up(lines * itemsize(l.scan->field[f]), 64);
  }
  return s;
}

inline void run_scan(run_state& run, lane_memory& lane, const layer& l, const std::int64_t* coords,
                     unsigned char* chunk) {
  const box b = task_box(l, coords);
  const std::int64_t lines = scan_lines(l, b);
  if (lines == 0) return;
  const std::int64_t bytes = scan_state_bytes(l, lines);
  unsigned char* const memory = hands_on_states(l, coords) ? chunk + scan_block_bytes(l, b) : lane.scratch.take(bytes);
  const state_ref states = scan_states(l, lines, memory);
  if (coords[l.scan_axis] == 0) {
    l.scan->begin(states, lines);
  } else {
    std::int64_t before[max_ndim];
    for (int a = 0; a < b.ndim; ++a) before[a] = coords[a] - (a == l.scan_axis ? 1 : 0);
    const auto from = static_cast<std::uint32_t>(l.first_task + task_index(l.counts, before));
    std::memcpy(memory,
                static_cast<const unsigned char*>(run.chunk(from)) + scan_block_bytes(l, block_box(l.grid, before)),
                static_cast<std::size_t>(bytes));
  }
  if (b.size() != 0) scan_run(run, lane, l, b, chunk, states).run();
}

}  // namespace ashlar::detail
