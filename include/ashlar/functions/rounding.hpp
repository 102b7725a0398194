/// \file
/// Rounding to whole numbers. It leaves integers and bool as they are.
#pragma once

#include <type_traits>

#include <ashlar/array.hpp>
#include <ashlar/expression.hpp>

namespace ashlar {

namespace detail {

/// Rounding leaves integers and bool as they are.
template <class Tag, class F, class A>
auto rounding(const A& a) {
  using T = value_type_t<A>;
  if constexpr (std::is_integral_v<T>) {
    return make_expression<Tag>(astype_op<T>{}, a);
  } else {
    return make_expression<Tag>(unary_function_op<F>{}, a);
  }
}

}  // namespace detail

template <lazy A, class Tag = detail::backend_tag>
auto floor(const A& a) {
  return detail::rounding<Tag, detail::floor_function>(a);
}
template <lazy A, class Tag = detail::backend_tag>
auto ceil(const A& a) {
  return detail::rounding<Tag, detail::ceil_function>(a);
}
/// To the nearest integer, ties to even.
template <lazy A, class Tag = detail::backend_tag>
auto rint(const A& a) {
  return detail::rounding<Tag, detail::rint_function>(a);
}

}  // namespace ashlar
