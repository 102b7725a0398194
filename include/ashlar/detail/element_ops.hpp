/// \file
/// The element-wise operations as functors: stateless, pure, callable on host and device. Kernels inline them; names are
/// NumPy's. Types follow NumPy 2's promotion, integers wrap, integer division by zero gives 0 as in NumPy.
#pragma once

#include <cmath>
#include <complex>
#include <type_traits>
#include <utility>

#include <ashlar/complex.hpp>
#include <ashlar/detail/tile_kernel.hpp>
#include <ashlar/detail/tile_math.hpp>
#include <ashlar/dtype.hpp>
#include <ashlar/error.hpp>

namespace ashlar::detail {

/// The type that kernels see for a user's element type.
template <class T>
using kernel_type_t = device_type_t<T>;

template <class A, class B>
using kernel_promote_t = kernel_type_t<promote_t<user_type_t<A>, user_type_t<B>>>;

/// The floating type in which a function of T is computed: integers and bool give double.
template <class T>
using floating_t = std::conditional_t<std::is_integral_v<T>, double, T>;

struct library_op {
  using library = void;
};

// --- arithmetic ---------------------------------------------------------------------------------------------------------

template <class R>
using wrap_t = std::make_unsigned_t<std::conditional_t<(sizeof(R) < sizeof(int)), int, R>>;

struct add_op : library_op {
  static constexpr const char* name = "add";
  template <class A, class B>
  ASHLAR_HD ASHLAR_DETAIL_INLINE auto operator()(A a, B b) const {
    using R = kernel_promote_t<A, B>;
    if constexpr (std::is_same_v<R, bool>) {
      return a || b;
    } else if constexpr (std::is_integral_v<R>) {
      return static_cast<R>(static_cast<wrap_t<R>>(static_cast<R>(a)) + static_cast<wrap_t<R>>(static_cast<R>(b)));
    } else {
      return cast_value<R>(a) + cast_value<R>(b);
    }
  }
};

struct subtract_op : library_op {
  static constexpr const char* name = "subtract";
  template <class A, class B>
  ASHLAR_HD ASHLAR_DETAIL_INLINE auto operator()(A a, B b) const {
    using R = kernel_promote_t<A, B>;
    static_assert(!std::is_same_v<R, bool>, "ashlar: bool - bool is not defined; use a != b (exclusive or) or astype<int>");
    if constexpr (std::is_integral_v<R>) {
      return static_cast<R>(static_cast<wrap_t<R>>(static_cast<R>(a)) - static_cast<wrap_t<R>>(static_cast<R>(b)));
    } else {
      return cast_value<R>(a) - cast_value<R>(b);
    }
  }
};

struct multiply_op : library_op {
  static constexpr const char* name = "multiply";
  template <class A, class B>
  ASHLAR_HD ASHLAR_DETAIL_INLINE auto operator()(A a, B b) const {
    using R = kernel_promote_t<A, B>;
    if constexpr (std::is_same_v<R, bool>) {
      return a && b;
    } else if constexpr (std::is_integral_v<R>) {
      return static_cast<R>(static_cast<wrap_t<R>>(static_cast<R>(a)) * static_cast<wrap_t<R>>(static_cast<R>(b)));
    } else {
      return cast_value<R>(a) * cast_value<R>(b);
    }
  }
};

struct divide_op : library_op {
  static constexpr const char* name = "divide";
  template <class A, class B>
  ASHLAR_HD ASHLAR_DETAIL_INLINE auto operator()(A a, B b) const {
    using R = floating_t<kernel_promote_t<A, B>>;
    return cast_value<R>(a) / cast_value<R>(b);
  }
};

/// Floor modulo: the result has the divisor's sign.
struct remainder_op : library_op {
  static constexpr const char* name = "remainder";
  template <class A, class B>
  ASHLAR_HD ASHLAR_DETAIL_INLINE auto operator()(A a_, B b_) const {
    using R = kernel_promote_t<A, B>;
    static_assert(!complex_value<R>, "ashlar: % is not defined for complex numbers");
    static_assert(!std::is_same_v<R, bool>, "ashlar: % is not defined for bool; use astype<int>");
    const R a = cast_value<R>(a_);
    const R b = cast_value<R>(b_);
    if constexpr (std::is_integral_v<R>) {
      if (b == 0) return R{};
      if constexpr (std::is_signed_v<R>) {
        if (b == -1) return R{};  // the quotient of the lowest value would overflow
        const R r = static_cast<R>(a % b);
        return (r != 0 && ((r < 0) != (b < 0))) ? static_cast<R>(r + b) : r;
      } else {
        return static_cast<R>(a % b);
      }
    } else {
      const R r = std::fmod(a, b);
      if (r == 0) return std::copysign(R{}, b);
      return ((r < 0) != (b < 0)) ? r + b : r;
    }
  }
};

/// The largest integer not above the quotient, as NumPy's floor_divide: integers by 0 give 0, floats by 0 the quotient.
struct floor_divide_op : library_op {
  static constexpr const char* name = "floor_divide";
  template <class A, class B>
  ASHLAR_HD ASHLAR_DETAIL_INLINE auto operator()(A a_, B b_) const {
    using R = kernel_promote_t<A, B>;
    static_assert(!complex_value<R>, "ashlar: floor_divide is not defined for complex numbers");
    static_assert(!std::is_same_v<R, bool>, "ashlar: floor_divide is not defined for bool; use astype<int>");
    const R a = cast_value<R>(a_);
    const R b = cast_value<R>(b_);
    if constexpr (std::is_integral_v<R>) {
      if (b == 0) return R{};
      if constexpr (std::is_signed_v<R>) {
        if (b == -1) return static_cast<R>(wrap_t<R>{0} - static_cast<wrap_t<R>>(a));
        const R q = static_cast<R>(a / b);
        return a % b != 0 && ((a < 0) != (b < 0)) ? static_cast<R>(q - 1) : q;
      } else {
        return static_cast<R>(a / b);
      }
    } else {
      if (b == 0) return a / b;
      const R r = std::fmod(a, b);  // exact, so that the quotient is not rounded up across an integer
      R q = (a - r) / b;
      if (r != 0 && ((r < 0) != (b < 0))) q -= 1;
      if (q == 0) return std::copysign(R{}, a / b);
      const R whole = std::floor(q);
      return q - whole > R(0.5) ? whole + 1 : whole;
    }
  }
};

struct negative_op : library_op {
  static constexpr const char* name = "negative";
  template <class A>
  ASHLAR_HD ASHLAR_DETAIL_INLINE auto operator()(A a) const {
    static_assert(!std::is_same_v<A, bool>, "ashlar: -x is not defined for bool; use !x");
    if constexpr (std::is_integral_v<A>) {
      return static_cast<A>(wrap_t<A>{0} - static_cast<wrap_t<A>>(a));
    } else {
      return -a;
    }
  }
};

struct square_op : library_op {
  static constexpr const char* name = "square";
  template <class A>
  ASHLAR_HD ASHLAR_DETAIL_INLINE auto operator()(A a) const {
    return multiply_op{}(a, a);
  }
};

struct absolute_op : library_op {
  static constexpr const char* name = "abs";
  template <class A>
  ASHLAR_HD ASHLAR_DETAIL_INLINE auto operator()(A a) const {
    if constexpr (complex_value<A>) {
      return abs(a);
    } else if constexpr (std::is_floating_point_v<A>) {
      return std::fabs(a);
    } else if constexpr (std::is_signed_v<A>) {
      return a < 0 ? negative_op{}(a) : a;
    } else {
      return a;
    }
  }
};

struct sign_op : library_op {
  static constexpr const char* name = "sign";
  template <class A>
  ASHLAR_HD ASHLAR_DETAIL_INLINE A operator()(A a) const {
    static_assert(!complex_value<A> && !std::is_same_v<A, bool>, "ashlar: sign is defined for real numbers");
    if constexpr (std::is_floating_point_v<A>) {
      return a != a ? a : static_cast<A>(a > 0 ? 1 : 0) - static_cast<A>(a < 0 ? 1 : 0);
    } else {
      return static_cast<A>((a > 0 ? 1 : 0) - (a < A{} ? 1 : 0));
    }
  }
};

// --- comparison and logic -----------------------------------------------------------------------------------------------

/// Comparisons of integers of both signs are exact; everything else compares in the promoted type.
template <class C>
struct compare_op : library_op {
  static constexpr const char* name = C::name;
  template <class A, class B>
  ASHLAR_HD ASHLAR_DETAIL_INLINE bool operator()(A a, B b) const {
    if constexpr (std::is_integral_v<A> && std::is_integral_v<B> && !std::is_same_v<A, bool> && !std::is_same_v<B, bool> &&
                  std::is_signed_v<A> != std::is_signed_v<B>) {
      if constexpr (std::is_signed_v<A>) {
        return a < 0 ? C::compare(-1, 0) : C::compare(static_cast<std::make_unsigned_t<A>>(a), b);
      } else {
        return b < 0 ? C::compare(0, -1) : C::compare(a, static_cast<std::make_unsigned_t<B>>(b));
      }
    } else {
      using R = kernel_promote_t<A, B>;
      static_assert(!complex_value<R> || C::complex_ok, "ashlar: complex numbers have no order; compare abs(x)");
      return C::compare(cast_value<R>(a), cast_value<R>(b));
    }
  }
};

struct equal_rule {
  static constexpr const char* name = "equal";
  static constexpr bool complex_ok = true;
  template <class A, class B>
  ASHLAR_HD static constexpr bool compare(A a, B b) { return a == b; }
};
struct not_equal_rule {
  static constexpr const char* name = "not_equal";
  static constexpr bool complex_ok = true;
  template <class A, class B>
  ASHLAR_HD static constexpr bool compare(A a, B b) { return !(a == b); }
};
struct less_rule {
  static constexpr const char* name = "less";
  static constexpr bool complex_ok = false;
  template <class A, class B>
  ASHLAR_HD static constexpr bool compare(A a, B b) { return a < b; }
};
struct less_equal_rule {
  static constexpr const char* name = "less_equal";
  static constexpr bool complex_ok = false;
  template <class A, class B>
  ASHLAR_HD static constexpr bool compare(A a, B b) { return a <= b; }
};
struct greater_rule {
  static constexpr const char* name = "greater";
  static constexpr bool complex_ok = false;
  template <class A, class B>
  ASHLAR_HD static constexpr bool compare(A a, B b) { return a > b; }
};
struct greater_equal_rule {
  static constexpr const char* name = "greater_equal";
  static constexpr bool complex_ok = false;
  template <class A, class B>
  ASHLAR_HD static constexpr bool compare(A a, B b) { return a >= b; }
};

// Without a branch, so that loops vectorise.
ASHLAR_HD ASHLAR_DETAIL_INLINE constexpr bool both(bool a, bool b) { return (static_cast<int>(a) & static_cast<int>(b)) != 0; }
ASHLAR_HD ASHLAR_DETAIL_INLINE constexpr bool either(bool a, bool b) { return (static_cast<int>(a) | static_cast<int>(b)) != 0; }

struct logical_and_op : library_op {
  static constexpr const char* name = "logical_and";
  template <class A, class B>
  ASHLAR_HD ASHLAR_DETAIL_INLINE bool operator()(A a, B b) const { return both(cast_value<bool>(a), cast_value<bool>(b)); }
};
struct logical_or_op : library_op {
  static constexpr const char* name = "logical_or";
  template <class A, class B>
  ASHLAR_HD ASHLAR_DETAIL_INLINE bool operator()(A a, B b) const { return either(cast_value<bool>(a), cast_value<bool>(b)); }
};
struct logical_xor_op : library_op {
  static constexpr const char* name = "logical_xor";
  template <class A, class B>
  ASHLAR_HD ASHLAR_DETAIL_INLINE bool operator()(A a, B b) const { return cast_value<bool>(a) != cast_value<bool>(b); }
};
struct logical_not_op : library_op {
  static constexpr const char* name = "logical_not";
  template <class A>
  ASHLAR_HD ASHLAR_DETAIL_INLINE bool operator()(A a) const { return !cast_value<bool>(a); }
};

struct isnan_op : library_op {
  static constexpr const char* name = "isnan";
  template <class A>
  ASHLAR_HD ASHLAR_DETAIL_INLINE bool operator()(A a) const {
    if constexpr (complex_value<A>) {
      return either(a.real() != a.real(), a.imag() != a.imag());
    } else if constexpr (std::is_floating_point_v<A>) {
      return a != a;
    } else {
      return false;
    }
  }
};
struct isfinite_op : library_op {
  static constexpr const char* name = "isfinite";
  template <class A>
  ASHLAR_HD ASHLAR_DETAIL_INLINE bool operator()(A a) const {
    if constexpr (complex_value<A>) {
      return both(a.real() - a.real() == 0, a.imag() - a.imag() == 0);
    } else if constexpr (std::is_floating_point_v<A>) {
      return a - a == 0;  // inf - inf and NaN - NaN are NaN
    } else {
      return true;
    }
  }
};

struct isinf_op : library_op {
  static constexpr const char* name = "isinf";
  template <class A>
  ASHLAR_HD ASHLAR_DETAIL_INLINE bool operator()(A a) const {
    if constexpr (complex_value<A>) {
      return either((*this)(a.real()), (*this)(a.imag()));
    } else if constexpr (std::is_floating_point_v<A>) {
      return both(a == a, a - a != 0);
    } else {
      return false;
    }
  }
};

// --- parts of complex numbers -------------------------------------------------------------------------------------------

struct real_op : library_op {
  static constexpr const char* name = "real";
  template <class A>
  ASHLAR_HD ASHLAR_DETAIL_INLINE auto operator()(A a) const {
    if constexpr (complex_value<A>) {
      return a.real();
    } else {
      return a;
    }
  }
};
struct imag_op : library_op {
  static constexpr const char* name = "imag";
  template <class A>
  ASHLAR_HD ASHLAR_DETAIL_INLINE auto operator()(A a) const {
    if constexpr (complex_value<A>) {
      return a.imag();
    } else {
      return A{};
    }
  }
};
struct conj_op : library_op {
  static constexpr const char* name = "conj";
  template <class A>
  ASHLAR_HD ASHLAR_DETAIL_INLINE A operator()(A a) const {
    if constexpr (complex_value<A>) {
      return A(a.real(), -a.imag());
    } else {
      return a;
    }
  }
};

// --- selection ----------------------------------------------------------------------------------------------------------

/// NaN wins over every number, the first argument's over the second's.
struct minimum_op : library_op {
  static constexpr const char* name = "minimum";
  template <class A, class B>
  ASHLAR_HD ASHLAR_DETAIL_INLINE auto operator()(A a_, B b_) const {
    using R = kernel_promote_t<A, B>;
    static_assert(!complex_value<R>, "ashlar: complex numbers have no order, so no minimum");
    const R a = cast_value<R>(a_);
    const R b = cast_value<R>(b_);
    return (a <= b || isnan_op{}(a)) ? a : b;
  }
};
struct maximum_op : library_op {
  static constexpr const char* name = "maximum";
  template <class A, class B>
  ASHLAR_HD ASHLAR_DETAIL_INLINE auto operator()(A a_, B b_) const {
    using R = kernel_promote_t<A, B>;
    static_assert(!complex_value<R>, "ashlar: complex numbers have no order, so no maximum");
    const R a = cast_value<R>(a_);
    const R b = cast_value<R>(b_);
    return (a >= b || isnan_op{}(a)) ? a : b;
  }
};
struct where_op : library_op {
  static constexpr const char* name = "where";
  template <class C, class A, class B>
  ASHLAR_HD ASHLAR_DETAIL_INLINE auto operator()(C c, A a, B b) const {
    using R = kernel_promote_t<A, B>;
    return cast_value<bool>(c) ? cast_value<R>(a) : cast_value<R>(b);
  }
};
template <class To>
struct astype_op : library_op {
  static constexpr const char* name = "astype";
  template <class A>
  ASHLAR_HD ASHLAR_DETAIL_INLINE To operator()(A a) const {
    static_assert(complex_value<To> || !complex_value<A> || std::is_same_v<To, bool>,
                  "ashlar: astype from complex to a real type would drop the imaginary part");
    return cast_value<To>(a);
  }
};

// --- functions that need a tile -----------------------------------------------------------------------------------------

/// `F` gives the scalar function and its tile form; real numbers take the tile form, complex ones std::complex's function,
/// which is for the host only.
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

#define ASHLAR_DETAIL_UNARY_FUNCTION(word, complex_allowed)      \
  struct word##_function {                                      \
    static constexpr const char* name = #word;                  \
    static constexpr bool complex_ok = complex_allowed;         \
    template <class T>                                          \
    ASHLAR_HD static T scalar(T x) {                            \
      using std::word;                                          \
      return word(x);                                           \
    }                                                           \
    template <class T>                                          \
    static std::complex<T> scalar(std::complex<T> x) {          \
      return std::word(x);                                      \
    }                                                           \
    template <class Isa, class T>                               \
    static void tile(const T* in, T* out) {                     \
      tile_math<Isa>::word(in, out);                            \
    }                                                           \
  };

ASHLAR_DETAIL_UNARY_FUNCTION(sqrt, true)
ASHLAR_DETAIL_UNARY_FUNCTION(exp, true)
ASHLAR_DETAIL_UNARY_FUNCTION(log, true)
ASHLAR_DETAIL_UNARY_FUNCTION(log1p, false)
ASHLAR_DETAIL_UNARY_FUNCTION(expm1, false)
ASHLAR_DETAIL_UNARY_FUNCTION(sin, true)
ASHLAR_DETAIL_UNARY_FUNCTION(cos, true)
ASHLAR_DETAIL_UNARY_FUNCTION(tan, true)
ASHLAR_DETAIL_UNARY_FUNCTION(tanh, true)
ASHLAR_DETAIL_UNARY_FUNCTION(floor, false)
ASHLAR_DETAIL_UNARY_FUNCTION(ceil, false)
ASHLAR_DETAIL_UNARY_FUNCTION(rint, false)
#undef ASHLAR_DETAIL_UNARY_FUNCTION

#define ASHLAR_DETAIL_BINARY_FUNCTION(word, complex_allowed)     \
  struct word##_function {                                      \
    static constexpr const char* name = #word;                  \
    static constexpr bool complex_ok = complex_allowed;         \
    template <class T>                                          \
    ASHLAR_HD static T scalar(T a, T b) {                       \
      using std::word;                                          \
      return word(a, b);                                        \
    }                                                           \
    template <class T>                                          \
    static std::complex<T> scalar(std::complex<T> a, std::complex<T> b) { \
      return std::word(a, b);                                   \
    }                                                           \
    template <class Isa, class T>                               \
    static void tile(const T* a, const T* b, T* out) {          \
      tile_math<Isa>::word(a, b, out);                          \
    }                                                           \
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
      if (b < 0) throw value_error("pow: integers to negative integer powers are not integers; use astype<double>(x) first");
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

// --- the user's own function --------------------------------------------------------------------------------------------

/// Hands std::complex to the user's function and takes it back.
template <class F>
struct user_op {
  static constexpr const char* name = "map";
  F f;
  template <class... A>
  ASHLAR_DETAIL_INLINE auto operator()(A... a) const {
    return kernel_type_t<std::remove_cvref_t<decltype(f(static_cast<user_type_t<A>>(a)...))>>(f(static_cast<user_type_t<A>>(a)...));
  }
};

}  // namespace ashlar::detail
