#include <ashlar/detail/random_block.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>

using namespace ashlar::detail;

namespace {

__extension__ using wide = unsigned __int128;

std::array<std::uint32_t, 4> words_of(std::uint64_t block, std::uint64_t seed, random_stream stream) {
  std::array<std::uint32_t, 4> w;
  philox4x32_10(block, static_cast<std::uint64_t>(stream), key_of_seed(seed), w.data());
  return w;
}

// In units of the last place of the exact value.
template <class T>
double error_in_ulp(T value, long double exact) {
  int exponent;
  std::frexp(exact, &exponent);
  return static_cast<double>(std::fabs((static_cast<long double>(value) - exact) /
                                       std::ldexp(1.0L, exponent - std::numeric_limits<T>::digits)));
}

std::uint64_t some_word(std::uint64_t i) {
  return words_of(i, 99, random_stream::integers)[0] * 0x9E3779B97F4A7C15u + i;
}

constexpr std::array<std::uint64_t, 4> blocks = {0, 1, 0xFFFFFFFF, 0x123456789ABCDEF};

}  // namespace

TEST_CASE("a block of doubles takes the words of its counter two by two") {
  constexpr std::uint64_t seed = 0xFEDCBA9876543210;
  for (const std::uint64_t block : blocks) {
    const auto w = words_of(block, seed, random_stream::uniform_double);
    double u[2];
    random_block(u, block, round_keys(seed, random_stream::uniform_double), uniform_parameters<double>(0, 1));
    CHECK(u[0] == static_cast<double>((std::uint64_t{w[0]} << 32 | w[1]) >> 11) * 0x1p-53);
    CHECK(u[1] == static_cast<double>((std::uint64_t{w[2]} << 32 | w[3]) >> 11) * 0x1p-53);
  }
}

TEST_CASE("a block of floats takes one word each") {
  for (const std::uint64_t block : blocks) {
    const auto w = words_of(block, 5, random_stream::uniform_float);
    float u[4];
    random_block(u, block, round_keys(5, random_stream::uniform_float), uniform_parameters<float>(0, 1));
    for (int i = 0; i < 4; ++i) CHECK(u[i] == static_cast<float>(w[static_cast<std::size_t>(i ^ 1)] >> 8) * 0x1p-24f);
  }
}

TEST_CASE("integers are the upper half of word times range") {
  const round_keys keys(5, random_stream::integers);
  for (const std::uint64_t range : {std::uint64_t{1}, std::uint64_t{6}, std::uint64_t{0xFFFFFFFF},
                                    std::uint64_t{1} << 32, std::uint64_t{0x123456789ABCDEF1}, ~std::uint64_t{0}}) {
    for (const std::uint64_t block : blocks) {
      const auto w = words_of(block, 5, random_stream::integers);
      std::uint64_t v[2];
      random_block(v, block, keys, integer_parameters{7, range});
      for (std::size_t i = 0; i < 2; ++i) {
        const std::uint64_t word = std::uint64_t{w[2 * i]} << 32 | w[2 * i + 1];
        CHECK(v[i] == 7 + static_cast<std::uint64_t>(static_cast<wide>(word) * range >> 64));
      }
    }
  }
  std::uint64_t v[2];
  random_block(v, 3, keys, integer_parameters{7, 0});
  const auto w = words_of(3, 5, random_stream::integers);
  CHECK(v[0] == 7 + (std::uint64_t{w[0]} << 32 | w[1]));
}

TEST_CASE("the logarithm is within 2.1 ulp from the smallest to the largest number") {
  double worst = 0;
  const auto check = [&](double x) {
    const double y = random_scalar::minus_two_log(random_scalar::log_begin(x));
    if (x == 0x1p64) {
      CHECK(y == 0);
      return;
    }
    worst = std::max(worst, error_in_ulp(y, -2 * std::log(static_cast<long double>(x) * 0x1p-64L)));
  };
  for (std::uint64_t i = 0; i < 300000; ++i) {
    const std::uint64_t word = some_word(i);
    check(random_scalar::to_f64(word | 1));
    check(random_scalar::to_f64(word >> (i % 64) | 1));
    check(0x1p64 - static_cast<double>(word >> (11 + i % 52)) * 0x1p11);  // close to 1
  }
  check(1);
  check(0x1p64);
  CHECK(worst < 2.1);
  CHECK(worst > 0);

  worst = 0;
  for (std::uint32_t x = 1; x < 0x7FFFFFFF - 2000; x += x / 4000 + 1) {
    const float f = static_cast<float>(x);
    if (f == 0x1p31f) continue;
    const float y = random_scalar::minus_two_log(random_scalar::log_begin(f));
    worst = std::max(worst, error_in_ulp(y, -2 * std::log(static_cast<long double>(f) * 0x1p-31L)));
  }
  CHECK(worst < 2.1);
}

TEST_CASE("the direction is within 2 ulp all around") {
  double worst = 0, worst_float = 0;
  const long double half_pi = std::numbers::pi_v<long double> / 2;
  for (std::uint64_t i = 0; i < 300000; ++i) {
    const std::uint64_t word = i == 0 ? 0 : i == 1 ? ~std::uint64_t{0} : some_word(i);
    const auto d = random_scalar::unit_direction(word);
    const long double t = static_cast<long double>((word << 2) >> 12) * 0x1p-52L - 0.5L;
    long double x = std::cos(t * half_pi) * (word >> 63 ? -1 : 1), y = std::sin(t * half_pi);
    if (word >> 62 & 1) std::swap(x, y);
    worst = std::max({worst, error_in_ulp(d.x, x), y == 0 ? 0 : error_in_ulp(d.y, y)});

    const auto narrow = static_cast<std::uint32_t>(word);
    const auto f = random_scalar::unit_direction(narrow);
    const long double tf = static_cast<long double>((narrow << 2) >> 9) * 0x1p-23L - 0.5L;
    x = std::cos(tf * half_pi) * (narrow >> 31 ? -1 : 1), y = std::sin(tf * half_pi);
    if (narrow >> 30 & 1) std::swap(x, y);
    if (x != 0 && y != 0) worst_float = std::max({worst_float, error_in_ulp(f.x, x), error_in_ulp(f.y, y)});
  }
  CHECK(worst < 2);
  CHECK(worst > 0);
  CHECK(worst_float < 2);
}

TEST_CASE("the tails of normal numbers end where their words end") {
  // The smallest radius word gives the longest radius.
  const double longest = random_scalar::radius_end(random_scalar::radius_begin(std::uint64_t{0}));
  CHECK(longest == doctest::Approx(std::sqrt(128 * std::numbers::ln2)).epsilon(1e-15));
  CHECK(random_scalar::radius_end(random_scalar::radius_begin(~std::uint64_t{0})) == 0);
  CHECK(random_scalar::radius_end(random_scalar::radius_begin(std::uint32_t{0})) ==
        doctest::Approx(std::sqrt(62 * std::numbers::ln2)).epsilon(1e-6));
  CHECK(random_scalar::radius_end(random_scalar::radius_begin(~std::uint32_t{0})) == 0);
}

TEST_CASE("uniform bounds: the number below high is found on both sides of zero") {
  using limits = std::numeric_limits<double>;
  for (const double x : {1.0, 2.0, 1e300, -1.0, -2.0, 0.0, limits::denorm_min(), -limits::min()}) {
    CHECK(uniform_parameters<double>::before(x) == std::nextafter(x, -limits::infinity()));
    CHECK(uniform_parameters<float>::before(static_cast<float>(x > 1e30 ? 3 : x)) ==
          std::nextafter(static_cast<float>(x > 1e30 ? 3 : x), -std::numeric_limits<float>::infinity()));
  }
}
