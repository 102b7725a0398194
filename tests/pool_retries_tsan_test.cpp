// Retries and ends of pools while other threads wait for, run or cancel the same tasks.
#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <thread>
#include <vector>

#include <ashlar/future.hpp>
#include <ashlar/this_task.hpp>

namespace ash = ashlar;
using namespace std::chrono_literals;

TEST_CASE("a waiting task runs another that fails, is retried and stands in the queue still") {
  ash::task_pool pool({.workers = 1});
  for (int round = 0; round < 50; ++round) {
    std::atomic<int> others{0};
    std::atomic<int> calls{0};
    std::vector<ash::future<int>> rest;
    const auto outer = ash::submit(pool, {}, [&] {
      const auto b = ash::submit(pool, {.retries = 1}, [&calls] {
        if (++calls == 1) throw std::runtime_error("once");
        return 7;
      });
      for (int k = 0; k < 3; ++k) rest.push_back(ash::submit(pool, {}, [&others] { return ++others; }));
      return b.get();
    });
    CHECK(outer.get() == 7);
    CHECK(calls == 2);
    pool.wait_all();
    CHECK(others == 3);
  }
}

TEST_CASE("retries race with those who wait for them") {
  for (int round = 0; round < 100; ++round) {
    ash::task_pool pool({.workers = 3});
    std::atomic<int> calls{0};
    std::atomic<int> ended{0};
    const auto flaky = ash::submit(pool, {.retries = 20}, [&calls] {
      if (++calls < 20) throw std::runtime_error("again");
      return 5;
    });
    std::vector<ash::future<int>> waiting;
    for (int k = 0; k < 6; ++k) {
      waiting.push_back(ash::submit(pool, {}, [&flaky] { return flaky.get(); }));
      ash::submit(pool, {}, [&ended] { ++ended; });
    }
    for (const auto& w : waiting) CHECK(w.get() == 5);
    pool.wait_all();
    CHECK(calls == 20);
    CHECK(ended == 6);
  }
}

TEST_CASE("a pool that ends while workers take tasks asks each of them to stop") {
  for (int round = 0; round < 300; ++round) {
    std::optional<ash::future<int>> last;
    {
      ash::task_pool pool({.workers = 2});
      for (int k = 0; k < 4; ++k) {
        last = ash::submit(pool, {}, [&pool, k] {
          const auto endless = ash::submit(pool, {}, [](std::stop_token stop) {
            while (!stop.stop_requested()) std::this_thread::yield();
            return 1;
          });
          return k % 2 == 0 ? endless.get() : k;
        });
      }
      if (round % 3 == 1) std::this_thread::yield();
      if (round % 3 == 2) std::this_thread::sleep_for(50us);
    }
    CHECK(last->is_ready());
  }
}

TEST_CASE("a task that times out may be the last to own its pool") {
  std::stop_source stop;
  for (int round = 0; round < 20; ++round) {
    auto pool = std::make_shared<ash::task_pool>(ash::pool_options{.workers = 1});
    const auto blocker = ash::submit(*pool, {}, [] {
      while (!ash::this_task::stop_requested()) std::this_thread::yield();
    });
    ash::task_pool& there = *pool;
    const auto timed = ash::submit(
        there, {.timeout = 1ms}, [](const std::shared_ptr<ash::task_pool>&) {}, std::move(pool));
    CHECK_THROWS_AS(timed.get(), ash::timeout_error);
    CHECK_THROWS_AS(blocker.get(), ash::cancelled);
  }
}

TEST_CASE("stop requests race with time-outs and submissions") {
  ash::task_pool pool({.workers = 2});
  for (int round = 0; round < 200; ++round) {
    std::stop_source stop;
    std::jthread stopper([&stop] { stop.request_stop(); });
    for (int k = 0; k < 5; ++k) ash::submit(pool, {.timeout = 1h, .stop = stop.get_token()}, [] {});
  }
  pool.wait_all();
  CHECK(pool.unfinished() == 0);
}
