/// \file
/// Movement: results whose elements are those of operands at other places, and what a block of such a result is put
/// together from. Two rules suffice. *Placing*: element j of an operand along an axis is element start + step * j of
/// the result, later operands over earlier ones; that is rechunk, concatenate, stack, roll, pad, insert, assignment to
/// a slice. *Reshaping*: groups of axes that hold the same elements in C order; a block of the result is a run of each
/// group, and a run is a few boxes of what it comes from. Nothing is copied twice: each block gathers its own elements.
#pragma once

#include <cstdint>
#include <vector>

#include <ashlar/graph/box.hpp>
#include <ashlar/shape.hpp>

namespace ashlar::detail {

struct placement {
  strides start;
  strides step;  // 1 or more
};

/// Neighbouring axes [in, in_end) of the operand and [out, out_end) of the result that hold the same elements.
struct reshape_group {
  int in = 0;
  int in_end = 0;
  int out = 0;
  int out_end = 0;
};

struct movement_rule {
  const char* name = "copy";
  std::vector<placement> places;      // by operand; empty, without groups: the one operand as it is
  int in_order = -1;                  // axis along which the operands lie one behind the other, or -1
  bool apart = false;                 // no operand covers elements of another; so it is of those in order
  std::vector<reshape_group> groups;  // of a reshape, which has one operand

  bool reshapes() const noexcept { return !groups.empty(); }
};

/// The operands [first, end) that may have elements in `out`.
struct operand_range {
  std::size_t first;
  std::size_t end;
};

inline operand_range operands_in(const movement_rule& r, std::size_t operands, const box& out) {
  if (r.in_order < 0 || out.size() == 0) return {0, operands};
  const auto begins = [&](std::size_t k) { return r.places[k].start[r.in_order]; };
  const auto first_after = [&](std::int64_t position) {  // the first operand that begins behind it
    std::size_t low = 0;
    std::size_t high = operands;
    while (low < high) {
      const std::size_t middle = low + (high - low) / 2;
      if (begins(middle) <= position) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  };
  const std::int64_t begin = out.offset[r.in_order];
  std::size_t first = first_after(begin);
  while (first > 0 && begins(first - 1) >= begin) --first;  // empty operands may begin there too
  if (first > 0) --first;
  return {first, first_after(begin + out.length[r.in_order] - 1)};
}

/// The elements of operand `k`, of shape `extents`, that lie in the box `out` of the result.
inline box placed_part(const movement_rule& r, std::size_t k, const shape& extents, const box& out) {
  if (r.places.empty()) return out;
  const placement& p = r.places[k];
  box b;
  b.ndim = extents.ndim();
  for (int a = 0; a < b.ndim; ++a) {
    const std::int64_t step = p.step[a];
    const std::int64_t begin = out.offset[a] - p.start[a];
    const std::int64_t end = begin + out.length[a];
    std::int64_t low = begin <= 0 ? 0 : (begin - 1) / step + 1;
    std::int64_t high = end <= 0 ? 0 : (end - 1) / step + 1;
    if (low > extents[a]) low = extents[a];
    if (high > extents[a]) high = extents[a];
    b.offset[a] = low;
    b.length[a] = high - low;
  }
  return b;
}

/// A box of consecutive elements, from `first` on, of a run.
struct run_box {
  std::int64_t first;
  box part;
};

/// Appends the boxes that the run [first, first + n) of the axes of `extents` from `axis` on consists of, in C order:
/// up to two for each axis. Offsets of the axes before `axis` are those of `at`.
inline void append_run(std::vector<run_box>& boxes, const shape& extents, int axis, std::int64_t first, std::int64_t n,
                       std::int64_t done, box at) {
  if (n == 0) return;
  if (axis == extents.ndim()) {
    boxes.push_back({done, at});
    return;
  }
  std::int64_t row = 1;
  for (int a = axis + 1; a < extents.ndim(); ++a) row *= extents[a];
  const auto part_of_row = [&](std::int64_t count) {
    at.offset[axis] = first / row;
    at.length[axis] = 1;
    append_run(boxes, extents, axis + 1, first % row, count, done, at);
    first += count;
    done += count;
    n -= count;
  };
  if (first % row != 0) part_of_row(n < row - first % row ? n : row - first % row);
  if (n >= row) {
    at.offset[axis] = first / row;
    at.length[axis] = n / row;
    for (int a = axis + 1; a < extents.ndim(); ++a) {
      at.offset[a] = 0;
      at.length[a] = extents[a];
    }
    boxes.push_back({done, at});
    const std::int64_t count = n / row * row;
    first += count;
    done += count;
    n -= count;
  }
  if (n > 0) part_of_row(n);
}

/// The box of the operand of a reshape, and where in a packed block of the result its elements belong: by axis of the
/// operand the distance from one to the next.
struct reshaped_part {
  box from;
  std::int64_t start;
  strides step;
};

/// What a block `out` of the result of a reshape is put together from. Each of its groups is a run: axes cut to 1, then
/// one that is cut, then whole ones.
inline std::vector<reshaped_part> reshaped_parts(const movement_rule& r, const shape& in, const shape& result,
                                                 const box& out) {
  std::vector<reshaped_part> parts(1);
  parts[0].from.ndim = in.ndim();
  parts[0].start = 0;
  parts[0].step = strides::filled(in.ndim(), 0);
  if (out.size() == 0) return {};
  std::int64_t behind = 1;  // elements of the block in the groups behind
  for (std::size_t g = r.groups.size(); g-- > 0;) {
    const reshape_group& group = r.groups[g];
    std::int64_t first = 0;
    std::int64_t n = 1;
    for (int a = group.out; a < group.out_end; ++a) {
      first = first * result[a] + out.offset[a];
      n *= out.length[a];
    }
    shape extents;
    for (int a = group.in; a < group.in_end; ++a) extents.push_back(in[a]);
    std::vector<run_box> boxes;
    box none;
    none.ndim = extents.ndim();
    append_run(boxes, extents, 0, first, n, 0, none);
    const strides step = row_major_strides(extents);
    std::vector<reshaped_part> next;
    next.reserve(parts.size() * boxes.size());
    for (const run_box& b : boxes) {
      for (reshaped_part p : parts) {
        p.start += b.first * behind;
        for (int a = 0; a < extents.ndim(); ++a) {
          p.from.offset[group.in + a] = b.part.offset[a];
          p.from.length[group.in + a] = b.part.length[a];
          p.step[group.in + a] = step[a] * behind;
        }
        next.push_back(p);
      }
    }
    parts = std::move(next);
    behind *= n;
  }
  return parts;
}

}  // namespace ashlar::detail
