#include <ashlar/functions.hpp>

#include <cmath>
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
}

TEST_CASE("elementary functions: circles and hyperbolas") {
  CHECK_SAME_AS_STD(sin);
  CHECK_SAME_AS_STD(cos);
  CHECK_SAME_AS_STD(tan);
  CHECK_SAME_AS_STD(tanh);
}

TEST_CASE("elementary functions: roots and rounding") {
  CHECK_SAME_AS_STD(sqrt);
  CHECK_SAME_AS_STD(floor);
  CHECK_SAME_AS_STD(ceil);
  CHECK_SAME_AS_STD(rint);
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
  CHECK(values(sqrt(from(std::vector<float>{2.25f, 4}))) == std::vector<float>{1.5f, 2});
}
