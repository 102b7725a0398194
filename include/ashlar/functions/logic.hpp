/// \file
/// Logic by name, and tests of elements. All give bool.
#pragma once

#include <source_location>
#include <vector>

#include <ashlar/array.hpp>
#include <ashlar/detail/test_ops.hpp>
#include <ashlar/expression.hpp>
#include <ashlar/reductions.hpp>

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
template <lazy A, class Tag = detail::backend_tag>
auto isposinf(const A& a) {
  return detail::make_expression<Tag>(detail::signed_infinity_op<true>{}, a);
}
template <lazy A, class Tag = detail::backend_tag>
auto isneginf(const A& a) {
  return detail::make_expression<Tag>(detail::signed_infinity_op<false>{}, a);
}

/// How near is near.
struct close_options {
  /// Relative to the magnitude of the second operand.
  double rtol = 1e-5;
  /// Beside that; what is compared with 0 needs it.
  double atol = 1e-8;
  /// Whether two NaN are close.
  bool equal_nan = false;
};

/// |a - b| <= atol + rtol * |b|, and equal infinities. `b` is the reference: the two sides are not alike. Integers are
/// compared in double.
template <class A, class B, class Tag = detail::backend_tag>
  requires detail::operand_pair<A, B>
auto isclose(const A& a, const B& b, const close_options& options = {}) {
  const detail::scalar_operand<double> relative{options.rtol};
  const detail::scalar_operand<double> absolute{options.atol};
  const detail::scalar_operand<bool> nan{options.equal_nan};
  if constexpr (lazy<A>) {
    return detail::make_expression<Tag>(detail::isclose_op{}, a, detail::beside<value_type_t<A>>(b, "isclose"),
                                        relative, absolute, nan);
  } else {
    return detail::make_expression<Tag>(detail::isclose_op{}, detail::beside<value_type_t<B>>(a, "isclose"), b,
                                        relative, absolute, nan);
  }
}

/// Whether isclose holds everywhere: a 0-d bool, true for nothing. Cost: one pass.
template <class A, class B, class Tag = detail::backend_tag>
  requires detail::operand_pair<A, B>
auto allclose(const A& a, const B& b, const close_options& options = {},
              std::source_location where = std::source_location::current()) {
  return detail::all<Tag>(isclose<A, B, Tag>(a, b, options), all_axes, {}, where);
}

/// Whether an element equals one of `values`; NaN equals nothing. For short lists: cost is linear in their length, 8 of
/// them to an operation.
template <lazy A, class Tag = detail::backend_tag>
array<bool> isin(const A& a, const std::vector<value_type_t<A>>& values,
                 std::source_location where = std::source_location::current()) {
  using T = value_type_t<A>;
  const array<T> x = detail::as_array(a, where);
  array<bool> found(detail::make_expression<Tag>(detail::isin_op{}, x), where);
  for (std::size_t i = 0; i < values.size(); i += 8) {
    const auto value = [&](std::size_t k) {
      return detail::scalar_operand<T>{values[i + k < values.size() ? i + k : values.size() - 1]};
    };
    const array<bool> here(detail::make_expression<Tag>(detail::isin_op{}, x, value(0), value(1), value(2), value(3),
                                                        value(4), value(5), value(6), value(7)),
                           where);
    found = i == 0 ? here : array<bool>(detail::binary<Tag>(detail::logical_or_op{}, found, here), where);
  }
  return found;
}

}  // namespace ashlar
