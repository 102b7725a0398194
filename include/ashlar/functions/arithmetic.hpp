/// \file
/// Arithmetic by name: whole quotients and remainders, powers, magnitudes, signs.
#pragma once

#include <source_location>
#include <string>
#include <type_traits>
#include <utility>

#include <ashlar/array.hpp>
#include <ashlar/detail/composed_ops.hpp>
#include <ashlar/detail/float_ops.hpp>
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
/// Magnitude of real numbers as floating-point numbers.
template <lazy A, class Tag = detail::backend_tag>
auto fabs(const A& a) {
  return detail::make_expression<Tag>(detail::fabs_op{}, a);
}
/// 1 / x in the type of x: of integers other than 1 and -1 it is 0.
template <lazy A, class Tag = detail::backend_tag>
auto reciprocal(const A& a) {
  return detail::make_expression<Tag>(detail::reciprocal_op{}, a);
}
/// +x by name.
template <lazy A, class Tag = detail::backend_tag>
auto positive(const A& a) {
  return detail::make_expression<Tag>(detail::positive_op{}, a);
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

/// a % b by name: the result has the sign of the divisor.
template <class A, class B, class Tag = detail::backend_tag>
  requires detail::operand_pair<A, B>
auto remainder(const A& a, const B& b) {
  return detail::binary<Tag>(detail::remainder_op{}, a, b);
}
template <class A, class B, class Tag = detail::backend_tag>
  requires detail::operand_pair<A, B>
auto mod(const A& a, const B& b) {
  return detail::binary<Tag>(detail::remainder_op{}, a, b);
}
/// The remainder of division towards zero: the result has the sign of a. Integers by 0 give 0.
template <class A, class B, class Tag = detail::backend_tag>
  requires detail::operand_pair<A, B>
auto fmod(const A& a, const B& b) {
  return detail::binary<Tag>(detail::fmod_op{}, a, b);
}
/// floor_divide and remainder.
/// @returns a pair of lazy arrays; computed together they read their operands once
template <class A, class B, class Tag = detail::backend_tag>
  requires detail::operand_pair<A, B>
auto divmod(const A& a, const B& b, std::source_location where = std::source_location::current()) {
  const auto x = detail::as_array(a, where);
  const auto y = detail::as_array(b, where);
  return std::pair(detail::binary<Tag>(detail::floor_divide_op{}, x, y),
                   detail::binary<Tag>(detail::remainder_op{}, x, y));
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
template <class A, class B, class Tag = detail::backend_tag>
  requires detail::operand_pair<A, B>
auto power(const A& a, const B& b) {
  return pow<A, B, Tag>(a, b);
}

/// a to the power b in double, or complex128, whatever the operands: integers and float32 too.
template <class A, class B, class Tag = detail::backend_tag>
  requires detail::operand_pair<A, B>
auto float_power(const A& a, const B& b) {
  using R = promote_t<double, typename detail::common_value<A, B>::type>;
  return detail::make_expression<Tag>(detail::float_power_op{}, detail::number_as<R>(a), detail::number_as<R>(b));
}

}  // namespace ashlar
