/// \file
/// What is noted while a run is watched. A run that nobody watches has no watcher, and a task then costs one branch on
/// a null pointer that is always taken the same way.
///
/// Each lane writes into a lane_watch of its own, so watching needs no lock and no shared cache line. For a progress
/// function a lane only adds up the work that is done. For a report it looks at the clock twice a task (about 0.1 us)
/// and adds up times by group; for a trace it keeps a record of 24 bytes a task, and one for each sample of the bytes
/// in memory. Names are looked up when the run has ended.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <ashlar/memory_resource.hpp>

namespace ashlar::detail {

enum class span_kind : std::uint8_t {
  task,
  failed_task,
  spill,  // blocks go to a file so that the task can run
  load,   // blocks come back for it
  memory  // no span: `duration` holds the bytes that are live at `begin`
};

struct span_record {
  std::int64_t begin;  // nanoseconds since the watcher was made
  std::int64_t duration;
  std::uint32_t task;
  std::uint16_t lane;
  span_kind kind;
};
static_assert(sizeof(span_record) == 24);

/// Tasks in groups that are timed together: the layers of a plan.
struct watched_groups {
  const std::uint32_t* group_of = nullptr;  // by task; null: all in one group
  std::vector<std::int64_t> work;           // bytes that one task of each group stands for in a progress bar
  std::int64_t total_work = 0;
};

struct watch_options {
  bool times = false;       // for a report
  bool records = false;     // for a trace; includes times
  bool every_task = false;  // times of each task, for pictures
};

class watcher;

/// One lane's notes. Only that lane calls, except for work_done().
class alignas(64) lane_watch {
 public:
  /// Nanoseconds since the watcher was made; 0 when nobody wants times.
  std::int64_t now() const noexcept;

  /// Notes what began at `begin`, a value of now(), and ends now.
  void end(std::uint32_t task, std::int64_t begin, span_kind kind) noexcept;

  /// A task that a device says to have taken so long.
  void end_on_device(std::uint32_t task, std::int64_t nanoseconds) noexcept;

  /// As end(), and counts blocks that went to a file for that task.
  void end_spill(std::uint32_t task, std::int64_t begin, std::int64_t blocks, std::int64_t bytes) noexcept {
    end(task, begin, span_kind::spill);
    spills_ += blocks;
    spilled_bytes_ += bytes;
  }

  std::int64_t work_done() const noexcept { return work_done_.load(std::memory_order_relaxed); }

  struct total {
    std::int64_t nanoseconds = 0;
    std::int64_t tasks = 0;
  };

  // once the run has ended
  const std::vector<total>& totals() const noexcept { return totals_; }
  std::int64_t spills() const noexcept { return spills_; }
  std::int64_t spilled_bytes() const noexcept { return spilled_bytes_; }
  /// Records that there was no memory for.
  std::int64_t dropped() const noexcept { return dropped_; }

  template <class F>
  void for_each_record(F f) const {
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
      const std::size_t n = b + 1 < blocks_.size() ? block_length : used_;
      for (std::size_t k = 0; k < n; ++k) f(static_cast<const span_record&>(blocks_[b][k]));
    }
  }

 private:
  friend class watcher;
  static constexpr std::size_t block_length = 4096;
  static constexpr std::int64_t sample_interval = 20000;  // nanoseconds between two looks at the bytes in memory

  void record(const span_record& r) noexcept;

  watcher* all_ = nullptr;
  std::uint16_t number_ = 0;
  std::atomic<std::int64_t> work_done_{0};
  std::vector<total> totals_;  // by group
  std::vector<std::unique_ptr<span_record[]>> blocks_;
  std::size_t used_ = block_length;  // records in the last block
  std::int64_t next_sample_ = 0;
  std::int64_t spills_ = 0;
  std::int64_t spilled_bytes_ = 0;
  std::int64_t dropped_ = 0;
};

/// The notes of all lanes of one run.
class watcher {
 public:
  using clock = std::chrono::steady_clock;

  /// @param memory whose live bytes are sampled, or null; outlives the watcher, as `groups.group_of` does
  watcher(int lane_count, std::uint32_t tasks, watched_groups groups, watch_options options,
          const memory_resource* memory)
      : groups_(std::move(groups)),
        options_(options),
        memory_(memory),
        count_(lane_count),
        lanes_(std::make_unique<lane_watch[]>(static_cast<std::size_t>(lane_count))) {
    options_.times = options_.times || options_.records;
    if (options_.every_task) task_nanoseconds_.resize(tasks);
    for (int k = 0; k < lane_count; ++k) {
      lane_watch& l = lanes_[static_cast<std::size_t>(k)];
      l.all_ = this;
      l.number_ = static_cast<std::uint16_t>(k);
      l.totals_.resize(groups_.work.size());
    }
    begin_ = clock::now();
  }
  watcher(const watcher&) = delete;
  watcher& operator=(const watcher&) = delete;

  int lanes() const noexcept { return count_; }
  lane_watch& lane(int k) noexcept { return lanes_[static_cast<std::size_t>(k)]; }
  const lane_watch& lane(int k) const noexcept { return lanes_[static_cast<std::size_t>(k)]; }

  /// Of total_work(). May be read while the run goes on.
  std::int64_t work_done() const noexcept {
    std::int64_t n = 0;
    for (int k = 0; k < count_; ++k) n += lane(k).work_done();
    return n;
  }
  std::int64_t total_work() const noexcept { return groups_.total_work; }

  std::int64_t nanoseconds() const noexcept {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(clock::now() - begin_).count();
  }

  /// The most bytes that were live at once; 0 when no memory is watched.
  std::int64_t peak_bytes() const noexcept {
    return memory_ != nullptr ? static_cast<std::int64_t>(memory_->peak()) : 0;
  }

  /// Whether anybody wants to know how long things take.
  bool times() const noexcept { return options_.times; }

  /// From the first work to the last on a device, by its own clock.
  void set_device_seconds(double seconds) noexcept { device_seconds_ = seconds; }
  double device_seconds() const noexcept { return device_seconds_; }

  /// By task; empty unless every_task was asked for.
  const std::vector<float>& task_nanoseconds() const noexcept { return task_nanoseconds_; }

 private:
  friend class lane_watch;
  watched_groups groups_;
  watch_options options_;
  const memory_resource* memory_;
  int count_;
  std::unique_ptr<lane_watch[]> lanes_;
  std::vector<float> task_nanoseconds_;  // each is written by the one lane that runs the task
  clock::time_point begin_;
  double device_seconds_ = 0;
};

inline void lane_watch::end_on_device(std::uint32_t task, std::int64_t nanoseconds) noexcept {
  const std::uint32_t group = all_->groups_.group_of != nullptr ? all_->groups_.group_of[task] : 0;
  totals_[group].nanoseconds += nanoseconds;
  ++totals_[group].tasks;
  if (all_->options_.every_task) all_->task_nanoseconds_[task] = static_cast<float>(nanoseconds);
  if (all_->options_.records) record({all_->nanoseconds() - nanoseconds, nanoseconds, task, number_, span_kind::task});
}

inline std::int64_t lane_watch::now() const noexcept { return all_->options_.times ? all_->nanoseconds() : 0; }

inline void lane_watch::end(std::uint32_t task, std::int64_t begin, span_kind kind) noexcept {
  const std::uint32_t group = all_->groups_.group_of != nullptr ? all_->groups_.group_of[task] : 0;
  const bool is_task = kind == span_kind::task || kind == span_kind::failed_task;
  if (is_task) {
    work_done_.store(work_done_.load(std::memory_order_relaxed) + all_->groups_.work[group], std::memory_order_relaxed);
    ++totals_[group].tasks;
  }
  if (!all_->options_.times) return;
  const std::int64_t end = all_->nanoseconds();
  if (is_task) {
    totals_[group].nanoseconds += end - begin;
    if (all_->options_.every_task) all_->task_nanoseconds_[task] = static_cast<float>(end - begin);
  }
  if (!all_->options_.records) return;
  record({begin, end - begin, task, number_, kind});
  if (all_->memory_ == nullptr || end < next_sample_) return;
  next_sample_ = end + sample_interval;
  record({end, static_cast<std::int64_t>(all_->memory_->allocated()), task, number_, span_kind::memory});
}

inline void lane_watch::record(const span_record& r) noexcept {
  if (used_ == block_length) {
    try {
      blocks_.reserve(blocks_.size() + 1 + blocks_.size() / 2);
      blocks_.push_back(std::make_unique_for_overwrite<span_record[]>(block_length));
      used_ = 0;
    } catch (...) {  // no reason to lose the run
      ++dropped_;
      return;
    }
  }
  blocks_.back()[used_++] = r;
}

/// Counts what a watched run takes from another resource.
class watched_memory final : public memory_resource {
 public:
  explicit watched_memory(memory_resource& from) : from_(from) {}
  place where() const noexcept override { return from_.where(); }

 private:
  void* do_allocate(std::size_t bytes) override { return from_.allocate(bytes); }
  void do_release(void* data, std::size_t bytes) noexcept override { from_.release(data, bytes); }

  memory_resource& from_;
};

}  // namespace ashlar::detail
