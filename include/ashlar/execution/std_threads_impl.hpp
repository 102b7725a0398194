/// \file
/// Lanes on threads of our own.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include <ashlar/error.hpp>
#include <ashlar/execution/concurrency.hpp>
#include <ashlar/execution/job.hpp>
#include <ashlar/execution/worker_seat.hpp>
#include <ashlar/std_threads.hpp>

namespace ashlar {

namespace detail {

/// @throws value_error for a negative or absurd number of workers
inline int worker_count(int asked, const char* name) {
  if (asked < 0 || asked > 4096) {
    throw value_error(std::string(name) + ": workers is " + std::to_string(asked) +
                      "; it is 1 to 4096, or 0 for as many as this process may use");
  }
  return asked == 0 ? available_concurrency() : asked;
}

/// A thread for each lane but the caller's, started when it is first called, asleep while it is parked.
class thread_host : public lane_host {
 public:
  thread_host(job& work, int lane_count)
      : work_(work), count_(lane_count), seats_(std::make_unique<seat[]>(static_cast<std::size_t>(lane_count))) {}
  thread_host(const thread_host&) = delete;
  thread_host& operator=(const thread_host&) = delete;
  ~thread_host() { join(); }

  bool park(int lane) noexcept override {
    std::atomic<bool>& called = seats_[static_cast<std::size_t>(lane)].called;
    called.wait(false, std::memory_order_acquire);
    called.exchange(false, std::memory_order_acq_rel);
    if (ended_.load(std::memory_order_acquire))
      called.store(true, std::memory_order_relaxed);  // and for every later park
    return true;
  }

  bool call(int lane) noexcept override {
    seat& s = seats_[static_cast<std::size_t>(lane)];
    if (lane != 0 && !s.started) {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (closing_) return false;
      try {
        s.started = true;
        s.thread = std::thread([this, lane] { work_.run_lane(lane, *this); });
        return true;
      } catch (...) {  // no more threads: fewer of them do the same work
        return false;
      }
    }
    wake(s);
    return true;
  }

  void finish() noexcept override {
    ended_.store(true, std::memory_order_release);
    for (int lane = 0; lane < count_; ++lane) wake(seats_[static_cast<std::size_t>(lane)]);
  }

 protected:
  /// Starts no thread any more and waits for those that run. The job has ended.
  void join() noexcept {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      closing_ = true;
    }
    const off_seat away;  // their last tasks may wait for what this thread's pool has to do
    for (int lane = 0; lane < count_; ++lane) {
      std::thread& t = seats_[static_cast<std::size_t>(lane)].thread;
      if (t.joinable()) t.join();
    }
  }

 private:
  struct alignas(64) seat {
    std::atomic<bool> called{false};
    bool started = false;  // read and written by who took the lane out of the gate
    std::thread thread;
  };

  static void wake(seat& s) noexcept {
    s.called.store(true, std::memory_order_release);
    s.called.notify_all();
  }

  job& work_;
  int count_;
  std::atomic<bool> ended_{false};
  std::mutex mutex_;
  bool closing_ = false;
  std::unique_ptr<seat[]> seats_;
};

}  // namespace detail

ASHLAR_DETAIL_SEPARATE int std_threads::lanes() const { return detail::worker_count(workers, "std_threads"); }

ASHLAR_DETAIL_SEPARATE void std_threads::execute(detail::job& work) const {
  detail::thread_host host(work, work.lanes());
  work.run_lane(0, host);
}

}  // namespace ashlar
