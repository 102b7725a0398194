/// \file
/// The kernels of device_copy.hpp: rows of words, and planes that are turned over in tiles.
#pragma once

#if defined(__CUDACC__)

#include <cstdint>

#include <ashlar/detail/device_launch.hpp>

namespace ashlar::detail {

inline constexpr int copy_axes = device_axes + 1;  // elements of 16 bytes can be two of 8

/// What both kernels are given.
struct copy_arguments {
  int ndim;  // of the axes below
  fast_divisor extent[copy_axes];
  std::int64_t from_stride[copy_axes];
  std::int64_t to_stride[copy_axes];
  const void* const* from;
  void* const* to;
  std::int64_t from_offset;  // bytes, of boxes that are copied in parts
  std::int64_t to_offset;
  fast_divisor pieces;  // thread blocks an item
  std::uint32_t size;   // elements an item (rows), or 0
};

/// The plane of a tile: axis s is the source's innermost one, t the target's.
struct copy_plane {
  std::uint32_t s_extent;
  std::uint32_t t_extent;
  std::int64_t from_s;
  std::int64_t from_t;
  std::int64_t to_s;
  std::int64_t to_t;
  fast_divisor s_tiles;
  fast_divisor t_tiles;
};

template <int Size>
struct copy_word;
template <>
struct copy_word<1> {
  using type = std::uint8_t;
};
template <>
struct copy_word<2> {
  using type = std::uint16_t;
};
template <>
struct copy_word<4> {
  using type = std::uint32_t;
};
template <>
struct copy_word<8> {
  using type = unsigned long long;
};
template <>
struct copy_word<16> {
  using type = ulonglong2;
};
template <int Size>
using copy_word_t = typename copy_word<Size>::type;

inline __device__ bool aligned_for(const void* a, const void* b, int size) {
  const auto bits = reinterpret_cast<std::uintptr_t>(a) | reinterpret_cast<std::uintptr_t>(b);
  return (bits & static_cast<std::uintptr_t>(size - 1)) == 0;
}

/// Byte offsets of element `n`.
inline __device__ void find_element(const copy_arguments& p, std::uint32_t n, std::int64_t& from, std::int64_t& to) {
#pragma unroll
  for (int a = 0; a < copy_axes; ++a) {
    if (a >= p.ndim) break;
    const std::uint32_t at = a + 1 < p.ndim ? p.extent[a].split(n) : n;
    from += at * p.from_stride[a];
    to += at * p.to_stride[a];
  }
}

inline constexpr int copy_threads = 256;

/// Words of Wide bytes that a thread copies; all are on their way before the first is stored.
inline constexpr int words_at_once = 4;

/// `Wide` bytes at a time, and `Size` where an address does not allow them.
template <int Size, int Wide>
__global__ void __launch_bounds__(copy_threads) copy_rows(const copy_arguments p) {
  std::uint32_t item = blockIdx.x;
  const std::uint32_t piece = p.pieces.split(item);
  const auto* const from = static_cast<const unsigned char*>(p.from[item]) + p.from_offset;
  auto* const to = static_cast<unsigned char*>(p.to[item]) + p.to_offset;
  const std::uint32_t first = piece * (copy_threads * words_at_once) + threadIdx.x;
  if (Wide == Size || aligned_for(from, to, Wide)) {
    using word = copy_word_t<Wide>;
    word value[words_at_once];
    std::int64_t target[words_at_once];
#pragma unroll
    for (int k = 0; k < words_at_once; ++k) {
      // threads beyond the end read the last word once more, so that no branch stands between two loads
      const std::uint32_t n = first + k * copy_threads;
      std::int64_t source = 0;
      target[k] = 0;
      find_element(p, n < p.size ? n : p.size - 1, source, target[k]);
      value[k] = __ldcs(reinterpret_cast<const word*>(from + source));
    }
#pragma unroll
    for (int k = 0; k < words_at_once; ++k) {
      if (first + k * copy_threads < p.size) __stcs(reinterpret_cast<word*>(to + target[k]), value[k]);
    }
    return;
  }
  if constexpr (Wide != Size) {
    using word = copy_word_t<Size>;
    constexpr std::uint32_t parts = Wide / Size;
    const std::uint32_t begin = piece * (copy_threads * words_at_once);
#pragma unroll 4
    for (std::uint32_t k = threadIdx.x; k < copy_threads * words_at_once * parts; k += copy_threads) {
      const std::uint32_t n = begin + k / parts;
      if (n >= p.size) break;
      std::int64_t source = k % parts * Size;
      std::int64_t target = source;
      find_element(p, n, source, target);
      __stcs(reinterpret_cast<word*>(to + target), __ldcs(reinterpret_cast<const word*>(from + source)));
    }
  }
}

/// Elements along the edge of a tile: rows of at least 64 bytes, and enough bytes under way in small elements.
template <int Size>
inline constexpr int copy_tile = Size >= 4 ? 32 : 64;

/// Thread blocks of 32 x 8 threads, each for one tile.
template <int Size, int Edge>
__global__ void __launch_bounds__(copy_threads) copy_tiles(const copy_arguments p, const copy_plane plane) {
  using word = copy_word_t<Size>;
  constexpr int padding = Size >= 4 ? 1 : 4 / Size;
  constexpr int rows = copy_threads / 32;
  __shared__ word tile[Edge][Edge + padding];
  std::uint32_t n = blockIdx.x;
  const std::uint32_t s0 = plane.s_tiles.split(n) * Edge;
  const std::uint32_t t0 = plane.t_tiles.split(n) * Edge;
  std::uint32_t item = n;
  std::uint32_t outer = p.pieces.split(item);
  std::int64_t from_at = p.from_offset;
  std::int64_t to_at = p.to_offset;
  find_element(p, outer, from_at, to_at);
  const auto* const from = static_cast<const unsigned char*>(p.from[item]) + from_at;
  auto* const to = static_cast<unsigned char*>(p.to[item]) + to_at;
  const bool whole = Size < 16 || aligned_for(from, to, Size);  // complex numbers may be aligned to 8 bytes only
  const std::uint32_t lane = threadIdx.x % 32;
  const std::uint32_t row = threadIdx.x / 32;
  constexpr int across = Edge / 32;
  constexpr int steps = Edge / rows * across;  // elements of a thread
  word value[steps];
#pragma unroll
  for (int k = 0; k < steps; ++k) {
    // beyond the edge the last element is read once more, so that no branch stands between two loads
    const std::uint32_t s = s0 + k % across * 32 + lane;
    const std::uint32_t t = t0 + k / across * rows + row;
    const unsigned char* const at = from + (s < plane.s_extent ? s : plane.s_extent - 1) * plane.from_s +
                                    (t < plane.t_extent ? t : plane.t_extent - 1) * plane.from_t;
    if constexpr (Size == 16) {
      if (!whole) {
        const auto* const halves = reinterpret_cast<const unsigned long long*>(at);
        value[k] = make_ulonglong2(__ldcs(halves), __ldcs(halves + 1));
        continue;
      }
    }
    value[k] = __ldcs(reinterpret_cast<const word*>(at));
  }
#pragma unroll
  for (int k = 0; k < steps; ++k) tile[k / across * rows + row][k % across * 32 + lane] = value[k];
  __syncthreads();
#pragma unroll
  for (int k = 0; k < steps; ++k) {
    const std::uint32_t s = s0 + k / across * rows + row;
    const std::uint32_t t = t0 + k % across * 32 + lane;
    if (s >= plane.s_extent || t >= plane.t_extent) continue;
    unsigned char* const at = to + (s * plane.to_s + t * plane.to_t);
    const word turned = tile[k % across * 32 + lane][k / across * rows + row];
    if constexpr (Size == 16) {
      if (!whole) {
        auto* const halves = reinterpret_cast<unsigned long long*>(at);
        __stcs(halves, turned.x);
        __stcs(halves + 1, turned.y);
        continue;
      }
    }
    __stcs(reinterpret_cast<word*>(at), turned);
  }
}

}  // namespace ashlar::detail

#endif
