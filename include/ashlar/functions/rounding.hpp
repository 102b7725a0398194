/// \file
/// Rounding to whole numbers, or to digits. It leaves integers and bool as they are.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#include <ashlar/array.hpp>
#include <ashlar/detail/composed_ops.hpp>
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

/// 10 to the power |decimals|, negative for decimals below 0.
inline double decimal_scale(int decimals) {
  double scale = 1;
  for (std::int64_t d = decimals < 0 ? -std::int64_t{decimals} : decimals;
       d > 0 && scale < std::numeric_limits<double>::infinity(); --d) {
    scale *= 10;
  }
  return decimals < 0 ? -scale : scale;
}

/// 10 to the power `digits`, 0 when 64 bits cannot hold it.
inline std::uint64_t decimal_unit(int digits) {
  std::uint64_t unit = 1;
  for (; digits > 0; --digits) {
    if (unit > std::numeric_limits<std::uint64_t>::max() / 10) return 0;
    unit *= 10;
  }
  return unit;
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
/// Towards 0.
template <lazy A, class Tag = detail::backend_tag>
auto trunc(const A& a) {
  return detail::rounding<Tag, detail::trunc_function>(a);
}
template <lazy A, class Tag = detail::backend_tag>
auto fix(const A& a) {
  return detail::rounding<Tag, detail::trunc_function>(a);
}

/// To `decimals` digits behind the point, ties to even; negative ones round to tens, hundreds and so on, integers too.
/// By NumPy's way, rint(x * 10^decimals) / 10^decimals, so that a number that is a tie in decimal alone may go either
/// way: round(0.285, 2) is 0.28. Numbers too large to have digits there stay as they are; parts of complex numbers are
/// rounded by themselves.
template <lazy A, class Tag = detail::backend_tag>
auto round(const A& a, int decimals = 0) {
  using T = value_type_t<A>;
  if constexpr (std::is_same_v<T, bool>) {
    return detail::make_expression<Tag>(detail::astype_op<T>{}, a);
  } else if constexpr (std::is_integral_v<T>) {
    return detail::make_expression<Tag>(detail::round_integer_op{}, a,
                                        detail::scalar_operand<std::uint64_t>{detail::decimal_unit(-decimals)});
  } else {
    return detail::make_expression<Tag>(detail::round_op{}, a,
                                        detail::scalar_operand<T>{static_cast<T>(detail::decimal_scale(decimals))});
  }
}
template <lazy A, class Tag = detail::backend_tag>
auto around(const A& a, int decimals = 0) {
  return round<A, Tag>(a, decimals);
}

}  // namespace ashlar
