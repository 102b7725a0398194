/// \file
/// Reductions that pass NaN over: nansum, nanprod, nanmean, nanvar, nanstd, nanmin, nanmax, nanargmin, nanargmax.
///
/// Types, options and order of combination are those of the reductions without nan (reductions.hpp), which they are for
/// integers and bool. A complex number is NaN when one of its parts is. Each is one pass, and several of them over the
/// same data and axes share it.
#pragma once

#include <source_location>
#include <type_traits>

#include <ashlar/detail/nan_reducers.hpp>
#include <ashlar/reductions.hpp>

namespace ashlar {

namespace detail {

/// x with NaN replaced by `by`, as an array that several reductions can share.
template <class Tag, class X>
auto without_nan(const X& x, value_type_t<X> by, std::source_location where) {
  using T = value_type_t<X>;
  return array<T>(make_expression<Tag>(replace_nan_op{}, as_array(x, where), scalar_operand<T>{by}), where);
}

template <class Tag, class X>
auto nansum(const X& x, const axes& which, const reduce_options& o, std::source_location where) {
  using T = value_type_t<X>;
  if constexpr (std::is_integral_v<T>) {
    return sum<Tag>(x, which, o, where);
  } else {
    using K = kernel_type_t<T>;
    using A = accumulator_t<K>;
    return reduce<T>(without_nan<Tag>(x, T{}, where), which,
                     {&fold_reducer<sum_policy<K, A>, Tag>, &nansum_finisher<A, K, Tag>, 0, o.keepdims, o.split_every},
                     where);
  }
}

template <class Tag, class X>
auto nanprod(const X& x, const axes& which, const reduce_options& o, std::source_location where) {
  using T = value_type_t<X>;
  if constexpr (std::is_integral_v<T>) {
    return prod<Tag>(x, which, o, where);
  } else {
    using K = kernel_type_t<T>;
    using A = accumulator_t<K>;
    return reduce<T>(
        without_nan<Tag>(x, T{1}, where), which,
        {&fold_reducer<product_policy<K, A>, Tag>, &nanprod_finisher<A, K, Tag>, 0, o.keepdims, o.split_every}, where);
  }
}

template <class Tag, class X>
auto nanmean(const X& x, const axes& which, const reduce_options& o, std::source_location where) {
  using T = value_type_t<X>;
  if constexpr (std::is_integral_v<T>) {
    return mean<Tag>(x, which, o, where);
  } else {
    using K = kernel_type_t<T>;
    using A = accumulator_t<K>;
    const array<T> a = as_array(x, where);
    const auto total = reduce<user_type_t<A>>(
        without_nan<Tag>(a, T{}, where), which,
        {&fold_reducer<sum_policy<K, A>, Tag>, &nanmean_sum_finisher<A, Tag>, 0, o.keepdims, o.split_every}, where);
    const auto count = reduce<std::int64_t>(
        make_expression<Tag>(is_number_op{}, a), which,
        {&fold_reducer<count_policy<bool>, Tag>, &nanmean_count_finisher<Tag>, 0, o.keepdims, o.split_every}, where);
    return array<T>(make_expression<Tag>(quotient_op<K>{}, total, count), where);
  }
}

template <class Tag, class X>
auto nanvar(const X& x, const axes& which, const moment_options& o, std::source_location where) {
  using Out = typename real_part<value_type_t<X>>::type;
  return reduce<Out>(
      x, which,
      {&nan_moments_reducer<reduced_kernel_t<X>, Tag>, &nanvar_finisher<Out, Tag>, o.ddof, o.keepdims, o.split_every},
      where);
}

template <class Tag, class X>
auto nanstd(const X& x, const axes& which, const moment_options& o, std::source_location where) {
  using Out = typename real_part<value_type_t<X>>::type;
  return reduce<Out>(
      x, which,
      {&nan_moments_reducer<reduced_kernel_t<X>, Tag>, &nanstd_finisher<Out, Tag>, o.ddof, o.keepdims, o.split_every},
      where);
}

template <class Tag, class P, class X>
auto nan_extremum(const X& x, const axes& which, const reduce_options& o, std::source_location where) {
  require_order<X>();
  return reduce<value_type_t<X>>(
      x, which, {&fold_reducer<P, Tag>, &extremum_finisher<P, Tag>, 0, o.keepdims, o.split_every, true}, where);
}

template <class Tag, class X>
auto nanmin(const X& x, const axes& which, const reduce_options& o, std::source_location where) {
  return nan_extremum<Tag, nanmin_policy<reduced_kernel_t<X>>>(x, which, o, where);
}

template <class Tag, class X>
auto nanmax(const X& x, const axes& which, const reduce_options& o, std::source_location where) {
  return nan_extremum<Tag, nanmax_policy<reduced_kernel_t<X>>>(x, which, o, where);
}

template <class Tag, bool Max, class X>
auto nanarg(const X& x, const axes& which, const reduce_options& o, std::source_location where) {
  require_order<X>();
  if constexpr (std::is_integral_v<value_type_t<X>>) {
    return arg<Tag, Max>(x, which, o, where);
  } else {
    require_one_axis(which, x.shape(), Max ? "nanargmax" : "nanargmin");
    using P = nanarg_policy<reduced_kernel_t<X>, Max>;
    return reduce<std::int64_t>(
        x, which, {&fold_reducer<P, Tag>, &nanarg_finisher<Max>, 0, o.keepdims, o.split_every, true}, where);
  }
}

template <class Tag, class X>
auto nanargmin(const X& x, const axes& which, const reduce_options& o, std::source_location where) {
  return nanarg<Tag, false>(x, which, o, where);
}

template <class Tag, class X>
auto nanargmax(const X& x, const axes& which, const reduce_options& o, std::source_location where) {
  return nanarg<Tag, true>(x, which, o, where);
}

}  // namespace detail

/// Sum of what is not NaN; 0 where all is. Types and accuracy as sum. @throws axis_error
template <lazy X, class Tag = detail::backend_tag>
auto nansum(const X& x, const axes& which = all_axes, const reduce_options& options = {},
            std::source_location where = std::source_location::current()) {
  return detail::nansum<Tag>(x, which, options, where);
}

/// Product of what is not NaN; 1 where all is. @throws axis_error
template <lazy X, class Tag = detail::backend_tag>
auto nanprod(const X& x, const axes& which = all_axes, const reduce_options& options = {},
             std::source_location where = std::source_location::current()) {
  return detail::nanprod<Tag>(x, which, options, where);
}

/// Mean of what is not NaN; NaN where all is. Types as mean. @throws axis_error
template <lazy X, class Tag = detail::backend_tag>
auto nanmean(const X& x, const axes& which = all_axes, const reduce_options& options = {},
             std::source_location where = std::source_location::current()) {
  return detail::nanmean<Tag>(x, which, options, where);
}

/// Variance of the n elements that are not NaN; NaN where n - ddof is 0 or less. By merged moments, as var.
/// @throws axis_error
template <lazy X, class Tag = detail::backend_tag>
auto nanvar(const X& x, const axes& which = all_axes, const moment_options& options = {},
            std::source_location where = std::source_location::current()) {
  return detail::nanvar<Tag>(x, which, options, where);
}

/// The square root of nanvar. @throws axis_error
template <lazy X, class Tag = detail::backend_tag>
auto nanstd(const X& x, const axes& which = all_axes, const moment_options& options = {},
            std::source_location where = std::source_location::current()) {
  return detail::nanstd<Tag>(x, which, options, where);
}

/// Smallest element that is not NaN; NaN where all are. @throws axis_error; shape_error over an axis without elements
template <lazy X, class Tag = detail::backend_tag>
auto nanmin(const X& x, const axes& which = all_axes, const reduce_options& options = {},
            std::source_location where = std::source_location::current()) {
  return detail::nanmin<Tag>(x, which, options, where);
}

/// Largest element that is not NaN; NaN where all are. @throws axis_error; shape_error over an axis without elements
template <lazy X, class Tag = detail::backend_tag>
auto nanmax(const X& x, const axes& which = all_axes, const reduce_options& options = {},
            std::source_location where = std::source_location::current()) {
  return detail::nanmax<Tag>(x, which, options, where);
}

/// Index (int64) of the first smallest element that is not NaN, along one axis or in the flattened array. Of [NaN, inf]
/// it is 1, where NumPy says 0.
/// @throws axis_error; shape_error over an axis without elements; in the run task_error around a value_error for a
/// slice
///         of nothing but NaN
template <lazy X, class Tag = detail::backend_tag>
auto nanargmin(const X& x, const axes& which = all_axes, const reduce_options& options = {},
               std::source_location where = std::source_location::current()) {
  return detail::nanargmin<Tag>(x, which, options, where);
}

/// Index (int64) of the first largest element that is not NaN; as nanargmin.
template <lazy X, class Tag = detail::backend_tag>
auto nanargmax(const X& x, const axes& which = all_axes, const reduce_options& options = {},
               std::source_location where = std::source_location::current()) {
  return detail::nanargmax<Tag>(x, which, options, where);
}

}  // namespace ashlar
