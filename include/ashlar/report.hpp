/// \file
/// What a run took: time and bytes by layer, idle workers, memory at its peak, spills. A run fills it when its options
/// name one; see execution/watcher.hpp for what that costs.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <string>
#include <utility>
#include <vector>

#include <ashlar/detail/bytes_text.hpp>

namespace ashlar {

/// What the tasks of one layer took together.
struct layer_report {
  std::string name;                ///< its operations, as explain() names them
  std::string line;                ///< "file:line" of the array that made it
  std::int64_t tasks = 0;          ///< that ended, well or by an error
  std::int64_t planned_tasks = 0;  ///< more than `tasks` only after an error or a stop
  double seconds = 0;              ///< added over workers
  std::int64_t bytes_read = 0;     ///< that all of its tasks read from memory, files and blocks, by the plan
  std::int64_t bytes_written = 0;  ///< that all of its tasks write into blocks and results, by the plan
};

/// What one worker did.
struct worker_report {
  std::int64_t tasks = 0;
  double seconds = 0;  ///< in tasks; the rest of report::seconds it looked for work, slept or was elsewhere
};

/// A value; a run replaces what it holds. Not thread safe: give two runs at once two reports.
struct report {
  std::vector<layer_report> layers;
  std::vector<worker_report> workers;
  double seconds = 0;  ///< from the first task's start to the last one's end, and the threads' coming and going
  double planning_seconds = 0;            ///< before that
  double device_seconds = 0;              ///< on a device: from the first work given to it to the last, by its clock
  std::int64_t tasks = 0;                 ///< that ended
  std::int64_t peak_bytes = 0;            ///< the most bytes in blocks and scratch at once, measured
  std::int64_t predicted_peak_bytes = 0;  ///< the same as the plan bounded it
  std::int64_t spills = 0;                ///< blocks that went to a file for want of memory
  std::int64_t spilled_bytes = 0;         ///< their bytes
  bool complete = false;                  ///< false when an error or a stop ended the run

  /// The share of the workers' time in which they ran no task: 0 all busy, 1 all idle; 0 when nothing was measured.
  double idle_share() const noexcept {
    double busy = 0;
    for (const worker_report& w : workers) busy += w.seconds;
    const double whole = seconds * static_cast<double>(workers.size());
    return whole > 0 && busy < whole ? 1 - busy / whole : 0;
  }

  /// A table of a line a layer, and totals.
  std::string to_string() const {
    double total = 0;
    for (const layer_report& l : layers) total += l.seconds;
    std::vector<std::vector<std::string>> rows = {{"layer", "tasks", "time", "share", "a task", "read", "written"}};
    for (const layer_report& l : layers) {
      std::string count = std::to_string(l.tasks);
      if (l.tasks < l.planned_tasks) count += " of " + std::to_string(l.planned_tasks);
      rows.push_back({l.name, std::move(count), detail::seconds_text(l.seconds),
                      percent(total > 0 ? l.seconds / total : 0),
                      l.tasks > 0 ? detail::seconds_text(l.seconds / static_cast<double>(l.tasks)) : "-",
                      detail::bytes_text(l.bytes_read), detail::bytes_text(l.bytes_written)});
    }
    std::string text = aligned(rows);
    text += std::to_string(tasks) + (tasks == 1 ? " task in " : " tasks in ") + detail::seconds_text(seconds) +
            " after " + detail::seconds_text(planning_seconds) + " of planning, " + std::to_string(workers.size()) +
            (workers.size() == 1 ? " worker, " : " workers, ") + percent(idle_share()) + " idle\n";
    text += "peak of blocks and scratch " + detail::bytes_text(peak_bytes) + ", predicted " +
            detail::bytes_text(predicted_peak_bytes);
    if (spills > 0) {
      text += ", " + std::to_string(spills) + (spills == 1 ? " block" : " blocks") + " of " +
              detail::bytes_text(spilled_bytes) + " spilled";
    }
    if (!complete) text += "; the run did not end well";
    return text + "\n";
  }

  /// For pictures of the same run: seconds of each task, kept for up to a million tasks; how the plan was made.
  struct plan_key {
    std::vector<float> task_seconds;
    int lanes = 0;
    int results = 0;
    bool optimized = true;
  } plan;

 private:
  static std::string percent(double share) { return std::to_string(std::lround(share * 100)) + "%"; }

  /// Words left, numbers right; names of many operations are cut.
  static std::string aligned(std::vector<std::vector<std::string>>& rows) {
    std::vector<std::size_t> width(rows.front().size(), 0);
    for (std::vector<std::string>& row : rows) {
      if (row[0].size() > 44) row[0].replace(41, std::string::npos, "...");
      for (std::size_t c = 0; c < row.size(); ++c) width[c] = row[c].size() > width[c] ? row[c].size() : width[c];
    }
    std::string text;
    for (const std::vector<std::string>& row : rows) {
      text += row[0] + std::string(width[0] - row[0].size(), ' ');
      for (std::size_t c = 1; c < row.size(); ++c) text += std::string(width[c] - row[c].size() + 2, ' ') + row[c];
      text += '\n';
    }
    return text;
  }
};

template <class Traits>
std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out, const report& r) {
  return out << r.to_string();
}

}  // namespace ashlar
