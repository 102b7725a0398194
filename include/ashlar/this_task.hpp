/// \file
/// What the function of a task may ask about the run that it is part of, from inside.
#pragma once

#include <ashlar/execution/job.hpp>

namespace ashlar::this_task {

/// True when the run has been stopped, by its stop token, by its time limit, or because another task failed; also when
/// the run was started by a task whose own run has been stopped. A function that takes long should look now and then
/// and return or throw: the run can only end when it does, and its result is dropped then. False outside of tasks.
/// Cost: about a nanosecond.
inline bool stop_requested() noexcept {
  const detail::job* const work = detail::job_of_this_thread();
  return work != nullptr && work->stopping();
}

}  // namespace ashlar::this_task
