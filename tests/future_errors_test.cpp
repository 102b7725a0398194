// What goes wrong with submitted tasks: throws, retries, cancellation, time-outs, pools that end.
#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include <ashlar/future.hpp>
#include <ashlar/this_task.hpp>
#include <support/counted.hpp>

namespace ash = ashlar;
using namespace std::chrono_literals;

namespace {

const auto fail = [](int x) -> int { throw std::domain_error("no " + std::to_string(x)); };

/// Runs until it is asked to stop.
const auto endless = [](std::stop_token stop) {
  while (!stop.stop_requested()) std::this_thread::sleep_for(1ms);
  return 1;
};

}  // namespace

TEST_CASE("get() throws what the task threw, with its name and line around it, as often as it is called") {
  const auto a = ash::submit({.name = "find"}, fail, 4);
  for (int round = 0; round < 2; ++round) {
    try {
      a.get();
      FAIL("no error");
    } catch (const ash::task_error& e) {
      const std::string what = e.what();
      CHECK(what.find("find, on host, from ") == 0);
      CHECK(what.find("future_errors_test.cpp:") != std::string::npos);
      CHECK_THROWS_WITH_AS(std::rethrow_if_nested(e), "no 4", std::domain_error);
    }
  }
  ash::default_pool().wait_all();  // the error was seen
}

TEST_CASE("an error goes on to everything that needs the result, and nothing of that runs") {
  std::atomic<int> ran{0};
  const auto a = ash::submit({.name = "culprit"}, fail, 1);
  const auto b = ash::submit([&](int, int) { return ++ran; }, a, 1);
  const auto c = ash::when_all(std::vector{b, a}).then([&](const std::vector<int>&) { ++ran; });
  const auto d = c.then([&] { ++ran; });
  CHECK_THROWS_WITH_AS(d.get(), doctest::Contains("culprit, on host"), ash::task_error);
  CHECK_THROWS_WITH_AS(b.get(), doctest::Contains("culprit, on host"), ash::task_error);
  CHECK(ran == 0);
}

TEST_CASE("a chain of failed tasks is walked without recursion") {
  ash::task_pool pool({.workers = 1});
  std::stop_source stop;
  auto chain = ash::submit(pool, {}, endless).then([](int x) { return x; });
  const auto first = chain;
  for (int k = 0; k < 50'000; ++k) chain = chain.then([](int x) { return x; });
  CHECK(first.cancel());
  CHECK_THROWS_AS(chain.get(), ash::cancelled);
}

TEST_CASE("wait_all throws the first error that nobody has seen, once") {
  ash::task_pool pool({.workers = 2});
  ash::submit(pool, {.name = "lost"}, fail, 1);
  CHECK_THROWS_WITH_AS(pool.wait_all(), doctest::Contains("lost, on host"), ash::task_error);
  pool.wait_all();
  CHECK(pool.unfinished() == 0);
  const auto kept = ash::submit(pool, {.name = "kept"}, fail, 2);
  CHECK_THROWS_AS(pool.wait_all(), ash::task_error);
  CHECK_THROWS_AS(kept.get(), ash::task_error);
  for (int k = 0; k < 3000; ++k) ash::submit(pool, {.name = "many"}, fail, k);
  CHECK_THROWS_AS(pool.wait_all(), ash::task_error);
  pool.wait_all();
}

TEST_CASE("an error that nobody takes, since who would have was cancelled, is what wait_all throws") {
  ash::task_pool pool({.workers = 1});
  std::atomic<bool> go{false};
  const auto bad = ash::submit(pool, {.name = "unheard"}, [&go] {
    while (!go) std::this_thread::yield();
    throw std::runtime_error("no");
  });
  const auto next = bad.then([] {});
  CHECK(next.cancel());
  go = true;
  CHECK_THROWS_WITH_AS(pool.wait_all(), doctest::Contains("unheard"), ash::task_error);
}

TEST_CASE("retries end with the first success, or with the last error") {
  std::atomic<int> calls{0};
  const auto third = [&calls] {
    if (++calls < 3) throw std::runtime_error("call " + std::to_string(calls));
    return 30;
  };
  CHECK(ash::submit({.retries = 4}, third).get() == 30);
  CHECK(calls == 3);
  calls = -100;
  CHECK_THROWS_WITH_AS(ash::submit({.name = "try", .retries = 2}, third).get(),
                       doctest::Contains("try, attempt 3, on host"), ash::task_error);
  CHECK(calls == -97);
  const auto moved = [](std::vector<int>&& v) {
    const std::vector<int> mine = std::move(v);
    if (mine.size() == 3) throw std::runtime_error("three");
    return 0;
  };
  CHECK_THROWS_WITH_AS(ash::submit({.retries = 1}, moved, std::vector{1, 2, 3}).get(), doctest::Contains("three"),
                       ash::task_error);  // each attempt got the argument whole
}

TEST_CASE("a task that is cancelled before it begins never does; one that runs is asked to stop") {
  ash::task_pool pool({.workers = 1});
  const auto running = ash::submit(pool, {.name = "endless"}, endless);
  bool ran = false;
  const auto queued = ash::submit(pool, {}, [&ran] { ran = true; });
  CHECK(queued.cancel());
  CHECK_FALSE(queued.cancel());
  CHECK_THROWS_AS(queued.get(), ash::cancelled);
  CHECK(running.cancel());
  CHECK_THROWS_WITH_AS(running.get(), doctest::Contains("endless"), ash::cancelled);
  pool.wait_all();  // cancellation is no error that somebody has to see
  CHECK_FALSE(ran);
  CHECK(ash::submit(pool, {}, [] { return 5; }).get() == 5);
}

TEST_CASE("wait_all waits for functions whose futures were cancelled or timed out while they ran") {
  ash::task_pool pool({.workers = 2});
  std::atomic<int> inside{0};
  const auto slow = [&inside] {
    ++inside;
    while (!ash::this_task::stop_requested()) std::this_thread::yield();
    std::this_thread::sleep_for(10ms);
    --inside;
  };
  const auto cancelled = ash::submit(pool, {}, slow);
  const auto timed = ash::submit(pool, {.timeout = 20ms}, slow);
  while (inside < 2) std::this_thread::yield();
  CHECK(cancelled.cancel());
  CHECK_THROWS_AS(timed.get(), ash::timeout_error);
  pool.wait_all();
  CHECK(inside == 0);
  CHECK(pool.unfinished() == 0);
}

TEST_CASE("a stop token cancels, before the task, in it, and after it") {
  ash::task_pool pool({.workers = 1});
  std::stop_source stop;
  const auto ended = ash::submit(pool, {.stop = stop.get_token()}, [] { return 1; });
  CHECK(ended.get() == 1);
  const auto running = ash::submit(pool, {.stop = stop.get_token()}, [] {
    while (!ash::this_task::stop_requested()) std::this_thread::sleep_for(1ms);
  });
  const auto queued = ash::submit(pool, {.stop = stop.get_token()}, [] { return 1; });
  stop.request_stop();
  CHECK_THROWS_AS(running.get(), ash::cancelled);
  CHECK_THROWS_AS(queued.get(), ash::cancelled);
  CHECK_THROWS_AS(ash::submit(pool, {.stop = stop.get_token()}, [] { return 1; }).get(), ash::cancelled);
  CHECK(ended.get() == 1);
}

TEST_CASE("a time-out ends tasks that run, that wait in the queue, and that wait for inputs") {
  ash::task_pool pool({.workers = 1});
  const auto running = ash::submit(pool, {.name = "slow", .timeout = 30ms}, endless);
  const auto blocker = ash::submit(pool, {}, endless);
  const auto queued = ash::submit(pool, {.timeout = 60ms}, [] { return 1; });
  const auto waiting = ash::submit(
      pool, {.timeout = 60ms}, [](int x) { return x; }, blocker);
  CHECK_THROWS_WITH_AS(running.get(), doctest::Contains("slow, from "), ash::timeout_error);
  CHECK_THROWS_AS(queued.get(), ash::timeout_error);
  CHECK_THROWS_AS(waiting.get(), ash::timeout_error);
  CHECK(blocker.cancel());
  CHECK(ash::submit(pool, {.timeout = 100s}, [] { return 2; }).get() == 2);
}

TEST_CASE("wait_for looks without taking the error") {
  ash::task_pool pool({.workers = 1});
  const auto slow = ash::submit(pool, {}, endless);
  CHECK_FALSE(slow.wait_for(5ms));
  CHECK(slow.cancel());
  CHECK(slow.wait_for(0s));
  const auto bad = ash::submit(pool, {}, fail, 1);
  CHECK(bad.wait_for(10s));
  CHECK_THROWS_AS(pool.wait_all(), ash::task_error);
}

TEST_CASE("times that are too long to count are no limit, and what is no time is refused") {
  using seconds = std::chrono::duration<double>;
  ash::task_pool pool({.workers = 1});
  for (const double t : {1e-12, 1e10, 1e18, 1e300, std::numeric_limits<double>::infinity()}) {
    CAPTURE(t);
    std::atomic<bool> go{false};
    const auto f = ash::submit(pool, {.timeout = seconds(t)}, [&go] {
      while (!go) std::this_thread::sleep_for(1ms);
      return 3;
    });
    if (t < 1) {
      CHECK_THROWS_AS(f.get(), ash::timeout_error);
      go = true;
      pool.wait_all();
      continue;
    }
    CHECK_FALSE(f.wait_for(3ms));
    go = true;
    CHECK(f.wait_for(seconds(t)));
    CHECK(f.get() == 3);
  }
  const auto done = ash::submit(pool, {}, [] {});
  for (const double t : {-1.0, std::nan(""), -std::numeric_limits<double>::infinity()}) {
    CAPTURE(t);
    CHECK_THROWS_WITH_AS(ash::submit(pool, {.timeout = seconds(t)}, [] {}), doctest::Contains("timeout is "),
                         ash::value_error);
    CHECK_THROWS_AS(done.wait_for(seconds(t)), ash::value_error);
  }
}

TEST_CASE("retries need arguments that last") {
  const auto take = [](std::unique_ptr<int> p) { return *p; };
  CHECK_THROWS_WITH_AS(ash::submit({.name = "eat", .retries = 1}, take, std::make_unique<int>(2)),
                       doctest::Contains("submit: eat takes an argument for itself"), ash::value_error);
  CHECK(ash::submit({.name = "eat"}, take, std::make_unique<int>(2)).get() == 2);
  int calls = 0;
  const auto look = [&calls](const std::unique_ptr<int>& p) {
    if (++calls == 1) throw std::runtime_error("again");
    return *p;
  };
  CHECK(ash::submit({.retries = 1}, look, std::make_unique<int>(2)).get() == 2);
  calls = 0;
  const auto any = [&calls](const auto& p) {
    if (++calls == 1) throw std::runtime_error("again");
    return *p;
  };
  CHECK(ash::submit({.retries = 1}, any, std::make_unique<int>(2)).get() == 2);
}

TEST_CASE("a task that waits for itself, or for its pool, is an error") {
  ash::task_pool pool({.workers = 2});
  std::optional<ash::future<int>> self;
  std::atomic<bool> set{false};
  self = ash::submit(pool, {.name = "ouroboros"}, [&] {
    while (!set) std::this_thread::yield();
    return self->get() + 1;
  });
  set = true;
  CHECK_THROWS_WITH_AS(self->get(), doctest::Contains("for itself"), ash::task_error);
  const auto all = ash::submit(pool, {}, [&pool] { pool.wait_all(); });
  CHECK_THROWS_WITH_AS(all.get(), doctest::Contains("wait_all"), ash::task_error);
}

TEST_CASE("the end of a pool cancels what has not begun, stops what runs, and loses nothing") {
  counted::reset();
  {
    std::vector<ash::future<int>> futures;
    std::optional<ash::future<int>> later;
    {
      ash::task_pool pool({.workers = 1});
      std::atomic<bool> begun{false};
      futures.push_back(ash::submit(pool, {}, [&begun](std::stop_token stop) {
        begun = true;
        return endless(stop);
      }));
      while (!begun) std::this_thread::yield();
      for (int k = 0; k < 20; ++k)
        futures.push_back(ash::submit(
            pool, {}, [](const counted& c) { return c.value; }, counted(k)));
      futures.push_back(ash::when_all(futures).then([](const std::vector<int>& v) { return v[0]; }));
    }
    for (const auto& f : futures) CHECK_THROWS_AS(f.get(), ash::cancelled);
    CHECK_THROWS_AS(futures[1].then([](int x) { return x; }).get(), ash::cancelled);
  }
  CHECK(counted::live == 0);
  ash::task_pool unused;
}

TEST_CASE("then on a future whose pool has ended is cancelled") {
  auto pool = std::make_unique<ash::task_pool>(ash::pool_options{.workers = 1});
  const auto a = ash::submit(*pool, {}, [] { return 1; });
  CHECK(a.get() == 1);
  pool.reset();
  CHECK(a.get() == 1);
  CHECK_THROWS_AS(a.then([](int x) { return x; }).get(), ash::cancelled);
}

TEST_CASE("what is thrown need not be a std::exception, and a result may fail to move") {
  CHECK_THROWS_WITH_AS(ash::submit([] { throw 42; }).get(), doctest::Contains("not a std::exception"), ash::task_error);
  struct fragile {
    fragile() = default;
    fragile(fragile&&) { throw std::runtime_error("too heavy"); }
  };
  CHECK_THROWS_WITH_AS(ash::submit([] { return fragile(); }).get(), doctest::Contains("too heavy"), ash::task_error);
}
