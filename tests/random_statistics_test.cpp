// Fixed seeds, so these tests cannot fail by chance; bounds are what a right generator meets in all but about one of
// 1e5 seeds (4.5 standard deviations), so a wrong one does not.
#include <ashlar/detail/random_tiles.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

using namespace ashlar::detail;

namespace {

constexpr double bound = 4.5;
constexpr std::int64_t samples = 1 << 21;

struct moments {
  double mean = 0, variance = 0, skewness = 0, kurtosis = 0;
};

template <class T>
moments moments_of(const std::vector<T>& x) {
  const double n = static_cast<double>(x.size());
  moments m;
  double third = 0, fourth = 0;
  for (const T v : x) m.mean += v;
  m.mean /= n;
  for (const T v : x) {
    const double d = v - m.mean;
    m.variance += d * d;
    third += d * d * d;
    fourth += d * d * d * d;
  }
  m.variance /= n;
  m.skewness = third / n / std::pow(m.variance, 1.5);
  m.kurtosis = fourth / n / (m.variance * m.variance);
  return m;
}

/// Kolmogorov and Smirnov's distance times sqrt(n); above 2.3 in one of 2e4 samples of the distribution.
template <class T, class F>
double kolmogorov_smirnov(std::vector<T> x, F distribution) {
  std::sort(x.begin(), x.end());
  const double n = static_cast<double>(x.size());
  double distance = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double p = distribution(static_cast<double>(x[i]));
    distance = std::max({distance, p - static_cast<double>(i) / n, static_cast<double>(i + 1) / n - p});
  }
  return distance * std::sqrt(n);
}

/// Standard deviations that the chi-square of the counts lies off its mean.
double chi_square_off(const std::vector<double>& counts) {
  double n = 0, sum = 0;
  for (const double c : counts) n += c;
  const double expected = n / static_cast<double>(counts.size());
  for (const double c : counts) sum += (c - expected) * (c - expected) / expected;
  const double freedom = static_cast<double>(counts.size() - 1);
  return std::abs(sum - freedom) / std::sqrt(2 * freedom);
}

/// Correlation of elements `lag` apart, in standard deviations, of f(x).
template <class T, class F>
double correlation(const std::vector<T>& x, std::size_t lag, F f) {
  double mean = 0, variance = 0, sum = 0;
  for (const T v : x) mean += f(v);
  mean /= static_cast<double>(x.size());
  for (const T v : x) variance += (f(v) - mean) * (f(v) - mean);
  for (std::size_t i = 0; i + lag < x.size(); ++i) sum += (f(x[i]) - mean) * (f(x[i + lag]) - mean);
  return std::abs(sum / variance) * std::sqrt(static_cast<double>(x.size()));
}

template <class T>
void check_neighbours(const std::vector<T>& x, double mean) {
  for (const std::size_t lag : {1u, 2u, 3u, 4u, 8u, 16u, 64u, 128u, 1000u}) {
    CAPTURE(lag);
    CHECK(correlation(x, lag, [](T v) { return static_cast<double>(v); }) < bound);
    CHECK(correlation(x, lag, [=](T v) { return (v - mean) * (v - mean); }) < bound);
  }
}

}  // namespace

TEST_CASE_TEMPLATE("normal numbers have the moments, shape and tails of the normal distribution", T, double, float) {
  const double root_n = std::sqrt(static_cast<double>(samples));
  for (const std::uint64_t seed : {0u, 12345u}) {
    CAPTURE(seed);
    std::vector<T> x(samples);
    fill_normal(x.data(), 0, samples, seed, T(0), T(1));
    const moments m = moments_of(x);
    CHECK(std::abs(m.mean) * root_n < bound);
    CHECK(std::abs(m.variance - 1) * root_n < bound * std::sqrt(2.0));
    CHECK(std::abs(m.skewness) * root_n < bound * std::sqrt(6.0));
    CHECK(std::abs(m.kurtosis - 3) * root_n < bound * std::sqrt(24.0));
    CHECK(kolmogorov_smirnov(x, [](double v) { return std::erfc(-v / std::numbers::sqrt2) / 2; }) < 2.3);
    for (const double edge : {2.0, 3.0, 4.0}) {
      CAPTURE(edge);
      const double expected = std::erfc(edge / std::numbers::sqrt2) / 2 * static_cast<double>(samples);
      const auto above = std::count_if(x.begin(), x.end(), [=](T v) { return v > edge; });
      const auto below = std::count_if(x.begin(), x.end(), [=](T v) { return v < -edge; });
      CHECK(std::abs(static_cast<double>(above) - expected) < bound * std::sqrt(expected));
      CHECK(std::abs(static_cast<double>(below) - expected) < bound * std::sqrt(expected));
    }
    check_neighbours(x, 0);
  }
}

TEST_CASE_TEMPLATE("mean and standard deviation are the ones asked for", T, double, float) {
  std::vector<T> x(samples);
  fill_normal(x.data(), 77, samples, 3, T(10), T(0.1));
  const moments m = moments_of(x);
  CHECK(m.mean == doctest::Approx(10).epsilon(1e-4));
  CHECK(std::sqrt(m.variance) == doctest::Approx(0.1).epsilon(2e-3));
}

TEST_CASE_TEMPLATE("uniform numbers fill their interval evenly, alone and in pairs", T, double, float) {
  const double root_n = std::sqrt(static_cast<double>(samples));
  for (const std::uint64_t seed : {0u, 12345u}) {
    CAPTURE(seed);
    std::vector<T> x(samples);
    fill_uniform(x.data(), 0, samples, seed, T(0), T(1));
    const moments m = moments_of(x);
    CHECK(std::abs(m.mean - 0.5) * root_n < bound * std::sqrt(1.0 / 12));
    CHECK(std::abs(m.variance - 1.0 / 12) * root_n < bound * std::sqrt(1.0 / 180));
    CHECK(std::abs(m.kurtosis - 1.8) < 0.005);
    CHECK(kolmogorov_smirnov(x, [](double v) { return v; }) < 2.3);
    std::vector<double> single(1000), pairs(64 * 64), last_bits(256);
    for (std::size_t i = 0; i < x.size(); ++i) {
      single[static_cast<std::size_t>(x[i] * 1000)] += 1;
      const T finest = x[i] * (sizeof(T) == 8 ? T(0x1p53) : T(0x1p24));
      last_bits[static_cast<std::uint64_t>(finest) % 256] += 1;
      if (i % 2 == 0) {
        pairs[static_cast<std::size_t>(x[i] * 64) * 64 + static_cast<std::size_t>(x[i + 1] * 64)] += 1;
      }
    }
    CHECK(chi_square_off(single) < bound);
    CHECK(chi_square_off(last_bits) < bound);
    CHECK(chi_square_off(pairs) < bound);
    check_neighbours(x, 0.5);
  }
}

TEST_CASE("integers are even over ranges that are no powers of two") {
  std::vector<std::int64_t> x(samples);
  for (const std::uint64_t range : {6u, 1000u, 4095u}) {
    CAPTURE(range);
    fill_integers(x.data(), 1, samples, 9, std::int64_t{-3}, range);
    std::vector<double> counts(range);
    for (const std::int64_t v : x) counts[static_cast<std::size_t>(v + 3)] += 1;
    CHECK(chi_square_off(counts) < bound);
  }
  // A wide one by thousandths, and by its last digit.
  constexpr std::uint64_t range = 7'000'000'000'000'000'000;
  fill_integers(x.data(), 0, samples, 9, std::int64_t{0}, range);
  std::vector<double> thousandths(1000), digits(1000);
  for (const std::int64_t v : x) {
    thousandths[static_cast<std::size_t>(v) / (range / 1000)] += 1;
    digits[static_cast<std::size_t>(v % 1000)] += 1;
  }
  CHECK(chi_square_off(thousandths) < bound);
  CHECK(chi_square_off(digits) < bound);
}

TEST_CASE("neighbouring seeds and purposes are not correlated") {
  const auto correlated = [](const std::vector<double>& a, const std::vector<double>& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return std::abs(sum) / std::sqrt(static_cast<double>(a.size()));
  };
  std::vector<double> a(samples), b(samples);
  fill_normal(a.data(), 0, samples, 100, 0.0, 1.0);
  fill_normal(b.data(), 0, samples, 101, 0.0, 1.0);
  CHECK(correlated(a, b) < bound);
  fill_uniform(b.data(), 0, samples, 100, -std::sqrt(3.0), std::sqrt(3.0));
  CHECK(correlated(a, b) < bound);
  fill_normal(b.data(), samples, samples, 100, 0.0, 1.0);
  CHECK(correlated(a, b) < bound);
}
