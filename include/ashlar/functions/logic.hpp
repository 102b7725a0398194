/// \file
/// Logic by name, and tests of floating-point numbers. All give bool.
#pragma once

#include <ashlar/array.hpp>
#include <ashlar/expression.hpp>

namespace ashlar {

/// Named forms of &&, ||, !=-as-exclusive-or and !.
template <class A, class B, class Tag = detail::backend_tag>
  requires detail::operand_pair<A, B>
auto logical_and(const A& a, const B& b) {
  return detail::binary<Tag>(detail::logical_and_op{}, a, b);
}
template <class A, class B, class Tag = detail::backend_tag>
  requires detail::operand_pair<A, B>
auto logical_or(const A& a, const B& b) {
  return detail::binary<Tag>(detail::logical_or_op{}, a, b);
}
template <class A, class B, class Tag = detail::backend_tag>
  requires detail::operand_pair<A, B>
auto logical_xor(const A& a, const B& b) {
  return detail::binary<Tag>(detail::logical_xor_op{}, a, b);
}
template <lazy A, class Tag = detail::backend_tag>
auto logical_not(const A& a) {
  return detail::make_expression<Tag>(detail::logical_not_op{}, a);
}

template <lazy A, class Tag = detail::backend_tag>
auto isnan(const A& a) {
  return detail::make_expression<Tag>(detail::isnan_op{}, a);
}
template <lazy A, class Tag = detail::backend_tag>
auto isfinite(const A& a) {
  return detail::make_expression<Tag>(detail::isfinite_op{}, a);
}

template <lazy A, class Tag = detail::backend_tag>
auto isinf(const A& a) {
  return detail::make_expression<Tag>(detail::isinf_op{}, a);
}

}  // namespace ashlar
