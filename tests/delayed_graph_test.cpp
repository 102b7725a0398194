// Whole graphs of lazy calls against a loop over the same calls: results, errors, stops, sizes.
#include <doctest/doctest.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <vector>

#include <ashlar/delayed.hpp>
#include <ashlar/std_threads.hpp>
#include <ashlar/threads.hpp>
#include <support/counted.hpp>
#include <support/random_calls.hpp>

namespace ash = ashlar;

TEST_CASE("random graphs give what a loop gives, and leave nothing") {
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    CAPTURE(seed);
    counted::reset();
    {
      const random_calls calls(seed, 1 + static_cast<int>(seed % 40));
      const int expected = calls.expected().back();
      REQUIRE(calls.root().compute(ash::serial{}).value == expected);
      const int workers = 1 + static_cast<int>(seed % 3);
      REQUIRE(calls.root().compute(ash::threads{.workers = workers}).value == expected);
      REQUIRE(*calls.made == 2 * calls.reachable);
    }
    REQUIRE(counted::live == 0);
  }
}

TEST_CASE("a throw in any task: that error, no task that needs it, nothing left, and the graph works afterwards") {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    counted::reset();
    {
      random_calls calls(seed, 25);
      const int expected = calls.expected().back();
      for (int k = 0; k < 25; ++k) {
        if (!calls.needed[static_cast<std::size_t>(k)]) continue;
        CAPTURE(seed);
        CAPTURE(k);
        *calls.fails = k;
        calls.forget();
        const std::string text = "call " + std::to_string(k);
        try {
          if (k % 2 == 0) {
            calls.root().compute(ash::serial{});
          } else {
            calls.root().compute(ash::std_threads{.workers = 2});
          }
          FAIL("no error");
        } catch (const ash::task_error& e) {
          const std::string what = e.what();
          CHECK(what.find(text + ", on host, from ") == 0);
          CHECK(what.find("random_calls.hpp:") != std::string::npos);
          CHECK_THROWS_WITH_AS(std::rethrow_if_nested(e), text.c_str(), std::domain_error);
        }
        CHECK_FALSE(calls.ran_behind(k));
        *calls.fails = -1;
        CHECK(calls.root().compute(ash::threads{.workers = 2}).value == expected);
      }
    }
    CHECK(counted::live == 0);
  }
}

TEST_CASE("a stop request at any point ends the run there") {
  counted::reset();
  {
    const random_calls calls(5, 30);
    const int expected = calls.expected().back();
    for (int k = 0; k < calls.reachable; ++k) {
      std::stop_source stop;
      *calls.made = 0;
      *calls.stop_at = k + 1;
      *calls.stop = stop;
      const bool last = k + 1 == calls.reachable;
      if (last) {
        CHECK(calls.root().compute(ash::serial{}, {.stop = stop.get_token()}).value == expected);
      } else {
        CHECK_THROWS_AS(calls.root().compute(ash::serial{}, {.stop = stop.get_token()}), ash::cancelled);
        CHECK(*calls.made == k + 1);
      }
      *calls.stop_at = -1;
    }
    std::stop_source before;
    before.request_stop();
    CHECK_THROWS_AS(calls.root().compute({.stop = before.get_token()}), ash::cancelled);
  }
  CHECK(counted::live == 0);
}

TEST_CASE("progress ends at the number of tasks") {
  const random_calls calls(8, 30);
  std::int64_t done = 0;
  std::int64_t tasks = 0;
  calls.root().compute(ash::threads{.workers = 2}, {.progress = [&](const ash::progress_info& p) {
                         done = p.tasks_done;
                         tasks = p.tasks;
                       }});
  CHECK(done == calls.reachable);
  CHECK(tasks == calls.reachable);
}

TEST_CASE("what is thrown need not be a std::exception") {
  const auto bad = ash::delayed([]() -> int { throw 42; }, {.name = "bad"})();
  CHECK_THROWS_WITH_AS(bad.compute(), doctest::Contains("bad, on host, from"), ash::task_error);
  CHECK_THROWS_WITH_AS(bad.compute(), doctest::Contains("not a std::exception"), ash::task_error);
}

TEST_CASE("a result that cannot be copied out is an error of its task") {
  struct fragile {
    int value = 0;
    fragile() = default;
    fragile(const fragile&) { throw std::runtime_error("no copy today"); }
    fragile(fragile&& other) noexcept = default;
  };
  const auto made = ash::delayed([] { return fragile{}; })();
  const auto taken =
      ash::delayed([](fragile a, fragile b) { return a.value + b.value; }, {.name = "taken"})(made, made);
  CHECK_THROWS_WITH_AS(taken.compute(), doctest::Contains("taken, on host"), ash::task_error);
}

TEST_CASE("a chain of a million tasks is planned, run and released without recursion") {
  const auto next = ash::delayed([](std::int64_t x) { return x + 1; });
  auto chain = ash::delayed([] { return std::int64_t{0}; })();
  for (int k = 0; k < 1'000'000; ++k) chain = next(chain);
  CHECK(chain.compute(ash::threads{.workers = 2}) == 1'000'000);
  CHECK(chain.compute(ash::serial{}) == 1'000'000);
}

TEST_CASE("chains through containers and through after() are released without recursion too") {
  const auto next = ash::delayed([](const std::vector<int>& x) { return x[0] + 1; });
  auto chain = ash::delayed([] { return 0; })();
  for (int k = 0; k < 200'000; ++k) chain = next(std::vector{chain});
  CHECK(chain.compute() == 200'000);
  auto behind = ash::delayed([] {})();
  for (int k = 0; k < 100'000; ++k) behind = ash::delayed([] {}).after(behind)();
  behind.compute();
}

TEST_CASE("many results into one, and one into many") {
  const auto one = ash::delayed([] { return 1; })();
  const auto same = ash::delayed([](int x) { return x; });
  std::vector<ash::delayed<int>> all;
  for (int k = 0; k < 100'000; ++k) all.push_back(same(one));
  const auto sum = ash::delayed([](const std::vector<int>& v) {
    std::int64_t s = 0;
    for (int x : v) s += x;
    return s;
  })(all);
  CHECK(sum.compute(ash::threads{.workers = 2}) == 100'000);
}

TEST_CASE("a compute inside a task") {
  const auto inner = ash::delayed([](int x, int y) { return x + y; })(ash::delayed([] { return 20; })(), 1);
  const auto outer = ash::delayed([inner](int x) { return x * inner.compute(ash::threads{.workers = 2}); });
  std::vector<ash::delayed<int>> all;
  for (int k = 0; k < 10; ++k) all.push_back(outer(k));
  const auto sum = ash::delayed([](const std::vector<int>& v) {
    int s = 0;
    for (int x : v) s += x;
    return s;
  })(all);
  CHECK(sum.compute(ash::threads{.workers = 2}) == 45 * 21);
}
