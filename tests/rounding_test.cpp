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

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();

template <class T>
array<T> of(std::vector<T> v) {
  return from(std::move(v), {.chunks = {2}});
}

}  // namespace

TEST_CASE("rounding: towards zero by both names") {
  CHECK(values(trunc(of<double>({1.7, -1.7, 0.5, -inf}))) == std::vector<double>{1, -1, 0, -inf});
  CHECK(values(fix(of<double>({1.7, -1.7}))) == std::vector<double>{1, -1});
  CHECK(std::signbit(values(trunc(of<double>({-0.5})))[0]));
  CHECK(values(trunc(of<int>({-3}))) == std::vector<int>{-3});
  CHECK(values(fix(of<bool>({true}))) == std::vector<bool>{true});
}

TEST_CASE("rounding: to digits, ties to even") {
  CHECK(values(round(of<double>({0.5, 1.5, 2.5, -0.5, -1.5}))) == std::vector<double>{0, 2, 2, 0, -2});
  CHECK(values(round(of<double>({1.234, -5.675, 0.125, 2.5e-7}), 2)) == std::vector<double>{1.23, -5.68, 0.12, 0});
  CHECK(values(around(of<double>({1234, -1250, 1350, 49}), -2)) == std::vector<double>{1200, -1200, 1400, 0});
  CHECK(values(round(of<float>({1.26f, 3}), 1)) == std::vector<float>{1.3f, 3});
  CHECK(std::signbit(values(round(of<double>({-0.2})))[0]));
  CHECK(values(round(of<double>({0.285, 1.005}), 2)) ==
        std::vector<double>{0.28, 1});  // their nearest doubles are below
}

TEST_CASE("rounding: numbers without such digits stay") {
  const double big = 123456789012345680.0;
  CHECK(values(round(of<double>({big, 1e308, inf, -inf, 0.1}), 20)) == std::vector<double>{big, 1e308, inf, -inf, 0.1});
  CHECK(values(round(of<double>({0.1, 5e-324}), 400)) == std::vector<double>{0.1, 5e-324});
  CHECK(values(round(of<double>({1e308, -5, inf}), -400)) == std::vector<double>{0, 0, inf});
  CHECK(std::isnan(values(round(of<double>({std::numeric_limits<double>::quiet_NaN()}), 3))[0]));
  CHECK(values(round(of<float>({3e38f, 1}), -39)) == std::vector<float>{0, 0});
}

TEST_CASE("rounding: integers to tens and hundreds, exactly") {
  CHECK(values(round(of<int>({14, 15, 25, -15, -25, -26}), -1)) == std::vector<int>{10, 20, 20, -20, -20, -30});
  CHECK(values(round(of<int>({14, 15}), 3)) == std::vector<int>{14, 15});
  const std::int64_t wide = 9007199254740993;  // no double
  CHECK(values(round(of<std::int64_t>({wide, -wide}), -1)) ==
        std::vector<std::int64_t>{9007199254740990, -9007199254740990});
  CHECK(values(round(of<std::uint64_t>({18446744073709551615u}), -1)) ==
        std::vector<std::uint64_t>{4});  // 18446744073709551620 wraps
  CHECK(values(round(of<std::int8_t>({127, -128, 5}), -3)) == std::vector<std::int8_t>{0, 0, 0});
  CHECK(values(round(of<std::int64_t>({std::numeric_limits<std::int64_t>::min()}), -19)) ==
        std::vector<std::int64_t>{static_cast<std::int64_t>(-10000000000000000000ull)});
  CHECK(values(round(of<std::int64_t>({1, -1}), -30)) == std::vector<std::int64_t>{0, 0});
  CHECK(values(round(of<bool>({true, false}), -1)) == std::vector<bool>{true, false});
}

TEST_CASE("rounding: of complex numbers each part") {
  using z = std::complex<double>;
  CHECK(values(round(of<z>({{1.25, -2.75}, {0.5, inf}}), 1)) == std::vector<z>{{1.2, -2.8}, {0.5, inf}});
}

TEST_CASE("rounding: no chunking changes a bit") {
  ashlar::ndarray<double> in({300});
  for (std::int64_t i = 0; i < 300; ++i) in(i) = std::sin(static_cast<double>(i)) * std::pow(10.0, i % 7 - 3);
  CHECK(independent_of_chunks(in, [](const array<double>& x) { return array<double>(round(x, 2) - round(x, -1)); }));
}
