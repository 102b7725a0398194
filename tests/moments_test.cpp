#include <doctest/doctest.h>

#include <cmath>
#include <complex>

#include <ashlar/ashlar.hpp>

#include "support/item.hpp"
#include "support/lazy_check.hpp"

namespace ash = ashlar;
using testing_support::item;

TEST_CASE("small standard deviations beside a large mean keep their digits") {
  for (const int block : {1, 2, 3, 100}) {
    const auto far = ash::from(std::vector<double>{1e9 + 4, 1e9 + 7, 1e9 + 13, 1e9 + 16}, {.chunks = block});
    CHECK(item(far.var(0, {.ddof = 1})) == doctest::Approx(30).epsilon(1e-9));
    CHECK(item(far.mean()) == 1e9 + 10);
  }
  for (const int block : {1, 7, 512, 5000}) {
    std::vector<double> values;
    for (int i = 0; i < 3000; ++i) values.push_back(1e6 + (i % 2 == 0 ? 0.01 : -0.01));
    const auto x = ash::from(values, {.chunks = block});
    CHECK(item(x.std()) == doctest::Approx(0.01).epsilon(1e-8));
    const auto tall = ash::from(ash::ndarray<double>::from(values).reshape({1000, 3}), {.chunks = {block, 2}});
    for (const double s : tall.std(0).compute(ash::serial{})) CHECK(s == doctest::Approx(0.01).epsilon(1e-8));
  }
}

TEST_CASE("float32 moments are accumulated in float64") {
  std::vector<float> values;
  for (int i = 0; i < 8; ++i) values.push_back(static_cast<float>(1e4 + 0.1 * i));
  CHECK(item(ash::from(values, {.chunks = 2}).var()) == doctest::Approx(0.0525172).epsilon(1e-5));
}

TEST_CASE("equal elements have a variance of exactly 0, whatever their number") {
  for (const double value : {1.0, 0.1, -3.7, 1e6 + 1.0 / 3}) {
    for (const int n : {1, 2, 3, 16, 49, 64, 512, 1024, 1500}) {
      for (const int block : {7, 49, 4096}) {
        CAPTURE(value);
        CAPTURE(n);
        CAPTURE(block);
        if (value == 1.0) {
          CHECK(item(ash::full(ash::shape{n}, value, {.chunks = block}).var()) == 0);
          CHECK(ash::full(ash::shape{n, 3}, value, {.chunks = {block, 2}}).var(0).compute(ash::serial{})(2) == 0);
        }
        CHECK(item(ash::full(ash::shape{n}, value, {.chunks = block}).std()) <= 1e-15 * std::abs(value) * 4);
      }
    }
  }
}

TEST_CASE("complex variance is real: the mean of squared distances") {
  using c = std::complex<double>;
  const auto x = ash::from(std::vector<c>{{1, 1}, {2, -1}, {0, 3}, {4, 0}}, {.chunks = 2});
  CHECK(item(x.var()) == doctest::Approx(4.375).epsilon(1e-14));
  CHECK(item(x.std()) == doctest::Approx(2.091650066335189).epsilon(1e-14));
}

TEST_CASE("the divisor is N - ddof: at 0 inf or NaN, below it NaN") {
  const auto x = ash::arange<double>(0, 10, 1, {.chunks = 5});
  CHECK(item(x.std()) == doctest::Approx(2.8722813232690143).epsilon(1e-15));
  CHECK(item(x.var(0, {.ddof = 1})) == doctest::Approx(9.166666666666666).epsilon(1e-15));
  CHECK(item(x.var(0, {.ddof = 0.5})) == doctest::Approx(82.5 / 9.5).epsilon(1e-15));
  const auto two = ash::from(std::vector<double>{1, 2}, {.chunks = 1});
  CHECK(std::isinf(item(two.var(0, {.ddof = 2}))));
  CHECK(std::isnan(item(two.var(0, {.ddof = 3}))));
  CHECK(std::isnan(item(two.std(0, {.ddof = 3}))));
  CHECK(std::isnan(item(ash::ones<double>({2}).var(0, {.ddof = 2}))));
  CHECK(item(ash::ones<std::int32_t>({1}).var()) == 0);
}

TEST_CASE("several divisors of one array share one pass and differ only in the divisor") {
  const auto x = ash::arange<float>(0, 100, 1, {.chunks = 7});
  const auto [a, b, c] = ash::compute(ash::serial{}, x.var(0), x.var(0, {.ddof = 1}), x.std(0, {.ddof = 1}));
  CHECK(a.item() == doctest::Approx(833.25));
  CHECK(b.item() == doctest::Approx(841.666666));
  CHECK(c.item() == doctest::Approx(29.0114919));
}

TEST_CASE("mean alone, mean beside std, and sum / N have the same bits") {
  ash::ndarray<double> values(ash::shape{300, 1100});
  std::uint64_t state = 3;
  for (double& v : values)
    v = std::ldexp(static_cast<double>(state = state * 6364136223846793005ull + 1442695040888963407ull), -30);
  const auto x = ash::from(values, {.chunks = {70, 600}});
  for (const ash::axes& which : {ash::axes{0}, ash::axes{1}, ash::axes{0, 1}}) {
    const auto alone = x.mean(which).compute(ash::serial{});
    const auto [mean, deviation, sum] =
        ash::compute(ash::threads{.workers = 2}, x.mean(which), x.std(which), x.sum(which));
    CHECK(same_bits(alone, mean));
    CHECK(same_bits(x.sum(which).compute(ash::serial{}), sum));
    const double n = static_cast<double>(x.size() / sum.size());
    auto s = sum.begin();
    for (const double m : mean) CHECK(m == *s++ / n);
    CHECK(deviation.size() == mean.size());
  }
}

TEST_CASE("the mean that centres is the mean: centred data have a mean near 0 and the same variance") {
  const auto x =
      ash::from(ash::arange<double>(0, 3000, 1).compute(ash::serial{}).reshape({50, 60}), {.chunks = {16, 17}}) + 1e8;
  const auto [mean, var, var_plain] =
      ash::compute(ash::serial{}, (x - x.mean(0)).mean(0), (x - x.mean(0)).var(0), x.var(0));
  for (int c = 0; c < 60; ++c) {
    CHECK(std::abs(mean(c)) < 1e-7);
    CHECK(var(c) == doctest::Approx(var_plain(c)).epsilon(1e-12));
  }
}
