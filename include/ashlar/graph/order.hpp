/// \file
/// Last part of lowering: successors, the static order, and what it will hold in memory.
#pragma once

#include <cstdint>
#include <vector>

#include <ashlar/detail/flat_index.hpp>
#include <ashlar/graph/plan.hpp>
#include <ashlar/graph/region.hpp>

namespace ashlar::detail {

inline void make_successors(plan& p) {
  const std::size_t n = p.tasks();
  p.succ_begin.assign(n + 1, 0);
  for (const std::uint32_t t : p.pred) ++p.succ_begin[t + 1];
  for (std::size_t t = 0; t < n; ++t) p.succ_begin[t + 1] += p.succ_begin[t];
  p.succ.resize(p.pred.size());
  std::vector<std::int64_t> next(p.succ_begin.begin(), p.succ_begin.end() - 1);
  for (std::size_t t = 0; t < n; ++t) {
    for (std::int64_t e = p.pred_begin[t]; e < p.pred_begin[t + 1]; ++e) {
      p.succ[static_cast<std::size_t>(next[p.pred[static_cast<std::size_t>(e)]]++)] = static_cast<std::uint32_t>(t);
    }
  }
}

/// Depth first from each task of the results, inputs in order: what was started is finished, and blocks are freed early.
/// Results of one run advance side by side, so that those which share inputs meet while the inputs are there.
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
      if (p.succ_begin[first] == p.succ_begin[first + static_cast<std::size_t>(l.task_count)]) {
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
  for (std::uint32_t t = 0; t < p.tasks(); ++t) uses[t] = p.succ_begin[t + 1] - p.succ_begin[t];
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

inline void finish_plan(plan& p) {
  make_successors(p);
  make_order(p);
  for (const std::uint32_t t : p.order) {
    if (p.pred_begin[t] == p.pred_begin[t + 1]) p.sources.push_back(t);
    if (p.succ_begin[t] == p.succ_begin[t + 1]) ++p.sinks;
  }
  p.stats.tasks = p.tasks();
  p.stats.edges = static_cast<std::int64_t>(p.pred.size());
  std::int64_t all = 0;
  for (const std::int64_t b : p.chunk_bytes) all += b;
  const std::int64_t bound = simulate_peak(p) * p.lanes;  // each lane may be in a subtree of its own
  p.stats.block_bytes = bound < all ? bound : all;
}

}  // namespace ashlar::detail
