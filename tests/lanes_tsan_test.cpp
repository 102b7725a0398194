// Lanes on std::jthread; runs under the thread sanitizer too. Oracle: the serial executor.
#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <stop_token>
#include <thread>
#include <vector>

#include <ashlar/array.hpp>
#include <ashlar/creation.hpp>
#include <ashlar/functions.hpp>
#include <ashlar/recompute.hpp>
#include <ashlar/reductions.hpp>
#include <ashlar/std_threads.hpp>

#include "support/lazy_check.hpp"

namespace ash = ashlar;

namespace {

struct dice {
  std::uint64_t state;
  int operator()(int n) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return static_cast<int>(state >> 33) % n;
  }
};

ash::array<double> numbers(int rows, int columns, int block_rows, int block_columns) {
  return ash::fromfunction(
      [](std::int64_t i, std::int64_t j) { return static_cast<double>((i * 31 + j * 17) % 101) / 8; }, {rows, columns},
      {.chunks = {block_rows, block_columns}});
}

/// An array made by a few random operations on random chunks, always (rows, columns).
ash::array<double> random_array(dice& d, int rows, int columns) {
  ash::array<double> x = numbers(rows, columns, 1 + d(rows), 1 + d(columns));
  for (int step = d(5); step > 0; --step) {
    switch (d(7)) {
      case 0:
        x = x + numbers(rows, columns, 1 + d(rows), 1 + d(columns));
        break;
      case 1:
        x = x - x.mean(0);
        break;
      case 2:
        x = x * (x.max(1, {.keepdims = true}) + 1.0);
        break;
      case 3:
        x = (x - x.sum()) / 7.0;
        break;
      case 5:
        x = ash::recompute(x * 0.5 + 1.0);
        break;
      case 4:
        x = x + x.std(0, {.split_every = 2});
        break;
      default:
        x = x.persist(ash::std_threads{.workers = 1 + d(3)});
        break;
    }
  }
  return x;
}

}  // namespace

TEST_CASE("random plans give the serial executor's bits on any number of workers") {
  dice d{1};
  for (int round = 0; round < 60; ++round) {
    const int rows = 1 + d(30);
    const int columns = 1 + d(30);
    const ash::array<double> x = random_array(d, rows, columns);
    const auto sum = x.sum(d(2));
    const auto deviation = x.std();
    const auto [a, b, c] = ash::compute(ash::serial{}, x, sum, deviation);
    const int counts[] = {1, 2, 3, 8, 16};
    const ash::std_threads on{.workers = counts[round % 5]};
    const auto [e, f, g] = ash::compute(on, x, sum, deviation);
    CAPTURE(round);
    CHECK(same_bits(a, e));
    CHECK(same_bits(b, f));
    CHECK(same_bits(c, g));
  }
}

TEST_CASE("more workers than tasks, and one task") {
  const auto x = ash::ones<double>({3}, {.chunks = 1});
  for (int round = 0; round < 20; ++round) {
    CHECK(x.sum().compute(ash::std_threads{.workers = 16}).item() == 3);
    CHECK(ash::ones<double>({}).sum().compute(ash::std_threads{.workers = 8}).item() == 1);
    CHECK(ash::zeros<double>({0}).sum().compute(ash::std_threads{.workers = 8}).item() == 0);
  }
}

TEST_CASE("an error in any task ends the run with that error, and the next run works") {
  const auto x = numbers(40, 40, 4, 4);
  for (int round = 0; round < 30; ++round) {
    const double unlucky = round;
    const ash::array<double> broken = ash::map(
        [unlucky](double v) -> double {
          if (v == unlucky / 8) throw std::runtime_error("unlucky");
          return v;
        },
        x);
    const ash::std_threads on{.workers = 1 + round % 8};
    CHECK_THROWS_WITH_AS((broken - broken.mean(0)).std(1).compute(on), doctest::Contains("unlucky"), ash::task_error);
    CHECK(x.min().compute(on).item() == 0);
  }
}

TEST_CASE("what is thrown need not be a std::exception") {
  const ash::array<double> x = ash::map(
      [](double v) -> double {
        if (v > 5) throw 42;
        return v;
      },
      numbers(9, 9, 3, 3));
  CHECK_THROWS_WITH_AS(x.sum().compute(ash::std_threads{.workers = 3}), doctest::Contains("not a std::exception"),
                       ash::task_error);
}

TEST_CASE("a stop request ends a run at the next task") {
  for (const int workers : {1, 2, 8}) {
    std::stop_source stop;
    std::atomic<int> blocks{0};
    const ash::array<double> x = ash::fromfunction(
        [&](std::int64_t i) {
          if (i % 100 == 0 && ++blocks == 5) stop.request_stop();
          return 1.0;
        },
        {100'000}, {.chunks = 100});
    const ash::array<double> y = x + 1.0;
    CHECK_THROWS_AS(y.compute(ash::std_threads{.workers = workers}, {.stop = stop.get_token()}), ash::cancelled);
    CHECK(blocks < 5 + 3 * workers);
  }
  std::stop_source before;
  before.request_stop();
  CHECK_THROWS_AS(ash::ones<double>({4}).sum().compute(ash::std_threads{.workers = 2}, {.stop = before.get_token()}),
                  ash::cancelled);
}

TEST_CASE("progress grows, ends at the number of tasks, and an error in it is the run's") {
  std::vector<std::int64_t> seen;
  std::int64_t tasks = 0;
  const ash::array<double> x = ash::map(
      [](double v) {
        if (v == 0) std::this_thread::sleep_for(std::chrono::milliseconds(20));
        return v;
      },
      numbers(60, 60, 5, 60));
  const ash::run_options options{.progress = [&](const ash::progress_info& p) {
    seen.push_back(p.tasks_done);
    tasks = p.tasks;
  }};
  x.sum(0).compute(ash::std_threads{.workers = 2}, options);
  REQUIRE(!seen.empty());
  CHECK(seen.back() == tasks);
  CHECK(tasks > 0);
  for (std::size_t k = 1; k < seen.size(); ++k) CHECK(seen[k - 1] <= seen[k]);
  const ash::run_options broken{.progress = [](const ash::progress_info&) { throw std::logic_error("no terminal"); }};
  CHECK_THROWS_WITH_AS(x.sum(0).compute(ash::std_threads{.workers = 2}, broken), doctest::Contains("no terminal"),
                       ash::callback_error);
}

TEST_CASE("several threads compute at once, also the same array") {
  const auto x = numbers(80, 80, 9, 11);
  const ash::array<double> z = (x - x.mean(0)) / (x.std(0) + 1.0);
  const auto expected = z.sum(1).compute(ash::serial{});
  std::atomic<int> right{0};
  {
    std::vector<std::jthread> users;
    for (int u = 0; u < 4; ++u) {
      users.emplace_back([&, u] {
        for (int round = 0; round < 10; ++round) {
          if (same_bits(z.sum(1).compute(ash::std_threads{.workers = 1 + u}), expected)) ++right;
        }
      });
    }
  }
  CHECK(right == 40);
}

TEST_CASE("compute inside a function that a run calls") {
  const auto inner = ash::arange<double>(0, 50, 1, {.chunks = 7});
  const ash::array<double> outer =
      ash::map([inner](double v) { return v + inner.sum().compute(ash::std_threads{.workers = 2}).item(); },
               ash::arange<double>(0, 6, 1, {.chunks = 2}));
  const auto result = outer.compute(ash::std_threads{.workers = 3});
  for (int i = 0; i < 6; ++i) CHECK(result(i) == i + 1225.0);
}

TEST_CASE("a number of workers that cannot be is an error that names it") {
  CHECK_THROWS_WITH_AS(ash::ones<double>({2}).sum().compute(ash::std_threads{.workers = -1}), doctest::Contains("-1"),
                       ash::value_error);
  CHECK(ash::std_threads{}.lanes() >= 1);
}
