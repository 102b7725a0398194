/// \file
/// The executor of one thread: tasks run in the static order on the caller. The oracle for all others.
#pragma once

#include <cstdint>

#include <ashlar/execution/lanes.hpp>

namespace ashlar {

/// Runs a plan on the calling thread.
struct serial {
  /// Bytes that a run may hold in blocks and scratch, 0 for no limit. A plan that needs more is refused before it runs.
  std::int64_t memory_limit = 0;

  int lanes() const noexcept { return 1; }

  void execute(detail::run_state& run) const {
    detail::lane_set set(run, 1);
    set.run_lane(0);
  }
};

}  // namespace ashlar
