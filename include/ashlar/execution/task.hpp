/// \file
/// Runs one task of any layer, and turns what a task throws into a task_error that says where.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include <ashlar/execution/blockwise_task.hpp>
#include <ashlar/execution/elementwise_task.hpp>
#include <ashlar/execution/movement_task.hpp>
#include <ashlar/execution/reduction_task.hpp>
#include <ashlar/execution/run.hpp>
#include <ashlar/execution/scan_task.hpp>

namespace ashlar::detail {

inline std::string task_text(const layer& l, const std::int64_t* coords) {
  std::string text = l.name + ", block (";
  for (int a = 0; a < l.counts.ndim(); ++a) text += (a > 0 ? ", " : "") + std::to_string(coords[a]);
  text += ") of " + l.counts.to_string() + ", on host, from ";
  return text + line_text(l.where);
}

/// Hands the finished blocks of a task to the sinks of its results.
inline void feed_sinks(const run_state& run, const layer& l, const std::int64_t* coords, const unsigned char* chunk) {
  for (const layer_output& out : l.outputs) {
    box where;
    if (makes_blocks(l)) {
      where = task_box(l, coords);
    } else {
      std::int64_t position[max_ndim] = {};
      out.grid.coords(task_index(l.counts, coords), position);
      where = block_box(out.grid, position);
    }
    if (out.sink >= 0) run.sink(out.sink).write(where, chunk);
    if (out.root < 0) chunk += round_up(where.size() * itemsize(out.type), 64);
  }
}

/// Runs `task`, hands its block on, releases its inputs. @throws task_error with the original exception nested
inline void run_task(run_state& run, lane_memory& lane, std::uint32_t task) {
  const plan& p = run.plan();
  if (!p.skipped.empty() && p.skipped[task] != 0) return;
  const layer& l = p.layers[p.layer_of[task]];
  std::int64_t coords[max_ndim];
  task_coords(l.counts, static_cast<std::int64_t>(task) - l.first_task, coords);
  const scratch_stack::mark mark = lane.scratch.here();
  const auto bytes = static_cast<std::size_t>(p.chunk_bytes[task]);
  unsigned char* chunk = nullptr;
  try {
    chunk = static_cast<unsigned char*>(run.chunk(task));  // placed before the run, or null
    if (bytes != 0 && chunk == nullptr) {
      chunk = static_cast<unsigned char*>(lane.blocks.take(bytes));
      run.set_chunk(task, chunk);
    }
    switch (l.kind) {
      case layer_kind::elementwise:
        run_elementwise(run, lane, l, coords, chunk);
        break;
      case layer_kind::partial:
        run_partial(run, lane, l, coords, chunk);
        break;
      case layer_kind::combine:
        run_combine(run, lane, l, task, coords, chunk);
        break;
      case layer_kind::blockwise:
        run_blockwise(run, lane, l, coords, chunk);
        break;
      case layer_kind::scan:
        run_scan(run, lane, l, coords, chunk);
        break;
      case layer_kind::movement:
        run_movement(run, lane, l, coords, chunk);
        break;
    }
    if (p.results == result_kind::sinks && !l.outputs.empty()) feed_sinks(run, l, coords, chunk);
  } catch (const std::exception& e) {
    lane.scratch.rewind(mark);
    std::throw_with_nested(task_error(task_text(l, coords) + ": " + e.what()));
  } catch (...) {
    lane.scratch.rewind(mark);
    std::throw_with_nested(task_error(task_text(l, coords) + ": an exception that is not a std::exception"));
  }
  lane.scratch.rewind(mark);
  if (p.results == result_kind::sinks && chunk != nullptr && p.graph.succ_begin[task] == p.graph.succ_begin[task + 1]) {
    lane.blocks.give_back(run.detach_chunk(task), bytes);
  }
  for (std::int64_t e = p.pred_begin[task]; e < p.pred_begin[task + 1]; ++e) {
    const std::uint32_t from = p.pred[static_cast<std::size_t>(e)];
    if (run.drop_use(from) && run.chunk(from) != nullptr) {
      lane.blocks.give_back(run.detach_chunk(from), static_cast<std::size_t>(p.chunk_bytes[from]));
    }
  }
}

/// As run_task(), and notes when it began and ended when somebody watches the run.
inline void run_noted_task(run_state& run, lane_memory& lane, std::uint32_t task) {
  if (lane.notes == nullptr) {
    run_task(run, lane, task);
    return;
  }
  const std::int64_t begin = lane.notes->now();
  try {
    run_task(run, lane, task);
  } catch (...) {
    lane.notes->end(task, begin, span_kind::failed_task);
    throw;
  }
  lane.notes->end(task, begin, span_kind::task);
}

/// The tasks of a plan as the body of a job.
class array_body {
 public:
  /// `keep_blocks`: lanes keep blocks that are released for the next task of that size, beside what the run holds.
  explicit array_body(run_state& run, bool keep_blocks = true) : run_(run) {
    lanes_.reserve(static_cast<std::size_t>(run.plan().lanes));
    for (int k = 0; k < run.plan().lanes; ++k) {
      lanes_.push_back(std::make_unique<lane_memory>(run, k));
      if (!keep_blocks) lanes_.back()->blocks.keep_nothing();
    }
  }

  std::string describe(std::uint32_t task) const {
    const layer& l = run_.plan().layers[run_.plan().layer_of[task]];
    std::int64_t coords[max_ndim];
    task_coords(l.counts, static_cast<std::int64_t>(task) - l.first_task, coords);
    return task_text(l, coords);
  }

  void run(int lane, std::uint32_t task) { run_noted_task(run_, *lanes_[static_cast<std::size_t>(lane)], task); }

 private:
  run_state& run_;
  std::vector<std::unique_ptr<lane_memory>> lanes_;
};

}  // namespace ashlar::detail
