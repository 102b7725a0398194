/// \file
/// Tasks that begin at once: `submit(f, a, b)` hands a call to a pool of threads and gives a future. Futures are
/// arguments of further submissions, which begin when those are ready. For work that grows while it runs; a graph that
/// is known beforehand costs a tenth with delayed(). Needs nothing of arrays.
#pragma once

#include <chrono>
#include <concepts>
#include <cstddef>
#include <iterator>
#include <memory>
#include <source_location>
#include <stop_token>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <ashlar/detail/task_call.hpp>
#include <ashlar/error.hpp>
#include <ashlar/execution/future_call.hpp>
#include <ashlar/execution/task_pool.hpp>

namespace ashlar {

/// The result of a submitted task: there now, later, or an error. Copies share it. A future may be thrown away; its
/// task is done all the same, and its error is what task_pool::wait_all() throws. The destructor neither waits nor
/// throws.
///
/// Thread safety: as for a const object, except that one future must not be assigned and used at once.
template <class T>
class future {
 public:
  using value_type = T;

  /// For code that makes states.
  explicit future(detail::counted_ref<detail::result_state<T>> s) noexcept : state_(std::move(s)) {
    if (state_) state_->add_handle();
  }
  future(const future& other) noexcept : future(other.state_) {}
  future(future&& other) noexcept = default;
  future& operator=(future other) noexcept {
    std::swap(state_, other.state_);
    return *this;
  }
  ~future() {
    if (state_) state_->drop_handle();
  }

  /// Waits for the result; inside a task, other tasks may run on this thread meanwhile.
  /// @returns the result, which stays in the future; from a future that goes (`std::move(x).get()`, `submit(…).get()`)
  /// it is moved when no other future shares it. @throws task_error with the task's name, line and text, and what was
  /// thrown nested in it; the error of an input, when the task did not run because of that; cancelled; timeout_error;
  /// error for a task that waits for itself
  decltype(auto) get() const& {
    detail::result_state<T>& s = ready_state();
    if constexpr (!std::is_void_v<T>) return std::as_const(s.result());
  }
  T get() && {
    detail::result_state<T>& s = ready_state();
    if constexpr (!std::is_void_v<T>) {
      if (s.has_one_handle()) return std::move(s.result());
      if constexpr (std::is_copy_constructible_v<T>) {
        return std::as_const(s.result());
      } else {
        throw value_error("future: the result of " + s.name() +
                          " cannot be copied, and other futures share it; use get() of a future that stays");
      }
    }
  }

  /// Whether the task has ended, well or not.
  bool is_ready() const { return state().is_ready(); }

  /// Waits at most that long; a year stands for ever. @returns is_ready(). @throws value_error for a negative time or
  /// one that is no number
  bool wait_for(std::chrono::duration<double> time) const { return state().wait_for(time); }

  /// get() throws `cancelled` from now on, also for tasks that take this result. A task that has not begun never will;
  /// a function that runs is asked to stop, by its stop token and by this_task::stop_requested(), and its result is
  /// dropped. @returns false when it had ended already
  bool cancel() const { return state().cancel(); }

  /// Submits f(result) to the same pool; f() when there is no result. Errors go on without calling f.
  template <class F>
  auto then(F f, std::source_location where = std::source_location::current()) const& {
    return detail::submit_then(future(*this), std::move(f), where);
  }
  template <class F>
  auto then(F f, std::source_location where = std::source_location::current()) && {
    return detail::submit_then(std::move(*this), std::move(f), where);
  }

  detail::result_state<T>& state() const {
    if (!state_) throw value_error("future: it was moved from and has no task");
    return *state_.get();
  }
  detail::future_ref shared_state() const { return detail::future_ref::share(&state()); }

 private:
  detail::result_state<T>& ready_state() const {
    detail::result_state<T>& s = state();
    s.wait();
    s.rethrow();
    return s;
  }

  detail::counted_ref<detail::result_state<T>> state_;
};

/// Submits f(args…) to a pool. Arguments are values, futures, in whose place f gets the result, and std::vector, array,
/// tuple, pair, optional or map with futures in them. The task begins when all of them are ready; no thread waits for
/// that. A result is passed by const&; who takes T or T&& gets a result moved when the future was given by std::move
/// and nobody shares it, else a copy. A function that takes a std::stop_token first gets one that cancel() and the
/// time-out of the task ask to stop.
///
/// `submit(f, args…)` and `submit({.name = "load", .retries = 2}, f, args…)`; on a pool of your own with the pool
/// first. Cost: about half a microsecond. @throws value_error for options that cannot be, when a result that cannot be
/// copied is shared by another future, and for retries of a function that takes an argument which can only be moved;
/// error when the system gives no thread
/// @{
template <class F, class... A>
  requires(detail::is_task_function<F>)
auto submit(task_pool& pool, submit_options options, F f, A&&... args) {
  return detail::submit_call(pool.core(), std::move(options), {}, detail::call_kind{}, std::move(f),
                             std::forward<A>(args)...);
}
template <class F, class... A>
  requires(detail::is_task_function<F>)
auto submit(submit_options options, F f, A&&... args) {
  return submit(default_pool(), std::move(options), std::move(f), std::forward<A>(args)...);
}
template <class F>
  requires(detail::is_task_function<F>)
auto submit(F f, std::source_location where = std::source_location::current()) {
  return submit(default_pool(), submit_options{.where = where}, std::move(f));
}
template <class F, class A>
  requires(detail::is_task_function<F>)
auto submit(F f, A&& a, std::source_location where = std::source_location::current()) {
  return submit(default_pool(), submit_options{.where = where}, std::move(f), std::forward<A>(a));
}
template <class F, class A, class B>
  requires(detail::is_task_function<F>)
auto submit(F f, A&& a, B&& b, std::source_location where = std::source_location::current()) {
  return submit(default_pool(), submit_options{.where = where}, std::move(f), std::forward<A>(a), std::forward<B>(b));
}
template <class F, class A, class B, class C, class... More>  // the line is unknown; options can name one
  requires(detail::is_task_function<F>)
auto submit(F f, A&& a, B&& b, C&& c, More&&... more) {
  return submit(default_pool(), submit_options{.where = {}}, std::move(f), std::forward<A>(a), std::forward<B>(b),
                std::forward<C>(c), std::forward<More>(more)...);
}
/// @}

/// Submits f(x) for each element, in order. @returns the futures
template <class Range, class F>
  requires(detail::is_task_function<F> && detail::plain_range<Range>)
auto map(task_pool& pool, const submit_options& options, F f, const Range& range) {
  std::vector<decltype(submit(pool, options, f, *range.begin()))> futures;
  for (const auto& x : range) futures.push_back(submit(pool, options, f, x));
  return futures;
}
template <class Range, class F>
  requires(detail::is_task_function<F> && detail::plain_range<Range>)
auto map(F f, const Range& range, std::source_location where = std::source_location::current()) {
  return map(default_pool(), submit_options{.where = where}, std::move(f), range);
}

/// One future for all: ready when all are, with a tuple of their results (those without a result are left out), or with
/// the first error.
template <class... T>
auto when_all(future<T>... futures) {
  return detail::when_all_of(std::move(futures)...);
}

/// One future with a vector of all results, in the order of the futures; future<void> when there are none.
template <class T>
auto when_all(std::vector<future<T>> futures) {
  return detail::when_all_in(std::move(futures));
}

/// A range over futures in the order in which they become ready: `for (auto& f : as_completed(std::move(futures)))`.
/// Iterating waits, inside a task too without running one of them on this thread as long as the pool can have another;
/// so the first one that is ready comes even when the next never ends. The destructor does not wait. Cannot be copied:
/// each future is given once.
template <class T>
class as_completed {
 public:
  explicit as_completed(std::vector<future<T>> futures) : futures_(std::move(futures)) {
    wanted_.reserve(futures_.size());
    for (const future<T>& f : futures_) wanted_.push_back(f.shared_state());
    queue_ = detail::make_completion_queue(wanted_);
  }

  as_completed(const as_completed&) = delete;
  as_completed& operator=(const as_completed&) = delete;

  class iterator {
   public:
    using iterator_concept = std::input_iterator_tag;
    using value_type = future<T>;
    using difference_type = std::ptrdiff_t;

    future<T>& operator*() const { return range_->futures_[range_->current_]; }
    future<T>* operator->() const { return &**this; }
    iterator& operator++() {
      range_->next();
      return *this;
    }
    void operator++(int) { ++*this; }
    bool operator==(std::default_sentinel_t) const { return range_->current_ == range_->futures_.size(); }

   private:
    friend as_completed;
    explicit iterator(as_completed* range) : range_(range) {}
    as_completed* range_;
  };

  /// Only once.
  iterator begin() {
    next();
    return iterator(this);
  }
  std::default_sentinel_t end() const { return {}; }

 private:
  void next() { current_ = given_++ < futures_.size() ? detail::next_completed(*queue_, wanted_) : futures_.size(); }

  std::vector<future<T>> futures_;
  std::vector<detail::future_ref> wanted_;
  std::shared_ptr<detail::completion_queue> queue_;
  std::size_t given_ = 0;
  std::size_t current_ = 0;
};

}  // namespace ashlar
