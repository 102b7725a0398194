// A plan is const: it can run again, and several times at once.
#include <doctest/doctest.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include <ashlar/array.hpp>
#include <ashlar/creation.hpp>
#include <ashlar/execution/graph_job.hpp>
#include <ashlar/execution/task.hpp>
#include <ashlar/functions.hpp>
#include <ashlar/graph/lower.hpp>
#include <ashlar/print.hpp>
#include <ashlar/reductions.hpp>
#include <ashlar/threads.hpp>

namespace ash = ashlar;

namespace {

/// Runs the plan of one 1-d result.
ash::ndarray<double> run(const std::shared_ptr<const ash::detail::plan>& p, std::int64_t length) {
  ash::ndarray<double> result(ash::shape{length});
  ash::detail::run_state state(p, {{result.data(), ash::row_major_strides(result.shape())}}, {}, ash::host_memory());
  ash::detail::array_body body(state);
  ash::detail::graph_job<ash::detail::array_body> work(p->graph, body, p->lanes, p->order.data());
  ash::threads{.workers = p->lanes}.execute(work);
  work.rethrow();
  CHECK(work.finished());
  return result;
}

}  // namespace

TEST_CASE("one plan runs twice, and four times at once, to the same result") {
  const auto x = ash::fromfunction([](std::int64_t i, std::int64_t j) { return static_cast<double>(i * 3 % 7 + j); },
                                   {60, 50}, {.chunks = {7, 11}});
  const ash::array<double> y = (x - x.mean(0)).sum(0);
  const ash::ndarray<double> expected = y.compute(ash::serial{});
  const std::shared_ptr<const ash::detail::plan> p = ash::detail::make_plan({y.node()}, 3);
  CHECK(ash::to_string(run(p, 50)) == ash::to_string(expected));
  CHECK(ash::to_string(run(p, 50)) == ash::to_string(expected));
  std::atomic<int> same{0};
  std::vector<std::thread> callers;
  for (int k = 0; k < 4; ++k) {
    callers.emplace_back([&] {
      for (int round = 0; round < 20; ++round) {
        const ash::ndarray<double> r = run(p, 50);
        bool equal = true;
        for (std::int64_t i = 0; i < 50; ++i) equal = equal && r(i) == expected(i);
        if (equal) same.fetch_add(1);
      }
    });
  }
  for (std::thread& t : callers) t.join();
  CHECK(same.load() == 80);
}
