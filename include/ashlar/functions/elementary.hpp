/// \file
/// Roots, exponentials, logarithms, circular and hyperbolic functions.
#pragma once

#include <ashlar/array.hpp>
#include <ashlar/expression.hpp>

namespace ashlar {

/// @name Functions with at most 4 ulp of error (see docs/vector-math.md); sqrt, floor, ceil and rint are exact.
/// Integers and bool are computed in double.
/// @{
template <lazy A, class Tag = detail::backend_tag>
auto sqrt(const A& a) {
  return detail::make_expression<Tag>(detail::unary_function_op<detail::sqrt_function>{}, a);
}
template <lazy A, class Tag = detail::backend_tag>
auto exp(const A& a) {
  return detail::make_expression<Tag>(detail::unary_function_op<detail::exp_function>{}, a);
}
template <lazy A, class Tag = detail::backend_tag>
auto log(const A& a) {
  return detail::make_expression<Tag>(detail::unary_function_op<detail::log_function>{}, a);
}
template <lazy A, class Tag = detail::backend_tag>
auto log1p(const A& a) {
  return detail::make_expression<Tag>(detail::unary_function_op<detail::log1p_function>{}, a);
}
template <lazy A, class Tag = detail::backend_tag>
auto expm1(const A& a) {
  return detail::make_expression<Tag>(detail::unary_function_op<detail::expm1_function>{}, a);
}
template <lazy A, class Tag = detail::backend_tag>
auto sin(const A& a) {
  return detail::make_expression<Tag>(detail::unary_function_op<detail::sin_function>{}, a);
}
template <lazy A, class Tag = detail::backend_tag>
auto cos(const A& a) {
  return detail::make_expression<Tag>(detail::unary_function_op<detail::cos_function>{}, a);
}
template <lazy A, class Tag = detail::backend_tag>
auto tan(const A& a) {
  return detail::make_expression<Tag>(detail::unary_function_op<detail::tan_function>{}, a);
}
template <lazy A, class Tag = detail::backend_tag>
auto tanh(const A& a) {
  return detail::make_expression<Tag>(detail::unary_function_op<detail::tanh_function>{}, a);
}
/// @}

/// Angle of the point (x, y), in radians, with the signs of zeros honoured.
template <class A, class B, class Tag = detail::backend_tag>
  requires detail::operand_pair<A, B>
auto atan2(const A& y, const B& x) {
  return detail::binary<Tag>(detail::binary_function_op<detail::atan2_function>{}, y, x);
}
/// sqrt(a^2 + b^2) without overflow on the way.
template <class A, class B, class Tag = detail::backend_tag>
  requires detail::operand_pair<A, B>
auto hypot(const A& a, const B& b) {
  return detail::binary<Tag>(detail::binary_function_op<detail::hypot_function>{}, a, b);
}

}  // namespace ashlar
