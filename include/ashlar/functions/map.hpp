/// \file
/// Conversion of elements, and functions of your own.
#pragma once

#include <type_traits>
#include <utility>

#include <ashlar/array.hpp>
#include <ashlar/expression.hpp>
#include <ashlar/function.hpp>

namespace ashlar {

/// Every element converted to To.
template <element To, lazy A, class Tag = detail::backend_tag>
auto astype(const A& a) {
  return a.template astype<To, Tag>();
}

/// The user's own function, element by element: `map([](double x) { return x > 0 ? x : 0; }, a)`. It is compiled into
/// the loop, vectorises with its surroundings, and may run on any thread, in any order, and more than once for an
/// element; it must not depend on anything that changes. What it throws ends the run as the cause of a task_error.
/// Where it can run on a device is told in function.hpp.
template <class F, operand... A, class Tag = detail::backend_tag>
  requires((lazy<A> || ...))
auto map(F f, const A&... a) {
  constexpr bool callable = std::is_invocable_v<const F&, value_type_t<A>...>;
  static_assert(callable,
                "ashlar: map(f, a, ...) calls f with one element of each array; f must be callable so, as const");
  using R = std::remove_cvref_t<typename std::conditional_t<callable, std::invoke_result<const F&, value_type_t<A>...>,
                                                            std::type_identity<double>>::type>;
  static_assert(element<R>,
                "ashlar: the function given to map must return an element type (bool, an integer, float, "
                "double, std::complex)");
  static_assert(std::is_copy_constructible_v<F>, "ashlar: the function given to map must be copyable");
  if constexpr (callable && element<R> && std::is_copy_constructible_v<F>) {
    return detail::make_expression<Tag>(detail::user_op<F>{std::move(f)}, [](const auto& x) {
      if constexpr (lazy<decltype(x)>) {
        return x;
      } else {
        return detail::scalar_operand<std::remove_cvref_t<decltype(x)>>{x};
      }
    }(a)...);
  }
}

}  // namespace ashlar
