/// \file
/// Lanes on oneTBB's threads.
///
/// A lane that is called is enqueued in an arena, where TBB takes it only at the outermost level: a kernel that waits
/// for a nested loop cannot come upon another lane and bury its own task under it. Whether TBB has a thread to take it
/// is TBB's affair. The caller waits only for lanes that have entered; one that TBB takes up later finds the door
/// closed.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
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

  /// Only while nobody else knows of the door.
  void open() noexcept { state_.store(0, std::memory_order_release); }

 private:
  static constexpr std::int64_t closed = std::int64_t{1} << 40;
  std::atomic<std::int64_t> state_{0};
};

/// What is shared by all runs of the process. Never destroyed: TBB's workers may outlive static objects, and a lane
/// that was enqueued and never taken keeps its door.
class lane_arenas {
 public:
  static lane_arenas& all() {
    static lane_arenas* const shared = new lane_arenas;
    return *shared;
  }

  /// Arenas live as long as the process: making one costs more than a small run.
  tbb::task_arena& arena(int size) {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (const auto& [n, arena] : arenas_) {
      if (n == size) return *arena;
    }
    arenas_.emplace_back(size, std::make_unique<tbb::task_arena>(size, 1));
    return *arenas_.back().second;
  }

  /// An open door. Doors that no lane holds any more are used again.
  std::shared_ptr<lane_door> door() {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (const std::shared_ptr<lane_door>& d : doors_) {
      if (d.use_count() != 1) continue;  // 1: nobody but this list, and only this list could give it away
      std::atomic_thread_fence(std::memory_order_acquire);
      d->open();
      return d;
    }
    doors_.push_back(std::make_shared<lane_door>());
    return doors_.back();
  }

 private:
  std::mutex mutex_;
  std::vector<std::pair<int, std::unique_ptr<tbb::task_arena>>> arenas_;
  std::vector<std::shared_ptr<lane_door>> doors_;
};

/// Lanes below `borrowed` are TBB's; more lanes than TBB has threads get threads of their own.
class arena_host final : public thread_host {
 public:
  arena_host(job& work, int lane_count, int borrowed)
      : thread_host(work, lane_count),
        work_(work),
        borrowed_(borrowed),
        arena_(lane_arenas::all().arena(borrowed)),
        door_(lane_arenas::all().door()) {}
  ~arena_host() {
    {
      const off_seat away;  // as in join()
      door_->close();
    }
    join();
  }

  bool park(int lane) noexcept override { return is_borrowed(lane) ? false : thread_host::park(lane); }

  bool call(int lane) noexcept override {
    if (!is_borrowed(lane)) return thread_host::call(lane);
    try {
      arena_.enqueue([door = door_, lane, this] {
        if (!door->enter()) return;
        tbb::this_task_arena::isolate([lane, this] { work_.run_lane(lane, *this); });
        door->leave();
      });
      return true;
    } catch (...) {  // no memory for TBB's task
      return false;
    }
  }

 private:
  bool is_borrowed(int lane) const noexcept { return lane > 0 && lane < borrowed_; }

  job& work_;
  int borrowed_;
  tbb::task_arena& arena_;
  std::shared_ptr<lane_door> door_;
};

}  // namespace detail

namespace detail {

/// Threads that TBB may use in this process.
inline int tbb_threads() {
  return static_cast<int>(tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism));
}

}  // namespace detail

ASHLAR_DETAIL_SEPARATE int threads::lanes() const {
  const int n = detail::worker_count(workers, "threads");
  if (workers != 0) return n;
  const int allowed = detail::tbb_threads();
  return n < allowed ? n : allowed;
}

ASHLAR_DETAIL_SEPARATE void threads::execute(detail::job& work) const {
  const int n = work.lanes();
  const int allowed = detail::tbb_threads();
  const int borrowed = n < allowed ? n : allowed;
  if (borrowed <= 1) {
    detail::thread_host host(work, n);
    work.run_lane(0, host);
    return;
  }
  detail::arena_host host(work, n, borrowed);
  tbb::this_task_arena::isolate([&work, &host] { work.run_lane(0, host); });
}

}  // namespace ashlar
