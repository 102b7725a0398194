/// \file
/// The loop of lanes for a run that must not hold more than so many bytes in blocks.
///
/// One lock, a heap of ready tasks by rank, and one rule. Let R be what one lane holds at most when it follows the
/// order, and the *frontier* the lowest rank that has not ended. The task of the frontier may always start: all that it
/// reads is there. Any other one must fit into `limit - R` together with the other blocks that were made *ahead* of the
/// frontier. Blocks of lower ranks than the frontier that are still held are those which one lane would hold there too,
/// so they and the frontier's own block take at most R; what is ahead takes at most `limit - R`. Hence:
///
/// - Held bytes never pass the limit.
/// - Nothing waits for ever: a lane only parks while another runs a task, and when none runs the frontier is ready.
///
/// When the limit is below R, blocks go to a file (execution/resident_set.hpp). Then the frontier's task starts as soon
/// as the blocks that running tasks use leave room for what it needs, others only when that needs no room to be made,
/// and not while the frontier waits.
///
/// Cost: the lock and a few operations on the heap for each task; runs that need no limit use graph_job.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <limits>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <ashlar/execution/job.hpp>
#include <ashlar/execution/ready_tasks.hpp>
#include <ashlar/execution/resident_set.hpp>
#include <ashlar/execution/run.hpp>
#include <ashlar/execution/run_budget.hpp>
#include <ashlar/execution/worker_seat.hpp>
#include <ashlar/graph/memory_use.hpp>
#include <ashlar/host_memory.hpp>
#include <ashlar/io/unnamed_file.hpp>

namespace ashlar::detail {

/// What a bounded run did, beside its result.
struct bounded_counts {
  std::int64_t peak_bytes = 0;  // most bytes in blocks at once
  std::int64_t waits = 0;       // times that a lane found tasks ready and none that fitted
  std::int64_t blocks_written = 0;
  std::int64_t blocks_read = 0;
  std::int64_t bytes_written = 0;
  std::int64_t bytes_read = 0;
};

/// `Body` has `void run(int lane, std::uint32_t task)`, which makes the task's block and releases those that it was the
/// last to read; what it throws ends the job; and `std::string describe(std::uint32_t task) const`.
template <class Body>
class bounded_job final : public job {
 public:
  /// @pre budget.blocks is at least the serial peak of the plan, or the budget says that the run spills
  bounded_job(run_state& run, Body& body, const run_budget& budget, std::string directory = {})
      : plan_(run.plan()),
        body_(body),
        lane_count_(budget.lanes),
        limit_(budget.blocks),
        notes_(run.notes()),
        done_lanes_(static_cast<std::size_t>(budget.lanes)) {
    const std::uint32_t n = plan_.tasks();
    missing_ = plan_.graph.waits;
    uses_.resize(n);
    for (std::uint32_t t = 0; t < n; ++t) uses_[t] = plan_.graph.succ_begin[t + 1] - plan_.graph.succ_begin[t];
    ended_.assign(n, 0);
    started_.assign(n, 0);
    next_root_ = plan_.graph.edges();
    if (budget.mode == run_mode::spilling) {
      if (directory.empty()) directory = temporary_directory();
      resident_ = std::make_unique<resident_set>(run, budget.blocks, std::move(directory));
    } else {
      slack_ = budget.blocks - plan_.stats.serial_bytes;
    }
    parked_.reserve(static_cast<std::size_t>(lane_count_));
    for (int lane = lane_count_ - 1; lane > 0; --lane) parked_.push_back(lane);
    if (n == 0) set_finished();
  }

  int lanes() const noexcept override { return lane_count_; }

  std::int64_t done() const noexcept override {
    std::int64_t n = 0;
    for (const lane_count& l : done_lanes_) n += l.tasks.load(std::memory_order_relaxed);
    return n;
  }

  std::string describe() const override {
    std::string text = std::to_string(done()) + " of " + std::to_string(plan_.tasks()) + " tasks done";
    for (std::size_t i = 0; i < done_lanes_.size(); ++i) {
      const std::uint32_t task = done_lanes_[i].current.load(std::memory_order_relaxed);
      if (task != no_task) text += "; lane " + std::to_string(i) + " runs " + body_.describe(task);
    }
    return text;
  }

  /// Once the run is over.
  bounded_counts counts() const noexcept {
    bounded_counts c;
    c.waits = waits_;
    c.peak_bytes = peak_;
    if (resident_ != nullptr) {
      c.peak_bytes = resident_->peak();
      c.blocks_written = resident_->writes();
      c.blocks_read = resident_->reads();
      c.bytes_written = resident_->written_bytes();
      c.bytes_read = resident_->read_bytes();
    }
    return c;
  }

  void run_lane(int lane, lane_host& host) noexcept override {
    const job_scope scope(*this);
    try {
      work(lane, host);
    } catch (...) {
      fail(std::current_exception());
    }
    if (finished() || stopping()) host.finish();
  }

 private:
  using lock_type = std::unique_lock<std::mutex>;

  static constexpr std::uint32_t no_task = std::numeric_limits<std::uint32_t>::max();

  struct alignas(64) lane_count {
    std::atomic<std::int64_t> tasks{0};
    std::atomic<std::uint32_t> current{no_task};
  };

  /// Ready tasks that are looked at for one that fits; the first entries of the heap.
  static constexpr std::size_t looks = 15;
  static constexpr std::size_t from_roots = static_cast<std::size_t>(-1);

  struct choice {
    bool found = false;
    std::uint32_t rank = 0;
    std::size_t at = 0;  // in ready_, or from_roots
  };

  void work(int lane, lane_host& host) {
    lock_type lock(mutex_);
    while (!finished() && !stopping()) {
      const choice next = choose();
      if (!next.found) {
        if (!ready_.empty() || roots_left()) ++waits_;
        if (lane_count_ == 1) return;  // cannot be: with one lane the frontier is ready
        parked_.push_back(lane);       // room for all was reserved
        lock.unlock();
        {
          const off_seat away;  // as in graph_job
          if (!host.park(lane)) return;
        }
        lock.lock();
        continue;
      }
      const std::uint32_t task = plan_.order[next.rank];
      take(next);
      if (resident_ != nullptr && moving_) make_room(lock, lane, task);
      const int other = lane_to_call();
      const std::int64_t room = limit_ - held();
      lock.unlock();
      if (other >= 0) host.call(other);
      // released blocks that wait for reuse are memory of the process too
      if (live_bytes(plan_, task) >= (1 << 15)) host_memory().trim(static_cast<std::size_t>(room > 0 ? room : 0));
      lane_count& me = done_lanes_[static_cast<std::size_t>(lane)];
      me.current.store(task, std::memory_order_relaxed);
      body_.run(lane, task);
      me.current.store(no_task, std::memory_order_relaxed);
      me.tasks.store(me.tasks.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
      lock.lock();
      end(task);
    }
  }

  bool roots_left() const noexcept { return next_root_ < plan_.graph.edges() + plan_.graph.roots; }

  std::int64_t held() const noexcept { return resident_ != nullptr ? resident_->held() : held_; }

  /// A ready task that may start now, preferably the lowest.
  choice choose() const noexcept {
    choice best;
    const auto consider = [&](std::uint32_t rank, std::size_t at) {
      if ((!best.found || rank < best.rank) && may_start(rank)) best = {true, rank, at};
    };
    if (moving_) return best;  // the frontier's lane is putting blocks away
    const bool root = roots_left();
    const std::uint32_t root_rank = root ? plan_.rank[plan_.graph.succ[next_root_]] : 0;
    if (resident_ != nullptr && started_[frontier_] == 0) {  // the frontier first, and nobody before it
      if (root && root_rank == frontier_) {
        consider(root_rank, from_roots);
      } else if (!ready_.empty() && ready_.at(0) == frontier_) {
        consider(ready_.at(0), 0);
      }
      return best;
    }
    if (root) consider(root_rank, from_roots);
    for (std::size_t k = 0; k < ready_.size() && k < looks; ++k) consider(ready_.at(k), k);
    return best;
  }

  bool may_start(std::uint32_t rank) const noexcept {
    const std::uint32_t task = plan_.order[rank];
    if (resident_ != nullptr) return rank == frontier_ ? resident_->can_fit(task) : resident_->fits(task);
    return rank == frontier_ || ahead_ + live_bytes(plan_, task) <= slack_;
  }

  void take(const choice& c) {
    if (c.at == from_roots) {
      ++next_root_;
    } else {
      ready_.remove(c.at);
    }
    started_[c.rank] = 1;
    const std::uint32_t task = plan_.order[c.rank];
    if (resident_ != nullptr) {
      moving_ = !resident_->fits(task);
      if (!moving_) resident_->reserve(task);
      return;
    }
    const std::int64_t bytes = live_bytes(plan_, task);
    held_ += bytes;
    if (held_ > peak_) peak_ = held_;
    if (c.rank > frontier_) ahead_ += bytes;
  }

  /// Puts blocks away and brings others back, so that the frontier's task can run. No other task starts meanwhile;
  /// those that run may end.
  void make_room(lock_type& lock, int lane, std::uint32_t task) {
    lane_watch* const notes = notes_ != nullptr ? &notes_->lane(lane) : nullptr;
    resident_->choose_victims(task, ended_);
    lock.unlock();
    const std::int64_t written = resident_->writes();
    const std::int64_t written_bytes = resident_->written_bytes();
    const std::int64_t read = resident_->reads();
    std::int64_t begin = notes != nullptr ? notes->now() : 0;
    resident_->put_away();
    if (notes != nullptr && resident_->writes() > written) {
      notes->end_spill(task, begin, resident_->writes() - written, resident_->written_bytes() - written_bytes);
    }
    lock.lock();
    resident_->victims_gone();
    resident_->reserve(task);
    lock.unlock();
    begin = notes != nullptr ? notes->now() : 0;
    resident_->bring_back();
    if (notes != nullptr && resident_->reads() > read) notes->end(task, begin, span_kind::load);
    lock.lock();
    resident_->back();
    moving_ = false;
  }

  /// A parked lane, if there is something for it.
  int lane_to_call() noexcept {
    if (parked_.empty() || !choose().found) return -1;
    const int lane = parked_.back();
    parked_.pop_back();
    return lane;
  }

  void end(std::uint32_t task) {
    ended_[plan_.rank[task]] = 1;
    if (resident_ != nullptr) resident_->end(task);
    for (std::int64_t e = plan_.pred_begin[task]; e < plan_.pred_begin[task + 1]; ++e) {
      const std::uint32_t from = plan_.pred[static_cast<std::size_t>(e)];
      if (--uses_[from] == 0) release(from);
    }
    if (uses_[task] == 0) release(task);
    const std::uint32_t n = plan_.tasks();
    while (frontier_ < n && ended_[frontier_] != 0) pass();
    if (frontier_ == n) {
      set_finished();
      return;
    }
    for (std::uint32_t e = plan_.graph.succ_begin[task]; e < plan_.graph.succ_begin[task + 1]; ++e) {
      const std::uint32_t s = plan_.graph.succ[e];
      if (--missing_[s] == 0) ready_.push(plan_.rank[s]);
    }
  }

  /// The frontier moves on by one; the block of the task that it comes to is ahead no more.
  void pass() noexcept {
    ++frontier_;
    if (resident_ != nullptr || frontier_ == plan_.tasks() || started_[frontier_] == 0) return;
    const std::uint32_t task = plan_.order[frontier_];
    if (ended_[frontier_] == 0 || uses_[task] != 0) ahead_ -= live_bytes(plan_, task);
  }

  void release(std::uint32_t task) {
    if (resident_ != nullptr) {
      resident_->drop(task);
      return;
    }
    held_ -= live_bytes(plan_, task);
    if (plan_.rank[task] > frontier_) ahead_ -= live_bytes(plan_, task);
  }

  const plan& plan_;
  Body& body_;
  const int lane_count_;
  const std::int64_t limit_;
  watcher* const notes_;
  std::vector<lane_count> done_lanes_;

  std::mutex mutex_;  // guards what follows
  ready_tasks ready_;
  std::uint32_t next_root_ = 0;  // in plan_.graph.succ
  std::uint32_t frontier_ = 0;   // by rank
  std::int64_t slack_ = 0;       // limit less serial peak
  std::int64_t ahead_ = 0;       // held bytes of blocks of higher rank than the frontier
  std::int64_t held_ = 0;
  std::int64_t peak_ = 0;
  std::int64_t waits_ = 0;
  bool moving_ = false;
  std::vector<int> parked_;
  std::vector<std::uint32_t> missing_;  // by task: inputs that have not ended
  std::vector<std::uint32_t> uses_;     // by task: consumers that have not ended
  std::vector<char> started_;           // by rank
  std::vector<char> ended_;             // by rank
  std::unique_ptr<resident_set> resident_;
};

}  // namespace ashlar::detail
