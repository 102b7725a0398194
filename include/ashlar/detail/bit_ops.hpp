/// \file
/// Operations on the bits of integers. Shifts are defined for every count, as in NumPy: bits that leave are gone, and a
/// negative count is read as a very large one.
#pragma once

#include <type_traits>

#include <ashlar/detail/arithmetic_ops.hpp>

namespace ashlar::detail {

template <class C>
struct bit_op : library_op {
  static constexpr const char* name = C::name;
  template <class A, class B>
  ASHLAR_HD ASHLAR_DETAIL_INLINE auto operator()(A a, B b) const {
    using R = kernel_promote_t<A, B>;
    static_assert(std::is_integral_v<R>,
                  "ashlar: &, | and ^ are for integers and bool (uint64 and a signed type meet in float64); conditions "
                  "of other numbers are joined by &&, || and logical_xor");
    if constexpr (std::is_integral_v<R>) {
      return static_cast<R>(C::apply(cast_value<R>(a), cast_value<R>(b)));
    } else {
      return R{};  // the error has been given
    }
  }
};

struct bitwise_and_rule {
  static constexpr const char* name = "bitwise_and";
  template <class R>
  ASHLAR_HD ASHLAR_DETAIL_INLINE static auto apply(R a, R b) {
    return a & b;
  }
};
struct bitwise_or_rule {
  static constexpr const char* name = "bitwise_or";
  template <class R>
  ASHLAR_HD ASHLAR_DETAIL_INLINE static auto apply(R a, R b) {
    return a | b;
  }
};
struct bitwise_xor_rule {
  static constexpr const char* name = "bitwise_xor";
  template <class R>
  ASHLAR_HD ASHLAR_DETAIL_INLINE static auto apply(R a, R b) {
    return a ^ b;
  }
};

struct invert_op : library_op {
  static constexpr const char* name = "invert";
  template <class A>
  ASHLAR_HD ASHLAR_DETAIL_INLINE A operator()(A a) const {
    static_assert(std::is_integral_v<A>, "ashlar: ~x is for integers and bool; the opposite of a condition is !x");
    if constexpr (std::is_same_v<A, bool>) {
      return !a;
    } else if constexpr (std::is_integral_v<A>) {
      return static_cast<A>(~a);
    } else {
      return a;  // the error has been given
    }
  }
};

/// C gives name and apply(value, count, whether the count is less than the number of bits).
template <class C>
struct shift_op : library_op {
  static constexpr const char* name = C::name;
  template <class A, class B>
  ASHLAR_HD ASHLAR_DETAIL_INLINE auto operator()(A a, B b) const {
    using P = kernel_promote_t<A, B>;
    using R = std::conditional_t<std::is_same_v<P, bool>, signed char, P>;
    static_assert(std::is_integral_v<R>,
                  "ashlar: << and >> are for integers (uint64 and a signed type meet in float64); multiply by exp2(n), "
                  "or use ldexp");
    if constexpr (std::is_integral_v<R>) {
      constexpr int bits = 8 * static_cast<int>(sizeof(R));
      const auto count = static_cast<wrap_t<R>>(+cast_value<R>(b));  // negative counts become large
      const bool inside = count < static_cast<wrap_t<R>>(bits);
      return C::apply(cast_value<R>(a), inside ? static_cast<int>(count) : bits - 1, inside);
    } else {
      return R{};  // the error has been given
    }
  }
};

struct left_shift_rule {
  static constexpr const char* name = "left_shift";
  template <class R>
  ASHLAR_HD ASHLAR_DETAIL_INLINE static R apply(R a, int count, bool inside) {
    const R shifted = static_cast<R>(static_cast<wrap_t<R>>(a) << count);
    return inside ? shifted : R{};
  }
};
struct right_shift_rule {
  static constexpr const char* name = "right_shift";
  template <class R>
  ASHLAR_HD ASHLAR_DETAIL_INLINE static R apply(R a, int count, bool inside) {
    const R shifted = static_cast<R>(a >> count);  // by all bits but the sign it is 0 or -1
    return inside || std::is_signed_v<R> ? shifted : R{};
  }
};

}  // namespace ashlar::detail
