/// \file
/// A plan in words: what compute() would do.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>

#include <ashlar/graph/plan.hpp>

namespace ashlar::detail {

/// "1.5 GiB", "12.0 KiB", "640 B".
inline std::string bytes_text(std::int64_t bytes) {
  const char* const units[] = {" B", " KiB", " MiB", " GiB", " TiB", " PiB", " EiB"};
  int unit = 0;
  double x = static_cast<double>(bytes);
  while (x >= 1024 && unit < 6) {
    x /= 1024;
    ++unit;
  }
  if (unit == 0) return std::to_string(bytes) + units[0];
  const auto tenths = static_cast<std::int64_t>(std::llround(x * 10));
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + units[unit];
}

/// One line a layer, then totals.
inline std::string explain_plan(const plan& p) {
  std::string text;
  for (std::size_t i = 0; i < p.layers.size(); ++i) {
    const layer& l = p.layers[i];
    const char* const kind = l.kind == layer_kind::elementwise ? "elementwise"
                             : l.kind == layer_kind::partial   ? "partial"
                                                               : "combine";
    text += "layer " + std::to_string(i) + ": " + kind + " " + l.name + ", " + std::to_string(l.task_count) +
            (l.task_count == 1 ? " task" : " tasks");
    if (l.kind == layer_kind::combine) {
      text += ", from layer " + std::to_string(l.source_layer);
    } else {
      text += ", reads";
      for (std::size_t k = 0; k < l.tape.leaves.size(); ++k) {
        const leaf& f = l.tape.leaves[k];
        text += k == 0 ? " " : ", ";
        text += f.from != nullptr ? f.from->name() : "layer " + std::to_string(f.layer);
        text += " " + f.shape.to_string();
      }
      int operations = 0;
      for (const tape_step& s : l.tape.steps) operations += s.call->descriptor->operations;
      if (operations > 0) {
        text += ", ";
        text += std::to_string(operations);
        text += operations == 1 ? " operation fused" : " operations fused";
      }
    }
    if (l.largest_chunk > 0) text += ", blocks up to " + bytes_text(l.largest_chunk);
    text += "\n";
  }
  text += std::to_string(p.stats.tasks) + " tasks, " + std::to_string(p.stats.edges) + " edges, " +
          std::to_string(p.lanes) + (p.lanes == 1 ? " worker" : " workers") + "\n";
  text += "results " + bytes_text(p.stats.result_bytes) + ", read from sources " + bytes_text(p.stats.source_bytes) +
          ", predicted peak of blocks and scratch " + bytes_text(p.stats.block_bytes + p.stats.scratch_bytes) + "\n";
  return text;
}

}  // namespace ashlar::detail
