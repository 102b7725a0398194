/// \file
/// Choice between elements: extrema of two, limits, conditions.
#pragma once

#include <ashlar/array.hpp>
#include <ashlar/expression.hpp>

namespace ashlar {

/// The smaller of both; NaN wins.
template <class A, class B, class Tag = detail::backend_tag>
  requires detail::operand_pair<A, B>
auto minimum(const A& a, const B& b) {
  return detail::binary<Tag>(detail::minimum_op{}, a, b);
}
/// The larger of both; NaN wins.
template <class A, class B, class Tag = detail::backend_tag>
  requires detail::operand_pair<A, B>
auto maximum(const A& a, const B& b) {
  return detail::binary<Tag>(detail::maximum_op{}, a, b);
}

/// Elements below `low` become `low`, above `high` become `high`; NaN stays. minimum(maximum(x, low), high), so `high`
/// wins where low > high, as in NumPy.
template <lazy X, operand L, operand H, class Tag = detail::backend_tag>
auto clip(const X& x, const L& low, const H& high) {
  return detail::binary<Tag>(detail::clip_high_op{}, detail::binary<Tag>(detail::clip_low_op{}, x, low), high);
}

/// `a` where `condition` is not zero, else `b`.
template <lazy C, operand A, operand B, class Tag = detail::backend_tag>
auto where(const C& condition, const A& a, const B& b) {
  if constexpr (lazy<A>) {
    return detail::make_expression<Tag>(detail::where_op{}, condition, a, detail::beside<value_type_t<A>>(b, "where"));
  } else if constexpr (lazy<B>) {
    return detail::make_expression<Tag>(detail::where_op{}, condition, detail::beside<value_type_t<B>>(a, "where"), b);
  } else {
    static_assert(element<A> && element<B>, "ashlar: where of two numbers takes element types");
    using T = promote_t<A, B>;  // as for two arrays
    return detail::make_expression<Tag>(detail::where_op{}, condition, detail::scalar_operand<T>{static_cast<T>(a)},
                                        detail::scalar_operand<T>{static_cast<T>(b)});
  }
}

}  // namespace ashlar
