// The loop of lanes on the caller's thread and on oneTBB's.
#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <ashlar/execution/graph_job.hpp>
#include <ashlar/std_threads.hpp>
#include <ashlar/threads.hpp>

#include "support/random_graph.hpp"

using ashlar::detail::graph_job;
using ashlar::detail::task_graph;
using ashlar::detail::task_graph_builder;
using test_support::checked_body;
using test_support::random_graph;

namespace {

template <class Executor>
void check(const Executor& where, const task_graph& g, int lanes) {
  checked_body body(g);
  graph_job<checked_body> work(g, body, lanes);
  where.execute(work);
  CHECK_NOTHROW(work.rethrow());
  REQUIRE(work.finished());
  REQUIRE(body.values() == body.expected());
}

task_graph independent(std::uint32_t tasks) {
  task_graph_builder b;
  for (std::uint32_t t = 0; t < tasks; ++t) b.add_task();
  return std::move(b).freeze();
}

}  // namespace

TEST_CASE("random graphs on TBB's threads and on the caller's alone") {
  for (std::uint64_t seed = 0; seed < 4000; ++seed) {
    CAPTURE(seed);
    const task_graph g = random_graph(seed, 60);
    check(ashlar::serial{}, g, 1);
    check(ashlar::threads{}, g, 1 + static_cast<int>(seed % 4));
  }
  for (std::uint64_t seed = 0; seed < 40; ++seed) check(ashlar::threads{}, random_graph(seed, 20000), 2);
}

TEST_CASE("one lane follows a given order exactly") {
  struct recorder {
    std::vector<std::uint32_t> tasks;
    void run(int lane, std::uint32_t t) {
      CHECK(lane == 0);
      tasks.push_back(t);
    }
  };
  const task_graph g = independent(5);
  const std::vector<std::uint32_t> order = {3, 1, 4, 0, 2};
  recorder body;
  graph_job<recorder> work(g, body, 1, order.data());
  ashlar::serial{}.execute(work);
  CHECK(work.finished());
  CHECK(body.tasks == order);
}

TEST_CASE("one lane without an order goes depth first, first choice first") {
  struct recorder {
    std::vector<std::uint32_t> tasks;
    void run(int, std::uint32_t t) { tasks.push_back(t); }
  };
  task_graph_builder b;
  for (int t = 0; t < 8; ++t) b.add_task();
  b.add_edge(0, 2);
  b.add_edge(0, 3);
  b.add_edge(2, 4);
  b.add_edge(3, 5);
  b.add_edge(1, 6);
  b.add_edge(5, 7);
  b.add_edge(6, 7);
  const task_graph g = std::move(b).freeze();
  recorder body;
  graph_job<recorder> work(g, body, 1);
  ashlar::serial{}.execute(work);
  CHECK(body.tasks == std::vector<std::uint32_t>{0, 2, 4, 3, 5, 1, 6, 7});
}

TEST_CASE("more lanes than TBB has threads") {
  check(ashlar::threads{}, random_graph(11, 5000), 64);
  const tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);
  for (std::uint64_t seed = 0; seed < 200; ++seed) check(ashlar::threads{}, random_graph(seed, 100), 4);
}

TEST_CASE("without a number of workers the limits of TBB count too") {
  CHECK(ashlar::threads{}.lanes() >= 1);
  const tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);
  CHECK(ashlar::threads{}.lanes() == 1);
  CHECK(ashlar::threads{.workers = 3}.lanes() == 3);
}

TEST_CASE("a run inside a TBB task, inside an arena of one slot, and inside a task of another run") {
  const task_graph g = random_graph(5, 300);
  tbb::parallel_for(0, 200, [&](int) { check(ashlar::threads{}, g, 3); });
  tbb::task_arena one(1);
  for (int round = 0; round < 200; ++round) one.execute([&] { check(ashlar::threads{}, g, 3); });
  struct nesting {
    const task_graph& inner;
    void run(int, std::uint32_t) { check(ashlar::threads{}, inner, 2); }
  };
  const task_graph outer = independent(100);
  nesting body{g};
  graph_job<nesting> work(outer, body, 3);
  ashlar::threads{}.execute(work);
  CHECK(work.finished());
}

TEST_CASE("a task that holds a mutex over a nested TBB loop never meets another task of the run inside it") {
  struct locking {
    std::mutex mutex;
    std::atomic<int> loops{0};
    void run(int, std::uint32_t) {
      const std::lock_guard<std::mutex> lock(mutex);
      tbb::parallel_for(0, 64, [&](int) { loops.fetch_add(1, std::memory_order_relaxed); });
    }
  };
  const task_graph g = independent(500);
  locking body;
  graph_job<locking> work(g, body, 4);
  ashlar::threads{}.execute(work);
  CHECK(work.finished());
  CHECK(body.loops.load() == 500 * 64);
}

TEST_CASE("several runs at once from several threads") {
  std::vector<std::thread> callers;
  std::atomic<int> good{0};
  for (int c = 0; c < 6; ++c) {
    callers.emplace_back([c, &good] {
      for (std::uint64_t seed = 0; seed < 100; ++seed) {
        const task_graph g = random_graph(seed + static_cast<std::uint64_t>(c) * 1000, 200);
        checked_body body(g);
        graph_job<checked_body> work(g, body, 3);
        ashlar::threads{}.execute(work);
        if (work.finished() && body.values() == body.expected()) good.fetch_add(1);
      }
    });
  }
  for (std::thread& t : callers) t.join();
  CHECK(good.load() == 600);
}

TEST_CASE("tasks that take long are shared out, however many short ones came before them") {
  // 64 short tasks teach a lane to take many at once; of the long ones behind them each lane must get some.
  struct sleeper {
    std::atomic<int> by_lane[2] = {0, 0};
    void run(int lane, std::uint32_t t) {
      if (t < 4096) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      by_lane[lane].fetch_add(1);
    }
  };
  const task_graph g = independent(4096 + 40);
  sleeper body;
  graph_job<sleeper> work(g, body, 2);
  ashlar::std_threads{.workers = 2}.execute(work);
  CHECK(body.by_lane[0].load() + body.by_lane[1].load() == 40);
  CHECK(body.by_lane[0].load() >= 5);
  CHECK(body.by_lane[1].load() >= 5);
}

TEST_CASE("short runs by the hundred thousand on TBB's threads leave nothing waiting") {
  struct nothing {
    void run(int, std::uint32_t) {}
  };
  const task_graph g = independent(2);
  nothing body;
  for (int round = 0; round < 200000; ++round) {
    graph_job<nothing> work(g, body, 2);
    ashlar::threads{}.execute(work);
    REQUIRE(work.finished());
  }
}
