/// \file
/// Roots, exponentials, logarithms, circular and hyperbolic functions. Integers and bool are computed in double. At
/// most 4 ulp of error (docs/vector-math.md), but for logaddexp and sinc, which say theirs; sqrt is exact. Complex
/// numbers have std's functions; cbrt, log1p, expm1 and what takes two arrays, pow aside, are for real numbers. Angles
/// are in radians.
///
/// Inverses have two names, as in NumPy: arcsin and asin are one function.
#pragma once

#include <ashlar/array.hpp>
#include <ashlar/detail/composed_ops.hpp>
#include <ashlar/expression.hpp>

namespace ashlar {

/// @name Roots, exponentials and logarithms
/// @{
template <lazy A, class Tag = detail::backend_tag>
auto sqrt(const A& a) {
  return detail::make_expression<Tag>(detail::unary_function_op<detail::sqrt_function>{}, a);
}
template <lazy A, class Tag = detail::backend_tag>
auto cbrt(const A& a) {
  return detail::make_expression<Tag>(detail::unary_function_op<detail::cbrt_function>{}, a);
}
template <lazy A, class Tag = detail::backend_tag>
auto exp(const A& a) {
  return detail::make_expression<Tag>(detail::unary_function_op<detail::exp_function>{}, a);
}
/// 2 to the power x.
template <lazy A, class Tag = detail::backend_tag>
auto exp2(const A& a) {
  return detail::make_expression<Tag>(detail::unary_function_op<detail::exp2_function>{}, a);
}
/// exp(x) - 1 without loss for small x.
template <lazy A, class Tag = detail::backend_tag>
auto expm1(const A& a) {
  return detail::make_expression<Tag>(detail::unary_function_op<detail::expm1_function>{}, a);
}
template <lazy A, class Tag = detail::backend_tag>
auto log(const A& a) {
  return detail::make_expression<Tag>(detail::unary_function_op<detail::log_function>{}, a);
}
template <lazy A, class Tag = detail::backend_tag>
auto log2(const A& a) {
  return detail::make_expression<Tag>(detail::unary_function_op<detail::log2_function>{}, a);
}
template <lazy A, class Tag = detail::backend_tag>
auto log10(const A& a) {
  return detail::make_expression<Tag>(detail::unary_function_op<detail::log10_function>{}, a);
}
/// log(1 + x) without loss for small x.
template <lazy A, class Tag = detail::backend_tag>
auto log1p(const A& a) {
  return detail::make_expression<Tag>(detail::unary_function_op<detail::log1p_function>{}, a);
}
/// @}

/// log(exp(a) + exp(b)) without overflow on the way. Within 16 ulp of the larger of operand and result.
template <class A, class B, class Tag = detail::backend_tag>
  requires detail::operand_pair<A, B>
auto logaddexp(const A& a, const B& b) {
  return detail::binary<Tag>(detail::logaddexp_op<false>{}, a, b);
}
/// log2(2^a + 2^b) without overflow on the way. As near as logaddexp.
template <class A, class B, class Tag = detail::backend_tag>
  requires detail::operand_pair<A, B>
auto logaddexp2(const A& a, const B& b) {
  return detail::binary<Tag>(detail::logaddexp_op<true>{}, a, b);
}

/// @name Circular functions
/// @{
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
/// In [-pi/2, pi/2]; NaN outside [-1, 1].
template <lazy A, class Tag = detail::backend_tag>
auto arcsin(const A& a) {
  return detail::make_expression<Tag>(detail::unary_function_op<detail::asin_function>{}, a);
}
template <lazy A, class Tag = detail::backend_tag>
auto asin(const A& a) {
  return detail::make_expression<Tag>(detail::unary_function_op<detail::asin_function>{}, a);
}
/// In [0, pi]; NaN outside [-1, 1].
template <lazy A, class Tag = detail::backend_tag>
auto arccos(const A& a) {
  return detail::make_expression<Tag>(detail::unary_function_op<detail::acos_function>{}, a);
}
template <lazy A, class Tag = detail::backend_tag>
auto acos(const A& a) {
  return detail::make_expression<Tag>(detail::unary_function_op<detail::acos_function>{}, a);
}
/// In [-pi/2, pi/2].
template <lazy A, class Tag = detail::backend_tag>
auto arctan(const A& a) {
  return detail::make_expression<Tag>(detail::unary_function_op<detail::atan_function>{}, a);
}
template <lazy A, class Tag = detail::backend_tag>
auto atan(const A& a) {
  return detail::make_expression<Tag>(detail::unary_function_op<detail::atan_function>{}, a);
}
/// @}

/// Angle of the point (x, y), in [-pi, pi], with the signs of zeros honoured.
template <class A, class B, class Tag = detail::backend_tag>
  requires detail::operand_pair<A, B>
auto arctan2(const A& y, const B& x) {
  return detail::binary<Tag>(detail::binary_function_op<detail::atan2_function>{}, y, x);
}
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
/// sin(pi x) / (pi x), 1 at 0; exactly 0 at all other whole numbers, where NumPy has some 1e-17. Within 6 ulp.
template <lazy A, class Tag = detail::backend_tag>
auto sinc(const A& a) {
  return detail::make_expression<Tag>(detail::sinc_op{}, a);
}

/// Degrees to radians, x * (pi / 180).
template <lazy A, class Tag = detail::backend_tag>
auto deg2rad(const A& a) {
  return detail::make_expression<Tag>(detail::deg2rad_op{}, a,
                                      detail::scalar_operand<double>{0.0174532925199432957692});
}
template <lazy A, class Tag = detail::backend_tag>
auto radians(const A& a) {
  return deg2rad<A, Tag>(a);
}
/// Radians to degrees, x * (180 / pi).
template <lazy A, class Tag = detail::backend_tag>
auto rad2deg(const A& a) {
  return detail::make_expression<Tag>(detail::rad2deg_op{}, a, detail::scalar_operand<double>{57.2957795130823208768});
}
template <lazy A, class Tag = detail::backend_tag>
auto degrees(const A& a) {
  return rad2deg<A, Tag>(a);
}

/// @name Hyperbolic functions
/// @{
template <lazy A, class Tag = detail::backend_tag>
auto sinh(const A& a) {
  return detail::make_expression<Tag>(detail::unary_function_op<detail::sinh_function>{}, a);
}
template <lazy A, class Tag = detail::backend_tag>
auto cosh(const A& a) {
  return detail::make_expression<Tag>(detail::unary_function_op<detail::cosh_function>{}, a);
}
template <lazy A, class Tag = detail::backend_tag>
auto tanh(const A& a) {
  return detail::make_expression<Tag>(detail::unary_function_op<detail::tanh_function>{}, a);
}
template <lazy A, class Tag = detail::backend_tag>
auto arcsinh(const A& a) {
  return detail::make_expression<Tag>(detail::unary_function_op<detail::asinh_function>{}, a);
}
template <lazy A, class Tag = detail::backend_tag>
auto asinh(const A& a) {
  return detail::make_expression<Tag>(detail::unary_function_op<detail::asinh_function>{}, a);
}
/// NaN below 1.
template <lazy A, class Tag = detail::backend_tag>
auto arccosh(const A& a) {
  return detail::make_expression<Tag>(detail::unary_function_op<detail::acosh_function>{}, a);
}
template <lazy A, class Tag = detail::backend_tag>
auto acosh(const A& a) {
  return detail::make_expression<Tag>(detail::unary_function_op<detail::acosh_function>{}, a);
}
/// NaN outside [-1, 1].
template <lazy A, class Tag = detail::backend_tag>
auto arctanh(const A& a) {
  return detail::make_expression<Tag>(detail::unary_function_op<detail::atanh_function>{}, a);
}
template <lazy A, class Tag = detail::backend_tag>
auto atanh(const A& a) {
  return detail::make_expression<Tag>(detail::unary_function_op<detail::atanh_function>{}, a);
}
/// @}

}  // namespace ashlar
