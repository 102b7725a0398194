/// \file
/// What changes while a plan runs: counters, blocks, results, the first error.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include <ashlar/error.hpp>
#include <ashlar/execution/results.hpp>
#include <ashlar/execution/scratch.hpp>
#include <ashlar/graph/plan.hpp>
#include <ashlar/graph/region.hpp>
#include <ashlar/memory.hpp>

namespace ashlar::detail {

/// Counters of one lane, on a cache line of their own; others only read them.
struct alignas(64) lane_counters {
  std::atomic<std::int64_t> tasks{0};
};

class run_state {
 public:
  /// One target a root for results that are arrays, one sink a root for results that go to sinks.
  run_state(std::shared_ptr<const detail::plan> p, std::vector<result_target> targets, std::vector<block_sink*> sinks,
            memory_resource& resource)
      : plan_(std::move(p)), targets_(std::move(targets)), sinks_(std::move(sinks)), resource_(&resource) {
    const std::uint32_t n = plan_->tasks();
    pending_ = std::make_unique<std::atomic<std::uint32_t>[]>(n);
    uses_ = std::make_unique<std::atomic<std::uint32_t>[]>(n);
    chunks_ = std::make_unique<void*[]>(n);
    for (std::uint32_t t = 0; t < n; ++t) {
      pending_[t].store(static_cast<std::uint32_t>(plan_->pred_begin[t + 1] - plan_->pred_begin[t]),
                        std::memory_order_relaxed);
      uses_[t].store(static_cast<std::uint32_t>(plan_->succ_begin[t + 1] - plan_->succ_begin[t]),
                     std::memory_order_relaxed);
    }
    for (std::size_t r = 0; r < plan_->root_value.size(); ++r) {  // blocks that are kept have a user more
      if (plan_->results != result_kind::blocks) break;
      const layer& l = plan_->layers[static_cast<std::size_t>(plan_->root_value[r].first)];
      for (std::int64_t t = l.first_task; t < l.first_task + l.task_count; ++t)
        uses_[static_cast<std::size_t>(t)].fetch_add(1, std::memory_order_relaxed);
    }
    sinks_left_.store(plan_->sinks, std::memory_order_relaxed);
    if (plan_->sinks == 0) finished_.store(true, std::memory_order_relaxed);
    counters_ = std::make_unique<lane_counters[]>(static_cast<std::size_t>(plan_->lanes));
  }
  run_state(const run_state&) = delete;
  run_state& operator=(const run_state&) = delete;

  /// Frees what a failed run left.
  ~run_state() {
    for (std::uint32_t t = 0; t < plan_->tasks(); ++t) {
      if (chunks_[t] != nullptr && (t < first_placed_ || t >= end_placed_)) {
        resource_->release(chunks_[t], static_cast<std::size_t>(plan_->chunk_bytes[t]));
      }
    }
  }

  /// Bytes that place_blocks() needs for a layer.
  std::int64_t placed_bytes(const layer& l) const {
    std::int64_t bytes = 0;
    for (std::int64_t t = l.first_task; t < l.first_task + l.task_count; ++t) {
      bytes += round_up(plan_->chunk_bytes[static_cast<std::size_t>(t)], 64);
    }
    return bytes;
  }

  /// Before the run: the blocks of `l` are to lie one behind the other at `memory`, which stays the caller's. Many
  /// small blocks then share huge pages.
  void place_blocks(const layer& l, unsigned char* memory) {
    first_placed_ = static_cast<std::uint32_t>(l.first_task);
    end_placed_ = static_cast<std::uint32_t>(l.first_task + l.task_count);
    for (std::uint32_t t = first_placed_; t < end_placed_; ++t) {
      chunks_[t] = memory;
      memory += round_up(plan_->chunk_bytes[t], 64);
    }
  }

  const detail::plan& plan() const noexcept { return *plan_; }
  memory_resource& resource() const noexcept { return *resource_; }
  const result_target& target(int root) const { return targets_[static_cast<std::size_t>(root)]; }

  block_sink& sink(int root) const { return *sinks_[static_cast<std::size_t>(root)]; }

  void* chunk(std::uint32_t task) const noexcept { return chunks_[task]; }
  void set_chunk(std::uint32_t task, void* data) noexcept { chunks_[task] = data; }

  /// Gives a block to the caller, who must release it to resource().
  void* detach_chunk(std::uint32_t task) noexcept { return std::exchange(chunks_[task], nullptr); }

  /// True for the caller that made `task` ready.
  bool complete_input(std::uint32_t task) noexcept {
    return pending_[task].fetch_sub(1, std::memory_order_acq_rel) == 1;
  }

  /// True for the caller that was the last to use the block of `task`.
  bool drop_use(std::uint32_t task) noexcept { return uses_[task].fetch_sub(1, std::memory_order_acq_rel) == 1; }

  /// @returns true when that was the last task of the run
  bool complete_sink() noexcept {
    if (sinks_left_.fetch_sub(1, std::memory_order_acq_rel) != 1) return false;
    finished_.store(true, std::memory_order_release);
    return true;
  }

  bool finished() const noexcept { return finished_.load(std::memory_order_acquire); }
  bool stopping() const noexcept { return stop_.load(std::memory_order_relaxed); }

  /// Keeps the first error; the run ends at the next task of each lane.
  void fail(std::exception_ptr error) noexcept {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (error_ == nullptr) error_ = std::move(error);
    }
    stop_.store(true, std::memory_order_release);
    finished_.store(true, std::memory_order_release);
  }

  void set_stop_token(std::stop_token token) { token_ = std::move(token); }
  bool stop_requested() const noexcept { return token_.stop_requested(); }

  /// Throws what went wrong, once all lanes are quiet.
  void rethrow() const {
    if (error_ != nullptr) std::rethrow_exception(error_);
  }

  /// The next source task in order, or false.
  bool next_source(std::uint32_t& task) noexcept {
    const std::size_t k = cursor_.fetch_add(1, std::memory_order_relaxed);
    if (k >= plan_->sources.size()) return false;
    task = plan_->sources[k];
    return true;
  }

  lane_counters& counters(int lane) noexcept { return counters_[static_cast<std::size_t>(lane)]; }

  /// Tasks done so far, of plan().tasks(). May be read while the run goes on.
  std::int64_t done() const noexcept {
    std::int64_t n = 0;
    for (int i = 0; i < plan_->lanes; ++i)
      n += counters_[static_cast<std::size_t>(i)].tasks.load(std::memory_order_relaxed);
    return n;
  }

 private:
  std::shared_ptr<const detail::plan> plan_;
  std::vector<result_target> targets_;
  std::vector<block_sink*> sinks_;
  memory_resource* resource_;
  std::unique_ptr<std::atomic<std::uint32_t>[]> pending_;
  std::unique_ptr<std::atomic<std::uint32_t>[]> uses_;
  std::unique_ptr<void*[]> chunks_;
  std::uint32_t first_placed_ = 0;
  std::uint32_t end_placed_ = 0;
  std::unique_ptr<lane_counters[]> counters_;
  alignas(64) std::atomic<std::size_t> cursor_{0};
  alignas(64) std::atomic<std::int64_t> sinks_left_{0};
  std::atomic<bool> finished_{false};
  std::atomic<bool> stop_{false};
  std::stop_token token_;
  std::mutex mutex_;
  std::exception_ptr error_;
};

/// What a lane owns.
struct lane_memory {
  explicit lane_memory(memory_resource& resource) : scratch(resource), blocks(resource) {}
  scratch_stack scratch;
  block_cache blocks;
};

}  // namespace ashlar::detail
