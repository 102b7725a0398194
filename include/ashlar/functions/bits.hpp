/// \file
/// Operations on the bits of integers and bool. Types are those of arithmetic; floating-point numbers do not compile.
/// In C++ & binds weaker than ==: write `(x & 1) == 0`.
#pragma once

#include <ashlar/array.hpp>
#include <ashlar/detail/bit_ops.hpp>
#include <ashlar/expression.hpp>

namespace ashlar {

/// @name And, or, exclusive or
/// Of bool they are the logical ones.
/// @{
template <class A, class B, class Tag = detail::backend_tag>
  requires detail::operand_pair<A, B>
auto operator&(const A& a, const B& b) {
  return detail::binary<Tag>(detail::bit_op<detail::bitwise_and_rule>{}, a, b);
}
template <class A, class B, class Tag = detail::backend_tag>
  requires detail::operand_pair<A, B>
auto bitwise_and(const A& a, const B& b) {
  return detail::binary<Tag>(detail::bit_op<detail::bitwise_and_rule>{}, a, b);
}
template <class A, class B, class Tag = detail::backend_tag>
  requires detail::operand_pair<A, B>
auto operator|(const A& a, const B& b) {
  return detail::binary<Tag>(detail::bit_op<detail::bitwise_or_rule>{}, a, b);
}
template <class A, class B, class Tag = detail::backend_tag>
  requires detail::operand_pair<A, B>
auto bitwise_or(const A& a, const B& b) {
  return detail::binary<Tag>(detail::bit_op<detail::bitwise_or_rule>{}, a, b);
}
template <class A, class B, class Tag = detail::backend_tag>
  requires detail::operand_pair<A, B>
auto operator^(const A& a, const B& b) {
  return detail::binary<Tag>(detail::bit_op<detail::bitwise_xor_rule>{}, a, b);
}
template <class A, class B, class Tag = detail::backend_tag>
  requires detail::operand_pair<A, B>
auto bitwise_xor(const A& a, const B& b) {
  return detail::binary<Tag>(detail::bit_op<detail::bitwise_xor_rule>{}, a, b);
}
/// @}

/// @name All bits turned
/// Of bool the opposite.
/// @{
template <lazy A, class Tag = detail::backend_tag>
auto operator~(const A& a) {
  return detail::make_expression<Tag>(detail::invert_op{}, a);
}
template <lazy A, class Tag = detail::backend_tag>
auto invert(const A& a) {
  return detail::make_expression<Tag>(detail::invert_op{}, a);
}
template <lazy A, class Tag = detail::backend_tag>
auto bitwise_not(const A& a) {
  return detail::make_expression<Tag>(detail::invert_op{}, a);
}
/// @}

/// @name Shifts
/// Defined for every count. Counts of as many bits as the type has, or more, and negative ones, give 0; x >> n of a
/// negative x gives -1 then. bool shifted by bool is int8.
/// @{
template <class A, class B, class Tag = detail::backend_tag>
  requires detail::operand_pair<A, B>
auto operator<<(const A& x, const B& n) {
  return detail::binary<Tag>(detail::shift_op<detail::left_shift_rule>{}, x, n);
}
template <class A, class B, class Tag = detail::backend_tag>
  requires detail::operand_pair<A, B>
auto left_shift(const A& x, const B& n) {
  return detail::binary<Tag>(detail::shift_op<detail::left_shift_rule>{}, x, n);
}
template <class A, class B, class Tag = detail::backend_tag>
  requires detail::operand_pair<A, B>
auto operator>>(const A& x, const B& n) {
  return detail::binary<Tag>(detail::shift_op<detail::right_shift_rule>{}, x, n);
}
template <class A, class B, class Tag = detail::backend_tag>
  requires detail::operand_pair<A, B>
auto right_shift(const A& x, const B& n) {
  return detail::binary<Tag>(detail::shift_op<detail::right_shift_rule>{}, x, n);
}
/// @}

}  // namespace ashlar
