/// \file
/// Scratch for blocks that a user's function works on. Under the address sanitizer each one lies between bytes that may
/// not be touched, so that a function that reads or writes beside its block is stopped where it does; without it this
/// is plain scratch, and blocks that lie packed in memory are not copied at all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <ashlar/detail/config.hpp>
#include <ashlar/execution/scratch.hpp>

#if ASHLAR_DETAIL_RED_ZONES
#include <sanitizer/asan_interface.h>
#endif

namespace ashlar::detail {

#if ASHLAR_DETAIL_RED_ZONES

class guarded_scratch {
 public:
  explicit guarded_scratch(scratch_stack& scratch) : scratch_(scratch) {}
  guarded_scratch(const guarded_scratch&) = delete;
  guarded_scratch& operator=(const guarded_scratch&) = delete;
  ~guarded_scratch() {
    for (const zone& z : zones_) ASAN_UNPOISON_MEMORY_REGION(z.first, z.bytes);
  }

  unsigned char* take(std::int64_t bytes) {
    const auto size = static_cast<std::size_t>(bytes);
    const std::size_t all = gap + (size + 63) / 64 * 64 + gap;
    zones_.reserve(zones_.size() + 2);
    unsigned char* const data = scratch_.take(static_cast<std::int64_t>(all)) + gap;
    forbid(data - gap, gap);
    forbid(data + size, all - gap - size);
    return data;
  }

 private:
  static constexpr std::size_t gap = 256;
  struct zone {
    unsigned char* first;
    std::size_t bytes;
  };

  void forbid(unsigned char* first, std::size_t bytes) {
    ASAN_POISON_MEMORY_REGION(first, bytes);
    zones_.push_back({first, bytes});
  }

  scratch_stack& scratch_;
  std::vector<zone> zones_;
};

#else

class guarded_scratch {
 public:
  explicit guarded_scratch(scratch_stack& scratch) : scratch_(scratch) {}
  unsigned char* take(std::int64_t bytes) { return scratch_.take(bytes); }

 private:
  scratch_stack& scratch_;
};

#endif

}  // namespace ashlar::detail
