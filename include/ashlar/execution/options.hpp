/// \file
/// Options of one run, whichever executor it is on.
#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>

namespace ashlar {

/// How far a run is.
struct progress_info {
  std::int64_t tasks_done = 0;
  std::int64_t tasks = 0;
  double seconds = 0;
};

/// Options of compute(); they do not change any result.
struct run_options {
  /// Called about ten times a second and once at the end, never at the same time twice; from a thread of its own.
  std::function<void(const progress_info&)> progress = {};
  /// Stops the run at the next task of each worker; compute() then throws ashlar::cancelled.
  std::stop_token stop = {};
  /// Joins neighbouring element-wise operations into one pass. Off, every node is made on its own.
  bool optimize = true;
};

}  // namespace ashlar
