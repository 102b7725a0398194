/// \file
/// The interface of everything that hands out memory, with exact counters.
#pragma once

#include <atomic>
#include <cstddef>

#include <ashlar/place.hpp>

namespace ashlar {

/// Hands out 64-byte aligned memory of one place and counts it. Derive from it and override do_allocate and
/// do_release; the counting is done here, in bytes as asked for. Thread safe when the overrides are.
class memory_resource {
 public:
  memory_resource() = default;
  memory_resource(const memory_resource&) = delete;
  memory_resource& operator=(const memory_resource&) = delete;
  virtual ~memory_resource() = default;

  /// Where this resource's memory is.
  virtual place where() const noexcept = 0;

  /// At least `bytes` bytes, uninitialised, 64-byte aligned, never null (0 bytes are allowed).
  /// Cost: two uncontended atomic operations above the resource's own.
  /// @throws memory_error when the resource cannot give that much
  void* allocate(std::size_t bytes) {
    void* data = do_allocate(bytes);
    count(bytes);
    return data;
  }

  /// Takes back what allocate(bytes) of this resource returned.
  void release(void* data, std::size_t bytes) noexcept {
    discount(bytes);
    do_release(data, bytes);
  }

  /// Live bytes: allocated and not yet released.
  std::size_t allocated() const noexcept { return allocated_.load(std::memory_order_relaxed); }

  /// The most bytes that were live at once since construction or reset_peak().
  std::size_t peak() const noexcept { return peak_.load(std::memory_order_relaxed); }

  /// Starts a new peak at the bytes that are live now.
  void reset_peak() noexcept { peak_.store(allocated(), std::memory_order_relaxed); }

 protected:
  /// Counts bytes that a resource hands out by another way than allocate().
  void count(std::size_t bytes) noexcept {
    const std::size_t live = allocated_.fetch_add(bytes, std::memory_order_relaxed) + bytes;
    std::size_t seen = peak_.load(std::memory_order_relaxed);
    while (seen < live && !peak_.compare_exchange_weak(seen, live, std::memory_order_relaxed)) {
    }
  }

  /// Takes out of the count what came back by another way than release().
  void discount(std::size_t bytes) noexcept { allocated_.fetch_sub(bytes, std::memory_order_relaxed); }

 private:
  virtual void* do_allocate(std::size_t bytes) = 0;
  virtual void do_release(void* data, std::size_t bytes) noexcept = 0;

  std::atomic<std::size_t> allocated_{0};
  std::atomic<std::size_t> peak_{0};
};

}  // namespace ashlar
