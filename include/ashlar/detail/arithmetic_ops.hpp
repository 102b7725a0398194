/// \file
/// What all element-wise operations share, and arithmetic; see element_ops.hpp. Types follow NumPy 2's promotion,
/// integers wrap, integer division by zero gives 0 as in NumPy.
#pragma once

#include <cmath>
#include <type_traits>

#include <ashlar/complex.hpp>
#include <ashlar/detail/tile_kernel.hpp>
#include <ashlar/dtype.hpp>

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

// --- arithmetic ---

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
    static_assert(!std::is_same_v<R, bool>,
                  "ashlar: bool - bool is not defined; use a != b (exclusive or) or astype<int>");
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

}  // namespace ashlar::detail
