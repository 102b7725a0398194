/// \file
/// Lanes on threads of our own.
#pragma once

#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include <ashlar/error.hpp>
#include <ashlar/execution/concurrency.hpp>
#include <ashlar/execution/lanes.hpp>
#include <ashlar/std_threads.hpp>

namespace ashlar {

namespace detail {

/// @throws value_error for a negative or absurd number of workers
inline int worker_count(int asked, const char* name) {
  if (asked < 0 || asked > 4096) {
    throw value_error(std::string(name) + ": workers is " + std::to_string(asked) +
                      "; it is 1 to 4096, or 0 for as many as this process may use");
  }
  return asked == 0 ? available_concurrency() : asked;
}

/// Starts a thread for the lane; does nothing when the system has no more: fewer threads do the same work.
inline void start_lane(std::vector<std::jthread>& others, lane_set& set, int lane) {
  try {
    others.emplace_back([&set, lane] { set.run_lane(lane); });
  } catch (const std::system_error&) {
  }
}

}  // namespace detail

ASHLAR_DETAIL_SEPARATE int std_threads::lanes() const { return detail::worker_count(workers, "std_threads"); }

ASHLAR_DETAIL_SEPARATE void std_threads::execute(detail::run_state& run) const {
  const int n = run.plan().lanes;
  detail::lane_set set(run, n);
  std::vector<std::jthread> others;
  for (int lane = 1; lane < n; ++lane) detail::start_lane(others, set, lane);
  set.run_lane(0);
}

}  // namespace ashlar
