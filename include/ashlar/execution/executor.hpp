/// \file
/// Who may run what: executors, free of arrays and of what a run does. executor_impl.hpp, included at its end unless
/// ASHLAR_SEPARATE is defined, has the code.
#pragma once

#include <atomic>
#include <concepts>
#include <cstdint>

#include <ashlar/detail/config.hpp>
#include <ashlar/error.hpp>
#include <ashlar/execution/options.hpp>
#include <ashlar/place.hpp>

namespace ashlar {

namespace detail {
class job;
class watcher;
class plan_executor;
}  // namespace detail

/// What an executor is: a value that says how many lanes a run may have, and lends a job that many threads
/// (execution/job.hpp). A new one needs no change anywhere else.
template <class E>
concept executor = requires(const E& e, detail::job& work) {
  { e.lanes() } -> std::convertible_to<int>;
  { e.memory_limit } -> std::convertible_to<std::int64_t>;
  e.execute(work);
};

/// Runs a plan on the calling thread, tasks in the static order: the oracle for all other executors.
struct serial {
  /// Bytes that a run may hold in blocks and scratch, beside its results. It keeps to them: it starts tasks later, uses
  /// fewer workers or puts blocks into a file for a while. A plan in which one task alone needs more is refused before
  /// it runs. 0: as much as the workers need, but no more than 70 % of what the process may have and does not use.
  std::int64_t memory_limit = 0;

  int lanes() const noexcept { return 1; }
  void execute(detail::job& work) const;
};

namespace detail {

/// An executor with its type erased, valid for the call that it is passed to.
struct executor_ref {
  int lanes = 1;
  std::int64_t memory_limit = 0;
  const void* object = nullptr;
  void (*execute)(const void*, job&) = nullptr;
  const plan_executor* plans = nullptr;  // runs plans in its own way (execution/plan_executor.hpp)
  bool by_default = false;               // nobody named it: arrays on a device are computed there
};

/// An executor with `plans()` runs whole plans itself, on a device for instance.
template <class E>
const plan_executor* plans_of(const E& e) {
  if constexpr (requires { e.plans(); }) {
    return e.plans();
  } else {
    return nullptr;
  }
}

/// Lanes are at least one, and are counted in 16 bits by who watches.
constexpr int lanes_of(int asked) noexcept { return asked < 1 ? 1 : asked > 65535 ? 65535 : asked; }

template <executor E>
executor_ref ref(const E& e) {
  return {lanes_of(e.lanes()), e.memory_limit, &e,
          [](const void* o, job& work) { static_cast<const E*>(o)->execute(work); }, plans_of(e)};
}

/// The executor of a compute() that names none: serial, until a header that brings another registers it.
inline std::atomic<executor_ref (*)()>& default_executor() {
  static std::atomic<executor_ref (*)()> f{[] {
    static const serial s;
    return ref(s);
  }};
  return f;
}

/// What a compute() that names no executor gets.
inline executor_ref default_ref() {
  executor_ref r = default_executor().load()();
  r.by_default = true;
  return r;
}

/// Finds the executor of a place; null until a header that brings one for devices registers it.
inline std::atomic<executor_ref (*)(place)>& place_executor() {
  static std::atomic<executor_ref (*)(place)> f{nullptr};
  return f;
}

/// Runs a job to its end. `notes`, when given, knows the bytes that are done.
/// @throws what a task threw; callback_error; cancelled or timeout_error when it was stopped before it had finished;
/// value_error for options that make no sense
void run_job(const executor_ref& where, job& work, std::int64_t tasks, const run_options& options,
             const watcher* notes = nullptr);

}  // namespace detail
}  // namespace ashlar

#if !defined(ASHLAR_SEPARATE)
#include <ashlar/execution/executor_impl.hpp>
#endif
