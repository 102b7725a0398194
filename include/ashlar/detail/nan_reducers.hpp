/// \file
/// Reducers that pass NaN over: extrema, their places, and moments with a count of their own.
///
/// Extrema give NaN the key of nothing, so that a state of nothing but NaN is the identity, which reads as NaN. Moments
/// carry (sum, M2, n): the numbers of a leaf are put together first and go through the loops of moments_loops.hpp, so
/// without NaN the sums are those of var().
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

#include <ashlar/detail/element_ops.hpp>
#include <ashlar/detail/reducers.hpp>
#include <ashlar/error.hpp>

namespace ashlar::detail {

template <class T>
ASHLAR_HD ASHLAR_DETAIL_INLINE bool has_nan(T x) {
  if constexpr (is_complex<T>) {
    return is_nan(x.real()) || is_nan(x.imag());
  } else {
    return is_nan(x);
  }
}

/// NaN is the last to be taken.
template <class In>
struct nanmin_policy : min_policy<In> {
  using key = extremum_key_t<In>;
  static constexpr const char* name = "nanmin";
  ASHLAR_HD ASHLAR_DETAIL_INLINE static key lift(In x, std::int64_t) { return extremum_key<In>(x, highest<key>); }
};
template <class In>
struct nanmax_policy : max_policy<In> {
  using key = extremum_key_t<In>;
  static constexpr const char* name = "nanmax";
  ASHLAR_HD ASHLAR_DETAIL_INLINE static key lift(In x, std::int64_t) { return extremum_key<In>(x, lowest<key>); }
};

/// A NaN is as good as nothing: the worst value, at a place behind all others.
template <class In, bool Max>
struct nanarg_policy : arg_policy<In, Max> {
  using base = arg_policy<In, Max>;
  using state = typename base::state;
  static constexpr const char* name = Max ? "nanargmax" : "nanargmin";
  ASHLAR_HD ASHLAR_DETAIL_INLINE static state lift(In x, std::int64_t i) {
    return is_nan(x) ? base::identity() : state{x, i};
  }
};

template <bool Max>
void finish_nan_index(state_ref s, std::int64_t n, std::int64_t, double, void* out) {
  const auto* index = static_cast<const std::int64_t*>(s.field[1]);
  auto* o = static_cast<std::int64_t*>(out);
  for (std::int64_t i = 0; i < n; ++i) {
    if (index[i] == highest<std::int64_t>) {
      const char* const call = Max ? "nanargmax" : "nanargmin";
      throw value_error(std::string(call) + ": " +
                        (n == 1 ? std::string("all elements are NaN")
                                : "all elements of slice " + std::to_string(i) + " of this block's results are NaN") +
                        ", so none is the " + (Max ? "largest" : "smallest") + "; " + (Max ? "nanmax" : "nanmin") +
                        " gives NaN there");
    }
    o[i] = index[i];
  }
}

template <class In>
struct nan_moments_policy {
  using M = moments_policy<In>;
  using in_type = In;
  using value = typename M::value;
  struct state {
    value sum;
    double m2;
    double count;  // exact up to 2^53
  };
  static constexpr bool plain = false;
  static constexpr bool needs_index = false;
  static constexpr int fields = 3;
  static constexpr const char* name = "nan_moments";
  static constexpr dtype field_type(int f) { return f == 0 ? dtype_of<user_type_t<value>> : dtype::float64; }
  ASHLAR_HD ASHLAR_DETAIL_INLINE static bool is_missing(In x) { return has_nan(x); }
  ASHLAR_HD ASHLAR_DETAIL_INLINE static state identity() { return {M::identity(), 0, 0}; }
  /// Without a branch between product and sum: whether they are contracted to one operation must not depend on how this
  /// copy of the code was arranged, or it would have other bits than the next.
  ASHLAR_HD ASHLAR_DETAIL_INLINE static state combine(const state& a, const state& b) {
    const double count = a.count + b.count;
    const bool both = a.count > 0 && b.count > 0;
    const value apart = M::divide(b.sum, b.count > 0 ? b.count : 1.0) - M::divide(a.sum, a.count > 0 ? a.count : 1.0);
    const double weight = both ? a.count * (b.count / count) : 0.0;
    const value d = both ? apart : M::identity();
    return {a.sum + b.sum, M::add_square(a.m2 + b.m2, d, weight), count};
  }
  ASHLAR_HD ASHLAR_DETAIL_INLINE static state load(state_ref s, std::int64_t i) {
    return {static_cast<const value*>(s.field[0])[i], static_cast<const double*>(s.field[1])[i],
            static_cast<const double*>(s.field[2])[i]};
  }
  ASHLAR_HD ASHLAR_DETAIL_INLINE static void store(state_ref s, std::int64_t i, const state& v) {
    static_cast<value*>(s.field[0])[i] = v.sum;
    static_cast<double*>(s.field[1])[i] = v.m2;
    static_cast<double*>(s.field[2])[i] = v.count;
  }
};

template <class In>
struct nan_moments_loops : fold_loops<nan_moments_policy<In>> {
  using P = nan_moments_policy<In>;
  using M = typename P::M;
  using value = typename P::value;
  using state = typename P::state;

  ASHLAR_DETAIL_INLINE static state leaf(const In* p, int n, std::int64_t, std::int64_t, bool more) {
    alignas(64) In kept[row_leaf];
    int count = 0;
    for (int i = 0; i < n; ++i) {
      kept[count] = p[i];
      count += has_nan(p[i]) ? 0 : 1;
    }
    if (count == 0) return P::identity();
    const bool whole = count == n;
    const auto moments = moments_loops<M>::leaf(whole ? p : kept, count, 0, 0, whole && more);
    return {moments.sum, moments.m2, static_cast<double>(count)};
  }

  ASHLAR_DETAIL_INLINE static void columns(const void* in, std::int64_t row_stride, int rows, std::int64_t n, index_map,
                                           state_ref out) {
    for_column_tiles<In>(in, row_stride, rows, n, [&](const In* const* row, int width, std::int64_t c) {
      alignas(64) value sum[column_width];
      alignas(64) value mean[column_width];
      alignas(64) double m2[column_width];
      alignas(64) double count[column_width];
      for (int k = 0; k < column_width; ++k) {
        sum[k] = M::identity();
        m2[k] = 0;
        count[k] = 0;
      }
      for (int r = 0; r < rows; ++r) {
        const In* const p = row[r];
        for (int k = 0; k < column_width; ++k) {
          const bool number = !has_nan(p[k]);
          const value next = sum[k] + M::lift(p[k]);
          sum[k] = number ? next : sum[k];
          count[k] += number ? 1.0 : 0.0;
        }
      }
      for (int k = 0; k < column_width; ++k) mean[k] = M::divide(sum[k], count[k] > 0 ? count[k] : 1.0);
      for (int r = 0; r < rows; ++r) {
        const In* const p = row[r];
        for (int k = 0; k < column_width; ++k) {
          const value d = M::lift(p[k]) - mean[k];
          m2[k] = M::add_square(m2[k], has_nan(p[k]) ? M::identity() : d);
        }
      }
      for (int k = 0; k < width; ++k) P::store(out, c + k, {sum[k], m2[k], count[k]});
    });
  }
};

/// NumPy's rule: where n - ddof is not above 0, NaN.
template <class Out, bool Root>
struct finish_nan_variance {
  using out = Out;
  ASHLAR_HD ASHLAR_DETAIL_INLINE static Out at(state_ref s, std::int64_t i, std::int64_t, double ddof) {
    const double divisor = static_cast<const double*>(s.field[2])[i] - ddof;
    const double m2 = static_cast<const double*>(s.field[1])[i];
    const double v = divisor <= 0 ? not_a_number<double> : m2 / divisor;
    return static_cast<Out>(Root ? std::sqrt(v) : v);
  }
};

template <class In, class Tag>
inline constexpr reducer_descriptor nan_moments_reducer =
    make_fold_descriptor<nan_moments_policy<In>, Tag, nan_moments_loops<In>>();

template <class A, class Out, class Tag>
inline constexpr finisher_descriptor nansum_finisher = make_finisher<finish_value<A, Out>, Tag>("nansum");
template <class A, class Out, class Tag>
inline constexpr finisher_descriptor nanprod_finisher = make_finisher<finish_as_is<A, Out>, Tag>("nanprod");
template <class A, class Tag>
inline constexpr finisher_descriptor nanmean_sum_finisher = make_finisher<finish_value<A, A>, Tag>("nanmean");
template <class Tag>
inline constexpr finisher_descriptor nanmean_count_finisher =
    make_finisher<finish_as_is<std::int64_t, std::int64_t>, Tag>("nanmean");
template <class Out, class Tag>
inline constexpr finisher_descriptor nanvar_finisher = make_finisher<finish_nan_variance<Out, false>, Tag>("nanvar");
template <class Out, class Tag>
inline constexpr finisher_descriptor nanstd_finisher = make_finisher<finish_nan_variance<Out, true>, Tag>("nanstd");
template <bool Max>
inline constexpr finisher_descriptor nanarg_finisher = {Max ? "nanargmax" : "nanargmin", dtype::int64,
                                                        &finish_nan_index<Max>, nullptr};

// --- element-wise parts ---

struct is_number_op : library_op {
  static constexpr const char* name = "is_number";
  template <class A>
  ASHLAR_HD ASHLAR_DETAIL_INLINE bool operator()(A a) const {
    return !isnan_op{}(a);
  }
};
/// A sum divided by a number of elements or a sum of weights, rounded once.
template <class Out>
struct quotient_op : library_op {
  static constexpr const char* name = "mean";
  template <class A, class B>
  ASHLAR_HD ASHLAR_DETAIL_INLINE Out operator()(A sum, B by) const {
    return static_cast<Out>(sum / cast_value<A>(by));
  }
};

}  // namespace ashlar::detail
