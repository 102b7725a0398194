// Arrays put together and taken apart, against plain loops over indices.
#include <doctest/doctest.h>

#include <ashlar/ashlar.hpp>

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "support/lazy_cases.hpp"
#include "support/lazy_check.hpp"

namespace ash = ashlar;

namespace {

using ash::slice;
using lazy_cases::check;
using lazy_cases::value;

TEST_CASE("arrays one behind the other, and along a new axis") {
  check(
      [](const auto& x) {
        return ash::concatenate({x, x(slice{0, 2}), x});
      },
      {12, 6, 7},
      [](const auto& i) {
        return i[0] < 5   ? value(i[0], i[1], i[2])
               : i[0] < 7 ? value(i[0] - 5, i[1], i[2])
                          : value(i[0] - 7, i[1], i[2]);
      });
  check(
      [](const auto& x) {
        return ash::concatenate({x, x.rechunk({5, 1, 1})}, -1);
      },
      {5, 6, 14}, [](const auto& i) { return value(i[0], i[1], i[2] % 7); });
  check(
      [](const auto& x) {
        return ash::stack({x, x(ash::ellipsis, slice{.step = -1}), x}, 1);
      },
      {5, 3, 6, 7}, [](const auto& i) { return value(i[0], i[2], i[1] == 1 ? 6 - i[3] : i[3]); });
  check(
      [](const auto& x) {
        return ash::concatenate(ash::split(x, {2, 2, 4}, 1), 1);
      },
      {5, 6, 7}, [](const auto& i) { return value(i[0], i[1], i[2]); });
  std::vector<ash::array<double>> many;
  for (int k = 0; k < 500; ++k) many.push_back(ash::full({k % 3}, static_cast<double>(k)));
  double sum = 0;
  for (int k = 0; k < 500; ++k) sum += k * (k % 3);
  CHECK(ash::concatenate(many).sum().compute().item() == sum);
  CHECK(ash::concatenate(many).compute()(0) == 1);
}

TEST_CASE("blocks of what is put together are those of its parts") {
  const auto x = ash::zeros<double>({4, 6}, {.chunks = {2, 3}});
  CHECK(ash::concatenate({x, x}, 0).chunks().to_string() == "((2, 2, 2, 2), (3, 3))");
  CHECK(ash::concatenate({x, x(slice{0, 3}), x}, 0).chunks().to_string() == "((2, 2, 2, 1, 2, 2), (3, 3))");
  CHECK(ash::stack({x, x}).chunks().to_string() == "((1, 1), (2, 2), (3, 3))");
  CHECK(ash::concatenate({x}).node() == x.node());
}

TEST_CASE("types of a tuple are promoted") {
  const auto none = ash::zeros<double>({0});
  const auto ints = ash::arange<std::int8_t>(1, 3, 1);
  const auto joined = ash::concatenate(std::tuple{none, ints});
  static_assert(std::is_same_v<decltype(joined)::value_type, double>);
  CHECK(values(joined) == std::vector<double>{1, 2});
  CHECK(values(ash::stack(std::tuple{ints, 2 * ints})) == std::vector<std::int8_t>{1, 2, 2, 4});
}

TEST_CASE("NumPy's short forms") {
  const auto a = ash::arange<double>(3);
  const auto b = ash::arange<double>(3, 6, 1);
  CHECK(ash::vstack({a, b}).shape() == ash::shape{2, 3});
  CHECK(values(ash::hstack({a, b})) == std::vector<double>{0, 1, 2, 3, 4, 5});
  CHECK(ash::dstack({a, b}).shape() == ash::shape{1, 3, 2});
  CHECK(values(ash::column_stack({a, b})) == std::vector<double>{0, 3, 1, 4, 2, 5});
  const auto m = ash::block({{ash::ones<double>({2, 2}), ash::zeros<double>({2, 3})},
                             {ash::zeros<double>({1, 2}), ash::ones<double>({1, 3})}});
  CHECK(m.shape() == ash::shape{3, 5});
  CHECK(values(m) == std::vector<double>{1, 1, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 1, 1, 1});
}

TEST_CASE("axes are taken apart as views") {
  const auto x = ash::arange<double>(12, {.chunks = {5}});
  CHECK(ash::split(x, 3).size() == 3);
  CHECK(values(ash::split(x, 3)[1]) == std::vector<double>{4, 5, 6, 7});
  CHECK(values(ash::array_split(x, 5)[1]) == std::vector<double>{3, 4, 5});
  CHECK(values(ash::array_split(x, 5)[4]) == std::vector<double>{10, 11});
  CHECK(values(ash::split(x, {3, 30})[1]) == std::vector<double>{3, 4, 5, 6, 7, 8, 9, 10, 11});
  CHECK(ash::split(x, {3, 30})[2].size() == 0);
  CHECK(ash::split(x, {3}).size() == 2);  // one position, not three sections
  const auto m = x.reshape({3, 4});
  CHECK(values(ash::hsplit(m, 2)[1]) == std::vector<double>{2, 3, 6, 7, 10, 11});
  CHECK(values(ash::vsplit(m, 3)[1]) == std::vector<double>{4, 5, 6, 7});
  CHECK(ash::dsplit(ash::expand_dims(m, 0), 4)[3].shape() == ash::shape{1, 3, 1});
  CHECK_THROWS_WITH_AS(ash::split(x, 5),
                       "split: an axis of length 12 has no 5 equal sections; array_split makes unequal "
                       "ones",
                       ash::shape_error);
  CHECK_THROWS_AS(ash::array_split(x, 0), ash::value_error);
  CHECK_THROWS_AS(ash::split(x, 2, 1), ash::axis_error);
}

TEST_CASE("elements are appended, put in and left out") {
  check(
      [](const auto& x) {
        return ash::append(x, x(slice{0, 1}), 0);
      },
      {6, 6, 7}, [](const auto& i) { return value(i[0] % 5, i[1], i[2]); });
  check([](const auto& x) { return ash::insert(x, -2, -1.0, 1); }, {5, 7, 7},
        [](const auto& i) { return i[1] == 4 ? -1.0 : value(i[0], i[1] - (i[1] > 4 ? 1 : 0), i[2]); });
  check(
      [](const auto& x) {
        return ash::insert(x, 5, x(slice{0, 2}), 0);
      },
      {7, 6, 7}, [](const auto& i) { return value(i[0] % 5, i[1], i[2]); });
  check([](const auto& x) { return ash::insert(x, 0, x(0), 0); }, {6, 6, 7},
        [](const auto& i) { return value(i[0] == 0 ? 0 : i[0] - 1, i[1], i[2]); });
  check([](const auto& x) { return ash::delete_(x, slice{.step = -3}, 2); }, {5, 6, 4},
        [](const auto& i) {
          const std::int64_t left[] = {1, 2, 4, 5};
          return value(i[0], i[1], left[i[2]]);
        });
  check([](const auto& x) { return ash::delete_(x, -1, 1); }, {5, 5, 7},
        [](const auto& i) { return value(i[0], i[1], i[2]); });
  check(
      [](const auto& x) {
        return ash::delete_(x, slice{1, 4}, 1);
      },
      {5, 3, 7}, [](const auto& i) { return value(i[0], i[1] == 0 ? 0 : i[1] + 3, i[2]); });
  // fewer axes: the value broadcasts to a slice, along the axes that are left
  check([](const auto& x) { return ash::insert(x, 2, x(0, ash::all, 0), 2); }, {5, 6, 8},
        [](const auto& i) { return i[2] == 2 ? value(0, i[1], 0) : value(i[0], i[1], i[2] - (i[2] > 2 ? 1 : 0)); });
  const auto cube = ash::zeros<int>({2, 3, 3}, {.chunks = {1, 2, 3}});
  CHECK(values(ash::insert(cube, 3, ash::array<int>::from({{1, 2, 3}}), -1)) ==
        std::vector<int>{0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3});
  const auto m = ash::arange<double>(6).reshape({2, 3});
  CHECK(values(ash::append(m, m(0))) == std::vector<double>{0, 1, 2, 3, 4, 5, 0, 1, 2});
  CHECK_THROWS_AS(ash::insert(m, 4, 0.0, 1), ash::index_error);
  CHECK_THROWS_AS(ash::insert(m, 0, ash::zeros<double>({5}), 1), ash::shape_error);
  CHECK_THROWS_AS(ash::delete_(m, 3, 1), ash::index_error);
}

TEST_CASE("delete_ with a step: few parts, blocks that keep what stays") {
  const auto reference = [](std::int64_t n, std::int64_t first, std::int64_t stop, std::int64_t step) {
    std::vector<std::int64_t> left;
    for (std::int64_t i = 0; i < n; ++i) {
      if (i < first || i >= stop || (i - first) % step != 0) left.push_back(i);
    }
    return left;
  };
  for (const std::int64_t n : {1, 2, 7, 40}) {
    for (const ash::chunks& cut : {ash::chunks{n}, ash::chunks{3}, ash::chunks{1}}) {
      const auto x = ash::arange<std::int64_t>(0, n, 1, {.chunks = cut});
      for (const std::int64_t step : {1, 2, 3, 5, 39}) {
        for (const std::int64_t first : {0, 1, 4}) {
          for (const std::int64_t stop : {1, 6, 39, 40}) {
            const auto expected = reference(n, first, stop, step);
            const auto got = ash::delete_(x + 0, slice{first, stop, step}, 0);
            REQUIRE(got.shape()[0] == static_cast<std::int64_t>(expected.size()));
            CHECK(values(got) == expected);
          }
        }
      }
    }
  }
  const auto m = ash::ones<double>({4000, 3}, {.chunks = {1000, 3}});
  CHECK(ash::delete_(m, slice{.step = 2}, 0).chunks().to_string() == "((500, 500, 500, 500), (3,))");
  CHECK(ash::delete_(m, slice{10, 2500}, 0).chunks().to_string() == "((10, 500, 1000), (3,))");
  CHECK(contains(ash::delete_(m + 0.0, slice{.step = 2}, 0).explain(), "4 tasks"));
  // as many gaps as they are long: by rows
  const std::int64_t long_axis = 1100 * 1100;
  const auto line = ash::arange<std::int64_t>(0, long_axis, 1, {.chunks = {100'000}});
  const auto got = values(ash::delete_(line, slice{7, long_axis, 1100}, 0));
  CHECK(got == reference(long_axis, 7, long_axis, 1100));
  const auto wide = values(
      ash::delete_(ash::arange<std::int64_t>(0, 2 * long_axis).reshape({2, long_axis}), slice{7, long_axis, 1100}, 1));
  CHECK(std::equal(got.begin(), got.end(), wide.begin()));
  CHECK(wide.back() == 2 * long_axis - 1);
}

TEST_CASE("what does not fit is named") {
  const auto a = ash::zeros<double>({2, 3});
  CHECK_THROWS_WITH_AS(ash::concatenate({a, ash::zeros<double>({2, 4})}, 0),
                       "concatenate along axis 0: an array of shape (2, 4) beside one of shape (2, 3); all lengths but "
                       "that one, and the number of axes, must agree",
                       ash::shape_error);
  CHECK_THROWS_AS(ash::concatenate({a, ash::zeros<double>({3})}), ash::shape_error);
  CHECK_THROWS_AS(ash::concatenate(std::vector<ash::array<double>>{}), ash::shape_error);
  CHECK_THROWS_AS(ash::concatenate({a, a}, 2), ash::axis_error);
  CHECK_THROWS_AS(ash::stack({a, ash::zeros<double>({3, 2})}), ash::shape_error);
  CHECK_THROWS_AS(ash::concatenate({ash::full({}, 1.0), ash::full({}, 2.0)}), ash::axis_error);
}

}  // namespace
