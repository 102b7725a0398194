/// \file
/// Reductions: sum, prod, mean, var, std, min, max, any, all, argmin, argmax, count_nonzero.
///
/// Each gives a lazy array; `x.mean(0)` and `mean(x, 0)` are the same. Several reductions of the same data over the
/// same axes in one compute() share one pass. The order of combination is fixed by position (see graph/reducer.hpp):
/// the same program gives the same bits on any number of workers, for every split_every. Error of a sum of n terms:
/// about 21 + log2(n / 512) roundings.
#pragma once

#include <source_location>
#include <utility>

#include <ashlar/detail/reducers.hpp>
#include <ashlar/expression.hpp>
#include <ashlar/graph/make_node.hpp>

#if defined(__CUDACC__)
#include <ashlar/detail/device_fused.hpp>
#endif

namespace ashlar {

/// Options of a reduction.
struct reduce_options {
  /// Leaves the reduced axes in place with extent 1.
  bool keepdims = false;
  /// Blocks that one task merges, a power of two. Changes speed and memory, never a bit of the result.
  int split_every = 8;
};

/// Options of var and std.
struct moment_options {
  /// The divisor is N - ddof. N - ddof = 0 gives inf or NaN, below 0 NaN.
  double ddof = 0;
  bool keepdims = false;
  int split_every = 8;
};

namespace detail {

template <class Out, class X>
array<Out> reduce(const X& x, const axes& which, const reduction_spec& spec, std::source_location where) {
  if constexpr (is_array<X>) {
    return array<Out>(make_reduction(x.node(), which, spec, where));
  } else {
    return array<Out>(make_reduction(x.node(where), which, spec, where));
  }
}

/// As reduce(), and says how a device reduces an expression by policy P without storing its values.
template <class Out, class P, class Tag, class X>
array<Out> reduce_fused(const X& x, const axes& which, reduction_spec spec, std::source_location where) {
#if defined(__CUDACC__)
  if constexpr (!is_array<X>) {
    using K = typename bind<0, X>::type;
    if constexpr (has_device_entry<K>() && device_inputs<K> > 0 && is_cheap<K>::value) {
      spec.fused = &fused_passes<K, P, Tag>;
    }
  }
#endif
  return reduce<Out>(x, which, spec, where);
}

template <class X>
using reduced_kernel_t = kernel_type_t<value_type_t<X>>;

/// The result type of sum and prod: bool and signed integers int64, unsigned ones uint64, others as they are.
template <class T>
using total_t =
    std::conditional_t<std::is_integral_v<T>,
                       std::conditional_t<sizeof(T) == 8, T,
                                          std::conditional_t<std::is_unsigned_v<T> && !std::is_same_v<T, bool>,
                                                             std::uint64_t, std::int64_t>>,
                       T>;

/// The result type of mean: integers double.
template <class T>
using mean_t = std::conditional_t<std::is_integral_v<T>, double, T>;

template <class T>
struct real_part {
  using type = mean_t<T>;
};
template <class T>
struct real_part<std::complex<T>> {
  using type = T;
};

template <class Tag, class X>
auto sum(const X& x, const axes& which, const reduce_options& o, std::source_location where) {
  using K = reduced_kernel_t<X>;
  using Out = total_t<value_type_t<X>>;
  using A = accumulator_t<K>;
  return reduce_fused<Out, sum_policy<K, A>, Tag>(
      x, which,
      {&fold_reducer<sum_policy<K, A>, Tag>, &sum_finisher<A, kernel_type_t<Out>, Tag>, 0, o.keepdims, o.split_every},
      where);
}

template <class Tag, class X>
auto prod(const X& x, const axes& which, const reduce_options& o, std::source_location where) {
  using K = reduced_kernel_t<X>;
  using Out = total_t<value_type_t<X>>;
  using A = accumulator_t<K>;
  return reduce<Out>(x, which,
                     {&fold_reducer<product_policy<K, A>, Tag>, &product_finisher<A, kernel_type_t<Out>, Tag>, 0,
                      o.keepdims, o.split_every},
                     where);
}

template <class Tag, class X>
auto mean(const X& x, const axes& which, const reduce_options& o, std::source_location where) {
  using K = reduced_kernel_t<X>;
  using Out = mean_t<value_type_t<X>>;
  using P = mean_sum_policy<K>;
  return reduce_fused<Out, P, Tag>(
      x, which,
      {&fold_reducer<P, Tag>, &mean_finisher<typename P::state, kernel_type_t<Out>, Tag>, 0, o.keepdims, o.split_every},
      where);
}

template <class Tag, class X>
auto var(const X& x, const axes& which, const moment_options& o, std::source_location where) {
  using Out = typename real_part<value_type_t<X>>::type;
  return reduce_fused<Out, moments_policy<reduced_kernel_t<X>>, Tag>(
      x, which,
      {&moments_reducer<reduced_kernel_t<X>, Tag>, &var_finisher<Out, Tag>, o.ddof, o.keepdims, o.split_every}, where);
}

template <class Tag, class X>
auto std(const X& x, const axes& which, const moment_options& o, std::source_location where) {
  using Out = typename real_part<value_type_t<X>>::type;
  return reduce_fused<Out, moments_policy<reduced_kernel_t<X>>, Tag>(
      x, which,
      {&moments_reducer<reduced_kernel_t<X>, Tag>, &std_finisher<Out, Tag>, o.ddof, o.keepdims, o.split_every}, where);
}

template <class X>
constexpr void require_order() {
  static_assert(!is_complex<reduced_kernel_t<X>>,
                "ashlar: complex numbers have no order; reduce abs(x), or real and imaginary parts");
}

template <class Tag, class X>
auto min(const X& x, const axes& which, const reduce_options& o, std::source_location where) {
  require_order<X>();
  using P = min_policy<reduced_kernel_t<X>>;
  return reduce_fused<value_type_t<X>, P, Tag>(
      x, which, {&fold_reducer<P, Tag>, &extremum_finisher<P, Tag>, 0, o.keepdims, o.split_every, true}, where);
}

template <class Tag, class X>
auto max(const X& x, const axes& which, const reduce_options& o, std::source_location where) {
  require_order<X>();
  using P = max_policy<reduced_kernel_t<X>>;
  return reduce_fused<value_type_t<X>, P, Tag>(
      x, which, {&fold_reducer<P, Tag>, &extremum_finisher<P, Tag>, 0, o.keepdims, o.split_every, true}, where);
}

template <class Tag, class X>
auto any(const X& x, const axes& which, const reduce_options& o, std::source_location where) {
  using P = any_policy<reduced_kernel_t<X>>;
  return reduce<bool>(x, which, {&fold_reducer<P, Tag>, &plain_finisher<P, Tag>, 0, o.keepdims, o.split_every}, where);
}

template <class Tag, class X>
auto all(const X& x, const axes& which, const reduce_options& o, std::source_location where) {
  using P = all_policy<reduced_kernel_t<X>>;
  return reduce<bool>(x, which, {&fold_reducer<P, Tag>, &plain_finisher<P, Tag>, 0, o.keepdims, o.split_every}, where);
}

template <class Tag, class X>
auto count_nonzero(const X& x, const axes& which, const reduce_options& o, std::source_location where) {
  using P = count_policy<reduced_kernel_t<X>>;
  return reduce<std::int64_t>(x, which, {&fold_reducer<P, Tag>, &plain_finisher<P, Tag>, 0, o.keepdims, o.split_every},
                              where);
}

/// @throws axis_error for several axes that are not all: an index along them would not be one number.
inline void require_one_axis(const axes& which, const ashlar::shape& shape, const char* call) {
  const int n = normalize_axes(which, shape, call).count();
  if (n > 1 && n < shape.ndim()) {
    throw axis_error(std::string(call) + ": axes " + which.to_string() + " of an array with shape " +
                     shape.to_string() + "; give one axis, or none for the position in the flattened array");
  }
}

template <class Tag, bool Max, class X>
auto arg(const X& x, const axes& which, const reduce_options& o, std::source_location where) {
  require_order<X>();
  require_one_axis(which, x.shape(), Max ? "argmax" : "argmin");
  using P = arg_policy<reduced_kernel_t<X>, Max>;
  return reduce<std::int64_t>(
      x, which, {&fold_reducer<P, Tag>, &arg_finisher<Max, Tag>, 0, o.keepdims, o.split_every, true}, where);
}

template <class Tag, class X>
auto argmin(const X& x, const axes& which, const reduce_options& o, std::source_location where) {
  return arg<Tag, false>(x, which, o, where);
}

template <class Tag, class X>
auto argmax(const X& x, const axes& which, const reduce_options& o, std::source_location where) {
  return arg<Tag, true>(x, which, o, where);
}

}  // namespace detail

/// Sum. bool and signed integers give int64, unsigned ones uint64 (both wrap), float32 accumulates in float64 and
/// rounds once. The sum of nothing is 0, of only -0.0 it is -0.0. Cost: one pass. @throws axis_error
template <lazy X, class Tag = detail::backend_tag>
auto sum(const X& x, const axes& which = all_axes, const reduce_options& options = {},
         std::source_location where = std::source_location::current()) {
  return detail::sum<Tag>(x, which, options, where);
}

/// Product; types as sum. The product of nothing is 1. @throws axis_error
template <lazy X, class Tag = detail::backend_tag>
auto prod(const X& x, const axes& which = all_axes, const reduce_options& options = {},
          std::source_location where = std::source_location::current()) {
  return detail::prod<Tag>(x, which, options, where);
}

/// Arithmetic mean. Integers give double and are added in double; the mean of nothing is NaN. @throws axis_error
template <lazy X, class Tag = detail::backend_tag>
auto mean(const X& x, const axes& which = all_axes, const reduce_options& options = {},
          std::source_location where = std::source_location::current()) {
  return detail::mean<Tag>(x, which, options, where);
}

/// Variance, sum |x - mean|^2 / (N - ddof), in one pass by merged moments (Chan, Golub, LeVeque 1979); real for complex
/// x.
/// @throws axis_error
template <lazy X, class Tag = detail::backend_tag>
auto var(const X& x, const axes& which = all_axes, const moment_options& options = {},
         std::source_location where = std::source_location::current()) {
  return detail::var<Tag>(x, which, options, where);
}

/// Standard deviation, the square root of var. @throws axis_error
template <lazy X, class Tag = detail::backend_tag>
auto std(const X& x, const axes& which = all_axes, const moment_options& options = {},
         std::source_location where = std::source_location::current()) {
  return detail::std<Tag>(x, which, options, where);
}

/// Smallest element; NaN wins. @throws axis_error; shape_error over an axis without elements
template <lazy X, class Tag = detail::backend_tag>
auto min(const X& x, const axes& which = all_axes, const reduce_options& options = {},
         std::source_location where = std::source_location::current()) {
  return detail::min<Tag>(x, which, options, where);
}

/// Largest element; NaN wins. @throws axis_error; shape_error over an axis without elements
template <lazy X, class Tag = detail::backend_tag>
auto max(const X& x, const axes& which = all_axes, const reduce_options& options = {},
         std::source_location where = std::source_location::current()) {
  return detail::max<Tag>(x, which, options, where);
}

/// Whether any element is not zero; NaN is not zero; false for nothing. @throws axis_error
template <lazy X, class Tag = detail::backend_tag>
auto any(const X& x, const axes& which = all_axes, const reduce_options& options = {},
         std::source_location where = std::source_location::current()) {
  return detail::any<Tag>(x, which, options, where);
}

/// The type of all.
struct all_t {
  using whole_axis = void;

  template <lazy X, class Tag = detail::backend_tag>
  auto operator()(const X& x, const axes& which = all_axes, const reduce_options& options = {},
                  std::source_location where = std::source_location::current()) const {
    return detail::all<Tag>(x, which, options, where);
  }
};

/// As a function, `all(x)`, `all(x, 0)`: whether all elements are not zero; true for nothing. @throws axis_error
/// In an index, `x(all, 0)`: the whole axis.
inline constexpr all_t all;

/// Number of elements that are not zero, int64. @throws axis_error
template <lazy X, class Tag = detail::backend_tag>
auto count_nonzero(const X& x, const axes& which = all_axes, const reduce_options& options = {},
                   std::source_location where = std::source_location::current()) {
  return detail::count_nonzero<Tag>(x, which, options, where);
}

/// Index (int64) of the first smallest element along one axis, or in the flattened array; the first NaN wins.
/// @throws axis_error; shape_error over an axis without elements
template <lazy X, class Tag = detail::backend_tag>
auto argmin(const X& x, const axes& which = all_axes, const reduce_options& options = {},
            std::source_location where = std::source_location::current()) {
  return detail::argmin<Tag>(x, which, options, where);
}

/// Index (int64) of the first largest element; as argmin.
template <lazy X, class Tag = detail::backend_tag>
auto argmax(const X& x, const axes& which = all_axes, const reduce_options& options = {},
            std::source_location where = std::source_location::current()) {
  return detail::argmax<Tag>(x, which, options, where);
}

}  // namespace ashlar
