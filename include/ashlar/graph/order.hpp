/// \file
/// Last part of lowering: successors, the static order, and what it will hold in memory.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include <ashlar/detail/flat_index.hpp>
#include <ashlar/error.hpp>
#include <ashlar/graph/plan.hpp>
#include <ashlar/graph/region.hpp>

namespace ashlar::detail {

/// Rows of successors, and how many tasks each waits for; within a row as `sequence` has them. Linear.
inline void make_successors(plan& p, const std::vector<std::uint32_t>& sequence) {
  const std::size_t n = p.tasks();
  task_graph& g = p.graph;
  if (p.pred.size() >= std::numeric_limits<std::uint32_t>::max() - n) {
    throw chunk_error("compute: more than 2^32 edges between tasks; use larger chunks");
  }
  g.waits.resize(n);
  g.succ_begin.assign(n + 1, 0);
  for (const std::uint32_t t : p.pred) ++g.succ_begin[t + 1];
  for (std::size_t t = 0; t < n; ++t) {
    g.succ_begin[t + 1] += g.succ_begin[t];
    g.waits[t] = static_cast<std::uint32_t>(p.pred_begin[t + 1] - p.pred_begin[t]);
  }
  g.succ.resize(p.pred.size());
  std::vector<std::uint32_t> next(g.succ_begin.begin(), g.succ_begin.end() - 1);
  for (std::size_t k = 0; k < n; ++k) {
    const std::size_t t = sequence.empty() ? k : sequence[k];
    for (std::int64_t e = p.pred_begin[t]; e < p.pred_begin[t + 1]; ++e) {
      g.succ[next[p.pred[static_cast<std::size_t>(e)]]++] = static_cast<std::uint32_t>(t);
    }
  }
}

/// Depth first from each task of the results, inputs in order: what was started is finished, and blocks are freed
/// early. Results of one run advance side by side, so that those which share inputs meet while the inputs are there.
inline void make_order(plan& p) {
  const std::uint32_t n = p.tasks();
  p.rank.assign(n, 0);
  p.order.clear();
  p.order.reserve(n);
  std::vector<char> state(n, 0);
  std::vector<visit_frame> stack;
  struct span_of_tasks {
    std::int64_t first;
    std::int64_t next;
    std::int64_t end;
  };
  std::vector<span_of_tasks> ends;  // layers that nothing in the plan consumes
  for (const layer& l : p.layers) {
    if (!l.outputs.empty() && l.task_count > 0) {
      const auto first = static_cast<std::size_t>(l.first_task);
      if (p.graph.succ_begin[first] == p.graph.succ_begin[first + static_cast<std::size_t>(l.task_count)]) {
        ends.push_back({l.first_task, l.first_task, l.first_task + l.task_count});
      }
    }
  }
  const auto visit = [&](std::uint32_t root) {
    if (state[root] != 0) return;
    stack.push_back({root, p.pred_begin[root]});
    state[root] = 1;
    while (!stack.empty()) {
      visit_frame& top = stack.back();
      const auto t = static_cast<std::uint32_t>(top.item);
      if (top.next < p.pred_begin[t + 1]) {
        const std::uint32_t child = p.pred[static_cast<std::size_t>(top.next++)];
        if (state[child] == 0) {
          state[child] = 1;
          stack.push_back({child, p.pred_begin[child]});
        }
        continue;
      }
      p.rank[t] = static_cast<std::uint32_t>(p.order.size());
      p.order.push_back(t);
      stack.pop_back();
    }
  };
  for (bool any = !ends.empty(); any;) {
    // the result that is least far along goes next
    any = false;
    std::size_t pick = 0;
    double least = 2;
    for (std::size_t k = 0; k < ends.size(); ++k) {
      const span_of_tasks& e = ends[k];
      if (e.next == e.end) continue;
      const double done = static_cast<double>(e.next - e.first) / static_cast<double>(e.end - e.first);
      if (done < least) {
        least = done;
        pick = k;
        any = true;
      }
    }
    if (any) visit(static_cast<std::uint32_t>(ends[pick].next++));
  }
  for (std::uint32_t t = 0; t < n; ++t) visit(t);
}

/// Bytes in blocks at once when the order is followed by one lane.
inline std::int64_t simulate_peak(const plan& p) {
  std::vector<std::int64_t> uses(p.tasks());
  std::int64_t live = 0;
  std::int64_t peak = 0;
  for (std::uint32_t t = 0; t < p.tasks(); ++t) uses[t] = p.graph.succ_begin[t + 1] - p.graph.succ_begin[t];
  for (const std::uint32_t t : p.order) {
    live += p.chunk_bytes[t];
    if (live > peak) peak = live;
    for (std::int64_t e = p.pred_begin[t]; e < p.pred_begin[t + 1]; ++e) {
      const std::uint32_t from = p.pred[static_cast<std::size_t>(e)];
      if (--uses[from] == 0) live -= p.chunk_bytes[from];
    }
    if (uses[t] == 0) live -= p.chunk_bytes[t];
  }
  return peak;
}

/// Levels of a binary counter over n leaves, with the buffers that it works in.
inline std::int64_t tree_levels(std::int64_t n) noexcept {
  std::int64_t levels = 2;
  while ((std::int64_t{1} << (levels - 1)) <= n) ++levels;
  return levels + 1;
}

/// An upper bound of the scratch that one lane takes for a task of the layer.
inline std::int64_t scratch_bytes(const layer& l) {
  const int nd = l.grid.ndim();
  std::int64_t widest = 1;
  for (const dtype t : l.tape.types) {
    if (itemsize(t) > widest) widest = itemsize(t);
  }
  std::int64_t kept = 1;
  std::int64_t longest = 1;
  std::int64_t box_size = 1;
  for (int a = 0; a < nd; ++a) {
    const std::int64_t length =
        l.grid.axis(a).max_length() * (l.kind == layer_kind::elementwise ? 1 : blocks_per_task(l, a));
    box_size *= length;
    if (l.kind != layer_kind::elementwise && is_reduced(l, a)) {
      if (l.grid.axis(a).max_length() > longest) longest = l.grid.axis(a).max_length();
    } else {
      kept *= length;
    }
  }
  std::int64_t bytes = 0;
  if (l.kind == layer_kind::combine) {
    bytes = tree_levels(l.fan_in) * state_bytes(l, kept);
  } else {
    const std::int64_t piece = l.kind == layer_kind::elementwise ? tile_elements : column_leaf * column_tile_elements;
    bytes =
        round_up(piece * widest, 64) * (l.tape.slots + 1) + 4096 * static_cast<std::int64_t>(l.tape.leaves.size() + 1);
    for (const leaf& f : l.tape.leaves) {  // regions that span blocks are put together in scratch
      const bool in_blocks = f.from == nullptr || f.from->blocks() != nullptr;
      if (!in_blocks || f.grid.count() == 1) continue;
      bool apart = false;
      for (int a = 0; a < f.grid.ndim(); ++a) {
        const int task_axis = a + nd - f.grid.ndim();
        apart =
            apart || (f.shape[a] > 1 && !(f.grid.axis(a) == l.grid.axis(task_axis) &&
                                          (l.kind == layer_kind::elementwise || blocks_per_task(l, task_axis) == 1)));
      }
      if (apart) bytes += box_size < f.shape.size() ? box_size * itemsize(f.type) : f.shape.size() * itemsize(f.type);
    }
  }
  if (l.kind == layer_kind::partial) {
    const std::int64_t strips = is_reduced(l, nd - 1) ? l.strip : 1;
    const std::int64_t states = state_bytes(l, kept * strips);
    std::int64_t trees = 2;
    for (std::size_t k = 0; k < l.axes.size(); ++k) trees += tree_levels(longest / column_leaf + 1) + 1;
    bytes += states * (trees + tree_levels(strips) + tree_levels(l.group));
    for (const reducer_use& r : l.reducers) bytes += r.reducer->row_state_bytes + 64;
  }
  return 2 * round_up(bytes, std::int64_t{256} << 10);  // pieces of the scratch stack are not filled to the end
}

inline void finish_plan(plan& p) {
  make_successors(p, {});
  make_order(p);
  make_successors(p, p.order);
  std::vector<std::uint32_t> roots;
  for (const std::uint32_t t : p.order) {
    if (p.graph.waits[t] == 0) roots.push_back(t);
  }
  p.graph.seal(roots);
  p.stats.tasks = p.tasks();
  p.stats.edges = static_cast<std::int64_t>(p.pred.size());
  std::int64_t all = 0;
  for (const std::int64_t b : p.chunk_bytes) all += b;
  const std::int64_t bound = simulate_peak(p) * p.lanes;  // each lane may be in a subtree of its own
  p.stats.block_bytes = bound < all ? bound : all;
  std::int64_t scratch = 0;
  for (layer& l : p.layers) {
    l.scratch = scratch_bytes(l);
    if (l.scratch > scratch) scratch = l.scratch;
    for (const leaf& f : l.tape.leaves) {
      if (f.from != nullptr && (f.from->memory() != nullptr || f.from->blocks() != nullptr)) {
        p.stats.source_bytes += f.shape.size() * itemsize(f.type);
      }
    }
  }
  p.stats.scratch_bytes = scratch * p.lanes;
}

}  // namespace ashlar::detail
