/// \file
/// The door from typed arrays to the untyped planner: what a run is asked for. This header declares; compute_impl.hpp,
/// included at its end unless ASHLAR_SEPARATE is defined, has the code.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <ashlar/detail/config.hpp>
#include <ashlar/execution/executor.hpp>
#include <ashlar/execution/options.hpp>
#include <ashlar/execution/results.hpp>
#include <ashlar/graph/node.hpp>
#include <ashlar/shape.hpp>

namespace ashlar {

namespace detail {

/// Computes roots[i] into targets[i] in one run.
void compute_into_targets(const executor_ref& where, std::vector<node_ptr> roots,
                          const std::vector<result_target>& targets, const run_options& options);

/// Computes one array and hands each block to `sink` as it is finished.
void compute_into_sink(const executor_ref& where, const node_ptr& root, block_sink& sink, const run_options& options);

/// Computes a source, an element-wise or a blockwise node into blocks of its own grid; the source that is returned
/// keeps them alive.
source_ptr compute_into_blocks(const executor_ref& where, const node_ptr& root, const run_options& options);

/// On an executor that keeps results in memory of its own, or on the device that is chosen where nobody named one:
/// computes one array into memory there. Null for other executors: then nothing was done.
source_ptr keep_on_device(const executor_ref& where, const node_ptr& root, const run_options& options);

/// Where all that an array is made from is, when that is one device; else the host.
ashlar::place place_of(const node_ptr& n);

/// The executor of a place. @throws device_error when no header that runs plans there was included
executor_ref executor_at(ashlar::place where);

/// The plan of computing `roots`, in words.
std::string explain_nodes(const executor_ref& where, const std::vector<node_ptr>& roots, const run_options& options);

/// Graphviz's text for the plan of computing `roots` on that many lanes. @throws value_error
std::string dot_of_nodes(std::vector<node_ptr> roots, int lane_count, const graph_options& options);

/// A file of it, drawn unless its name ends in .dot or .gv. @throws value_error, file_error
void draw_nodes(std::vector<node_ptr> roots, int lane_count, const std::string& path, const graph_options& options);

}  // namespace detail
}  // namespace ashlar

#if !defined(ASHLAR_SEPARATE)
#include <ashlar/execution/compute_impl.hpp>
#endif
