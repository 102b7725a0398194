/// \file
/// From the options of an array run to its watcher, and from the watcher to report and trace file.
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
#include <ashlar/execution/run_budget.hpp>
#include <ashlar/execution/trace.hpp>
#include <ashlar/execution/watcher.hpp>
#include <ashlar/graph/explain.hpp>
#include <ashlar/graph/layer_traffic.hpp>
#include <ashlar/graph/plan.hpp>
#include <ashlar/memory.hpp>
#include <ashlar/report.hpp>

namespace ashlar::detail {

/// Tasks of a plan in a trace: layer, block, line.
class plan_names final : public trace_names {
 public:
  explicit plan_names(const plan& p) : plan_(p) {
    for (std::size_t i = 0; i < p.layers.size(); ++i) {
      std::string title = "\"name\":";
      append_json(title, p.layers[i].name);
      titles_.push_back(title + ",\"cat\":\"" + kind_text(p.layers[i].kind) + '"');
      std::string details = "\"layer\":" + std::to_string(i) + ",\"line\":";
      append_json(details, line_text(p.layers[i].where));
      details_.push_back(std::move(details));
    }
  }

  void title(std::string& json, std::uint32_t task) const override { json += titles_[plan_.layer_of[task]]; }

  void details(std::string& json, std::uint32_t task) const override {
    const std::uint32_t number = plan_.layer_of[task];
    json += details_[number] + ",\"block\":\"" + coords_text(plan_.layers[number], task) +
            "\",\"block_bytes\":" + std::to_string(plan_.chunk_bytes[task]);
  }

  const std::uint32_t* inputs_begin(std::uint32_t task) const override {
    return plan_.pred.data() + plan_.pred_begin[task];
  }
  const std::uint32_t* inputs_end(std::uint32_t task) const override {
    return plan_.pred.data() + plan_.pred_begin[task + 1];
  }

 private:
  const plan& plan_;
  std::vector<std::string> titles_;
  std::vector<std::string> details_;
};

inline report make_report(const plan& p, const watcher& notes) {
  report r;
  r.workers.resize(static_cast<std::size_t>(notes.lanes()));
  for (std::size_t i = 0; i < p.layers.size(); ++i) {
    const layer& l = p.layers[i];
    const layer_traffic bytes = traffic_of(p, l);
    layer_report of{l.name, line_text(l.where), 0, l.task_count, 0, bytes.read, bytes.written};
    for (int k = 0; k < notes.lanes(); ++k) {
      const lane_watch::total& t = notes.lane(k).totals()[i];
      of.tasks += t.tasks;
      of.seconds += static_cast<double>(t.nanoseconds) * 1e-9;
      worker_report& worker = r.workers[static_cast<std::size_t>(k)];
      worker.tasks += t.tasks;
      worker.seconds += static_cast<double>(t.nanoseconds) * 1e-9;
    }
    r.tasks += of.tasks;
    r.layers.push_back(std::move(of));
  }
  for (int k = 0; k < notes.lanes(); ++k) {
    r.spills += notes.lane(k).spills();
    r.spilled_bytes += notes.lane(k).spilled_bytes();
  }
  r.peak_bytes = notes.peak_bytes();
  r.plan.task_seconds = notes.task_nanoseconds();
  for (float& s : r.plan.task_seconds) s *= 1e-9f;
  r.plan.lanes = p.lanes;
  r.plan.results = static_cast<int>(p.results);
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

  /// Before the run.
  void planned(const plan& p, const run_budget& budget) {
    plan_ = &p;
    budget_ = budget;
    const bool measured = options_.report != nullptr || file_.has_value();
    if (!measured && !options_.progress) return;
    if (measured) memory_.emplace(host_memory());
    watched_groups groups;
    groups.group_of = p.layer_of.data();
    for (const layer& l : p.layers) {
      const std::int64_t work = traffic_of(p, l).work();
      groups.work.push_back(l.task_count > 0 ? (work + l.task_count - 1) / l.task_count : 0);
      groups.total_work += groups.work.back() * l.task_count;
    }
    const watch_options what{measured, file_.has_value(), options_.report != nullptr && p.tasks() <= most_task_times};
    notes_.emplace(p.lanes, p.tasks(), std::move(groups), what, memory_ ? &*memory_ : nullptr);
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
      report r = make_report(*plan_, *notes_);
      r.workers.resize(static_cast<std::size_t>(budget_.lanes));  // a memory_limit may have left fewer
      r.predicted_peak_bytes = budget_.predicted;
      r.seconds = ran.count();
      r.planning_seconds = before.count();
      r.complete = complete;
      r.plan.optimized = options_.optimize;
      *options_.report = std::move(r);
    }
    if (!file_) return;
    trace_writer(*file_, *notes_, plan_->tasks(), plan_names(*plan_)).write();
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

  const run_options& options_;
  const plan* plan_ = nullptr;
  run_budget budget_;
  watcher::clock::time_point begin_ = watcher::clock::now();
  watcher::clock::time_point planned_;
  std::optional<trace_file> file_;
  std::optional<watched_memory> memory_;
  std::optional<watcher> notes_;
};

}  // namespace ashlar::detail
