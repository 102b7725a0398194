// How many tasks run at once: workers bound those that work, runs of arrays and lazy calls included.
#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <stop_token>
#include <thread>
#include <vector>

#include <ashlar/delayed.hpp>
#include <ashlar/future.hpp>
#include <ashlar/std_threads.hpp>

namespace ash = ashlar;
using namespace std::chrono_literals;

namespace {

/// The most that were inside at once.
class crowd {
 public:
  void visit() {
    const int now = ++inside_;
    int most = most_.load();
    while (most < now && !most_.compare_exchange_weak(most, now)) {
    }
    std::this_thread::sleep_for(2ms);
    --inside_;
  }
  int most() const { return most_; }

 private:
  std::atomic<int> inside_{0};
  std::atomic<int> most_{0};
};

}  // namespace

TEST_CASE("tasks that compute keep their worker's place") {
  for (const int lanes : {1, 2}) {
    ash::task_pool pool({.workers = 2});
    crowd tasks;
    for (int k = 0; k < 40; ++k) {
      ash::submit(pool, {}, [&tasks, lanes] {
        const auto work = ash::delayed([&tasks] { tasks.visit(); })();
        ash::compute(ash::std_threads{.workers = lanes}, work);
      });
    }
    pool.wait_all();
    CHECK(tasks.most() <= 2);
  }
}

TEST_CASE("lanes of a run in a task may wait for tasks of its pool, with one worker too") {
  ash::task_pool pool({.workers = 1});
  for (int round = 0; round < 20; ++round) {
    const auto outer = ash::submit(pool, {}, [&pool] {
      std::vector<ash::delayed<int>> asked;
      for (int k = 0; k < 6; ++k) {
        asked.push_back(ash::delayed([&pool, k] { return ash::submit(pool, {}, [k] { return k; }).get(); })());
      }
      const auto sum = ash::delayed([](const std::vector<int>& v) {
        int s = 0;
        for (const int x : v) s += x;
        return s;
      })(asked);
      return std::get<0>(ash::compute(ash::std_threads{.workers = 3}, sum, sum));
    });
    CHECK(outer.get() == 15);
  }
}

TEST_CASE("when such a run fails, it waits for lanes that wait for tasks of its pool") {
  ash::task_pool pool({.workers = 1});
  for (int round = 0; round < 20; ++round) {
    std::atomic<bool> waiting{false};
    const auto outer = ash::submit(pool, {}, [&pool, &waiting] {
      const std::thread::id worker = std::this_thread::get_id();
      const auto one = [&pool, &waiting, worker] {
        if (std::this_thread::get_id() == worker) {
          for (int k = 0; k < 20 && !waiting; ++k) std::this_thread::sleep_for(1ms);
          throw std::runtime_error("lane 0");
        }
        const auto f = ash::submit(pool, {}, [] { std::this_thread::sleep_for(1ms); });
        waiting = true;
        f.get();
      };
      const auto a = ash::delayed(one)();
      const auto b = ash::delayed(one)();
      ash::compute(ash::std_threads{.workers = 2}, a, b);
    });
    CHECK_THROWS_WITH_AS(outer.get(), doctest::Contains("lane 0"), ash::task_error);
    pool.wait_all();
  }
}

TEST_CASE("a task that looks for the first result does not get stuck in another") {
  ash::task_pool pool({.workers = 2});
  const auto first = ash::submit(pool, {}, [&pool] {
    std::vector<ash::future<int>> racers;
    for (int k = 0; k < 4; ++k) {
      racers.push_back(ash::submit(pool, {}, [k](std::stop_token stop) {
        while (k != 1 && !stop.stop_requested()) std::this_thread::sleep_for(1ms);
        return k;
      }));
    }
    int winner = -1;
    for (const auto& f : ash::as_completed(racers)) {
      winner = f.get();
      break;
    }
    for (const auto& f : racers) f.cancel();
    return winner;
  });
  CHECK(first.get() == 1);
  pool.wait_all();
}

TEST_CASE("more tasks may look for the first result than the pool may have threads") {
  ash::task_pool pool({.workers = 1});
  struct deeper {
    ash::task_pool& pool;
    int operator()(int left) const {
      if (left == 0) return 0;
      std::vector<ash::future<int>> next{ash::submit(pool, {}, *this, left - 1)};
      for (const auto& f : ash::as_completed(std::move(next))) return f.get() + 1;
      return -1;
    }
  };
  CHECK(ash::submit(pool, {}, deeper{pool}, 1200).get() == 1200);
}
