/// \file
/// How many canonical blocks one task of a reduction takes.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include <ashlar/graph/plan.hpp>
#include <ashlar/graph/region.hpp>

namespace ashlar::detail {

// When one task takes several canonical blocks.
inline constexpr std::int64_t strip_bytes = 24 << 10;  // shortest run that a task reads from a row-major source
inline constexpr std::int64_t small_task_bytes = 512 << 10;

/// One task may take several canonical blocks: side by side where rows of a row-major source would be read in short
/// pieces, in turn where blocks are so small that tasks would cost more than they do. Neither changes a bit.
inline void choose_grouping(layer& l, int lane_count) {
  const int nd = l.grid.ndim();
  if (nd == 0) return;
  const int last = nd - 1;
  std::int64_t tasks = l.grid.count();
  const std::int64_t wanted = 8 * static_cast<std::int64_t>(lane_count);
  std::int64_t size = 1;
  bool in_place = true;
  bool from_memory = false;
  for (const leaf& f : l.tape.leaves) {
    if (f.shape.ndim() != nd) continue;
    if (itemsize(f.type) > size) size = itemsize(f.type);
    if (f.from == nullptr || f.from->blocks() != nullptr) {
      in_place = false;
    } else if (const memory_view* m = f.from->memory(); m != nullptr) {
      from_memory = true;
      const std::int64_t step = f.view != nullptr ? view_strides(*f.view, m->strides)[last] : m->strides[last];
      if (f.shape[last] > 1 && step != 1) in_place = false;
    }
  }
  std::int64_t bytes = size;
  for (int a = 0; a < nd; ++a) bytes *= l.grid.axis(a).max_length();
  const axis_blocks& columns = l.grid.axis(last);
  if (nd > 1 && in_place && from_memory && columns.uniform() && columns.count() > 1) {
    const std::int64_t run = columns.max_length() * size;
    while (run > 0 && run * l.strip < strip_bytes && l.strip < max_strip && l.strip < columns.count() &&
           tasks / 2 >= wanted) {
      l.strip *= 2;
      tasks /= 2;
      bytes *= 2;
    }
  }
  // blocks in turn: along the axis that is combined first, unless a task has all of that one
  int axis = -1;
  for (std::size_t k = l.axes.size(); k-- > 0 && axis < 0;) {
    const std::int64_t count = l.grid.axis(l.axes[k]).count();
    if (l.axes[k] == last && l.strip > 1 && l.strip < count) break;
    if (count > 1 && !(l.axes[k] == last && l.strip > 1)) axis = l.axes[k];
  }
  if (axis >= 0) {
    while (bytes < small_task_bytes && l.group < l.grid.axis(axis).count() && tasks / 2 >= wanted) {
      l.group *= 2;
      tasks /= 2;
      bytes *= 2;
    }
    if (l.group > 1) l.grouped_axis = axis;
  }
}

/// Blocks of a reduction's result as tasks make them; several kept blocks side by side are one.
inline block_grid output_grid(const layer& l, const layer_output& out) {
  const int nd = l.grid.ndim();
  if (l.strip == 1 || is_reduced(l, nd - 1)) return out.grid;
  std::vector<axis_blocks> result;
  result.reserve(static_cast<std::size_t>(out.grid.ndim()));
  for (int a = 0; a < out.grid.ndim(); ++a) result.push_back(out.grid.axis(a));
  const axis_blocks& columns = l.grid.axis(nd - 1);
  result.back() = axis_blocks::regular(columns.total(), columns.max_length() * l.strip);
  return block_grid(std::move(result));
}

}  // namespace ashlar::detail
