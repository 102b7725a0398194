/// \file
/// Arithmetic by name: division that rounds down, powers, magnitudes, signs.
#pragma once

#include <string>
#include <type_traits>

#include <ashlar/array.hpp>
#include <ashlar/expression.hpp>

namespace ashlar {

/// Magnitude; real for complex input. The lowest integer stays as it is, as in NumPy.
template <lazy A, class Tag = detail::backend_tag>
auto abs(const A& a) {
  return detail::make_expression<Tag>(detail::absolute_op{}, a);
}
template <lazy A, class Tag = detail::backend_tag>
auto square(const A& a) {
  return detail::make_expression<Tag>(detail::square_op{}, a);
}
/// -1, 0 or 1; NaN for NaN.
template <lazy A, class Tag = detail::backend_tag>
auto sign(const A& a) {
  return detail::make_expression<Tag>(detail::sign_op{}, a);
}

/// The largest integer not above the true quotient; the counterpart of %. Integers keep their type, divided by 0 they
/// give 0, as in NumPy.
template <class A, class B, class Tag = detail::backend_tag>
  requires detail::operand_pair<A, B>
auto floor_divide(const A& a, const B& b) {
  return detail::binary<Tag>(detail::floor_divide_op{}, a, b);
}

/// a to the power b. Integers to integer powers stay integers and wrap.
/// @throws value_error for integers to a negative integer power: at once for a number, in the run for an array
template <class A, class B, class Tag = detail::backend_tag>
  requires detail::operand_pair<A, B>
auto pow(const A& a, const B& b) {
  if constexpr (std::is_integral_v<typename detail::common_value<A, B>::type>) {
    if constexpr (!lazy<B> && std::is_signed_v<B>) {
      if (b < 0) {
        throw value_error("pow: integers to the power " + std::to_string(b) +
                          " are not integers; use astype<double>() on the array or a floating exponent");
      }
    }
    return detail::binary<Tag>(detail::integer_power_op{}, a, b);
  } else {
    return detail::binary<Tag>(detail::binary_function_op<detail::pow_function>{}, a, b);
  }
}

}  // namespace ashlar
