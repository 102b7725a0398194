/// \file
/// Linear algebra: norms.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <source_location>
#include <string>

#include <ashlar/array.hpp>
#include <ashlar/detail/summary_ops.hpp>
#include <ashlar/error.hpp>
#include <ashlar/reductions.hpp>

/// Linear algebra.
namespace ashlar::linalg {

/// Options of norm.
struct norm_options {
  /// 2 when left out, which over all elements is the Frobenius norm. 1 is the sum of magnitudes, infinity and -infinity
  /// the largest and the smallest, 0 the number of elements that are not zero, any other p (sum |x|^p)^(1/p).
  std::optional<double> ord = {};
  bool keepdims = false;
  int split_every = 8;
};

namespace detail {

namespace impl = ashlar::detail;

template <class Tag>
array<double> fold(const array<double>& a, const axes& which, const norm_options& o, double ord,
                   std::source_location where) {
  const reduce_options options{o.keepdims, o.split_every};
  return ord > 0 ? impl::max<Tag>(a, which, options, where) : impl::min<Tag>(a, which, options, where);
}

/// The norm of magnitudes, or of their squares where ord is 2.
template <class Tag>
array<double> norm(const array<double>& a, const axes& which, const norm_options& o, double ord,
                   std::source_location where) {
  const reduce_options options{o.keepdims, o.split_every};
  const axis_set set = normalize_axes(which, a.shape(), "norm");
  bool nothing = false;
  for (const int axis : set) nothing = nothing || a.shape()[axis] == 0;
  if (std::isinf(ord) && (ord < 0 || !nothing)) return fold<Tag>(a, which, o, ord, where);
  if (ord == 0) {
    return array<double>(
        impl::make_expression<Tag>(impl::astype_op<double>{}, impl::count_nonzero<Tag>(a, which, options, where)),
        where);
  }
  using power = impl::binary_function_op<impl::pow_function>;
  const auto number = [](double v) { return impl::scalar_operand<double>{v}; };
  const bool plain = ord == 1 || ord == 2 || std::isinf(ord);
  const array<double> terms = plain ? a : array<double>(impl::make_expression<Tag>(power{}, a, number(ord)), where);
  array<double> total = impl::sum<Tag>(terms, which, options, where);
  if (ord == 1 || std::isinf(ord)) return total;
  if (ord == 2) {
    return array<double>(impl::make_expression<Tag>(impl::unary_function_op<impl::sqrt_function>{}, total), where);
  }
  return array<double>(impl::make_expression<Tag>(power{}, total, number(1 / ord)), where);
}

#if defined(ASHLAR_SEPARATE)
// Compiled once, in src/ashlar.cpp: it has four reducers in it.
extern template array<double> norm<ashlar::detail::host_backend>(const array<double>&, const axes&, const norm_options&,
                                                                 double, std::source_location);
#endif

}  // namespace detail

/// The norm of the elements along the given axes, as of one vector, whatever the number of axes. Real: float32 and
/// complex64 give float32, all else double. Sums are added in double. The 2-norm squares in double, so of doubles
/// beyond 1e±154 it overflows or loses digits, as NumPy's does; float32 does not. Cost: one pass.
/// @throws axis_error; value_error for a NaN as order; shape_error for the order -infinity of nothing
template <lazy X, class Tag = ashlar::detail::backend_tag>
auto vector_norm(const X& x, const axes& which = all_axes, const norm_options& options = {},
                 std::source_location where = std::source_location::current()) {
  namespace impl = ashlar::detail;
  using Out = typename impl::real_part<value_type_t<X>>::type;
  const double ord = options.ord.value_or(2);
  if (std::isnan(ord)) throw value_error("norm: the order is NaN; it is a number, or an infinity");
  const auto a = impl::as_array(x, where);
  const array<double> terms = ord == 2
                                  ? array<double>(impl::make_expression<Tag>(impl::square_magnitude_op{}, a), where)
                                  : array<double>(impl::make_expression<Tag>(impl::magnitude_op{}, a), where);
  array<double> result = detail::norm<Tag>(terms, which, options, ord, where);
  if constexpr (std::is_same_v<Out, double>) {
    return result;
  } else {
    return array<Out>(impl::make_expression<Tag>(impl::astype_op<Out>{}, result), where);
  }
}

/// NumPy's norm: of a vector, or along one axis, of any order; of all elements, or along two axes, the Frobenius norm.
/// As vector_norm else.
/// @throws value_error for an order over several axes, which would be a norm of matrices
template <lazy X, class Tag = ashlar::detail::backend_tag>
auto norm(const X& x, const axes& which = all_axes, const norm_options& options = {},
          std::source_location where = std::source_location::current()) {
  const ashlar::shape shape = x.shape();
  const int count = normalize_axes(which, shape, "norm").count();
  if (options.ord && count > 1) {
    throw value_error("norm: order " + std::to_string(*options.ord) + " over " + std::to_string(count) +
                      " axes of an array of shape " + shape.to_string() +
                      " would be a norm of matrices; give one axis, no order (the Frobenius norm), or use vector_norm");
  }
  return vector_norm<X, Tag>(x, which, options, where);
}

}  // namespace ashlar::linalg
