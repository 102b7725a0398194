/// \file
/// Places in nested loops, for kernels whose threads are numbered over all items.
///
/// Only nvcc sees this file. These kernels read many elements a thread, so plain divisions cost them nothing.
#pragma once

#if defined(__CUDACC__)

#include <cstdint>

#include <ashlar/detail/device_launch.hpp>

namespace ashlar::detail {

inline unsigned launch_blocks(std::int64_t threads, std::int64_t per_block) {
  return static_cast<unsigned>((threads + per_block - 1) / per_block);
}

/// i becomes i / n. @returns the remainder. Most indices fit 32 bits, whose division is a quarter of the work.
__device__ __forceinline__ std::int64_t take_index(std::int64_t& i, std::int64_t n) {
  if (((i | n) >> 32) == 0) {
    const auto a = static_cast<std::uint32_t>(i);
    const auto b = static_cast<std::uint32_t>(n);
    i = a / b;
    return a % b;
  }
  const std::int64_t rest = i % n;
  i /= n;
  return rest;
}

struct loop_place {
  std::int64_t offset;
  std::int64_t index;
};

/// Where position i of the loops lies, in elements and in the numbers that `index_stride` counts.
__device__ __forceinline__ loop_place place_in(const device_loops& loops, const std::int64_t* index_stride,
                                               std::int64_t i) {
  loop_place p{0, 0};
  for (int a = loops.ndim - 1; a >= 0; --a) {
    const std::int64_t at = a == 0 ? i : take_index(i, loops.extent[a]);
    p.offset += at * loops.stride[a];
    p.index += at * index_stride[a];
  }
  return p;
}

}  // namespace ashlar::detail

#endif
