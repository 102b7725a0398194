/// \file
/// Operators over arrays, expressions and numbers: arithmetic, comparison, logic.
#pragma once

#include <ashlar/array.hpp>
#include <ashlar/expression.hpp>

namespace ashlar {

/// Sum; logical or for bool. Integers wrap.
template <class A, class B, class Tag = detail::backend_tag>
  requires detail::operand_pair<A, B>
auto operator+(const A& a, const B& b) {
  return detail::binary<Tag>(detail::add_op{}, a, b);
}
/// Difference; not for bool.
template <class A, class B, class Tag = detail::backend_tag>
  requires detail::operand_pair<A, B>
auto operator-(const A& a, const B& b) {
  return detail::binary<Tag>(detail::subtract_op{}, a, b);
}
/// Product; logical and for bool.
template <class A, class B, class Tag = detail::backend_tag>
  requires detail::operand_pair<A, B>
auto operator*(const A& a, const B& b) {
  return detail::binary<Tag>(detail::multiply_op{}, a, b);
}
/// True division: integers give double.
template <class A, class B, class Tag = detail::backend_tag>
  requires detail::operand_pair<A, B>
auto operator/(const A& a, const B& b) {
  return detail::binary<Tag>(detail::divide_op{}, a, b);
}
/// Floor modulo: the result has the sign of the divisor. Integers modulo 0 give 0.
template <class A, class B, class Tag = detail::backend_tag>
  requires detail::operand_pair<A, B>
auto operator%(const A& a, const B& b) {
  return detail::binary<Tag>(detail::remainder_op{}, a, b);
}
template <lazy A, class Tag = detail::backend_tag>
auto operator-(const A& a) {
  return detail::make_expression<Tag>(detail::negative_op{}, a);
}
template <lazy A>
A operator+(const A& a) {
  return a;
}

/// Element-wise comparison, a bool array. Integers of both signs compare exactly.
template <class A, class B, class Tag = detail::backend_tag>
  requires detail::operand_pair<A, B>
auto operator==(const A& a, const B& b) {
  return detail::binary<Tag>(detail::compare_op<detail::equal_rule>{}, a, b);
}
template <class A, class B, class Tag = detail::backend_tag>
  requires detail::operand_pair<A, B>
auto operator!=(const A& a, const B& b) {
  return detail::binary<Tag>(detail::compare_op<detail::not_equal_rule>{}, a, b);
}
template <class A, class B, class Tag = detail::backend_tag>
  requires detail::operand_pair<A, B>
auto operator<(const A& a, const B& b) {
  return detail::binary<Tag>(detail::compare_op<detail::less_rule>{}, a, b);
}
template <class A, class B, class Tag = detail::backend_tag>
  requires detail::operand_pair<A, B>
auto operator<=(const A& a, const B& b) {
  return detail::binary<Tag>(detail::compare_op<detail::less_equal_rule>{}, a, b);
}
template <class A, class B, class Tag = detail::backend_tag>
  requires detail::operand_pair<A, B>
auto operator>(const A& a, const B& b) {
  return detail::binary<Tag>(detail::compare_op<detail::greater_rule>{}, a, b);
}
template <class A, class B, class Tag = detail::backend_tag>
  requires detail::operand_pair<A, B>
auto operator>=(const A& a, const B& b) {
  return detail::binary<Tag>(detail::compare_op<detail::greater_equal_rule>{}, a, b);
}

/// Element-wise logic: zero is false, everything else (NaN too) is true. Both sides are evaluated.
template <class A, class B, class Tag = detail::backend_tag>
  requires detail::operand_pair<A, B>
auto operator&&(const A& a, const B& b) {
  return detail::binary<Tag>(detail::logical_and_op{}, a, b);
}
template <class A, class B, class Tag = detail::backend_tag>
  requires detail::operand_pair<A, B>
auto operator||(const A& a, const B& b) {
  return detail::binary<Tag>(detail::logical_or_op{}, a, b);
}
template <lazy A, class Tag = detail::backend_tag>
auto operator!(const A& a) {
  return detail::make_expression<Tag>(detail::logical_not_op{}, a);
}

}  // namespace ashlar
