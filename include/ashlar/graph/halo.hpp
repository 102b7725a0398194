/// \file
/// The surroundings of a part of an array: which elements they are made of, axis by axis.
///
/// Positions along an axis are cut into *pieces*: runs of positions whose elements are a constant, or lie one after the
/// other in the array, forwards, backwards, or all at one place. A part with its surroundings is the product of such
/// pieces, and so is what it reads, whatever stands beyond the array. A part in the middle is one piece an axis.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include <ashlar/boundary.hpp>
#include <ashlar/graph/box.hpp>
#include <ashlar/overlap_depth.hpp>
#include <ashlar/shape.hpp>

namespace ashlar::detail {

/// What map_overlap() is asked for: by axis of the broadcast operands, or one for all. No depth means no halo.
struct halo_request {
  std::vector<axis_depth> depth;
  std::vector<boundary> beyond;
  bool trim = false;
};

/// Elements around a part along one axis, and what stands for those beyond the array.
struct halo {
  std::int64_t before = 0;
  std::int64_t after = 0;
  boundary_kind beyond = boundary_kind::none;
  alignas(16) unsigned char value[16] = {};  // of `constant`, in the type of the array
};

/// Positions `first` to `end` of an axis; they may lie beyond it.
struct axis_span {
  std::int64_t first;
  std::int64_t end;

  std::int64_t length() const noexcept { return end - first; }
};

/// A part of `length` from `offset` of an axis of `n` elements, with what is around it.
inline axis_span span_with_halo(const halo& h, std::int64_t offset, std::int64_t length, std::int64_t n) noexcept {
  axis_span s{offset - h.before, offset + length + h.after};
  if (h.beyond != boundary_kind::none) return s;
  if (s.first < 0) s.first = 0;
  if (s.end > n) s.end = n;
  return s;
}

struct halo_piece {
  std::int64_t at = 0;  // counted from the first position
  std::int64_t length = 0;
  bool constant = false;
  std::int64_t from = 0;  // element at the first position
  int step = 0;           // and from one position to the next: 1, -1 or 0

  /// The elements that it reads.
  axis_span reads() const noexcept {
    const std::int64_t last = from + step * (length - 1);
    return step < 0 ? axis_span{last, from + 1} : axis_span{from, last + 1};
  }
};

/// The piece that begins at position `p` beyond an axis of `n`, as long as it goes on. Counted outwards the axis
/// repeats with a period of its length, less the end where that is not repeated; mirrors are backwards in every other
/// one.
/// @pre n > 0; not for nothing
inline halo_piece piece_beyond(boundary_kind beyond, std::int64_t p, std::int64_t n) noexcept {
  constexpr std::int64_t endless = std::numeric_limits<std::int64_t>::max();
  if (beyond == boundary_kind::constant) return {0, endless, true};
  const std::int64_t skip = beyond == boundary_kind::reflect ? 1 : 0;
  if (beyond == boundary_kind::edge || n == skip) return {0, endless, false, p < 0 ? 0 : n - 1, 0};
  const std::int64_t period = n - skip;
  const std::int64_t out = p < 0 ? -1 - p : p - n;
  const std::int64_t at = out % period;
  const bool backwards = beyond != boundary_kind::wrap && out / period % 2 == 0;
  if (p < 0) return {0, at + 1, false, backwards ? skip + at : period - 1 - at, backwards ? -1 : 1};
  return {0, period - at, false, backwards ? period - 1 - at : skip + at, backwards ? -1 : 1};
}

/// Calls f(piece) for the pieces of a span, in order. Cost: linear in their number.
template <class F>
void for_each_piece(const halo& h, axis_span s, std::int64_t n, F f) {
  const auto beyond = [&](std::int64_t begin, std::int64_t end) {
    while (begin < end) {
      halo_piece p = piece_beyond(h.beyond, begin, n);
      p.at = begin - s.first;
      if (p.length > end - begin) p.length = end - begin;
      f(static_cast<const halo_piece&>(p));
      begin += p.length;
    }
  };
  const std::int64_t low = s.first > 0 ? s.first : 0;
  const std::int64_t high = s.end < n ? s.end : n;
  if (low >= high) return beyond(s.first, s.end);
  beyond(s.first, low);
  f(halo_piece{low - s.first, high - low, false, low, 1});
  beyond(high, s.end);
}

/// What the pieces of one axis read, as few spans as they are apart: two at most, since only `wrap` reaches for the
/// other end.
struct axis_reads {
  int count = 0;
  axis_span span[2];

  void add(axis_span s) noexcept {
    for (int k = 0; k < count; ++k) {
      axis_span& known = span[k];
      if (s.end < known.first || known.end < s.first) continue;
      if (s.first < known.first) known.first = s.first;
      if (s.end > known.end) known.end = s.end;
      if (count == 2 && span[0].first <= span[1].end && span[1].first <= span[0].end) {
        count = 1;
        if (span[1].first < span[0].first) span[0].first = span[1].first;
        if (span[1].end > span[0].end) span[0].end = span[1].end;
      }
      return;
    }
    if (count < 2) {
      span[count++] = s;
      return;
    }
    if (s.first < span[1].first) span[1].first = s.first;
    if (s.end > span[1].end) span[1].end = s.end;
  }

  std::int64_t elements() const noexcept {
    std::int64_t n = 0;
    for (int k = 0; k < count; ++k) n += span[k].length();
    return n;
  }
};

inline axis_reads reads_of(const halo& h, std::int64_t offset, std::int64_t length, std::int64_t n) {
  axis_reads r;
  for_each_piece(h, span_with_halo(h, offset, length, n), n, [&r](const halo_piece& p) {
    if (!p.constant) r.add(p.reads());
  });
  return r;
}

/// Calls f(box) for the boxes that a part, without its surroundings `core`, reads of an array with these extents.
template <class F>
void for_each_read(const halo* h, const box& core, const shape& extents, F f) {
  axis_reads reads[max_ndim];
  int pick[max_ndim] = {};
  for (int a = 0; a < core.ndim; ++a) {
    reads[a] = reads_of(h[a], core.offset[a], core.length[a], extents[a]);
    if (reads[a].count == 0) return;
  }
  for (;;) {
    box b;
    b.ndim = core.ndim;
    for (int a = 0; a < b.ndim; ++a) {
      const axis_span& s = reads[a].span[pick[a]];
      b.offset[a] = s.first;
      b.length[a] = s.length();
    }
    f(static_cast<const box&>(b));
    int a = core.ndim - 1;
    while (a >= 0 && ++pick[a] == reads[a].count) pick[a--] = 0;
    if (a < 0) return;
  }
}

}  // namespace ashlar::detail
