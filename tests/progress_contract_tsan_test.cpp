// What run_options::progress promises, on threads of our own so that it holds under the thread sanitizer.
#include <ashlar/array.hpp>
#include <ashlar/creation.hpp>
#include <ashlar/functions.hpp>
#include <ashlar/reductions.hpp>
#include <ashlar/std_threads.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

namespace ash = ashlar;
using ash::progress_info;

namespace {

/// `n` tasks of some milliseconds each.
ash::array<double> slow(int n, int milliseconds, int fails_at = -1) {
  return ash::fromfunction(
      [=](std::int64_t i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
        if (i == fails_at) throw std::runtime_error("task " + std::to_string(i));
        return static_cast<double>(i);
      },
      {n}, {.chunks = {1}});
}

}  // namespace

TEST_CASE("progress: calls from one other thread, the last one by the caller with everything done") {
  for (const int workers : {1, 3}) {
    std::vector<progress_info> seen;
    std::vector<std::thread::id> threads;
    std::atomic<int> inside{0};
    const auto watch = [&](const progress_info& p) {
      CHECK(inside.fetch_add(1) == 0);
      seen.push_back(p);
      threads.push_back(std::this_thread::get_id());
      inside.fetch_sub(1);
    };
    const auto x = slow(30, 25);
    const auto result = x.compute(ash::std_threads{.workers = workers}, {.progress = watch});
    CHECK(result(29) == 29);
    REQUIRE(seen.size() >= 2);
    CHECK(static_cast<double>(seen.size()) <= seen.back().seconds * 10 + 1);
    for (std::size_t k = 0; k < seen.size(); ++k) {
      CHECK(seen[k].tasks == 30);
      CHECK(seen[k].bytes == seen.back().bytes);
      if (k == 0) continue;
      CHECK(seen[k].tasks_done >= seen[k - 1].tasks_done);
      CHECK(seen[k].bytes_done >= seen[k - 1].bytes_done);
      CHECK(seen[k].seconds >= seen[k - 1].seconds);
    }
    CHECK(seen.back().tasks_done == 30);
    CHECK(seen.back().bytes > 30 * 16);
    CHECK(seen.back().bytes_done == seen.back().bytes);
    CHECK(threads.back() == std::this_thread::get_id());
    for (std::size_t k = 0; k + 1 < threads.size(); ++k) {
      CHECK(threads[k] == threads[0]);
      CHECK(threads[k] != std::this_thread::get_id());
    }
  }
}

TEST_CASE("progress: a run that is over at once has one call") {
  int calls = 0;
  ash::ones<double>({10}).sum().compute(ash::serial{}, {.progress = [&](const progress_info& p) {
                                          ++calls;
                                          CHECK(p.tasks_done == p.tasks);
                                        }});
  CHECK(calls == 1);
}

TEST_CASE("progress: tasks of very different size count by their bytes") {
  std::vector<progress_info> seen;
  const auto x = ash::ones<double>({1000, 1000}, {.chunks = {500, 500}});
  x.sum().compute(ash::serial{}, {.progress = [&](const progress_info& p) { seen.push_back(p); }});
  REQUIRE(!seen.empty());
  CHECK(seen.back().bytes >= 8 * 1000 * 1000);
  CHECK(seen.back().bytes < 9 * 1000 * 1000);
}

TEST_CASE("progress: what the function throws ends the run and comes out of compute() as callback_error") {
  for (const int workers : {1, 3}) {
    std::atomic<int> calls{0};
    std::atomic<int> tasks{0};
    const auto x = ash::fromfunction(
        [&tasks](std::int64_t) {
          ++tasks;
          std::this_thread::sleep_for(std::chrono::milliseconds(5));
          return 1.0;
        },
        {2000}, {.chunks = {1}});
    const auto watch = [&](const progress_info&) {
      ++calls;
      throw std::out_of_range("enough");
    };
    try {
      x.compute(ash::std_threads{.workers = workers}, {.progress = watch});
      FAIL("must throw");
    } catch (const ash::callback_error& e) {
      CHECK(std::string(e.what()) == "compute: the progress function threw: enough");
      CHECK_THROWS_WITH_AS(std::rethrow_if_nested(e), "enough", std::out_of_range);
    }
    CHECK(calls == 1);
    CHECK(tasks < 2000);
    CHECK(x.sum().shape().ndim() == 0);
    CHECK(ash::ones<double>({3}).sum().compute(ash::std_threads{.workers = workers}).item() == 3);
  }
}

TEST_CASE("progress: the last call may throw too, and anything may be thrown") {
  const auto x = ash::ones<double>({3}).sum();
  CHECK_THROWS_WITH_AS(x.compute(ash::serial{}, {.progress = [](const progress_info&) { throw 7; }}),
                       "compute: the progress function threw what is no std::exception", ash::callback_error);
  try {
    x.compute(ash::serial{}, {.progress = [](const progress_info&) { throw 7; }});
  } catch (const ash::callback_error& e) {
    CHECK_THROWS_AS(std::rethrow_if_nested(e), int);
  }
  CHECK_THROWS_AS(x.compute(ash::serial{}, {.progress = [](const progress_info&) { throw ash::shape_error("mine"); }}),
                  ash::callback_error);
}

TEST_CASE("progress: after an error or a stop there is no last call, and none after compute() has thrown") {
  std::atomic<bool> over{false};
  std::atomic<int> late{0};
  std::atomic<int> complete{0};
  const auto watch = [&](const progress_info& p) {
    if (over) ++late;
    if (p.tasks_done == p.tasks) ++complete;
  };
  CHECK_THROWS_AS(slow(40, 10, 30).compute(ash::std_threads{.workers = 2}, {.progress = watch}), ash::task_error);
  over = true;
  std::this_thread::sleep_for(std::chrono::milliseconds(250));
  CHECK(late == 0);
  CHECK(complete == 0);
  over = false;
  std::stop_source stop;
  const auto stopping = [&](const progress_info& p) {
    watch(p);
    stop.request_stop();  // from the function itself
  };
  CHECK_THROWS_AS(
      slow(400, 10).compute(ash::std_threads{.workers = 2}, {.progress = stopping, .stop = stop.get_token()}),
      ash::cancelled);
  CHECK(complete == 0);
}

TEST_CASE("progress: the first of two errors wins, and the function may compute something itself") {
  const auto both = [](const progress_info&) {
    CHECK(ash::ones<double>({100}).sum().compute(ash::serial{}).item() == 100);
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    throw std::runtime_error("second");
  };
  // the task throws while the function runs
  CHECK_THROWS_WITH_AS(slow(2, 130, 1).compute(ash::std_threads{.workers = 2}, {.progress = both}),
                       doctest::Contains("task 1"), ash::task_error);
}
