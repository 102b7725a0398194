/// \file
/// How floating-point numbers are made up: signs, neighbours, exponents, whole and fractional parts. Integers and bool
/// are taken as double. For real numbers only.
#pragma once

#include <source_location>
#include <type_traits>
#include <utility>

#include <ashlar/array.hpp>
#include <ashlar/detail/float_ops.hpp>
#include <ashlar/expression.hpp>

namespace ashlar {

/// The magnitude of a with the sign of b; zeros and NaN have signs too.
template <class A, class B, class Tag = detail::backend_tag>
  requires detail::operand_pair<A, B>
auto copysign(const A& a, const B& b) {
  return detail::binary<Tag>(detail::copysign_op{}, a, b);
}
/// Whether the sign is minus; true for -0.0, and for a NaN with that bit.
template <lazy A, class Tag = detail::backend_tag>
auto signbit(const A& a) {
  return detail::make_expression<Tag>(detail::signbit_op{}, a);
}
/// The next number after `from` in the direction of `to`.
template <class A, class B, class Tag = detail::backend_tag>
  requires detail::operand_pair<A, B>
auto nextafter(const A& from, const B& to) {
  return detail::binary<Tag>(detail::nextafter_op{}, from, to);
}
/// The distance to the next number away from 0, negative for negative x; NaN for infinities.
template <lazy A, class Tag = detail::backend_tag>
auto spacing(const A& a) {
  return detail::make_expression<Tag>(detail::spacing_op{}, a);
}

/// x * 2^exponent, exact but for overflow and underflow. Exponents are integers of any type.
template <class A, class B, class Tag = detail::backend_tag>
  requires detail::operand_pair<A, B>
auto ldexp(const A& x, const B& exponent) {
  if constexpr (lazy<A> && lazy<B>) {
    return detail::make_expression<Tag>(detail::ldexp_op{}, x, exponent);
  } else if constexpr (lazy<A>) {
    static_assert(std::is_integral_v<B>, "ashlar: the exponents given to ldexp are integers; use x * exp2(e)");
    return detail::make_expression<Tag>(
        detail::ldexp_op{}, x, detail::scalar_operand<std::int64_t>{detail::index_item::narrow_index(exponent)});
  } else {
    return detail::make_expression<Tag>(detail::ldexp_op{}, detail::scalar_operand<double>{static_cast<double>(x)},
                                        exponent);
  }
}

/// Mantissa and exponent: x = m * 2^e with m in [0.5, 1), e int32. 0, infinities and NaN are m themselves, with e = 0.
/// @returns a pair of lazy arrays; computed together they read x once
template <lazy A, class Tag = detail::backend_tag>
auto frexp(const A& a, std::source_location where = std::source_location::current()) {
  const auto x = detail::as_array(a, where);
  return std::pair(detail::make_expression<Tag>(detail::mantissa_op{}, x),
                   detail::make_expression<Tag>(detail::exponent_op{}, x));
}

/// Fractional and whole part, both with the sign of x; of an infinity 0 and itself.
/// @returns a pair of lazy arrays; computed together they read x once
template <lazy A, class Tag = detail::backend_tag>
auto modf(const A& a, std::source_location where = std::source_location::current()) {
  const auto x = detail::as_array(a, where);
  return std::pair(detail::make_expression<Tag>(detail::fraction_op{}, x),
                   detail::make_expression<Tag>(detail::unary_function_op<detail::trunc_function>{}, x));
}

}  // namespace ashlar
