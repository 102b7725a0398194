/// \file
/// The thread executor without oneTBB: lanes on threads of our own, which each run starts as it needs them,
/// and joins. For programs that must not depend on TBB, and for ThreadSanitizer, which cannot see into an
/// uninstrumented TBB.
#pragma once

#include <cstdint>

#include <ashlar/execution/executor.hpp>

namespace ashlar {

/// Runs a plan on `workers` threads, the caller being one of them. Results have the same bits for every number.
struct std_threads {
  /// 0: as many as the affinity mask and the CPU quota of the control group allow.
  int workers = 0;
  /// Bytes that a run may hold in blocks and scratch, beside its results. It keeps to them: it starts tasks later, uses
  /// fewer workers or puts blocks into a file for a while. A plan in which one task alone needs more is refused before
  /// it runs. 0: as much as the workers need, but no more than 70 % of what the process may have and does not use.
  std::int64_t memory_limit = 0;

  /// @throws value_error for a negative or absurd number of workers
  int lanes() const;
  void execute(detail::job& work) const;
};

}  // namespace ashlar

#if !defined(ASHLAR_SEPARATE)
#include <ashlar/execution/std_threads_impl.hpp>
#endif
