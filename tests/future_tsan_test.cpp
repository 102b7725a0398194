// Pools under load; runs under the thread sanitizer too.
#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <stop_token>
#include <thread>
#include <vector>

#include <ashlar/future.hpp>
#include <support/counted.hpp>

namespace ash = ashlar;

namespace {

int fibonacci(ash::task_pool& pool, int n) {
  if (n < 2) return n;
  const auto a = ash::submit(pool, {}, [&pool, n] { return fibonacci(pool, n - 1); });
  const auto b = ash::submit(pool, {}, [&pool, n] { return fibonacci(pool, n - 2); });
  return a.get() + b.get();
}

struct dice {
  std::uint64_t state;
  int operator()(int n) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return static_cast<int>(state >> 33) % n;
  }
};

}  // namespace

TEST_CASE("tasks that submit tasks and wait for them, on any number of workers") {
  for (const int workers : {1, 2, 3}) {
    ash::task_pool pool({.workers = workers});
    CHECK(ash::submit(pool, {}, [&pool] { return fibonacci(pool, 12); }).get() == 144);
  }
}

TEST_CASE("one worker: a task waits for one that stands behind it, and for one that waits for that") {
  ash::task_pool pool({.workers = 1});
  for (int round = 0; round < 50; ++round) {
    std::atomic<bool> submitted{false};
    std::vector<ash::future<int>> behind;
    const auto first = ash::submit(pool, {}, [&] {
      while (!submitted) std::this_thread::yield();
      return behind[3].get();
    });
    behind.push_back(ash::submit(pool, {}, [] { return 1; }));
    behind.push_back(ash::submit(
        pool, {.priority = -1}, [](int x) { return x + 1; }, behind[0]));
    behind.push_back(ash::submit(
        pool, {}, [](int x) { return x + 1; }, behind[1]));
    behind.push_back(
        ash::when_all(std::vector{behind[2], behind[0]}).then([](const std::vector<int>& v) { return v[0] + v[1]; }));
    submitted = true;
    CHECK(first.get() == 4);
  }
}

TEST_CASE("many tasks wait for one that another worker runs") {
  ash::task_pool pool({.workers = 2});
  std::atomic<bool> open{false};
  const auto slow = ash::submit(pool, {}, [&open] {
    while (!open) std::this_thread::yield();
    return 1;
  });
  std::vector<ash::future<int>> waiters;
  for (int k = 0; k < 100; ++k) waiters.push_back(ash::submit(pool, {}, [&slow] { return slow.get(); }));
  const auto opener = ash::submit(pool, {}, [&open] { open = true; });
  int sum = 0;
  for (const auto& w : waiters) sum += w.get();
  CHECK(sum == 100);
  opener.get();
}

TEST_CASE("tasks of two pools of one worker wait for each other") {
  ash::task_pool a({.workers = 1});
  ash::task_pool b({.workers = 1});
  for (int round = 0; round < 20; ++round) {
    const auto up = ash::submit(a, {}, [&] {
      return ash::submit(
                 b, {},
                 [&] { return ash::submit(a, {}, [&] { return ash::submit(b, {}, [] { return 7; }).get(); }).get(); })
          .get();
    });
    CHECK(up.get() == 7);
  }
}

TEST_CASE("futures as they become ready, inside a task of a pool of one worker") {
  ash::task_pool pool({.workers = 1});
  const auto sum = ash::submit(pool, {}, [&pool] {
    auto all = ash::map(
        pool, {}, [](int x) { return x; }, std::vector{1, 2, 3, 4, 5});
    int s = 0;
    for (const auto& f : ash::as_completed(all)) s += f.get();
    return s;
  });
  CHECK(sum.get() == 15);
}

TEST_CASE("random graphs of tasks, some of which throw, are cancelled or time out") {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    CAPTURE(seed);
    counted::reset();
    {
      dice d{seed};
      ash::task_pool pool({.workers = 1 + d(3)});
      std::vector<ash::future<counted>> all;
      std::vector<int> expected;  // -1: fails
      std::stop_source stop;
      const bool may_stop = d(4) == 0;
      for (int k = 0; k < 60; ++k) {
        std::vector<ash::future<counted>> inputs;
        int sum = 1;
        for (int n = k == 0 ? 0 : d(4); n > 0; --n) {
          const auto from = static_cast<std::size_t>(d(k));
          inputs.push_back(all[from]);
          if (sum >= 0) sum = expected[from] < 0 ? -1 : (sum + expected[from]) % 1000;
        }
        const bool throws = d(30) == 0;
        ash::submit_options options{.priority = d(3) - 1, .retries = d(5) == 0 ? 2 : 0};
        if (may_stop) options.stop = stop.get_token();
        all.push_back(ash::submit(
            pool, options,
            [throws](const std::vector<counted>& v) {
              int s = 1;
              for (const counted& c : v) s = (s + c.value) % 1000;
              if (throws) throw std::runtime_error("dice");
              return counted(s);
            },
            inputs));
        expected.push_back(throws ? -1 : sum);
        if (may_stop && k == 40) stop.request_stop();
      }
      for (std::size_t k = 0; k < all.size(); ++k) {
        try {
          const int value = all[k].get().value;
          CHECK(value == expected[k]);
        } catch (const ash::task_error&) {
          CHECK(expected[k] == -1);
        } catch (const ash::cancelled&) {
          CHECK(may_stop);
        }
      }
      all.clear();
      pool.wait_all();
    }
    CHECK(counted::live == 0);
  }
}

TEST_CASE("several threads submit, cancel and wait") {
  ash::task_pool pool({.workers = 2});
  std::atomic<int> ended{0};
  {
    std::vector<std::jthread> users;
    for (int u = 0; u < 4; ++u) {
      users.emplace_back([&pool, &ended, u] {
        for (int k = 0; k < 200; ++k) {
          const auto f = ash::submit(pool, {}, [k] { return k; });
          const auto g = f.then([](int x) { return x + 1; });
          if ((k + u) % 7 == 0) f.cancel();
          try {
            if (g.get() == k + 1) ++ended;
          } catch (const ash::cancelled&) {
            ++ended;
          }
        }
      });
    }
  }
  CHECK(ended == 800);
  pool.wait_all();
}

TEST_CASE("pools that end at once, with tasks in every stage") {
  for (int round = 0; round < 100; ++round) {
    std::vector<ash::future<int>> futures;
    {
      ash::task_pool pool({.workers = 1 + round % 3});
      for (int k = 0; k < round % 20; ++k) {
        futures.push_back(ash::submit(pool, {.timeout = std::chrono::seconds(50)}, [k] { return k; }));
        futures.push_back(futures.back().then([](int x) { return x; }));
      }
    }
    for (const auto& f : futures) {
      try {
        f.get();
      } catch (const ash::cancelled&) {
      }
    }
  }
}
