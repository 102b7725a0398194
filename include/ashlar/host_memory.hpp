/// \file
/// Host memory in huge pages, recycled.
///
/// Touching new memory costs about 400 ms a GiB in 4 KiB pages and 96 ms in 2 MiB pages, more than most element-wise
/// work on it. So big blocks are mapped at 2 MiB boundaries with MADV_HUGEPAGE, and released blocks of 32 KiB and more
/// are kept for the next request of their size: a run that makes and drops blocks of a few sizes touches new memory
/// only in its first moments. The cache holds at most cache_limit() bytes; the longest unused blocks leave first.
/// Cost of a hit or a return: one short lock (20 ns a pair); of a smaller block: malloc's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <new>
#include <string>

#include <sys/mman.h>

#include <ashlar/error.hpp>
#include <ashlar/memory_resource.hpp>
#include <ashlar/place.hpp>

namespace ashlar {

/// The process's own memory. One object serves the process; get it from host_memory(). Thread safe.
class host_memory_resource final : public memory_resource {
 public:
  place where() const noexcept override { return place::host(); }

  /// Bytes of released blocks that wait for reuse. They still count as this process's memory, not as allocated().
  std::size_t cached() const noexcept {
    const std::lock_guard lock(mutex_);
    return cached_;
  }

  /// The most bytes that cached() may reach; 256 MiB at the start.
  std::size_t cache_limit() const noexcept {
    const std::lock_guard lock(mutex_);
    return limit_;
  }

  /// Sets the limit and returns what is above it to the system; 0 turns recycling off.
  void set_cache_limit(std::size_t bytes) noexcept {
    free_block* surplus = nullptr;
    {
      const std::lock_guard lock(mutex_);
      limit_ = bytes;
      surplus = detach_above(bytes);
    }
    to_system(surplus);
  }

  /// Returns cached blocks to the system, the longest unused ones first, until at most `most` bytes are cached.
  void trim(std::size_t most = 0) noexcept {
    free_block* surplus = nullptr;
    {
      const std::lock_guard lock(mutex_);
      surplus = detach_above(most);
    }
    to_system(surplus);
  }

 private:
  static constexpr std::size_t alignment = 64;
  static constexpr std::size_t huge_page = std::size_t{1} << 21;
  static constexpr std::size_t smallest_cached = std::size_t{1} << 15;
  static constexpr std::size_t bins = 64;

  // Lives in the first bytes of a cached block.
  struct free_block {
    std::size_t size;
    free_block* newer;  // by age, over all bins
    free_block* older;
    free_block* bin_next;  // newest first
    free_block* bin_previous;
  };

  // Below 2 MiB: eight classes to an octave, at most 12.5 % more. From there: whole huge pages when that adds at most
  // 12.5 %, else steps of 256 KiB, whose tail is in small pages.
  static std::size_t rounded(std::size_t bytes) noexcept {
    std::size_t step = std::size_t{1} << 12;
    if (bytes >= 8 * huge_page) {
      step = huge_page;
    } else if (bytes >= huge_page) {
      step = huge_page / 8;
    } else {
      while (step * 16 <= bytes) step *= 2;
    }
    return (bytes + step - 1) / step * step;
  }

  static std::size_t bin_of(std::size_t size) noexcept {
    return static_cast<std::size_t>((size * 0x9E3779B97F4A7C15u) >> 58);
  }

  void* do_allocate(std::size_t bytes) override {
    if (bytes < smallest_cached) return allocate_small(bytes);
    if (bytes > SIZE_MAX / 4) throw_exhausted(bytes);
    const std::size_t size = rounded(bytes);
    if (void* data = take(size)) return data;
    void* data = from_system(size);
    if (data == nullptr) {
      trim();
      data = from_system(size);
    }
    if (data == nullptr) throw_exhausted(bytes);
    return data;
  }

  void do_release(void* data, std::size_t bytes) noexcept override {
    if (bytes < smallest_cached) {
      std::free(static_cast<void**>(data)[-1]);
      return;
    }
    const std::size_t size = rounded(bytes);
    free_block* surplus = nullptr;
    {
      const std::lock_guard lock(mutex_);
      if (size <= limit_) {
        surplus = detach_above(limit_ - size);
        keep(::new (data) free_block{size, nullptr, newest_, bins_[bin_of(size)], nullptr});
      } else {
        surplus = ::new (data) free_block{size, nullptr, nullptr, nullptr, nullptr};
      }
    }
    to_system(surplus);
  }

  // Aligned by hand, malloc's address in front: glibc's aligned allocation takes 100 ns, past its thread caches; this
  // takes malloc's 7 to 20.
  static void* allocate_small(std::size_t bytes) {
    void* const raw = std::malloc(bytes + alignment);
    if (raw == nullptr) throw_exhausted(bytes);
    const std::size_t shift = alignment - reinterpret_cast<std::uintptr_t>(raw) % alignment;
    void* const data = static_cast<char*>(raw) + shift;
    static_cast<void**>(data)[-1] = raw;
    return data;
  }

  static void* from_system(std::size_t size) noexcept {
    if (size < huge_page) return ::operator new(size, std::align_val_t{alignment}, std::nothrow);
    // The kernel maps at 4 KiB boundaries: map one huge page more and give back both ends.
    void* raw = ::mmap(nullptr, size + huge_page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (raw == MAP_FAILED) return nullptr;
    char* const first = static_cast<char*>(raw);
    const std::size_t head = (huge_page - reinterpret_cast<std::uintptr_t>(raw) % huge_page) % huge_page;
    if (head != 0) ::munmap(first, head);
    if (head != huge_page) ::munmap(first + head + size, huge_page - head);
    ::madvise(first + head, size, MADV_HUGEPAGE);
    return first + head;
  }

  // Returns a chain of detached blocks; called without the lock, since unmapping a big block takes milliseconds.
  static void to_system(free_block* chain) noexcept {
    while (chain != nullptr) {
      free_block* const block = chain;
      chain = block->older;
      if (block->size < huge_page) {
        ::operator delete(block, std::align_val_t{alignment});
      } else {
        ::munmap(block, block->size);
      }
    }
  }

  void* take(std::size_t size) noexcept {
    const std::lock_guard lock(mutex_);
    for (free_block* found = bins_[bin_of(size)]; found != nullptr; found = found->bin_next) {
      if (found->size != size) continue;
      forget(found);
      return found;
    }
    return nullptr;
  }

  void keep(free_block* added) noexcept {
    if (added->bin_next != nullptr) added->bin_next->bin_previous = added;
    bins_[bin_of(added->size)] = added;
    (newest_ != nullptr ? newest_->newer : oldest_) = added;
    newest_ = added;
    cached_ += added->size;
  }

  void forget(free_block* removed) noexcept {
    (removed->bin_previous != nullptr ? removed->bin_previous->bin_next : bins_[bin_of(removed->size)]) =
        removed->bin_next;
    if (removed->bin_next != nullptr) removed->bin_next->bin_previous = removed->bin_previous;
    (removed->older != nullptr ? removed->older->newer : oldest_) = removed->newer;
    (removed->newer != nullptr ? removed->newer->older : newest_) = removed->older;
    cached_ -= removed->size;
  }

  // Takes the longest unused blocks out until at most `bytes` are cached; the caller returns the chain, unlocked.
  free_block* detach_above(std::size_t bytes) noexcept {
    free_block* chain = nullptr;
    while (cached_ > bytes) {
      free_block* const victim = oldest_;
      forget(victim);
      victim->older = chain;
      chain = victim;
    }
    return chain;
  }

  [[noreturn]] static void throw_exhausted(std::size_t bytes) {
    throw memory_error("host_memory: the system cannot give " + std::to_string(bytes) +
                       " bytes; use smaller chunks, fewer workers or a lower memory_limit");
  }

  mutable std::mutex mutex_;
  free_block* bins_[bins] = {};
  free_block* newest_ = nullptr;
  free_block* oldest_ = nullptr;
  std::size_t cached_ = 0;
  std::size_t limit_ = std::size_t{256} << 20;
};

/// The process's host memory. Never destroyed, so static arrays may give their memory back after main.
inline host_memory_resource& host_memory() {
  static host_memory_resource& resource = *new host_memory_resource;
  return resource;
}

}  // namespace ashlar
