#include <ashlar/detail/random_tiles.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

using namespace ashlar::detail;

namespace {

constexpr std::int64_t far = (std::int64_t{1} << 33) * 2 - 1000;  // the number of the block passes 2^32 on the way

template <class T>
struct uniform {
  using element = T;
  static constexpr auto stream = sizeof(T) == 8 ? random_stream::uniform_double : random_stream::uniform_float;
  static uniform_parameters<T> parameters() { return {T(-1.5), T(2.25)}; }
  static void fill(T* out, std::int64_t first, std::int64_t n) { fill_uniform(out, first, n, 7, T(-1.5), T(2.25)); }
};
template <class T>
struct normal {
  using element = T;
  static constexpr auto stream = sizeof(T) == 8 ? random_stream::normal_double : random_stream::normal_float;
  static normal_parameters<T> parameters() { return {T(10), T(0.1)}; }
  static void fill(T* out, std::int64_t first, std::int64_t n) { fill_normal(out, first, n, 7, T(10), T(0.1)); }
};
template <std::uint64_t Range>
struct integers {
  using element = std::uint64_t;
  static constexpr auto stream = random_stream::integers;
  static integer_parameters parameters() { return {5, Range}; }
  static void fill(std::uint64_t* out, std::int64_t first, std::int64_t n) {
    fill_integers(out, first, n, 7, std::uint64_t{5}, Range);
  }
};

template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

int levels() { return static_cast<int>(current_isa()) + 1; }

}  // namespace

#define DISTRIBUTIONS \
  uniform<double>, uniform<float>, normal<double>, normal<float>, integers<1000>, integers<1000000000000>, integers<0>

TEST_CASE_TEMPLATE("any run holds the bits of the whole, and writes nothing beside it", D, DISTRIBUTIONS) {
  using T = typename D::element;
  constexpr std::int64_t n = 700;
  constexpr T untouched = T(77);
  for (int level = 0; level < levels(); ++level) {
    const auto fill = [&](T* out, std::int64_t first, std::int64_t count) {
      fill_run_with(static_cast<isa_level>(level), out, first, count, 7, D::stream, D::parameters());
    };
    for (const std::int64_t origin : {std::int64_t{0}, far}) {
      std::vector<T> whole(n);
      fill(whole.data(), origin, n);
      std::int64_t wrong = 0;
      for (std::int64_t begin = 0; begin < 70; ++begin) {
        for (const std::int64_t length : {1,  2,   3,   5,   8,   15,  16,  17,  31,  32,  33,  47,  63,  64, 65,
                                          97, 127, 128, 129, 130, 191, 200, 255, 256, 257, 300, 511, 512, 630}) {
          std::vector<T> run(static_cast<std::size_t>(length + 2), untouched);
          fill(run.data() + 1, origin + begin, length);
          wrong += std::memcmp(run.data() + 1, whole.data() + begin, static_cast<std::size_t>(length) * sizeof(T)) != 0;
          wrong += run.front() != untouched || run.back() != untouched;
        }
      }
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE_TEMPLATE("the calls of the library take the widest vectors", D, DISTRIBUTIONS) {
  using T = typename D::element;
  std::vector<T> called(3000), direct(3000);
  D::fill(called.data(), 11, 3000);
  fill_run_with(current_isa(), direct.data(), 11, 3000, 7, D::stream, D::parameters());
  CHECK(same_bits(called, direct));
}

TEST_CASE("an empty run writes nothing") {
  double x = 3;
  fill_normal(&x, 5, 0, 1, 0.0, 1.0);
  fill_uniform(&x, 4, 0, 1, 0.0, 1.0);
  CHECK(x == 3);
}

TEST_CASE_TEMPLATE("vectors of every width make the elements of the plain blocks", D, DISTRIBUTIONS) {
  using T = typename D::element;
  constexpr std::int64_t n = 4000;
  constexpr std::size_t per_block = 16 / sizeof(T);
  std::vector<T> plain(n);
  for (std::size_t i = 0; i < plain.size(); i += per_block) {
    T block[per_block];
    random_block(block, (static_cast<std::uint64_t>(far) + i) / per_block, round_keys(7, D::stream), D::parameters());
    std::copy_n(block, per_block, plain.begin() + static_cast<std::ptrdiff_t>(i));
  }
  for (int level = 0; level < levels(); ++level) {
    CAPTURE(level);
    std::vector<T> run(n);
    fill_run_with(static_cast<isa_level>(level), run.data(), far, n, 7, D::stream, D::parameters());
    if constexpr (std::is_integral_v<T>) {
      CHECK(same_bits(run, plain));
    } else {
      // Where a product and a sum are contracted the last bits differ: programs/random_same_bits.cpp has them equal.
      T worst = 0;
      for (std::size_t i = 0; i < run.size(); ++i) worst = std::max(worst, std::abs(run[i] - plain[i]));
      CHECK(worst <= 12 * std::numeric_limits<T>::epsilon());
    }
  }
}

TEST_CASE("seeds and purposes have numbers of their own") {
  std::vector<double> a(1000), b(1000), c(1000), d(1000);
  fill_uniform(a.data(), 0, 1000, 1, 0.0, 1.0);
  fill_uniform(b.data(), 0, 1000, 2, 0.0, 1.0);
  fill_uniform(c.data(), 0, 1000, std::uint64_t{1} << 32 | 1, 0.0, 1.0);
  fill_uniform(d.data(), 0, 1000, 1, 0.0, 1.0);
  CHECK(same_bits(a, d));
  std::vector<std::uint64_t> words(1000);
  fill_integers(words.data(), 0, 1000, 1, std::uint64_t{0}, 0);
  int equal = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    equal += (a[i] == b[i]) + (a[i] == c[i]) + (a[i] == static_cast<double>(words[i] >> 11) * 0x1p-53);
  }
  CHECK(equal == 0);
}

TEST_CASE_TEMPLATE("uniform numbers reach low and never high", T, double, float) {
  constexpr std::int64_t n = 20000;
  std::vector<T> x(n);
  const auto check = [&](T low, T high) {
    fill_uniform(x.data(), 1, n, 3, low, high);
    CHECK(*std::min_element(x.begin(), x.end()) >= low);
    CHECK(*std::max_element(x.begin(), x.end()) < high);
  };
  check(0, 1);
  check(-3, 5);
  check(1, std::nextafter(T(1), T(2)));  // half of the values round up to high
  check(T(1e6), std::nextafter(T(1e6), T(2e6)));
  check(-std::numeric_limits<T>::denorm_min(), 0);
  check(std::numeric_limits<T>::lowest() / 2, std::numeric_limits<T>::max() / 2);
  fill_uniform(x.data(), 0, n, 3, T(2), T(2));
  CHECK(std::count(x.begin(), x.end(), T(2)) == n);
}

TEST_CASE_TEMPLATE("integers keep to their range", I, std::int8_t, std::uint8_t, std::int16_t, std::int32_t,
                   std::uint32_t, std::int64_t, std::uint64_t, long long) {
  using limits = std::numeric_limits<I>;
  constexpr std::int64_t n = 10000;
  std::vector<I> x(n);
  fill_integers(x.data(), 0, n, 3, I(5), 6);
  std::vector<int> count(256);
  for (const I v : x) count[static_cast<std::uint8_t>(v)] += 1;
  for (std::size_t v = 5; v < 11; ++v) CHECK(count[v] > n / 7);
  CHECK(std::count_if(x.begin(), x.end(), [](I v) { return v < 5 || v > 10; }) == 0);

  // The whole range of the type: both ends' sixteenths are met.
  fill_integers(x.data(), 0, n, 3, limits::min(), sizeof(I) == 8 ? 0 : std::uint64_t{1} << (8 * sizeof(I) % 64));
  const auto high = static_cast<I>(limits::max() - limits::max() / 8),
             low = static_cast<I>(limits::min() - limits::min() / 8);
  CHECK(*std::max_element(x.begin(), x.end()) > high);
  CHECK(*std::min_element(x.begin(), x.end()) <= (limits::is_signed ? low : limits::max() / 8));

  if constexpr (limits::is_signed) {
    fill_integers(x.data(), 0, n, 3, I(-3), 7);
    CHECK(*std::min_element(x.begin(), x.end()) == -3);
    CHECK(*std::max_element(x.begin(), x.end()) == 3);
  }
}
