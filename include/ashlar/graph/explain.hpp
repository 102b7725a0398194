/// \file
/// A plan in words: what compute() would do.
#pragma once

#include <cstdint>
#include <string>

#include <ashlar/detail/bytes_text.hpp>
#include <ashlar/graph/plan.hpp>
#include <ashlar/graph/region.hpp>

namespace ashlar::detail {

/// Where a task stands in its layer: "(2, 0)".
inline std::string coords_text(const layer& l, std::uint32_t task) {
  ashlar::shape at = ashlar::shape::filled(l.counts.ndim(), 0);
  task_coords(l.counts, static_cast<std::int64_t>(task) - l.first_task, at.data());
  return at.to_string();
}

/// One line a layer, then totals.
inline std::string layers_text(const plan& p) {
  std::string text;
  for (std::size_t i = 0; i < p.layers.size(); ++i) {
    const layer& l = p.layers[i];
    text += "layer " + std::to_string(i) + ": " + kind_text(l.kind) + " " + l.name + ", " +
            std::to_string(l.task_count - l.skipped) + (l.task_count == 1 ? " task" : " tasks");
    if (l.skipped > 0) text += " (" + std::to_string(l.skipped) + " not needed)";
    if (l.kind == layer_kind::combine) {
      text += ", from layer " + std::to_string(l.source_layer);
    } else {
      text += ", reads";
      for (std::size_t k = 0; k < l.tape.leaves.size(); ++k) {
        const leaf& f = l.tape.leaves[k];
        text += k == 0 ? " " : ", ";
        text += f.from != nullptr ? f.from->name() : "layer " + std::to_string(f.layer);
        text += " " + f.stored.to_string();
        if (f.view != nullptr) text += " as " + f.shape.to_string();
      }
      const int operations = operations_of(l.tape);
      if (operations > 0) {
        text += ", ";
        text += std::to_string(operations);
        text += operations == 1 ? " operation fused" : " operations fused";
      }
      for (const int a : l.tape.after) text += ", after layer " + std::to_string(a);
    }
    if (l.largest_chunk > 0) text += ", blocks up to " + bytes_text(l.largest_chunk);
    text += "\n";
  }
  return text;
}

/// "964 tasks, 1343 edges"
inline std::string counts_text(const plan& p) {
  std::int64_t tasks = p.stats.tasks;
  for (const layer& l : p.layers) tasks -= l.skipped;
  return std::to_string(tasks) + (tasks == 1 ? " task, " : " tasks, ") + std::to_string(p.stats.edges) +
         (p.stats.edges == 1 ? " edge" : " edges");
}

}  // namespace ashlar::detail
