/// \file
/// What changes while a plan runs: blocks, who still needs them, and where results go.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <ashlar/execution/results.hpp>
#include <ashlar/execution/scratch.hpp>
#include <ashlar/execution/watcher.hpp>
#include <ashlar/graph/plan.hpp>
#include <ashlar/graph/region.hpp>
#include <ashlar/memory.hpp>

namespace ashlar::detail {

class run_state {
 public:
  /// One target a root for results that are arrays, one sink a root for results that go to sinks.
  run_state(std::shared_ptr<const detail::plan> p, std::vector<result_target> targets, std::vector<block_sink*> sinks,
            memory_resource& resource)
      : plan_(std::move(p)), targets_(std::move(targets)), sinks_(std::move(sinks)), resource_(&resource) {
    const std::uint32_t n = plan_->tasks();
    uses_ = std::make_unique<std::atomic<std::uint32_t>[]>(n);
    chunks_ = std::make_unique<void*[]>(n);
    for (std::uint32_t t = 0; t < n; ++t) {
      uses_[t].store(plan_->graph.succ_begin[t + 1] - plan_->graph.succ_begin[t], std::memory_order_relaxed);
    }
    for (std::size_t r = 0; r < plan_->root_value.size(); ++r) {  // blocks that are kept have a user more
      if (plan_->results != result_kind::blocks) break;
      const layer& l = plan_->layers[static_cast<std::size_t>(plan_->root_value[r].first)];
      for (std::int64_t t = l.first_task; t < l.first_task + l.task_count; ++t)
        uses_[static_cast<std::size_t>(t)].fetch_add(1, std::memory_order_relaxed);
    }
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

  /// What is noted of the run, or null.
  watcher* notes() const noexcept { return notes_; }
  void watch(watcher* notes) noexcept { notes_ = notes; }

  const result_target& target(int root) const { return targets_[static_cast<std::size_t>(root)]; }

  block_sink& sink(int root) const { return *sinks_[static_cast<std::size_t>(root)]; }

  void* chunk(std::uint32_t task) const noexcept { return chunks_[task]; }
  void set_chunk(std::uint32_t task, void* data) noexcept { chunks_[task] = data; }

  /// Gives a block to the caller, who must release it to resource().
  void* detach_chunk(std::uint32_t task) noexcept { return std::exchange(chunks_[task], nullptr); }

  /// True for the caller that was the last to use the block of `task`.
  bool drop_use(std::uint32_t task) noexcept { return uses_[task].fetch_sub(1, std::memory_order_acq_rel) == 1; }

 private:
  std::shared_ptr<const detail::plan> plan_;
  std::vector<result_target> targets_;
  std::vector<block_sink*> sinks_;
  memory_resource* resource_;
  std::unique_ptr<std::atomic<std::uint32_t>[]> uses_;
  std::unique_ptr<void*[]> chunks_;
  std::uint32_t first_placed_ = 0;
  std::uint32_t end_placed_ = 0;
  watcher* notes_ = nullptr;
};

/// What a lane owns.
struct lane_memory {
  explicit lane_memory(memory_resource& resource) : scratch(resource), blocks(resource) {}
  /// With the lane's part of what is noted of the run.
  lane_memory(const run_state& run, int lane) : lane_memory(run.resource()) {
    if (run.notes() != nullptr) notes = &run.notes()->lane(lane);
  }

  scratch_stack scratch;
  block_cache blocks;
  lane_watch* notes = nullptr;
};

}  // namespace ashlar::detail
