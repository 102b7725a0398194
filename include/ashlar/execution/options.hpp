/// \file
/// Options of one run, whichever executor it is on, and of the picture of a graph.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>

namespace ashlar {

struct report;

/// How far a run is.
struct progress_info {
  std::int64_t tasks_done = 0;
  std::int64_t tasks = 0;
  double seconds = 0;
  /// Bytes that the tasks done so far read, made up and wrote, by the plan: time goes by them rather than by tasks,
  /// which may be of very different size. Both are 0 where that is not known.
  std::int64_t bytes_done = 0;
  std::int64_t bytes = 0;
};

/// Options of compute(); they do not change any result.
struct run_options {
  /// Called every tenth of a second while the run goes on, from a thread of its own, so that it neither slows a worker
  /// nor is slowed by one; and once more when the last task has ended well, with tasks_done == tasks, by the thread
  /// that called compute(). Never twice at the same time, never after compute() has returned or thrown; after an error
  /// or a stop there is no last call. It may read and draw what it likes, and ask for a stop. When it throws, the run
  /// ends at the next task of each worker and compute() throws callback_error with the exception nested.
  std::function<void(const progress_info&)> progress = {};
  /// Stops the run at the next task of each worker; compute() then throws ashlar::cancelled.
  std::stop_token stop = {};
  /// Stops the run, as a stop request does, when it has taken longer; compute() then throws ashlar::timeout_error,
  /// which names the tasks that were running. A task cannot be ended from outside: one that may take long should look
  /// at this_task::stop_requested(). 0: no limit.
  std::chrono::duration<double> timeout{0};
  /// Joins neighbouring element-wise operations into one pass. Off, every node is made on its own.
  bool optimize = true;
  /// Where blocks go that do not fit into the executor's memory_limit, in a file without a name that nothing is left
  /// of. Empty: the directory that the variable TMPDIR names, else /var/tmp.
  std::string spill_directory = {};
  /// A file for a trace of the run, which https://ui.perfetto.dev or chrome://tracing shows: what each worker did when,
  /// blocks that went from one to another, bytes in memory. It is made before the run and filled after it, an error or
  /// a stop included. Costs 24 bytes and about 0.2 us a task, and 1 us a task after the run. An error in writing it is
  /// a file_error, unless the run itself had one.
  std::string trace = {};
  /// Filled when the run ends, well or not: times, bytes, idle workers, memory (report.hpp). Costs about 0.1 us a task.
  ashlar::report* report = nullptr;
};

/// What the colours of a picture tell.
enum class color_by : std::uint8_t {
  kind,   ///< element-wise, partial, combine and block-wise layers have one colour each
  time,   ///< yellow to red by the time that a report measured
  bytes,  ///< yellow to red by bytes read and written
};

/// Options of visualize() and to_dot().
struct graph_options {
  /// One box a task and its block instead of one a layer.
  bool blocks = false;
  /// The plan as it runs; off, every operation as it was written.
  bool optimize = true;
  color_by color = color_by::kind;
  /// What a run of the same arrays measured; labels then show times. The picture is that of the measured plan, whatever
  /// `optimize` says.
  const ashlar::report* report = nullptr;
  /// A picture with more boxes is refused: Graphviz needs minutes for thousands, and nobody can read them.
  std::int64_t max_nodes = 1000;
};

}  // namespace ashlar
