/// \file
/// The default executor: lanes on oneTBB's threads. Our loop decides what runs; TBB lends threads, so that a program
/// that uses TBB elsewhere does not get twice as many. Including this header makes `threads` the executor of compute().
#pragma once

#include <cstdint>

#include <ashlar/execution/executor.hpp>

namespace ashlar {

/// Runs a plan on `workers` threads, the caller being one of them. Results have the same bits for every number.
///
/// The caller works too and never waits for a worker that has not started, so a run ends on a machine with one core,
/// and compute() may be called inside a TBB task. compute() calls that run at the same time with the same number of
/// workers share one TBB arena, and so its threads: each caller works on its own run, the others go where work is.
struct threads {
  /// 0: as many as the affinity mask, the CPU quota of the control groups and tbb::global_control allow.
  int workers = 0;
  /// Bytes that a run may hold in blocks and scratch, beside its results. It keeps to them: it starts tasks later, uses
  /// fewer workers or puts blocks into a file for a while. A plan in which one task alone needs more is refused before
  /// it runs. 0: as much as the workers need, but no more than 70 % of what the process may have and does not use.
  std::int64_t memory_limit = 0;

  /// @throws value_error for a negative or absurd number of workers
  int lanes() const;
  void execute(detail::job& work) const;
};

namespace detail {

inline executor_ref default_threads() {
  static const threads all{};
  return ref(all);
}

inline const bool threads_are_default = [] {
  default_executor().store(&default_threads);
  return true;
}();

}  // namespace detail
}  // namespace ashlar

#if !defined(ASHLAR_SEPARATE)
#include <ashlar/execution/threads_impl.hpp>
#endif
