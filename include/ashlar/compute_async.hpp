/// \file
/// compute() that does not wait: of arrays, or of delayed calls. Includes neither; whoever has them has their
/// compute().
#pragma once

#include <source_location>
#include <stop_token>
#include <type_traits>
#include <utility>

#include <ashlar/execution/executor.hpp>
#include <ashlar/future.hpp>

namespace ashlar {

namespace detail {

/// The executor that compute() takes when it is given none, as a value.
struct default_executor_now {
  executor_ref on = default_executor().load()();
  std::int64_t memory_limit = on.memory_limit;

  int lanes() const noexcept { return on.lanes; }
  void execute(job& work) const { on.execute(on.object, work); }
};

template <class Where, class X>
auto compute_one(const Where& on, const run_options& options, std::source_location where, const X& x) {
  if constexpr (requires { x.compute(on, options, where); }) {
    return x.compute(on, options, where);
  } else {
    return x.compute(on, options);
  }
}

template <class Where, class... X>
auto submit_compute(const Where& on, run_options options, std::source_location where, const X&... x) {
  submit_options submission{.name = "compute_async", .stop = options.stop, .where = where};
  return submit_call(default_pool().core(), std::move(submission), {}, call_kind{.plain_errors = true},
                     [on, options = std::move(options), where, x...](std::stop_token stop) {
                       run_options mine = options;
                       mine.stop = std::move(stop);
                       if constexpr (sizeof...(X) == 1) {
                         return compute_one(on, mine, where, x...);
                       } else {
                         static_cast<void>(where);  // clang warns of a capture that is not used
                         return compute(on, std::as_const(mine), x...);
                       }
                     });
}

template <class X>
concept computable = requires(const X& x, const run_options& options) { x.compute(options); };

}  // namespace detail

/// Begins to compute an array, an expression or a delayed call, and returns at once. The run begins on a thread of the
/// default pool, which is its first lane, and uses the default executor, or `on`. cancel() of the future stops the run
/// at the next task, as `options.stop` does: get() throws at once, while tasks that have begun go on to their end and
/// use what the kernels, `options.progress` and `options.report` refer to. `default_pool().wait_all()` waits for that.
/// @returns a future of what compute() returns; get() throws what compute() throws
/// @{
template <detail::computable X>
auto compute_async(const X& x, run_options options = {}, std::source_location where = std::source_location::current()) {
  return detail::submit_compute(detail::default_executor_now{}, std::move(options), where, x);
}
template <executor Where, detail::computable X>
auto compute_async(const Where& on, const X& x, run_options options = {},
                   std::source_location where = std::source_location::current()) {
  return detail::submit_compute(on, std::move(options), where, x);
}
/// @}

/// The same for several arrays, or several delayed calls, in one run; the future has a tuple.
/// @{
template <detail::computable X, detail::computable Y, detail::computable... More>
auto compute_async(const X& x, const Y& y, const More&... more) {
  return detail::submit_compute(detail::default_executor_now{}, run_options{}, std::source_location{}, x, y, more...);
}
template <executor Where, detail::computable X, detail::computable Y, detail::computable... More>
auto compute_async(const Where& on, const run_options& options, const X& x, const Y& y, const More&... more) {
  return detail::submit_compute(on, options, std::source_location{}, x, y, more...);
}
/// @}

}  // namespace ashlar
