/// \file
/// Functions that work on tiles (sqrt, sin, pow, ...) as functors, and powers of integers. See element_ops.hpp.
#pragma once

#include <cmath>
#include <cstdint>
#include <type_traits>

#include <ashlar/detail/arithmetic_ops.hpp>
#include <ashlar/detail/tile_math.hpp>
#include <ashlar/error.hpp>

namespace ashlar::detail {

/// `F` gives the scalar function and its tile form; real numbers take the tile form, complex ones std::complex's
/// function, which is for the host only.
template <class F>
struct unary_function_op : library_op {
  using tiled = void;
  static constexpr const char* name = F::name;

  template <class A>
  ASHLAR_HD ASHLAR_DETAIL_INLINE floating_t<A> operator()(A a) const {
    if constexpr (complex_value<A>) {
      static_assert(F::complex_ok, "ashlar: this function is not defined for complex numbers");
      return floating_t<A>(F::scalar(user_type_t<A>(a)));
    } else {
      return F::scalar(static_cast<floating_t<A>>(a));
    }
  }
  template <class Isa, class T>
  static void tile(const T* in, T* out) {
    if constexpr (complex_value<T>) {
      static_assert(F::complex_ok, "ashlar: this function is not defined for complex numbers");
      for (int i = 0; i < lanes; ++i) out[i] = T(F::scalar(user_type_t<T>(in[i])));
    } else {
      F::template tile<Isa>(in, out);
    }
  }
};

template <class F>
struct binary_function_op : library_op {
  using tiled = void;
  static constexpr const char* name = F::name;

  template <class A, class B>
  using result_t = floating_t<kernel_promote_t<A, B>>;

  template <class A, class B>
  ASHLAR_HD ASHLAR_DETAIL_INLINE result_t<A, B> operator()(A a, B b) const {
    using R = result_t<A, B>;
    if constexpr (complex_value<R>) {
      static_assert(F::complex_ok, "ashlar: this function is not defined for complex numbers");
      return R(F::scalar(user_type_t<R>(cast_value<R>(a)), user_type_t<R>(cast_value<R>(b))));
    } else {
      return F::scalar(static_cast<R>(a), static_cast<R>(b));
    }
  }
  template <class Isa, class T>
  static void tile(const T* a, const T* b, T* out) {
    if constexpr (complex_value<T>) {
      static_assert(F::complex_ok, "ashlar: this function is not defined for complex numbers");
      for (int i = 0; i < lanes; ++i) out[i] = T(F::scalar(user_type_t<T>(a[i]), user_type_t<T>(b[i])));
    } else {
      F::template tile<Isa>(a, b, out);
    }
  }
};

/// What std lacks.
namespace complex_functions {

template <class T>
std::complex<T> exp2(std::complex<T> z) {
  return std::exp(z * T(0.693147180559945309));
}
template <class T>
std::complex<T> log2(std::complex<T> z) {
  return std::log(z) * T(1.442695040888963407);
}

}  // namespace complex_functions

#define ASHLAR_DETAIL_UNARY_FUNCTION(word, complex_allowed, complex_from) \
  struct word##_function {                                                \
    static constexpr const char* name = #word;                            \
    static constexpr bool complex_ok = complex_allowed;                   \
    template <class T>                                                    \
    ASHLAR_HD static T scalar(T x) {                                      \
      using std::word;                                                    \
      return word(x);                                                     \
    }                                                                     \
    template <class T>                                                    \
    static std::complex<T> scalar(std::complex<T> x) {                    \
      return complex_from::word(x);                                       \
    }                                                                     \
    template <class Isa, class T>                                         \
    static void tile(const T* in, T* out) {                               \
      tile_math<Isa>::word(in, out);                                      \
    }                                                                     \
  };

ASHLAR_DETAIL_UNARY_FUNCTION(sqrt, true, std)
ASHLAR_DETAIL_UNARY_FUNCTION(exp, true, std)
ASHLAR_DETAIL_UNARY_FUNCTION(log, true, std)
ASHLAR_DETAIL_UNARY_FUNCTION(log10, true, std)
ASHLAR_DETAIL_UNARY_FUNCTION(log1p, false, std)
ASHLAR_DETAIL_UNARY_FUNCTION(expm1, false, std)
ASHLAR_DETAIL_UNARY_FUNCTION(sin, true, std)
ASHLAR_DETAIL_UNARY_FUNCTION(cos, true, std)
ASHLAR_DETAIL_UNARY_FUNCTION(tan, true, std)
ASHLAR_DETAIL_UNARY_FUNCTION(asin, true, std)
ASHLAR_DETAIL_UNARY_FUNCTION(acos, true, std)
ASHLAR_DETAIL_UNARY_FUNCTION(atan, true, std)
ASHLAR_DETAIL_UNARY_FUNCTION(sinh, true, std)
ASHLAR_DETAIL_UNARY_FUNCTION(cosh, true, std)
ASHLAR_DETAIL_UNARY_FUNCTION(tanh, true, std)
ASHLAR_DETAIL_UNARY_FUNCTION(asinh, true, std)
ASHLAR_DETAIL_UNARY_FUNCTION(acosh, true, std)
ASHLAR_DETAIL_UNARY_FUNCTION(atanh, true, std)
ASHLAR_DETAIL_UNARY_FUNCTION(floor, false, std)
ASHLAR_DETAIL_UNARY_FUNCTION(ceil, false, std)
ASHLAR_DETAIL_UNARY_FUNCTION(rint, false, std)
ASHLAR_DETAIL_UNARY_FUNCTION(trunc, false, std)
ASHLAR_DETAIL_UNARY_FUNCTION(cbrt, false, std)
ASHLAR_DETAIL_UNARY_FUNCTION(exp2, true, complex_functions)
ASHLAR_DETAIL_UNARY_FUNCTION(log2, true, complex_functions)
#undef ASHLAR_DETAIL_UNARY_FUNCTION

#define ASHLAR_DETAIL_BINARY_FUNCTION(word, complex_allowed)              \
  struct word##_function {                                                \
    static constexpr const char* name = #word;                            \
    static constexpr bool complex_ok = complex_allowed;                   \
    template <class T>                                                    \
    ASHLAR_HD static T scalar(T a, T b) {                                 \
      using std::word;                                                    \
      return word(a, b);                                                  \
    }                                                                     \
    template <class T>                                                    \
    static std::complex<T> scalar(std::complex<T> a, std::complex<T> b) { \
      return std::word(a, b);                                             \
    }                                                                     \
    template <class Isa, class T>                                         \
    static void tile(const T* a, const T* b, T* out) {                    \
      tile_math<Isa>::word(a, b, out);                                    \
    }                                                                     \
  };

ASHLAR_DETAIL_BINARY_FUNCTION(atan2, false)
ASHLAR_DETAIL_BINARY_FUNCTION(hypot, false)
ASHLAR_DETAIL_BINARY_FUNCTION(pow, true)
#undef ASHLAR_DETAIL_BINARY_FUNCTION

/// Integer to a non-negative integer power, by squaring; wraps.
struct integer_power_op : library_op {
  static constexpr const char* name = "pow";
  template <class A, class B>
  ASHLAR_HD auto operator()(A a, B b) const {
    using R = kernel_promote_t<A, B>;
    using W = wrap_t<std::conditional_t<std::is_same_v<R, bool>, unsigned char, R>>;
    if constexpr (std::is_signed_v<B>) {
#if !defined(__CUDA_ARCH__)
      if (b < 0)
        throw value_error("pow: integers to negative integer powers are not integers; use astype<double>(x) first");
#endif
    }
    W result = 1;
    W base = static_cast<W>(static_cast<R>(a));
    for (auto e = static_cast<std::uint64_t>(b); e != 0; e >>= 1) {
      if ((e & 1) != 0) result = static_cast<W>(result * base);
      base = static_cast<W>(base * base);
    }
    return static_cast<R>(result);
  }
};

}  // namespace ashlar::detail
