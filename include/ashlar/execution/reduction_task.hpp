/// \file
/// Tasks of reductions: *partial* runs a tape over a box and reduces it, *combine* merges the states of neighbouring
/// boxes. The order is the canonical one of graph/reducer.hpp; how many canonical blocks a task takes, and whether it
/// walks them side by side, does not show in the bits.
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

/// Where the states of a task end: in its chunk for a later layer, or turned into results.
inline void write_states(run_state& run, const layer& l, const std::int64_t* coords, const states& s,
                         std::int64_t columns, unsigned char* chunk) {
  const state_layout layout(l);
  if (l.outputs.empty()) {
    std::memcpy(chunk, &s.count, sizeof s.count);
    std::memcpy(chunk + state_header, s.memory, static_cast<std::size_t>(layout.bytes(columns)));
    return;
  }
  if (columns == 0) return;
  state_ref refs[max_reducers];
  layout.refs(s.memory, columns, 0, refs);
  for (const layer_output& out : l.outputs) {
    const std::int64_t size = itemsize(out.type);
    if (out.root < 0) {
      out.finisher->apply(refs[out.value], columns, s.count, out.parameter, chunk);
      chunk += round_up(columns * size, 64);
      continue;
    }
    const result_target& t = run.target(out.root);
    // the kept box of this task, axis by axis of the result
    const int nd = out.grid.ndim();
    std::int64_t position[max_ndim] = {};
    {
      std::int64_t linear = task_index(l.counts, coords);  // reduced axes count 1, so this is the block of the result
      out.grid.coords(linear, position);
    }
    const box b = block_box(out.grid, position);
    unsigned char* base = static_cast<unsigned char*>(t.data);
    bool packed = true;
    std::int64_t dense = size;
    for (int a = nd - 1; a >= 0; --a) {
      packed = packed && (b.length[a] == 1 || t.strides[a] * size == dense);
      dense *= b.length[a];
      base += b.offset[a] * t.strides[a] * size;
    }
    if (packed) {
      out.finisher->apply(refs[out.value], columns, s.count, out.parameter, base);
      continue;
    }
    // rows of the block one after the other
    const std::int64_t n = b.length[nd - 1];
    unsigned char piece[1024];
    std::int64_t i[max_ndim] = {};
    for (std::int64_t first = 0; first < columns; first += n) {
      std::int64_t at = 0;
      for (int a = 0; a < nd - 1; ++a) at += i[a] * t.strides[a] * size;
      const std::int64_t step = t.strides[nd - 1] * size;
      for (std::int64_t c = 0; c < n;) {
        const std::int64_t m = n - c < 1024 / size ? n - c : 1024 / size;
        state_ref part[max_reducers];
        layout.refs(s.memory, columns, first + c, part);
        out.finisher->apply(part[out.value], m, s.count, out.parameter, piece);
        scatter(base + at + c * step, step, piece, m, size);
        c += m;
      }
      int a = nd - 2;
      while (a >= 0 && ++i[a] == b.length[a]) i[a--] = 0;
    }
  }
}

/// The tree over `n` packed groups of `columns` columns each.
inline states reduce_groups(const state_layout& layout, scratch_stack& scratch, unsigned char* memory, std::int64_t n,
                            std::int64_t columns, const std::int64_t* counts) {
  if (n == 1) return {memory, counts[0]};
  state_tree tree(layout, scratch, columns, n);
  state_ref from[max_reducers];
  state_ref to[max_reducers];
  for (std::int64_t s = 0; s < n; ++s) {
    layout.refs(memory, n * columns, s * columns, from);
    layout.refs(tree.leaf(), columns, 0, to);
    for (int k = 0; k < layout.reducers(); ++k) {
      const reducer_descriptor& r = layout.reducer(k);
      for (int f = 0; f < r.fields; ++f) {
        std::memcpy(to[k].field[f], from[k].field[f], static_cast<std::size_t>(columns * itemsize(r.field[f])));
      }
    }
    tree.push(counts[s]);
  }
  return tree.total();
}

/// States of the boxes side by side: `blocks` canonical blocks along the last axis starting at `first`.
inline states reduce_strip(run_state& run, lane_memory& lane, const layer& l, box b, std::int64_t columns) {
  const state_layout layout(l);
  const int last = b.ndim - 1;
  if (b.ndim == 0 || !is_reduced(l, last) || l.grouped_axis == last || l.strip == 1) {
    block_reduction r(run, lane, l, b, 1, b.ndim == 0 ? 1 : b.length[last]);
    unsigned char* const memory = lane.scratch.take(layout.bytes(columns));
    r.run(memory, columns, 0);
    return {memory, r.count()};
  }
  const axis_blocks& blocks = l.grid.axis(last);
  const std::int64_t begin = blocks.find(b.offset[last]);
  const std::int64_t end = blocks.find(b.offset[last] + b.length[last] - 1) + 1;
  const std::int64_t width = blocks.length(begin);
  std::int64_t equal = end - begin;
  if (blocks.length(end - 1) != width) --equal;
  unsigned char* const memory = lane.scratch.take(layout.bytes(columns * (end - begin)));
  std::int64_t counts[64];
  box part = b;
  part.length[last] = equal * width;
  block_reduction r(run, lane, l, part, equal, width);
  r.run(memory, columns * (end - begin), 0);
  for (std::int64_t s = 0; s < equal; ++s) counts[s] = r.count();
  if (equal < end - begin) {
    part.offset[last] = blocks.offset(end - 1);
    part.length[last] = blocks.length(end - 1);
    block_reduction shorter(run, lane, l, part, 1, part.length[last]);
    shorter.run(memory, columns * (end - begin), columns * equal);
    counts[equal] = shorter.count();
  }
  return reduce_groups(layout, lane.scratch, memory, end - begin, columns, counts);
}

/// Persisted blocks of at most this many bytes are fetched as a whole while the one before is reduced.
inline constexpr std::int64_t fetched_block = 128 << 10;

inline bool is_fetched(const layer& l, const leaf& f) {
  return f.from != nullptr && f.from->blocks() != nullptr && f.grid == l.grid;
}

/// Starts fetching the persisted blocks that come next in a group: small blocks lie here and there, and the hardware
/// sees where the next one is only after a few misses, which they do not make up for. Along a reduced last axis the row
/// loops fetch for themselves.
inline void fetch_block(const layer& l, const std::int64_t* coords, std::int64_t next) {
  for (const leaf& f : l.tape.leaves) {
    if (!is_fetched(l, f)) continue;
    std::int64_t at[max_ndim];
    for (int a = 0; a < l.grid.ndim(); ++a) at[a] = coords[a] * blocks_per_task(l, a);
    at[l.grouped_axis] = next;
    const auto* const block = static_cast<const unsigned char*>(f.from->blocks()[l.grid.linear(at)]);
    std::int64_t bytes = itemsize(f.type);
    for (int a = 0; a < l.grid.ndim(); ++a) bytes *= l.grid.axis(a).length(at[a]);
    if (bytes > fetched_block) continue;
    for (std::int64_t k = 0; k < bytes; k += 64) __builtin_prefetch(block + k, 0, 2);
  }
}

inline void run_partial(run_state& run, lane_memory& lane, const layer& l, const std::int64_t* coords,
                        unsigned char* chunk) {
  const std::int64_t columns = kept_elements(l, coords);
  const box b = task_box(l, coords);
  if (l.grouped_axis < 0) {
    write_states(run, l, coords, reduce_strip(run, lane, l, b, columns), columns, chunk);
    return;
  }
  const state_layout layout(l);
  const axis_blocks& blocks = l.grid.axis(l.grouped_axis);
  const std::int64_t first = coords[l.grouped_axis] * l.group;
  const std::int64_t end = first + l.group < blocks.count() ? first + l.group : blocks.count();
  state_tree tree(layout, lane.scratch, columns, end - first);
  const bool fetch = !is_reduced(l, l.grid.ndim() - 1);
  for (std::int64_t k = first; k < end; ++k) {
    const scratch_stack::mark mark = lane.scratch.here();
    box part = b;
    part.offset[l.grouped_axis] = blocks.offset(k);
    part.length[l.grouped_axis] = blocks.length(k);
    if (fetch && k + 1 < end) fetch_block(l, coords, k + 1);
    const states s = reduce_strip(run, lane, l, part, columns);
    std::memcpy(tree.leaf(), s.memory, static_cast<std::size_t>(layout.bytes(columns)));
    tree.push(s.count);
    lane.scratch.rewind(mark);
  }
  write_states(run, l, coords, tree.total(), columns, chunk);
}

inline void run_combine(run_state& run, lane_memory& lane, const layer& l, std::uint32_t task,
                        const std::int64_t* coords, unsigned char* chunk) {
  const plan& p = run.plan();
  const std::int64_t columns = kept_elements(l, coords);
  const state_layout layout(l);
  const std::int64_t begin = p.pred_begin[task];
  const std::int64_t n = p.pred_begin[task + 1] - begin;
  state_tree tree(layout, lane.scratch, columns, n);
  for (std::int64_t k = 0; k < n; ++k) {
    const auto* from = static_cast<const unsigned char*>(run.chunk(p.pred[static_cast<std::size_t>(begin + k)]));
    std::int64_t count = 0;
    std::memcpy(&count, from, sizeof count);
    std::memcpy(tree.leaf(), from + state_header, static_cast<std::size_t>(layout.bytes(columns)));
    tree.push(count);
  }
  write_states(run, l, coords, tree.total(), columns, chunk);
}

}  // namespace ashlar::detail
