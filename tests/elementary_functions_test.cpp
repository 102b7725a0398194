#include <ashlar/functions.hpp>

#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <vector>

#include <doctest/doctest.h>

#include "support/lazy_check.hpp"

using ashlar::array;
using ashlar::from;
using ashlar::ndarray;

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

/// 300 numbers of all magnitudes with the special ones at ends of tiles and blocks.
ndarray<double> samples() {
  ndarray<double> x({300});
  for (std::int64_t i = 0; i < 300; ++i)
    x(i) = std::sin(static_cast<double>(i) * 1.7) * std::pow(10.0, static_cast<double>(i % 5) - 2);
  const double special[] = {0.0,    -0.0, inf,  -inf, not_a_number, -not_a_number, 1e300, -1e-310,
                            5e-324, 0.5,  -0.5, 1.5,  2.5};
  std::int64_t at = 0;
  for (const double s : special) x((at += 23) - 1) = s;
  x(299) = not_a_number;
  x(128) = -0.0;
  return x;
}

bool close(double got, double want) {
  if (std::isnan(want)) return std::isnan(got);
  if (std::isinf(want) || want == 0) return got == want && std::signbit(got) == std::signbit(want);
  return std::abs(got - want) <= 1e-15 * std::abs(want) + 1e-320;
}

/// The function's values agree with std's, and neither chunks nor executors change a bit, in double and float.
template <class F, class G>
void check_unary(const char* name, F f, G plain) {
  CAPTURE(name);
  const ndarray<double> in = samples();
  CHECK(independent_of_chunks(in, [&](const array<double>& x) { return array<double>(f(x)); }));
  const auto got = f(from(in)).compute();
  for (std::int64_t i = 0; i < in.size(); ++i) {
    CAPTURE(in(i));
    CHECK(close(got(i), plain(in(i))));
  }
}

template <class F, class G>
void check_binary(const char* name, F f, G plain) {
  CAPTURE(name);
  const ndarray<double> in = samples();
  const ndarray<double> other = in.slice(0, 299, -1, -1);
  CHECK(independent_of_chunks(
      in, [&](const array<double>& x) { return array<double>(f(x, from(other, {.chunks = {77}}))); }));
  const auto got = f(from(in), from(other)).compute();
  for (std::int64_t i = 0; i < in.size(); ++i) {
    CAPTURE(in(i));
    CAPTURE(other(i));
    CHECK(close(got(i), plain(in(i), other(i))));
  }
}

double smaller(double a, double b) { return a != a ? a : b != b ? b : b < a ? b : a; }
double larger(double a, double b) { return a != a ? a : b != b ? b : a < b ? b : a; }

}  // namespace

#define CHECK_SAME_AS_STD(word) \
  check_unary(                  \
      #word, [](const auto& x) { return word(x); }, [](double v) { return std::word(v); })

TEST_CASE("elementary functions: exponentials and logarithms") {
  CHECK_SAME_AS_STD(exp);
  CHECK_SAME_AS_STD(log);
  CHECK_SAME_AS_STD(log1p);
  CHECK_SAME_AS_STD(expm1);
  CHECK_SAME_AS_STD(exp2);
  CHECK_SAME_AS_STD(log2);
  CHECK_SAME_AS_STD(log10);
}

TEST_CASE("elementary functions: circles and hyperbolas") {
  CHECK_SAME_AS_STD(sin);
  CHECK_SAME_AS_STD(cos);
  CHECK_SAME_AS_STD(tan);
  CHECK_SAME_AS_STD(tanh);
  CHECK_SAME_AS_STD(sinh);
  CHECK_SAME_AS_STD(cosh);
}

TEST_CASE("elementary functions: inverses, by both names") {
  CHECK_SAME_AS_STD(asin);
  CHECK_SAME_AS_STD(acos);
  CHECK_SAME_AS_STD(atan);
  CHECK_SAME_AS_STD(asinh);
  CHECK_SAME_AS_STD(acosh);
  CHECK_SAME_AS_STD(atanh);
  const array<double> x = from(samples());
  const array<double> y = from(ndarray<double>(samples().slice(0, 299, -1, -1)));
  const auto same = [](const auto& a, const auto& b) { return same_bits(a.compute(), b.compute()); };
  CHECK(same(arcsin(x), asin(x)));
  CHECK(same(arccos(x), acos(x)));
  CHECK(same(arctan(x), atan(x)));
  CHECK(same(arcsinh(x), asinh(x)));
  CHECK(same(arccosh(x), acosh(x)));
  CHECK(same(arctanh(x), atanh(x)));
  CHECK(same(arctan2(x, y), atan2(x, y)));
  CHECK(same(power(x, y), pow(x, y)));
}

TEST_CASE("elementary functions: roots and rounding") {
  CHECK_SAME_AS_STD(sqrt);
  CHECK_SAME_AS_STD(floor);
  CHECK_SAME_AS_STD(ceil);
  CHECK_SAME_AS_STD(rint);
  CHECK_SAME_AS_STD(trunc);
  CHECK_SAME_AS_STD(cbrt);
}

TEST_CASE("elementary functions: sums of exponentials do not overflow on the way") {
  check_binary(
      "logaddexp", [](const auto& a, const auto& b) { return logaddexp(a, b); },
      [](double a, double b) {
        return a == b ? a + std::log(2.0) : std::fmax(a, b) + std::log1p(std::exp(-std::abs(a - b)));
      });
  check_binary(
      "logaddexp2", [](const auto& a, const auto& b) { return logaddexp2(a, b); },
      [](double a, double b) {
        return a == b ? a + 1 : std::fmax(a, b) + std::log1p(std::exp2(-std::abs(a - b))) / std::log(2.0);
      });
  CHECK(values(logaddexp(from(std::vector<double>{1000, -1000, inf, -inf}), -1000.0)) ==
        std::vector<double>{1000, -1000 + std::log(2.0), inf, -1000});
  CHECK(values(logaddexp2(from(std::vector<int>{3, 5}), from(std::vector<int>{3, 5}))) == std::vector<double>{4, 6});
}

TEST_CASE("elementary functions: sinc is 1 at 0, 0 at whole numbers, and has its digits far out") {
  CHECK(values(sinc(from(std::vector<double>{0, -0.0, 1, -7, 1e300}))) == std::vector<double>{1, 1, 0, 0, 0});
  const std::vector<double> halves = values(sinc(from(std::vector<double>{0.5, -0.5, 1.5})));
  CHECK(close(halves[0], 2 / std::acos(-1.0)));
  CHECK(close(halves[1], 2 / std::acos(-1.0)));
  CHECK(close(halves[2], -2 / (3 * std::acos(-1.0))));
  CHECK(std::isnan(values(sinc(from(std::vector<double>{inf})))[0]));
  CHECK(close(values(sinc(from(std::vector<double>{1e6 + 0.5})))[0], 1 / (std::acos(-1.0) * (1e6 + 0.5))));
  CHECK(values(sinc(from(std::vector<int>{0, 1}))) == std::vector<double>{1, 0});
  check_unary(
      "sinc", [](const auto& x) { return sinc(x / 1000.0); },
      [](double v) {
        const long double x = static_cast<long double>(v / 1000);
        if (std::isinf(v)) return not_a_number;
        const long double angle = std::acos(-1.0L) * std::remainder(x, 2.0L);
        if (x == std::rint(x) && x != 0) return std::copysign(0.0, static_cast<double>(std::sin(angle) / x));
        return x == 0 ? 1.0 : static_cast<double>(std::sin(angle) / (std::acos(-1.0L) * x));
      });
}

TEST_CASE("elementary functions: angles in degrees") {
  CHECK(values(deg2rad(from(std::vector<double>{180, -90, 0}))) ==
        std::vector<double>{std::acos(-1.0), -std::acos(0.0), 0});
  CHECK(values(rad2deg(from(std::vector<double>{std::acos(-1.0), -0.0}))) == std::vector<double>{180, -0.0});
  CHECK(values(radians(from(std::vector<int>{180}))) == std::vector<double>{std::acos(-1.0)});
  CHECK(values(degrees(from(std::vector<float>{1}))) == std::vector<float>{57.29578f});
}

TEST_CASE("elementary functions: float_power computes in double, whatever it is given") {
  CHECK(values(float_power(from(std::vector<int>{2, 3, -2}), -2)) == std::vector<double>{0.25, 1.0 / 9, 0.25});
  CHECK(values(float_power(from(std::vector<float>{2}), 0.1)) == std::vector<double>{std::pow(2.0, 0.1)});
  CHECK(values(float_power(2, from(std::vector<std::int8_t>{-1, 3}))) == std::vector<double>{0.5, 8});
  CHECK(values(float_power(from(std::vector<std::complex<float>>{{0, 1}}), 2))[0].real() == doctest::Approx(-1));
}

TEST_CASE("elementary functions: magnitude, square and sign") {
  CHECK_SAME_AS_STD(abs);
  check_unary(
      "square", [](const auto& x) { return square(x); }, [](double v) { return v * v; });
  check_unary(
      "sign", [](const auto& x) { return sign(x); },
      [](double v) {
        return v > 0 ? 1.0 : v < 0 ? -1.0 : v != v ? v : 0.0;
      });
}

TEST_CASE("elementary functions: of two arrays") {
  check_binary(
      "atan2", [](const auto& a, const auto& b) { return atan2(a, b); },
      [](double a, double b) { return std::atan2(a, b); });
  check_binary(
      "hypot", [](const auto& a, const auto& b) { return hypot(a, b); },
      [](double a, double b) { return std::hypot(a, b); });
  check_binary(
      "pow", [](const auto& a, const auto& b) { return pow(a, b); }, [](double a, double b) { return std::pow(a, b); });
  check_binary(
      "minimum", [](const auto& a, const auto& b) { return minimum(a, b); }, smaller);
  check_binary(
      "maximum", [](const auto& a, const auto& b) { return maximum(a, b); }, larger);
}

TEST_CASE("elementary functions: float keeps its type and its bits for every chunking") {
  ndarray<float> in({300});
  const ndarray<double> wide = samples();
  for (std::int64_t i = 0; i < 300; ++i) in(i) = static_cast<float>(wide(i));
  CHECK(independent_of_chunks(in,
                              [](const array<float>& x) { return array<float>(sin(x) * exp(x / 3.0) + log(abs(x))); }));
  CHECK(independent_of_chunks(in, [](const array<float>& x) { return array<float>(sqrt(x) - floor(x) * tanh(x)); }));
  CHECK(independent_of_chunks(in, [](const array<float>& x) { return array<float>(pow(x, 1.5) + hypot(x, 2.0)); }));
  CHECK(independent_of_chunks(
      in, [](const array<float>& x) { return array<float>(arctan(x) + cbrt(x) * log2(abs(x)) + arcsinh(x)); }));
  CHECK(independent_of_chunks(in, [](const array<float>& x) { return array<float>(sinc(x) + logaddexp(x, 1.5)); }));
  CHECK(values(sqrt(from(std::vector<float>{2.25f, 4}))) == std::vector<float>{1.5f, 2});
}
