/// \file
/// A frozen graph of tasks: who must run before whom, and nothing else.
///
/// Tasks are numbers; their successors stand in one array (compressed sparse rows), so a graph costs 9 bytes a task and
/// 4 an edge. The builder takes edges in any order and makes the rows by a counting sort, in linear time. What a task
/// does is the business of whoever runs the graph (execution/graph_job.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <ashlar/error.hpp>

namespace ashlar::detail {

struct task_graph {
  /// Fan-outs of at least this many successors that wait for nothing else are handed on as one range.
  static constexpr std::uint32_t smallest_fan_out = 8;

  std::vector<std::uint32_t> succ_begin;  // tasks() + 1
  std::vector<std::uint32_t> succ;        // first choice first; the roots come behind the last row, in order
  std::vector<std::uint32_t> waits;       // predecessors of each task
  std::vector<std::uint8_t> fans_out;     // 1: the row is handed on as one range
  std::uint32_t roots = 0;                // tasks without predecessors
  std::uint32_t sinks = 0;                // tasks without successors

  std::uint32_t tasks() const noexcept { return static_cast<std::uint32_t>(waits.size()); }
  std::uint32_t edges() const noexcept { return succ_begin.empty() ? 0 : succ_begin.back(); }

  /// Counts, flags and the roots behind the rows. `roots_in_order`: the tasks without predecessors, first choice first.
  void seal(const std::vector<std::uint32_t>& roots_in_order) {
    const std::uint32_t n = tasks();
    succ.reserve(succ.size() + roots_in_order.size());
    fans_out.resize(n);
    sinks = 0;
    for (std::uint32_t t = 0; t < n; ++t) {
      const std::uint32_t begin = succ_begin[t];
      const std::uint32_t end = succ_begin[t + 1];
      if (begin == end) ++sinks;
      bool fan = end - begin >= smallest_fan_out;
      for (std::uint32_t e = begin; fan && e < end; ++e) fan = waits[succ[e]] == 1;
      fans_out[t] = fan ? 1 : 0;
    }
    succ.insert(succ.end(), roots_in_order.begin(), roots_in_order.end());
    roots = static_cast<std::uint32_t>(roots_in_order.size());
  }
};

/// Collects tasks and edges. Tasks that were added earlier are the first choice where several could run.
class task_graph_builder {
 public:
  static constexpr std::uint32_t most_tasks = std::numeric_limits<std::uint32_t>::max() / 2;

  void reserve(std::size_t tasks, std::size_t edges) {
    waits_.reserve(tasks);
    edges_.reserve(edges);
  }

  std::uint32_t tasks() const noexcept { return static_cast<std::uint32_t>(waits_.size()); }

  /// Adds one task. @returns its number @throws graph_error past 2^31 tasks
  std::uint32_t add_task() {
    if (waits_.size() >= most_tasks) throw graph_error("task graph: more than 2^31 tasks; use larger ones");
    waits_.push_back(0);
    return tasks() - 1;
  }

  /// `to` starts after `from` has ended. The same edge may be given twice.
  /// @throws graph_error for a number that no task has, or past 2^32 edges
  void add_edge(std::uint32_t from, std::uint32_t to) {
    if (from >= waits_.size() || to >= waits_.size()) throw_unknown(from, to);
    if (edges_.size() >= std::numeric_limits<std::uint32_t>::max() - std::size_t{most_tasks}) {
      throw graph_error("task graph: too many edges, more than 2^31; use larger tasks");
    }
    edges_.push_back({from, to});
    ++waits_[to];
    ascending_ = ascending_ && from < to;
  }

  /// The graph; the builder is empty afterwards. Linear in tasks and edges. @throws graph_error when tasks wait for one
  /// another in a circle
  task_graph freeze() && {
    task_graph g;
    g.waits = std::move(waits_);
    const std::uint32_t n = g.tasks();
    g.succ_begin.assign(std::size_t{n} + 1, 0);
    std::uint32_t* const next = g.succ_begin.data();
    for (const edge& e : edges_) ++next[e.from];
    std::uint32_t total = 0;
    std::vector<std::uint32_t> roots;
    for (std::uint32_t t = 0; t <= n; ++t) {
      const std::uint32_t degree = next[t];
      next[t] = total;
      total += degree;
      if (t < n && g.waits[t] == 0) roots.push_back(t);
    }
    g.succ.reserve(edges_.size() + roots.size());
    g.succ.resize(edges_.size());
    for (const edge& e : edges_) g.succ[next[e.from]++] = e.to;
    for (std::uint32_t t = n; t > 0; --t)
      next[t] = next[t - 1];  // each row was advanced to the begin of the one behind
    next[0] = 0;
    std::vector<edge>().swap(edges_);
    if (!ascending_) check_acyclic(g, roots);
    g.seal(roots);
    return g;
  }

 private:
  struct edge {
    std::uint32_t from;
    std::uint32_t to;
  };

  [[noreturn]] void throw_unknown(std::uint32_t from, std::uint32_t to) const {
    throw graph_error("task graph: edge from task " + std::to_string(from) + " to task " + std::to_string(to) +
                      ", but tasks are 0 to " + std::to_string(waits_.size()) + " (exclusive)");
  }

  /// Kahn's algorithm: tasks that it cannot reach wait, directly or not, for one another.
  static void check_acyclic(const task_graph& g, const std::vector<std::uint32_t>& roots) {
    std::vector<std::uint32_t> waits = g.waits;
    std::vector<std::uint32_t> ready = roots;
    for (std::size_t k = 0; k < ready.size(); ++k) {
      for (std::uint32_t e = g.succ_begin[ready[k]]; e < g.succ_begin[ready[k] + 1]; ++e) {
        if (--waits[g.succ[e]] == 0) ready.push_back(g.succ[e]);
      }
    }
    if (ready.size() == g.tasks()) return;
    std::vector<std::uint32_t> before(g.tasks());  // one predecessor that waits too
    std::uint32_t start = 0;
    for (std::uint32_t t = 0; t < g.tasks(); ++t) {
      if (waits[t] == 0) continue;
      start = t;
      for (std::uint32_t e = g.succ_begin[t]; e < g.succ_begin[t + 1]; ++e) before[g.succ[e]] = t;
    }
    for (std::uint32_t k = 0; k < g.tasks(); ++k) start = before[start];  // onto the circle
    for (std::uint32_t k = before[start], end = start; k != end; k = before[k]) start = k < start ? k : start;
    std::string text = std::to_string(start);
    std::uint32_t t = before[start];
    for (int k = 0; t != start && k < 20; ++k, t = before[t]) {
      text.insert(0, " -> ");
      text.insert(0, std::to_string(t));
    }
    throw graph_error("task graph: tasks wait for one another in a circle: " + std::to_string(start) +
                      (t == start ? " -> " : " -> ... -> ") + text + "; a task can only depend on what ends before it");
  }

  std::vector<std::uint32_t> waits_;
  std::vector<edge> edges_;
  bool ascending_ = true;  // then there is no circle
};

}  // namespace ashlar::detail
