/// \file
/// Reduces one box in the canonical order of graph/reducer.hpp: recursion over its axes down to two kinds of loop, over
/// rows of the last axis and over 16 rows of columns.
#pragma once

#include <cstdint>
#include <cstring>

#include <ashlar/execution/state_tree.hpp>
#include <ashlar/execution/tape_run.hpp>

namespace ashlar::detail {

/// Reduces one canonical block, or `strips` blocks of equal width that lie side by side along a reduced last axis.
class block_reduction {
 public:
  block_reduction(run_state& run, lane_memory& lane, const layer& l, const box& b, std::int64_t strips,
                  std::int64_t width)
      : lane_(lane),
        layout_(l),
        task_(b),
        strips_(strips),
        width_(width),
        columns_(b.ndim == 0
                     ? 1
                     : (b.length[b.ndim - 1] < column_tile_elements ? b.length[b.ndim - 1] : column_tile_elements)),
        tape_(run, lane, l, b, column_leaf, piece_columns()) {
    nd_ = b.ndim == 0 ? 1 : b.ndim;
    for (int a = 0; a < nd_; ++a) {
      extent_[a] = b.ndim == 0 ? 1 : b.length[a];
      reduced_[a] = b.ndim != 0 && is_reduced(l, a);
      index_stride_[a] = 0;
    }
    if (reduced_[nd_ - 1]) extent_[nd_ - 1] = width;
    kept_below_[nd_] = 1;
    count_below_[nd_] = 1;
    for (int a = nd_ - 1; a >= 0; --a) {
      kept_below_[a] = kept_below_[a + 1] * (reduced_[a] ? 1 : extent_[a]);
      count_below_[a] = count_below_[a + 1] * (reduced_[a] ? extent_[a] : 1);
    }
    set_index(l);
    keeps_rows_ = reinterpret_cast<char*>(lane.scratch.take(max_registers));
    std::memset(keeps_rows_, 0, max_registers);
    for (int k = 0; k < layout_.reducers(); ++k) keeps_rows_[layout_.value(k)] = 1;
    direct_ = tape_has_no_steps(l);
    for (int k = 0; k < layout_.reducers() && direct_; ++k) direct_ = tape_.in_place(layout_.value(k), nd_ - 1);
    std::int64_t row_bytes = 0;
    for (int k = 0; k < layout_.reducers(); ++k) row_bytes += round_up(layout_.reducer(k).row_state_bytes, 64);
    if (reduced_[nd_ - 1] && !direct_) {
      running_ = lane.scratch.take(row_bytes);
      std::memset(running_, 0, static_cast<std::size_t>(row_bytes));
    }
  }

  /// States of strip s, kept column k, at column first + s * kept() + k of `memory`, which has room for `total`
  /// columns.
  void run(unsigned char* memory, std::int64_t total, std::int64_t first) {
    target t{memory, total, first, kept_below_[0]};
    cursor_position at{};
    if (size_is_zero()) {
      state_ref r[max_reducers];
      for (std::int64_t s = 0; s < strips_; ++s) {
        layout_.refs(memory, total, first + s * kept_below_[0], r);
        layout_.identity(r, kept_below_[0]);
      }
      return;
    }
    reduce(0, at, t);
  }

  std::int64_t kept() const noexcept { return kept_below_[0]; }
  std::int64_t count() const noexcept { return count_below_[0]; }

 private:
  struct target {
    unsigned char* memory;
    std::int64_t total;  // columns that memory has room for
    std::int64_t first;
    std::int64_t strip;  // columns between strips
  };
  struct cursor_position {
    std::int64_t at[max_tape_leaves + max_group];
    std::int64_t index;
  };

  static bool tape_has_no_steps(const layer& l) noexcept { return l.tape.steps.empty(); }

  std::int64_t piece_columns() const noexcept {
    return tile_elements / column_leaf > columns_ ? tile_elements / column_leaf : columns_;
  }

  bool size_is_zero() const noexcept {
    for (int a = 0; a < nd_; ++a) {
      if (extent_[a] == 0) return true;
    }
    return false;
  }

  void set_index(const layer& l) {
    index_first_ = 0;
    if (task_.ndim == 0) return;
    std::int64_t weight = 1;
    const bool all = static_cast<int>(l.axes.size()) == task_.ndim;
    for (int a = task_.ndim - 1; a >= 0; --a) {
      index_stride_[a] = all ? weight : (reduced_[a] ? 1 : 0);
      weight *= l.grid.axis(a).total();
      index_first_ += task_.offset[a] * index_stride_[a];
    }
  }

  void advance(cursor_position& p, int axis, std::int64_t steps) {
    for (int k = 0; k < tape_.leaves(); ++k) p.at[k] += steps * tape_.cursor(k).stride[axis];
    p.index += steps * index_stride_[axis];
  }

  index_map map(const cursor_position& p, int row_axis) const noexcept {
    return {index_first_ + p.index, row_axis < 0 ? 0 : index_stride_[row_axis], index_stride_[nd_ - 1]};
  }

  void reduce(int d, const cursor_position& p, const target& t) {
    const int last = nd_ - 1;
    if (d == last) return reduce_row(p, t);
    if (d == last - 1 && reduced_[d] && !reduced_[last]) return reduce_columns(p, t);
    if (!reduced_[d]) {
      if (d == last - 1 && direct_ && reduced_[last]) return reduce_rows(p, t);
      cursor_position q = p;
      target u = t;
      for (std::int64_t i = 0; i < extent_[d]; ++i) {
        reduce(d + 1, q, u);
        advance(q, d, 1);
        u.first += kept_below_[d + 1];
      }
      return;
    }
    // leaves of 16, added in order; then the tree
    const scratch_stack::mark mark = lane_.scratch.here();
    const std::int64_t below = kept_below_[d + 1];
    const std::int64_t n = below * strips_;
    state_tree tree(layout_, lane_.scratch, n, extent_[d] / column_leaf + 1);
    const bool at_once =
        d == last - 1 && direct_ && strips_ == 1;  // both axes reduced, read in place: 16 rows in one call
    unsigned char* const next = lane_.scratch.take(layout_.bytes(at_once ? column_leaf : n));
    state_ref sum[max_reducers];
    state_ref one[max_reducers];
    layout_.refs(next, n, 0, one);
    cursor_position q = p;
    for (std::int64_t i = 0; i < extent_[d]; i += column_leaf) {
      const std::int64_t rows = extent_[d] - i < column_leaf ? extent_[d] - i : column_leaf;
      layout_.refs(tree.leaf(), n, 0, sum);
      if (at_once) {
        add_rows(q, rows, tree.leaf(), next, n);
        advance(q, d, rows);
        tree.push(rows * count_below_[d + 1]);
        continue;
      }
      for (std::int64_t r = 0; r < rows; ++r) {
        reduce(d + 1, q, {r == 0 ? tree.leaf() : next, n, 0, below});
        if (r > 0) layout_.merge(sum, sum, one, n, r * count_below_[d + 1], count_below_[d + 1]);
        advance(q, d, 1);
      }
      tree.push(rows * count_below_[d + 1]);
    }
    copy(tree.total().memory, n, below, t);
    lane_.scratch.rewind(mark);
  }

  /// The sum of `rows` rows of the last axis, read in place, into one state at `to`; `work` has room for 16 states.
  void add_rows(const cursor_position& p, std::int64_t rows, unsigned char* to, unsigned char* work, std::int64_t n) {
    const int d = nd_ - 2;
    state_ref sum[max_reducers];
    state_ref each[max_reducers];
    layout_.refs(to, n, 0, sum);
    layout_.refs(work, column_leaf, 0, each);
    for (int k = 0; k < layout_.reducers(); ++k) {
      const int v = layout_.value(k);
      const reducer_entries& e = layout_.entries(k);
      const reducer_descriptor& r = layout_.reducer(k);
      e.rows(tape_.address(v, p.at[v]), tape_.cursor(v).stride[d], rows, width_, map(p, d), each[k]);
      state_ref next = each[k];
      for (int f = 0; f < r.fields; ++f)
        std::memcpy(sum[k].field[f], each[k].field[f], static_cast<std::size_t>(itemsize(r.field[f])));
      for (std::int64_t i = 1; i < rows; ++i) {
        for (int f = 0; f < r.fields; ++f)
          next.field[f] = static_cast<unsigned char*>(next.field[f]) + itemsize(r.field[f]);
        e.merge(sum[k], sum[k], next, 1, i * width_, width_);
      }
    }
  }

  /// From packed [strip][below] columns to the target.
  void copy(unsigned char* from, std::int64_t n, std::int64_t below, const target& t) {
    state_ref a[max_reducers];
    state_ref b[max_reducers];
    for (std::int64_t s = 0; s < strips_; ++s) {
      layout_.refs(from, n, s * below, a);
      layout_.refs(t.memory, t.total, t.first + s * t.strip, b);
      for (int k = 0; k < layout_.reducers(); ++k) {
        const reducer_descriptor& r = layout_.reducer(k);
        for (int f = 0; f < r.fields; ++f) {
          std::memcpy(b[k].field[f], a[k].field[f], static_cast<std::size_t>(below * itemsize(r.field[f])));
        }
      }
    }
  }

  /// The last axis alone.
  void reduce_row(const cursor_position& p, const target& t) {
    const int last = nd_ - 1;
    state_ref r[max_reducers];
    if (!reduced_[last]) {  // elements become states of one
      const std::int64_t n = extent_[last];
      cursor_position q = p;
      for (std::int64_t c = 0; c < n; c += columns_) {
        const std::int64_t m = n - c < columns_ ? n - c : columns_;
        layout_.refs(t.memory, t.total, t.first + c, r);
        tape_.run(q.at, last, m, 0, nullptr, -1, nullptr);
        for (int k = 0; k < layout_.reducers(); ++k) {
          layout_.entries(k).columns(tape_.value(layout_.value(k)), 0, 1, m, map(q, -1), r[k]);
        }
        advance(q, last, m);
      }
      return;
    }
    cursor_position q = p;
    for (std::int64_t s = 0; s < strips_; ++s) {
      layout_.refs(t.memory, t.total, t.first + s * t.strip, r);
      if (direct_) {
        for (int k = 0; k < layout_.reducers(); ++k) {
          const int v = layout_.value(k);
          // what follows in memory order, for fetching ahead: the next strip, then the next row
          const std::int64_t run = width_ * value_size(k);
          const std::int64_t next = s + 1 < strips_ || last == 0 ? run : tape_.cursor(v).stride[last - 1] - s * run;
          layout_.entries(k).rows(tape_.address(v, q.at[v]), next, 1, width_, map(q, -1), r[k]);
        }
        advance(q, last, width_);
      } else {
        for (std::int64_t c = 0; c < width_; c += tile_elements) {
          const std::int64_t m = width_ - c < tile_elements ? width_ - c : tile_elements;
          tape_.run(q.at, last, m, 0, nullptr, -1, nullptr);
          unsigned char* running = running_;
          for (int k = 0; k < layout_.reducers(); ++k) {
            layout_.entries(k).feed(running, tape_.value(layout_.value(k)), m, map(q, -1));
            running += round_up(layout_.reducer(k).row_state_bytes, 64);
          }
          advance(q, last, m);
        }
        unsigned char* running = running_;
        for (int k = 0; k < layout_.reducers(); ++k) {
          layout_.entries(k).end(running, r[k]);
          running += round_up(layout_.reducer(k).row_state_bytes, 64);
        }
      }
    }
  }

  /// Kept rows over a reduced last axis, read in place: 16 rows and all strips advance together.
  void reduce_rows(const cursor_position& p, const target& t) {
    const int last = nd_ - 1;
    const int d = last - 1;
    cursor_position q = p;
    state_ref r[max_reducers];
    for (std::int64_t i = 0; i < extent_[d]; i += column_leaf) {
      const std::int64_t rows = extent_[d] - i < column_leaf ? extent_[d] - i : column_leaf;
      cursor_position u = q;
      for (std::int64_t s = 0; s < strips_; ++s) {
        layout_.refs(t.memory, t.total, t.first + s * t.strip + i, r);
        for (int k = 0; k < layout_.reducers(); ++k) {
          const int v = layout_.value(k);
          layout_.entries(k).rows(tape_.address(v, u.at[v]), tape_.cursor(v).stride[d], rows, width_, map(u, d), r[k]);
        }
        advance(u, last, width_);
      }
      advance(q, d, rows);
    }
  }

  /// Reduced rows over kept columns: leaves of 16 rows, 16 rows advance together.
  void reduce_columns(const cursor_position& p, const target& t) {
    const int last = nd_ - 1;
    const int d = last - 1;
    const std::int64_t n = extent_[last];
    const scratch_stack::mark mark = lane_.scratch.here();
    state_tree tree(layout_, lane_.scratch, n, extent_[d] / column_leaf + 1);
    state_ref r[max_reducers];
    cursor_position q = p;
    const std::int64_t piece = direct_ && layout_.reducers() == 1 ? n : columns_;
    for (std::int64_t i = 0; i < extent_[d]; i += column_leaf) {
      const int rows = static_cast<int>(extent_[d] - i < column_leaf ? extent_[d] - i : column_leaf);
      cursor_position u = q;
      for (std::int64_t c = 0; c < n; c += piece) {
        const std::int64_t m = n - c < piece ? n - c : piece;
        layout_.refs(tree.leaf(), n, c, r);
        if (!direct_) evaluate_rows(u, d, rows, m);
        for (int k = 0; k < layout_.reducers(); ++k) {
          const int v = layout_.value(k);
          if (direct_) {
            layout_.entries(k).columns(tape_.address(v, u.at[v]), tape_.cursor(v).stride[d], rows, m, map(u, d), r[k]);
          } else {
            const std::int64_t stride = piece_columns() * value_size(k);
            layout_.entries(k).columns(tape_.slot(v), stride, rows, m, map(u, d), r[k]);
          }
        }
        advance(u, last, m);
      }
      tree.push(rows);
      advance(q, d, rows);
    }
    copy(tree.total().memory, n, n, t);
    lane_.scratch.rewind(mark);
  }

  std::int64_t value_size(int k) const noexcept { return itemsize(layout_.reducer(k).input); }

  /// `rows` rows of `m` columns of every reduced value, in its slot.
  void evaluate_rows(const cursor_position& p, int d, int rows, std::int64_t m) {
    const int last = nd_ - 1;
    cursor_position q = p;
    for (int row = 0; row < rows; ++row) {
      tape_.run(q.at, last, m, row, keeps_rows_, -1, nullptr);
      for (int k = 0; k < layout_.reducers(); ++k) {
        const int v = layout_.value(k);
        unsigned char* const place = tape_.slot(v) + row * piece_columns() * value_size(k);
        if (tape_.value(v) != place) std::memcpy(place, tape_.value(v), static_cast<std::size_t>(m * value_size(k)));
      }
      advance(q, d, 1);
    }
  }

  lane_memory& lane_;
  state_layout layout_;
  box task_;
  std::int64_t strips_;
  std::int64_t width_;
  std::int64_t columns_;
  tape_run tape_;
  int nd_ = 1;
  std::int64_t extent_[max_ndim];
  bool reduced_[max_ndim];
  std::int64_t index_stride_[max_ndim];
  std::int64_t index_first_ = 0;
  std::int64_t kept_below_[max_ndim + 1];
  std::int64_t count_below_[max_ndim + 1];
  bool direct_ = false;
  char* keeps_rows_ = nullptr;
  unsigned char* running_ = nullptr;
};

}  // namespace ashlar::detail
