// Reductions by plain loops, for comparison: everything in long double and 64-bit integers, one element after the
// other.
#pragma once

#include <cmath>
#include <complex>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include <ashlar/ndarray.hpp>

namespace ashlar::test {

/// One value of any element type; integers also as they are, since long double need not hold their products.
struct number {
  long double re = 0;
  long double im = 0;
  std::uint64_t bits = 0;
};

template <class T>
number to_number(T x) {
  if constexpr (std::is_floating_point_v<T>) {
    return {static_cast<long double>(x), 0, 0};
  } else if constexpr (std::is_integral_v<T>) {
    return {static_cast<long double>(x), 0, static_cast<std::uint64_t>(x)};
  } else {
    return {static_cast<long double>(x.real()), static_cast<long double>(x.imag()), 0};
  }
}

/// Elements in C order, whatever the strides.
template <class T>
std::vector<number> to_numbers(const ndarray<T>& a) {
  std::vector<number> out;
  out.reserve(static_cast<std::size_t>(a.size()));
  for (const T& x : a) out.push_back(to_number(x));
  return out;
}

/// What a plain loop gives for one kept position.
struct reduced {
  std::int64_t count = 0;
  number sum;
  number product{1, 0, 1};
  long double magnitude = 0;  // sum of |x|, the scale of rounding errors
  number mean;
  long double m2 = 0;  // sum of |x - mean|^2
  long double min = 0;
  long double max = 0;
  std::int64_t argmin = -1;
  std::int64_t argmax = -1;
  std::int64_t nonzero = 0;
};

/// `kept` by C order of the kept axes. The index that argmin counts is that of the reduced axes alone, in C order.
inline std::vector<reduced> reduce_plainly(const std::vector<number>& values, const shape& extents,
                                           unsigned axes_mask) {
  std::int64_t kept = 1;
  for (int a = 0; a < extents.ndim(); ++a) {
    if ((axes_mask >> a & 1u) == 0) kept *= extents[a];
  }
  std::vector<reduced> out(static_cast<std::size_t>(kept));
  std::vector<std::size_t> position(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::int64_t rest = static_cast<std::int64_t>(i);
    std::int64_t at = 0;
    std::int64_t weight = 1;
    for (int a = extents.ndim() - 1; a >= 0; --a) {
      const std::int64_t x = rest % extents[a];
      rest /= extents[a];
      if ((axes_mask >> a & 1u) != 0) continue;
      at += x * weight;
      weight *= extents[a];
    }
    position[i] = static_cast<std::size_t>(at);
    reduced& r = out[position[i]];
    const number& v = values[i];
    if (r.count == 0 || (!std::isnan(r.min) && (std::isnan(v.re) || v.re < r.min))) {
      r.min = v.re;
      r.argmin = r.count;
    }
    if (r.count == 0 || (!std::isnan(r.max) && (std::isnan(v.re) || v.re > r.max))) {
      r.max = v.re;
      r.argmax = r.count;
    }
    ++r.count;
    r.sum.re += v.re;
    r.sum.im += v.im;
    r.sum.bits += v.bits;
    const long double re = r.product.re * v.re - r.product.im * v.im;
    r.product.im = r.product.re * v.im + r.product.im * v.re;
    r.product.re = re;
    r.product.bits *= v.bits;
    r.magnitude += std::hypot(v.re, v.im);
    if (v.re != 0 || v.im != 0) ++r.nonzero;
  }
  for (reduced& r : out) {
    r.mean = {r.sum.re / static_cast<long double>(r.count), r.sum.im / static_cast<long double>(r.count), 0};
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    reduced& r = out[position[i]];
    const long double re = values[i].re - r.mean.re;
    const long double im = values[i].im - r.mean.im;
    r.m2 += re * re + im * im;
  }
  return out;
}

/// Equal, both NaN, or within `tolerance`.
inline bool near(long double got, long double expected, long double tolerance) {
  if (std::isnan(expected)) return std::isnan(got);
  return got == expected || std::abs(got - expected) <= tolerance;
}

}  // namespace ashlar::test
