#include <ashlar/ashlar.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "support/lazy_check.hpp"

using ashlar::array;
using ashlar::axis_error;
using ashlar::chunk_error;
using ashlar::from;
using ashlar::ndarray;
using ashlar::shape_error;
using ashlar::value_error;
using ashlar::zeros;

namespace {

/// f throws an E, which is an ashlar::error, and its text has all the parts.
template <class E, class F>
void check_error(F f, const std::vector<std::string>& parts) {
  static_assert(std::is_base_of_v<ashlar::error, E>);
  const std::string text = message_of<E>(f);
  CAPTURE(text);
  CHECK_FALSE(text.empty());
  for (const std::string& part : parts) {
    CAPTURE(part);
    CHECK(contains(text, part));
  }
}

}  // namespace

TEST_CASE("lazy errors: shapes that do not broadcast are named at the line that joins them") {
  const array<double> a = zeros<double>({2, 3});
  const array<double> b = zeros<double>({2});
  check_error<shape_error>([&] { a + b; }, {"add", "(2, 3)", "(2,)"});
  check_error<shape_error>([&] { static_cast<void>(a == b); }, {"equal", "(2, 3)", "(2,)"});
  check_error<shape_error>([&] { atan2(a, b); }, {"atan2", "(2, 3)", "(2,)"});
  check_error<shape_error>([&] { where(a > 0, a, b); }, {"where", "(2, 3)", "(2,)"});
  check_error<shape_error>([&] { clip(a, b, 1.0); }, {"clip: ", "(2, 3)", "(2,)"});
  check_error<shape_error>([&] { clip(a, 0.0, b); }, {"clip: ", "(2, 3)", "(2,)"});
  check_error<shape_error>([&] { ashlar::map([](double x, double y) { return x + y; }, a, b); },
                           {"map", "(2, 3)", "(2,)"});
  check_error<shape_error>([&] { zeros<double>({0}) * zeros<double>({2}); }, {"multiply", "(0,)", "(2,)"});
  array<double> c = a;
  check_error<shape_error>([&] { c -= b; }, {"subtract", "(2, 3)", "(2,)"});
}

TEST_CASE("lazy errors: axes") {
  const array<double> a = zeros<double>({2, 3});
  check_error<axis_error>([&] { a.mean(2); }, {"mean", "2", "(2, 3)"});
  check_error<axis_error>([&] { a.sum(-3); }, {"sum", "-3", "(2, 3)"});
  check_error<axis_error>([&] { a.max({0, -2}); }, {"max", "0"});
  check_error<axis_error>([&] { zeros<double>({}).sum(0); }, {"sum", "()"});
  check_error<axis_error>([&] { (a + a).var(5); }, {"var", "5"});
}

TEST_CASE("lazy errors: extrema of nothing") {
  const array<double> none = zeros<double>({3, 0});
  check_error<shape_error>([&] { none.min(1); }, {"min", "(3, 0)", "axis 1,"});
  check_error<shape_error>([&] { none.max(); }, {"max", "(3, 0)"});
  check_error<shape_error>([&] { none.argmin(); }, {"argmin", "(3, 0)", "axis 1,"});
  CHECK(none.min(0).compute().shape() == ashlar::shape{0});
  CHECK(zeros<double>({0, 3}).max(1).compute().shape() == ashlar::shape{0});
  // as in NumPy an error also where the result has no element either
  check_error<shape_error>([&] { zeros<double>({0, 0}).max(1); }, {"max", "(0, 0)", "axis 1"});
}

TEST_CASE("lazy errors: reductions") {
  const array<double> a = zeros<double>({2, 3});
  check_error<value_error>([&] { a.sum(0, {.split_every = 3}); }, {"sum", "split_every is 3", "power of two"});
  check_error<value_error>([&] { a.sum(0, {.split_every = 0}); }, {"split_every is 0"});
}

TEST_CASE("lazy errors: chunks") {
  check_error<chunk_error>([] { zeros<double>({10}, {.chunks = {0}}); }, {"zeros", "0", "(10,)"});
  check_error<chunk_error>([] { zeros<double>({10}, {.chunks = {-1}}); }, {"zeros", "-1", "full"});
  check_error<chunk_error>(
      [] {
        zeros<double>({10}, {.chunks = {ashlar::chunk_spec{2, 3}}});
      },
      {"zeros", "(10,)", "5"});
  check_error<chunk_error>([] { zeros<double>({10, 10}, {.chunks = {1, 2, 3}}); }, {"zeros", "(10, 10)"});
  check_error<chunk_error>([] { zeros<double>({10}, {.chunks = {ashlar::chunk_spec{12, -2}}}); }, {"zeros", "-2"});
  check_error<chunk_error>([] { from(std::vector<double>{1, 2}, {.chunks = {0}}); }, {"from", "(2,)"});
  check_error<chunk_error>([] { ashlar::random::normal<double>({4}, {.chunks = {0}}); }, {"normal", "(4,)"});
  check_error<chunk_error>([] { ashlar::arange<int>(4, {.chunks = {ashlar::chunk_spec{1, 1}}}); }, {"arange", "(4,)"});
}

TEST_CASE("lazy errors: blocks too many to be cut again are refused at once") {
  const std::int64_t n = std::int64_t{1} << 40;
  const array<std::int8_t> twos = zeros<std::int8_t>({n}, {.chunks = {2}});
  const array<std::int8_t> threes = zeros<std::int8_t>({n}, {.chunks = {3}});
  check_error<chunk_error>([&] { array<std::int8_t> sum = twos + threes; },
                           {"add", "549755813888 blocks", "use larger chunks"});
  check_error<chunk_error>([&] { zeros<std::int8_t>({n}, {.chunks = {1}}).sum().compute(); },
                           {"sum", "lazy_errors_test.cpp", "1099511627776 blocks", "use larger chunks"});
  const array<std::int8_t> fours = zeros<std::int8_t>({n}, {.chunks = {4}});
  CHECK((array<std::int8_t>(twos + fours)).chunks().count() == n / 2);
}

TEST_CASE("lazy errors: shapes that are none") {
  check_error<shape_error>([] { zeros<double>({-1}); }, {"-1"});
  check_error<shape_error>([] { zeros<double>({std::int64_t{1} << 40, std::int64_t{1} << 40}); }, {"1099511627776"});
  check_error<shape_error>(
      [] {
        const array<std::int8_t> column = zeros<std::int8_t>({std::int64_t{1} << 62, 1});
        static_cast<void>(column + zeros<std::int8_t>({1, 4}));
      },
      {"4611686018427387904"});
  check_error<shape_error>([] { zeros<double>(ashlar::shape::filled(33, 1)); }, {"33", "32"});
}

TEST_CASE("lazy errors: executors and outputs") {
  const array<double> a = zeros<double>({2, 3});
  ndarray<double> wrong({3, 2});
  check_error<shape_error>([&] { a.compute_into(wrong); }, {"compute_into", "(2, 3)", "(3, 2)"});
  check_error<value_error>([&] { a.compute(ashlar::threads{.workers = -1}); }, {"threads", "workers is -1"});
  check_error<value_error>([&] { a.compute(ashlar::std_threads{.workers = 5000}); }, {"std_threads", "5000", "4096"});
}

TEST_CASE("lazy errors: memory") {
  const array<double> large = zeros<double>({1000, 1000}, {.chunks = {1000, 1000}});
  const array<double> shared = large + 1.0;
  check_error<ashlar::memory_error>(
      [&] {
        ashlar::compute(ashlar::threads{.workers = 1, .memory_limit = 1000}, shared.sum(), (shared * shared).sum(0));
      },
      {"compute", "memory_limit is 1000", "smaller chunks", "lazy_errors_test.cpp"});
  check_error<ashlar::memory_error>(
      [] {
        zeros<double>({std::int64_t{1} << 40, std::int64_t{1} << 18}).compute();
      },
      {"memory"});
}

TEST_CASE("lazy errors: a run that is stopped") {
  std::stop_source stop;
  stop.request_stop();
  const array<double> a = zeros<double>({100}, {.chunks = {10}});
  check_error<ashlar::cancelled>([&] { a.compute({.stop = stop.get_token()}); }, {"compute", "stopped"});
  const auto raises = [](const ashlar::progress_info&) { throw value_error("no more"); };
  check_error<ashlar::callback_error>([&] { a.compute({.progress = raises}); }, {"progress", "no more"});
}
