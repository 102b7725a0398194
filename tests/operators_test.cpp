#include <ashlar/array.hpp>
#include <ashlar/creation.hpp>
#include <ashlar/functions.hpp>

#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "support/lazy_check.hpp"

using ashlar::array;
using ashlar::from;
using ashlar::ndarray;
using ashlar::serial;

namespace {

template <class T>
array<T> of(std::vector<T> v) {
  return from(std::move(v), {.chunks = {2}});
}

using bits = std::vector<bool>;
using doubles = std::vector<double>;
constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

}  // namespace

TEST_CASE("operators: arithmetic of doubles") {
  const array<double> a = of<double>({1, -2, 3});
  const array<double> b = of<double>({4, 5, -6});
  CHECK(values(a + b) == doubles{5, 3, -3});
  CHECK(values(a - b) == doubles{-3, -7, 9});
  CHECK(values(a * b) == doubles{4, -10, -18});
  CHECK(values(a / b) == doubles{0.25, -0.4, -0.5});
  CHECK(values(-a) == doubles{-1, 2, -3});
  CHECK(values(+a) == doubles{1, -2, 3});
  CHECK(values(1.0 - a) == doubles{0, 3, -2});
  CHECK(values(6.0 / a) == doubles{6, -3, 2});
  CHECK(values(2.0 * a + 1.0) == doubles{3, -3, 7});
}

TEST_CASE("operators: integers wrap, and their quotient is double") {
  const array<std::int8_t> small = of<std::int8_t>({127, -128, 100});
  CHECK(values(small + std::int8_t{1}) == std::vector<std::int8_t>{-128, -127, 101});
  CHECK(values(small * small) == std::vector<std::int8_t>{1, 0, 16});
  CHECK(values(-small) == std::vector<std::int8_t>{-127, -128, -100});
  const array<std::int64_t> wide = of<std::int64_t>({std::numeric_limits<std::int64_t>::max(), 3});
  CHECK(values(wide + 1) == std::vector<std::int64_t>{std::numeric_limits<std::int64_t>::min(), 4});
  const array<std::uint16_t> u = of<std::uint16_t>({0, 65535});
  CHECK(values(u - 1) == std::vector<std::uint16_t>{65535, 65534});
  CHECK(values(u * u) == std::vector<std::uint16_t>{0, 1});
  const array<int> a = of<int>({7, -7, 1, 0});
  const array<int> b = of<int>({2, 2, 0, 5});
  CHECK(values(a / b) == doubles{3.5, -3.5, inf, 0});
  CHECK(values(a / 2) == doubles{3.5, -3.5, 0.5, 0});
  CHECK(std::isnan((of<int>({0}) / of<int>({0})).compute()(0)));
}

TEST_CASE("operators: modulo takes the sign of the divisor, and 0 for an integer divisor of 0") {
  const array<int> a = of<int>({-7, 7, 7, -7, 5, 0, 6});
  const array<int> b = of<int>({3, -3, 3, -3, 0, 0, -3});
  CHECK(values(a % b) == std::vector<int>{2, -2, 1, -1, 0, 0, 0});
  CHECK(values(a % 3) == std::vector<int>{2, 1, 1, 2, 2, 0, 0});
  CHECK(values(-7 % of<int>({3, 5})) == std::vector<int>{2, 3});
  const auto lowest = std::numeric_limits<std::int64_t>::min();
  CHECK(values(of<std::int64_t>({lowest, lowest}) % of<std::int64_t>({-1, 10})) == std::vector<std::int64_t>{0, 2});
  CHECK(values(of<std::int8_t>({-128, -128}) % of<std::int8_t>({-1, 127})) == std::vector<std::int8_t>{0, 126});
  CHECK(values(of<std::uint8_t>({255, 7}) % std::uint8_t{16}) == std::vector<std::uint8_t>{15, 7});

  const auto r =
      (of<double>({-7, 7, 5.5, -1, 1, 1, 0, 6, not_a_number}) % of<double>({3, -3, 2, inf, -inf, 0, -2, -3, 1}))
          .compute();
  CHECK(r(0) == 2);
  CHECK(r(1) == -2);
  CHECK(r(2) == 1.5);
  CHECK(r(3) == inf);
  CHECK(r(4) == -inf);
  CHECK(std::isnan(r(5)));
  CHECK((r(6) == 0 && std::signbit(r(6))));
  CHECK((r(7) == 0 && std::signbit(r(7))));
  CHECK(std::isnan(r(8)));
}

TEST_CASE("operators: bool adds as or and multiplies as and") {
  const array<bool> a = from(std::vector<bool>{false, false, true, true}, {.chunks = {3}});
  const array<bool> b = from(std::vector<bool>{false, true, false, true});
  CHECK(values(a + b) == bits{false, true, true, true});
  CHECK(values(a * b) == bits{false, false, false, true});
  CHECK(values(a && b) == bits{false, false, false, true});
  CHECK(values(a || b) == bits{false, true, true, true});
  CHECK(values(!a) == bits{true, true, false, false});
  CHECK(values(logical_xor(a, b)) == bits{false, true, true, false});
  CHECK(values(a != b) == bits{false, true, true, false});
  CHECK(values(a < b) == bits{false, true, false, false});
  CHECK(values(a + 1) == std::vector<std::int64_t>{1, 1, 2, 2});
  CHECK(values(a / b)[3] == 1.0);
  CHECK(values(a && true) == values(a));
}

TEST_CASE("operators: comparisons, with NaN and both zeros") {
  const array<double> a = of<double>({1, 2, not_a_number, 0.0, inf});
  const array<double> b = of<double>({2, 2, not_a_number, -0.0, inf});
  CHECK(values(a == b) == bits{false, true, false, true, true});
  CHECK(values(a != b) == bits{true, false, true, false, false});
  CHECK(values(a < b) == bits{true, false, false, false, false});
  CHECK(values(a <= b) == bits{true, true, false, true, true});
  CHECK(values(a > b) == bits{false, false, false, false, false});
  CHECK(values(a >= b) == bits{false, true, false, true, true});
  CHECK(values(a > 1.5) == bits{false, true, false, false, true});
  CHECK(values(2 == a) == bits{false, true, false, false, false});
  CHECK(values(1.5 < a) == bits{false, true, false, false, true});
  CHECK(values(a == a) == bits{true, true, false, true, true});
}

TEST_CASE("operators: integers of both signs compare by value") {
  const array<std::uint64_t> u = of<std::uint64_t>({18446744073709551615u, 0, 9223372036854775808u, 9007199254740993u});
  const array<std::int64_t> s = of<std::int64_t>({-1, 0, std::numeric_limits<std::int64_t>::min(), 9007199254740992});
  CHECK(values(u == s) == bits{false, true, false, false});
  CHECK(values(u != s) == bits{true, false, true, true});
  CHECK(values(u > s) == bits{true, false, true, true});
  CHECK(values(s < u) == bits{true, false, true, true});
  CHECK(values(s >= u) == bits{false, true, false, false});
  CHECK(values(u <= s) == bits{false, true, false, false});
  CHECK(values(of<std::uint8_t>({255, 1}) == of<std::int8_t>({-1, 1})) == bits{false, true});
  CHECK(values(of<std::uint32_t>({4294967295u}) > of<std::int32_t>({-1})) == bits{true});
  CHECK(values(of<std::int8_t>({-1}) < of<std::uint64_t>({0})) == bits{true});
}

TEST_CASE("operators: logic of numbers: zero is false, NaN is true") {
  const array<double> a = of<double>({0.0, -0.0, not_a_number, 2.0});
  CHECK(values(!a) == bits{true, true, false, false});
  CHECK(values(a && 1) == bits{false, false, true, true});
  CHECK(values(a || 0.0) == bits{false, false, true, true});
  CHECK(values(logical_and(a, of<int>({1, 1, 1, 0}))) == bits{false, false, true, false});
  CHECK(values(logical_or(a, of<int>({1, 0, 1, 0}))) == bits{true, false, true, true});
  CHECK(values(logical_not(of<std::complex<float>>({{0, 0}, {0, 1}}))) == bits{true, false});
}

TEST_CASE("operators: complex numbers") {
  using z = std::complex<double>;
  const array<z> a = of<z>({{1, 2}, {0, 1}, {3, 0}});
  const array<z> b = of<z>({{1, -2}, {0, 1}, {0, 2}});
  CHECK(values(a + b) == std::vector<z>{{2, 0}, {0, 2}, {3, 2}});
  CHECK(values(a - b) == std::vector<z>{{0, 4}, {0, 0}, {3, -2}});
  CHECK(values(a * b) == std::vector<z>{{5, 0}, {-1, 0}, {0, 6}});
  CHECK(values(a / b)[1] == z{1, 0});
  CHECK(values(a * 2.0) == std::vector<z>{{2, 4}, {0, 2}, {6, 0}});
  CHECK(values(a * z{0, 1}) == std::vector<z>{{-2, 1}, {-1, 0}, {0, 3}});
  CHECK(values(-a) == std::vector<z>{{-1, -2}, {0, -1}, {-3, 0}});
  CHECK(values(a == b) == bits{false, true, false});
  CHECK(values(a != b) == bits{true, false, true});
  CHECK(values(a == 3) == bits{false, false, true});
  CHECK(values(a + of<double>({1, 1, 1})) == std::vector<z>{{2, 2}, {1, 1}, {4, 0}});
}

TEST_CASE("operators: assignment with an operator rebinds the handle only") {
  array<int> a = of<int>({1, 2, 3});
  const array<int> before = a;
  a += 10;
  a *= of<int>({1, 2, 3});
  a -= before;
  CHECK(values(a) == std::vector<int>{10, 22, 36});
  CHECK(values(before) == std::vector<int>{1, 2, 3});
  a %= 7;
  CHECK(values(a) == std::vector<int>{3, 1, 1});
  array<double> d = of<double>({1, 2});
  d /= 4;
  d += d;
  CHECK(values(d) == doubles{0.5, 1});
}

TEST_CASE("operators: bits do not depend on the chunks") {
  ndarray<double> in({300});
  for (std::int64_t i = 0; i < 300; ++i)
    in(i) = std::sin(static_cast<double>(i * i)) * std::pow(10.0, static_cast<double>(i % 9) - 4);
  in(5) = not_a_number;
  in(129) = -not_a_number;
  in(200) = inf;
  in(256) = -0.0;
  const auto check = [&](auto f) { CHECK(independent_of_chunks(in, f)); };
  check([](const array<double>& x) { return array<double>(x * 3.7 + x * x - x / 7.0); });
  check([](const array<double>& x) { return array<double>(x % 0.3); });
  check([](const array<double>& x) { return array<double>(-x * (x + 1.0)); });
  check([](const array<double>& x) { return array<bool>((x < 0.5) || (x > x * x)); });
  check([](const array<double>& x) { return array<double>(1.0 / x - x * 0.1); });
}
