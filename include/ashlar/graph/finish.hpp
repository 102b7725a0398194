/// \file
/// Last part of lowering: successors, the static order, and what it will hold in memory.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include <ashlar/error.hpp>
#include <ashlar/graph/memory_use.hpp>
#include <ashlar/graph/order.hpp>
#include <ashlar/graph/plan.hpp>

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

/// Blocks that are results count as such, not as held by the run.
inline void mark_kept_blocks(plan& p) {
  if (p.results != result_kind::blocks) return;
  for (const auto& [number, output] : p.root_value) {
    layer& l = p.layers[static_cast<std::size_t>(number)];
    if (l.kept) continue;
    l.kept = true;
    for (std::int64_t t = l.first_task; t < l.first_task + l.task_count; ++t) {
      p.stats.result_bytes += p.chunk_bytes[static_cast<std::size_t>(t)];
    }
  }
}

inline void finish_plan(plan& p) {
  mark_kept_blocks(p);
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
  for (std::uint32_t t = 0; t < p.tasks(); ++t) p.stats.all_bytes += live_bytes(p, t);
  p.stats.serial_bytes = simulate_peak(p);
  p.stats.block_bytes = p.stats.serial_bytes * p.lanes;  // each lane may be in a subtree of its own
  if (p.stats.all_bytes <= p.stats.block_bytes || p.stats.all_bytes <= free_run_bytes) {
    p.stats.block_bytes = p.stats.all_bytes;
  }
  std::int64_t scratch = 0;
  for (layer& l : p.layers) {
    l.scratch = scratch_bytes(l);
    if (l.scratch > scratch) scratch = l.scratch;
    for (const leaf& f : l.tape.leaves) {
      if (f.from != nullptr && (f.from->memory() != nullptr || f.from->blocks() != nullptr)) {
        p.stats.source_bytes += needed_part(l, f.shape.size() * itemsize(f.type));
      }
    }
  }
  p.stats.lane_scratch = scratch;
  p.stats.scratch_bytes = scratch * p.lanes;
}

}  // namespace ashlar::detail
