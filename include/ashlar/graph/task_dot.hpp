/// \file
/// A graph of delayed calls as a picture: a box a call, an arrow for each result that is passed on, a dashed one for a
/// call that only runs behind another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include <ashlar/detail/bytes_text.hpp>
#include <ashlar/detail/quoted_text.hpp>
#include <ashlar/error.hpp>
#include <ashlar/execution/options.hpp>
#include <ashlar/graph/dot_style.hpp>
#include <ashlar/graph/source_line.hpp>
#include <ashlar/graph/task_description.hpp>
#include <ashlar/report.hpp>

namespace ashlar::detail {

/// Seconds of each call as a report has them: its own or, where the run had another order or very many tasks, the
/// average of its name. @throws value_error for a report of another run
inline std::vector<double> seconds_of_tasks(const std::vector<task_description>& list, const report& r) {
  std::unordered_map<std::string, const layer_report*> by_name;
  std::int64_t tasks = 0;
  for (const layer_report& l : r.layers) {
    by_name.emplace(l.name, &l);
    tasks += l.planned_tasks;
  }
  bool same = tasks == static_cast<std::int64_t>(list.size());
  bool own = r.plan.task_seconds.size() == list.size();
  std::vector<double> seconds;
  for (std::size_t t = 0; same && t < list.size(); ++t) {
    const auto at = by_name.find(list[t].name);
    same = at != by_name.end();
    own = own && list[t].priority == 0;
    if (same)
      seconds.push_back(at->second->tasks > 0 ? at->second->seconds / static_cast<double>(at->second->tasks) : 0);
  }
  if (!same) {
    throw value_error("visualize: the report is of a run of " + std::to_string(tasks) +
                      " tasks and not of these calls; give the calls that were computed together, in the same order");
  }
  for (std::size_t t = 0; own && t < list.size(); ++t) seconds[t] = static_cast<double>(r.plan.task_seconds[t]);
  return seconds;
}

/// @throws value_error more calls than max_nodes, colours by time without a report or by bytes, a report of another run
inline std::string dot_of_tasks(const std::vector<task_description>& list, const graph_options& options) {
  if (static_cast<std::int64_t>(list.size()) > options.max_nodes) {
    throw value_error("visualize: the picture would have " + std::to_string(list.size()) + " tasks, and max_nodes is " +
                      std::to_string(options.max_nodes) + "; draw a part of the graph, or raise max_nodes");
  }
  if (options.color == color_by::bytes) {
    throw value_error("visualize: nobody knows how many bytes a delayed call moves; colour by kind or by time");
  }
  if (options.color == color_by::time && options.report == nullptr) throw_no_report();
  std::vector<double> seconds;
  double most = 0;
  if (options.report != nullptr) seconds = seconds_of_tasks(list, *options.report);
  for (const double s : seconds) most = s > most ? s : most;
  std::string out = dot_begin();
  for (std::size_t t = 0; t < list.size(); ++t) {
    out += "  t" + std::to_string(t) + " [label=";
    append_dot(out, seconds.empty() ? list[t].name : list[t].name + "\n" + seconds_text(seconds[t]));
    out += ", tooltip=";
    append_dot(out, line_text(list[t].where));
    if (options.color == color_by::time) out += ", fillcolor=\"" + heat_color(seconds[t], most) + "\"";
    out += "];\n";
    for (const std::uint32_t from : list[t].inputs) {
      out += "  t" + std::to_string(from) + " -> t" + std::to_string(t) + ";\n";
    }
    for (const std::uint32_t from : list[t].after) {
      out += "  t" + std::to_string(from) + " -> t" + std::to_string(t) + " [style=dashed];\n";
    }
  }
  return out + "}\n";
}

}  // namespace ashlar::detail
