/// \file
/// Submitted calls with their types: where a result lies, what is called with what.
#pragma once

#include <concepts>
#include <cstddef>
#include <iterator>
#include <memory>
#include <new>
#include <optional>
#include <source_location>
#include <stop_token>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <ashlar/detail/task_call.hpp>
#include <ashlar/error.hpp>
#include <ashlar/execution/future_state.hpp>
#include <ashlar/execution/task_pool.hpp>
#include <ashlar/graph/task_node.hpp>

namespace ashlar {

template <class T>
class future;

namespace detail {

template <class T>
struct task_handle<future<T>> {
  static constexpr bool is = true;
  using value_type = T;
};

template <class F>
inline constexpr bool is_task_function =
    !std::is_same_v<std::remove_cvref_t<F>, submit_options> && !std::is_same_v<std::remove_cvref_t<F>, task_pool>;

/// Ranges that are no arrays of numbers; those have a map() of their own.
template <class R>
concept plain_range = requires(const R& r) {
  r.begin();
  r.end();
} && !requires(const R& r) { r.ndim(); };

template <class T>
class result_state : public future_state {
 public:
  using future_state::future_state;
  ~result_state() override {
    if (made_) result().~T();
  }

  T& result() noexcept { return *std::launder(reinterpret_cast<T*>(memory_)); }
  void* value() noexcept override { return memory_; }

 protected:
  void put(T&& r) {
    ::new (static_cast<void*>(memory_)) T(std::move(r));
    made_ = true;
  }

 private:
  alignas(T) unsigned char memory_[sizeof(T)];
  bool made_ = false;
};

template <>
class result_state<void> : public future_state {
 public:
  using future_state::future_state;
  void* value() noexcept override { return nullptr; }
};

/// Results of futures, for a call.
struct future_source {
  bool may_move = true;

  bool movable() const noexcept { return may_move; }
  template <class T>
  input_slot slot(const future<T>& f) const {
    future_state& s = f.state();
    return {s.value(), may_move && s.has_one_handle()};
  }
};

template <class F, class... A>
class submitted_call final : public result_state<typename call_traits_of<F, true, A...>::result> {
 public:
  using result_type = typename call_traits_of<F, true, A...>::result;

  template <class G, class... X>
  submitted_call(pool_core& pool, submit_options&& options, G&& g, X&&... x)
      : result_state<result_type>(pool, std::move(options), function_type_text<F>()) {
    call_.emplace(std::forward<G>(g), std::tuple<A...>(std::forward<X>(x)...));
  }

  /// Puts the token in the place that was kept for it.
  void give_stop_token() { std::get<0>(call_->arguments) = this->stop_token(); }

  /// The states of all futures among the arguments. @throws value_error for one that would have to be copied and
  /// cannot, and for such an argument
  std::vector<future_ref> inputs() const {
    if (takes_uncopyable_argument<F, A...>() && !this->may_move_arguments()) {
      throw value_error("submit: " + this->name() + " takes an argument for itself that can only be moved, and with " +
                        std::to_string(this->options().retries) +
                        " retries it may be needed again; let the function take it by const&, or submit without "
                        "retries");
    }
    std::vector<future_ref> list;
    each_handle<F, true>(call_->arguments, [&](const auto& h, bool must_be_sole) {
      future_state& s = h.state();
      if (must_be_sole && (!s.has_one_handle() || !this->may_move_arguments())) {
        throw value_error(
            "submit: the result of " + s.name() + " cannot be copied, and " + this->name() +
            " takes it for itself; give it by std::move from the only future, without retries, or let the "
            "function take it by const&");
      }
      list.push_back(h.shared_state());
    });
    return list;
  }

 private:
  struct call {
    call(F f, std::tuple<A...>&& a) : function(std::move(f)), arguments(std::move(a)) {}
    F function;
    std::tuple<A...> arguments;
  };

  void invoke() override {
    future_source source{this->may_move_arguments()};
    if constexpr (std::is_void_v<result_type>) {
      call_task(std::as_const(call_->function), call_->arguments, source);
      this->begin_commit();
    } else {
      result_type r = call_task(std::as_const(call_->function), call_->arguments, source);
      if (this->begin_commit()) this->put(std::move(r));
    }
  }
  void forget_call() noexcept override { call_.reset(); }

  std::optional<call> call_;
};

template <class F, class... A>
inline constexpr bool takes_stop_token =
    !std::is_invocable_v<const F&, argument_value_t<std::decay_t<A>>...> &&
    !std::is_invocable_v<const F&, const argument_value_t<std::decay_t<A>>&...> &&
    (std::is_invocable_v<const F&, std::stop_token, argument_value_t<std::decay_t<A>>...> ||
     std::is_invocable_v<const F&, std::stop_token, const argument_value_t<std::decay_t<A>>&...>);

/// @param behind states that are waited for and pass nothing on
template <class F, class... A>
auto submit_call(pool_core& pool, submit_options&& options, std::vector<future_ref> behind, call_kind kind, F f,
                 A&&... args) {
  constexpr bool with_token = takes_stop_token<F, A...>;
  const auto make = [&] {
    if constexpr (with_token) {
      using type = submitted_call<F, std::stop_token, std::decay_t<A>...>;
      auto state = counted_ref<type>(
          new type(pool, std::move(options), std::move(f), std::stop_token(), std::forward<A>(args)...));
      state->give_stop_token();
      return state;
    } else {
      using type = submitted_call<F, std::decay_t<A>...>;
      return counted_ref<type>(new type(pool, std::move(options), std::move(f), std::forward<A>(args)...));
    }
  };
  auto state = make();
  using result = typename std::remove_pointer_t<decltype(state.get())>::result_type;
  future<result> handle{counted_ref<result_state<result>>(state.get())};
  state->add_use();
  std::vector<future_ref> inputs = state->inputs();
  inputs.insert(inputs.end(), behind.begin(), behind.end());
  state->start(std::move(inputs), kind);
  return handle;
}

template <class T, class F>
auto submit_then(future<T> before, F f, std::source_location where) {
  pool_core& pool = before.state().pool();
  if constexpr (std::is_void_v<T>) {
    return submit_call(pool, submit_options{.where = where}, {before.shared_state()}, call_kind{}, std::move(f));
  } else {
    return submit_call(pool, submit_options{.where = where}, {}, call_kind{}, std::move(f), std::move(before));
  }
}

struct make_tuple_of_results {
  template <class... T>
  std::tuple<T...> operator()(std::tuple<T...>&& results) const {
    return std::move(results);
  }
};
struct take_results {
  template <class T>
  std::vector<T> operator()(std::vector<T>&& results) const {
    return std::move(results);
  }
};

/// A tuple of the futures that have a result.
template <class T>
auto with_result(future<T>& f) {
  if constexpr (std::is_void_v<T>) {
    return std::tuple<>();
  } else {
    return std::tuple<future<T>>(std::move(f));
  }
}

template <class... T>
auto when_all_of(future<T>... futures) {
  static_assert(sizeof...(T) > 0, "ashlar: when_all of nothing");
  std::vector<future_ref> behind{futures.shared_state()...};
  pool_core& pool = behind.front()->pool();
  submit_options options{.name = "when_all", .where = behind.front()->options().where};
  if constexpr ((std::is_void_v<T> && ...)) {
    return submit_call(pool, std::move(options), std::move(behind), call_kind{.at_once = true}, [] {});
  } else {
    return submit_call(pool, std::move(options), std::move(behind), call_kind{.at_once = true}, make_tuple_of_results{},
                       std::tuple_cat(with_result(futures)...));
  }
}

template <class T>
auto when_all_in(std::vector<future<T>> futures) {
  pool_core& pool = futures.empty() ? default_pool().core() : futures.front().state().pool();
  submit_options options{.name = "when_all",
                         .where = futures.empty() ? std::source_location() : futures.front().state().options().where};
  if constexpr (std::is_void_v<T>) {
    std::vector<future_ref> behind;
    for (const future<T>& f : futures) behind.push_back(f.shared_state());
    return submit_call(pool, std::move(options), std::move(behind), call_kind{.at_once = true}, [] {});
  } else {
    return submit_call(pool, std::move(options), {}, call_kind{.at_once = true}, take_results{}, std::move(futures));
  }
}

}  // namespace detail
}  // namespace ashlar
