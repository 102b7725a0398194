/// \file
/// The door from typed arrays to the untyped planner and executors: what a run is asked for, and who may run it. This
/// header declares; compute_impl.hpp, included at its end unless ASHLAR_SEPARATE is defined, has the code.
#pragma once

#include <atomic>
#include <concepts>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <ashlar/detail/config.hpp>
#include <ashlar/error.hpp>
#include <ashlar/execution/options.hpp>
#include <ashlar/execution/results.hpp>
#include <ashlar/graph/node.hpp>
#include <ashlar/shape.hpp>

namespace ashlar {

namespace detail {
class job;
}  // namespace detail

/// What an executor is: a value that says how many lanes a run may have, and lends a job that many threads
/// (execution/job.hpp). A new one needs no change anywhere else.
template <class E>
concept executor = requires(const E& e, detail::job& work) {
  { e.lanes() } -> std::convertible_to<int>;
  { e.memory_limit } -> std::convertible_to<std::int64_t>;
  e.execute(work);
};

/// Runs a plan on the calling thread, tasks in the static order: the oracle for all other executors.
struct serial {
  /// Bytes that a run may hold in blocks and scratch, 0 for no limit. A plan that needs more is refused before it runs.
  std::int64_t memory_limit = 0;

  int lanes() const noexcept { return 1; }
  void execute(detail::job& work) const;
};

namespace detail {

/// An executor with its type erased, valid for the call that it is passed to.
struct executor_ref {
  int lanes = 1;
  std::int64_t memory_limit = 0;
  const void* object = nullptr;
  void (*execute)(const void*, job&) = nullptr;
};

template <executor E>
executor_ref ref(const E& e) {
  return {e.lanes(), e.memory_limit, &e, [](const void* o, job& work) { static_cast<const E*>(o)->execute(work); }};
}

/// The executor of a compute() that names none: serial, until a header that brings another registers it.
inline std::atomic<executor_ref (*)()>& default_executor() {
  static std::atomic<executor_ref (*)()> f{[] {
    static const serial s;
    return ref(s);
  }};
  return f;
}

/// Computes roots[i] into targets[i] in one run.
void compute_into_targets(const executor_ref& where, std::vector<node_ptr> roots,
                          const std::vector<result_target>& targets, const run_options& options);

/// Computes one array and hands each block to `sink` as it is finished.
void compute_into_sink(const executor_ref& where, const node_ptr& root, block_sink& sink, const run_options& options);

/// Computes an element-wise or source node into blocks of its own grid; the source that is returned keeps them alive.
source_ptr compute_into_blocks(const executor_ref& where, const node_ptr& root, const run_options& options);

/// The plan of computing `roots` on that many lanes, in words.
std::string explain_nodes(std::vector<node_ptr> roots, int lane_count);

/// Graphviz's text for the plan of computing `roots` on that many lanes. @throws value_error
std::string dot_of_nodes(std::vector<node_ptr> roots, int lane_count, const graph_options& options);

/// A file of it, drawn unless its name ends in .dot or .gv. @throws value_error, file_error
void draw_nodes(std::vector<node_ptr> roots, int lane_count, const std::string& path, const graph_options& options);

}  // namespace detail
}  // namespace ashlar

#if !defined(ASHLAR_SEPARATE)
#include <ashlar/execution/compute_impl.hpp>
#endif
