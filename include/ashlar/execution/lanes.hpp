/// \file
/// The loop of one lane, and what lanes share. A lane takes ready tasks from its own stack first (depth first), then
/// from other lanes (their oldest), then the next source task in order; after a task it goes on with the ready
/// successor of lowest rank. Threads are the business of whoever calls run_lane: nothing here depends on a worker
/// existing.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include <ashlar/execution/task.hpp>

namespace ashlar::detail {

class lane_set {
 public:
  explicit lane_set(run_state& run, int lanes) : run_(run), ready_(static_cast<std::size_t>(lanes)) {}

  int lanes() const noexcept { return static_cast<int>(ready_.size()); }

  /// Works until the run has ended. Lane numbers are distinct and below lanes(); lane 0 is the caller of compute().
  void run_lane(int lane) noexcept {
    lane_memory memory(run_.resource());
    try {
      loop(lane, memory);
    } catch (...) {
      run_.fail(std::current_exception());
    }
    wake_all();
  }

 private:
  struct alignas(64) ready_tasks {
    std::mutex mutex;
    std::vector<std::uint32_t> tasks;
    std::size_t oldest = 0;  // tasks before it are gone
  };

  void loop(int lane, lane_memory& memory) {
    std::uint32_t task = 0;
    while (next_task(lane, task)) {
      for (bool more = true; more;) {
        if (run_.stopping()) return;
        if (run_.stop_requested())
          throw cancelled("compute: stopped on request; the result is incomplete and was dropped");
        run_task(run_, memory, task);
        std::atomic<std::int64_t>& count = run_.counters(lane).tasks;
        count.store(count.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
        more = complete(lane, task);
      }
    }
  }

  /// Makes successors ready; puts the one to go on with into `task`. @returns false when there is none
  bool complete(int lane, std::uint32_t& task) {
    const plan& p = run_.plan();
    const std::int64_t begin = p.succ_begin[task];
    const std::int64_t end = p.succ_begin[task + 1];
    if (begin == end) {
      if (run_.complete_sink()) wake_all();
      return false;
    }
    bool found = false;
    std::uint32_t best = 0;
    for (std::int64_t e = begin; e < end; ++e) {
      std::uint32_t s = p.succ[static_cast<std::size_t>(e)];
      if (!run_.complete_input(s)) continue;
      if (!found) {
        best = s;
        found = true;
        continue;
      }
      if (p.rank[s] < p.rank[best]) std::swap(s, best);
      push(lane, s);
    }
    task = best;
    return found;
  }

  void push(int lane, std::uint32_t task) {
    ready_tasks& r = ready_[static_cast<std::size_t>(lane)];
    {
      const std::lock_guard<std::mutex> lock(r.mutex);
      r.tasks.push_back(task);
    }
    epoch_.fetch_add(1, std::memory_order_seq_cst);
    if (sleepers_.load(std::memory_order_seq_cst) > 0) epoch_.notify_one();
  }

  bool pop(ready_tasks& r, bool newest, std::uint32_t& task) {
    const std::lock_guard<std::mutex> lock(r.mutex);
    if (r.oldest == r.tasks.size()) return false;
    if (newest) {
      task = r.tasks.back();
      r.tasks.pop_back();
    } else {
      task = r.tasks[r.oldest++];
    }
    if (r.oldest == r.tasks.size()) {
      r.tasks.clear();
      r.oldest = 0;
    }
    return true;
  }

  bool next_task(int lane, std::uint32_t& task) {
    const auto mine = static_cast<std::size_t>(lane);
    for (;;) {
      const int seen = epoch_.load(std::memory_order_acquire);
      if (run_.finished() || run_.stopping()) return false;
      if (pop(ready_[mine], true, task)) return true;
      for (std::size_t k = 1; k < ready_.size(); ++k) {
        if (pop(ready_[(mine + k) % ready_.size()], false, task)) return true;
      }
      if (run_.next_source(task)) return true;
      if (ready_.size() == 1) return false;
      // nothing to do until another lane makes a task ready or ends the run
      sleepers_.fetch_add(1, std::memory_order_seq_cst);
      if (!run_.finished() && !run_.stopping()) epoch_.wait(seen, std::memory_order_seq_cst);
      sleepers_.fetch_sub(1, std::memory_order_relaxed);
    }
  }

  void wake_all() noexcept {
    epoch_.fetch_add(1, std::memory_order_release);
    epoch_.notify_all();
  }

  run_state& run_;
  std::vector<ready_tasks> ready_;
  std::atomic<int> epoch_{0};
  std::atomic<int> sleepers_{0};
};

}  // namespace ashlar::detail
