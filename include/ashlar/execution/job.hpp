/// \file
/// What an executor runs, and what it lends for it. A job decides what is done; a host decides which threads do it.
///
/// A job is worked on by lanes, each of them the loop of one thread. Lane 0 belongs to the caller of compute() and
/// stays to the end. The others are only called when there is more to do than the lanes at work can take, and they
/// leave again when they find nothing, so that a run of one task costs no thread and an idle run keeps none. Nothing
/// depends on a lane that was called really coming: with one thread lane 0 does everything.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>
#include <string>
#include <utility>

namespace ashlar::detail {

/// Threads for lanes.
class lane_host {
 public:
  /// For a lane that has nothing to do and has said so (lane_gate). Waits for call(lane) or finish() and returns true,
  /// or returns false at once: then the lane has to leave its thread, and call(lane) starts it on another.
  virtual bool park(int lane) noexcept = 0;

  /// Brings a parked lane back, or starts one that never ran. @returns false when there is no thread for it; the job
  /// goes on without that lane then.
  virtual bool call(int lane) noexcept = 0;

  /// The job has ended: nobody needs to wait in park() any more. May be called more than once.
  virtual void finish() noexcept = 0;

 protected:
  ~lane_host() = default;
};

class job;

/// The job that this thread works for; null outside of jobs.
inline const job*& job_of_this_thread() noexcept {
  static thread_local const job* current = nullptr;
  return current;
}

/// Work for lanes 0 … lanes() - 1. Any thread may ask for its state, stop it, or let it fail.
class job {
 public:
  job() = default;
  job(const job&) = delete;
  job& operator=(const job&) = delete;
  virtual ~job() = default;

  /// The most lanes that may work at once, at least 1.
  virtual int lanes() const noexcept = 0;

  /// Works as that lane. For lane 0 it returns when the job has ended, by success or not; for another one also when the
  /// host does not let it park. A lane is never run twice at once.
  virtual void run_lane(int lane, lane_host& host) noexcept = 0;

  /// Tasks done so far. May be read while the job runs.
  virtual std::int64_t done() const noexcept = 0;

  /// What each lane is at, for messages about runs that take too long. May be called while the job runs.
  virtual std::string describe() const { return std::to_string(done()) + " tasks done"; }

  /// Everything was done.
  bool finished() const noexcept { return finished_.load(std::memory_order_acquire); }

  /// A job that was made in a task of another one stops with it.
  bool stopping() const noexcept { return stop_.load(std::memory_order_relaxed) || outer_stopping(); }

  bool outer_stopping() const noexcept { return outer_ != nullptr && outer_->stopping(); }

  /// Lanes end at their next task. The job is incomplete unless it had finished.
  void stop() noexcept { stop_.store(true, std::memory_order_seq_cst); }

  /// As stop(), for a reason; only the first one is kept.
  void fail(std::exception_ptr error) noexcept {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (error_ == nullptr) error_ = std::move(error);
    }
    stop();
  }

  /// Throws what went wrong; call it once all lanes are quiet.
  void rethrow() const {
    std::exception_ptr error;
    {
      const std::lock_guard<std::mutex> lock(mutex_);  // a stop request may come from any thread
      error = error_;
    }
    if (error != nullptr) std::rethrow_exception(error);
  }

 protected:
  void set_finished() noexcept { finished_.store(true, std::memory_order_seq_cst); }

 private:
  std::atomic<bool> finished_{false};
  std::atomic<bool> stop_{false};
  const job* const outer_ = job_of_this_thread();
  mutable std::mutex mutex_;
  std::exception_ptr error_;
};

/// For the time that a thread runs a lane.
class job_scope {
 public:
  explicit job_scope(const job& work) noexcept : before_(std::exchange(job_of_this_thread(), &work)) {}
  job_scope(const job_scope&) = delete;
  job_scope& operator=(const job_scope&) = delete;
  ~job_scope() { job_of_this_thread() = before_; }

 private:
  const job* before_;
};

}  // namespace ashlar::detail
