/// \file
/// Third step of lowering: from layers to tasks and edges.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <ashlar/error.hpp>
#include <ashlar/graph/analyse.hpp>
#include <ashlar/graph/plan.hpp>
#include <ashlar/graph/region.hpp>

namespace ashlar::detail {

/// Bytes of the chunk that a task makes.
inline std::int64_t chunk_bytes(const layer& l, const std::int64_t* coords) {
  if (l.kind == layer_kind::scan) {
    const box b = task_box(l, coords);
    return scan_block_bytes(l, b) + (hands_on_states(l, coords) ? scan_state_bytes(l, scan_lines(l, b)) : 0);
  }
  if (l.outputs.empty()) return state_bytes(l, kept_elements(l, coords));
  const std::int64_t n = makes_blocks(l) ? task_box(l, coords).size() : kept_elements(l, coords);
  std::int64_t bytes = 0;
  for (const layer_output& out : l.outputs) {
    if (out.root < 0) bytes += round_up(n * itemsize(out.type), 64);
  }
  return bytes;
}

/// Appends the tasks whose blocks a task of a movement layer reads, each once.
inline void add_moved_inputs(plan& p, const layer& l, const box& task) {
  if (task.size() == 0) return;
  const auto begin = static_cast<std::ptrdiff_t>(p.pred.size());
  const auto add = [&p](const leaf& f, const box& part) {
    if (f.from != nullptr || part.size() == 0) return;
    const layer& from = p.layers[to_index(f.layer)];
    for_each_block(blocks_under(f.grid, stored_box(f, part)), f.grid.ndim(), [&](const std::int64_t* c) {
      p.pred.push_back(static_cast<std::uint32_t>(from.first_task + f.grid.linear(c)));
    });
  };
  if (l.movement->reshapes()) {
    const leaf& f = l.tape.leaves[0];
    for (const reshaped_part& part : reshaped_parts(*l.movement, f.shape, l.outputs[0].made_by->shape, task)) {
      add(f, part.from);
    }
  } else {
    const operand_range operands = operands_in(*l.movement, l.tape.leaves.size(), task);
    for (std::size_t k = operands.first; k < operands.end; ++k) {
      add(l.tape.leaves[k], placed_part(*l.movement, k, l.tape.leaves[k].shape, task));
    }
  }
  std::sort(p.pred.begin() + begin, p.pred.end());
  p.pred.erase(std::unique(p.pred.begin() + begin, p.pred.end()), p.pred.end());
}

/// Appends the tasks whose blocks a task reads, and those that have to run before, each once.
inline void add_inputs(plan& p, const layer& l, const std::int64_t* coords) {
  for (const int a : l.tape.after) p.pred.push_back(static_cast<std::uint32_t>(p.layers[to_index(a)].first_task));
  if (l.kind == layer_kind::combine) {
    const layer& from = p.layers[to_index(l.source_layer)];
    std::int64_t c[max_ndim];
    for (int a = 0; a < l.counts.ndim(); ++a) c[a] = coords[a];
    const std::int64_t first = coords[l.combined_axis] * l.fan_in;
    for (std::int64_t k = first; k < first + l.fan_in && k < from.counts[l.combined_axis]; ++k) {
      c[l.combined_axis] = k;
      p.pred.push_back(static_cast<std::uint32_t>(from.first_task + task_index(from.counts, c)));
    }
    return;
  }
  const box task = task_box(l, coords);
  if (l.kind == layer_kind::movement) {
    add_moved_inputs(p, l, task);
    return;
  }
  const std::size_t begin = p.pred.size();
  for (std::size_t k = 0; k < l.tape.leaves.size(); ++k) {
    const leaf& f = l.tape.leaves[k];
    if (f.from != nullptr) continue;
    const layer& from = p.layers[to_index(f.layer)];
    for_each_leaf_box(l, k, coords, task, [&](const box& part) {
      if (part.size() == 0) return;
      const box stored = stored_box(f, part);
      const std::size_t end = p.pred.size();  // blocks of one box are distinct
      for_each_block(blocks_under(f.grid, stored), stored.ndim, [&](const std::int64_t* c) {
        const auto t = static_cast<std::uint32_t>(from.first_task + f.grid.linear(c));
        for (std::size_t e = begin; e < end; ++e) {
          if (p.pred[e] == t) return;
        }
        p.pred.push_back(t);
      });
    });
  }
  if (l.kind == layer_kind::scan && coords[l.scan_axis] > 0 && scan_lines(l, task) > 0) {  // the block before it
    std::int64_t before[max_ndim];
    for (int a = 0; a < task.ndim; ++a) before[a] = coords[a] - (a == l.scan_axis ? 1 : 0);
    p.pred.push_back(static_cast<std::uint32_t>(l.first_task + task_index(l.counts, before)));
  }
}

inline constexpr std::int64_t most_tasks = std::numeric_limits<std::uint32_t>::max() / 2;

/// A task of a reduction may take many blocks, and takes each in turn.
/// @throws chunk_error when there are more of them than a run gets through
inline void check_reduced_blocks(const layer& l) {
  std::int64_t blocks = 1;
  for (int a = 0; a < l.grid.ndim(); ++a) {
    const std::int64_t n = l.grid.axis(a).count();
    if (n == 0) return;
    if (n > most_tasks / blocks) {
      throw chunk_error("compute: " + l.name + ", from " + line_text(l.where) + ", is of blocks " + l.grid.to_string() +
                        ", more than 2^31; use larger chunks");
    }
    blocks *= n;
  }
}

/// Numbers the tasks. @throws chunk_error when there are more than a plan holds
inline void count_tasks(plan& p) {
  constexpr std::int64_t most = most_tasks;
  std::int64_t total = 0;
  for (layer& l : p.layers) {
    if (l.kind == layer_kind::partial) check_reduced_blocks(l);
    l.first_task = total;
    l.task_count = 1;
    for (const std::int64_t n : l.counts) {
      if (n == 0 || l.task_count <= (most - total) / n) {
        l.task_count *= n;
        continue;
      }
      throw chunk_error(
          "compute: " + l.name + ", from " + line_text(l.where) + ", has blocks " + l.counts.to_string() +
          " along its axes, and with the rest of the run that is more than 2^31 tasks; use larger chunks");
    }
    total += l.task_count;
  }
}

/// Whether some layer reads only part of what another makes.
inline bool reads_parts(const plan& p) {
  for (const layer& l : p.layers) {
    for (const leaf& f : l.tape.leaves) {
      if (f.from == nullptr && f.view != nullptr && !covers(*f.view, f.shape, f.stored)) return true;
    }
  }
  return false;
}

/// By task: whether a result needs it. Empty when all are needed. Cost: as make_tasks(), where views leave blocks out.
inline std::vector<char> needed_tasks(plan& p, std::size_t total) {
  if (!reads_parts(p)) return {};
  std::vector<char> needed(total, 0);
  for (const auto& [number, output] : p.root_value) {
    const layer& l = p.layers[to_index(number)];
    for (std::int64_t t = l.first_task; t < l.first_task + l.task_count; ++t) needed[static_cast<std::size_t>(t)] = 1;
  }
  for (std::size_t i = p.layers.size(); i-- > 0;) {  // consumers come after what they read
    const layer& l = p.layers[i];
    std::int64_t coords[max_ndim] = {};
    for (std::int64_t b = l.task_count; b-- > 0;) {  // so do the blocks of a scan
      if (needed[static_cast<std::size_t>(l.first_task + b)] == 0) continue;
      task_coords(l.counts, b, coords);
      add_inputs(p, l, coords);
      for (const std::uint32_t t : p.pred) needed[t] = 1;
      p.pred.clear();
    }
  }
  return needed;
}

/// Fills what a plan knows of each task. Every layer comes after what it reads.
/// Cost: linear in tasks and edges; nothing is made before all tasks are counted.
inline void make_tasks(plan& p) {
  count_tasks(p);
  std::size_t total = 0;
  for (const layer& l : p.layers) {
    total += static_cast<std::size_t>(l.task_count);
    for (const layer_output& out : l.outputs) {
      if (out.root >= 0) p.stats.result_bytes += itemsize(out.type) * out.made_by->shape.size();
    }
  }
  p.layer_of.reserve(total);
  p.chunk_bytes.reserve(total);
  p.pred_begin.reserve(total + 1);
  p.pred_begin.push_back(0);
  const std::vector<char> needed = needed_tasks(p, total);
  if (!needed.empty()) p.skipped.assign(total, 0);
  for (std::size_t i = 0; i < p.layers.size(); ++i) {
    layer& l = p.layers[i];
    std::int64_t coords[max_ndim] = {};
    for (std::int64_t b = 0; b < l.task_count; ++b) {
      task_coords(l.counts, b, coords);
      p.layer_of.push_back(static_cast<std::uint32_t>(i));
      if (const std::size_t t = p.layer_of.size() - 1; !needed.empty() && needed[t] == 0) {
        p.skipped[t] = 1;
        ++l.skipped;
        p.pred_begin.push_back(static_cast<std::int64_t>(p.pred.size()));
        p.chunk_bytes.push_back(0);
        continue;
      }
      add_inputs(p, l, coords);
      p.pred_begin.push_back(static_cast<std::int64_t>(p.pred.size()));
      const std::int64_t bytes = chunk_bytes(l, coords);
      if (bytes > l.largest_chunk) l.largest_chunk = bytes;
      p.chunk_bytes.push_back(bytes);
    }
  }
}

}  // namespace ashlar::detail
