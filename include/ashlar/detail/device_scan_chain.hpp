/// \file
/// What one tile of a scan hands to the next, and where the elements of a tile are.
///
/// Tiles take *tickets*, in the order of their position along the axis, so whoever waits waits for a tile that was
/// started before it and needs nothing of those behind it. A chain has one *slot* for each line: the tile k reads what
/// tile k - 1 left there, and leaves its own. Value and number of the tile are one word of 128 bits, which is loaded
/// and stored at once, so there is nothing to order and no fence. Tiles are many times more than chains wait for, so a
/// tile mostly finds what it needs.
///
/// The order of operations is the order of the tiles, whichever runs when: equal bits in every run.
#pragma once

#if defined(__CUDACC__)

#include <cstdint>

#include <ashlar/detail/device_copy_kernels.hpp>
#include <ashlar/detail/device_launch.hpp>

namespace ashlar::detail {

/// The one parameter of the kernels of scans.
struct scan_work {
  const void* const* in;  // device: by line and block
  void* const* out;
  const std::int64_t* start;  // device: positions where blocks begin, and the end
  std::int64_t blocks;
  std::int64_t length;  // of the axis
  std::int64_t outer;
  std::int64_t columns;
  std::int64_t leaf;
  std::uint32_t* ticket;
  ulonglong2* slots;     // zeroed
  ulonglong2* sums;      // of leaves, zeroed; null without a carrier (rows)
  std::uint32_t tiles;   // along the axis
  std::uint32_t chains;  // tiles beside each other
  std::uint32_t groups;  // of them in a line (columns)
  std::int64_t rows;     // lines (rows)
  fast_divisor segment;  // elements of a lane (rows)
  std::uint32_t lanes;   // of a tile (rows)
  std::uint32_t leaves;  // lanes of one row, in a tile (rows)
};

inline __device__ void publish_word(ulonglong2* slot, unsigned long long value, unsigned long long number) {
  asm volatile("{ .reg .b128 v; mov.b128 v, {%1, %2}; st.relaxed.gpu.global.b128 [%0], v; }" ::"l"(
                   __cvta_generic_to_global(slot)),
               "l"(value), "l"(number)
               : "memory");
}

/// The value, and the number that it was published with.
inline __device__ ulonglong2 peek_word(const ulonglong2* slot) {
  ulonglong2 found;
  asm volatile("{ .reg .b128 v; ld.relaxed.gpu.global.b128 v, [%2]; mov.b128 {%0, %1}, v; }"
               : "=l"(found.x), "=l"(found.y)
               : "l"(__cvta_generic_to_global(slot))
               : "memory");
  return found;
}

inline __device__ unsigned long long await_word(const ulonglong2* slot, unsigned long long number) {
  for (;;) {
    const ulonglong2 found = peek_word(slot);
    if (found.y == number) return found.x;
    __nanosleep(20);
  }
}

template <class C>
inline constexpr int slot_words = (static_cast<int>(sizeof(C)) + 7) / 8;

/// What tile `number` begins with, left there by the one before it.
template <class C>
__device__ C await_carry(const ulonglong2* slot, std::uint32_t number) {
  unsigned long long words[slot_words<C>];
#pragma unroll
  for (int w = 0; w < slot_words<C>; ++w) words[w] = await_word(slot + w, number);
  C carry;
  memcpy(&carry, words, sizeof carry);
  return carry;
}

template <class C>
__device__ void publish_carry(ulonglong2* slot, C carry, std::uint32_t number) {
  unsigned long long words[slot_words<C>] = {};
  memcpy(words, &carry, sizeof carry);
#pragma unroll
  for (int w = 0; w < slot_words<C>; ++w) publish_word(slot + w, words[w], number);
}

/// The block that holds a position.
inline __device__ std::int64_t block_at(const scan_work& p, std::int64_t position) {
  std::int64_t low = 0;
  std::int64_t high = p.blocks;  // start[low] <= position < start[high]
  while (high - low > 1) {
    const std::int64_t middle = (low + high) / 2;
    if (p.start[middle] <= position) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return low;
}

/// Elements are read and written once, in words of at most 8 bytes: complex numbers need no wider alignment.
template <class T>
__device__ T load_once(const T* from) {
  constexpr int size = static_cast<int>(sizeof(T)) < 8 ? static_cast<int>(sizeof(T)) : 8;
  using word = copy_word_t<size>;
  word words[sizeof(T) / size];
#pragma unroll
  for (int w = 0; w < static_cast<int>(sizeof(T)) / size; ++w)
    words[w] = __ldcs(reinterpret_cast<const word*>(from) + w);
  T value;
  memcpy(&value, words, sizeof value);
  return value;
}

template <class T>
__device__ void store_once(T* to, T value) {
  constexpr int size = static_cast<int>(sizeof(T)) < 8 ? static_cast<int>(sizeof(T)) : 8;
  using word = copy_word_t<size>;
  word words[sizeof(T) / size];
  memcpy(words, &value, sizeof value);
#pragma unroll
  for (int w = 0; w < static_cast<int>(sizeof(T)) / size; ++w) __stcs(reinterpret_cast<word*>(to) + w, words[w]);
}

}  // namespace ashlar::detail

#endif
