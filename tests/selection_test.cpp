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

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double quiet = std::numeric_limits<double>::quiet_NaN();
constexpr double largest = std::numeric_limits<double>::max();

template <class T>
array<T> of(std::vector<T> v) {
  return from(std::move(v), {.chunks = {2}});
}

}  // namespace

TEST_CASE("selection: nan_to_num") {
  const array<double> x = of<double>({quiet, inf, -inf, 1.5, -0.0});
  CHECK(values(nan_to_num(x)) == std::vector<double>{0, largest, -largest, 1.5, 0});
  CHECK(std::signbit(values(nan_to_num(x))[4]));
  CHECK(values(nan_to_num(x, {.nan = -1, .posinf = 2})) == std::vector<double>{-1, 2, -largest, 1.5, 0});
  CHECK(values(nan_to_num(x, {.neginf = 3}))[2] == 3);
  CHECK(values(nan_to_num(of<float>({float(inf)}))) == std::vector<float>{std::numeric_limits<float>::max()});
  CHECK(values(nan_to_num(of<int>({7}), {.nan = 3})) == std::vector<int>{7});
  using z = std::complex<double>;
  CHECK(values(nan_to_num(of<z>({{quiet, 1}, {-inf, inf}}), {.nan = 5})) ==
        std::vector<z>{{5, 1}, {-largest, largest}});
}

TEST_CASE("selection: select takes the first condition that holds") {
  const array<double> x = of<double>({-2, -1, 0, 1, 2});
  CHECK(values(ashlar::select<double>({x < -1, x<1, x> 0}, {x * 10, x, -x}, 9)) ==
        std::vector<double>{-20, -1, 0, -1, -2});
  CHECK(values(ashlar::select<double>({x > 1}, {x})) == std::vector<double>{0, 0, 0, 0, 2});
  const std::vector<array<int>> choices{of<int>({1, 2, 3, 4, 5})};
  CHECK(values(ashlar::select({x > 0}, choices, -1)) == std::vector<int>{-1, -1, -1, 4, 5});
  CHECK_THROWS_WITH_AS(ashlar::select<double>({x > 1, x > 2}, {x}), doctest::Contains("2 conditions and 1 choices"),
                       ashlar::value_error);
  CHECK_THROWS_AS(ashlar::select<double>({}, {}), ashlar::value_error);
  CHECK_THROWS_AS(ashlar::select<double>({x > 1}, {of<double>({1, 2})}), ashlar::shape_error);
}

TEST_CASE("selection: choose reads the choice that the index names") {
  const array<int> a = of<int>({0, 1, 2, 3});
  const array<int> b = of<int>({10, 11, 12, 13});
  const array<int> c = of<int>({20, 21, 22, 23});
  CHECK(values(ashlar::choose<int>(of<int>({2, 0, 1, 2}), {a, b, c})) == std::vector<int>{20, 1, 12, 23});
  CHECK(values(ashlar::choose<int>(of<bool>({true, false, true, false}), {a, b})) == std::vector<int>{10, 1, 12, 3});
  CHECK(values(ashlar::choose<int>(of<std::uint8_t>({0, 0, 0, 0}), {c})) == std::vector<int>{20, 21, 22, 23});
  const array<int> wild = of<int>({-1, 3, -4, 7});
  CHECK(values(ashlar::choose<int>(wild, {a, b, c}, {.mode = ashlar::choose_mode::wrap})) ==
        std::vector<int>{20, 1, 22, 13});
  CHECK(values(ashlar::choose<int>(wild, {a, b, c}, {.mode = ashlar::choose_mode::clip})) ==
        std::vector<int>{0, 21, 2, 23});
  const array<std::uint64_t> huge = of<std::uint64_t>({~std::uint64_t{0}, 1, 1, 1});
  CHECK(values(ashlar::choose<int>(huge, {a, b}, {.mode = ashlar::choose_mode::clip}))[0] == 10);
  CHECK(values(ashlar::choose<int>(huge, {a, b}, {.mode = ashlar::choose_mode::wrap}))[0] == 10);
}

TEST_CASE("selection: choose with an index outside is an error of the run that names it") {
  const array<int> a = of<int>({1, 2, 3});
  const auto outside = ashlar::choose<int>(of<int>({0, 1, 5}), {a, a, a});
  CHECK_THROWS_WITH_AS(outside.compute(), doctest::Contains("the index 5 is outside the 3 choices, 0 to 2"),
                       ashlar::task_error);
  try {
    static_cast<void>(ashlar::choose<int>(of<int>({0, -1, 1}), {a, a}).compute(ashlar::serial{}));
    CHECK(false);
  } catch (const ashlar::task_error& e) {
    CHECK_THROWS_AS(std::rethrow_if_nested(e), ashlar::index_error);
    CHECK(contains(e.what(), "-1"));
  }
  CHECK_THROWS_AS(ashlar::choose<int>(a, {}), ashlar::value_error);
}

TEST_CASE("selection: piecewise takes the last condition that holds") {
  const array<double> x = of<double>({-2, -1, 0, 1, 2});
  const auto negative = [](double v) { return -v; };
  CHECK(values(ashlar::piecewise(x, {x<0, x> 1}, negative, 7)) == std::vector<double>{2, 1, 0, 0, 7});
  CHECK(values(ashlar::piecewise(x, {x<0, x> 1}, negative, 7, x * 100)) == std::vector<double>{2, 1, 0, 100, 7});
  CHECK(values(ashlar::piecewise(x, {x < 2, x < 0}, 1, 2)) == std::vector<double>{2, 2, 1, 1, 0});
  CHECK(values(ashlar::piecewise(
            of<int>({1, 2}), {of<bool>({true, false})}, [](int v) { return v + 0.5; }, -1)) == std::vector<int>{1, -1});
  CHECK_THROWS_WITH_AS(ashlar::piecewise(x, {x < 0}, 1, 2, 3), doctest::Contains("1 conditions and 3 pieces"),
                       ashlar::value_error);
  CHECK_THROWS_AS(ashlar::piecewise(x, {x<0, x> 0}, 1), ashlar::value_error);
}

TEST_CASE("selection: no chunking changes anything") {
  ashlar::ndarray<double> in({300});
  for (std::int64_t i = 0; i < 300; ++i) in(i) = std::sin(static_cast<double>(i)) * 5;
  CHECK(independent_of_chunks(in, [](const array<double>& x) {
    return ashlar::select<double>({x<-2, x> 3}, {x * x, -x}, 1) + ashlar::piecewise(x, {x > 0}, 2.5, x);
  }));
  CHECK(independent_of_chunks(in, [](const array<double>& x) {
    return ashlar::choose<double>(astype<int>(floor(x)) % 3, {x, x + 1, x + 2});
  }));
}
