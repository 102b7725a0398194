// What stays of a simulated device between runs: its memory, how it is to behave, and what is known of its calls.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>

#include <ashlar/execution/plan_executor.hpp>
#include <ashlar/memory_resource.hpp>

#include "simulated_memory.hpp"

namespace simulated_device {

namespace dt = ashlar::detail;

/// When what was asked for is done.
enum class pace : std::uint8_t {
  at_once,    // in the call
  random,     // in a later call, at the latest in wait()
  late,       // in wait()
  own_thread  // by a thread of the device, with random delays
};

struct settings {
  std::int64_t bytes = std::int64_t{1} << 20;
  pace when = pace::random;
  std::uint64_t seed = 1;
  bool fills = true;           // generators have code for the device
  bool fused = true;           // reductions compute the expressions that they reduce
  bool user_functions = true;  // functions that a user wrote have code for the device
  std::int64_t fail_at = 0;    // this call of the interface fails, counted from 1
  bool lost = false;           // all after it, too
  bool allocate_throws = false;
};

/// What outlives runs: the memory, and what is known of the calls.
class machine final : public dt::plan_executor, private ashlar::memory_resource {
 public:
  explicit machine(int index) : index_(index), memory_(place(), 0) {}

  ashlar::place place() const noexcept override { return ashlar::place::device(index_); }
  std::unique_ptr<dt::plan_job> prepare(dt::run_state& run, std::int64_t memory_limit) const override;

  ashlar::memory_resource& resource() noexcept { return *this; }

  /// Fails when its number is the one.
  void call(const std::string& what) {
    const std::int64_t n = ++calls_;
    if (n == chosen.fail_at || (chosen.lost && chosen.fail_at > 0 && n > chosen.fail_at)) {
      throw ashlar::device_error("simulated " + to_string(place()) + ": call " + std::to_string(n) + ", " + what +
                                 ", fails as was asked for");
    }
  }

  std::int64_t calls() const noexcept { return calls_; }
  void count_anew() noexcept { calls_ = 0; }

  std::int64_t live_bytes() {
    const std::lock_guard lock(mutex_);
    return memory_.live();
  }
  /// The first breach of the rules; empty when there was none.
  std::string fault() {
    const std::lock_guard lock(mutex_);
    return fault_;
  }
  void note(const std::string& fault) {
    if (fault_.empty()) fault_ = fault;
  }

  /// New manners, and no fault so far.
  void start(const settings& s) {
    const std::lock_guard lock(mutex_);
    chosen = s;
    memory_.resize(s.bytes);
    fault_.clear();
  }

  std::mutex& mutex() noexcept { return mutex_; }
  shadowed_memory& memory() noexcept { return memory_; }

  settings chosen;

 private:
  ashlar::place where() const noexcept override { return place(); }
  void* do_allocate(std::size_t bytes) override {
    call("allocation of " + std::to_string(bytes) + " bytes that stay");
    const std::lock_guard lock(mutex_);
    void* const data = memory_.take(static_cast<std::int64_t>(bytes));
    if (data == nullptr) {
      throw ashlar::memory_error(std::to_string(bytes) + " bytes on " + to_string(place()) +
                                 " do not fit: " + std::to_string(memory_.live()) + " of " +
                                 std::to_string(memory_.size()) + " are in use");
    }
    return data;
  }
  void do_release(void* data, std::size_t bytes) noexcept override {
    const std::lock_guard lock(mutex_);
    try {
      memory_.give_back(data, static_cast<std::int64_t>(bytes));
      memory_.drop(data);
    } catch (const violation& e) {
      note(e.what());
    }
  }

  int index_;
  std::mutex mutex_;
  shadowed_memory memory_;
  std::string fault_;
  std::atomic<std::int64_t> calls_{0};
};

/// All machines there ever were, by index; arrays may outlive the executor that made them.
inline machine& machine_at(int index) {
  static std::mutex mutex;
  static auto* const all = new std::deque<machine>;
  const std::lock_guard lock(mutex);
  while (static_cast<int>(all->size()) <= index) all->emplace_back(static_cast<int>(all->size()));
  return (*all)[static_cast<std::size_t>(index)];
}

}  // namespace simulated_device
