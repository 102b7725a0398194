#include <ashlar/linalg.hpp>

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

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double quiet = std::numeric_limits<double>::quiet_NaN();

template <class T = double>
ash::array<T> line(std::vector<T> values, const ash::chunks& cut = 2) {
  return ash::from(std::move(values), {.chunks = cut});
}

template <class X>
auto norm_of(const X& x, double ord) {
  return item(ash::linalg::norm(x, ash::all_axes, {.ord = ord}));
}

}  // namespace

TEST_CASE("norms of a vector, of every order") {
  const auto x = line({3, -4, 0, 12}, 3);
  CHECK(item(ash::linalg::norm(x)) == 13);
  CHECK(norm_of(x, 2) == 13);
  CHECK(norm_of(x, 1) == 19);
  CHECK(norm_of(x, inf) == 12);
  CHECK(norm_of(x, -inf) == 0);
  CHECK(norm_of(x, 0) == 3);
  CHECK(norm_of(x, 3) == doctest::Approx(std::cbrt(27.0 + 64 + 1728)));
  CHECK(norm_of(x, 0.5) == doctest::Approx(std::pow(std::sqrt(3.0) + 2 + std::sqrt(12.0), 2)));
  CHECK(norm_of(x, -1) == 0);  // 1 / (1/3 + 1/4 + 1/0 + 1/12)
  CHECK(norm_of(line({2, 4}), -1) == doctest::Approx(4.0 / 3));
  CHECK_THROWS_AS(ash::linalg::norm(x, 0, {.ord = quiet}), ash::value_error);
}

TEST_CASE("norms along axes and of matrices") {
  const auto x = ash::from(ash::ndarray<double>::from({{3, 4, 0}, {-6, 8, 24}}), {.chunks = {1, 2}});
  CHECK(values(ash::linalg::norm(x, 1)) == std::vector<double>{5, 26});
  CHECK(values(ash::linalg::norm(x, 0, {.ord = 1})) == std::vector<double>{9, 12, 24});
  CHECK(values(ash::linalg::norm(x, -1, {.ord = inf})) == std::vector<double>{4, 24});
  CHECK(ash::linalg::norm(x, 1, {.keepdims = true}).shape() == ash::shape{2, 1});
  CHECK(item(ash::linalg::norm(x)) == doctest::Approx(std::sqrt(701.0)));
  CHECK(item(ash::linalg::norm(x, ash::axes{0, 1})) == doctest::Approx(std::sqrt(701.0)));
  CHECK(item(ash::linalg::vector_norm(x, ash::all_axes, {.ord = 1})) == 45);
  CHECK(item(ash::linalg::vector_norm(x, ash::axes{0, 1}, {.ord = inf})) == 24);
  CHECK_THROWS_WITH_AS(ash::linalg::norm(x, 2), doctest::Contains("norm"), ash::axis_error);
}

TEST_CASE("norms of matrices: sums of rows and columns, and Frobenius") {
  const auto in = ash::ndarray<double>::from({{1, -2, 3}, {-4, 5, -6}});
  for (const ash::chunks& cut : {ash::chunks{2, 3}, ash::chunks{1, 2}, ash::chunks{{0, 1, 1}, {2, 0, 1}}}) {
    const auto x = ash::from(in, {.chunks = cut});
    CHECK(norm_of(x, 1) == 9);
    CHECK(norm_of(x, -1) == 5);
    CHECK(norm_of(x, inf) == 15);
    CHECK(norm_of(x, -inf) == 6);
    CHECK(item(ash::linalg::norm(x, ash::all_axes, {.ord = ash::linalg::fro})) == std::sqrt(91.0));
    CHECK(item(ash::linalg::norm(x, ash::axes{1, 0}, {.ord = 1})) == 15);
    CHECK(ash::linalg::norm(x, ash::all_axes, {.ord = 1, .keepdims = true}).shape() == ash::shape{1, 1});
  }
  const auto t = (ash::arange<int>(24) - 11).reshape({2, 3, 4}).rechunk({1, 2, 3});
  CHECK(values(ash::linalg::norm(t, ash::axes{2, 0}, {.ord = 1})) == std::vector<double>{38, 26, 42});
  CHECK(values(ash::linalg::norm(t, ash::axes{-1, 1}, {.ord = -inf})) == std::vector<double>{12, 15});
  CHECK(values(ash::linalg::norm(t, ash::axes{0, 1}, {.ord = inf})) == std::vector<double>{21, 18, 21, 24});
  CHECK(ash::linalg::norm(t, ash::axes{2, 0}, {.ord = 1, .keepdims = true}).shape() == ash::shape{1, 3, 1});
  CHECK(item(ash::linalg::norm(t, ash::axes{0, 1}, {.ord = ash::linalg::fro})(0)) == doctest::Approx(std::sqrt(286.0)));
  using z64 = std::complex<float>;
  const auto z = ash::from(ash::ndarray<z64>::from({{z64{3, 4}, z64{0, 0}}, {z64{1, 0}, z64{0, 2}}}));
  static_assert(std::is_same_v<decltype(ash::linalg::norm(z))::value_type, float>);
  CHECK(norm_of(z, 1) == 6);
  CHECK(norm_of(z, -1) == 2);
  CHECK(norm_of(z, inf) == 5);
  CHECK(norm_of(z, -inf) == 3);
  const auto hole = ash::from(ash::ndarray<double>::from({{1, quiet}, {2, 3}}));
  CHECK(std::isnan(norm_of(hole, 1)));
  CHECK(std::isnan(norm_of(hole, -1)));
}

TEST_CASE("norms of matrices without elements") {
  CHECK(norm_of(ash::zeros<double>({0, 3}), 1) == 0);
  CHECK(norm_of(ash::zeros<double>({0, 3}), -1) == 0);
  CHECK(norm_of(ash::zeros<double>({0, 3}), inf) == 0);
  CHECK_THROWS_AS(norm_of(ash::zeros<double>({0, 3}), -inf), ash::shape_error);
  CHECK(norm_of(ash::zeros<double>({3, 0}), -inf) == 0);
  CHECK_THROWS_AS(norm_of(ash::zeros<double>({3, 0}), -1), ash::shape_error);
}

TEST_CASE("norms that need singular values, and orders that are none, are refused") {
  const auto x = ash::ones<double>({2, 3});
  for (const ash::linalg::norm_order ord :
       {ash::linalg::nuc, ash::linalg::norm_order(2), ash::linalg::norm_order(-2)}) {
    CHECK_THROWS_WITH_AS(ash::linalg::norm(x, ash::all_axes, {.ord = ord}), doctest::Contains("singular values"),
                         ash::value_error);
  }
  for (const double ord : {0.0, 3.0, quiet}) {
    CHECK_THROWS_WITH_AS(norm_of(x, ord), doctest::Contains("no norm of matrices"), ash::value_error);
  }
  CHECK_THROWS_WITH_AS(norm_of(ash::ones<double>({2, 3, 4}), 1), doctest::Contains("3 axes"), ash::value_error);
  CHECK_THROWS_WITH_AS(ash::linalg::norm(x, 0, {.ord = ash::linalg::fro}),
                       doctest::Contains("fro is a norm of matrices"), ash::value_error);
  CHECK_THROWS_WITH_AS(ash::linalg::vector_norm(x, ash::all_axes, {.ord = ash::linalg::nuc}),
                       doctest::Contains("nuc is a norm of matrices"), ash::value_error);
}

TEST_CASE("norms: types, and what overflows") {
  static_assert(std::is_same_v<decltype(ash::linalg::norm(line<float>({})))::value_type, float>);
  static_assert(std::is_same_v<decltype(ash::linalg::norm(line<int>({})))::value_type, double>);
  static_assert(std::is_same_v<decltype(ash::linalg::norm(line<std::complex<float>>({})))::value_type, float>);
  CHECK(item(ash::linalg::norm(line<int>({3, 4}))) == 5);
  CHECK(norm_of(line<int>({std::numeric_limits<int>::min()}), inf) == 2147483648.0);
  CHECK(norm_of(line<bool>({true, false, true}), 0) == 2);
  CHECK(item(ash::linalg::norm(line<float>({3e30f, 4e30f}))) == 5e30f);  // squared in double
  CHECK(item(ash::linalg::norm(line({3e200, 4e200}))) == inf);           // as NumPy
  using z = std::complex<double>;
  CHECK(item(ash::linalg::norm(line<z>({{3, 4}, {0, 12}}))) == 13);
  CHECK(norm_of(line<z>({{3, 4}, {0, 12}}), 1) == 17);
  CHECK(norm_of(line<z>({{3, 4}, {0, 12}}), inf) == 12);
  CHECK(norm_of(line<z>({{3, 4}, {0, 0}}), 0) == 1);
}

TEST_CASE("norms of NaN and of nothing") {
  for (const double ord : {1.0, 2.0, 3.0, inf, -inf}) {
    CAPTURE(ord);
    CHECK(std::isnan(norm_of(line({1, quiet, 2}), ord)));
  }
  const auto nothing = ash::zeros<double>({0});
  for (const double ord : {0.0, 1.0, 2.0, 3.0, inf}) CHECK(norm_of(nothing, ord) == 0);
  CHECK_THROWS_AS(norm_of(nothing, -inf), ash::shape_error);
  CHECK(values(ash::linalg::norm(ash::zeros<float>({2, 0}), 1, {.ord = inf})) == std::vector<float>{0, 0});
}

TEST_CASE("norms: the same bits on every executor") {
  ash::ndarray<double> in({70, 300});
  for (std::int64_t i = 0; i < in.size(); ++i) in.data()[i] = std::sin(static_cast<double>(i)) * 50;
  const auto x = ash::from(in, {.chunks = {16, 77}});
  for (const double ord : {1.0, 2.0, 3.5, inf}) {
    const auto n = ash::linalg::norm(x, 1, {.ord = ord});
    CHECK(same_bits(n.compute(ash::serial{}), n.compute(ash::std_threads{.workers = 3})));
  }
}
