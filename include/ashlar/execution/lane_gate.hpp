/// \file
/// Which lanes are parked, and the protocol that loses no wake-up.
///
/// A lane that finds nothing enters itself here, and only then looks once more at everything that could hold work. Who
/// makes work puts it where it can be found, and only then looks here. Each of the two has a fence between its store
/// and its look (Dekker), so at least one of them sees the other. Work is made far more often than lanes park: making
/// it costs one fence and one load, and the mutex is for lanes that come and go.
#pragma once

#include <cstddef>
#include <mutex>
#include <vector>

#include <ashlar/execution/lane_policy.hpp>

namespace ashlar::detail {

template <class Policy = lane_policy>
class lane_gate {
 public:
  /// Lanes 1 … lanes - 1 are parked at the start, lane 0 works.
  explicit lane_gate(int lane_count) {
    parked_.reserve(static_cast<std::size_t>(lane_count));
    for (int lane = lane_count - 1; lane > 0; --lane) parked_.push_back(lane);
    count_.store(lane_count - 1, std::memory_order_relaxed);
  }

  /// For who has made work, after the fence: true when a lane could be called.
  bool anyone() const noexcept { return count_.load(std::memory_order_relaxed) > 0; }

  /// Takes out the lane that parked last, which has the warmest cache. @returns -1 when there is none
  int take() noexcept {
    const std::lock_guard<typename Policy::mutex> lock(mutex_);
    if (parked_.empty()) return -1;
    const int lane = parked_.back();
    parked_.pop_back();
    count_.fetch_sub(1, std::memory_order_relaxed);
    return lane;
  }

  /// Enters a lane; it has to look for work once more now.
  void enter(int lane) noexcept {
    {
      const std::lock_guard<typename Policy::mutex> lock(mutex_);
      parked_.push_back(lane);  // room for all lanes was reserved
      count_.fetch_add(1, std::memory_order_relaxed);
    }
    Policy::fence();
  }

  /// For a lane that has found work after enter(). @returns false when it was called meanwhile
  bool withdraw(int lane) noexcept {
    const std::lock_guard<typename Policy::mutex> lock(mutex_);
    for (std::size_t k = parked_.size(); k-- > 0;) {
      if (parked_[k] != lane) continue;
      parked_.erase(parked_.begin() + static_cast<std::ptrdiff_t>(k));
      count_.fetch_sub(1, std::memory_order_relaxed);
      return true;
    }
    return false;
  }

 private:
  alignas(64) typename Policy::template atomic<int> count_{0};
  typename Policy::mutex mutex_;
  std::vector<int> parked_;
};

}  // namespace ashlar::detail
