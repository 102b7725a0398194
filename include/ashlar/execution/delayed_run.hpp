/// \file
/// Runs graphs of delayed tasks: a plan is made from the nodes, run as a graph_job on any executor, and keeps the
/// results of the roots until they are taken. delayed_run_impl.hpp has the code.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <ashlar/execution/executor.hpp>
#include <ashlar/graph/task_description.hpp>
#include <ashlar/graph/task_node.hpp>

namespace ashlar {

namespace detail {

class delayed_run;

/// A finished run, holding the results of its roots.
class delayed_results {
 public:
  /// Runs what `roots` need, each node once. @throws task_error with the original nested, cancelled, value_error for a
  /// result that would have to be copied and cannot be, graph_error past 2^31 tasks
  delayed_results(const executor_ref& where, const std::vector<task_input>& roots, const run_options& options);
  delayed_results(const delayed_results&) = delete;
  delayed_results& operator=(const delayed_results&) = delete;
  ~delayed_results();

  /// The result of roots[i]; sole when no later call will want the same one.
  input_slot take(std::size_t i) noexcept;

 private:
  delayed_run* run_;
};

/// Everything that `roots` need, each task behind those that it waits for.
std::vector<task_description> describe_tasks(const std::vector<task_input>& roots);

/// Graphviz's text for them, and a file of it, drawn unless its name ends in .dot or .gv.
/// @throws value_error, file_error
std::string dot_of_delayed(const std::vector<task_input>& roots, const graph_options& options);
void draw_delayed(const std::vector<task_input>& roots, const std::string& path, const graph_options& options);

}  // namespace detail
}  // namespace ashlar

#if !defined(ASHLAR_SEPARATE)
#include <ashlar/execution/delayed_run_impl.hpp>
#endif
