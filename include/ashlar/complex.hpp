/// \file
/// The complex number that kernels compute with. Users hold std::complex, which device code cannot run and whose
/// product in g++ calls a library function; this one has the same layout, so a block of one is a block of the other.
#pragma once

#include <cmath>
#include <complex>
#include <type_traits>

#include <ashlar/detail/config.hpp>

namespace ashlar {

/// A complex number, real part first. Arithmetic is the textbook formulas: infinities and NaN follow from the parts,
/// without the special cases of C's Annex G; the quotient is Smith's algorithm (CACM 5, 1962), which does not overflow
/// before its result does, up to a factor of 2.
template <class T>
class complex {
 public:
  using value_type = T;

  complex() = default;
  ASHLAR_HD constexpr complex(T re, T im = T{}) noexcept : re_(re), im_(im) {}
  constexpr complex(const std::complex<T>& z) noexcept : re_(z.real()), im_(z.imag()) {}

  /// From the other width.
  template <class U>
    requires(!std::is_same_v<U, T>)
  ASHLAR_HD explicit constexpr complex(const complex<U>& z) noexcept
      : re_(static_cast<T>(z.real())), im_(static_cast<T>(z.imag())) {}

  constexpr operator std::complex<T>() const noexcept { return {re_, im_}; }

  ASHLAR_HD constexpr T real() const noexcept { return re_; }
  ASHLAR_HD constexpr T imag() const noexcept { return im_; }

  ASHLAR_HD constexpr complex& operator+=(complex b) noexcept { return *this = *this + b; }
  ASHLAR_HD constexpr complex& operator-=(complex b) noexcept { return *this = *this - b; }
  ASHLAR_HD constexpr complex& operator*=(complex b) noexcept { return *this = *this * b; }
  ASHLAR_HD constexpr complex& operator/=(complex b) noexcept { return *this = *this / b; }

  ASHLAR_HD friend constexpr complex operator+(complex a) noexcept { return a; }
  ASHLAR_HD friend constexpr complex operator-(complex a) noexcept { return {-a.re_, -a.im_}; }
  ASHLAR_HD friend constexpr complex operator+(complex a, complex b) noexcept { return {a.re_ + b.re_, a.im_ + b.im_}; }
  ASHLAR_HD friend constexpr complex operator-(complex a, complex b) noexcept { return {a.re_ - b.re_, a.im_ - b.im_}; }
  ASHLAR_HD friend constexpr complex operator*(complex a, complex b) noexcept {
    return {a.re_ * b.re_ - a.im_ * b.im_, a.re_ * b.im_ + a.im_ * b.re_};
  }
  ASHLAR_HD friend constexpr complex operator/(complex a, complex b) noexcept {
    const T re = b.re_ < T{} ? -b.re_ : b.re_;
    const T im = b.im_ < T{} ? -b.im_ : b.im_;
    if (re >= im) {
      if (re == T{} && im == T{}) return {a.re_ / re, a.im_ / re};
      const T ratio = b.im_ / b.re_;
      const T scale = T{1} / (b.re_ + b.im_ * ratio);
      return {(a.re_ + a.im_ * ratio) * scale, (a.im_ - a.re_ * ratio) * scale};
    }
    const T ratio = b.re_ / b.im_;
    const T scale = T{1} / (b.im_ + b.re_ * ratio);
    return {(a.re_ * ratio + a.im_) * scale, (a.im_ * ratio - a.re_) * scale};
  }

  ASHLAR_HD friend constexpr bool operator==(complex a, complex b) noexcept { return a.re_ == b.re_ && a.im_ == b.im_; }

 private:
  T re_;
  T im_;
};

template <class T>
ASHLAR_HD constexpr T real(complex<T> z) noexcept {
  return z.real();
}

template <class T>
ASHLAR_HD constexpr T imag(complex<T> z) noexcept {
  return z.imag();
}

template <class T>
ASHLAR_HD constexpr complex<T> conj(complex<T> z) noexcept {
  return {z.real(), -z.imag()};
}

/// The squared magnitude.
template <class T>
ASHLAR_HD constexpr T norm(complex<T> z) noexcept {
  return z.real() * z.real() + z.imag() * z.imag();
}

/// The magnitude, without overflow on the way.
template <class T>
ASHLAR_HD T abs(complex<T> z) noexcept {
#if defined(__CUDA_ARCH__)
  return ::hypot(z.real(), z.imag());
#else
  return std::hypot(z.real(), z.imag());
#endif
}

namespace detail {

template <class T>
struct device_type {
  using type = T;
};
template <class T>
struct device_type<std::complex<T>> {
  using type = complex<T>;
};

template <class T>
struct host_type {
  using type = T;
};
template <class T>
struct host_type<complex<T>> {
  using type = std::complex<T>;
};

}  // namespace detail

/// What a kernel sees for an array's element: complex<T> for std::complex<T>, any other type itself.
template <class T>
using device_type_t = typename detail::device_type<T>::type;

/// The way back.
template <class T>
using host_type_t = typename detail::host_type<T>::type;

static_assert(sizeof(complex<float>) == sizeof(std::complex<float>) &&
              alignof(complex<float>) == alignof(std::complex<float>));
static_assert(sizeof(complex<double>) == sizeof(std::complex<double>) &&
              alignof(complex<double>) == alignof(std::complex<double>));
static_assert(std::is_trivially_copyable_v<complex<double>> && std::is_standard_layout_v<complex<double>>);

}  // namespace ashlar
