/// \file
/// What compute() would do, in words: the layers, what optimizing saved, and how the run keeps to its memory.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <ashlar/error.hpp>
#include <ashlar/execution/executor.hpp>
#include <ashlar/execution/options.hpp>
#include <ashlar/execution/run_budget.hpp>
#include <ashlar/graph/explain.hpp>
#include <ashlar/graph/lower.hpp>

namespace ashlar::detail {

/// "predicted peak of blocks and scratch 2.9 MiB", and what the run does to stay there.
inline std::string budget_text(const plan& p, std::int64_t limit) {
  try {
    const run_budget b = choose_budget(p, limit);
    std::string text = "predicted peak of blocks and scratch " + bytes_text(b.predicted);
    if (b.mode == run_mode::bounded) text += ", tasks wait for memory";
    if (b.mode == run_mode::spilling) text += ", blocks go to a file";
    if (b.lanes < p.lanes) {
      text += ", room for " + std::to_string(b.lanes) + (b.lanes == 1 ? " worker" : " workers");
    }
    return text;
  } catch (const memory_error& e) {
    return std::string("refused: ") + e.what();
  }
}

/// The same operations each on its own. Empty when the plan has as many layers anyway.
inline std::string unoptimized_text(const plan& p, const std::vector<node_ptr>& roots, std::int64_t limit) {
  try {
    const auto apart = make_plan(roots, p.lanes, false, p.results);
    if (apart->layers.size() == p.layers.size()) return {};
    return "not optimized it would be " + std::to_string(apart->layers.size()) + " layers instead of " +
           std::to_string(p.layers.size()) + ", " + counts_text(*apart) + ", " + budget_text(*apart, limit) + "\n";
  } catch (const error& e) {  // more tasks than a plan holds
    return std::string("not optimized it could not run: ") + e.what() + "\n";
  }
}

inline std::string explain_run(const executor_ref& where, const std::vector<node_ptr>& roots,
                               const run_options& options) {
  const auto p = make_plan(roots, where.lanes, options.optimize);
  std::string text =
      layers_text(*p) + counts_text(*p) + ", " + std::to_string(p->lanes) + (p->lanes == 1 ? " worker" : " workers");
  if (where.memory_limit > 0) text += ", memory_limit " + bytes_text(where.memory_limit);
  text += "\nresults " + bytes_text(p->stats.result_bytes) + ", read from sources " +
          bytes_text(p->stats.source_bytes) + ", " + budget_text(*p, where.memory_limit) + "\n";
  if (options.optimize) text += unoptimized_text(*p, roots, where.memory_limit);
  return text;
}

}  // namespace ashlar::detail
