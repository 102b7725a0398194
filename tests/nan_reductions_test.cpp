#include <ashlar/nan_reductions.hpp>

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
constexpr double inf = std::numeric_limits<double>::infinity();

template <class T = double>
ash::array<T> line(std::vector<T> values, const ash::chunks& cut = 2) {
  return ash::from(std::move(values), {.chunks = cut});
}

/// rows x columns of numbers, every third one NaN, one column of NaN alone, one row without.
ash::ndarray<double> gaps(std::int64_t rows, std::int64_t columns) {
  ash::ndarray<double> x({rows, columns});
  for (std::int64_t r = 0; r < rows; ++r) {
    for (std::int64_t c = 0; c < columns; ++c) {
      x(r, c) = (r * 7 + c * 5) % 3 == 0 && r != 1 ? quiet : std::sin(static_cast<double>(r * columns + c)) * 100;
    }
    if (columns > 2) x(r, 2) = quiet;
  }
  return x;
}

struct plain {
  double sum = 0, product = 1, mean = 0, variance = 0, low = quiet, high = quiet;
  std::int64_t count = 0, first_low = -1, first_high = -1;
};

plain reduce_plainly(const std::vector<double>& v) {
  plain p;
  long double sum = 0;
  long double product = 1;
  for (std::size_t i = 0; i < v.size(); ++i) {
    if (std::isnan(v[i])) continue;
    ++p.count;
    sum += v[i];
    product *= v[i];
    if (!(p.low <= v[i])) {
      p.low = v[i];
      p.first_low = static_cast<std::int64_t>(i);
    }
    if (!(p.high >= v[i])) {
      p.high = v[i];
      p.first_high = static_cast<std::int64_t>(i);
    }
  }
  p.sum = static_cast<double>(sum);
  p.product = static_cast<double>(product);
  const long double mean = sum / static_cast<long double>(p.count);
  p.mean = static_cast<double>(mean);
  long double m2 = 0;
  for (const double x : v) {
    if (!std::isnan(x)) m2 += (x - mean) * (x - mean);
  }
  p.variance = p.count == 0 ? quiet : static_cast<double>(m2 / static_cast<long double>(p.count));
  return p;
}

bool near(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) || a == b || std::abs(a - b) <= 1e-11 * (std::abs(b) + 1);
}

}  // namespace

TEST_CASE("nan reductions equal plain loops, for every axis and chunking, to the same bits on every executor") {
  for (const auto& [rows, columns] : std::vector<std::pair<std::int64_t, std::int64_t>>{{5, 7}, {40, 70}, {3, 1100}}) {
    const ash::ndarray<double> in = gaps(rows, columns);
    for (const ash::chunks& cut :
         {ash::chunks{ash::full}, ash::chunks{3, 7}, ash::chunks{16, 64}, ash::chunks{1, 512}}) {
      const auto x = ash::from(in, {.chunks = cut});
      for (const int axis : {0, 1}) {
        const auto [sum, product, mean, variance, low, high] =
            ash::compute(ash::serial{}, x.nansum(axis), x.nanprod(axis), x.nanmean(axis), x.nanvar(axis),
                         x.nanmin(axis), x.nanmax(axis));
        for (std::int64_t k = 0; k < sum.size(); ++k) {
          std::vector<double> v;
          for (std::int64_t i = 0; i < (axis == 0 ? rows : columns); ++i) v.push_back(axis == 0 ? in(i, k) : in(k, i));
          const plain p = reduce_plainly(v);
          CAPTURE(k);
          CHECK(near(sum(k), p.sum));
          CHECK((near(product(k), p.product) || std::abs(product(k) / p.product - 1) < 1e-11));
          CHECK(near(mean(k), p.mean));
          CHECK(near(variance(k), p.variance));
          CHECK(near(low(k), p.low));
          CHECK(near(high(k), p.high));
        }
        CHECK(same_bits(variance, x.nanvar(axis).compute(ash::std_threads{.workers = 3})));
        CHECK(same_bits(mean, x.nanmean(axis).compute(ash::std_threads{.workers = 2})));
        CHECK(same_bits(variance, x.nanvar(axis, {.split_every = 2}).compute(ash::serial{}, {.optimize = false})));
      }
      std::vector<double> all(in.begin(), in.end());
      const plain p = reduce_plainly(all);
      CHECK(near(item(x.nansum()), p.sum));
      CHECK(near(item(x.nanmean()), p.mean));
      CHECK(near(item(x.nanstd()), std::sqrt(p.variance)));
      CHECK(item(x.nanargmin()) == p.first_low);
      CHECK(item(x.nanargmax()) == p.first_high);
      const auto places = x.nanargmax(1).compute(ash::threads{.workers = 2});
      for (std::int64_t r = 0; r < rows; ++r) {
        std::vector<double> v;
        for (std::int64_t c = 0; c < columns; ++c) v.push_back(in(r, c));
        CHECK(places(r) == reduce_plainly(v).first_high);
      }
    }
  }
}

TEST_CASE("nan reductions of nothing but NaN") {
  for (const int length : {1, 5, 40, 600}) {
    for (const int block : {1, 7, 1000}) {
      if (length > 100 && block == 1) continue;
      const auto x = line(std::vector<double>(static_cast<std::size_t>(length), quiet), block);
      CHECK(item(x.nansum()) == 0);
      CHECK(item(x.nanprod()) == 1);
      CHECK(std::isnan(item(x.nanmean())));
      CHECK(std::isnan(item(x.nanvar())));
      CHECK(std::isnan(item(x.nanmin())));
      CHECK(std::isnan(item(x.nanmax())));
      CHECK_THROWS_WITH_AS(x.nanargmin().compute(), doctest::Contains("nanargmin: all elements are NaN"),
                           ash::task_error);
      CHECK_THROWS_AS(x.nanargmax().compute(ash::std_threads{.workers = 2}), ash::task_error);
    }
  }
}

TEST_CASE("nan reductions: a slice of NaN among others is an error that names it; blocks of NaN are none") {
  const auto table = ash::from(ash::ndarray<double>::from({{1, quiet, 2}, {3, quiet, 0}}), {.chunks = {1, 3}});
  CHECK_THROWS_WITH_AS(table.nanargmin(0).compute(ash::serial{}), doctest::Contains("slice 1 of this block"),
                       ash::task_error);
  try {
    static_cast<void>(table.nanargmax(0).compute(ash::serial{}));
    CHECK(false);
  } catch (const ash::task_error& e) {
    CHECK_THROWS_AS(std::rethrow_if_nested(e), ash::value_error);
  }
  CHECK(values(table.nanargmin(1)) == std::vector<std::int64_t>{0, 2});
  const auto x = line({quiet, quiet, quiet, 4, quiet, 4}, 2);
  CHECK(item(x.nanargmin()) == 3);
  CHECK(item(x.nanargmax()) == 3);
}

TEST_CASE("nan reductions: an infinity is found beside NaN") {
  CHECK(item(line({quiet, inf}).nanargmin()) == 1);
  CHECK(item(line({quiet, -inf}, 1).nanargmax()) == 1);
  CHECK(item(line({quiet, inf}).nanmin()) == inf);
  CHECK(item(line({-inf, quiet}).nanmax()) == -inf);
  CHECK(std::isnan(item(line({inf, quiet, -inf}).nanstd())));
  CHECK(std::isnan(item(line({inf, quiet, -inf}).nansum())));
  std::vector<double> many(700, inf);
  many[0] = quiet;
  CHECK(item(line(many, 600).nanargmin()) == 1);
}

TEST_CASE("nan reductions without NaN are the others, to the bit") {
  ash::ndarray<double> in({300, 40});
  for (double& v : in) v = std::sin(static_cast<double>(&v - in.data())) * 1e3;
  const auto x = ash::from(in, {.chunks = {77, 16}});
  for (const ash::axes& which : {ash::axes{}, ash::axes{0}, ash::axes{1}}) {
    const auto same = [](const auto& a, const auto& b) { return same_bits(a.compute(), b.compute()); };
    CHECK(same(x.nansum(which), x.sum(which)));
    CHECK(same(x.nanmean(which), x.mean(which)));
    CHECK(same(x.nanmin(which), x.min(which)));
    CHECK(same(x.nanmax(which), x.max(which)));
    CHECK(ash::allclose(x.nanvar(which), x.var(which), {.rtol = 1e-14}).compute().item());
  }
}

TEST_CASE("nan reductions: variance by degrees of freedom, NaN where none are left") {
  const auto x = ash::from(ash::ndarray<double>::from({{1, quiet, quiet}, {4, 2, quiet}, {7, quiet, quiet}}));
  const auto v = x.nanvar(0, {.ddof = 1}).compute();
  CHECK(v(0) == 9);
  CHECK(std::isnan(v(1)));
  CHECK(std::isnan(v(2)));
  CHECK(x.nanvar(0).compute()(1) == 0);
  CHECK(x.nanstd(0, {.keepdims = true}).shape() == ash::shape{1, 3});
  const double offset =
      item(line({1e9 + 4, quiet, 1e9 + 7, 1e9 + 13, quiet, 1e9 + 16}).nanvar(ash::all_axes, {.ddof = 1}));
  CHECK(offset == doctest::Approx(30));
}

TEST_CASE("nan reductions: types") {
  static_assert(std::is_same_v<decltype(ash::nansum(line<float>({})))::value_type, float>);
  static_assert(std::is_same_v<decltype(ash::nansum(line<std::int8_t>({})))::value_type, std::int64_t>);
  static_assert(std::is_same_v<decltype(ash::nanmean(line<int>({})))::value_type, double>);
  static_assert(std::is_same_v<decltype(ash::nanvar(line<std::complex<float>>({})))::value_type, float>);
  static_assert(std::is_same_v<decltype(ash::nanmin(line<std::uint8_t>({})))::value_type, std::uint8_t>);
  CHECK(item(ash::nansum(line<int>({1, 2, 3}))) == 6);
  CHECK(item(ash::nanprod(line<std::uint8_t>({200, 2}))) == 400);
  CHECK(item(ash::nanmean(line<bool>({true, false}))) == 0.5);
  CHECK(item(ash::nanvar(line<int>({1, 3}))) == 1);
  CHECK(item(ash::nanmax(line<int>({1, 3}))) == 3);
  CHECK(item(ash::nanargmax(line<int>({1, 3}))) == 1);
  const float f = std::numeric_limits<float>::quiet_NaN();
  CHECK(item(ash::nanmean(line<float>({16777216.0f, f, 1.0f, 1.0f}))) == 5592406.0f);  // added in double
  CHECK(item(ash::nanmin(line<float>({f, 3, -2}))) == -2);
  using z = std::complex<double>;
  const auto c = line<z>({{1, 2}, {quiet, 1}, {3, quiet}, {3, -2}});
  CHECK(item(ash::nansum(c)) == z{4, 0});
  CHECK(item(ash::nanmean(c)) == z{2, 0});
  CHECK(item(ash::nanvar(c)) == 5);
}

TEST_CASE("nan reductions of nothing, and over blocks of nothing") {
  const auto nothing = ash::zeros<double>({0});
  CHECK(item(nothing.nansum()) == 0);
  CHECK(item(nothing.nanprod()) == 1);
  CHECK(std::isnan(item(nothing.nanmean())));
  CHECK(std::isnan(item(nothing.nanvar())));
  CHECK_THROWS_WITH_AS(nothing.nanmin(), doctest::Contains("nanmin"), ash::shape_error);
  CHECK_THROWS_AS(nothing.nanargmax(), ash::shape_error);
  const auto x = line({3, quiet, 1}, ash::chunks{{0, 1, 0, 2, 0}});
  CHECK(item(x.nanmean()) == 2);
  CHECK(item(x.nanvar()) == 1);
  CHECK(item(x.nanargmin()) == 2);
  const auto ones = ash::ones<double>({4, 5}, {.chunks = {{0, 4}, 5}});
  CHECK(ash::array_equal(ones.nanmin(0).compute(), ash::ndarray<double>::full({5}, 1)));
  CHECK_THROWS_WITH_AS(x.nansum(1), doctest::Contains("nansum"), ash::axis_error);
  CHECK_THROWS_WITH_AS(x.nanmean(1), doctest::Contains("nanmean"), ash::axis_error);
}

TEST_CASE("nan reductions of expressions share their pass with others") {
  const auto x = line({1, quiet, 3, -1}, 2);
  const auto y = ash::sqrt(x);  // of -1 it is NaN
  const auto [mean, sum, least, count] = ash::compute(ash::nanmean(y), ash::nansum(y), y.nanmin(), (!isnan(y)).sum());
  CHECK(mean.item() == doctest::Approx((1 + std::sqrt(3.0)) / 2));
  CHECK(sum.item() == doctest::Approx(1 + std::sqrt(3.0)));
  CHECK(least.item() == 1);
  CHECK(count.item() == 2);
}
