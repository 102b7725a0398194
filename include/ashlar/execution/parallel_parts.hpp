/// \file
/// What data_parallel.hpp needs that knows no types: threads for the parts, and the errors. parallel_parts_impl.hpp has
/// the code.
#pragma once

#include <cstddef>
#include <cstdint>
#include <source_location>
#include <vector>

#include <ashlar/detail/config.hpp>
#include <ashlar/graph/node.hpp>

namespace ashlar::detail {

/// Calls work(object, k) for k = 0 … count - 1, each on a thread of its own, and returns when all have ended; a single
/// one runs on the caller's. No call is made before all threads are there.
/// @throws task_error that names the first part that failed, with what it threw nested; error when the system gives no
/// thread
void run_parts(const char* call, std::size_t count, const void* object, void (*work)(const void*, std::size_t));

/// @throws value_error when there are none, or fewer than `parts`
void require_executors(const char* call, std::size_t executors, std::size_t parts = 0);

/// @throws value_error when there is neither a function for each part nor one for each executor
void require_functions(const char* call, std::size_t functions, std::size_t parts, std::size_t executors);

/// The length along `axis` that all arrays have, which are to be cut there.
/// @throws shape_error when one has no axes or the lengths differ; axis_error
std::int64_t length_to_cut(const char* call, const std::vector<node_ptr>& arrays, std::int64_t axis);

/// The parts one behind the other. @throws shape_error; axis_error
node_ptr make_gathered(const char* call, std::vector<node_ptr> parts, std::int64_t axis, std::source_location where);

}  // namespace ashlar::detail

#if !defined(ASHLAR_SEPARATE)
#include <ashlar/execution/parallel_parts_impl.hpp>
#endif
