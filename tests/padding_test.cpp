// pad against NumPy's documented results and a plain loop that walks outwards.
#include <doctest/doctest.h>

#include <ashlar/ashlar.hpp>

#include <cmath>
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

TEST_CASE("a number for each end, and for each end of each axis") {
  const auto x = ash::arange<int>(1, 6, 1, {.chunks = {2}});
  CHECK(values(ash::pad(x, {2, 3}, {.value = {7, 8}})) == std::vector<int>{7, 7, 1, 2, 3, 4, 5, 8, 8, 8});
  CHECK(values(ash::pad(x, {2, 3}, {.mode = pad_mode::linear_ramp, .value = {-4, 0.5}})) ==
        std::vector<int>{-4, -2, 1, 2, 3, 4, 5, 3, 2, 0});
  CHECK(values(ash::pad(x, {2, 1}, {.mode = pad_mode::maximum, .stat_length = {2, 1}})) ==
        std::vector<int>{2, 2, 1, 2, 3, 4, 5, 5});
  for (const ash::chunks& chunks : {ash::chunks{2, 2}, ash::chunks{1, 2}, ash::chunks{{0, 1, 1}, {2, 0}}}) {
    const auto m = ash::arange<double>(1, 5).reshape({2, 2}).rechunk(chunks);
    const std::vector<ash::pad_width> widths{{1, 1}, {1, 2}};
    const std::vector<double> by_axis{3, 1, 1, 4, 4, 3, 1, 2, 4, 4, 3, 3, 4, 4, 4, 3, 2, 2, 4, 4};
    for (const int workers : {1, 2, 3, 8}) {
      const auto padded = ash::pad(m, widths, {.value = {{1, 2}, {3, 4}}});
      CHECK(values(padded.compute(ash::std_threads{.workers = workers})) == by_axis);
      CHECK(values(padded.compute(ash::std_threads{.workers = workers}, {.optimize = false})) == by_axis);
    }
    CHECK(values(ash::pad(m, widths, {.value = {{5, 6}}})) ==
          std::vector<double>{5, 5, 5, 6, 6, 5, 1, 2, 6, 6, 5, 3, 4, 6, 6, 5, 6, 6, 6, 6});
    CHECK(values(ash::pad(m, {{2, 1}, {1, 2}}, {.mode = pad_mode::linear_ramp, .value = {{-4, 0}, {10, -10}}})) ==
          std::vector<double>{10, -4,  -4, -7, -10, 10, -1.5, -1, -5.5, -10, 10, 1,  2,
                              -4, -10, 10, 3,  4,   -3, -10,  10, 0,    0,   -5, -10});
  }
  const auto mean = ash::array<int>::from({3, 1, 4, 1, 5, 9, 2, 6, 5}).reshape({3, 3}).rechunk({2, 2});
  CHECK(values(ash::pad(mean, 1, {.mode = pad_mode::mean, .stat_length = {{1, 2}, {2, 3}}})) ==
        std::vector<int>{2, 3, 1, 4, 3, 2, 3, 1, 4, 3, 3, 1, 5, 9, 5, 4, 2, 6, 5, 4, 4, 2, 6, 7, 5});
  CHECK_THROWS_WITH_AS(ash::pad(mean, 1, {.value = {{1, 2}, {3, 4}, {5, 6}}}),
                       doctest::Contains("3 pairs of values for an array of 2 axes"), ash::value_error);
  CHECK_THROWS_WITH_AS(ash::pad(mean, 1, {.mode = pad_mode::mean, .stat_length = {1, -2}}),
                       doctest::Contains("stat_length is -2"), ash::value_error);
}

TEST_CASE("a number around keeps 64 bits and both parts") {
  const std::int64_t odd = (std::int64_t{1} << 53) + 1;
  CHECK(values(ash::pad(ash::zeros<std::int64_t>({1}), {0, 1}, {.value = odd})) == std::vector<std::int64_t>{0, odd});
  using z = std::complex<double>;
  CHECK(values(ash::pad(ash::zeros<z>({1}), {0, 1}, {.value = z{1, 2}})) == std::vector<z>{0, {1, 2}});
  CHECK(values(ash::pad(ash::array<z>::from({z{1, 2}, z{3}}), 1,
                        {.mode = pad_mode::linear_ramp, .value = {z{0, 1}, 2}})) ==
        std::vector<z>{{0, 1}, {1, 2}, 3, 2});
  CHECK_THROWS_WITH_AS(ash::pad(ash::zeros<double>({1}), 1, {.value = z{0, 1}}),
                       doctest::Contains("is none of float64"), ash::dtype_error);
}

TEST_CASE("medians as NumPy's, rounded for integers") {
  const auto x = ash::array<int>::from({3, 1, 4, 1, 5, 9, 2, 6}, {.chunks = {3}});
  CHECK(values(ash::pad(x, 2, {.mode = pad_mode::median})) == std::vector<int>{4, 4, 3, 1, 4, 1, 5, 9, 2, 6, 4, 4});
  CHECK(values(ash::pad(x, 2, {.mode = pad_mode::median, .stat_length = 4})) ==
        std::vector<int>{2, 2, 3, 1, 4, 1, 5, 9, 2, 6, 6, 6});
  CHECK(values(ash::pad(ash::array<double>::from({3, 1, 4, 1, 5, 9, 2, 6.5}), {2, 1},
                        {.mode = pad_mode::median, .stat_length = {3, 2}})) ==
        std::vector<double>{3, 3, 3, 1, 4, 1, 5, 9, 2, 6.5, 4.25});
  CHECK(values(ash::pad(ash::array<float>::from({1.5F, 2.F, 9.F, 3.F}), 1, {.mode = pad_mode::median})) ==
        std::vector<float>{2.5, 1.5, 2, 9, 3, 2.5});
  CHECK(values(ash::pad(ash::array<std::uint8_t>::from({1, 2}), 1, {.mode = pad_mode::median})) ==
        std::vector<std::uint8_t>{2, 1, 2, 2});
  CHECK(values(ash::pad(ash::array<bool>::from({true, false}), 1, {.mode = pad_mode::median})) ==
        std::vector<bool>{true, true, false, true});
  CHECK(values(ash::pad(ash::array<bool>::from({true, false, false}), {0, 1}, {.mode = pad_mode::median})) ==
        std::vector<bool>{true, false, false, false});
  constexpr double inf = std::numeric_limits<double>::infinity();
  CHECK(values(ash::pad(ash::array<double>::from({1.0, inf, 3.0, -inf}), 1, {.mode = pad_mode::median})) ==
        std::vector<double>{2, 1, inf, 3, -inf, 2});
  const auto none =
      values(ash::pad(ash::array<double>::from({1.0, std::nan(""), 3.0}), {1, 0}, {.mode = pad_mode::median}));
  CHECK(std::isnan(none[0]));
  for (const ash::chunks& chunks : {ash::chunks{3, 3}, ash::chunks{1, 2}, ash::chunks{{0, 2, 1}, 1}}) {
    const auto m = ash::array<int>::from({3, 1, 4, 1, 5, 9, 2, 6, 5}).reshape({3, 3}).rechunk(chunks);
    const auto padded = ash::pad(m, {{1, 0}, {0, 2}}, {.mode = pad_mode::median});
    for (const int workers : {1, 2, 3, 8}) {
      CHECK(values(padded.compute(ash::std_threads{.workers = workers})) ==
            std::vector<int>{2, 5, 5, 5, 5, 3, 1, 4, 3, 3, 1, 5, 9, 5, 5, 2, 6, 5, 5, 5});
    }
  }
  CHECK(ash::pad(ash::zeros<double>({3, 0}), {{1, 1}, {0, 0}}, {.mode = pad_mode::median}).compute().shape() ==
        ash::shape{5, 0});
  CHECK_THROWS_AS(ash::pad(ash::zeros<std::complex<float>>({2}), 1, {.mode = pad_mode::median}), ash::dtype_error);
}

TEST_CASE("empty gives the room") {
  const auto x = ash::pad(ash::ones<float>({2, 2}, {.chunks = {1, 2}}), {{1, 0}, {0, 1}}, {.mode = pad_mode::empty});
  CHECK(x.shape() == ash::shape{3, 3});
  CHECK(values(x(ash::slice{1}, ash::slice{0, 2})) == std::vector<float>(4, 1));
  CHECK(ash::pad(ash::ones<float>({0}), 2, {.mode = pad_mode::empty}).compute().size() == 4);
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
