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
struct finish_moment {
  using out = Out;
  ASHLAR_HD ASHLAR_DETAIL_INLINE static Out at(state_ref s, std::int64_t i, std::int64_t count, double ddof) {
    const double divisor = static_cast<double>(count) - ddof;
    const double sum = count == 0 ? 0 : static_cast<const double*>(s.field[0])[i];
    return static_cast<Out>(divisor < 0 ? not_a_number<double> : sum / divisor);
  }
};

template <class Out, class Tag>
inline constexpr finisher_descriptor moment_finisher = make_finisher<finish_moment<Out>, Tag>("moment");
template <class Tag>
inline constexpr finisher_descriptor moment_mean_finisher = make_finisher<finish_mean<double, double>, Tag>("moment");
template <class P, class Tag>
inline constexpr finisher_descriptor ptp_finisher = make_finisher<finish_extremum<typename P::in_type>, Tag>("ptp");
template <class A, class Tag>
inline constexpr finisher_descriptor average_finisher = make_finisher<finish_value<A, A>, Tag>("average");

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
