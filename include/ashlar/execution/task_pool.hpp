/// \file
/// Threads for submitted tasks. task_pool_impl.hpp has the code.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include <ashlar/execution/future_state.hpp>

namespace ashlar {

namespace detail {

/// States in the order in which they become ready.
class completion_queue;
std::shared_ptr<completion_queue> make_completion_queue(const std::vector<future_ref>& wanted);

/// Waits for the next one, on a worker of a pool by running one of them. @returns its position in `wanted`; to be
/// called once for each of them
std::size_t next_completed(completion_queue& queue, const std::vector<future_ref>& wanted);

}  // namespace detail

/// Options of a pool.
struct pool_options {
  /// Threads that run tasks at the same time; 0: as many as the affinity mask and the control group's quota allow.
  int workers = 0;
};

/// Runs submitted tasks on threads of its own, without oneTBB, which are started when there is
/// work for them and sleep when there is none.
///
/// A task may submit tasks and wait for them, with one worker too: a worker that waits for a task that nobody has begun
/// runs it, or what that one waits for; where others have begun it, a further thread takes the worker's place
/// meanwhile.
///
/// Thread safety: everything may be called from any thread.
class task_pool {
 public:
  /// @throws value_error for a negative or absurd number of workers
  explicit task_pool(pool_options options = {});
  task_pool(const task_pool&) = delete;
  task_pool& operator=(const task_pool&) = delete;

  /// Cancels what has not begun, asks what runs to stop, by the stop tokens of functions that take one, and waits for
  /// it. Futures of cancelled tasks throw `cancelled`. Call wait_all() first for everything to be done.
  ~task_pool();

  int workers() const noexcept;

  /// Waits until every task has ended, also those that are submitted meanwhile, and functions whose futures were
  /// cancelled or timed out while they ran; then nothing uses what they refer to any more. Throws the first error that
  /// nobody has seen: neither by get(), nor as the input of another task. So errors of futures that were thrown away
  /// are not lost. @throws error when called by a task of this pool, which would wait for itself
  void wait_all();

  /// Tasks that have been submitted and have not ended.
  std::size_t unfinished() const noexcept;

  detail::pool_core& core() const noexcept { return *core_; }

 private:
  detail::counted_ref<detail::pool_core> core_;
};

/// The pool of `ash::submit`, made when it is first used, with as many workers as the process may use. It ends with the
/// program, as the destructor of task_pool says.
task_pool& default_pool();

}  // namespace ashlar

#if !defined(ASHLAR_SEPARATE)
#include <ashlar/execution/task_pool_impl.hpp>
#endif
