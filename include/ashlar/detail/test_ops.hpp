/// \file
/// Tests of elements: nearness, signs of infinities, imaginary parts, membership in a short list.
#pragma once

#include <cmath>
#include <type_traits>

#include <ashlar/detail/element_ops.hpp>

namespace ashlar::detail {

/// |a - b| <= absolute + relative * |b|, for finite b; what is equal is close, infinities too.
struct isclose_op : library_op {
  static constexpr const char* name = "isclose";
  template <class A, class B>
  ASHLAR_HD ASHLAR_DETAIL_INLINE bool operator()(A a_, B b_, double relative, double absolute, bool equal_nan) const {
    using R = floating_t<kernel_promote_t<A, B>>;
    const R a = cast_value<R>(a_);
    const R b = cast_value<R>(b_);
    const auto size = absolute_op{}(b);
    using T = std::remove_const_t<decltype(size)>;
    const bool near = absolute_op{}(a - b) <= static_cast<T>(absolute) + static_cast<T>(relative) * size;
    const bool nothing = both(equal_nan, both(isnan_op{}(a), isnan_op{}(b)));
    return either(either(both(near, isfinite_op{}(b)), a == b), nothing);
  }
};

template <bool Positive>
struct signed_infinity_op : library_op {
  static constexpr const char* name = Positive ? "isposinf" : "isneginf";
  template <class A>
  ASHLAR_HD ASHLAR_DETAIL_INLINE bool operator()(A a) const {
    static_assert(!complex_value<A>, "ashlar: infinities of complex numbers have no sign; test real(x) and imag(x)");
    return both(isinf_op{}(a), Positive ? a > A{} : a < A{});
  }
};

struct isreal_op : library_op {
  static constexpr const char* name = "isreal";
  template <class A>
  ASHLAR_HD ASHLAR_DETAIL_INLINE bool operator()(A a) const {
    if constexpr (complex_value<A>) {
      return a.imag() == 0;
    } else {
      return true;
    }
  }
};
struct iscomplex_op : library_op {
  static constexpr const char* name = "iscomplex";
  template <class A>
  ASHLAR_HD ASHLAR_DETAIL_INLINE bool operator()(A a) const {
    return !isreal_op{}(a);
  }
};

struct isin_op : library_op {
  static constexpr const char* name = "isin";
  template <class A, class... V>
  ASHLAR_HD ASHLAR_DETAIL_INLINE bool operator()(A a, V... values) const {
    bool found = false;
    static_cast<void>(a);
    ((found = either(found, a == values)), ...);
    return found;
  }
};

/// The angle of a complex number in the plane, of a real one 0 or pi.
struct angle_op : library_op {
  static constexpr const char* name = "angle";
  template <class A>
  ASHLAR_HD ASHLAR_DETAIL_INLINE auto operator()(A a, double factor) const {
    if constexpr (complex_value<A>) {
      return std::atan2(a.imag(), a.real()) * static_cast<typename A::value_type>(factor);
    } else {
      using R = floating_t<A>;
      return std::atan2(R{}, cast_value<R>(a)) * static_cast<R>(factor);
    }
  }
};

/// The second operand; the first gives its shape.
struct second_op : library_op {
  static constexpr const char* name = "broadcast";
  template <class A, class B>
  ASHLAR_HD ASHLAR_DETAIL_INLINE B operator()(A, B b) const {
    return b;
  }
};

}  // namespace ashlar::detail
