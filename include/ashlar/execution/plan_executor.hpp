/// \file
/// Executors that run a whole plan in their own way, rather than lend threads for its tasks: devices.
#pragma once

#include <cstdint>
#include <memory>

#include <ashlar/execution/job.hpp>
#include <ashlar/graph/source.hpp>
#include <ashlar/place.hpp>

namespace ashlar::detail {

class run_state;

/// A run of a plan as a job of one lane.
class plan_job : public job {
 public:
  /// Before the run: results that are whole arrays stay where they were made.
  virtual void keep_results() = 0;

  /// After a run that keeps what it made: blocks, or the one result.
  virtual source_ptr kept() = 0;
};

class plan_executor {
 public:
  plan_executor() = default;
  plan_executor(const plan_executor&) = delete;
  plan_executor& operator=(const plan_executor&) = delete;

  /// Where blocks live that stay.
  virtual ashlar::place place() const noexcept = 0;

  /// Checks a plan, and makes a job of it that holds at most `memory_limit` bytes there, or what is free when that is
  /// 0.
  /// @throws device_error for what cannot run there, by name, before anything has run
  virtual std::unique_ptr<plan_job> prepare(run_state& run, std::int64_t memory_limit) const = 0;

 protected:
  ~plan_executor() = default;
};

}  // namespace ashlar::detail
