// Submitted tasks: results, inputs, containers, ranges.
#include <doctest/doctest.h>

#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include <ashlar/delayed.hpp>
#include <ashlar/future.hpp>
#include <ashlar/threads.hpp>
#include <support/counted.hpp>

namespace ash = ashlar;

namespace {

int increment(int x) { return x + 1; }

}  // namespace

TEST_CASE("functions, functors and lambdas, of values and of results") {
  const ash::future<int> a = ash::submit(increment, 1);
  const auto b = ash::submit([](int x, int y) { return x * y; }, a, 10);
  const auto c = ash::submit(
      [](const std::string& s, int x, double y, char z) { return s + std::to_string(x) + z + std::to_string(y); }, "v",
      b, 0.5, ' ');
  CHECK(a.get() == 2);
  CHECK(b.get() == 20);
  CHECK(c.get() == "v20 0.500000");
  CHECK(c.is_ready());
  CHECK(ash::submit([] { return 7; }).get() == 7);
}

TEST_CASE("a pool of one's own, with options") {
  ash::task_pool pool({.workers = 2});
  CHECK(pool.workers() == 2);
  const auto a = ash::submit(pool, {.name = "a", .priority = 3}, increment, 1);
  CHECK(ash::submit(pool, {}, increment, a).get() == 3);
  CHECK(ash::submit({.name = "elsewhere"}, increment, a).get() == 3);  // on the default pool, after a task of another
  CHECK_THROWS_WITH_AS(ash::task_pool({.workers = -2}), doctest::Contains("-2"), ash::value_error);
  CHECK_THROWS_AS(ash::submit({.retries = -1}, increment, 1), ash::value_error);
  CHECK_THROWS_AS(ash::submit({.timeout = std::chrono::seconds(-1)}, increment, 1), ash::value_error);
}

TEST_CASE("results inside containers") {
  const auto one = ash::submit(increment, 0);
  const auto two = ash::submit(increment, one);
  CHECK(ash::submit([](const std::vector<int>& v) { return v[0] + 10 * v[1]; }, std::vector{one, two}).get() == 21);
  const std::map<std::string, std::pair<ash::future<int>, int>> nested{{"x", {two, 5}}};
  CHECK(ash::submit([](std::map<std::string, std::pair<int, int>> m) { return m["x"].first + m["x"].second; }, nested)
            .get() == 7);
}

TEST_CASE("results that can only be moved") {
  auto made = ash::submit([] { return std::make_unique<int>(3); });
  CHECK(*made.get() == 3);
  CHECK(ash::submit([](const std::unique_ptr<int>& p) { return *p; }, made).get() == 3);
  const auto take = [](std::unique_ptr<int> p) { return *p + 1; };
  CHECK_THROWS_WITH_AS(ash::submit(take, made), doctest::Contains("cannot be copied"), ash::value_error);
  CHECK_THROWS_AS(ash::submit({.retries = 1}, take, std::move(made)), ash::value_error);
  auto again = ash::submit([] { return std::make_unique<int>(5); });
  CHECK(ash::submit(take, std::move(again)).get() == 6);
  CHECK(ash::submit(take, std::make_unique<int>(8)).get() == 9);
  CHECK(*ash::submit([](auto p) { return p; }, std::make_unique<int>(8)).get() == 8);
  auto last = ash::submit([] { return std::make_unique<int>(2); });
  const auto shared = last;
  CHECK_THROWS_AS(std::move(last).get(), ash::value_error);
}

TEST_CASE("a result is copied only where it is shared") {
  counted::reset();
  {
    ash::task_pool pool({.workers = 1});
    auto made = ash::submit(pool, {}, [] { return counted(4); });
    CHECK(made.get().value == 4);
    auto next = std::move(made).then([](counted c) { return counted(c.value + 1); });
    CHECK(counted::copies == 0);
    CHECK(next.then([](const counted& c) { return c.value; }).get() == 5);
    CHECK(counted::copies == 0);
    CHECK(next.then([](counted c) { return c.value; }).get() == 5);
    CHECK(counted::copies == 1);
    CHECK(std::move(next).get().value == 5);
    CHECK(counted::copies == 1);
  }
  CHECK(counted::live == 0);
}

TEST_CASE("then") {
  std::string log;
  auto first = ash::submit([&log] { log += "a"; });
  static_assert(std::is_same_v<decltype(first), ash::future<void>>);
  auto second = first.then([&log] {
    log += "b";
    return 2;
  });
  CHECK(second.then(increment).then(increment).get() == 4);
  CHECK(log == "ab");
  first.get();
}

TEST_CASE("when_all") {
  const auto a = ash::submit(increment, 1);
  const auto b = ash::submit([] { return std::string("b"); });
  const auto nothing = ash::submit([] {});
  const std::tuple<int, std::string> both = ash::when_all(a, nothing, b).get();
  CHECK(both == std::tuple(2, std::string("b")));
  const std::vector<int> many = ash::when_all(std::vector{a, a, ash::submit(increment, 4)}).get();
  CHECK(many == std::vector{2, 2, 5});
  CHECK(ash::when_all(std::vector<ash::future<int>>{}).get().empty());
  ash::when_all(nothing, nothing).get();
  ash::when_all(std::vector{nothing, nothing}).get();
  CHECK(*ash::when_all(ash::submit([] { return std::make_unique<int>(1); }), a)
             .then([](auto t) { return std::move(std::get<0>(t)); })
             .get() == 1);
}

TEST_CASE("map, and futures as they become ready") {
  ash::task_pool pool({.workers = 2});
  std::vector<ash::future<int>> squares = ash::map(
      pool, {.name = "square"}, [](int x) { return x * x; }, std::vector{1, 2, 3, 4});
  std::multiset<int> seen;
  for (const ash::future<int>& f : ash::as_completed(squares)) {
    CHECK(f.is_ready());
    seen.insert(f.get());
  }
  CHECK(seen == std::multiset<int>{1, 4, 9, 16});
  CHECK(ash::map(increment, std::set{5, 6})[1].get() == 7);
  int rounds = 0;
  for ([[maybe_unused]] auto& f : ash::as_completed(std::vector<ash::future<int>>{})) ++rounds;
  CHECK(rounds == 0);
  static_assert(!std::is_copy_constructible_v<ash::as_completed<int>>);
}

TEST_CASE("the first one that is ready comes first") {
  ash::task_pool pool({.workers = 2});
  std::mutex gate;
  std::unique_lock<std::mutex> closed(gate);
  std::vector<ash::future<int>> two;
  two.push_back(ash::submit(pool, {}, [&gate] {
    const std::lock_guard<std::mutex> open(gate);
    return 0;
  }));
  two.push_back(ash::submit(pool, {}, [] { return 1; }));
  std::vector<int> order;
  for (auto& f : ash::as_completed(two)) {
    order.push_back(f.get());
    if (closed.owns_lock()) closed.unlock();
  }
  CHECK(order == std::vector{1, 0});
}

TEST_CASE("of queued tasks the highest priority runs first, equal ones in order") {
  ash::task_pool pool({.workers = 1});
  std::string log;
  std::mutex gate;
  std::unique_lock<std::mutex> closed(gate);
  std::atomic<bool> begun{false};
  ash::submit(pool, {.priority = 9}, [&] {
    begun = true;
    const std::lock_guard<std::mutex> open(gate);
  });
  while (!begun) std::this_thread::yield();
  const auto write = [&log](char c) { log += c; };
  ash::submit(pool, {}, write, 'c');
  ash::submit(pool, {.priority = -1}, write, 'e');
  ash::submit(pool, {.priority = 2}, write, 'a');
  ash::submit(pool, {}, write, 'd');
  ash::submit(pool, {.priority = 2}, write, 'b');
  closed.unlock();
  pool.wait_all();
  CHECK(log == "abcde");
}

TEST_CASE("a future that was moved from says so") {
  auto a = ash::submit(increment, 1);
  const auto b = std::move(a);
  CHECK_THROWS_WITH_AS(a.get(), doctest::Contains("moved from"), ash::value_error);  // NOLINT(bugprone-use-after-move)
  CHECK(b.get() == 2);
}

TEST_CASE("computes of lazy calls inside tasks, and waiting inside lazy calls") {
  ash::task_pool pool({.workers = 1});
  const auto lazy = ash::delayed([](int x) { return x + 1; });
  const auto outer = ash::submit(pool, {}, [&] {
    const auto inner = ash::delayed([&pool](int x) { return ash::submit(pool, {}, increment, x).get(); });
    return ash::delayed([](int x, int y) { return x * y; })(inner(lazy(1)), inner(4))
        .compute(ash::threads{.workers = 2});
  });
  CHECK(outer.get() == 15);
}
