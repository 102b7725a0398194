/// \file
/// What the queue, the gate and the loop of lanes take from the machine: atomics, a fence, a mutex, and points at which
/// a test may get in between. Tests put another policy in its place: one that yields at the points, and one whose
/// atomics let an explorer try every interleaving.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>

namespace ashlar::detail {

/// Places in the loop between which the order of two lanes matters.
enum class lane_point : std::uint8_t { before_task, after_task, before_push, before_steal, before_park, after_call };

struct lane_policy {
  template <class T>
  using atomic = std::atomic<T>;
  using mutex = std::mutex;

  /// Orders a store before it and a load after it, as Dekker's protocol asks.
  static void fence() noexcept {
#if defined(__SANITIZE_THREAD__)
    static std::atomic<int> line{0};  // the sanitizer does not know fences
    line.fetch_add(1, std::memory_order_seq_cst);
#else
    std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
  }

  /// For loops that wait for another lane.
  static void relax() noexcept {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
  }

  static void point(lane_point) noexcept {}
};

}  // namespace ashlar::detail
