/// \file
/// Block lengths for axes whose chunks are `automatic`. The rule is Dask's (dask.array.core.auto_chunks), so that sizes
/// that people know come out the same; written anew, with 64-bit sizes. Two answers differ, where Dask's are wrong:
/// beside an empty axis it divides by zero, and an axis that reaches its end while others shrink counts twice.
///
/// A new array: all automatic axes get the same length, the k-th root of what the limit leaves; an axis shorter than
/// that is taken whole and the others share what it left. An array that has blocks: the median block of each axis is
/// scaled by a common factor; growing merges whole blocks, so that no block is read twice.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <ashlar/block_grid.hpp>
#include <ashlar/error.hpp>
#include <ashlar/shape.hpp>

namespace ashlar::detail {

/// Bytes that a block with automatic lengths has at most.
inline constexpr std::int64_t default_block_bytes = std::int64_t{128} << 20;

/// How far a block may exceed its share before existing blocks are cut rather than merged.
inline constexpr double automatic_tolerance = 1.25;

/// The k-th smallest block length, k from 0. By bisection on the value: no copy, O(count * 63) for an uneven axis.
inline std::int64_t kth_length(const axis_blocks& blocks, std::int64_t k) {
  if (blocks.uniform()) {
    const std::int64_t last = blocks.length(blocks.count() - 1);
    return k == 0 ? last : blocks.max_length();
  }
  std::int64_t low = 0;
  std::int64_t high = blocks.max_length();
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    std::int64_t not_above = 0;
    for (std::int64_t i = 0; i < blocks.count(); ++i) not_above += blocks.length(i) <= middle ? 1 : 0;
    if (not_above > k) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

inline double median_length(const axis_blocks& blocks) {
  const std::int64_t n = blocks.count();
  return (static_cast<double>(kth_length(blocks, (n - 1) / 2)) + static_cast<double>(kth_length(blocks, n / 2))) / 2;
}

/// The length of at least half of the blocks, if there is one and it is more than 1; else the length of the axis.
inline std::int64_t prevailing_length(const axis_blocks& blocks) {
  const std::int64_t n = blocks.count();
  if (blocks.uniform()) return blocks.max_length() > 1 ? blocks.max_length() : blocks.total();
  // A value that fills half of the sorted lengths covers one of their two middle places.
  const std::int64_t candidates[2] = {kth_length(blocks, (n - 1) / 2), kth_length(blocks, n / 2)};
  std::int64_t hits[2] = {0, 0};
  std::int64_t first[2] = {n, n};
  for (std::int64_t i = 0; i < n; ++i) {
    for (int c = 0; c < 2; ++c) {
      if (blocks.length(i) != candidates[c]) continue;
      if (hits[c]++ == 0) first[c] = i;
    }
  }
  const int best = hits[1] > hits[0] || (hits[1] == hits[0] && first[1] < first[0]) ? 1 : 0;
  return candidates[best] > 1 && 2 * hits[best] >= n ? candidates[best] : blocks.total();
}

/// A whole length near `wanted`: rounded down, and above `unit` a multiple of it. At least 1.
inline std::int64_t round_length(double wanted, std::int64_t unit) {
  std::int64_t length = static_cast<std::int64_t>(wanted);
  if (wanted > static_cast<double>(unit) && unit > 0) length = length / unit * unit;
  return length < 1 ? 1 : length;
}

/// Neighbouring blocks merged while the merged one stays within `limit`.
inline axis_blocks merge_blocks(const axis_blocks& blocks, double limit) {
  std::vector<std::int64_t> merged;
  std::int64_t open = 0;
  for (std::int64_t i = 0; i < blocks.count(); ++i) {
    const std::int64_t length = blocks.length(i);
    if (static_cast<double>(open + length) <= limit) {
      open += length;
      continue;
    }
    if (open > 0) merged.push_back(open);
    open = length;
  }
  if (open > 0) merged.push_back(open);
  return axis_blocks::explicit_lengths(merged);
}

/// Cuts the open axes of a new array. `room` is the number of elements that the limit leaves for them together.
inline void fill_evenly(std::vector<axis_blocks>& result, axis_set open, const shape& extents, double room) {
  while (!open.empty()) {
    const double side = std::pow(room, 1.0 / open.count());
    axis_set rest;
    for (const int axis : open) {
      if (static_cast<double>(extents[axis]) < side) {
        result[static_cast<std::size_t>(axis)] = axis_blocks::single(extents[axis]);
        room /= static_cast<double>(extents[axis]);
      } else {
        rest.insert(axis);
      }
    }
    if (rest == open) {
      for (const int axis : open) {
        result[static_cast<std::size_t>(axis)] = axis_blocks::regular(extents[axis], round_length(side, extents[axis]));
      }
      return;
    }
    open = rest;
  }
}

inline axis_set without(const axis_set& axes, int left_out) {
  axis_set result;
  for (const int axis : axes) {
    if (axis != left_out) result.insert(axis);
  }
  return result;
}

/// Cuts the open axes of an array that has blocks, by scaling those. `room` as in fill_evenly.
inline void fill_by_scaling(std::vector<axis_blocks>& result, axis_set open, const shape& extents, double room,
                            const block_grid& previous) {
  double typical[max_ndim] = {};
  const auto factor_left = [&](const axis_set& scaled) {
    double factor = room;
    for (const int axis : scaled) factor /= typical[axis];
    return factor;
  };
  for (const int axis : open) {
    const double median = median_length(previous.axis(axis));
    typical[axis] = median > 0 ? median : 1;
  }
  // Axes whose length is part of the product although it is settled: shrunk to 1, they take no further share.
  axis_set counted = open;
  double factor = factor_left(counted);
  const bool shrink = factor < 1;

  // An axis that reaches its end, or rounding while shrinking, changes what is left for the others. Each round either
  // settles an axis or moves the lengths closer to the limit; 64 rounds are more than rounding can ask for.
  bool again = true;
  for (int round = 0; again && round < 64; ++round) {
    again = false;
    const axis_set current = open;
    const double share = current.empty() ? 1 : 1.0 / current.count();
    for (const int axis : current) {
      const axis_blocks& old = previous.axis(axis);
      axis_blocks& blocks = result[static_cast<std::size_t>(axis)];
      const double proposed = typical[axis] * std::pow(factor, share);
      if (proposed > static_cast<double>(extents[axis])) {
        blocks = axis_blocks::single(extents[axis]);
        room /= static_cast<double>(extents[axis]);
        open = without(open, axis);
        counted = without(counted, axis);
        again = true;
      } else if (shrink || static_cast<double>(old.max_length()) > proposed * std::pow(automatic_tolerance, share)) {
        const std::int64_t length = round_length(proposed, prevailing_length(old));
        blocks = axis_blocks::regular(extents[axis], length);
        if (shrink) typical[axis] = static_cast<double>(length);
        if (proposed < 1) {
          open = without(open, axis);
          again = true;
        }
      } else {
        blocks = merge_blocks(old, proposed);
      }
    }
    if (again || shrink) {
      const double last = factor;
      factor = factor_left(counted);
      if (factor < last || factor > last) again = true;
    }
  }
}

/// Sets result[axis] for each automatic axis such that the largest block has about `limit` bytes at most.
/// @throws chunk_error that names `call` for itemsize < 1 and for unknown previous block lengths.
inline void fill_automatic(std::vector<axis_blocks>& result, const axis_set& automatic_axes, const shape& extents,
                           std::int64_t itemsize, std::int64_t limit, const block_grid* previous,
                           std::string_view call) {
  if (itemsize < 1) {
    throw chunk_error(std::string(call) + ": automatic chunks need the size of an element in bytes, not " +
                      std::to_string(itemsize));
  }
  if (previous != nullptr) previous->require_known(call);
  double room = static_cast<double>(limit) / static_cast<double>(itemsize);
  axis_set open;
  for (int axis = 0; axis < extents.ndim(); ++axis) {
    if (!automatic_axes.contains(axis)) {
      const std::int64_t longest = result[static_cast<std::size_t>(axis)].max_length();
      room /= longest > 0 ? static_cast<double>(longest) : 1;
    } else if (extents[axis] > 0) {
      open.insert(axis);
    } else {
      result[static_cast<std::size_t>(axis)] = axis_blocks::single(0);
    }
  }
  if (previous == nullptr) {
    fill_evenly(result, open, extents, room);
  } else {
    fill_by_scaling(result, open, extents, room, *previous);
  }
}

}  // namespace ashlar::detail
