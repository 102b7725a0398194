/// \file
/// Summaries that are made of other reductions: ptp, moment, trace, average.
#pragma once

#include <source_location>
#include <string>
#include <type_traits>
#include <utility>

#include <ashlar/detail/nan_reducers.hpp>
#include <ashlar/detail/summary_ops.hpp>
#include <ashlar/error.hpp>
#include <ashlar/reductions.hpp>
#include <ashlar/views.hpp>

namespace ashlar {

namespace detail {

template <class Tag, class X>
auto ptp(const X& x, const axes& which, const reduce_options& o, std::source_location where) {
  using T = value_type_t<X>;
  require_order<X>();
  static_assert(!std::is_same_v<T, bool>, "ashlar: ptp is not defined for bool; use any() != all()");
  using Low = min_policy<kernel_type_t<T>>;
  using High = max_policy<kernel_type_t<T>>;
  const array<T> a = as_array(x, where);
  const auto low = reduce<T>(
      a, which, {&fold_reducer<Low, Tag>, &ptp_finisher<Low, Tag>, 0, o.keepdims, o.split_every, true}, where);
  const auto high = reduce<T>(
      a, which, {&fold_reducer<High, Tag>, &ptp_finisher<High, Tag>, 0, o.keepdims, o.split_every, true}, where);
  return array<T>(make_expression<Tag>(subtract_op{}, high, low), where);
}

template <class Tag, class X>
auto moment(const X& x, int order, const axes& which, const moment_options& o, std::source_location where) {
  using T = value_type_t<X>;
  static_assert(!is_std_complex<T>, "ashlar: moment is defined for real numbers");
  using K = kernel_type_t<T>;
  using Out = mean_t<T>;
  if (order < 0) throw value_error("moment: the order is " + std::to_string(order) + "; it is 0 or more");
  const array<T> a = as_array(x, where);
  const auto mean = reduce<double>(
      a, which, {&fold_reducer<mean_sum_policy<K>, Tag>, &moment_mean_finisher<Tag>, 0, true, o.split_every}, where);
  const auto power = make_expression<Tag>(central_power_op{}, a, mean, scalar_operand<std::int64_t>{order});
  return reduce<Out>(
      power, which,
      {&fold_reducer<sum_policy<double, double>, Tag>, &moment_finisher<Out, Tag>, o.ddof, o.keepdims, o.split_every},
      where);
}

template <class Tag, class X>
auto trace(const X& x, std::int64_t offset, std::int64_t axis1, std::int64_t axis2, std::source_location where) {
  using T = value_type_t<X>;
  return sum<Tag>(array<T>(make_diagonal(node_of(x, where), offset, axis1, axis2, where)), -1, {}, where);
}

/// Weights in the shape of x. One axis of weights stands along the reduced axis when there is only one.
/// @throws shape_error when they do not fit
inline node_ptr spread_weights(const node_ptr& x, node_ptr weights, const axes& which, std::source_location where) {
  const ashlar::shape& shape = x->shape;
  const axis_set set = normalize_axes(which, shape, "average");
  if (weights->shape.ndim() == 1 && set.count() == 1 && shape.ndim() > 1) {
    const int axis = set[0];
    if (weights->shape[0] != shape[axis]) {
      throw shape_error("average: " + std::to_string(weights->shape[0]) + " weights along axis " +
                        std::to_string(axis) + " of an array of shape " + shape.to_string() + "; that axis has " +
                        std::to_string(shape[axis]) + " elements");
    }
    std::vector<std::int64_t> others;
    for (int k = axis + 1; k < shape.ndim(); ++k) others.push_back(k - axis);
    if (!others.empty()) weights = make_expanded(weights, axes(std::span<const std::int64_t>(others)), where);
  }
  if (broadcast_shapes(shape, weights->shape, "average") != shape) {
    throw shape_error("average: weights of shape " + weights->shape.to_string() + " for an array of shape " +
                      shape.to_string() + "; they need that shape, or one that broadcasts to it");
  }
  return make_broadcast(weights, shape, where);
}

template <class T, class W>
using average_t = promote_t<mean_t<T>, W>;

/// Sum of x * w, and sum of w.
template <class Tag, class X, class W>
auto weighted_sums(const X& x, const W& weights, const axes& which, const reduce_options& o,
                   std::source_location where) {
  using A = accumulator_t<kernel_type_t<average_t<value_type_t<X>, value_type_t<W>>>>;
  using T = user_type_t<A>;
  const node_ptr a = node_of(x, where);
  const array<value_type_t<W>> w(spread_weights(a, node_of(weights, where), which, where));
  const reduction_spec spec{&fold_reducer<sum_policy<A, A>, Tag>, &average_finisher<A, Tag>, 0, o.keepdims,
                            o.split_every};
  return std::pair(reduce<T>(make_expression<Tag>(weighted_op<A>{}, array<value_type_t<X>>(a), w), which, spec, where),
                   reduce<T>(make_expression<Tag>(astype_op<A>{}, w), which, spec, where));
}

}  // namespace detail

/// The largest element minus the smallest, in the type of x: integers wrap. NaN where one is there.
/// @throws axis_error; shape_error over an axis without elements
template <lazy X, class Tag = detail::backend_tag>
auto ptp(const X& x, const axes& which = all_axes, const reduce_options& options = {},
         std::source_location where = std::source_location::current()) {
  return detail::ptp<Tag>(x, which, options, where);
}

/// The central moment of that order, sum (x - mean)^order / (N - ddof); integers give double. In double, and float32
/// rounded once. Cost: two passes; var() has the second moment in one.
/// @throws value_error for an order below 0; axis_error
template <lazy X, class Tag = detail::backend_tag>
auto moment(const X& x, int order, const axes& which = all_axes, const moment_options& options = {},
            std::source_location where = std::source_location::current()) {
  return detail::moment<Tag>(x, order, which, options, where);
}

/// Sum of the elements (i, i + offset) of two axes; types as sum. Reads the diagonal alone. @throws axis_error
template <lazy X, class Tag = detail::backend_tag>
auto trace(const X& x, std::int64_t offset = 0, std::int64_t axis1 = 0, std::int64_t axis2 = 1,
           std::source_location where = std::source_location::current()) {
  return detail::trace<Tag>(x, offset, axis1, axis2, where);
}

/// The mean with weights, sum (x * w) / sum (w). Weights have the shape of x, or one that broadcasts to it; along one
/// axis they may be a list of its length. Both sums are added in double, and the quotient is rounded to the promoted
/// type of x and weights (integers double). Where weights add up to 0 it is NaN or infinite. Cost: one pass.
/// @throws shape_error when the weights do not fit; axis_error
template <lazy X, lazy W, class Tag = detail::backend_tag>
auto average(const X& x, const W& weights, const axes& which = all_axes, const reduce_options& options = {},
             std::source_location where = std::source_location::current()) {
  using Out = detail::average_t<value_type_t<X>, value_type_t<W>>;
  const auto [total, weight] = detail::weighted_sums<Tag>(x, weights, which, options, where);
  return array<Out>(detail::make_expression<Tag>(detail::quotient_op<detail::kernel_type_t<Out>>{}, total, weight),
                    where);
}

/// Without weights it is the mean.
template <lazy X, class Tag = detail::backend_tag>
auto average(const X& x, const axes& which = all_axes, const reduce_options& options = {},
             std::source_location where = std::source_location::current()) {
  return detail::mean<Tag>(x, which, options, where);
}

/// average, and the sum of the weights behind each mean (NumPy's `returned`): a pair of arrays.
template <lazy X, lazy W, class Tag = detail::backend_tag>
auto average_and_weight(const X& x, const W& weights, const axes& which = all_axes, const reduce_options& options = {},
                        std::source_location where = std::source_location::current()) {
  using Out = detail::average_t<value_type_t<X>, value_type_t<W>>;
  using K = detail::kernel_type_t<Out>;
  const auto [total, weight] = detail::weighted_sums<Tag>(x, weights, which, options, where);
  return std::pair(array<Out>(detail::make_expression<Tag>(detail::quotient_op<K>{}, total, weight), where),
                   array<Out>(detail::make_expression<Tag>(detail::astype_op<K>{}, weight), where));
}

}  // namespace ashlar
