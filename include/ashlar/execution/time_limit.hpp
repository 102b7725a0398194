/// \file
/// Stops a job that has taken too long.
#pragma once

#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>

#include <ashlar/error.hpp>
#include <ashlar/execution/job.hpp>
#include <ashlar/execution/time_span.hpp>

namespace ashlar::detail {

/// While it lives, fails the job with a timeout_error when `limit` has passed. Costs a thread when there is a limit; 0
/// and more than a year are none.
class time_limit {
 public:
  /// @throws value_error for a negative limit or one that is no number; error when there is no thread to be had
  time_limit(job& work, std::chrono::duration<double> limit) {
    check_time(limit, "compute: the timeout");
    if (!is_time_limit(limit)) return;
    try {
      thread_ = std::thread([this, &work, limit] { watch(work, limit); });
    } catch (const std::system_error& e) {
      throw error(std::string("compute: the system gives no thread for the timeout: ") + e.what());
    }
  }
  time_limit(const time_limit&) = delete;
  time_limit& operator=(const time_limit&) = delete;
  ~time_limit() {
    if (!thread_.joinable()) return;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      ended_ = true;
    }
    wake_.notify_all();
    thread_.join();
  }

 private:
  void watch(job& work, std::chrono::duration<double> limit) noexcept {
    std::unique_lock<std::mutex> lock(mutex_);
    if (wake_.wait_for(lock, limit, [this] { return ended_; })) return;
    try {
      throw timeout_error("compute: not done after " + std::to_string(limit.count()) + " s: " + work.describe());
    } catch (...) {
      work.fail(std::current_exception());
    }
  }

  std::mutex mutex_;
  std::condition_variable wake_;
  bool ended_ = false;
  std::thread thread_;
};

}  // namespace ashlar::detail
