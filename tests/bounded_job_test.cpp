// Runs within a budget, down to what one task needs for itself. Oracle: the serial executor without a limit.
#include <doctest/doctest.h>

#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <ashlar/ashlar.hpp>
#include <ashlar/execution/bounded_job.hpp>
#include <ashlar/execution/task.hpp>
#include <ashlar/graph/lower.hpp>
#include <support/counting_resource.hpp>

namespace ash = ashlar;
using ash::detail::run_mode;

namespace {

using array = ash::array<double>;

array heavy(const array& x) {
  return ash::map([](double v) { return v + 1; }, x);
}

array numbers(int rows, int columns, int block_rows, int block_columns) {
  return ash::fromfunction(
      [](std::int64_t i, std::int64_t j) { return static_cast<double>((i * 31 + j * 17) % 101) / 8; }, {rows, columns},
      {.chunks = {block_rows, block_columns}});
}

/// Graphs whose results are all of type double.
std::vector<std::vector<array>> graphs() {
  const array x = heavy(numbers(240, 240, 40, 60));
  const array y = heavy(numbers(240, 240, 60, 40) * 2.0);
  const array z = x - x.mean(0);
  return {{z.std(0), z.max(1)},
          {(x - x.mean()).sum()},
          {x * y, (x + y).sum(0), y.max(1)},
          {z / z.std(0), x.min()},
          {heavy(x + y.sum(0)).mean(1), heavy(y - 1.0).sum()}};
}

struct outcome {
  std::vector<ash::ndarray<double>> results;
  ash::detail::bounded_counts counts;
  std::int64_t measured = 0;
  std::int64_t left = 0;
};

template <class Executor>
outcome run_within(const std::vector<array>& results, const ash::detail::run_budget& budget, const Executor& where) {
  outcome o;
  std::vector<ash::detail::node_ptr> roots;
  std::vector<ash::detail::result_target> targets;
  for (const array& r : results) {
    roots.push_back(r.node());
    o.results.emplace_back(r.shape());
    targets.push_back({o.results.back().data(), o.results.back().strides()});
  }
  const auto p = ash::detail::make_plan(roots, budget.lanes);
  ash::test::counting_resource memory;
  {
    ash::detail::run_state run(p, targets, {}, memory);
    ash::detail::array_body body(run, false);
    ash::detail::bounded_job<ash::detail::array_body> work(run, body, budget);
    ash::detail::run_job(ash::detail::ref(where), work, p->tasks(), {});
    o.counts = work.counts();
  }
  o.measured = static_cast<std::int64_t>(memory.peak());
  o.left = static_cast<std::int64_t>(memory.allocated());
  return o;
}

void check_same(const std::vector<array>& results, const outcome& o) {
  for (std::size_t k = 0; k < results.size(); ++k) {
    CHECK(ash::array_equal(results[k].compute(ash::serial{}), o.results[k]));
  }
}

template <class Executor>
void check_all_budgets(int lanes, const Executor& where) {
  for (const std::vector<array>& results : graphs()) {
    std::vector<ash::detail::node_ptr> roots;
    for (const array& r : results) roots.push_back(r.node());
    const auto p = ash::detail::make_plan(roots, lanes);
    const std::int64_t serial = p->stats.serial_bytes;
    const std::int64_t own = ash::detail::largest_working_set(*p).bytes;
    CHECK(own <= serial);
    for (const std::int64_t blocks : {serial * 2, serial + 20000, serial, (serial + own) / 2, own + 1, own}) {
      CAPTURE(blocks);
      CAPTURE(serial);
      CAPTURE(own);
      CAPTURE(lanes);
      const run_mode mode = blocks >= serial ? run_mode::bounded : run_mode::spilling;
      const outcome o = run_within(results, {mode, lanes, blocks, 0}, where);
      check_same(results, o);
      CHECK(o.counts.peak_bytes <= blocks);
      CHECK(o.measured <= blocks + lanes * p->stats.lane_scratch);
      CHECK(o.left == 0);
      CHECK((o.counts.blocks_written > 0) == (blocks < serial));
      if (mode == run_mode::bounded && lanes == 1) CHECK(o.counts.peak_bytes == serial);
    }
  }
}

}  // namespace

TEST_CASE("a run keeps its budget and gives the same bits, whatever the budget") {
  SUBCASE("serial") { check_all_budgets(1, ash::serial{}); }
  SUBCASE("two threads") { check_all_budgets(2, ash::std_threads{.workers = 2}); }
  SUBCASE("five threads") { check_all_budgets(5, ash::std_threads{.workers = 5}); }
  SUBCASE("oneTBB") { check_all_budgets(3, ash::threads{.workers = 3}); }
}

TEST_CASE("an error in any task of a run within a budget ends it, and nothing is left") {
  const array x = numbers(120, 120, 40, 40);
  for (const bool spills : {false, true}) {
    for (int bad = 0; bad < 9; ++bad) {
      const array broken = ash::map(
          [bad](double v, double at) {
            if (static_cast<int>(at) == bad) throw std::runtime_error("block " + std::to_string(bad));
            return v;
          },
          x,
          ash::fromfunction([](std::int64_t i, std::int64_t j) { return static_cast<double>(i / 40 * 3 + j / 40); },
                            {120, 120}, {.chunks = {40, 40}}));
      const array z = broken - broken.mean(0);
      const auto p = ash::detail::make_plan({z.max(1).node()}, 2);
      const std::int64_t own = ash::detail::largest_working_set(*p).bytes;
      const ash::detail::run_budget budget{spills ? run_mode::spilling : run_mode::bounded, 2,
                                           spills ? own : p->stats.serial_bytes, 0};
      CHECK_THROWS_WITH_AS(run_within({z.max(1)}, budget, ash::std_threads{.workers = 2}),
                           doctest::Contains(("block " + std::to_string(bad)).c_str()), ash::task_error);
    }
  }
  CHECK(ash::array_equal((x - x.mean(0)).max(1).compute(), (x - x.mean(0)).max(1).compute(ash::serial{})));
}

TEST_CASE("n, n + 1, 2n and 2n + 1 tasks without inputs on n lanes") {
  for (const int lanes : {1, 2, 4}) {
    for (const int roots : {lanes, lanes + 1, 2 * lanes, 2 * lanes + 1}) {
      const array x = heavy(numbers(40 * roots, 50, 40, 50));
      const std::vector<array> results = {x.sum(0), x.max(1)};
      const auto p = ash::detail::make_plan({results[0].node(), results[1].node()}, lanes);
      const std::int64_t block = 40 * 50 * 8;
      for (const std::int64_t blocks : {p->stats.serial_bytes, p->stats.serial_bytes + block}) {
        const outcome o =
            run_within(results, {run_mode::bounded, lanes, blocks, 0}, ash::std_threads{.workers = lanes});
        check_same(results, o);
        CHECK(o.counts.peak_bytes <= blocks);
      }
    }
  }
}

TEST_CASE("lanes that find nothing that fits wait, and are called back") {
  const array x = heavy(numbers(800, 50, 40, 50));
  const std::vector<array> results = {(x - x.mean(0)).max(1)};
  const auto p = ash::detail::make_plan({results[0].node()}, 4);
  const outcome o =
      run_within(results, {run_mode::bounded, 4, p->stats.serial_bytes, 0}, ash::std_threads{.workers = 4});
  check_same(results, o);
  CHECK(o.counts.peak_bytes == p->stats.serial_bytes);
}

TEST_CASE("a stop ends a run within a budget") {
  std::stop_source stop;
  const array x = ash::map(
      [&stop](double v) {
        stop.request_stop();
        return v;
      },
      numbers(800, 50, 40, 50));
  const array z = (x - x.mean(0)).max(1);
  const auto p = ash::detail::make_plan({z.node()}, 2);
  ash::ndarray<double> out(z.shape());
  ash::test::counting_resource memory;
  for (const run_mode mode : {run_mode::bounded, run_mode::spilling}) {
    const std::int64_t blocks =
        mode == run_mode::bounded ? p->stats.serial_bytes : ash::detail::largest_working_set(*p).bytes;
    ash::detail::run_state run(p, {{out.data(), out.strides()}}, {}, memory);
    ash::detail::array_body body(run, false);
    ash::detail::bounded_job<ash::detail::array_body> work(run, body, {mode, 2, blocks, 0});
    CHECK_THROWS_AS(ash::detail::run_job(ash::detail::ref(ash::std_threads{.workers = 2}), work, p->tasks(),
                                         {.stop = stop.get_token()}),
                    ash::cancelled);
  }
  CHECK(memory.allocated() == 0);
}

TEST_CASE("blocks taken from a heap of ranks come lowest first, and any may be taken out") {
  ash::detail::ready_tasks ready;
  for (std::uint32_t k = 0; k < 1000; ++k) ready.push(k * 7919 % 1000);
  CHECK(ready.at(0) == 0);
  std::vector<char> seen(1000, 0);
  for (std::size_t k = 0; k < 500; ++k) {
    const std::size_t at = k * 31 % ready.size();
    seen[ready.at(at)] = 1;
    ready.remove(at);
  }
  std::uint32_t last = 0;
  bool right = true;
  while (!ready.empty()) {
    right = right && ready.at(0) >= last && seen[ready.at(0)] == 0;
    last = ready.at(0);
    seen[last] = 1;
    ready.remove(0);
  }
  for (const char c : seen) right = right && c == 1;
  CHECK(right);
}
