/// \file
/// Before a run: what it may hold, how many lanes share that, and whether it can be done at all.
///
/// Let *all* be the bytes of all blocks together, *serial* the most that one lane holds when it follows the order, and
/// *own* what the largest single task needs for itself. A run whose *all* fits goes free. One whose *serial* fits is
/// bounded: no lane starts a task that could take the run above its budget. One whose *own* fits spills blocks to a
/// file. What does not even fit *own* is refused. In each case the prediction is a bound that the run keeps.
#pragma once

#include <cstdint>
#include <string>

#include <ashlar/error.hpp>
#include <ashlar/execution/memory_budget.hpp>
#include <ashlar/graph/memory_use.hpp>
#include <ashlar/graph/node.hpp>
#include <ashlar/graph/plan.hpp>
#include <ashlar/host_memory.hpp>

namespace ashlar::detail {

enum class run_mode : std::uint8_t { free, bounded, spilling };

struct run_budget {
  run_mode mode = run_mode::free;
  int lanes = 1;
  std::int64_t blocks = 0;     // bytes that blocks may take
  std::int64_t predicted = 0;  // bound of blocks and scratch; the results are not in it
};

/// @throws memory_error naming the task that needs most with its scratch; where that is not more than the limit, also
///         who needs the scratch that is
[[noreturn]] inline void throw_above_limit(const plan& p, const working_set& most, std::int64_t apart,
                                           std::int64_t limit) {
  const auto scratch_of = [&](const working_set& w) { return p.layers[p.layer_of[w.task]].scratch; };
  const auto name_of = [](const layer& l) { return l.name + " (" + line_text(l.where) + ")"; };
  working_set largest = most;
  for (std::uint32_t t = 0; t < p.tasks(); ++t) {
    const working_set w{t, working_bytes(p, t)};
    if (w.bytes + scratch_of(w) > largest.bytes + scratch_of(largest)) largest = w;
  }
  std::string text = "compute: memory_limit is " + std::to_string(limit) + ", and ";
  if (largest.bytes + scratch_of(largest) + apart > limit) {
    text += "one task of " + name_of(p.layers[p.layer_of[largest.task]]) + " alone needs " +
            std::to_string(largest.bytes + scratch_of(largest) + apart) + " bytes: " + std::to_string(largest.bytes) +
            " for its block and those that it reads, " + std::to_string(scratch_of(largest)) + " of scratch";
  } else {
    const layer* widest = &p.layers.front();
    for (const layer& l : p.layers) widest = l.scratch > widest->scratch ? &l : widest;
    text += "one worker needs " + std::to_string(most.bytes + p.stats.lane_scratch + apart) +
            " bytes: " + std::to_string(most.bytes) + " for the block of a task of " +
            name_of(p.layers[p.layer_of[most.task]]) + " and those that it reads, " +
            std::to_string(p.stats.lane_scratch) + " of scratch, which it keeps, for tasks of " + name_of(*widest);
  }
  if (apart > 0) text += ", " + std::to_string(apart) + " for a result that must not be written over its input";
  throw memory_error(text + "; use smaller chunks, or a memory_limit of at least " +
                     std::to_string(most.bytes + p.stats.lane_scratch + apart));
}

/// `limit`: the executor's, 0 when it has none. `apart`: bytes held beside blocks and scratch while the run goes on.
/// @throws memory_error before anything runs
inline run_budget choose_budget(const plan& p, std::int64_t limit, std::int64_t apart = 0,
                                const system_files& files = {}) {
  const plan_stats& s = p.stats;
  if (limit <= 0) {
    if (s.all_bytes <= free_run_bytes || s.all_bytes <= s.block_bytes) {
      return {run_mode::free, p.lanes, s.all_bytes, s.all_bytes + s.scratch_bytes + apart};
    }
    const std::int64_t system = default_memory_limit(static_cast<std::int64_t>(host_memory().cached()), files);
    const std::int64_t wanted = s.block_bytes + s.scratch_bytes + apart;
    if (system == 0 || wanted <= system) return {run_mode::bounded, p.lanes, s.block_bytes, wanted};
    // a system that is full already is no reason to refuse: the run takes as little as it can
    const std::int64_t least = largest_working_set(p).bytes + s.lane_scratch + apart;
    limit = system > least ? system : least;
  }
  const std::int64_t left = limit - apart;
  if (s.all_bytes + s.scratch_bytes <= left) {
    return {run_mode::free, p.lanes, s.all_bytes, s.all_bytes + s.scratch_bytes + apart};
  }
  const auto lanes_within = [&](std::int64_t first, std::int64_t further) {
    const std::int64_t more = (left - first - s.lane_scratch) / (further + s.lane_scratch + 1);
    return more < p.lanes - 1 ? static_cast<int>(more) + 1 : p.lanes;
  };
  if (s.serial_bytes + s.lane_scratch <= left) {
    std::int64_t largest = 0;
    for (const layer& l : p.layers) {
      if (!l.kept && l.largest_chunk > largest) largest = l.largest_chunk;
    }
    const int count = lanes_within(s.serial_bytes, largest);
    std::int64_t blocks = left - count * s.lane_scratch;
    if (blocks > s.block_bytes) blocks = s.block_bytes;  // more would not make it faster
    return {run_mode::bounded, count, blocks, blocks + count * s.lane_scratch + apart};
  }
  const working_set most = largest_working_set(p);
  if (most.bytes + s.lane_scratch > left) throw_above_limit(p, most, apart, limit);
  const int count = lanes_within(most.bytes, most.bytes);
  return {run_mode::spilling, count, left - count * s.lane_scratch, limit};
}

}  // namespace ashlar::detail
