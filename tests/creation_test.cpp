#include <ashlar/creation.hpp>
#include <ashlar/functions.hpp>

#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include <doctest/doctest.h>

#include "support/lazy_check.hpp"

using ashlar::arange;
using ashlar::array;
using ashlar::from;
using ashlar::full;
using ashlar::linspace;
using ashlar::ndarray;
using ashlar::serial;
using ashlar::shape;
using ashlar::value_error;

namespace {

std::int64_t sum_of_blocks(const ashlar::axis_blocks& blocks) {
  std::int64_t n = 0;
  for (std::int64_t b = 0; b < blocks.count(); ++b) n += blocks.length(b);
  return n;
}

}  // namespace

TEST_CASE("creation: constants") {
  CHECK(values(ashlar::zeros<int>({2, 3}, {.chunks = {1, 2}})) == std::vector<int>(6, 0));
  CHECK(values(ashlar::ones<float>({3})) == std::vector<float>{1, 1, 1});
  CHECK(values(full({2}, 7.5)) == std::vector<double>{7.5, 7.5});
  CHECK(values(full({2}, std::complex<double>{1, 2}, {.chunks = {1}})) == std::vector<std::complex<double>>(2, {1, 2}));
  CHECK(values(full({2}, true)) == std::vector<bool>{true, true});
  CHECK(ashlar::ones<double>({}).compute().item() == 1);
  CHECK(ashlar::zeros<double>({0, 3}).compute().shape() == shape{0, 3});
  CHECK(values(ashlar::ones<std::complex<float>>({1})) == std::vector<std::complex<float>>{1});
  CHECK(ashlar::zeros<double>({1000000, 1000000}).chunks().full_shape() == shape{1000000, 1000000});
}

TEST_CASE("creation: arange counts from the start, without drift") {
  CHECK(values(arange<int>(5)) == std::vector<int>{0, 1, 2, 3, 4});
  CHECK(values(arange<int>(2, 11, 3, {.chunks = {2}})) == std::vector<int>{2, 5, 8});
  CHECK(values(arange<int>(10, 0, -3, {.chunks = {2}})) == std::vector<int>{10, 7, 4, 1});
  CHECK(values(arange<std::uint8_t>(250, 255, 2)) == std::vector<std::uint8_t>{250, 252, 254});
  CHECK(arange<int>(0).size() == 0);
  CHECK(arange<int>(5, 5).size() == 0);
  CHECK(arange<int>(5, 0).compute().size() == 0);
  CHECK(arange<double>(0, -1).size() == 0);
  const array<double> hundred = arange<double>(0, 1, 0.01, {.chunks = {20}});
  CHECK(hundred.shape() == shape{100});
  CHECK(hundred.chunks().count() == 5);
  CHECK(sum_of_blocks(hundred.chunks().axis(0)) == 100);
  const auto got = hundred.compute();
  for (std::int64_t i = 0; i < 100; ++i) CHECK(got(i) == static_cast<double>(i) * 0.01);
  CHECK(values(arange<float>(0, 1, 0.25f)) == std::vector<float>{0, 0.25f, 0.5f, 0.75f});
  CHECK(values(arange<double>(3, 0, -1.5)) == std::vector<double>{3, 1.5});
  CHECK(arange<double>(1, 2, 10).compute()(0) == 1);
  CHECK(arange<std::int64_t>(std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max(),
                             std::int64_t{1} << 62)
            .size() == 4);
  CHECK(arange<std::uint64_t>(0, 18446744073709551615u, std::uint64_t{1} << 63).size() == 2);
  CHECK(arange<std::int64_t>(3000000000).shape() == shape{3000000000});
}

TEST_CASE("creation: arange refuses what has no length") {
  const std::string zero = message_of<value_error>([] { arange<int>(0, 5, 0); });
  CHECK(contains(zero, "arange"));
  CHECK(contains(zero, "step is 0"));
  CHECK(contains(message_of<value_error>([] { arange<double>(0, 1, std::nan("")); }), "nan"));
  CHECK_THROWS_AS(arange<double>(0, 1, 0.0), value_error);
  CHECK(contains(message_of<value_error>([] { arange<double>(0, std::numeric_limits<double>::infinity()); }), "inf"));
  CHECK_THROWS_AS(arange<double>(0, std::nan("")), value_error);
  CHECK_THROWS_AS(arange<double>(std::nan(""), 1), value_error);
  CHECK_THROWS_AS(arange<double>(0, 1e300, 1e-300), value_error);
  CHECK_THROWS_AS(arange<std::uint64_t>(0, 18446744073709551615u), ashlar::error);
}

TEST_CASE("creation: linspace ends exactly at its stop") {
  const auto x = linspace<double>(0, 1, 1001, {.chunks = {10}});
  const auto got = x.compute();
  CHECK(got(1000) == 1.0);
  for (std::int64_t i = 0; i < 1000; ++i) CHECK(got(i) == static_cast<double>(i) * 0.001);
  CHECK(values(linspace<double>(0, 1, 4, {.endpoint = false})) == std::vector<double>{0, 0.25, 0.5, 0.75});
  CHECK(values(linspace<double>(5, 9, 1)) == std::vector<double>{5});
  CHECK(linspace<double>(5, 9, 0).size() == 0);
  CHECK(values(linspace<float>(1, -1, 3)) == std::vector<float>{1, 0, -1});
  CHECK(contains(message_of<value_error>([] { linspace<double>(0, 1, -1); }), "linspace: -1"));
}

TEST_CASE("creation: eye") {
  CHECK(values(ashlar::eye<int>(2)) == std::vector<int>{1, 0, 0, 1});
  CHECK(values(ashlar::eye<double>(2, {.columns = 3, .diagonal = 1, .chunks = {1, 2}})) ==
        std::vector<double>{0, 1, 0, 0, 0, 1});
  CHECK(values(ashlar::eye<bool>(3, {.columns = 2, .diagonal = -1})) ==
        std::vector<bool>{false, false, true, false, false, true});
  CHECK(ashlar::eye<int>(3, {.columns = 0}).compute().shape() == shape{3, 0});
  CHECK(values(ashlar::eye<int>(2, {.diagonal = 5})) == std::vector<int>(4, 0));
  const array<double> large = ashlar::eye<double>(50000);
  CHECK(large.size() == 2500000000);
  CHECK_THROWS_AS(ashlar::eye<int>(-1), ashlar::shape_error);
}

TEST_CASE("creation: fromfunction") {
  const auto f = [](std::int64_t i, std::int64_t j) { return static_cast<double>(10 * i + j); };
  const std::vector<double> want{0, 1, 2, 10, 11, 12};
  for (const ashlar::chunks& c : {ashlar::chunks{1}, ashlar::chunks{2, 2}, ashlar::chunks{full}}) {
    CHECK(values(ashlar::fromfunction(f, {2, 3}, {.chunks = c})) == want);
  }
  CHECK(values(ashlar::fromfunction([](std::int64_t i) { return i % 2 == 0; }, {3})) ==
        std::vector<bool>{true, false, true});
  CHECK(ashlar::fromfunction(f, {0, 3}).compute().shape() == shape{0, 3});
  CHECK(ashlar::fromfunction(f, {3, 0}).compute().shape() == shape{3, 0});
  CHECK(values(ashlar::fromfunction(
            [](std::int64_t i, std::int64_t j, std::int64_t k) {
              return std::complex<float>(static_cast<float>(i + j), static_cast<float>(k));
            },
            {1, 2, 1})) == std::vector<std::complex<float>>{{0, 0}, {1, 0}});
  const auto picky = [](std::int64_t i) -> double { throw std::out_of_range("at " + std::to_string(i)); };
  try {
    static_cast<void>(ashlar::fromfunction(picky, {3}).compute());
    FAIL("no exception");
  } catch (const ashlar::task_error& e) {
    CHECK(contains(e.what(), "fromfunction"));
    CHECK(contains(e.what(), "creation_test.cpp"));
    CHECK(contains(e.what(), "at 0"));
  }
}

TEST_CASE("creation: like another array") {
  const array<float> x = full({4, 2}, 3.0f, {.chunks = {{1, 3}, 2}});
  const array<float> z = zeros_like(x);
  CHECK(z.shape() == x.shape());
  CHECK(z.chunks() == x.chunks());
  CHECK(values(z) == std::vector<float>(8, 0));
  CHECK(values(ones_like(x * 2.0)) == std::vector<float>(8, 1));
  CHECK(full_like(x, 5).chunks() == x.chunks());
  CHECK(values(full_like(x, 5)) == std::vector<float>(8, 5));
  CHECK(zeros_like(ashlar::zeros<int>({0})).size() == 0);
  CHECK(ones_like(ashlar::zeros<int>({})).compute().item() == 1);
}

TEST_CASE("creation: from eager arrays, vectors and spans") {
  ndarray<int> eager = ndarray<int>::from({{1, 2, 3}, {4, 5, 6}});
  const array<int> view = from(eager, {.chunks = {1, 2}});
  CHECK(values(view) == std::vector<int>{1, 2, 3, 4, 5, 6});
  eager(0, 0) = 100;
  CHECK(values(view + 0)[0] == 100);
  array<int> kept = from(ndarray<int>::from({1, 2}));
  CHECK(values(kept * 2) == std::vector<int>{2, 4});

  std::vector<double> v{1, 2, 3};
  const array<double> copied = from(v);
  const array<double> seen = from(std::span<const double>(v), {.chunks = {2}});
  v[0] = 10;
  CHECK(values(copied) == std::vector<double>{1, 2, 3});
  CHECK(values(seen) == std::vector<double>{10, 2, 3});
  CHECK(values(from(std::span<double>(v))) == std::vector<double>{10, 2, 3});
  CHECK(from(std::vector<float>{}).compute().size() == 0);
  CHECK(values(from(std::vector<bool>{true, false, true}, {.chunks = {2}})) == std::vector<bool>{true, false, true});
  CHECK(values(!from(ndarray<bool>::from({true, false}))) == std::vector<bool>{false, true});
}

TEST_CASE("creation: from braced values") {
  const auto x = array<double>::from({{1, 2, 3}, {4, 5, 6}}, {.chunks = {1, 2}});
  static_assert(std::is_same_v<decltype(x), const array<double>>);
  CHECK(x.shape() == shape{2, 3});
  CHECK(x.chunks().count() == 4);
  CHECK(values(x) == std::vector<double>{1, 2, 3, 4, 5, 6});
  CHECK(array<int>::from(5).compute().item() == 5);
  CHECK(values(array<bool>::from({true, false})) == std::vector<bool>{true, false});
  CHECK_THROWS_AS(array<int>::from({{1, 2}, {3}}), ashlar::shape_error);
}

TEST_CASE("creation: bits do not depend on the chunks") {
  const auto check = [](auto make) {
    const auto whole = make(ashlar::chunks{full}).compute(serial{});
    for (const std::int64_t c : chunk_lengths()) {
      const auto x = make(ashlar::chunks{c});
      CHECK(same_bits(whole, x.compute(serial{})));
      CHECK(same_bits(whole, (x + 0).compute(ashlar::std_threads{.workers = 2})));
      CHECK(same_bits(whole, x.persist(serial{}).compute(serial{})));
    }
  };
  check([](const ashlar::chunks& c) { return arange<double>(1, 31, 0.1, {.chunks = c}); });
  check([](const ashlar::chunks& c) { return arange<std::int32_t>(-7, 300, 1, {.chunks = c}); });
  check([](const ashlar::chunks& c) { return linspace<double>(1, 7, 300, {.endpoint = true, .chunks = c}); });
  check([](const ashlar::chunks& c) { return ashlar::eye<float>(20, {.columns = 15, .diagonal = 1, .chunks = c}); });
}

TEST_CASE("creation: generators with equal names and other parameters stay different") {
  const auto [a, b, c] = ashlar::compute(arange<int>(0, 3) + 0, arange<int>(1, 4) + 0, arange<int>(0, 6, 2) + 0);
  CHECK(values(a) == std::vector<int>{0, 1, 2});
  CHECK(values(b) == std::vector<int>{1, 2, 3});
  CHECK(values(c) == std::vector<int>{0, 2, 4});
  const auto [z, m] = ashlar::compute(full({1}, 0.0) * 1.0, full({1}, -0.0) * 1.0);
  CHECK_FALSE(std::signbit(z(0)));
  CHECK(std::signbit(m(0)));
  const auto [p, q] = ashlar::compute(linspace<double>(0.0, -1, 2) * 1.0, linspace<double>(-0.0, -1, 2) * 1.0);
  CHECK_FALSE(std::signbit(p(0)));
  CHECK(std::signbit(q(0)));
  const auto scaled = [](double by) {
    return ashlar::fromfunction([by](std::int64_t i) { return by * static_cast<double>(i); }, {2});
  };
  const auto [f, g] = ashlar::compute(scaled(2), scaled(3));
  CHECK(values(f) == std::vector<double>{0, 2});
  CHECK(values(g) == std::vector<double>{0, 3});
}
