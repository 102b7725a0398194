/// \file
/// From the options of a run to its watcher, and from the watcher to report and trace file. What a run consists of is
/// told by a watched_work: execution/plan_work.hpp for arrays, execution/delayed_work.hpp for graphs of tasks.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <ashlar/execution/options.hpp>
#include <ashlar/execution/trace.hpp>
#include <ashlar/execution/watcher.hpp>
#include <ashlar/memory.hpp>
#include <ashlar/report.hpp>

namespace ashlar::detail {

/// The tasks of a run as reports and traces see them.
class watched_work : public trace_names {
 public:
  virtual std::uint32_t tasks() const = 0;

  /// What is timed together; the pointer in it stays good while this object lives.
  virtual watched_groups groups() const = 0;

  /// One of each group, with all but what is measured.
  virtual std::vector<layer_report> layers() const = 0;
};

/// What is known of a run before it, for its report.
struct expected_run {
  int lanes = 1;                    // that the plan was made for
  int workers = 1;                  // that there is memory for
  std::int64_t predicted_peak = 0;  // bytes
  int results = 0;                  // a result_kind; pictures make the plan again
  bool has_blocks = false;          // takes blocks and scratch from memory()
};

inline report make_report(const watched_work& work, const watcher& notes, const expected_run& expected) {
  report r;
  r.layers = work.layers();
  r.workers.resize(static_cast<std::size_t>(notes.lanes()));
  for (std::size_t i = 0; i < r.layers.size(); ++i) {
    for (int k = 0; k < notes.lanes(); ++k) {
      const lane_watch::total& t = notes.lane(k).totals()[i];
      const double seconds = static_cast<double>(t.nanoseconds) * 1e-9;
      worker_report& worker = r.workers[static_cast<std::size_t>(k)];
      r.layers[i].tasks += t.tasks;
      r.layers[i].seconds += seconds;
      worker.tasks += t.tasks;
      worker.seconds += seconds;
    }
    r.tasks += r.layers[i].tasks;
  }
  for (int k = 0; k < notes.lanes(); ++k) {
    r.spills += notes.lane(k).spills();
    r.spilled_bytes += notes.lane(k).spilled_bytes();
  }
  r.workers.resize(static_cast<std::size_t>(expected.workers));  // a memory_limit may have left fewer
  r.peak_bytes = notes.peak_bytes();
  r.device_seconds = notes.device_seconds();
  r.predicted_peak_bytes = expected.predicted_peak;
  r.plan.task_seconds = notes.task_nanoseconds();
  for (float& s : r.plan.task_seconds) s *= 1e-9f;
  r.plan.lanes = expected.lanes;
  r.plan.results = expected.results;
  return r;
}

/// All that a run's options want to know. Made before the plan and destroyed after the run's state; without such
/// options it does nothing.
class run_watch {
 public:
  /// @throws file_error when the trace file cannot be made
  explicit run_watch(const run_options& options) : options_(options) {
    if (!options.trace.empty()) file_.emplace(options.trace);
  }

  /// Somebody wants to know something.
  bool wanted() const noexcept { return measured() || options_.progress; }

  /// Before the run, if anything is wanted.
  void planned(std::unique_ptr<watched_work> work, const expected_run& expected) {
    work_ = std::move(work);
    expected_ = expected;
    if (measured() && expected.has_blocks) memory_.emplace(host_memory());
    const std::uint32_t tasks = work_->tasks();
    const watch_options what{measured(), file_.has_value(), options_.report != nullptr && tasks <= most_task_times};
    notes_.emplace(expected.lanes, tasks, work_->groups(), what, memory_ ? &*memory_ : nullptr);
    planned_ = watcher::clock::now();
  }

  /// What the run takes its blocks and scratch from.
  memory_resource& memory() { return memory_ ? *memory_ : static_cast<memory_resource&>(host_memory()); }

  watcher* notes() noexcept { return notes_ ? &*notes_ : nullptr; }

  /// After the run. @throws file_error when the trace cannot be written
  void finish(bool complete) {
    if (!notes_) return;
    const std::chrono::duration<double> ran = watcher::clock::now() - planned_;
    const std::chrono::duration<double> before = planned_ - begin_;
    if (options_.report != nullptr) {
      report r = make_report(*work_, *notes_, expected_);
      r.seconds = ran.count();
      r.planning_seconds = before.count();
      r.complete = complete;
      r.plan.optimized = options_.optimize;
      *options_.report = std::move(r);
    }
    if (!file_) return;
    trace_writer(*file_, *notes_, work_->tasks(), *work_).write();
    file_->close();
  }

  /// After a run that threw; nothing may hide that error.
  void finish_failed() noexcept {
    try {
      finish(false);
    } catch (...) {
    }
  }

 private:
  static constexpr std::uint32_t most_task_times = 1'000'000;

  bool measured() const noexcept { return options_.report != nullptr || file_.has_value(); }

  const run_options& options_;
  watcher::clock::time_point begin_ = watcher::clock::now();
  watcher::clock::time_point planned_;
  std::optional<trace_file> file_;
  expected_run expected_;
  std::unique_ptr<watched_work> work_;
  std::optional<watched_memory> memory_;
  std::optional<watcher> notes_;
};

}  // namespace ashlar::detail
