/// \file
/// A plan as a picture: DOT text for Graphviz. A layer is one box (that is what one wants to see first: what became one
/// pass, how many tasks, how many bytes); on demand each task is one. Boxes are named by position, so nothing that a
/// user may have named ends up outside a quoted string. Cost: linear in layers, tasks and edges of the plan.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <ashlar/detail/bytes_text.hpp>
#include <ashlar/detail/quoted_text.hpp>
#include <ashlar/error.hpp>
#include <ashlar/execution/options.hpp>
#include <ashlar/graph/dot_style.hpp>
#include <ashlar/graph/explain.hpp>
#include <ashlar/graph/layer_traffic.hpp>
#include <ashlar/graph/plan.hpp>
#include <ashlar/report.hpp>

namespace ashlar::detail {

/// "float64 (20000, 20000) in 400 blocks of (1000, 1000)"
inline std::string array_text(dtype type, const ashlar::shape& shape, const block_grid& grid) {
  std::string text = std::string(name(type)) + " " + shape.to_string();
  if (grid.count() <= 1) return text;
  ashlar::shape largest;
  bool equal = true;
  for (int a = 0; a < grid.ndim(); ++a) {
    largest.push_back(grid.axis(a).max_capacity());
    equal = equal && grid.axis(a).count() * largest[a] == grid.axis(a).total_capacity();
  }
  return text + "\nin " + std::to_string(grid.count()) + (equal ? " blocks of " : " blocks of up to ") +
         largest.to_string();
}

inline const char* kind_color(layer_kind kind) noexcept {
  switch (kind) {
    case layer_kind::elementwise:
      return "#cfe8cf";
    case layer_kind::partial:
      return "#cfdff5";
    case layer_kind::combine:
      return "#f5e3c0";
    case layer_kind::blockwise:
      return "#e7d5f0";
    case layer_kind::scan:
      return "#c9ebea";
    case layer_kind::movement:
      return "#f5d3d3";
  }
  return "#ffffff";
}

class dot_picture {
 public:
  dot_picture(const plan& p, const graph_options& options) : plan_(p), options_(options) {
    check();
    for (const layer& l : plan_.layers) traffic_.push_back(traffic_of(plan_, l));
    find_most();
  }

  std::string text() && {
    out_ = dot_begin();
    if (options_.blocks) {
      by_block();
    } else {
      by_layer();
    }
    results();
    return std::move(out_) + "}\n";
  }

 private:
  using index = std::size_t;

  void check() const {
    if (options_.color == color_by::time && options_.report == nullptr) throw_no_report();
    if (options_.report != nullptr) check_report(*options_.report);
    const std::int64_t boxes = options_.blocks ? plan_.stats.tasks : static_cast<std::int64_t>(plan_.layers.size());
    if (boxes > options_.max_nodes) {
      throw value_error("visualize: the picture would have " + std::to_string(boxes) +
                        (options_.blocks ? " tasks" : " layers") + ", and max_nodes is " +
                        std::to_string(options_.max_nodes) +
                        (options_.blocks ? "; draw layers instead of blocks, use larger chunks, or raise max_nodes"
                                         : "; draw a part of the graph, or raise max_nodes"));
    }
  }

  void check_report(const report& r) const {
    bool same = r.layers.size() == plan_.layers.size();
    for (index i = 0; same && i < r.layers.size(); ++i) {
      same = r.layers[i].name == plan_.layers[i].name && r.layers[i].planned_tasks == plan_.layers[i].task_count;
    }
    if (same) return;
    throw value_error("visualize: the report has " + std::to_string(r.layers.size()) +
                      " layers and is not of a run of these arrays, which has " + std::to_string(plan_.layers.size()) +
                      "; give the arrays that were computed together, in the same order");
  }

  // --- layers

  void by_layer() {
    std::vector<const source*> drawn;
    for (index i = 0; i < plan_.layers.size(); ++i) {
      const layer& l = plan_.layers[i];
      out_ += "  l" + std::to_string(i) + " [label=";
      append_dot(out_, layer_label(i));
      out_ += ", tooltip=";
      append_dot(out_, line_text(l.where));
      out_ += ", fillcolor=\"" + layer_color(i) + "\"];\n";
      for (const leaf& f : l.tape.leaves) {
        if (f.from != nullptr) edge("s" + std::to_string(source_box(drawn, f)), "l" + std::to_string(i));
      }
    }
    std::vector<std::int64_t> last(plan_.layers.size(), -1);  // the layer to which an edge was drawn last
    for (index i = 0; i < plan_.layers.size(); ++i) {
      const layer& l = plan_.layers[i];
      for (std::int64_t t = l.first_task; t < l.first_task + l.task_count; ++t) {
        for (std::int64_t e = plan_.pred_begin[static_cast<index>(t)]; e < plan_.pred_begin[static_cast<index>(t) + 1];
             ++e) {
          const std::uint32_t from = plan_.layer_of[plan_.pred[static_cast<index>(e)]];
          if (last[from] == static_cast<std::int64_t>(i)) continue;
          last[from] = static_cast<std::int64_t>(i);
          edge("l" + std::to_string(from), "l" + std::to_string(i));
        }
      }
    }
  }

  /// Number of the box of a source, drawn when it is met first.
  index source_box(std::vector<const source*>& drawn, const leaf& f) {
    for (index k = 0; k < drawn.size(); ++k) {
      if (drawn[k] == f.from) return k;
    }
    drawn.push_back(f.from);
    out_ += "  s" + std::to_string(drawn.size() - 1) + " [shape=cylinder, style=filled, fillcolor=\"#eeeeee\", label=";
    append_dot(out_, std::string(f.from->name()) + "\n" + array_text(f.type, f.stored, f.grid));
    out_ += "];\n";
    return drawn.size() - 1;
  }

  std::string layer_label(index i) const {
    const layer& l = plan_.layers[i];
    std::string text = l.name;
    for (index k = 0; k < l.outputs.size() && k < 3; ++k) {
      const layer_output& out = l.outputs[k];
      text += "\n" + (out.made_by != nullptr ? array_text(out.type, out.made_by->shape, out.grid)
                                             : std::string(name(out.type)));
    }
    if (l.outputs.size() > 3) text += "\nand " + std::to_string(l.outputs.size() - 3) + " more";
    text += "\n" + std::to_string(l.task_count) + (l.task_count == 1 ? " task" : " tasks");
    const int operations = operations_of(l.tape);
    if (operations > 0) text += ", " + std::to_string(operations) + (operations == 1 ? " operation" : " operations");
    text += "\nreads " + bytes_text(traffic_[i].read) + ", writes " + bytes_text(traffic_[i].written);
    if (options_.report != nullptr) text += "\n" + seconds_text(options_.report->layers[i].seconds);
    return text;
  }

  // --- tasks

  void by_block() {
    for (index i = 0; i < plan_.layers.size(); ++i) {
      const layer& l = plan_.layers[i];
      out_ += "  subgraph cluster_" + std::to_string(i) + " {\n    color=\"#bbbbbb\";\n    fontname=\"Helvetica\";\n" +
              "    label=";
      append_dot(out_, l.name);
      out_ += ";\n";
      for (std::int64_t k = l.first_task; k < l.first_task + l.task_count; ++k) {
        const auto t = static_cast<std::uint32_t>(k);
        out_ += "    t" + std::to_string(t) + " [label=";
        append_dot(out_, task_label(l, t));
        out_ += ", tooltip=";
        append_dot(out_, l.name + ", " + line_text(l.where));
        out_ += ", fillcolor=\"" + task_color(i, t) + "\"];\n";
      }
      out_ += "  }\n";
    }
    for (std::uint32_t t = 0; t < plan_.tasks(); ++t) {
      for (std::int64_t e = plan_.pred_begin[t]; e < plan_.pred_begin[t + 1]; ++e) {
        edge("t" + std::to_string(plan_.pred[static_cast<index>(e)]), "t" + std::to_string(t));
      }
    }
  }

  std::string task_label(const layer& l, std::uint32_t task) const {
    std::string text = coords_text(l, task);
    if (plan_.chunk_bytes[task] > 0) text += "\n" + bytes_text(plan_.chunk_bytes[task]);
    if (has_times()) text += "\n" + seconds_text(static_cast<double>(options_.report->plan.task_seconds[task]));
    return text;
  }

  // --- both

  void results() {
    for (index r = 0; r < plan_.root_value.size(); ++r) {
      const auto [number, output] = plan_.root_value[r];
      const layer& l = plan_.layers[static_cast<index>(number)];
      out_ += "  r" + std::to_string(r) + " [shape=ellipse, style=filled, fillcolor=\"#eeeeee\", label=";
      append_dot(out_, "result " + std::to_string(r) + "\n" +
                           array_text(l.outputs[static_cast<index>(output)].type,
                                      l.outputs[static_cast<index>(output)].made_by->shape, block_grid()));
      out_ += "];\n";
      if (!options_.blocks) {
        edge("l" + std::to_string(number), "r" + std::to_string(r));
        continue;
      }
      for (std::int64_t t = l.first_task; t < l.first_task + l.task_count; ++t)
        edge("t" + std::to_string(t), "r" + std::to_string(r));
    }
  }

  void edge(const std::string& from, const std::string& to) { out_ += "  " + from + " -> " + to + ";\n"; }

  bool has_times() const {
    return options_.report != nullptr && options_.report->plan.task_seconds.size() == plan_.tasks();
  }

  std::string layer_color(index i) const {
    if (options_.color == color_by::time) return heat_color(options_.report->layers[i].seconds, most_of_layers_);
    if (options_.color == color_by::bytes) return heat_color(static_cast<double>(traffic_[i].moved()), most_of_layers_);
    return kind_color(plan_.layers[i].kind);
  }

  /// A task's own time; its bytes are the average of its layer.
  std::string task_color(index i, std::uint32_t task) const {
    if (options_.color == color_by::time && has_times()) {
      return heat_color(static_cast<double>(options_.report->plan.task_seconds[task]), most_of_tasks_);
    }
    return options_.color == color_by::bytes ? heat_color(average(i), most_of_tasks_) : layer_color(i);
  }

  void find_most() {
    const bool time = options_.color == color_by::time;
    for (index i = 0; i < traffic_.size(); ++i) {
      raise(most_of_layers_, time ? options_.report->layers[i].seconds : static_cast<double>(traffic_[i].moved()));
      if (!time) raise(most_of_tasks_, average(i));
    }
    if (!time || !has_times()) return;
    for (const float s : options_.report->plan.task_seconds) raise(most_of_tasks_, static_cast<double>(s));
  }

  static void raise(double& most, double x) { most = x > most ? x : most; }

  double average(index i) const {
    const std::int64_t tasks = plan_.layers[i].task_count;
    return tasks > 0 ? static_cast<double>(traffic_[i].moved()) / static_cast<double>(tasks) : 0;
  }

  const plan& plan_;
  const graph_options& options_;
  std::vector<layer_traffic> traffic_;
  double most_of_layers_ = 0;
  double most_of_tasks_ = 0;
  std::string out_;
};

/// @throws value_error colours without a report, a report of another run, more boxes than max_nodes
inline std::string dot_text(const plan& p, const graph_options& options) { return dot_picture(p, options).text(); }

}  // namespace ashlar::detail
