/// \file
/// Calls a function with its stored arguments, in whose place handles have become results.
///
/// Results are shared, so a function is given them by `const&`. It may have them for itself, as an rvalue, where it
/// asks for that by its signature: a result that nobody else waits for is then moved, another one copied.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

#include <ashlar/detail/task_arguments.hpp>

namespace ashlar::detail {

/// A result that a function takes for itself: the result, or a copy of it that lives as long as this.
template <class T>
class taken_value {
 public:
  explicit taken_value(input_slot s) : value_(static_cast<T*>(s.value)) {
    if constexpr (std::is_copy_constructible_v<T>) {
      if (!s.sole) value_ = &copy_.emplace(std::as_const(*value_));
    }
  }
  taken_value(const taken_value&) = delete;
  taken_value& operator=(const taken_value&) = delete;

  T&& get() noexcept { return std::move(*value_); }

 private:
  struct nothing {};
  T* value_;
  std::conditional_t<std::is_copy_constructible_v<T>, std::optional<T>, nothing> copy_;
};

/// How one argument reaches the function.
enum class passing : unsigned char {
  read,   // const&
  take,   // an rvalue: moved out of its place, or a copy
  either  // the signature is not known: an rvalue where everything of this kind may be moved, else const&
};

// Parameter types, where a callable has one signature.
template <class... P>
struct parameters {
  static constexpr int count = sizeof...(P);
  template <std::size_t I>
  using type = std::tuple_element_t<I, std::tuple<P...>>;
};
struct unknown_parameters {
  static constexpr int count = -1;
};

template <class>
struct signature {
  using type = unknown_parameters;
};
template <class R, class... P>
struct signature<R (*)(P...)> {
  using type = parameters<P...>;
};
template <class R, class... P>
struct signature<R (*)(P...) noexcept> {
  using type = parameters<P...>;
};
template <class R, class C, class... P>
struct signature<R (C::*)(P...) const> {
  using type = parameters<P...>;
};
template <class R, class C, class... P>
struct signature<R (C::*)(P...) const noexcept> {
  using type = parameters<P...>;
};
template <class F>
struct parameters_of : signature<F> {};
template <class F>
  requires(std::is_class_v<F> && requires { &F::operator(); })
struct parameters_of<F> : signature<decltype(&F::operator())> {};

/// `Kept`: the argument is for further calls too, and may only be read or copied.
template <class P, class T, bool Kept>
constexpr passing passing_of() {
  if constexpr (Kept && !std::is_copy_constructible_v<T>) return passing::read;
  if constexpr (std::is_rvalue_reference_v<P> && !std::is_const_v<std::remove_reference_t<P>>) return passing::take;
  if constexpr (Kept || std::is_reference_v<P>) return passing::read;
  if constexpr (std::is_same_v<std::remove_cv_t<P>, T>) {
    return std::is_trivially_copyable_v<T> ? passing::read : passing::take;
  } else {
    return std::is_convertible_v<const T&, P> ? passing::read : passing::take;
  }
}

template <class F, class A, bool Once, std::size_t I, std::size_t Count>
constexpr passing passing_at() {
  using list = typename parameters_of<F>::type;
  using T = argument_value_t<A>;
  if constexpr (list::count == static_cast<int>(Count)) {
    return passing_of < typename list::template type<I>, T, !Once && !holds_handles < A >> ();
  } else if constexpr (holds_handles<A> && !handle<A>) {
    return passing::take;  // a container that was made for this call
  } else if constexpr ((!Once && !handle<A>) || std::is_trivially_copyable_v<T>) {
    return passing::read;
  } else {
    return passing::either;
  }
}

/// Results for functions of unknown signature that cannot read them are taken.
constexpr passing resolved(passing p, bool readable) { return p == passing::either && !readable ? passing::take : p; }

template <class T, passing How>
using passed_t = std::conditional_t<How == passing::take, T&&, const T&>;

/// All that follows from the function's type and the stored arguments' types. `Once`: the stored arguments serve one
/// call, and may be moved like results.
template <class F, bool Once, class Indices, class... A>
struct call_traits;

template <class F, bool Once, std::size_t... I, class... A>
struct call_traits<F, Once, std::index_sequence<I...>, A...> {
  static constexpr passing first[sizeof...(A) + 1] = {passing_at<F, A, Once, I, sizeof...(A)>()..., passing::read};
  static constexpr bool readable = std::is_invocable_v<const F&, passed_t<argument_value_t<A>, first[I]>...>;
  static constexpr passing how[sizeof...(A) + 1] = {resolved(first[I], readable)..., passing::read};
  static constexpr bool any_either = ((how[I] == passing::either) || ...);
  static constexpr bool invocable = std::is_invocable_v<const F&, passed_t<argument_value_t<A>, how[I]>...>;
  static_assert(
      invocable,
      "ashlar: the function of this task cannot be called with these arguments. Results of other tasks come as "
      "const T&, or as T&& where the function takes T or T&&; stored arguments as const T&. The function itself "
      "is called as const: a lambda may not be mutable.");
  using result = std::remove_cvref_t<std::invoke_result_t<const F&, passed_t<argument_value_t<A>, how[I]>...>>;
};

template <class F, bool Once, class... A>
using call_traits_of = call_traits<F, Once, std::index_sequence_for<A...>, A...>;

template <class T>
inline constexpr bool must_be_sole = !std::is_copy_constructible_v<T>;

/// Whether a call would move a stored argument that cannot be copied, and so could not be made again.
template <class F, class... A>
constexpr bool takes_uncopyable_argument() {
  return []<std::size_t... I>(std::index_sequence<I...>) {
    return ((call_traits_of<F, true, A...>::how[I] == passing::take && !holds_handles<A> && must_be_sole<A>) || ...);
  }(std::index_sequence_for<A...>{});
}

/// Where a handle's result or a stored argument lies.
template <class A, class Source>
input_slot slot_of(A& a, Source& source) {
  if constexpr (handle<std::remove_const_t<A>>) {
    return source.slot(a);
  } else if constexpr (std::is_const_v<A>) {
    return {const_cast<std::remove_const_t<A>*>(&a), false};  // it will only be read
  } else {
    return {&a, source.movable()};
  }
}

/// One argument during a call: a result or stored argument that is read, …
template <class A, passing How>
class bound_argument {
 public:
  template <class Stored, class Source>
  bound_argument(Stored& a, Source& source) : slot_(slot_of(a, source)) {}
  template <bool>
  const argument_value_t<A>& get() noexcept {
    return *static_cast<const argument_value_t<A>*>(slot_.value);
  }
  static constexpr bool sole() noexcept { return true; }

 private:
  input_slot slot_;
};

/// … one that is taken, …
template <class A>
  requires(handle<A> || !holds_handles<A>)
class bound_argument<A, passing::take> {
 public:
  template <class Stored, class Source>
  bound_argument(Stored& a, Source& source) : value_(slot_of(a, source)) {}
  template <bool>
  argument_value_t<A>&& get() noexcept {
    return value_.get();
  }
  static constexpr bool sole() noexcept { return true; }

 private:
  taken_value<argument_value_t<A>> value_;
};

/// … one that is the one or the other, …
template <class A>
  requires(handle<A> || !holds_handles<A>)
class bound_argument<A, passing::either> {
 public:
  template <class Stored, class Source>
  bound_argument(Stored& a, Source& source) : slot_(slot_of(a, source)) {}
  template <bool Take>
  decltype(auto) get() noexcept {
    auto* v = static_cast<argument_value_t<A>*>(slot_.value);
    if constexpr (Take) {
      return std::move(*v);
    } else {
      return std::as_const(*v);
    }
  }
  bool sole() const noexcept { return slot_.sole; }

 private:
  input_slot slot_;
};

/// … or a container, made for the call.
template <class A, passing How>
  requires(holds_handles<A> && !handle<A>)
class bound_argument<A, How> {
 public:
  template <class Source>
  bound_argument(const A& a, Source& source) : value_(task_argument<A>::make(a, source)) {}
  template <bool>
  passed_t<argument_value_t<A>, How> get() noexcept {
    return static_cast<passed_t<argument_value_t<A>, How>>(value_);
  }
  static constexpr bool sole() noexcept { return true; }

 private:
  argument_value_t<A> value_;
};

template <class Bound, std::size_t I>
struct bound_at {
  template <class Stored, class Source>
  bound_at(Stored& a, Source& source) : argument(a, source) {}
  Bound argument;
};

/// All arguments of one call, bound from first to last.
template <class Indices, class... Bound>
struct bound_arguments;
template <std::size_t... I, class... Bound>
struct bound_arguments<std::index_sequence<I...>, Bound...> : bound_at<Bound, I>... {
  template <class Arguments, class Source>
  bound_arguments([[maybe_unused]] Arguments& a, [[maybe_unused]] Source& source)
      : bound_at<Bound, I>(std::get<I>(a), source)... {}

  template <bool Take, class F>
  decltype(auto) call(const F& f) {
    return std::invoke(f, static_cast<bound_at<Bound, I>&>(*this).argument.template get<Take>()...);
  }
  bool sole() const noexcept { return (static_cast<const bound_at<Bound, I>&>(*this).argument.sole() && ...); }
};

/// Calls f with the stored arguments, handles replaced by what `source.slot(handle)` gives. With arguments that are not
/// const the call is the only one, and `source.movable()` says whether they may be moved.
template <class F, class... A, class Arguments, class Source>
auto call_stored(const F& f, Arguments& arguments, Source& source, const std::tuple<A...>*) {
  using traits = call_traits_of<F, !std::is_const_v<Arguments>, A...>;
  return [&]<std::size_t... I>(std::index_sequence<I...>) -> typename traits::result {
    bound_arguments<std::index_sequence<I...>, bound_argument<A, traits::how[I]>...> bound(arguments, source);
    if constexpr (traits::any_either) {
      if (bound.sole()) return bound.template call<true>(f);
    }
    return bound.template call<false>(f);
  }(std::index_sequence_for<A...>{});
}
template <class F, class Arguments, class Source>
auto call_task(const F& f, Arguments& arguments, Source& source) {
  return call_stored(f, arguments, source, &arguments);
}

/// Shows each handle in the arguments to visit(handle, must_be_sole): the latter where its result has to be moved.
template <class F, bool Once, class... A, class Visit>
void each_handle([[maybe_unused]] const std::tuple<A...>& arguments, Visit visit) {
  using traits = call_traits_of<F, Once, A...>;
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    [[maybe_unused]] const auto show = [&]<std::size_t K, class X>(const X& x) {
      constexpr bool moved = !handle<X> || traits::how[K] == passing::take;
      auto one = [&]<class H>(const H& h) { visit(h, moved && must_be_sole<typename task_handle<H>::value_type>); };
      task_argument<X>::each(x, one);
    };
    (show.template operator()<I>(std::get<I>(arguments)), ...);
  }(std::index_sequence_for<A...>{});
}

}  // namespace ashlar::detail
