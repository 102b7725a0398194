/// \file
/// Page-locked host memory, which a device copies to and from directly: 55 GB/s instead of 6, and without the host
/// waiting.
///
/// Locking pages costs 84 ms a GiB and slows the whole machine when there is too much of it. So blocks that come back
/// are kept by size class (eight to an octave, at most 12.5 % more than asked for), and live and kept blocks together
/// stay below a limit, a quarter of the memory that the process may have. Cost of a hit or a return: one short lock.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <new>
#include <string>

#include <cuda_runtime_api.h>

#include <ashlar/cuda/check.hpp>
#include <ashlar/cuda/device.hpp>
#include <ashlar/detail/bytes_text.hpp>
#include <ashlar/error.hpp>
#include <ashlar/execution/memory_budget.hpp>
#include <ashlar/memory_resource.hpp>
#include <ashlar/place.hpp>

namespace ashlar::cuda {

/// The process's page-locked memory, which all devices reach. One object serves the process; get it from pinned_pool().
/// Thread safe. Who releases a block has waited for the copies that use it.
class pinned_memory final : public memory_resource {
 public:
  ashlar::place where() const noexcept override { return ashlar::place::pinned(); }

  /// Bytes that are locked: live blocks and those that wait for reuse, in whole size classes.
  std::size_t reserved() const noexcept {
    const std::lock_guard lock(mutex_);
    return reserved_;
  }

  /// The most bytes that reserved() has been since the beginning or reset_peaks().
  std::size_t max_reserved() const noexcept {
    const std::lock_guard lock(mutex_);
    return max_reserved_;
  }

  /// Starts new peaks, of live and of reserved bytes, at what there is now.
  void reset_peaks() noexcept {
    reset_peak();
    const std::lock_guard lock(mutex_);
    max_reserved_ = reserved_;
  }

  /// The most bytes that reserved() may become; at the start a quarter of the memory that the process may have.
  std::size_t limit() const noexcept {
    const std::lock_guard lock(mutex_);
    return limit_;
  }

  /// Sets the limit and unlocks waiting blocks that are above it. Live blocks stay.
  void set_limit(std::size_t bytes) noexcept {
    free_block* surplus = nullptr;
    {
      const std::lock_guard lock(mutex_);
      limit_ = bytes;
      surplus = detach_above(bytes);
    }
    to_system(surplus);
  }

  /// Unlocks blocks that wait for reuse, the biggest first, until at most `most` bytes are reserved.
  void trim(std::size_t most = 0) noexcept {
    free_block* surplus = nullptr;
    {
      const std::lock_guard lock(mutex_);
      surplus = detach_above(most);
    }
    to_system(surplus);
  }

 private:
  friend pinned_memory& pinned_pool();

  static constexpr std::size_t smallest = 4096;
  static constexpr std::size_t largest = std::size_t{1} << 62;
  static constexpr int octaves = 51;  // 2^12 ... 2^62

  // Lives in the first bytes of a block that waits.
  struct free_block {
    free_block* next;
    std::size_t size;
  };

  struct size_class {
    int bin;
    std::size_t size;
  };

  pinned_memory() {
    const auto memory = static_cast<std::size_t>(ashlar::detail::memory_of_this_process());
    limit_ = memory / 4;
  }

  // Of the octave [2^k, 2^(k+1)) eight equal steps, rounded up.
  static size_class class_of(std::size_t bytes) noexcept {
    const std::size_t n = bytes < smallest ? smallest : bytes;
    const int octave = 63 - std::countl_zero(static_cast<std::uint64_t>(n));
    const std::size_t base = std::size_t{1} << octave;
    const std::size_t step = base / 8;
    const std::size_t steps = (n - base + step - 1) / step;
    return {(octave - 12) * 8 + static_cast<int>(steps), base + steps * step};
  }

  void* do_allocate(std::size_t bytes) override {
    if (bytes > largest) throw_exhausted(bytes);
    const size_class wanted = class_of(bytes);
    free_block* surplus = nullptr;
    bool fits = false;
    {
      const std::lock_guard lock(mutex_);
      free_block*& first = bins_[wanted.bin];
      if (first != nullptr) {
        free_block* const found = first;
        first = found->next;
        return found;
      }
      if (wanted.size <= limit_) surplus = detach_above(limit_ - wanted.size);
      fits = wanted.size <= limit_ && reserved_ <= limit_ - wanted.size;
      if (fits) reserve(wanted.size);
    }
    to_system(surplus);
    if (!fits) throw_exhausted(bytes);
    void* data = nullptr;
    try {
      data = from_system(wanted.size);
      if (data == nullptr) {
        trim();
        data = from_system(wanted.size);
      }
    } catch (...) {
      forget(wanted.size);
      throw;
    }
    if (data == nullptr) {
      forget(wanted.size);
      throw_exhausted(bytes);
    }
    return data;
  }

  void do_release(void* data, std::size_t bytes) noexcept override {
    const size_class its = class_of(bytes);
    free_block* surplus = nullptr;
    {
      const std::lock_guard lock(mutex_);
      bins_[its.bin] = ::new (data) free_block{bins_[its.bin], its.size};
      surplus = detach_above(limit_);
    }
    to_system(surplus);
  }

  void reserve(std::size_t size) noexcept {
    reserved_ += size;
    if (max_reserved_ < reserved_) max_reserved_ = reserved_;
  }

  void forget(std::size_t size) noexcept {
    const std::lock_guard lock(mutex_);
    reserved_ -= size;
  }

  // Null when the system has no memory. Portable: pinned for all devices.
  static void* from_system(std::size_t size) {
    detail::must_exist(0, "cuda::pinned_memory");
    const detail::relaxed_capture any_stream;
    void* data = nullptr;
    const cudaError_t status = cudaHostAlloc(&data, size, cudaHostAllocPortable);
    if (status == cudaErrorMemoryAllocation) {
      static_cast<void>(cudaGetLastError());
      return nullptr;
    }
    check(status, "cudaHostAlloc");
    return data;
  }

  // Without the lock, since unlocking pages takes milliseconds.
  static void to_system(free_block* chain) noexcept {
    if (chain == nullptr || detail::exit_has_begun.load(std::memory_order_relaxed) || !detail::none_is_lost()) return;
    const detail::relaxed_capture any_stream;
    while (chain != nullptr) {
      free_block* const block = chain;
      chain = block->next;
      detail::note_failure(cudaFreeHost(block), "cudaFreeHost", -1);
    }
  }

  // The caller gives the chain to to_system(), unlocked.
  free_block* detach_above(std::size_t most) noexcept {
    free_block* chain = nullptr;
    for (int bin = octaves * 8; bin >= 0 && reserved_ > most; --bin) {
      while (bins_[bin] != nullptr && reserved_ > most) {
        free_block* const victim = bins_[bin];
        bins_[bin] = victim->next;
        reserved_ -= victim->size;
        victim->next = chain;
        chain = victim;
      }
    }
    return chain;
  }

  [[noreturn]] void throw_exhausted(std::size_t bytes) const {
    const auto text = [](std::size_t n) {
      return std::to_string(n) + " B (" + ashlar::detail::bytes_text(static_cast<std::int64_t>(n)) + ')';
    };
    throw memory_error("cuda::pinned_memory: cannot lock " + text(bytes) + "; live " + text(allocated()) +
                       ", reserved " + text(reserved()) + ", limit " + text(limit()) +
                       "; use smaller chunks, or raise the limit: cuda::pinned_pool().set_limit(bytes)");
  }

  mutable std::mutex mutex_;
  free_block* bins_[octaves * 8 + 1] = {};
  std::size_t reserved_ = 0;
  std::size_t max_reserved_ = 0;
  std::size_t limit_ = 0;
};

/// The process's page-locked memory. Never destroyed; needs a device only when it allocates.
inline pinned_memory& pinned_pool() {
  static pinned_memory& pool = *new pinned_memory;
  return pool;
}

}  // namespace ashlar::cuda
