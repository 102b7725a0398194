/// \file
/// What a plan holds in memory: blocks at once along its order, and scratch of a lane.
#pragma once

#include <cstdint>
#include <vector>

#include <ashlar/graph/block_scratch.hpp>
#include <ashlar/graph/plan.hpp>
#include <ashlar/graph/region.hpp>

namespace ashlar::detail {

/// Bytes of the block of `task` that count as held by the run: none for blocks that are the result.
inline std::int64_t live_bytes(const plan& p, std::uint32_t task) noexcept {
  return p.layers[p.layer_of[task]].kept ? 0 : p.chunk_bytes[task];
}

/// A run whose blocks all together take no more than this is not held back, whatever its peak.
inline constexpr std::int64_t free_run_bytes = std::int64_t{64} << 20;

/// Bytes in blocks at once when the order is followed by one lane.
inline std::int64_t simulate_peak(const plan& p) {
  std::vector<std::uint32_t> uses(p.tasks());
  std::int64_t live = 0;
  std::int64_t peak = 0;
  for (std::uint32_t t = 0; t < p.tasks(); ++t) uses[t] = p.graph.succ_begin[t + 1] - p.graph.succ_begin[t];
  for (const std::uint32_t t : p.order) {
    live += live_bytes(p, t);
    if (live > peak) peak = live;
    for (std::int64_t e = p.pred_begin[t]; e < p.pred_begin[t + 1]; ++e) {
      const std::uint32_t from = p.pred[static_cast<std::size_t>(e)];
      if (--uses[from] == 0) live -= live_bytes(p, from);
    }
    if (uses[t] == 0) live -= live_bytes(p, t);
  }
  return peak;
}

/// Bytes of the blocks that a task needs for itself: its own and those that it reads.
inline std::int64_t working_bytes(const plan& p, std::uint32_t t) {
  std::int64_t bytes = live_bytes(p, t);
  for (std::int64_t e = p.pred_begin[t]; e < p.pred_begin[t + 1]; ++e) {
    bytes += live_bytes(p, p.pred[static_cast<std::size_t>(e)]);
  }
  return bytes;
}

struct working_set {
  std::uint32_t task = 0;
  std::int64_t bytes = 0;
};

/// The task for which those are most.
inline working_set largest_working_set(const plan& p) {
  working_set most;
  for (std::uint32_t t = 0; t < p.tasks(); ++t) {
    const std::int64_t bytes = working_bytes(p, t);
    if (bytes > most.bytes) most = {t, bytes};
  }
  return most;
}

/// Levels of a binary counter over n leaves, with the buffers that it works in.
inline std::int64_t tree_levels(std::int64_t n) noexcept {
  std::int64_t levels = 2;
  while ((std::int64_t{1} << (levels - 1)) <= n) ++levels;
  return levels + 1;
}

/// An upper bound of the scratch that one lane takes for a task of the layer.
inline std::int64_t scratch_bytes(const layer& l) {
  if (l.kind == layer_kind::blockwise) return 2 * round_up(blockwise_scratch(l), std::int64_t{256} << 10);
  if (l.kind == layer_kind::movement) return 2 * round_up(movement_scratch(l), std::int64_t{256} << 10);
  const int nd = l.grid.ndim();
  std::int64_t widest = 1;
  for (const dtype t : l.tape.types) {
    if (itemsize(t) > widest) widest = itemsize(t);
  }
  const bool in_blocks_alone = makes_blocks(l);  // a task is one block
  std::int64_t kept = 1;
  std::int64_t longest = 1;
  std::int64_t box_size = 1;
  ashlar::shape length;
  for (int a = 0; a < nd; ++a) {
    length.push_back(l.grid.axis(a).max_length() * (in_blocks_alone ? 1 : blocks_per_task(l, a)));
    box_size *= length[a];
    if (!in_blocks_alone && is_reduced(l, a)) {
      if (l.grid.axis(a).max_length() > longest) longest = l.grid.axis(a).max_length();
    } else {
      kept *= length[a];
    }
  }
  std::int64_t bytes = 0;
  if (l.kind == layer_kind::combine) {
    bytes = tree_levels(l.fan_in) * state_bytes(l, kept);
  } else {
    const std::int64_t piece = l.kind == layer_kind::elementwise ? tile_elements : column_leaf * column_tile_elements;
    bytes =
        round_up(piece * widest, 64) * (l.tape.slots + 1) + 4096 * static_cast<std::int64_t>(l.tape.leaves.size() + 1);
    for (const leaf& f : l.tape.leaves) {  // regions that span blocks are put together in scratch
      if (f.view != nullptr) {
        bytes += viewed_scratch(f, length);
        continue;
      }
      const bool in_blocks = f.from == nullptr || f.from->blocks() != nullptr;
      if (!in_blocks || f.grid.count() == 1) continue;
      bool apart = false;
      for (int a = 0; a < f.grid.ndim(); ++a) {
        const int task_axis = a + nd - f.grid.ndim();
        apart = apart || (f.shape[a] > 1 && !(f.grid.axis(a) == l.grid.axis(task_axis) &&
                                              (in_blocks_alone || blocks_per_task(l, task_axis) == 1)));
      }
      if (apart) bytes += box_size < f.shape.size() ? box_size * itemsize(f.type) : f.shape.size() * itemsize(f.type);
    }
  }
  if (l.kind == layer_kind::scan) {
    bytes += scan_state_bytes(l, box_size / (length[l.scan_axis] > 0 ? length[l.scan_axis] : 1));
  }
  if (l.kind == layer_kind::partial) {
    const std::int64_t strips = is_reduced(l, nd - 1) ? l.strip : 1;
    const std::int64_t states = state_bytes(l, kept * strips);
    std::int64_t trees = 2;
    for (std::size_t k = 0; k < l.axes.size(); ++k) trees += tree_levels(longest / column_leaf + 1) + 1;
    bytes += states * (trees + tree_levels(strips) + tree_levels(l.group));
    for (const reducer_use& r : l.reducers) bytes += r.reducer->row_state_bytes + 64;
  }
  return 2 * round_up(bytes, std::int64_t{256} << 10);  // pieces of the scratch stack are not filled to the end
}

}  // namespace ashlar::detail
