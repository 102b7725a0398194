/// \file
/// Linear algebra: norms of vectors, and those of matrices that need no singular values.
#pragma once

#include <charconv>
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

/// Which norm: a number, or fro or nuc.
class norm_order {
 public:
  enum class sort : std::uint8_t { number, frobenius, nuclear };

  constexpr norm_order(double p) noexcept : p_(p) {}
  explicit constexpr norm_order(sort kind) noexcept : p_(2), kind_(kind) {}

  constexpr sort kind() const noexcept { return kind_; }
  constexpr double p() const noexcept { return p_; }  ///< 2 where it is no number.

  /// "fro", "nuc", or the number.
  std::string to_string() const {
    if (kind_ != sort::number) return kind_ == sort::frobenius ? "fro" : "nuc";
    char text[32];
    return std::string(text, std::to_chars(text, text + sizeof text, p_).ptr);
  }

 private:
  double p_;
  sort kind_ = sort::number;
};

/// Of matrices: the square root of the sum of squared magnitudes (Frobenius norm).
inline constexpr norm_order fro{norm_order::sort::frobenius};
/// Of matrices: the sum of singular values (nuclear norm), which norm refuses.
inline constexpr norm_order nuc{norm_order::sort::nuclear};

/// Options of norm.
struct norm_options {
  /// 2 when left out, which over all elements is the Frobenius norm. Of vectors 1 is the sum of magnitudes, infinity
  /// and -infinity the largest and the smallest, 0 the number of elements that are not zero, any other p (sum
  /// |x|^p)^(1/p). Of matrices 1 and -1 are the largest and the smallest sum of magnitudes of a column, infinity and
  /// -infinity those of a row.
  std::optional<norm_order> ord = {};
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

/// The largest or smallest norm of the rows or columns, 1-norms, of matrices of magnitudes.
template <class Tag>
array<double> matrix_norm(const array<double>& a, const axes& which, const norm_options& o, double ord,
                          std::source_location where) {
  const bool columns = std::abs(ord) == 1;
  const int rows_axis = normalize_axis(which.all() ? 0 : which[0], a.shape(), "norm");
  const int columns_axis = normalize_axis(which.all() ? 1 : which[1], a.shape(), "norm");
  const norm_options kept{{}, true, o.split_every};
  const array<double> sums = norm<Tag>(a, columns ? rows_axis : columns_axis, kept, 1, where);
  const double infinity = std::numeric_limits<double>::infinity();
  const array<double> most =
      norm<Tag>(sums, columns ? columns_axis : rows_axis, kept, ord > 0 ? infinity : -infinity, where);
  return o.keepdims ? most : array<double>(impl::make_squeezed(most.node(), axes{rows_axis, columns_axis}, where));
}

template <class Tag, class X>
auto magnitudes(const X& x, bool squared, std::source_location where) {
  const auto a = impl::as_array(x, where);
  return squared ? array<double>(impl::make_expression<Tag>(impl::square_magnitude_op{}, a), where)
                 : array<double>(impl::make_expression<Tag>(impl::magnitude_op{}, a), where);
}

/// Norms of T are real, and not wider than T.
template <class T, class Tag>
auto in_type_of(const array<double>& result, std::source_location where) {
  using Out = typename impl::real_part<T>::type;
  if constexpr (std::is_same_v<Out, double>) {
    return result;
  } else {
    return array<Out>(impl::make_expression<Tag>(impl::astype_op<Out>{}, result), where);
  }
}

}  // namespace detail

/// The norm of the elements along the given axes, as of one vector, whatever the number of axes. Real: float32 and
/// complex64 give float32, all else double. Sums are added in double. The 2-norm squares in double, so of doubles
/// beyond 1e±154 it overflows or loses digits, as NumPy's does; float32 does not. Cost: one pass.
/// @throws axis_error; value_error for a NaN as order, or a norm of matrices; shape_error for the order -infinity of
///         nothing
template <lazy X, class Tag = ashlar::detail::backend_tag>
auto vector_norm(const X& x, const axes& which = all_axes, const norm_options& options = {},
                 std::source_location where = std::source_location::current()) {
  const norm_order order = options.ord.value_or(2);
  if (order.kind() != norm_order::sort::number) {
    throw value_error("norm: " + order.to_string() + " is a norm of matrices, not of vectors; give a number");
  }
  const double ord = order.p();
  if (std::isnan(ord)) throw value_error("norm: the order is NaN; it is a number, or an infinity");
  return detail::in_type_of<value_type_t<X>, Tag>(
      detail::norm<Tag>(detail::magnitudes<Tag>(x, ord == 2, where), which, options, ord, where), where);
}

/// NumPy's norm: of a vector, or along one axis, of any order; of all elements, or along two axes, the Frobenius norm;
/// of matrices, along two axes (rows, columns) or of an array of two, of order fro, 1, -1, infinity or -infinity. As
/// vector_norm else.
/// @throws value_error for nuc, 2 and -2 of matrices, which need singular values; for other orders of matrices and an
///         order over more axes; shape_error for the smallest sum where there is none; as vector_norm
template <lazy X, class Tag = ashlar::detail::backend_tag>
auto norm(const X& x, const axes& which = all_axes, const norm_options& options = {},
          std::source_location where = std::source_location::current()) {
  const ashlar::shape shape = x.shape();
  const int count = normalize_axes(which, shape, "norm").count();
  using sort = norm_order::sort;
  norm_options o = options;
  if (options.ord && count > 1) {
    const std::string call = "norm: order " + options.ord->to_string() + " over " + std::to_string(count) +
                             " axes of an array of shape " + shape.to_string();
    if (count > 2) throw value_error(call + " is no norm; name one axis, or two for matrices, or use vector_norm");
    const double ord = options.ord->p();
    if (options.ord->kind() == sort::nuclear || (options.ord->kind() == sort::number && std::abs(ord) == 2)) {
      throw value_error(call +
                        " is made of singular values of matrices, which are not computed here; of matrices there are "
                        "fro, 1, -1, infinity and -infinity, and vector_norm takes the elements as one vector");
    }
    if (options.ord->kind() == sort::number) {
      if (std::abs(ord) != 1 && !std::isinf(ord)) {
        throw value_error(call +
                          " is no norm of matrices, which have fro, 1, -1, infinity and -infinity; vector_norm takes "
                          "the elements as one vector");
      }
      return detail::in_type_of<value_type_t<X>, Tag>(
          detail::matrix_norm<Tag>(detail::magnitudes<Tag>(x, false, where), which, options, ord, where), where);
    }
    o.ord = {};
  }
  return vector_norm<X, Tag>(x, which, o, where);
}

}  // namespace ashlar::linalg
