#include <ashlar/summaries.hpp>

#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <vector>

#include <doctest/doctest.h>

#include <ashlar/ashlar.hpp>

#include "support/item.hpp"
#include "support/lazy_check.hpp"

namespace ash = ashlar;
using testing_support::item;

namespace {

constexpr double quiet = std::numeric_limits<double>::quiet_NaN();

template <class T = double>
ash::array<T> line(std::vector<T> values, const ash::chunks& cut = 2) {
  return ash::from(std::move(values), {.chunks = cut});
}

}  // namespace

TEST_CASE("ptp is the largest minus the smallest") {
  const auto x = ash::from(ash::ndarray<int>::from({{4, 9, 2}, {7, 6, 30}}), {.chunks = {1, 2}});
  CHECK(item(x.ptp()) == 28);
  CHECK(values(x.ptp(0)) == std::vector<int>{3, 3, 28});
  CHECK(values(ash::ptp(x, 1)) == std::vector<int>{7, 24});
  CHECK(x.ptp(1, {.keepdims = true}).shape() == ash::shape{2, 1});
  CHECK(item(ash::ptp(line<std::int8_t>({-100, 100}))) == -56);  // wraps
  CHECK(std::isnan(item(line({1, quiet}).ptp())));
  CHECK_THROWS_WITH_AS(ash::zeros<double>({0}).ptp(), doctest::Contains("ptp"), ash::shape_error);
  CHECK_THROWS_WITH_AS(x.ptp(2), doctest::Contains("ptp"), ash::axis_error);
}

TEST_CASE("moment is central, of any order") {
  const auto x = line({1, 2, 4, 9}, 3);
  CHECK(item(x.moment(0)) == 1);
  CHECK(item(x.moment(1)) == 0);
  CHECK(item(x.moment(2)) == doctest::Approx(item(x.var())));
  CHECK(item(ash::moment(x, 3)) == (-27 - 8 + 0 + 125) / 4.0);
  CHECK(item(ash::moment(x, 4)) == (81 + 16 + 0 + 625) / 4.0);
  CHECK(item(ash::moment(x, 2, ash::all_axes, {.ddof = 1})) ==
        doctest::Approx(item(x.var(ash::all_axes, {.ddof = 1}))));
  CHECK(std::isnan(item(ash::moment(x, 2, ash::all_axes, {.ddof = 5}))));
  const auto table = ash::from(ash::ndarray<int>::from({{1, 3}, {5, 7}}), {.chunks = 1});
  CHECK(values(table.moment(2, 0)) == std::vector<double>{4, 4});
  CHECK(table.moment(2, 0, {.keepdims = true}).shape() == ash::shape{1, 2});
  const auto far = line<float>({1e4f, 1e4f + 0.125f, 1e4f + 0.25f});
  CHECK(item(ash::moment(far, 2)) == doctest::Approx(0.125 * 0.125 * 2 / 3));
  CHECK(std::isnan(item(ash::moment(ash::zeros<double>({0}), 2))));
  CHECK_THROWS_AS(x.moment(-1), ash::value_error);
}

TEST_CASE("trace adds up a diagonal") {
  const auto x = ash::from(ash::ndarray<int>::from({{1, 2, 3}, {4, 5, 6}, {7, 8, 9}}), {.chunks = {2, 2}});
  CHECK(item(x.trace()) == 15);
  CHECK(item(ash::trace(x, 1)) == 8);
  CHECK(item(x.trace(-2)) == 7);
  CHECK(item(x.trace(3)) == 0);
  static_assert(std::is_same_v<decltype(x.trace())::value_type, std::int64_t>);
  const auto cube = ash::fromfunction([](auto i, auto j, auto k) { return double(100 * i + 10 * j + k); }, {2, 3, 2});
  CHECK(values(cube.trace(0, 0, 2)) == std::vector<double>{101, 121, 141});
  CHECK_THROWS_AS(line({1, 2}).trace(), ash::axis_error);
}

TEST_CASE("average: weights of the same shape, of a shape that broadcasts, along an axis") {
  const auto x = ash::from(ash::ndarray<double>::from({{1, 2, 3}, {4, 5, 6}}), {.chunks = {1, 2}});
  const auto w = ash::from(ash::ndarray<double>::from({{1, 0, 1}, {2, 2, 0}}));
  CHECK(item(ash::average(x)) == 3.5);
  CHECK(item(ash::average(x, w)) == (1 + 3 + 8 + 10) / 6.0);
  CHECK(values(ash::average(x, w, 1)) == std::vector<double>{2, 4.5});
  CHECK(values(ash::average(x, 0)) == std::vector<double>{2.5, 3.5, 4.5});
  CHECK(values(ash::average(x, line({3, 1}), 0)) == std::vector<double>{1.75, 2.75, 3.75});
  CHECK(values(ash::average(x, line({0, 1, 3}), 1)) == std::vector<double>{2.75, 5.75});
  CHECK(values(ash::average(x, line({0, 1, 3}), -1, {.keepdims = true})) == std::vector<double>{2.75, 5.75});
  CHECK(item(ash::average(x, line({0, 1, 3}))) == (2 + 9 + 5 + 18) / 8.0);
  const auto [mean, weight] = ash::average_and_weight(x, line({3, 1}), 0);
  CHECK(values(mean) == std::vector<double>{1.75, 2.75, 3.75});
  CHECK(values(weight) == std::vector<double>{4, 4, 4});
}

TEST_CASE("average: types, weights of nothing") {
  static_assert(std::is_same_v<decltype(ash::average(line<int>({}), line<int>({})))::value_type, double>);
  static_assert(std::is_same_v<decltype(ash::average(line<float>({}), line<float>({})))::value_type, float>);
  CHECK(item(ash::average(line<int>({1, 2}), line<int>({1, 3}))) == 1.75);
  CHECK(item(ash::average(line<float>({1, 2}), line<bool>({false, true}))) == 2);
  using z = std::complex<double>;
  CHECK(item(ash::average(line<z>({{1, 1}, {3, 0}}), line({1, 3}))) == z{2.5, 0.25});
  CHECK(std::isnan(item(ash::average(line({0, 2}), line({0, 0})))));
  CHECK(std::isnan(item(ash::average(ash::zeros<double>({0}), ash::zeros<double>({0})))));
}

TEST_CASE("average: weights that do not fit are an error that names both shapes") {
  const auto x = ash::zeros<double>({2, 3});
  CHECK_THROWS_WITH_AS(ash::average(x, line({1, 2, 3}), 0),
                       doctest::Contains("average: 3 weights along axis 0 of an array of shape (2, 3)"),
                       ash::shape_error);
  CHECK_THROWS_WITH_AS(ash::average(line({1, 2}), x), doctest::Contains("(2, 3)"), ash::shape_error);
  CHECK_THROWS_WITH_AS(ash::average(ash::zeros<double>({3}), x), doctest::Contains("weights of shape (2, 3)"),
                       ash::shape_error);
  CHECK_THROWS_AS(ash::average(x, x, 2), ash::axis_error);
}

TEST_CASE("summaries: the same bits on every executor") {
  ash::ndarray<double> in({70, 300});
  for (std::int64_t i = 0; i < in.size(); ++i) in.data()[i] = std::sin(static_cast<double>(i)) * 50;
  for (const ash::chunks& cut : {ash::chunks{ash::full}, ash::chunks{16, 77}}) {
    const auto x = ash::from(in, {.chunks = cut});
    for (const ash::axes& which : {ash::axes{}, ash::axes{0}, ash::axes{1}}) {
      const auto check = [](const auto& lazy) {
        const auto one = lazy.compute(ash::serial{});
        CHECK(same_bits(one, lazy.compute(ash::std_threads{.workers = 3})));
        CHECK(same_bits(one, lazy.compute(ash::serial{}, {.optimize = false})));
      };
      check(ash::average(x, abs(x), which));
      check(x.moment(3, which));
      check(x.ptp(which));
    }
  }
}
