/// \file
/// Tasks of reductions: *partial* runs a tape over a box and reduces it, *combine* merges the states of neighbouring
/// boxes. The order is the canonical one of graph/reducer.hpp; how many canonical blocks a task takes, and whether it
/// walks them side by side, does not show in the bits.
#pragma once

#include <cstdint>
#include <cstring>

#include <ashlar/execution/block_reduction.hpp>

namespace ashlar::detail {

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
  std::int64_t counts[max_strip];
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
  return f.from != nullptr && f.from->blocks() != nullptr && f.view == nullptr && f.grid == l.grid;
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
