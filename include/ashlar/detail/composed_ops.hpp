/// \file
/// Functions that are made of several tile functions, each a tile function itself, so that the operands are evaluated
/// once and every step is vector code.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

#include <ashlar/detail/float_ops.hpp>
#include <ashlar/error.hpp>

namespace ashlar::detail {

/// log(exp(a) + exp(b)) = max + log1p(exp(-|a - b|)), which overflows only where the result does; `Two` is the same
/// with base 2.
template <bool Two>
struct logaddexp_op : library_op {
  using tiled = void;
  static constexpr const char* name = Two ? "logaddexp2" : "logaddexp";
  template <class A, class B>
  ASHLAR_HD ASHLAR_DETAIL_INLINE auto operator()(A a_, B b_) const {
    using R = common_floating_t<A, B>;
    require_real<R>();
    const R a = cast_value<R>(a_);
    const R b = cast_value<R>(b_);
    const R d = -std::fabs(a - b);
    return join(a, b, std::log1p(Two ? std::exp2(d) : std::exp(d)));
  }
  template <class Isa, class T>
  ASHLAR_DETAIL_INLINE static void tile(const T* a, const T* b, T* out) {
    alignas(64) T d[lanes];
    for (int i = 0; i < lanes; ++i) d[i] = -std::fabs(a[i] - b[i]);
    if constexpr (Two) {
      tile_math<Isa>::exp2(d, d);
    } else {
      tile_math<Isa>::exp(d, d);
    }
    tile_math<Isa>::log1p(d, d);
    for (int i = 0; i < lanes; ++i) out[i] = join(a[i], b[i], d[i]);
  }

 private:
  template <class R>
  ASHLAR_HD ASHLAR_DETAIL_INLINE static R join(R a, R b, R rest) {
    const R more = Two ? rest * R(1.442695040888963407) : rest;
    const R equal = a + (Two ? R(1) : R(0.693147180559945309));  // infinities of one sign too
    const R larger = a > b ? a : b;
    return a == b ? equal : larger + more;
  }
};

/// sin(pi x) / (pi x), 1 at 0. The sine is taken of what is left beside the nearest whole number, which is exact: zeros
/// are zeros, and large arguments lose no digits.
struct sinc_op : library_op {
  using tiled = void;
  static constexpr const char* name = "sinc";
  template <class A>
  ASHLAR_HD ASHLAR_DETAIL_INLINE auto operator()(A a) const {
    using R = floating_t<A>;
    require_real<R>();
    const R x = cast_value<R>(a);
    const R whole = std::rint(x);
    return join(x, whole, std::rint(whole / 2), std::sin(R(pi) * (x - whole)));
  }
  template <class Isa, class T>
  ASHLAR_DETAIL_INLINE static void tile(const T* in, T* out) {
    alignas(64) T whole[lanes];
    alignas(64) T half[lanes];
    alignas(64) T sine[lanes];
    tile_math<Isa>::rint(in, whole);
    for (int i = 0; i < lanes; ++i) half[i] = whole[i] / 2;
    tile_math<Isa>::rint(half, half);
    for (int i = 0; i < lanes; ++i) sine[i] = T(pi) * (in[i] - whole[i]);
    tile_math<Isa>::sin(sine, sine);
    for (int i = 0; i < lanes; ++i) out[i] = join(in[i], whole[i], half[i], sine[i]);
  }

 private:
  static constexpr double pi = 3.14159265358979323846;
  template <class R>
  ASHLAR_HD ASHLAR_DETAIL_INLINE static R join(R x, R whole, R half, R sine) {
    const R turned = half * 2 == whole ? sine : -sine;
    const R ratio = turned / (R(pi) * x);
    return x == 0 ? R(1) : ratio;
  }
};

/// To `scale` parts of one, or to multiples of -`scale` where that is negative; ties to even. Numbers too large to have
/// digits there stay as they are.
struct round_op : library_op {
  using tiled = void;
  static constexpr const char* name = "round";
  template <class A, class S>
  ASHLAR_HD ASHLAR_DETAIL_INLINE A operator()(A a, S scale) const {
    if constexpr (complex_value<A>) {
      return A((*this)(a.real(), scale.real()), (*this)(a.imag(), scale.real()));
    } else {
      return back(a, std::rint(there(a, scale)), scale);
    }
  }
  template <class Isa, class T>
  ASHLAR_DETAIL_INLINE static void tile(const T* a, const T* scale, T* out) {
    if constexpr (complex_value<T>) {
      for (int i = 0; i < lanes; ++i) out[i] = round_op{}(a[i], scale[i]);
    } else {
      alignas(64) T whole[lanes];
      for (int i = 0; i < lanes; ++i) whole[i] = there(a[i], scale[i]);
      tile_math<Isa>::rint(whole, whole);
      for (int i = 0; i < lanes; ++i) out[i] = back(a[i], whole[i], scale[i]);
    }
  }

 private:
  template <class T>
  ASHLAR_HD ASHLAR_DETAIL_INLINE static T there(T a, T scale) {
    return scale > 0 ? a * scale : a / -scale;
  }
  template <class T>
  ASHLAR_HD ASHLAR_DETAIL_INLINE static T back(T a, T whole, T scale) {
    constexpr T digits = T(std::uint64_t{1} << (std::numeric_limits<T>::digits - 1));
    const T rounded = scale > 0 ? whole / scale : whole * -scale;
    const bool coarse = both(scale < 0, both(!isfinite_op{}(scale), isfinite_op{}(a)));
    const T far = coarse ? std::copysign(T{}, a) : a;
    return both(std::fabs(whole) < digits, isfinite_op{}(rounded)) ? rounded : far;
  }
};

/// Integers to multiples of `unit`, ties to even; a unit of 0 stands for one that no integer reaches. Wraps.
struct round_integer_op : library_op {
  static constexpr const char* name = "round";
  template <class A>
  ASHLAR_HD ASHLAR_DETAIL_INLINE A operator()(A a, std::uint64_t unit) const {
    static_assert(std::is_integral_v<A>);
    if (unit == 0) return A{};
    const bool negative = a < A{};
    const std::uint64_t magnitude =
        negative ? std::uint64_t{0} - static_cast<std::uint64_t>(a) : static_cast<std::uint64_t>(a);
    std::uint64_t count = magnitude / unit;
    const std::uint64_t above = magnitude - count * unit;
    const std::uint64_t below = unit - above;
    if (above > below || (above == below && (count & 1) != 0)) ++count;
    const std::uint64_t rounded = count * unit;
    return static_cast<A>(negative ? std::uint64_t{0} - rounded : rounded);
  }
};

/// pow in at least double.
struct float_power_op : library_op {
  using tiled = void;
  static constexpr const char* name = "float_power";
  template <class A, class B>
  ASHLAR_HD ASHLAR_DETAIL_INLINE auto operator()(A a, B b) const {
    using R = kernel_promote_t<double, kernel_promote_t<A, B>>;
    return binary_function_op<pow_function>{}(cast_value<R>(a), cast_value<R>(b));
  }
  template <class Isa, class T>
  static void tile(const T* a, const T* b, T* out) {
    binary_function_op<pow_function>::tile<Isa>(a, b, out);
  }
};

/// How choose reads an index: 0 takes it as it is, 1 wraps it around, 2 clips it. Not for devices, which cannot throw.
struct choose_index_op : library_op {
  using host_only = void;
  static constexpr const char* name = "choose";
  template <class A>
  std::int64_t operator()(A a, std::int64_t count, std::int8_t mode) const {
    static_assert(std::is_integral_v<A>, "ashlar: the indices given to choose are integers; use astype<int>");
    const bool above = a > A{} && static_cast<std::uint64_t>(a) >= static_cast<std::uint64_t>(count);
    const bool below = a < A{};
    if (!above && !below) return static_cast<std::int64_t>(a);
    if (mode == 2) return below ? 0 : count - 1;
    if (mode == 0) {
      throw index_error("choose: the index " + std::to_string(a) + " is outside the " + std::to_string(count) +
                        " choices, 0 to " + std::to_string(count - 1) + "; choose_mode::wrap and choose_mode::clip " +
                        "allow every index");
    }
    if (above) return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) % static_cast<std::uint64_t>(count));
    const std::int64_t r = static_cast<std::int64_t>(a) % count;
    return r < 0 ? r + count : r;
  }
};

}  // namespace ashlar::detail
