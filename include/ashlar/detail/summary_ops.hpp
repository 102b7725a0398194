/// \file
/// What is reduced in summaries.hpp and linalg.hpp, element by element, and how sums of it become results.
#pragma once

#include <cmath>
#include <cstdint>
#include <type_traits>

#include <ashlar/detail/element_ops.hpp>
#include <ashlar/detail/reducers.hpp>

namespace ashlar::detail {

/// x * w in the type in which sums accumulate.
template <class Acc>
struct weighted_op : library_op {
  static constexpr const char* name = "average";
  template <class A, class W>
  ASHLAR_HD ASHLAR_DETAIL_INLINE Acc operator()(A a, W w) const {
    return cast_value<Acc>(a) * cast_value<Acc>(w);
  }
};

/// (x - mean)^order, by squaring; of order 0 it is 1, of order 1, whose mean is 0, it is 0.
struct central_power_op : library_op {
  static constexpr const char* name = "moment";
  template <class A>
  ASHLAR_HD ASHLAR_DETAIL_INLINE double operator()(A x, double mean, std::int64_t order) const {
    double base = static_cast<double>(x) - mean;
    if (order == 1) return base * 0;
    double result = 1;
    for (std::int64_t e = order; e > 0; e >>= 1) {
      if ((e & 1) != 0) result *= base;
      base *= base;
    }
    return result;
  }
};

template <class Out>
void finish_moment(state_ref s, std::int64_t n, std::int64_t count, double ddof, void* out) {
  const auto* a = static_cast<const double*>(s.field[0]);
  auto* o = static_cast<Out*>(out);
  const double divisor = static_cast<double>(count) - ddof;
  for (std::int64_t i = 0; i < n; ++i) {
    o[i] = static_cast<Out>(divisor < 0 ? std::numeric_limits<double>::quiet_NaN() : (count == 0 ? 0 : a[i]) / divisor);
  }
}

template <class Out>
inline constexpr finisher_descriptor moment_finisher = {"moment", dtype_of<Out>, &finish_moment<Out>};
inline constexpr finisher_descriptor moment_mean_finisher = {"moment", dtype::float64, &finish_mean<double, double>};
template <class P>
inline constexpr finisher_descriptor ptp_finisher = {"ptp", dtype_of<typename P::in_type>,
                                                     &finish_extremum<typename P::in_type>};
template <class A>
inline constexpr finisher_descriptor average_finisher = {"average", dtype_of<user_type_t<A>>, &finish_value<A, A>};

/// |x| in double.
struct magnitude_op : library_op {
  static constexpr const char* name = "norm";
  template <class A>
  ASHLAR_HD ASHLAR_DETAIL_INLINE double operator()(A a) const {
    if constexpr (complex_value<A>) {
      return abs(complex<double>(static_cast<double>(a.real()), static_cast<double>(a.imag())));
    } else {
      return std::fabs(static_cast<double>(a));
    }
  }
};
/// |x|^2 in double.
struct square_magnitude_op : library_op {
  static constexpr const char* name = "norm";
  template <class A>
  ASHLAR_HD ASHLAR_DETAIL_INLINE double operator()(A a) const {
    if constexpr (complex_value<A>) {
      const auto re = static_cast<double>(a.real());
      const auto im = static_cast<double>(a.imag());
      return re * re + im * im;
    } else {
      const auto x = static_cast<double>(a);
      return x * x;
    }
  }
};

}  // namespace ashlar::detail
