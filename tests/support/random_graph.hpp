/// \file
/// Random graphs of tasks, and a body that checks what a scheduler owes each task: run once, after all it waits for.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include <ashlar/graph/task_graph.hpp>

namespace test_support {

/// Small generator: the same seed gives the same graph everywhere.
struct dice {
  std::uint64_t state;
  std::uint32_t operator()(std::uint32_t n) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return static_cast<std::uint32_t>(state >> 33) % n;
  }
};

/// Up to `most` tasks, each with up to 8 predecessors among those before it; some with fan-outs, joins, copies of
/// edges.
inline ashlar::detail::task_graph random_graph(std::uint64_t seed, std::uint32_t most) {
  dice d{seed * 2 + 1};
  const std::uint32_t n = 1 + d(most);
  const std::uint32_t degree = 1 + d(8);
  const std::uint32_t reach = 1 + d(n);
  const bool hub = d(3) == 0;
  ashlar::detail::task_graph_builder b;
  for (std::uint32_t t = 0; t < n; ++t) {
    b.add_task();
    if (t == 0) continue;
    if (hub && d(4) != 0) {
      b.add_edge(t / 32 * 32 < t ? t / 32 * 32 : 0, t);
      continue;
    }
    for (std::uint32_t k = d(degree + 1); k > 0; --k) {
      const std::uint32_t back = 1 + d(reach);
      b.add_edge(back > t ? 0 : t - back, t);
    }
  }
  return std::move(b).freeze();
}

/// Throws std::logic_error when a task runs twice or before one that it waits for; each task's value is a sum over its
/// predecessors' values, so that lost memory effects show.
class checked_body {
 public:
  explicit checked_body(const ashlar::detail::task_graph& g)
      : graph_(g), runs_(std::make_unique<std::atomic<int>[]>(g.tasks())), value_(g.tasks(), 1), before_(g.tasks()) {
    for (std::uint32_t t = 0; t < g.tasks(); ++t) {
      for (std::uint32_t e = g.succ_begin[t]; e < g.succ_begin[t + 1]; ++e) before_[g.succ[e]].push_back(t);
    }
  }

  void run(int, std::uint32_t t) {
    if (t == throws_at) throw std::runtime_error("as asked");
    for (const std::uint32_t p : before_[t]) {
      if (runs_[p].load(std::memory_order_relaxed) != 1) throw std::logic_error("ran before one that it waits for");
      value_[t] += value_[p];
    }
    if (runs_[t].fetch_add(1, std::memory_order_relaxed) != 0) throw std::logic_error("ran twice");
  }

  bool ran(std::uint32_t t) const { return runs_[t].load(std::memory_order_relaxed) == 1; }
  const std::vector<std::uint64_t>& values() const { return value_; }
  const std::vector<std::vector<std::uint32_t>>& before() const { return before_; }

  /// What the values have to be in the end.
  std::vector<std::uint64_t> expected() const {
    std::vector<std::uint64_t> v(graph_.tasks(), 1);
    for (std::uint32_t t = 0; t < graph_.tasks(); ++t) {
      for (const std::uint32_t p : before_[t]) v[t] += v[p];
    }
    return v;
  }

  std::uint32_t throws_at = 0xffffffff;

 private:
  const ashlar::detail::task_graph& graph_;
  std::unique_ptr<std::atomic<int>[]> runs_;
  std::vector<std::uint64_t> value_;
  std::vector<std::vector<std::uint32_t>> before_;
};

}  // namespace test_support
