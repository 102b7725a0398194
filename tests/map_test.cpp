#include <ashlar/functions.hpp>

#include <cmath>
#include <complex>
#include <cstdint>
#include <memory>
#include <source_location>
#include <stdexcept>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "support/lazy_check.hpp"

using ashlar::array;
using ashlar::from;
using ashlar::map;
using ashlar::ndarray;
using ashlar::serial;
using ashlar::std_threads;
using ashlar::task_error;

namespace {

template <class T>
array<T> of(std::vector<T> v) {
  return from(std::move(v), {.chunks = {2}});
}

double halved(double x) { return x / 2; }

/// Neither trivially copyable nor small.
struct polynomial {
  std::vector<double> coefficients;
  std::shared_ptr<int> alive;
  double operator()(double x) const {
    double sum = 0;
    for (auto c = coefficients.rbegin(); c != coefficients.rend(); ++c) sum = sum * x + *c;
    return sum;
  }
};

}  // namespace

TEST_CASE("map: functions, lambdas and functors") {
  const array<double> x = of<double>({1, 2, 3});
  CHECK(values(map([](double v) { return v * v; }, x)) == std::vector<double>{1, 4, 9});
  CHECK(values(map(halved, x)) == std::vector<double>{0.5, 1, 1.5});
  CHECK(values(map(&halved, x + 1.0)) == std::vector<double>{1, 1.5, 2});
  CHECK(values(map([](auto v) { return v > 1.5; }, x)) == std::vector<bool>{false, true, true});
  CHECK(values(map([](double v) { return static_cast<std::int16_t>(v * 10); }, x)) ==
        std::vector<std::int16_t>{10, 20, 30});
  CHECK(values(map(polynomial{{1, 0, 2}, nullptr}, x)) == std::vector<double>{3, 9, 19});
  const double shift = 0.25;
  CHECK(values(map([shift](double v) { return v + shift; }, x) * 2.0) == std::vector<double>{2.5, 4.5, 6.5});
}

TEST_CASE("map: several arrays broadcast, numbers are passed as they are") {
  const array<double> x = of<double>({1, 2, 3});
  const array<int> n = of<int>({2, 1, 0});
  CHECK(values(map([](double a, int k) { return std::ldexp(a, k); }, x, n)) == std::vector<double>{4, 4, 3});
  CHECK(values(map([](double a, int k, float f) { return a + k + f; }, x, 10, 0.5f)) ==
        std::vector<double>{11.5, 12.5, 13.5});
  const auto table = map([](int a, int b) { return 10 * a + b; }, from(ndarray<int>::from({{1}, {2}})), n);
  CHECK(table.shape() == ashlar::shape{2, 3});
  CHECK(values(table) == std::vector<int>{12, 11, 10, 22, 21, 20});
  CHECK_THROWS_AS(map([](double a, double b) { return a + b; }, x, of<double>({1, 2})), ashlar::shape_error);
}

TEST_CASE("map: complex elements are std::complex") {
  using z = std::complex<double>;
  const array<z> x = of<z>({{1, 2}, {3, -4}});
  CHECK(values(map([](z v) { return std::conj(v); }, x)) == std::vector<z>{{1, -2}, {3, 4}});
  CHECK(values(map([](const z& v) { return std::norm(v); }, x)) == std::vector<double>{5, 25});
  CHECK(values(map([](double re) { return z{re, 1}; }, of<double>({2})) + 1.0) == std::vector<z>{{3, 1}});
}

TEST_CASE("map: the function lives as long as the array and no longer") {
  const auto token = std::make_shared<int>(1);
  {
    const array<double> y = map(polynomial{{0, 1}, token}, of<double>({1, 2}));
    CHECK(token.use_count() > 1);
    CHECK(values(y) == std::vector<double>{1, 2});
  }
  CHECK(token.use_count() == 1);
}

TEST_CASE("map: arguments are copies, another consumer's view does not change") {
  const array<double> x = of<double>({1, 2, 3});
  const array<double> y = x + 0.0;
  const auto spoilt = map([](double v) { return v = -1; }, y);
  const auto [a, b] = ashlar::compute(spoilt, y * 1.0);
  CHECK(values(a) == std::vector<double>{-1, -1, -1});
  CHECK(values(b) == std::vector<double>{1, 2, 3});
}

TEST_CASE("map: two functions are never taken for one") {
  const array<double> x = of<double>({1, 2});
  const auto scaled = [](double by) { return [by](double v) { return v * by; }; };
  const auto [a, b] = ashlar::compute(map(scaled(2), x), map(scaled(3), x));
  CHECK(values(a) == std::vector<double>{2, 4});
  CHECK(values(b) == std::vector<double>{3, 6});
}

TEST_CASE("map: what it throws is the cause of a task_error that names block and line") {
  ndarray<double> in({10});
  for (std::int64_t i = 0; i < 10; ++i) in(i) = static_cast<double>(i);
  const array<double> x = from(in, {.chunks = {4}});
  const auto picky = [](double v) {
    if (v == 9) throw std::out_of_range("nine is not allowed");
    return v;
  };
  const auto check = [&](const task_error& e, unsigned line) {
    const std::string text = e.what();
    CAPTURE(text);
    CHECK(contains(text, "map"));
    CHECK(contains(text, "block (2) of (3,)"));
    CHECK(contains(text, "host"));
    CHECK(contains(text, "map_test.cpp:" + std::to_string(line)));
    CHECK(contains(text, "nine is not allowed"));
    CHECK_THROWS_AS(std::rethrow_if_nested(e), std::out_of_range);
  };
  const array<double> made = map(picky, x);
  const unsigned made_at = std::source_location::current().line() - 1;
  for (int workers = 0; workers < 4; ++workers) {
    try {
      if (workers == 0) {
        static_cast<void>(made.compute(serial{}));
      } else {
        static_cast<void>(made.compute(std_threads{.workers = workers}));
      }
      FAIL("no exception");
    } catch (const task_error& e) {
      check(e, made_at);
    }
  }
  try {
    static_cast<void>(map(picky, x).compute());
    FAIL("no exception");
  } catch (const task_error& e) {
    check(e, std::source_location::current().line() - 3);
  }
}

TEST_CASE("map: any thrown type ends the run") {
  const auto bad = map([](double v) -> double { throw static_cast<int>(v); }, of<double>({1}));
  try {
    static_cast<void>(bad.compute());
    FAIL("no exception");
  } catch (const task_error& e) {
    CHECK(contains(e.what(), "not a std::exception"));
    CHECK_THROWS_AS(std::rethrow_if_nested(e), int);
  }
  CHECK_THROWS_AS(static_cast<void>(bad.sum().compute()), task_error);
  CHECK_THROWS_AS(static_cast<void>(bad.persist()), task_error);
  ndarray<double> out({1});
  CHECK_THROWS_AS(bad.compute_into(out), task_error);
}

TEST_CASE("map: the line is the user's inside a deep expression and in a run of several arrays") {
  const array<double> x = of<double>({1, 2});
  const auto bad = map(
      [](double v) -> double {
        throw std::runtime_error("bad");
        return v;
      },
      x);
  const auto deep = bad + x + x + x + x + x + x + x + x + x + x + x + x + x + x + x;
  const array<double> deeper = deep;
  const std::string line = "map_test.cpp:" + std::to_string(std::source_location::current().line() - 1);
  for (const bool optimize : {true, false}) {
    const std::string text =
        message_of<task_error>([&] { static_cast<void>(deeper.compute(serial{}, {.optimize = optimize})); });
    CAPTURE(text);
    CHECK(contains(text, line));
  }
  const std::string both = message_of<task_error>([&] { static_cast<void>(ashlar::compute(bad, x)); });
  CAPTURE(both);
  CHECK(contains(both, "bad"));
  CHECK_FALSE(contains(both, "array.hpp"));
}

TEST_CASE("map: bits do not depend on the chunks") {
  ndarray<double> in({300});
  for (std::int64_t i = 0; i < 300; ++i) in(i) = std::sin(static_cast<double>(i * i)) * 100;
  CHECK(independent_of_chunks(in, [](const array<double>& x) {
    return array<double>(
        map([](double a, double b) { return a * b + std::sqrt(a * a + 1) - std::sin(b); }, x, x * 0.3));
  }));
}
