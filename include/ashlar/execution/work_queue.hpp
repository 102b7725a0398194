/// \file
/// The ready work of one lane: a double-ended queue whose owner pushes and pops at one end while others steal from the
/// other. Chase and Lev's queue in the form of Le, Pop, Cohen and Zappa Nardelli, "Correct and efficient work-stealing
/// for weak memory models" (2013); no lock, one fence a pop.
///
/// An entry is one task or a range of tasks, so that a fan-out of a million tasks is one entry that thieves split. The
/// ring grows by doubling; rings that were outgrown are kept to the end, since a thief may still read one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <ashlar/execution/lane_policy.hpp>

namespace ashlar::detail {

/// A task, or the positions [first, last) of a list of tasks.
struct work_item {
  std::uint32_t first = 0;
  std::uint32_t last = 0;

  static constexpr std::uint32_t no_range = 0xffffffff;
  static work_item task(std::uint32_t t) noexcept { return {t, no_range}; }
  bool is_task() const noexcept { return last == no_range; }
};

template <class Policy = lane_policy>
class work_queue {
 public:
  explicit work_queue(std::size_t capacity = 256) {
    rings_.push_back(std::make_unique<ring>(capacity));
    ring_.store(rings_.back().get(), std::memory_order_relaxed);
  }

  /// By the owner. @throws std::bad_alloc when the ring cannot grow; the queue is as before then
  void push(work_item item) {
    const std::int64_t bottom = bottom_.load(std::memory_order_relaxed);
    ring* r = ring_.load(std::memory_order_relaxed);
    if (bottom - oldest_seen_ >= r->capacity()) {
      oldest_seen_ = top_.load(std::memory_order_acquire);
      if (bottom - oldest_seen_ >= r->capacity()) r = grow(*r, bottom);
    }
    r->put(bottom, item);
    bottom_.store(bottom + 1, std::memory_order_release);
  }

  /// By the owner: the newest entry.
  bool pop(work_item& item) noexcept {
    const std::int64_t bottom = bottom_.load(std::memory_order_relaxed) - 1;
    if (bottom < top_.load(std::memory_order_relaxed)) return false;  // empty: nobody else adds
    ring* const r = ring_.load(std::memory_order_relaxed);
    bottom_.store(bottom, std::memory_order_release);  // a thief that reads it sees the entries below, too
    Policy::fence();
    std::int64_t top = top_.load(std::memory_order_relaxed);
    if (top > bottom) {
      bottom_.store(bottom + 1, std::memory_order_release);
      return false;
    }
    item = r->get(bottom);
    if (top != bottom) return true;
    const bool mine = top_.compare_exchange_strong(top, top + 1, std::memory_order_seq_cst, std::memory_order_relaxed);
    bottom_.store(bottom + 1, std::memory_order_release);
    return mine;
  }

  /// By anybody: the oldest entry. False also when another thief was quicker.
  bool steal(work_item& item) noexcept {
    std::int64_t top = top_.load(std::memory_order_acquire);
    Policy::fence();
    if (top >= bottom_.load(std::memory_order_acquire)) return false;
    item = ring_.load(std::memory_order_acquire)->get(top);
    return top_.compare_exchange_strong(top, top + 1, std::memory_order_seq_cst, std::memory_order_relaxed);
  }

  /// By anybody: true when it was empty a moment ago.
  bool empty() const noexcept {
    return top_.load(std::memory_order_acquire) >= bottom_.load(std::memory_order_acquire);
  }

 private:
  template <class T>
  using atomic = typename Policy::template atomic<T>;

  class ring {
   public:
    explicit ring(std::size_t capacity)
        : mask_(static_cast<std::int64_t>(capacity) - 1), slots_(std::make_unique<atomic<std::uint64_t>[]>(capacity)) {}

    std::int64_t capacity() const noexcept { return mask_ + 1; }

    void put(std::int64_t at, work_item item) noexcept {
      const std::uint64_t bits = std::uint64_t{item.last} << 32 | item.first;
      slots_[static_cast<std::size_t>(at & mask_)].store(bits, std::memory_order_relaxed);
    }

    work_item get(std::int64_t at) const noexcept {
      const std::uint64_t bits = slots_[static_cast<std::size_t>(at & mask_)].load(std::memory_order_relaxed);
      return {static_cast<std::uint32_t>(bits), static_cast<std::uint32_t>(bits >> 32)};
    }

   private:
    std::int64_t mask_;
    std::unique_ptr<atomic<std::uint64_t>[]> slots_;
  };

  ring* grow(const ring& old, std::int64_t bottom) {
    rings_.reserve(rings_.size() + 1);
    auto bigger = std::make_unique<ring>(static_cast<std::size_t>(old.capacity()) * 2);
    for (std::int64_t i = oldest_seen_; i < bottom; ++i) bigger->put(i, old.get(i));
    rings_.push_back(std::move(bigger));
    ring_.store(rings_.back().get(), std::memory_order_release);
    return rings_.back().get();
  }

  alignas(64) atomic<std::int64_t> top_{0};
  alignas(64) atomic<std::int64_t> bottom_{0};
  atomic<ring*> ring_{nullptr};
  std::int64_t oldest_seen_ = 0;  // of the owner: top_ was at least this
  std::vector<std::unique_ptr<ring>> rings_;
};

}  // namespace ashlar::detail
