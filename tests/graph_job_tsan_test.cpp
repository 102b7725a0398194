// The loop of lanes on std::jthread: each task once and in order, whatever the interleaving; errors; stops.
#include <doctest/doctest.h>

#include <atomic>
#include <cstdint>
#include <new>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include <ashlar/execution/graph_job.hpp>
#include <ashlar/std_threads.hpp>

#include "support/random_graph.hpp"

using ashlar::detail::graph_job;
using ashlar::detail::lane_point;
using ashlar::detail::lane_policy;
using ashlar::detail::task_graph;
using test_support::checked_body;
using test_support::dice;
using test_support::random_graph;

namespace {

/// Gives way to other threads at points that a seed picks.
struct yielding_policy : lane_policy {
  static std::atomic<std::uint64_t>& seed() {
    static std::atomic<std::uint64_t> s{1};
    return s;
  }
  static void point(lane_point at) noexcept {
    dice d{seed().fetch_add(0x9E3779B97F4A7C15u, std::memory_order_relaxed)};
    if (d(4) == static_cast<std::uint32_t>(at) % 4) std::this_thread::yield();
  }
};

template <class Policy>
void check_random_graphs(std::uint64_t first, std::uint64_t count, std::uint32_t size) {
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    CAPTURE(seed);
    const task_graph g = random_graph(seed, size);
    const int lanes = 1 + static_cast<int>(seed % 5);
    checked_body body(g);
    graph_job<checked_body, Policy> work(g, body, lanes);
    ashlar::std_threads{.workers = lanes}.execute(work);
    CHECK_NOTHROW(work.rethrow());
    REQUIRE(work.finished());
    REQUIRE(work.done() == g.tasks());
    REQUIRE(body.values() == body.expected());
  }
}

}  // namespace

TEST_CASE("random graphs: every task once, after those that it waits for") {
  check_random_graphs<lane_policy>(0, 3000, 60);
  check_random_graphs<lane_policy>(10000, 60, 3000);
}

TEST_CASE("random graphs with lanes that give way at every point of the loop") {
  check_random_graphs<yielding_policy>(20000, 1500, 60);
}

TEST_CASE("a task that throws ends the run: nothing behind it runs, and the first error comes out") {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const task_graph g = random_graph(seed, 40);
    for (std::uint32_t k = 0; k < g.tasks(); ++k) {
      CAPTURE(seed);
      CAPTURE(k);
      checked_body body(g);
      body.throws_at = k;
      graph_job<checked_body> work(g, body, 3);
      ashlar::std_threads{.workers = 3}.execute(work);
      CHECK_THROWS_WITH_AS(work.rethrow(), "as asked", std::runtime_error);
      CHECK_FALSE(work.finished());
      for (std::uint32_t t = 0; t < g.tasks(); ++t) {
        if (!body.ran(t)) continue;
        for (const std::uint32_t p : body.before()[t]) CHECK(p != k);
      }
    }
  }
}

TEST_CASE("a stop before the run and within each task") {
  struct stopping_body {
    std::uint32_t at;
    ashlar::detail::job* work = nullptr;
    std::atomic<int> runs{0};
    void run(int, std::uint32_t t) {
      runs.fetch_add(1, std::memory_order_relaxed);
      if (t == at) work->stop();
    }
  };
  const task_graph g = random_graph(7, 200);
  for (std::uint32_t at = 0; at < g.tasks(); ++at) {
    stopping_body body{at};
    graph_job<stopping_body> work(g, body, 4);
    body.work = &work;
    ashlar::std_threads{.workers = 4}.execute(work);
    CHECK_NOTHROW(work.rethrow());
    CHECK(body.runs.load() >= 1);
    if (work.finished()) CHECK(body.runs.load() == static_cast<int>(g.tasks()));
    CHECK(body.runs.load() <= static_cast<int>(g.tasks()));
  }
  stopping_body body{0};
  graph_job<stopping_body> work(g, body, 4);
  work.stop();
  ashlar::std_threads{.workers = 4}.execute(work);
  CHECK(body.runs.load() == 0);
  CHECK_FALSE(work.finished());
}

TEST_CASE("an exception that is no std::exception comes out as it is") {
  struct thrower {
    void run(int, std::uint32_t) { throw 7; }
  };
  const task_graph g = random_graph(3, 50);
  thrower body;
  graph_job<thrower> work(g, body, 2);
  ashlar::std_threads{.workers = 2}.execute(work);
  CHECK_THROWS_AS(work.rethrow(), int);
}

TEST_CASE("short runs by the thousand end, with lanes that are just coming or going") {
  struct counter {
    std::atomic<int> runs{0};
    void run(int, std::uint32_t) { runs.fetch_add(1, std::memory_order_relaxed); }
  };
  for (std::uint32_t tasks = 1; tasks <= 3; ++tasks) {
    ashlar::detail::task_graph_builder b;
    for (std::uint32_t t = 0; t < tasks; ++t) b.add_task();
    const task_graph g = std::move(b).freeze();
    for (int round = 0; round < 1000; ++round) {
      counter body;
      graph_job<counter> work(g, body, 3);
      ashlar::std_threads{.workers = 3}.execute(work);
      REQUIRE(body.runs.load() == static_cast<int>(tasks));
    }
  }
}
