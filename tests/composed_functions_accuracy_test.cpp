// Functions made of several vector functions, against the long double library: sinc within 6 units in the last place,
// logaddexp and logaddexp2 within 16 units of the larger of operand and result, which is where their sum can cancel,
// angles in degrees within 1.
#include <ashlar/functions.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include <doctest/doctest.h>

#include "support/lazy_check.hpp"

using ashlar::from;
using ashlar::ndarray;

namespace {

const long double pi = std::acos(-1.0L);

/// |got - exact| in units in the last place of `size`.
template <class T>
double units(T got, long double exact, long double size) {
  int exponent = 0;
  static_cast<void>(std::frexp(static_cast<T>(size), &exponent));
  constexpr int digits = std::numeric_limits<T>::digits;
  const int least = std::numeric_limits<T>::min_exponent - digits;
  const int unit = exponent - digits < least ? least : exponent - digits;
  return static_cast<double>(std::fabs(static_cast<long double>(got) - exact) / std::ldexp(1.0L, unit));
}

long double exact_sinc(long double x) {
  if (x == 0) return 1;
  const long double whole = std::rint(x);
  const long double sine = std::sin(pi * (x - whole));
  return (std::fmod(whole, 2.0L) != 0 ? -sine : sine) / (pi * x);
}

}  // namespace

TEST_CASE_TEMPLATE("composed functions are as near as their page says", T, double, float) {
  constexpr int n = 100000;
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> uniform(-1, 1);
  ndarray<T> x({n});
  ndarray<T> y({n});
  for (int i = 0; i < n; ++i) {
    x(i) = static_cast<T>(uniform(random) * std::pow(10.0, i % 9 - 4));
    y(i) = static_cast<T>(uniform(random) * std::pow(10.0, i / 9 % 5 - 2));
  }
  const auto [s, l, l2, radians, degrees] =
      ashlar::compute(ashlar::serial{}, sinc(from(x)), logaddexp(from(x), from(y)), logaddexp2(from(x), from(y)),
                      deg2rad(from(x)), rad2deg(from(x)));
  double worst[5] = {};
  const auto add = [&](int k, double off) { worst[k] = off > worst[k] ? off : worst[k]; };
  for (int i = 0; i < n; ++i) {
    const long double a = x(i);
    const long double b = y(i);
    const long double exact = exact_sinc(a);
    add(0, units(s(i), exact, exact));
    const long double larger = a > b ? a : b;
    const long double apart = std::fabs(a - b);
    const long double e = larger + std::log1p(std::exp(-apart));
    add(1, units(l(i), e, std::fmax(std::fabs(larger), std::fabs(e))));
    const long double e2 = larger + std::log1p(std::exp2(-apart)) / std::log(2.0L);
    add(2, units(l2(i), e2, std::fmax(std::fabs(larger), std::fabs(e2))));
    add(3, units(radians(i), a * pi / 180, a * pi / 180));
    add(4, units(degrees(i), a * 180 / pi, a * 180 / pi));
  }
  CHECK(worst[0] <= 6);
  CHECK(worst[1] <= 16);
  CHECK(worst[2] <= 16);
  CHECK(worst[3] <= 1);
  CHECK(worst[4] <= 1);
}
