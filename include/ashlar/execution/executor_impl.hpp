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
#include <thread>

#include <ashlar/execution/executor.hpp>
#include <ashlar/execution/job.hpp>
#include <ashlar/execution/time_limit.hpp>

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

/// Calls the user's progress function from a thread of its own, so that it can neither slow a lane nor re-enter one.
class progress_monitor {
 public:
  progress_monitor(const job& work, std::int64_t tasks, const std::function<void(const progress_info&)>& report)
      : work_(work), tasks_(tasks), report_(report) {
    if (report_) thread_ = std::thread([this] { watch(); });
  }
  ~progress_monitor() { stop(); }

  /// After the last task: reports once more. What the user's function throws is thrown here.
  void finish() {
    stop();
    if (error_ != nullptr) std::rethrow_exception(error_);
    if (report_) report_(now());
  }

 private:
  void stop() {
    if (!thread_.joinable()) return;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      ended_ = true;
    }
    wake_.notify_all();
    thread_.join();
  }

  progress_info now() const {
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin_;
    return {work_.done(), tasks_, passed.count()};
  }

  void watch() {
    std::unique_lock<std::mutex> lock(mutex_);
    while (!wake_.wait_for(lock, std::chrono::milliseconds(100), [this] { return ended_; })) {
      lock.unlock();
      try {
        report_(now());
      } catch (...) {
        error_ = std::current_exception();
        return;
      }
      lock.lock();
    }
  }

  const job& work_;
  std::int64_t tasks_;
  const std::function<void(const progress_info&)>& report_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::mutex mutex_;
  std::condition_variable wake_;
  bool ended_ = false;
  std::exception_ptr error_;
  std::thread thread_;
};

ASHLAR_DETAIL_SEPARATE void run_job(const executor_ref& where, job& work, std::int64_t tasks,
                                    const run_options& options) {
  const std::stop_callback on_stop(options.stop, [&work] {
    work.fail(
        std::make_exception_ptr(cancelled("compute: stopped on request; the result is incomplete and was dropped")));
  });
  progress_monitor monitor(work, tasks, options.progress);
  {
    const time_limit limit(work, options.timeout);
    where.execute(where.object, work);
  }
  if (!work.finished()) work.rethrow();  // a stop that came after the last task changes nothing
  monitor.finish();
}

}  // namespace detail
}  // namespace ashlar
