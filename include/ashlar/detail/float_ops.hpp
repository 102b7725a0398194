/// \file
/// How floating-point numbers are made up, and their neighbours: signs, exponents, parts, remainders; and extrema that
/// pass NaN over. Integers and bool are taken as double where a function gives floating-point numbers.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <ashlar/detail/element_ops.hpp>

namespace ashlar::detail {

/// The floating type in which both operands meet.
template <class A, class B>
using common_floating_t = floating_t<kernel_promote_t<A, B>>;

/// A variable, since device code may not call numeric_limits.
template <class R>
inline constexpr R infinite = std::numeric_limits<R>::infinity();

template <class R>
ASHLAR_HD constexpr void require_real() {
  static_assert(!complex_value<R>, "ashlar: this function is not defined for complex numbers");
}

struct copysign_op : library_op {
  static constexpr const char* name = "copysign";
  template <class A, class B>
  ASHLAR_HD ASHLAR_DETAIL_INLINE auto operator()(A a, B b) const {
    using R = common_floating_t<A, B>;
    require_real<R>();
    return std::copysign(cast_value<R>(a), cast_value<R>(b));
  }
};

struct signbit_op : library_op {
  static constexpr const char* name = "signbit";
  template <class A>
  ASHLAR_HD ASHLAR_DETAIL_INLINE bool operator()(A a) const {
    require_real<A>();
    if constexpr (std::is_floating_point_v<A>) {
      return std::signbit(a);
    } else {
      return a < A{};
    }
  }
};

struct nextafter_op : library_op {
  static constexpr const char* name = "nextafter";
  template <class A, class B>
  ASHLAR_HD ASHLAR_DETAIL_INLINE auto operator()(A a, B b) const {
    using R = common_floating_t<A, B>;
    require_real<R>();
    return std::nextafter(cast_value<R>(a), cast_value<R>(b));
  }
};

struct spacing_op : library_op {
  static constexpr const char* name = "spacing";
  template <class A>
  ASHLAR_HD ASHLAR_DETAIL_INLINE auto operator()(A a) const {
    using R = floating_t<A>;
    require_real<R>();
    const R x = cast_value<R>(a);
    return std::nextafter(x, x < 0 ? -infinite<R> : infinite<R>) - x;
  }
};

/// x * 2^e; exponents beyond the range of every type are as good as the ends of it.
struct ldexp_op : library_op {
  static constexpr const char* name = "ldexp";
  template <class A, class B>
  ASHLAR_HD ASHLAR_DETAIL_INLINE auto operator()(A a, B e) const {
    using R = floating_t<A>;
    require_real<R>();
    static_assert(std::is_integral_v<B>, "ashlar: the exponents given to ldexp are integers; use x * exp2(e)");
    constexpr int limit = 5000;
    int n = limit;
    if (!(e > B{}) || static_cast<std::uint64_t>(e) < std::uint64_t{limit}) {
      n = static_cast<std::int64_t>(e) < -limit ? -limit : static_cast<int>(e);
    }
    return std::ldexp(cast_value<R>(a), n);
  }
};

struct mantissa_op : library_op {
  static constexpr const char* name = "frexp";
  template <class A>
  ASHLAR_HD ASHLAR_DETAIL_INLINE auto operator()(A a) const {
    using R = floating_t<A>;
    require_real<R>();
    int exponent = 0;
    return std::frexp(cast_value<R>(a), &exponent);
  }
};
/// 0 for infinities and NaN, for which C leaves it open.
struct exponent_op : library_op {
  static constexpr const char* name = "frexp";
  template <class A>
  ASHLAR_HD ASHLAR_DETAIL_INLINE std::int32_t operator()(A a) const {
    using R = floating_t<A>;
    require_real<R>();
    const R x = cast_value<R>(a);
    int exponent = 0;
    static_cast<void>(std::frexp(x, &exponent));
    return isfinite_op{}(x) ? exponent : 0;
  }
};

/// What truncation leaves, with the sign of the number.
struct fraction_op : library_op {
  using tiled = void;
  static constexpr const char* name = "modf";
  template <class A>
  ASHLAR_HD ASHLAR_DETAIL_INLINE auto operator()(A a) const {
    using R = floating_t<A>;
    require_real<R>();
    const R x = cast_value<R>(a);
    return rest(x, std::trunc(x));
  }
  template <class Isa, class T>
  ASHLAR_DETAIL_INLINE static void tile(const T* in, T* out) {
    alignas(64) T whole[lanes];
    tile_math<Isa>::trunc(in, whole);
    for (int i = 0; i < lanes; ++i) out[i] = rest(in[i], whole[i]);
  }

 private:
  template <class R>
  ASHLAR_HD ASHLAR_DETAIL_INLINE static R rest(R x, R whole) {
    return std::copysign(x == whole ? R{} : x - whole, x);
  }
};

/// The remainder of division towards zero: the result has the dividend's sign.
struct fmod_op : library_op {
  static constexpr const char* name = "fmod";
  template <class A, class B>
  ASHLAR_HD ASHLAR_DETAIL_INLINE auto operator()(A a_, B b_) const {
    using R = kernel_promote_t<A, B>;
    require_real<R>();
    static_assert(!std::is_same_v<R, bool>, "ashlar: fmod is not defined for bool; use astype<int>");
    const R a = cast_value<R>(a_);
    const R b = cast_value<R>(b_);
    if constexpr (std::is_integral_v<R>) {
      if (b == 0) return R{};
      if constexpr (std::is_signed_v<R>) {
        if (b == -1) return R{};  // the quotient of the lowest value would overflow
      }
      return static_cast<R>(a % b);
    } else {
      return std::fmod(a, b);
    }
  }
};

struct fabs_op : library_op {
  static constexpr const char* name = "fabs";
  template <class A>
  ASHLAR_HD ASHLAR_DETAIL_INLINE auto operator()(A a) const {
    require_real<A>();
    return std::fabs(cast_value<floating_t<A>>(a));
  }
};

/// Integers divide as integers do: 1 and -1 stay, 0 gives 0 as division by it does, all others 0.
struct reciprocal_op : library_op {
  static constexpr const char* name = "reciprocal";
  template <class A>
  ASHLAR_HD ASHLAR_DETAIL_INLINE A operator()(A a) const {
    static_assert(!std::is_same_v<A, bool>, "ashlar: reciprocal is not defined for bool; use 1.0 / x");
    if constexpr (std::is_integral_v<A>) {
      if constexpr (std::is_signed_v<A>) {
        return a == 1 || a == -1 ? a : A{};
      } else {
        return a == 1 ? a : A{};
      }
    } else {
      return A(1) / a;
    }
  }
};

struct positive_op : library_op {
  static constexpr const char* name = "positive";
  template <class A>
  ASHLAR_HD ASHLAR_DETAIL_INLINE A operator()(A a) const {
    static_assert(!std::is_same_v<A, bool>, "ashlar: positive is not defined for bool");
    return a;
  }
};

/// x times a factor, in the floating type of x.
struct scale_op : library_op {
  static constexpr const char* name = "scale";
  template <class A>
  ASHLAR_HD ASHLAR_DETAIL_INLINE auto operator()(A a, double factor) const {
    require_real<A>();
    using R = floating_t<A>;
    return cast_value<R>(a) * static_cast<R>(factor);
  }
};
struct deg2rad_op : scale_op {
  static constexpr const char* name = "deg2rad";
};
struct rad2deg_op : scale_op {
  static constexpr const char* name = "rad2deg";
};

/// Replaces NaN and infinities; each part of complex numbers for itself.
struct nan_to_num_op : library_op {
  static constexpr const char* name = "nan_to_num";
  template <class A, class T>
  ASHLAR_HD ASHLAR_DETAIL_INLINE A operator()(A a, T nan, T high, T low) const {
    if constexpr (complex_value<A>) {
      return A((*this)(a.real(), nan, high, low), (*this)(a.imag(), nan, high, low));
    } else {
      const A infinite = a > A{} ? high : low;
      const A other = isnan_op{}(a) ? nan : infinite;
      return isfinite_op{}(a) ? a : other;
    }
  }
};

}  // namespace ashlar::detail
