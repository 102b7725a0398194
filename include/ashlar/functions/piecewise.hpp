/// \file
/// A function made of pieces: piecewise(x, conditions, functions…).
#pragma once

#include <cstddef>
#include <string>
#include <type_traits>
#include <vector>

#include <ashlar/array.hpp>
#include <ashlar/detail/test_ops.hpp>
#include <ashlar/error.hpp>
#include <ashlar/functions/map.hpp>

namespace ashlar {

namespace detail {

/// A piece: a number, an array, or what a function makes of x; of the type of x.
template <class Tag, class T, class F>
array<T> piece(const array<T>& x, const F& f) {
  if constexpr (lazy<F>) {
    return array<T>(make_expression<Tag>(astype_op<kernel_type_t<T>>{}, f));
  } else if constexpr (weak_scalar<F>) {
    return array<T>(make_expression<Tag>(second_op{}, x, scalar_operand<T>{weak_cast<T>(f, "piecewise")}));
  } else {
    return array<T>(make_expression<Tag>(astype_op<kernel_type_t<T>>{}, map(f, x)));
  }
}

}  // namespace detail

/// For each condition a piece: a function of one element, a number, or an array. Where several conditions hold the last
/// one counts; where none does, the one piece more, if it is given, else 0. Pieces have the type of x:
/// `piecewise(x, {x < 0, x >= 1}, [](double v) { return -v; }, 1.0)`. Functions see every element (see map). Cost: one
/// pass.
/// @throws value_error when there are neither as many pieces as conditions nor one more; shape_error
template <lazy X, class... F, class Tag = detail::backend_tag>
array<value_type_t<X>> piecewise(const X& x, const std::vector<array<bool>>& conditions, const F&... pieces) {
  using T = value_type_t<X>;
  constexpr std::size_t count = sizeof...(F);
  if (conditions.empty() || (count != conditions.size() && count != conditions.size() + 1)) {
    throw value_error("piecewise: " + std::to_string(conditions.size()) + " conditions and " + std::to_string(count) +
                      " pieces; each condition has one piece, and one more may say what holds elsewhere");
  }
  const array<T> elements = detail::as_array(x, std::source_location{});
  const std::vector<array<T>> made{detail::piece<Tag, T>(elements, pieces)...};
  array<T> out = count > conditions.size() ? made.back() : detail::piece<Tag, T>(elements, T{});
  for (std::size_t k = 0; k < conditions.size(); ++k) {
    out = array<T>(detail::make_expression<Tag>(detail::where_op{}, conditions[k], made[k], out));
  }
  return out;
}

}  // namespace ashlar
