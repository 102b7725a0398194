/// \file
/// Choice between elements: extrema of two, limits, conditions. All alternatives are evaluated everywhere.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <source_location>
#include <string>
#include <type_traits>
#include <vector>

#include <ashlar/array.hpp>
#include <ashlar/detail/composed_ops.hpp>
#include <ashlar/detail/float_ops.hpp>
#include <ashlar/detail/test_ops.hpp>
#include <ashlar/error.hpp>
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

/// The smaller of both; a number wins over NaN.
template <class A, class B, class Tag = detail::backend_tag>
  requires detail::operand_pair<A, B>
auto fmin(const A& a, const B& b) {
  return detail::binary<Tag>(detail::fmin_op{}, a, b);
}
/// The larger of both; a number wins over NaN.
template <class A, class B, class Tag = detail::backend_tag>
  requires detail::operand_pair<A, B>
auto fmax(const A& a, const B& b) {
  return detail::binary<Tag>(detail::fmax_op{}, a, b);
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

/// What nan_to_num puts in place of numbers that are not finite.
struct nan_to_num_options {
  double nan = 0;
  /// The largest number of the type when left out.
  std::optional<double> posinf = {};
  /// The lowest number of the type when left out.
  std::optional<double> neginf = {};
};

/// NaN and infinities replaced by numbers, in complex numbers each part for itself. Integers and bool stay as they are.
template <lazy X, class Tag = detail::backend_tag>
auto nan_to_num(const X& x, const nan_to_num_options& options = {}) {
  using T = value_type_t<X>;
  if constexpr (std::is_integral_v<T>) {
    static_cast<void>(options);
    return detail::make_expression<Tag>(detail::astype_op<T>{}, x);
  } else {
    using R = typename detail::real_part<T>::type;
    using limits = std::numeric_limits<R>;
    const auto number = [](double v) { return detail::scalar_operand<R>{static_cast<R>(v)}; };
    return detail::make_expression<Tag>(detail::nan_to_num_op{}, x, number(options.nan),
                                        number(options.posinf.value_or(static_cast<double>(limits::max()))),
                                        number(options.neginf.value_or(static_cast<double>(limits::lowest()))));
  }
}

/// The choice of the first condition that holds, `otherwise` where none does: `select<double>({x < 0, x > 1}, {-x, x *
/// x}, 0)`. Everything broadcasts. Cost: one pass; linear in the number of conditions.
/// @throws value_error when there are no conditions, or not as many choices; shape_error
template <element T, class Tag = detail::backend_tag>
array<T> select(const std::vector<array<bool>>& conditions, const std::vector<array<T>>& choices,
                std::type_identity_t<T> otherwise = {}, std::source_location where = std::source_location::current()) {
  if (conditions.empty() || conditions.size() != choices.size()) {
    throw value_error("select: " + std::to_string(conditions.size()) + " conditions and " +
                      std::to_string(choices.size()) + " choices; each condition has one choice, and there is one");
  }
  std::size_t k = conditions.size() - 1;
  array<T> out(
      detail::make_expression<Tag>(detail::where_op{}, conditions[k], choices[k], detail::scalar_operand<T>{otherwise}),
      where);
  while (k-- > 0)
    out = array<T>(detail::make_expression<Tag>(detail::where_op{}, conditions[k], choices[k], out), where);
  return out;
}

/// What choose does with an index outside the choices: raise is an error of the run, wrap counts around, clip takes the
/// nearest choice.
enum class choose_mode : std::uint8_t { raise, wrap, clip };

/// Options of choose.
struct choose_options {
  choose_mode mode = choose_mode::raise;
};

/// The element of the index-th choice: `choose<double>(index, {a, b, c})`. Everything broadcasts. Cost: one pass;
/// linear in the number of choices.
/// @throws value_error without choices; shape_error; in the run task_error around an index_error that names the index
template <element T, lazy I, class Tag = detail::backend_tag>
array<T> choose(const I& index, const std::vector<array<T>>& choices, const choose_options& options = {},
                std::source_location where = std::source_location::current()) {
  if (choices.empty()) throw value_error("choose: no choices are given; one or more are needed");
  const array<std::int64_t> which(
      detail::make_expression<Tag>(
          detail::choose_index_op{}, index,
          detail::scalar_operand<std::int64_t>{static_cast<std::int64_t>(choices.size())},
          detail::scalar_operand<std::int8_t>{static_cast<std::int8_t>(static_cast<int>(options.mode))}),
      where);
  array<T> out = choices.back();
  for (std::size_t k = choices.size() == 1 ? 1 : choices.size() - 1; k-- > 0;) {
    const detail::scalar_operand<std::int64_t> number{static_cast<std::int64_t>(k)};
    out = array<T>(
        detail::make_expression<Tag>(
            detail::where_op{}, detail::make_expression<Tag>(detail::compare_op<detail::equal_rule>{}, which, number),
            choices[k], out),
        where);
  }
  return out;
}

}  // namespace ashlar
