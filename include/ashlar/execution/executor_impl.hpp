/// \file
/// The serial executor, and what every run of a job has: a stop request, progress, an end.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <stop_token>
#include <string>
#include <system_error>
#include <thread>

#include <ashlar/execution/executor.hpp>
#include <ashlar/execution/job.hpp>
#include <ashlar/execution/time_limit.hpp>
#include <ashlar/execution/watcher.hpp>
#include <ashlar/execution/worker_seat.hpp>

namespace ashlar {

namespace detail {

/// The caller's thread and no other.
class caller_host final : public lane_host {
 public:
  bool park(int) noexcept override { return false; }
  bool call(int) noexcept override { return false; }
  void finish() noexcept override {}
};

}  // namespace detail

ASHLAR_DETAIL_SEPARATE void serial::execute(detail::job& work) const {
  detail::caller_host host;
  work.run_lane(0, host);
}

namespace detail {

/// Throws callback_error with the exception that is being handled nested in it.
[[noreturn]] inline void throw_callback_error() {
  try {
    throw;
  } catch (const std::exception& e) {
    std::throw_with_nested(callback_error(std::string("compute: the progress function threw: ") + e.what()));
  } catch (...) {
    std::throw_with_nested(callback_error("compute: the progress function threw what is no std::exception"));
  }
}

/// Calls the user's progress function from a thread of its own, so that it can neither slow a lane nor re-enter one.
/// The contract is with run_options::progress.
class progress_monitor {
 public:
  /// @throws error when there is no thread to be had
  progress_monitor(job& work, std::int64_t tasks, const watcher* notes,
                   const std::function<void(const progress_info&)>& report)
      : work_(work), tasks_(tasks), notes_(notes), report_(report) {
    if (!report_) return;
    try {
      thread_ = std::thread([this] { watch(); });
    } catch (const std::system_error& e) {
      throw error(std::string("compute: the system gives no thread for the progress function: ") + e.what());
    }
  }
  progress_monitor(const progress_monitor&) = delete;
  progress_monitor& operator=(const progress_monitor&) = delete;
  ~progress_monitor() { stop(); }

  /// Waits for a call that is going on; then there are no more of them.
  void stop() {
    if (!thread_.joinable()) return;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      ended_ = true;
    }
    wake_.notify_all();
    const off_seat away;  // the user's function may wait for tasks of the pool whose worker this thread is
    thread_.join();
  }

  /// The call after the last task; a call before it may have thrown while that task ended.
  void finish() const {
    if (error_ != nullptr) std::rethrow_exception(error_);
    if (!report_) return;
    try {
      report_(now());
    } catch (...) {
      throw_callback_error();
    }
  }

 private:
  progress_info now() const {
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin_;
    progress_info info{work_.done(), tasks_, passed.count()};
    if (notes_ != nullptr) {
      info.bytes_done = notes_->work_done();
      info.bytes = notes_->total_work();
    }
    return info;
  }

  void watch() noexcept {
    std::unique_lock<std::mutex> lock(mutex_);
    while (!wake_.wait_for(lock, std::chrono::milliseconds(100), [this] { return ended_; })) {
      lock.unlock();
      try {
        try {
          report_(now());
        } catch (...) {
          throw_callback_error();
        }
      } catch (...) {
        error_ = std::current_exception();
        work_.fail(error_);
        return;
      }
      lock.lock();
    }
  }

  job& work_;
  std::int64_t tasks_;
  const watcher* notes_;
  const std::function<void(const progress_info&)>& report_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::mutex mutex_;
  std::condition_variable wake_;
  bool ended_ = false;
  std::exception_ptr error_;
  std::thread thread_;
};

ASHLAR_DETAIL_SEPARATE void run_job(const executor_ref& where, job& work, std::int64_t tasks,
                                    const run_options& options, const watcher* notes) {
  const std::stop_callback on_stop(options.stop, [&work] {
    work.fail(
        std::make_exception_ptr(cancelled("compute: stopped on request; the result is incomplete and was dropped")));
  });
  progress_monitor monitor(work, tasks, notes, options.progress);
  {
    const time_limit limit(work, options.timeout);
    where.execute(where.object, work);
  }
  monitor.stop();
  if (!work.finished()) {  // a stop that came after the last task changes nothing
    work.rethrow();
    if (work.outer_stopping()) throw cancelled("compute: the run that this one is part of was stopped");
    throw error(
        "compute: the executor came back before the run had ended; its execute(job) calls job.run_lane(0, host) "
        "and returns when that does");
  }
  monitor.finish();
}

}  // namespace detail
}  // namespace ashlar
