// Runs that take too long, and kernels that ask whether to go on.
#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>

#include <ashlar/array.hpp>
#include <ashlar/creation.hpp>
#include <ashlar/functions.hpp>
#include <ashlar/reductions.hpp>
#include <ashlar/std_threads.hpp>
#include <ashlar/this_task.hpp>

namespace ash = ashlar;
using namespace std::chrono_literals;

namespace {

std::atomic<int> entered{0};

/// Never ends unless somebody stops the run.
double wait_for_stop(double x) {
  entered.fetch_add(1);
  while (!ash::this_task::stop_requested()) std::this_thread::sleep_for(1ms);
  return x;
}

const auto endless = ash::map(wait_for_stop, ash::ones<double>({4, 4}, {.chunks = {2, 2}})).sum();

}  // namespace

TEST_CASE("a run that takes too long ends with the tasks that were running") {
  for (const int workers : {1, 3}) {
    std::string text;
    try {
      endless.compute(ash::std_threads{.workers = workers}, {.timeout = 50ms});
    } catch (const ash::timeout_error& e) {
      text = e.what();
    }
    CAPTURE(text);
    CHECK(text.find("compute: not done after 0.05") == 0);
    CHECK(text.find("lane 0 runs ") != std::string::npos);
    CHECK(text.find("time_limit_tsan_test.cpp:") != std::string::npos);
  }
}

TEST_CASE("a time limit that is not reached changes nothing") {
  const auto x = ash::ones<double>({40, 40}, {.chunks = {7, 9}});
  CHECK(x.sum().compute(ash::std_threads{.workers = 3}, {.timeout = 1h}).item() == 1600);
  CHECK(x.sum().compute(ash::serial{}, {.timeout = std::chrono::hours(24 * 365 * 100)}).item() == 1600);
}

TEST_CASE("a time limit that is no time") {
  const auto x = ash::ones<double>({4});
  CHECK_THROWS_AS(x.compute(ash::serial{}, {.timeout = -1s}), ash::value_error);
  CHECK_THROWS_AS(x.compute(ash::serial{}, {.timeout = std::chrono::duration<double>(std::nan(""))}), ash::value_error);
}

TEST_CASE("a stop request reaches a kernel that asks, and comes out as cancelled whatever the kernel does then") {
  std::stop_source source;
  entered = 0;
  const auto stubborn = ash::map(
      [](double x) {
        wait_for_stop(x);
        if (x > 0) throw std::runtime_error("because it was stopped");
        return x;
      },
      ash::ones<double>({4}, {.chunks = {1}}));
  std::thread stopper([&source] {
    while (entered.load() == 0) std::this_thread::sleep_for(1ms);
    source.request_stop();
  });
  CHECK_THROWS_AS(stubborn.compute(ash::std_threads{.workers = 2}, {.stop = source.get_token()}), ash::cancelled);
  stopper.join();
}

TEST_CASE("when another task fails, kernels that ask see it") {
  const auto one_fails = ash::fromfunction(
      [](std::int64_t i) {
        if (i == 1) throw std::runtime_error("broken");
        return wait_for_stop(1.0);
      },
      {2}, {.chunks = {1}});
  CHECK_THROWS_AS(one_fails.compute(ash::std_threads{.workers = 2}), ash::task_error);
}

TEST_CASE("a run that a task started stops with the run of that task") {
  entered = 0;
  const auto outer = ash::map(
      [](double x) {
        endless.compute(ash::std_threads{.workers = 2});
        return x;
      },
      ash::ones<double>({2}, {.chunks = {1}}));
  std::stop_source source;
  std::thread stopper([&source] {
    while (entered.load() == 0) std::this_thread::sleep_for(1ms);
    source.request_stop();
  });
  CHECK_THROWS_AS(outer.compute(ash::std_threads{.workers = 2}, {.stop = source.get_token()}), ash::cancelled);
  stopper.join();
}

TEST_CASE("outside of tasks nobody asks to stop") { CHECK_FALSE(ash::this_task::stop_requested()); }
