/// \file
/// Lazy calls of functions of any types: `delayed(f)(a, b)` notes that f is to be called, and gives a handle on the
/// result. Handles are arguments of further calls, so a graph grows; compute() runs it, in parallel, each task once.
/// Needs nothing of arrays.
#pragma once

#include <cstddef>
#include <memory>
#include <source_location>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <ashlar/detail/task_call.hpp>
#include <ashlar/execution/delayed_run.hpp>
#include <ashlar/execution/executor.hpp>
#include <ashlar/execution/options.hpp>
#include <ashlar/graph/task_node.hpp>

namespace ashlar {

template <class T>
class delayed;

namespace detail {

/// Tells delayed<function_of<F>>, a function whose calls are lazy, from delayed<T>, a result that is to be.
template <class F>
struct function_of;

template <class T>
struct task_handle<delayed<T>> {
  static constexpr bool is = true;
  using value_type = T;
};
template <class F>
struct task_handle<delayed<function_of<F>>> {
  static constexpr bool is = false;
};

template <class D>
inline constexpr bool is_delayed_value = false;
template <class T>
inline constexpr bool is_delayed_value<delayed<T>> = handle<delayed<T>>;

/// A root of a run; its result is moved to the user at the end.
template <class T>
task_input root_of(const delayed<T>& d) noexcept {
  bool move = false;
  if constexpr (!std::is_void_v<T>) move = must_be_sole<T>;
  return task_input(d.node().get(), move);
}

template <class T>
T take_result(delayed_results& results, std::size_t i) {
  const input_slot s = results.take(i);
  T* const value = static_cast<T*>(s.value);
  if constexpr (std::is_copy_constructible_v<T>) {
    if (!s.sole) return *value;
  }
  return std::move(*value);
}

template <class T>
auto result_as_tuple(delayed_results& results, std::size_t i) {
  if constexpr (std::is_void_v<T>) {
    return std::tuple<>();
  } else {
    return std::tuple<T>(take_result<T>(results, i));
  }
}

}  // namespace detail

/// The result of a call that has not been made yet; T may be any movable type, or void. A cheap handle: copies share
/// the call. Thread safety: as for a const object; several computes of one graph at once are legal.
template <class T>
class delayed {
 public:
  using value_type = T;

  /// For code that makes nodes.
  explicit delayed(detail::node_ref n) noexcept : node_(std::move(n)) {}

  /// Makes the call, and before it those whose results it needs, each once; nothing is kept from earlier computes.
  /// Independent calls run at the same time on the lanes of the default executor (threads, when <ashlar/threads.hpp> is
  /// included; else serial).
  ///
  /// A result is passed by const& to all that take it so; who takes T or T&& gets it moved when nobody else will look
  /// at it, else a copy. It is destroyed behind the last task that takes it. Cost: about 100 ns a task for planning and
  /// running, no allocation for a task.
  ///
  /// @throws task_error with the task's name, the line of its call and the text; what was thrown is nested in it. Tasks
  /// that need the failed one do not run. @throws cancelled when options.stop was asked to stop. @throws value_error
  /// when a result would have to be copied and T cannot be
  T compute(const run_options& options = {}) const { return compute_on(detail::default_executor().load()(), options); }

  /// On `on`: `serial{}`, `threads{.workers = 8}`, …
  template <executor Where>
  T compute(const Where& on, const run_options& options = {}) const {
    return compute_on(detail::ref(on), options);
  }

  /// All tasks that compute() would run, each behind those that it waits for; this one is the last.
  std::vector<task_description> tasks() const { return detail::describe_tasks({detail::root_of(*this)}); }

  /// Draws those tasks: a box each, an arrow for each result that is passed on, a dashed one for after(). By the end of
  /// the path's name .svg, .png and .pdf, which Graphviz's program `dot` draws, or .dot, its text.
  /// @throws value_error for more than options.max_nodes tasks, colours by bytes, or a report that is missing or of
  /// another run; file_error when the file cannot be written or Graphviz is not installed
  void visualize(const std::string& path, const graph_options& options = {}) const {
    detail::draw_delayed({detail::root_of(*this)}, path, options);
  }

  /// The text of the picture, in Graphviz's DOT. @throws value_error as visualize()
  std::string to_dot(const graph_options& options = {}) const {
    return detail::dot_of_delayed({detail::root_of(*this)}, options);
  }

  const detail::node_ref& node() const noexcept { return node_; }

 private:
  T compute_on(const detail::executor_ref& on, const run_options& options) const {
    detail::delayed_results results(on, {detail::root_of(*this)}, options);
    if constexpr (!std::is_void_v<T>) return detail::take_result<T>(results, 0);
  }

  detail::node_ref node_;
};

/// What `delayed(f)` gives: calling it notes a call of f. (A statement that begins with `ash::delayed(f)` is taken by
/// g++ for a declaration: `ash::compute(ash::delayed(f)(x))`, or a name for the handle.)
template <class F>
class delayed<detail::function_of<F>> {
  using here = std::source_location;

 public:
  /// @param f a function, lambda or functor; it is copied into each call and called as const, so it may not be mutable
  /// @param options a name for errors and pictures, and a priority
  explicit delayed(F f, task_options options = {}, here where = here::current())
      : function_(std::move(f)), where_(where) {
    if (!options.name.empty() || options.priority != 0) {
      extra_ = std::make_shared<const detail::task_extra>(detail::task_extra{std::move(options), {}});
    }
  }

  /// The same, with calls that are only made when `tasks` have ended; nothing is passed on.
  template <class... T>
  [[nodiscard]] delayed after(const delayed<T>&... tasks) const {
    auto extra = extra_ == nullptr ? detail::task_extra{} : *extra_;
    (extra.after.push_back(tasks.node()), ...);
    delayed copy = *this;
    copy.extra_ = std::make_shared<const detail::task_extra>(std::move(extra));
    return copy;
  }
  template <class T>
  [[nodiscard]] delayed after(const std::vector<delayed<T>>& tasks) const {
    auto extra = extra_ == nullptr ? detail::task_extra{} : *extra_;
    for (const delayed<T>& t : tasks) extra.after.push_back(t.node());
    delayed copy = *this;
    copy.extra_ = std::make_shared<const detail::task_extra>(std::move(extra));
    return copy;
  }

  /// Notes a call. Arguments are values, which are copied or moved into the call; delayed<T>, in whose place f gets a
  /// T; and std::vector, array, tuple, pair, optional or map with delayed<T> in them, nested as you like. The call's
  /// line is part of errors. Cost: about 50 ns and 64 bytes and the arguments.
  /// @{
  [[nodiscard]] auto operator()(here where = here::current()) const { return make(where); }
  template <class A>
  [[nodiscard]] auto operator()(A&& a, here where = here::current()) const {
    return make(where, std::forward<A>(a));
  }
  template <class A, class B>
  [[nodiscard]] auto operator()(A&& a, B&& b, here where = here::current()) const {
    return make(where, std::forward<A>(a), std::forward<B>(b));
  }
  template <class A, class B, class C>
  [[nodiscard]] auto operator()(A&& a, B&& b, C&& c, here where = here::current()) const {
    return make(where, std::forward<A>(a), std::forward<B>(b), std::forward<C>(c));
  }
  template <class A, class B, class C, class D>
  [[nodiscard]] auto operator()(A&& a, B&& b, C&& c, D&& d, here where = here::current()) const {
    return make(where, std::forward<A>(a), std::forward<B>(b), std::forward<C>(c), std::forward<D>(d));
  }
  template <class A, class B, class C, class D, class E, class... More>
  [[nodiscard]] auto operator()(A&& a, B&& b, C&& c, D&& d, E&& e,
                                More&&... more) const {  // the line is that of delayed(f)
    return make(where_, std::forward<A>(a), std::forward<B>(b), std::forward<C>(c), std::forward<D>(d),
                std::forward<E>(e), std::forward<More>(more)...);
  }
  /// @}

 private:
  template <class... A>
  auto make(here where, A&&... a) const {
    using result = typename detail::call_traits_of<F, false, std::decay_t<A>...>::result;
    return delayed<result>(detail::make_call_node(function_, extra_, where, std::forward<A>(a)...));
  }

  F function_;
  std::shared_ptr<const detail::task_extra> extra_;
  here where_;
};

template <class F>
  requires(!detail::handle<F>)
delayed(F, task_options = {}, std::source_location = std::source_location::current())
    -> delayed<detail::function_of<F>>;

namespace detail {

template <class... T>
auto compute_delayed(const executor_ref& on, const run_options& options, const delayed<T>&... tasks) {
  delayed_results results(on, {root_of(tasks)...}, options);
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    return std::tuple_cat(result_as_tuple<T>(results, I)...);
  }(std::index_sequence_for<T...>{});
}

}  // namespace detail

/// Makes several calls in one run; what they share is done once.
/// @returns a tuple of the results, in order; calls that return nothing are left out. @throws as delayed::compute()
template <class... D>
  requires(sizeof...(D) > 0 && (detail::is_delayed_value<D> && ...))
auto compute(const D&... tasks) {
  return detail::compute_delayed(detail::default_executor().load()(), run_options{}, tasks...);
}

/// The same on a given executor.
template <executor Where, class... D>
  requires(sizeof...(D) > 0 && (detail::is_delayed_value<D> && ...))
auto compute(const Where& on, const D&... tasks) {
  return detail::compute_delayed(detail::ref(on), run_options{}, tasks...);
}

/// The same on a given executor with options.
template <executor Where, class... D>
  requires(sizeof...(D) > 0 && (detail::is_delayed_value<D> && ...))
auto compute(const Where& on, const run_options& options, const D&... tasks) {
  return detail::compute_delayed(detail::ref(on), options, tasks...);
}

/// Draws the tasks of compute(a, b, …), as the member visualize() does for one call.
template <class... D>
  requires(sizeof...(D) > 0 && (detail::is_delayed_value<D> && ...))
void visualize(const std::string& path, const graph_options& options, const D&... tasks) {
  detail::draw_delayed({detail::root_of(tasks)...}, path, options);
}

/// The text of that picture, in Graphviz's DOT.
template <class... D>
  requires(sizeof...(D) > 0 && (detail::is_delayed_value<D> && ...))
std::string to_dot(const graph_options& options, const D&... tasks) {
  return detail::dot_of_delayed({detail::root_of(tasks)...}, options);
}

}  // namespace ashlar
