/// \file
/// The element-wise operations as functors: stateless, pure, callable on host and device. Kernels inline them; names
/// are NumPy's. Types follow NumPy 2's promotion, integers wrap, integer division by zero gives 0 as in NumPy.
#pragma once

#include <type_traits>
#include <utility>

#include <ashlar/detail/arithmetic_ops.hpp>
#include <ashlar/detail/function_ops.hpp>

namespace ashlar::detail {

// --- comparison and logic ---

/// Comparisons of integers of both signs are exact; everything else compares in the promoted type.
template <class C>
struct compare_op : library_op {
  static constexpr const char* name = C::name;
  template <class A, class B>
  ASHLAR_HD ASHLAR_DETAIL_INLINE bool operator()(A a, B b) const {
    if constexpr (std::is_integral_v<A> && std::is_integral_v<B> && !std::is_same_v<A, bool> &&
                  !std::is_same_v<B, bool> && std::is_signed_v<A> != std::is_signed_v<B>) {
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
  ASHLAR_HD static constexpr bool compare(A a, B b) {
    return a == b;
  }
};
struct not_equal_rule {
  static constexpr const char* name = "not_equal";
  static constexpr bool complex_ok = true;
  template <class A, class B>
  ASHLAR_HD static constexpr bool compare(A a, B b) {
    return !(a == b);
  }
};
struct less_rule {
  static constexpr const char* name = "less";
  static constexpr bool complex_ok = false;
  template <class A, class B>
  ASHLAR_HD static constexpr bool compare(A a, B b) {
    return a < b;
  }
};
struct less_equal_rule {
  static constexpr const char* name = "less_equal";
  static constexpr bool complex_ok = false;
  template <class A, class B>
  ASHLAR_HD static constexpr bool compare(A a, B b) {
    return a <= b;
  }
};
struct greater_rule {
  static constexpr const char* name = "greater";
  static constexpr bool complex_ok = false;
  template <class A, class B>
  ASHLAR_HD static constexpr bool compare(A a, B b) {
    return a > b;
  }
};
struct greater_equal_rule {
  static constexpr const char* name = "greater_equal";
  static constexpr bool complex_ok = false;
  template <class A, class B>
  ASHLAR_HD static constexpr bool compare(A a, B b) {
    return a >= b;
  }
};

// Without a branch, so that loops vectorise.
ASHLAR_HD ASHLAR_DETAIL_INLINE constexpr bool both(bool a, bool b) {
  return (static_cast<int>(a) & static_cast<int>(b)) != 0;
}
ASHLAR_HD ASHLAR_DETAIL_INLINE constexpr bool either(bool a, bool b) {
  return (static_cast<int>(a) | static_cast<int>(b)) != 0;
}

struct logical_and_op : library_op {
  static constexpr const char* name = "logical_and";
  template <class A, class B>
  ASHLAR_HD ASHLAR_DETAIL_INLINE bool operator()(A a, B b) const {
    return both(cast_value<bool>(a), cast_value<bool>(b));
  }
};
struct logical_or_op : library_op {
  static constexpr const char* name = "logical_or";
  template <class A, class B>
  ASHLAR_HD ASHLAR_DETAIL_INLINE bool operator()(A a, B b) const {
    return either(cast_value<bool>(a), cast_value<bool>(b));
  }
};
struct logical_xor_op : library_op {
  static constexpr const char* name = "logical_xor";
  template <class A, class B>
  ASHLAR_HD ASHLAR_DETAIL_INLINE bool operator()(A a, B b) const {
    return cast_value<bool>(a) != cast_value<bool>(b);
  }
};
struct logical_not_op : library_op {
  static constexpr const char* name = "logical_not";
  template <class A>
  ASHLAR_HD ASHLAR_DETAIL_INLINE bool operator()(A a) const {
    return !cast_value<bool>(a);
  }
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

// --- parts of complex numbers ---

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

struct replace_nan_op : library_op {
  static constexpr const char* name = "replace_nan";
  template <class A>
  ASHLAR_HD ASHLAR_DETAIL_INLINE A operator()(A a, A by) const {
    return isnan_op{}(a) ? by : a;
  }
};

// --- selection ---

/// The smaller or the larger of both. NaN wins over every number, the first argument's over the second's, or loses.
template <bool Smaller, bool NanWins>
struct extremum_op : library_op {
  template <class A, class B>
  ASHLAR_HD ASHLAR_DETAIL_INLINE auto operator()(A a_, B b_) const {
    using R = kernel_promote_t<A, B>;
    static_assert(!complex_value<R>, "ashlar: complex numbers have no order, so no minimum and no maximum");
    const R a = cast_value<R>(a_);
    const R b = cast_value<R>(b_);
    return ((Smaller ? a <= b : a >= b) || isnan_op{}(NanWins ? a : b)) ? a : b;
  }
};
struct minimum_op : extremum_op<true, true> {
  static constexpr const char* name = "minimum";
};
struct maximum_op : extremum_op<false, true> {
  static constexpr const char* name = "maximum";
};
struct fmin_op : extremum_op<true, false> {
  static constexpr const char* name = "fmin";
};
struct fmax_op : extremum_op<false, false> {
  static constexpr const char* name = "fmax";
};
// clip is a maximum and then a minimum; what goes wrong in either is told as clip's.
struct clip_low_op : maximum_op {
  static constexpr const char* name = "clip";
};
struct clip_high_op : minimum_op {
  static constexpr const char* name = "clip";
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

// --- the user's own function ---

/// Hands std::complex to the user's function and takes it back.
template <class F>
struct user_op {
  static constexpr const char* name = "map";
  F f;
  template <class... A>
  ASHLAR_DETAIL_INLINE auto operator()(A... a) const {
    return kernel_type_t<std::remove_cvref_t<decltype(f(static_cast<user_type_t<A>>(a)...))>>(
        f(static_cast<user_type_t<A>>(a)...));
  }
};

}  // namespace ashlar::detail
