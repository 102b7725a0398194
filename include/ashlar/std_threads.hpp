/// \file
/// The thread executor without oneTBB: lanes on std::jthread, started and joined by each run. For programs that must not
/// depend on TBB, and for ThreadSanitizer, which cannot see into an uninstrumented TBB.
#pragma once

#include <cstdint>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include <ashlar/error.hpp>
#include <ashlar/execution/compute.hpp>
#include <ashlar/execution/concurrency.hpp>

namespace ashlar {

namespace detail {

/// @throws value_error for a negative number of workers
inline int worker_count(int asked, const char* name) {
  if (asked < 0 || asked > 4096) {
    throw value_error(std::string(name) + ": workers is " + std::to_string(asked) +
                      "; it is 1 to 4096, or 0 for as many as this process may use");
  }
  return asked == 0 ? available_concurrency() : asked;
}

}  // namespace detail

/// Runs a plan on `workers` threads, the caller being one of them. Results have the same bits for every number.
struct std_threads {
  /// 0: as many as the affinity mask and the CPU quota of the control group allow.
  int workers = 0;
  /// Bytes that a run may hold in blocks and scratch, 0 for no limit. A plan that needs more is refused before it runs.
  std::int64_t memory_limit = 0;

  /// @throws value_error
  int lanes() const { return detail::worker_count(workers, "std_threads"); }

  void execute(detail::run_state& run) const {
    const int n = run.plan().lanes;
    detail::lane_set set(run, n);
    std::vector<std::jthread> others;
    others.reserve(static_cast<std::size_t>(n));
    for (int lane = 1; lane < n; ++lane) {
      try {
        others.emplace_back([&set, lane] { set.run_lane(lane); });
      } catch (const std::system_error&) {
        break;  // fewer threads do the same work
      }
    }
    set.run_lane(0);
  }
};

}  // namespace ashlar
