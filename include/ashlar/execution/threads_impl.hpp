/// \file
/// Lanes on oneTBB's threads.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <ashlar/execution/std_threads_impl.hpp>
#include <ashlar/threads.hpp>

namespace ashlar {

namespace detail {

/// Counts workers in; a worker that TBB starts after the run has ended finds the door closed. Outlives the run.
class lane_door {
 public:
  bool enter() noexcept {
    std::int64_t s = state_.load(std::memory_order_acquire);
    do {
      if (s < 0) return false;
    } while (!state_.compare_exchange_weak(s, s + 1, std::memory_order_acq_rel));
    return true;
  }

  void leave() noexcept {
    state_.fetch_sub(1, std::memory_order_acq_rel);
    state_.notify_all();
  }

  /// Lets nobody in any more and waits until everybody has left.
  void close() noexcept {
    std::int64_t s = state_.fetch_sub(closed, std::memory_order_acq_rel) - closed;
    while (s != -closed) {
      state_.wait(s, std::memory_order_acquire);
      s = state_.load(std::memory_order_acquire);
    }
  }

 private:
  static constexpr std::int64_t closed = std::int64_t{1} << 40;
  std::atomic<std::int64_t> state_{0};
};

/// Closes a door on every way out, so that no worker is left in a run that unwinds.
class door_guard {
 public:
  explicit door_guard(lane_door& door) : door_(door) {}
  door_guard(const door_guard&) = delete;
  door_guard& operator=(const door_guard&) = delete;
  ~door_guard() { door_.close(); }

 private:
  lane_door& door_;
};

/// Arenas live as long as the process: making one costs more than a small run.
inline tbb::task_arena& lane_arena(int size) {
  struct arenas {
    std::mutex mutex;
    std::vector<std::pair<int, std::unique_ptr<tbb::task_arena>>> list;
  };
  static arenas* const all = new arenas;  // never destroyed: workers may outlive static objects
  const std::lock_guard<std::mutex> lock(all->mutex);
  for (const auto& [n, arena] : all->list) {
    if (n == size) return *arena;
  }
  all->list.emplace_back(size, std::make_unique<tbb::task_arena>(size, 1));
  return *all->list.back().second;
}

}  // namespace detail

ASHLAR_DETAIL_SEPARATE int threads::lanes() const { return detail::worker_count(workers, "threads"); }

ASHLAR_DETAIL_SEPARATE void threads::execute(detail::run_state& run) const {
  const int n = run.plan().lanes;
  detail::lane_set set(run, n);
  if (n == 1) {
    set.run_lane(0);
    return;
  }
  // TBB has as many threads as the process may use; lanes that are asked for beyond that get threads of their own.
  const auto allowed =
      static_cast<int>(tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism));
  const int borrowed = n < allowed ? n : allowed;
  const auto door = std::make_shared<detail::lane_door>();
  std::vector<std::jthread> others;
  others.reserve(static_cast<std::size_t>(n));
  const detail::door_guard guard(*door);
  if (borrowed > 1) {
    tbb::task_arena& arena = detail::lane_arena(borrowed);
    for (int lane = 1; lane < borrowed; ++lane) {
      arena.enqueue([door, lane, &set] {
        if (!door->enter()) return;
        set.run_lane(lane);
        door->leave();
      });
    }
  }
  for (int lane = borrowed; lane < n; ++lane) detail::start_lane(others, set, lane);
  set.run_lane(0);
}

}  // namespace ashlar
