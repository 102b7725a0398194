#include <ashlar/functions.hpp>

#include <cstdint>
#include <limits>
#include <vector>

#include <doctest/doctest.h>

#include "support/lazy_check.hpp"

using ashlar::array;
using ashlar::from;

namespace {

template <class T>
array<T> of(std::vector<T> v) {
  return from(std::move(v), {.chunks = {2}});
}

}  // namespace

TEST_CASE("bits: and, or, exclusive or, in the promoted type") {
  const array<int> x = of<int>({12, -1, 7});
  const array<int> y = of<int>({10, 255, -8});
  CHECK(values(x & y) == std::vector<int>{8, 255, 0});
  CHECK(values(x | y) == std::vector<int>{14, -1, -1});
  CHECK(values(x ^ y) == std::vector<int>{6, -256, -1});
  CHECK(values(bitwise_and(x, 6)) == std::vector<int>{4, 6, 6});
  CHECK(values(bitwise_or(8, x)) == std::vector<int>{12, -1, 15});
  CHECK(values(bitwise_xor(x, x)) == std::vector<int>{0, 0, 0});
  CHECK(values(of<std::int8_t>({-1}) & of<std::uint8_t>({200})) == std::vector<std::int16_t>{200});
  CHECK(values(of<bool>({true, false}) | of<int>({6, 6})) == std::vector<int>{7, 6});
  CHECK(values((of<std::uint8_t>({200}) & 15) == 8) == std::vector<bool>{true});
}

TEST_CASE("bits: of bool they are logic") {
  const array<bool> a = of<bool>({true, true, false, false});
  const array<bool> b = of<bool>({true, false, true, false});
  CHECK(values(a & b) == std::vector<bool>{true, false, false, false});
  CHECK(values(a | b) == std::vector<bool>{true, true, true, false});
  CHECK(values(a ^ b) == std::vector<bool>{false, true, true, false});
  CHECK(values(~a) == std::vector<bool>{false, false, true, true});
  CHECK(values(a & true) == values(a));
}

TEST_CASE("bits: all turned") {
  CHECK(values(~of<int>({0, 5, -1})) == std::vector<int>{-1, -6, 0});
  CHECK(values(invert(of<std::uint8_t>({0, 1}))) == std::vector<std::uint8_t>{255, 254});
  CHECK(values(bitwise_not(of<std::int64_t>({1}))) == std::vector<std::int64_t>{-2});
}

TEST_CASE("bits: shifts within the type") {
  CHECK(values(of<int>({1, -3, 5}) << 2) == std::vector<int>{4, -12, 20});
  CHECK(values(of<int>({8, -8, 7}) >> 1) == std::vector<int>{4, -4, 3});
  CHECK(values(left_shift(of<std::uint8_t>({129}), 1)) == std::vector<std::uint8_t>{2});
  CHECK(values(right_shift(of<std::uint8_t>({129}), 7)) == std::vector<std::uint8_t>{1});
  CHECK(values(1 << of<int>({0, 3, 31})) == std::vector<int>{1, 8, std::numeric_limits<int>::min()});
  CHECK(values(of<std::int8_t>({64}) << 1) == std::vector<std::int8_t>{-128});
  CHECK(values(of<bool>({true, true}) << of<bool>({true, false})) == std::vector<std::int8_t>{2, 1});
}

TEST_CASE("bits: shifts by as many bits as there are, by more, and by less than none") {
  const auto check = [](auto zero) {
    using T = decltype(zero);
    constexpr int bits = 8 * static_cast<int>(sizeof(T));
    const T most = std::numeric_limits<T>::max();
    const T least = std::numeric_limits<T>::min();
    const T far = least < T{} ? T(-1) : T(0);
    const array<T> x = of<T>({most, least, T(1), T(3)});
    for (const int count : {bits, bits + 1, 100}) {
      CAPTURE(count);
      const array<T> n = of<T>(std::vector<T>(4, static_cast<T>(count)));
      CHECK(values(x << n) == std::vector<T>{0, 0, 0, 0});
      CHECK(values(x >> n) == std::vector<T>{0, far, 0, 0});
    }
    CHECK(values(x >> (bits - 1)) == std::vector<T>{static_cast<T>(least < T{} ? 0 : 1), far, 0, 0});
    CHECK(values(x << (bits - 1))[2] == static_cast<T>(std::uint64_t{1} << (bits - 1)));
    if constexpr (std::is_signed_v<T>) {
      CHECK(values(x << -1) == std::vector<T>{0, 0, 0, 0});
      CHECK(values(x >> -1) == std::vector<T>{0, far, 0, 0});
      CHECK(values(x >> std::numeric_limits<T>::min()) == std::vector<T>{0, far, 0, 0});
    }
  };
  check(std::int8_t{});
  check(std::int16_t{});
  check(std::int32_t{});
  check(std::int64_t{});
  check(std::uint8_t{});
  check(std::uint16_t{});
  check(std::uint32_t{});
  check(std::uint64_t{});
}

TEST_CASE("bits: a number that the type cannot hold is an error") {
  CHECK_THROWS_AS(static_cast<void>(of<std::uint8_t>({1}) & 256), ashlar::dtype_error);
  CHECK_THROWS_AS(static_cast<void>(of<std::uint8_t>({1}) >> -1), ashlar::dtype_error);
}

TEST_CASE("bits: assignment forms rebind the name") {
  array<int> x = of<int>({12, 7});
  const array<int> before = x;
  x &= 6;
  x |= 1;
  x <<= 2;
  x >>= 1;
  x ^= 2;
  CHECK(values(x) == std::vector<int>{(((12 & 6) | 1) << 2 >> 1) ^ 2, (((7 & 6) | 1) << 2 >> 1) ^ 2});
  CHECK(values(before) == std::vector<int>{12, 7});
}

TEST_CASE("bits: no chunking changes anything") {
  ashlar::ndarray<std::int16_t> in({300});
  for (std::int64_t i = 0; i < 300; ++i) in(i) = static_cast<std::int16_t>(i * 7919);
  CHECK(independent_of_chunks(
      in, [](const array<std::int16_t>& x) { return array<std::int16_t>(((x << 3) ^ (x >> (x & 31))) | (~x & 5)); }));
}
