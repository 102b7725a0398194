/// \file
/// Reducers that add, multiply and count: what each does to one element and to two states.
///
/// Accumulators are separate from results: float32 and float64 accumulate in float64 and round once, bool and signed
/// integers in int64, unsigned ones in uint64 (both wrap, as NumPy does), complex in complex128.
#pragma once

#include <cstdint>
#include <type_traits>

#include <ashlar/complex.hpp>
#include <ashlar/detail/config.hpp>
#include <ashlar/detail/tile_kernel.hpp>
#include <ashlar/graph/reducer.hpp>

namespace ashlar::detail {

template <class T>
inline constexpr bool is_complex = false;
template <class T>
inline constexpr bool is_complex<complex<T>> = true;

// NaN tests that survive in integer types too.
template <class T>
ASHLAR_HD ASHLAR_DETAIL_INLINE bool is_nan(T x) {
  if constexpr (std::is_floating_point_v<T>) {
    return x != x;
  } else {
    return false;
  }
}

template <class T>
ASHLAR_HD ASHLAR_DETAIL_INLINE bool is_nonzero(T x) {
  if constexpr (is_complex<T>) {
    return x.real() != 0 || x.imag() != 0;
  } else {
    return x != T{};
  }
}

/// The type in which sums and products of T accumulate.
template <class T>
using accumulator_t =
    std::conditional_t<is_complex<T>, complex<double>,
                       std::conditional_t<std::is_floating_point_v<T>, double,
                                          std::conditional_t<std::is_unsigned_v<T> && !std::is_same_v<T, bool>,
                                                             std::uint64_t, std::int64_t>>>;

template <class A, class T>
ASHLAR_HD ASHLAR_DETAIL_INLINE A accumulate_cast(T x) {
  if constexpr (is_complex<A>) {
    return A(static_cast<double>(x.real()), static_cast<double>(x.imag()));
  } else {
    return static_cast<A>(x);
  }
}

/// A policy whose state is one value of type A.
template <class In, class A>
struct plain_policy {
  using in_type = In;
  using state = A;
  static constexpr bool plain = true;
  static constexpr bool needs_index = false;
  static constexpr int fields = 1;
  ASHLAR_HD ASHLAR_DETAIL_INLINE static A load(state_ref s, std::int64_t i) {
    return static_cast<const A*>(s.field[0])[i];
  }
  ASHLAR_HD ASHLAR_DETAIL_INLINE static void store(state_ref s, std::int64_t i, A v) {
    static_cast<A*>(s.field[0])[i] = v;
  }
  static constexpr dtype field_type(int) { return dtype_of<user_type_t<A>>; }
};

template <class In, class A>
struct sum_policy : plain_policy<In, A> {
  static constexpr const char* name = "sum";
  ASHLAR_HD ASHLAR_DETAIL_INLINE static A identity() {
    if constexpr (is_complex<A>) {
      return A(-0.0, -0.0);
    } else if constexpr (std::is_floating_point_v<A>) {
      return -0.0;  // the true identity: -0.0 + -0.0 stays -0.0
    } else {
      return A{};
    }
  }
  ASHLAR_HD ASHLAR_DETAIL_INLINE static A lift(In x, std::int64_t) { return accumulate_cast<A>(x); }
  ASHLAR_HD ASHLAR_DETAIL_INLINE static A combine(A a, A b) {
    if constexpr (std::is_integral_v<A>) {
      return static_cast<A>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
    } else {
      return a + b;
    }
  }
};

template <class In, class A>
struct product_policy : plain_policy<In, A> {
  static constexpr const char* name = "prod";
  ASHLAR_HD ASHLAR_DETAIL_INLINE static A identity() { return A(1); }
  ASHLAR_HD ASHLAR_DETAIL_INLINE static A lift(In x, std::int64_t) { return accumulate_cast<A>(x); }
  ASHLAR_HD ASHLAR_DETAIL_INLINE static A combine(A a, A b) {
    if constexpr (std::is_integral_v<A>) {
      return static_cast<A>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
    } else {
      return a * b;
    }
  }
};

template <class In>
struct any_policy : plain_policy<In, bool> {
  static constexpr const char* name = "any";
  ASHLAR_HD ASHLAR_DETAIL_INLINE static bool identity() { return false; }
  ASHLAR_HD ASHLAR_DETAIL_INLINE static bool lift(In x, std::int64_t) { return is_nonzero(x); }
  ASHLAR_HD ASHLAR_DETAIL_INLINE static bool combine(bool a, bool b) { return a | b; }
};

template <class In>
struct all_policy : plain_policy<In, bool> {
  static constexpr const char* name = "all";
  ASHLAR_HD ASHLAR_DETAIL_INLINE static bool identity() { return true; }
  ASHLAR_HD ASHLAR_DETAIL_INLINE static bool lift(In x, std::int64_t) { return is_nonzero(x); }
  ASHLAR_HD ASHLAR_DETAIL_INLINE static bool combine(bool a, bool b) { return a & b; }
};

template <class In>
struct count_policy : plain_policy<In, std::int64_t> {
  static constexpr const char* name = "count_nonzero";
  ASHLAR_HD ASHLAR_DETAIL_INLINE static std::int64_t identity() { return 0; }
  ASHLAR_HD ASHLAR_DETAIL_INLINE static std::int64_t lift(In x, std::int64_t) { return is_nonzero(x) ? 1 : 0; }
  ASHLAR_HD ASHLAR_DETAIL_INLINE static std::int64_t combine(std::int64_t a, std::int64_t b) { return a + b; }
};

template <class In>
struct moments_policy {
  using in_type = In;
  using value = std::conditional_t<is_complex<In>, complex<double>, double>;
  ASHLAR_HD ASHLAR_DETAIL_INLINE static value identity() {
    if constexpr (is_complex<In>) {
      return value(-0.0, -0.0);
    } else {
      return -0.0;
    }
  }
  ASHLAR_HD ASHLAR_DETAIL_INLINE static value lift(In x) { return accumulate_cast<value>(x); }
  /// Divides, and does not multiply by a reciprocal: the mean of n equal numbers is that number wherever their sum is
  /// exact.
  ASHLAR_HD ASHLAR_DETAIL_INLINE static value divide(value sum, double n) {
    if constexpr (is_complex<In>) {
      return value(sum.real() / n, sum.imag() / n);
    } else {
      return sum / n;
    }
  }
  ASHLAR_HD ASHLAR_DETAIL_INLINE static value scale(value sum, double by) {
    if constexpr (is_complex<In>) {
      return value(sum.real() * by, sum.imag() * by);
    } else {
      return sum * by;
    }
  }
  /// to + |d|^2 * weight. No sum of two products, so that contraction gives every copy of the code the same bits.
  ASHLAR_HD ASHLAR_DETAIL_INLINE static double add_square(double to, value d, double weight) {
    if constexpr (is_complex<In>) {
      return (to + d.real() * d.real() * weight) + d.imag() * d.imag() * weight;
    } else {
      return to + d * d * weight;
    }
  }
  ASHLAR_HD ASHLAR_DETAIL_INLINE static double add_square(double to, value d) {
    if constexpr (is_complex<In>) {
      return (to + d.real() * d.real()) + d.imag() * d.imag();
    } else {
      return to + d * d;
    }
  }
};

}  // namespace ashlar::detail
