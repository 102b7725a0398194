/// \file
/// Which blocks of a spilling run are in memory and which in a file.
///
/// The victim is the block whose next use is farthest in the order (Belady 1966): the order is known, so this is no
/// guess. A block is written at most once; one that was read back and is put away again costs nothing. Blocks of
/// running tasks are pinned. All decisions are the job's, under its lock; only files and memory are touched without it,
/// by one lane at a time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <ashlar/execution/run.hpp>
#include <ashlar/graph/memory_use.hpp>
#include <ashlar/io/spill_file.hpp>

namespace ashlar::detail {

class resident_set {
 public:
  resident_set(run_state& run, std::int64_t limit, std::string directory)
      : run_(run), plan_(run.plan()), limit_(limit), file_(std::move(directory)) {
    const std::uint32_t n = plan_.tasks();
    pins_.assign(n, 0);
    position_.assign(n, nowhere);
    next_use_.assign(n, 0);
    slot_.assign(n, no_slot);
  }

  /// Bytes of `task` that memory still has to take: its own block, and inputs that are in the file.
  std::int64_t missing_bytes(std::uint32_t task) const noexcept {
    std::int64_t bytes = live_bytes(plan_, task);
    for_inputs(task, [&](std::uint32_t i) {
      if (position_[i] == nowhere) bytes += live_bytes(plan_, i);
    });
    return bytes;
  }

  /// Everything fits with nothing put away.
  bool fits(std::uint32_t task) const noexcept {
    bool here = true;
    for_inputs(task, [&](std::uint32_t i) { here = here && position_[i] != nowhere; });
    return here && held_ + live_bytes(plan_, task) <= limit_;
  }

  /// Everything would fit if all that is not pinned were put away.
  bool can_fit(std::uint32_t task) const noexcept {
    std::int64_t bytes = pinned_ + live_bytes(plan_, task);
    for_inputs(task, [&](std::uint32_t i) {
      if (pins_[i] == 0) bytes += live_bytes(plan_, i);
    });
    return bytes <= limit_;
  }

  /// Pins the inputs, and counts those that are not here, and the task's own block, as held.
  void reserve(std::uint32_t task) {
    held_ += missing_bytes(task);
    coming_.clear();
    for_inputs(task, [&](std::uint32_t i) {
      if (position_[i] == nowhere) coming_.push_back(i);
      pin(i);
    });
    pinned_ += live_bytes(plan_, task);
    if (held_ > peak_) peak_ = held_;
  }

  /// Chooses blocks to put away until `bytes` more fit; those in `keep`'s inputs stay. `done`: by rank.
  void choose_victims(std::uint32_t keep, const std::vector<char>& done) {
    for (const std::uint32_t t : dead_) file_.free(std::exchange(slot_[t], no_slot), plan_.chunk_bytes[t]);
    dead_.clear();
    std::int64_t excess = held_ + missing_bytes(keep) - limit_;
    victims_.clear();
    if (excess <= 0) return;
    candidates_.clear();
    for_inputs(keep, [&](std::uint32_t i) { ++pins_[i]; });
    for (const std::uint32_t t : here_) {
      if (pins_[t] == 0) candidates_.push_back({next_use(t, done), t});
    }
    for_inputs(keep, [&](std::uint32_t i) { --pins_[i]; });
    std::make_heap(candidates_.begin(), candidates_.end());
    // small blocks are put away many at a time, or each would cost a look at all
    const std::int64_t batch = std::min(limit_ / 16, std::int64_t{1} << 20);
    if (excess < batch) excess = batch;
    while (excess > 0 && !candidates_.empty()) {
      std::pop_heap(candidates_.begin(), candidates_.end());
      const std::uint32_t victim = candidates_.back().task;
      candidates_.pop_back();
      forget(victim);
      victims_.push_back(victim);
      excess -= live_bytes(plan_, victim);
    }
  }

  /// Without the lock: writes the victims that the file does not have, and gives their memory back.
  void put_away() {
    for (const std::uint32_t t : victims_) {
      const std::int64_t bytes = plan_.chunk_bytes[t];
      if (slot_[t] == no_slot) {
        slot_[t] = file_.write(run_.chunk(t), bytes);
        ++writes_;
      }
      run_.resource().release(run_.detach_chunk(t), static_cast<std::size_t>(bytes));
    }
  }

  /// Under the lock again.
  void victims_gone() noexcept {
    for (const std::uint32_t t : victims_) held_ -= live_bytes(plan_, t);
  }

  /// Without the lock, after reserve(): reads what is not here.
  void bring_back() {
    for (const std::uint32_t t : coming_) {
      const std::int64_t bytes = plan_.chunk_bytes[t];
      run_.set_chunk(t, run_.resource().allocate(static_cast<std::size_t>(bytes)));
      file_.read(slot_[t], run_.chunk(t), bytes);
      ++reads_;
    }
  }

  /// Under the lock again.
  void back() {
    for (const std::uint32_t t : coming_) appear(t);
  }

  /// `task` has ended: its block is here, its inputs may go.
  void end(std::uint32_t task) {
    for_inputs(task, [&](std::uint32_t i) { unpin(i); });
    pinned_ -= live_bytes(plan_, task);
    if (live_bytes(plan_, task) > 0) appear(task);
  }

  /// The block of `task`, not pinned, has been released by its last user.
  void drop(std::uint32_t task) {
    if (live_bytes(plan_, task) == 0) return;
    held_ -= live_bytes(plan_, task);
    forget(task);
    if (slot_[task] != no_slot) dead_.push_back(task);  // the file may be in use
  }

  std::int64_t held() const noexcept { return held_; }
  std::int64_t peak() const noexcept { return peak_; }
  std::int64_t writes() const noexcept { return writes_; }
  std::int64_t reads() const noexcept { return reads_; }
  std::int64_t written_bytes() const noexcept { return file_.written(); }
  std::int64_t read_bytes() const noexcept { return file_.read_back(); }

 private:
  static constexpr std::uint32_t nowhere = std::numeric_limits<std::uint32_t>::max();
  static constexpr std::int64_t no_slot = -1;

  struct candidate {
    std::uint32_t next_use;
    std::uint32_t task;
    bool operator<(const candidate& other) const noexcept { return next_use < other.next_use; }
  };

  /// Inputs that have a block of the run's.
  template <class F>
  void for_inputs(std::uint32_t task, F f) const {
    for (std::int64_t e = plan_.pred_begin[task]; e < plan_.pred_begin[task + 1]; ++e) {
      const std::uint32_t i = plan_.pred[static_cast<std::size_t>(e)];
      if (live_bytes(plan_, i) > 0) f(i);
    }
  }

  std::uint32_t next_use(std::uint32_t task, const std::vector<char>& done) noexcept {
    const std::uint32_t begin = plan_.graph.succ_begin[task];
    const std::uint32_t n = plan_.graph.succ_begin[task + 1] - begin;
    std::uint32_t& k = next_use_[task];  // successors are in the order of rank
    while (k < n && done[plan_.rank[plan_.graph.succ[begin + k]]] != 0) ++k;
    return k < n ? plan_.rank[plan_.graph.succ[begin + k]] : nowhere;
  }

  void pin(std::uint32_t task) noexcept {
    if (pins_[task]++ == 0) pinned_ += live_bytes(plan_, task);
  }

  void unpin(std::uint32_t task) noexcept {
    if (--pins_[task] == 0) pinned_ -= live_bytes(plan_, task);
  }

  void appear(std::uint32_t task) {
    position_[task] = static_cast<std::uint32_t>(here_.size());
    here_.push_back(task);
  }

  void forget(std::uint32_t task) noexcept {
    const std::uint32_t at = std::exchange(position_[task], nowhere);
    if (at == nowhere) return;
    here_[at] = here_.back();
    position_[here_[at]] = at;
    here_.pop_back();
    if (at < here_.size()) return;
    position_[task] = nowhere;
  }

  run_state& run_;
  const plan& plan_;
  std::int64_t limit_;
  spill_file file_;
  std::int64_t held_ = 0;    // in memory, or about to be
  std::int64_t pinned_ = 0;  // of that, blocks that running tasks read or write
  std::int64_t peak_ = 0;
  std::int64_t writes_ = 0;
  std::int64_t reads_ = 0;
  std::vector<std::uint32_t> pins_;      // running tasks that read the block
  std::vector<std::uint32_t> position_;  // in here_
  std::vector<std::uint32_t> here_;
  std::vector<std::uint32_t> next_use_;
  std::vector<std::int64_t> slot_;
  std::vector<candidate> candidates_;
  std::vector<std::uint32_t> victims_;  // go to the file
  std::vector<std::uint32_t> coming_;   // come from it
  std::vector<std::uint32_t> dead_;     // their room in the file is free
};

}  // namespace ashlar::detail
