// pad against NumPy's documented results and a plain loop that walks outwards.
#include <doctest/doctest.h>

#include <ashlar/ashlar.hpp>

#include <complex>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "support/lazy_cases.hpp"
#include "support/lazy_check.hpp"

namespace ash = ashlar;

namespace {

using ash::pad_mode;
using lazy_cases::check;
using lazy_cases::value;

/// Index into n elements that position p of the endless axis shows.
std::int64_t shown(pad_mode mode, std::int64_t p, std::int64_t n) {
  while (p < 0 || p >= n) {
    switch (mode) {
      case pad_mode::edge:
        p = p < 0 ? 0 : n - 1;
        break;
      case pad_mode::wrap:
        p += p < 0 ? n : -n;
        break;
      case pad_mode::reflect:
        p = n == 1 ? 0 : p < 0 ? -p : 2 * (n - 1) - p;
        break;
      default:
        p = p < 0 ? -p - 1 : 2 * n - 1 - p;
    }
  }
  return p;
}

TEST_CASE("edges, mirrors and wraps, also wider than the array and with any blocks") {
  for (const pad_mode mode : {pad_mode::edge, pad_mode::wrap, pad_mode::reflect, pad_mode::symmetric}) {
    check(
        [=](const auto& x) {
          return ash::pad(x, {{1, 2}, {0, 17}, {20, 3}}, {.mode = mode});
        },
        {8, 23, 30},
        [=](const auto& i) {
          return value(shown(mode, i[0] - 1, 5), shown(mode, i[1], 6), shown(mode, i[2] - 20, 7));
        });
  }
}

TEST_CASE("a number around") {
  check(
      [](const auto& x) {
        return ash::pad(x, {{1, 2}, {0, 0}, {0, 9}}, {.value = -1.5});
      },
      {8, 6, 16},
      [](const auto& i) {
        const bool inside = i[0] >= 1 && i[0] < 6 && i[2] < 7;
        return inside ? value(i[0] - 1, i[1], i[2]) : -1.5;
      });
  CHECK(values(ash::pad(ash::zeros<int>({0}), 2, {.value = 7})) == std::vector<int>{7, 7, 7, 7});
  CHECK(values(ash::pad(ash::ones<bool>({1}), 1)) == std::vector<bool>{false, true, false});
}

TEST_CASE("the fill goes on where the array is shorter than the width") {
  const auto two = ash::arange<int>(1, 3, 1, {.chunks = {1}});
  const auto three = ash::arange<int>(1, 4, 1, {.chunks = {2}});
  CHECK(values(ash::pad(two, {0, 3}, {.mode = pad_mode::wrap})) == std::vector<int>{1, 2, 1, 2, 1});
  CHECK(values(ash::pad(three, {0, 5}, {.mode = pad_mode::reflect})) == std::vector<int>{1, 2, 3, 2, 1, 2, 3, 2});
  CHECK(values(ash::pad(ash::full({1}, 5), {2, 1}, {.mode = pad_mode::reflect})) == std::vector<int>{5, 5, 5, 5});
}

TEST_CASE("odd reflections go on with the slope") {
  const auto x = ash::arange<int>(1, 6, 1, {.chunks = {2}});
  CHECK(values(ash::pad(x, {2, 3}, {.mode = pad_mode::reflect, .odd = true})) ==
        std::vector<int>{-1, 0, 1, 2, 3, 4, 5, 6, 7, 8});
  CHECK(values(ash::pad(x, {2, 3}, {.mode = pad_mode::symmetric, .odd = true})) ==
        std::vector<int>{0, 1, 1, 2, 3, 4, 5, 5, 6, 7});
  CHECK(values(ash::pad(ash::arange<int>(0, 6, 2), {7, 8}, {.mode = pad_mode::reflect, .odd = true})) ==
        std::vector<int>{-14, -12, -10, -8, -6, -4, -2, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20});
}

TEST_CASE("ramps and statistics") {
  const auto x = ash::arange<int>(1, 6, 1, {.chunks = {2}});
  CHECK(values(ash::pad(x, {2, 3}, {.mode = pad_mode::linear_ramp, .value = -4})) ==
        std::vector<int>{-4, -2, 1, 2, 3, 4, 5, 2, -1, -4});
  CHECK(values(ash::pad(x, 2, {.mode = pad_mode::maximum})) == std::vector<int>{5, 5, 1, 2, 3, 4, 5, 5, 5});
  CHECK(values(ash::pad(x, 2, {.mode = pad_mode::mean})) == std::vector<int>{3, 3, 1, 2, 3, 4, 5, 3, 3});
  CHECK(values(ash::pad(x, 1, {.mode = pad_mode::minimum, .stat_length = 2})) == std::vector<int>{1, 1, 2, 3, 4, 5, 4});
  const auto by_mean = ash::pad(ash::arange<double>(24).reshape({2, 3, 4}).rechunk({1, 2, 2}), 1,
                                {.mode = pad_mode::mean, .stat_length = 2});
  const auto got = by_mean.compute();
  const std::vector<double> row = {8.5, 8, 9, 10, 11, 10.5};
  for (std::int64_t k = 0; k < 6; ++k) CHECK(got(0, 0, k) == row[static_cast<std::size_t>(k)]);
}

TEST_CASE("complex numbers and bool in every mode that they have") {
  using z = std::complex<double>;
  const auto x = ash::array<z>::from({z{1, 2}, z{3, -2}}, {.chunks = {1}});
  CHECK(values(ash::pad(x, 1, {.value = 5})) == std::vector<z>{5, {1, 2}, {3, -2}, 5});
  CHECK(values(ash::pad(x, 1, {.mode = pad_mode::mean})) == std::vector<z>{2, {1, 2}, {3, -2}, 2});
  CHECK(values(ash::pad(x, {0, 1}, {.mode = pad_mode::reflect, .odd = true})) ==
        std::vector<z>{{1, 2}, {3, -2}, {5, -6}});
  CHECK(values(ash::pad(x, {2, 0}, {.mode = pad_mode::linear_ramp, .value = 3})) ==
        std::vector<z>{3, {2, 1}, {1, 2}, {3, -2}});
  CHECK_THROWS_AS(ash::pad(x, 1, {.mode = pad_mode::maximum}), ash::dtype_error);
  // any mean or step that is not 0 is true, as in NumPy
  const auto b = ash::array<bool>::from({true, false, false}, {.chunks = {2}});
  CHECK(values(ash::pad(b, 1, {.mode = pad_mode::mean})) == std::vector<bool>{true, true, false, false, true});
  CHECK(values(ash::pad(b, {2, 0}, {.mode = pad_mode::linear_ramp})) ==
        std::vector<bool>{false, true, true, false, false});
  CHECK_THROWS_AS(ash::pad(b, 1, {.mode = pad_mode::reflect, .odd = true}), ash::dtype_error);
}

TEST_CASE("widths become part of the outer blocks") {
  const auto x = ash::zeros<double>({10, 8}, {.chunks = {4, 8}});
  CHECK(ash::pad(x, {1, 2}).chunks().to_string() == "((5, 4, 4), (11,))");
  CHECK(ash::pad(x, {{9, 0}, {0, 0}}).chunks().to_string() == "((4, 4, 1, 4, 4, 2), (8,))");
  CHECK(ash::pad(x, 1).ravel().size() == 120);
}

TEST_CASE("bad widths and values") {
  const auto x = ash::zeros<std::int8_t>({2, 0});
  CHECK_THROWS_AS(ash::pad(x, {{1, 1}}), ash::shape_error);
  CHECK_THROWS_AS(ash::pad(x, -1), ash::value_error);
  CHECK_THROWS_WITH_AS(ash::pad(x, 1, {.mode = pad_mode::edge}), doctest::Contains("axis 1 of shape (2, 0)"),
                       ash::value_error);
  CHECK_THROWS_AS(ash::pad(x, 1, {.value = 128}), ash::dtype_error);
  CHECK_THROWS_AS(ash::pad(x, 1, {.value = 0.5}), ash::dtype_error);
}

TEST_CASE("odd reflections of infinite neighbours stay what NumPy makes them") {
  constexpr double inf = std::numeric_limits<double>::infinity();
  const auto x = ash::from(std::vector<double>{1, 2, inf}, {.chunks = {2}});
  CHECK(values(ash::pad(x, {1, 0}, {.mode = ash::pad_mode::reflect, .odd = true})) ==
        std::vector<double>{0, 1, 2, inf});
  const auto one = ash::full({1}, 1.7e308);
  CHECK(values(ash::pad(one, {0, 2}, {.mode = ash::pad_mode::reflect, .odd = true}))[0] == 1.7e308);
}

}  // namespace
