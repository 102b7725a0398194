/// \file
/// Copies of boxes from one place of device memory to another, all boxes of a launch at once.
///
/// Axes are put in the order of the target, outermost first, and joined where both sides allow. Then
///
/// - where the target's innermost axis is the source's too, or nothing better is known, a thread takes 16 bytes, or an
///   element, and finds where they are by their number: rows of any length keep all threads busy;
/// - where another axis is the innermost one of the source, the plane of the two is turned over in tiles that pass
///   through shared memory, so that both sides are read and written in whole lines. Rows of a tile are padded to an odd
///   number of words, so that its columns lie in different banks.
///
/// Addresses stand in device memory, so a thread block looks by itself whether they allow 16 bytes at once.
///
/// Cost: each element is read once and written once; nothing is allocated.
#pragma once

#if defined(__CUDACC__)

#include <cstdint>
#include <type_traits>

#include <ashlar/detail/device_copy_kernels.hpp>

namespace ashlar::detail {

/// Loops of a copy, innermost first; strides in bytes.
struct copy_loops {
  int ndim = 0;
  std::int64_t extent[copy_axes] = {};
  std::int64_t from[copy_axes] = {};
  std::int64_t to[copy_axes] = {};

  std::int64_t size() const noexcept {
    std::int64_t n = 1;
    for (int a = 0; a < ndim; ++a) n *= extent[a];
    return n;
  }
};

/// Axes in the order of the target, innermost first, without those of one element, joined.
inline copy_loops copy_order(const device_copy& work) {
  copy_loops sorted;
  for (int a = work.ndim - 1; a >= 0; --a) {
    if (work.extent[a] == 1) continue;
    const std::int64_t to = work.to_stride[a] * work.element;
    int k = sorted.ndim++;
    for (; k > 0 && (sorted.to[k - 1] < 0 ? -sorted.to[k - 1] : sorted.to[k - 1]) > (to < 0 ? -to : to); --k) {
      sorted.extent[k] = sorted.extent[k - 1];
      sorted.from[k] = sorted.from[k - 1];
      sorted.to[k] = sorted.to[k - 1];
    }
    sorted.extent[k] = work.extent[a];
    sorted.from[k] = work.from_stride[a] * work.element;
    sorted.to[k] = to;
  }
  copy_loops joined;
  for (int a = 0; a < sorted.ndim; ++a) {
    const int last = joined.ndim - 1;
    if (last >= 0 && sorted.from[a] == joined.from[last] * joined.extent[last] &&
        sorted.to[a] == joined.to[last] * joined.extent[last]) {
      joined.extent[last] *= sorted.extent[a];
      continue;
    }
    joined.extent[joined.ndim] = sorted.extent[a];
    joined.from[joined.ndim] = sorted.from[a];
    joined.to[joined.ndim] = sorted.to[a];
    ++joined.ndim;
  }
  return joined;
}

/// The axis that lies closest together in the source, when turning the plane of it and of axis 0 pays; or 0.
inline int copy_turned_axis(const copy_loops& l, std::int64_t element) {
  constexpr std::int64_t least = 8;  // narrower planes leave most of a tile's threads without work
  int best = 0;
  for (int a = 1; a < l.ndim; ++a) {
    if (l.extent[a] < least || l.from[a] == 0) continue;
    const std::int64_t step = l.from[a] < 0 ? -l.from[a] : l.from[a];
    const std::int64_t least_step = l.from[best] < 0 ? -l.from[best] : l.from[best];
    if (step < least_step) best = a;
  }
  if (best == 0 || l.extent[0] < least) return 0;
  const std::int64_t step = l.from[best] < 0 ? -l.from[best] : l.from[best];
  return step < 4 * element ? best : 0;  // a source that is not read in lines either way is left alone
}

inline copy_arguments begin_arguments(const device_copy& work, const copy_loops& l, std::int64_t from_offset,
                                      std::int64_t to_offset) {
  copy_arguments p{};
  p.ndim = l.ndim;
  for (int a = 0; a < l.ndim; ++a) {
    p.extent[a] = fast_divisor(l.extent[a]);
    p.from_stride[a] = l.from[a];
    p.to_stride[a] = l.to[a];
  }
  p.from = work.from;
  p.to = work.to;
  p.from_offset = from_offset;
  p.to_offset = to_offset;
  return p;
}

/// One launch, or several where an item has more thread blocks than a launch.
template <class Kernel, class... Rest>
void launch_copy(device_queue& q, copy_arguments p, std::int64_t items, std::int64_t blocks_per_item, Kernel* kernel,
                 const Rest&... rest) {
  const std::int64_t together = most_thread_blocks / blocks_per_item;
  for (std::int64_t i = 0; i < items; i += together) {
    const std::int64_t now = items - i < together ? items - i : together;
    kernel<<<static_cast<unsigned>(now * blocks_per_item), copy_threads, 0, stream_of(q)>>>(p, rest...);
    check_launch("copy", now);
    p.from += now;
    p.to += now;
  }
}

template <int Size, int Wide>
void start_rows(device_queue& q, const device_copy& work, const copy_loops& l, std::int64_t from_offset,
                std::int64_t to_offset) {
  copy_loops words = l;
  if constexpr (Wide != Size) words.extent[0] /= Wide / Size, words.from[0] = words.to[0] = Wide;
  copy_arguments p = begin_arguments(work, words, from_offset, to_offset);
  p.size = static_cast<std::uint32_t>(words.size());
  const std::int64_t pieces = (words.size() + copy_threads * words_at_once - 1) / (copy_threads * words_at_once);
  p.pieces = fast_divisor(pieces);
  launch_copy(q, p, work.items, pieces, &copy_rows<Size, Wide>);
}

/// How many bytes at a time all of the loops allow, given addresses that do.
inline std::int64_t copy_width(const copy_loops& l, std::int64_t element) {
  if (l.ndim == 0 || l.from[0] != element || l.to[0] != element) return element;
  std::int64_t bits = l.extent[0] * element;
  for (int a = 1; a < l.ndim; ++a) bits |= l.from[a] | l.to[a];
  return bits % 16 == 0 ? 16 : bits % 4 == 0 && element < 4 ? 4 : element;
}

inline void copy_in_rows(device_queue& q, const device_copy& work, const copy_loops& l, std::int64_t from_offset,
                         std::int64_t to_offset) {
  const std::int64_t width = copy_width(l, work.element == 16 ? 8 : work.element);
  const auto start = [&](auto size, auto wide) { start_rows<size, wide>(q, work, l, from_offset, to_offset); };
  using std::integral_constant;
  const auto of_size = [&](auto size) {
    if constexpr (size < 4) {
      if (width == 4) return start(size, integral_constant<int, 4>{});
    }
    if (width == 16) return start(size, integral_constant<int, 16>{});
    start(size, size);
  };
  switch (work.element) {
    case 1:
      return of_size(integral_constant<int, 1>{});
    case 2:
      return of_size(integral_constant<int, 2>{});
    case 4:
      return of_size(integral_constant<int, 4>{});
    default:
      return of_size(integral_constant<int, 8>{});
  }
}

template <int Size, int Edge = copy_tile<Size>>
void copy_in_tiles(device_queue& q, const device_copy& work, const copy_loops& l, int turned, std::int64_t from_offset,
                   std::int64_t to_offset) {
  copy_loops outer;
  for (int a = 1; a < l.ndim; ++a) {
    if (a == turned) continue;
    outer.extent[outer.ndim] = l.extent[a];
    outer.from[outer.ndim] = l.from[a];
    outer.to[outer.ndim++] = l.to[a];
  }
  const std::int64_t s_tiles = (l.extent[turned] + Edge - 1) / Edge;
  const std::int64_t t_tiles = (l.extent[0] + Edge - 1) / Edge;
  const copy_plane plane{static_cast<std::uint32_t>(l.extent[turned]),
                         static_cast<std::uint32_t>(l.extent[0]),
                         l.from[turned],
                         l.from[0],
                         l.to[turned],
                         l.to[0],
                         fast_divisor(s_tiles),
                         fast_divisor(t_tiles)};
  copy_arguments p = begin_arguments(work, outer, from_offset, to_offset);
  p.pieces = fast_divisor(outer.size());
  launch_copy(q, p, work.items, s_tiles * t_tiles * outer.size(), &copy_tiles<Size, Edge>, plane);
}

/// Boxes with fewer than 2^30 elements, so that numbers of elements and of tiles are of 32 bits.
inline void copy_part(device_queue& q, const device_copy& work, const copy_loops& l, std::int64_t from_offset,
                      std::int64_t to_offset) {
  if (l.size() >= most_thread_blocks) {
    int longest = 0;
    for (int a = 1; a < l.ndim; ++a) longest = l.extent[a] > l.extent[longest] ? a : longest;
    copy_loops part = l;
    // whole words in the first part, so that both copy them
    part.extent[longest] = (l.extent[longest] / 2 + 15) / 16 * 16;
    copy_part(q, work, part, from_offset, to_offset);
    from_offset += part.extent[longest] * l.from[longest];
    to_offset += part.extent[longest] * l.to[longest];
    part.extent[longest] = l.extent[longest] - part.extent[longest];
    return copy_part(q, work, part, from_offset, to_offset);
  }
  const int turned = copy_turned_axis(l, work.element);
  if (turned == 0) {
    if (work.element != 16) return copy_in_rows(q, work, l, from_offset, to_offset);
    copy_loops halves;  // 16 bytes may be aligned to 8 only
    halves.ndim = 1;
    halves.extent[0] = 2;
    halves.from[0] = halves.to[0] = 8;
    for (int a = 0; a < l.ndim; ++a) {
      const bool join = a == 0 && l.from[0] == 16 && l.to[0] == 16;
      if (join) {
        halves.extent[0] *= l.extent[0];
        continue;
      }
      halves.extent[halves.ndim] = l.extent[a];
      halves.from[halves.ndim] = l.from[a];
      halves.to[halves.ndim++] = l.to[a];
    }
    return copy_in_rows(q, work, halves, from_offset, to_offset);
  }
  switch (work.element) {
    case 1:
      return copy_in_tiles<1>(q, work, l, turned, from_offset, to_offset);
    case 2:
      return copy_in_tiles<2>(q, work, l, turned, from_offset, to_offset);
    case 4:
      return copy_in_tiles<4>(q, work, l, turned, from_offset, to_offset);
    case 8:
      return copy_in_tiles<8>(q, work, l, turned, from_offset, to_offset);
    default:
      return copy_in_tiles<16>(q, work, l, turned, from_offset, to_offset);
  }
}

/// Copies all items in one launch. The boxes of a source and of a target do not overlap.
/// @throws device_error when the launch is refused
inline void copy_on_device(device_queue& q, const device_copy& work) {
  for (int a = 0; a < work.ndim; ++a) {
    if (work.extent[a] <= 0) return;
  }
  if (work.items > 0) copy_part(q, work, copy_order(work), 0, 0);
}

}  // namespace ashlar::detail

#endif
