#include <doctest/doctest.h>

#include <limits>

#include <ashlar/ashlar.hpp>

#include "support/item.hpp"

namespace ash = ashlar;
using testing_support::item;

TEST_CASE("over all axes of a chunked array the answer is the first place in C order") {
  const auto a = ash::from(ash::ndarray<int>::from({{1, 0}, {0, 1}}), {.chunks = {2, 1}});
  CHECK(item(a.argmin()) == 1);
  const auto b = ash::from(ash::ndarray<int>::from({{1, 2}, {3, 5}, {5, 4}}), {.chunks = {3, 1}});
  CHECK(item(b.argmax()) == 3);
  CHECK(item(ash::zeros<double>({2, 2, 2}, {.chunks = 1}).argmax()) == 0);
  CHECK(item(ash::zeros<double>({2, 2, 2}, {.chunks = 1}).argmin()) == 0);
}

TEST_CASE("of equal values the first wins, on every executor and however they are cut") {
  for (const int block : {1, 3, 16, 100}) {
    const auto x = ash::full(ash::shape{16}, 5.0f, {.chunks = block});
    CHECK(item(x.argmax()) == 0);
    CHECK(item(x.argmin(), ash::std_threads{.workers = 3}) == 0);
    CHECK(item(x.argmax(), ash::threads{.workers = 2}) == 0);
  }
  // ties inside a leaf of 512, over leaves, over blocks
  for (const int length : {40, 512, 513, 2000}) {
    for (const int first : {0, 5, 31, 32, 37, 511, 600, 1500}) {
      for (const int second : {6, 33, 38, 512, 601, 1999}) {
        if (first >= second || second >= length) continue;
        std::vector<std::int16_t> values(static_cast<std::size_t>(length), std::int16_t{3});
        values[static_cast<std::size_t>(first)] = values[static_cast<std::size_t>(second)] = 9;
        CAPTURE(length);
        CAPTURE(first);
        CAPTURE(second);
        CHECK(item(ash::from(values, {.chunks = 700}).argmax()) == first);
        CHECK(item(ash::from(values, {.chunks = 33}).argmax()) == first);
        for (std::int16_t& v : values) v = static_cast<std::int16_t>(-v);
        CHECK(item(ash::from(values, {.chunks = 700}).argmin()) == first);
      }
    }
  }
}

TEST_CASE("one hot element in each batch: the index is that of its own batch") {
  ash::ndarray<float> values = ash::ndarray<float>::full({6, 33, 33}, 0.0f);
  for (int b = 0; b < 6; ++b) values(b, (b * 7) % 33, (b * 13) % 33) = 1;
  const auto x = ash::from(values, {.chunks = {2, 10, 10}});
  const auto rows = x.max(2).argmax(1).compute(ash::serial{});
  const auto columns = x.max(1).argmax(1).compute(ash::threads{.workers = 2});
  for (int b = 0; b < 6; ++b) {
    CHECK(rows(b) == (b * 7) % 33);
    CHECK(columns(b) == (b * 13) % 33);
  }
}

TEST_CASE("every axis of a 3-d array, in any layout and dtype, equals a plain search") {
  ash::ndarray<std::uint8_t> values(ash::shape{5, 40, 70});
  std::uint32_t state = 1;
  for (std::uint8_t& v : values) v = static_cast<std::uint8_t>((state = state * 1664525u + 1013904223u) >> 27);
  const auto check = [&](const auto& x) {
    for (int axis = 0; axis < 3; ++axis) {
      const auto [low, high] = ash::compute(ash::std_threads{.workers = 2}, x.argmin(axis), x.argmax(axis));
      const int j = axis == 0 ? 1 : 0;
      const int k = axis == 2 ? 1 : 2;
      bool right = true;
      for (std::int64_t a = 0; a < values.shape()[j]; ++a) {
        for (std::int64_t b = 0; b < values.shape()[k]; ++b) {
          std::int64_t least = 0;
          std::int64_t most = 0;
          const auto at = [&](std::int64_t i) {
            return axis == 0 ? values(i, a, b) : axis == 1 ? values(a, i, b) : values(a, b, i);
          };
          for (std::int64_t i = 1; i < values.shape()[axis]; ++i) {
            if (at(i) < at(least)) least = i;
            if (at(i) > at(most)) most = i;
          }
          right = right && low(a, b) == least && high(a, b) == most;
        }
      }
      CAPTURE(axis);
      CHECK(right);
    }
  };
  const ash::chunks cut{2, 17, 33};
  check(ash::from(values, {.chunks = cut}));
  check(ash::from(values, {.chunks = cut}).astype<double>());
  check(ash::from(values, {.chunks = cut}).astype<std::int64_t>().persist(ash::serial{}));
  ash::ndarray<std::uint8_t> turned(ash::shape{70, 40, 5});
  turned.transpose().assign(values);
  check(ash::from(turned.transpose(), {.chunks = cut}));
}

TEST_CASE("the first NaN wins over everything") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const int block : {1, 2, 6}) {
    const auto x = ash::from(std::vector<double>{3, 1, nan, -5, nan, 9}, {.chunks = block});
    CHECK(item(x.argmin()) == 2);
    CHECK(item(x.argmax()) == 2);
  }
}

TEST_CASE("NaN, infinities and both zeros in rows and columns longer than a leaf") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float inf = std::numeric_limits<float>::infinity();
  for (const std::int64_t place : {0, 1, 31, 32, 40, 511, 512, 700, 1299}) {
    CAPTURE(place);
    ash::ndarray<float> values = ash::ndarray<float>::full({1300, 70}, -0.0f);
    const auto check = [&](std::int64_t low, std::int64_t high) {
      for (const auto& x : {ash::from(values, {.chunks = {600, 70}}), ash::from(values.copy(), {.chunks = {33, 20}})}) {
        CHECK(x.argmin(0).compute(ash::serial{})(69) == low);
        CHECK(x.argmax(0).compute(ash::serial{})(69) == high);
      }
      const auto row = ash::from(values.transpose().copy(), {.chunks = {7, 1000}});
      CHECK(row.argmin(1).compute(ash::serial{})(69) == low);
      CHECK(row.argmax(1).compute(ash::serial{})(69) == high);
    };
    for (std::int64_t i = place; i < 1300; ++i) values(i, 69) = 0.0f;
    check(0, 0);
    values(place, 69) = inf;
    check(place == 0 ? 1 : 0, place);
    values(place, 69) = -inf;
    check(place, place == 0 ? 1 : 0);
    values(place, 69) = nan;
    if (place + 1 < 1300) values(place + 1, 69) = nan;
    check(place, place);
  }
}

TEST_CASE("extreme values of the type are found where they stand") {
  const std::int64_t low = std::numeric_limits<std::int64_t>::lowest();
  const std::int64_t high = std::numeric_limits<std::int64_t>::max();
  const auto x = ash::from(std::vector<std::int64_t>{low, low, high, high}, {.chunks = 3});
  CHECK(item(x.argmax()) == 2);
  CHECK(item(x.argmin()) == 0);
  CHECK(item(ash::from(std::vector<std::int64_t>{low, low}, {.chunks = 1}).argmax()) == 0);
  CHECK(item(ash::from(std::vector<std::int64_t>{high, high}, {.chunks = 1}).argmin()) == 0);
  const auto flags = ash::from(ash::ndarray<bool>::from({false, true, true, false}), {.chunks = 3});
  CHECK(item(flags.argmax()) == 1);
  CHECK(item(flags.argmin()) == 0);
}

#if !defined(ASHLAR_TEST_SHORT)
TEST_CASE("indices have 64 bits: 2^32 + 5 elements in large blocks") {
  constexpr std::int64_t n = (std::int64_t{1} << 32) + 5;
  const auto x = ash::fromfunction([](std::int64_t i) { return static_cast<std::int8_t>(i == n - 3 ? 1 : 0); }, {n},
                                   {.chunks = std::int64_t{1} << 26});
  const auto [place, count, total] = ash::compute(ash::threads{}, x.argmax(), x.count_nonzero(), x.sum());
  CHECK(place.item() == 4294967298);
  CHECK(count.item() == 1);
  CHECK(total.item() == 1);
}
#endif
