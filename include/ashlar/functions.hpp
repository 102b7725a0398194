/// \file
/// Element-wise operators and functions over arrays, expressions and numbers. Each gives an expression; nothing is
/// computed. Numbers are weak: they take the array's type when it can hold them (float32 * 2.0 stays float32), an
/// integer that it cannot hold is a dtype_error. Shapes broadcast; shapes that do not are a shape_error that names
/// both.
#pragma once

#include <type_traits>
#include <utility>

#include <ashlar/array.hpp>
#include <ashlar/expression.hpp>
#include <ashlar/function.hpp>

namespace ashlar {

// --- operators ---

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
/// The largest integer not above the true quotient; the counterpart of %. Integers keep their type, divided by 0 they
/// give 0, as in NumPy.
template <class A, class B, class Tag = detail::backend_tag>
  requires detail::operand_pair<A, B>
auto floor_divide(const A& a, const B& b) {
  return detail::binary<Tag>(detail::floor_divide_op{}, a, b);
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

// --- functions of one array ---

/// Magnitude; real for complex input. The lowest integer stays as it is, as in NumPy.
template <lazy A, class Tag = detail::backend_tag>
auto abs(const A& a) {
  return detail::make_expression<Tag>(detail::absolute_op{}, a);
}
template <lazy A, class Tag = detail::backend_tag>
auto square(const A& a) {
  return detail::make_expression<Tag>(detail::square_op{}, a);
}
/// -1, 0 or 1; NaN for NaN.
template <lazy A, class Tag = detail::backend_tag>
auto sign(const A& a) {
  return detail::make_expression<Tag>(detail::sign_op{}, a);
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

/// Parts of complex numbers; of real ones `real` and `conj` are the number itself and `imag` is 0.
template <lazy A, class Tag = detail::backend_tag>
auto real(const A& a) {
  return detail::make_expression<Tag>(detail::real_op{}, a);
}
template <lazy A, class Tag = detail::backend_tag>
auto imag(const A& a) {
  return detail::make_expression<Tag>(detail::imag_op{}, a);
}
template <lazy A, class Tag = detail::backend_tag>
auto conj(const A& a) {
  return detail::make_expression<Tag>(detail::conj_op{}, a);
}

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

// --- functions of several arrays ---

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

/// Every element converted to To.
template <element To, lazy A, class Tag = detail::backend_tag>
auto astype(const A& a) {
  return a.template astype<To, Tag>();
}

/// The user's own function, element by element: `map([](double x) { return x > 0 ? x : 0; }, a)`. It is compiled into
/// the loop, vectorises with its surroundings, and may run on any thread, in any order, and more than once for an
/// element; it must not depend on anything that changes. What it throws ends the run as the cause of a task_error.
/// Where it can run on a device is told in function.hpp.
template <class F, operand... A, class Tag = detail::backend_tag>
  requires((lazy<A> || ...))
auto map(F f, const A&... a) {
  constexpr bool callable = std::is_invocable_v<const F&, value_type_t<A>...>;
  static_assert(callable,
                "ashlar: map(f, a, ...) calls f with one element of each array; f must be callable so, as const");
  using R = std::remove_cvref_t<typename std::conditional_t<callable, std::invoke_result<const F&, value_type_t<A>...>,
                                                            std::type_identity<double>>::type>;
  static_assert(element<R>,
                "ashlar: the function given to map must return an element type (bool, an integer, float, "
                "double, std::complex)");
  static_assert(std::is_copy_constructible_v<F>, "ashlar: the function given to map must be copyable");
  if constexpr (callable && element<R> && std::is_copy_constructible_v<F>) {
    return detail::make_expression<Tag>(detail::user_op<F>{std::move(f)}, [](const auto& x) {
      if constexpr (lazy<decltype(x)>) {
        return x;
      } else {
        return detail::scalar_operand<std::remove_cvref_t<decltype(x)>>{x};
      }
    }(a)...);
  }
}

}  // namespace ashlar
