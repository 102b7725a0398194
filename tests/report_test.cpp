#include <ashlar/ashlar.hpp>
#include <ashlar/detail/bytes_text.hpp>

#include "support/text.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>

namespace ash = ashlar;
using testing_support::contains;

namespace {

ash::array<double> stored(std::int64_t n, std::int64_t block) {
  return ash::from(ash::arange<double>(static_cast<double>(n * n)).compute(ash::serial{}).reshape({n, n}),
                   {.chunks = {block, block}});
}

}  // namespace

TEST_CASE("report: tasks, bytes and times of each layer") {
  const auto x = stored(800, 100);
  ash::report r;
  for (const int workers : {1, 2}) {
    x.mean(0).compute(ash::std_threads{.workers = workers}, {.report = &r});
    CHECK(r.complete);
    REQUIRE(r.layers.size() == 2);
    CHECK(r.layers[0].name == "mean (partial)");
    CHECK(contains(r.layers[0].line, "report_test.cpp:"));
    CHECK(r.layers[0].tasks == r.layers[0].planned_tasks);
    CHECK(r.layers[0].tasks + r.layers[1].tasks == r.tasks);
    CHECK(r.layers[0].bytes_read == 800 * 800 * 8);
    CHECK(r.layers[0].bytes_written == r.layers[1].bytes_read);
    CHECK(r.layers[1].bytes_written == 800 * 8);
    CHECK(r.layers[0].seconds > 0);
    REQUIRE(r.workers.size() == static_cast<std::size_t>(workers));
    std::int64_t tasks = 0;
    double busy = 0;
    for (const ash::worker_report& w : r.workers) {
      tasks += w.tasks;
      busy += w.seconds;
      CHECK(w.seconds <= r.seconds);
    }
    CHECK(tasks == r.tasks);
    CHECK(busy == doctest::Approx(r.layers[0].seconds + r.layers[1].seconds));
    CHECK(r.idle_share() == doctest::Approx(1 - busy / (r.seconds * workers)));
    CHECK(r.planning_seconds > 0);
    CHECK(r.spills == 0);
  }
}

TEST_CASE("report: the peak is what blocks and scratch took, and not above what was predicted") {
  const auto x = ash::random::normal<double>({1000, 1000}, {.chunks = {250, 250}});
  const ash::array<double> z = (x - x.mean(0)) / x.std(0);
  ash::report r;
  for (const int workers : {1, 3}) {
    const std::size_t before = ash::host_memory().allocated();
    ash::compute(ash::std_threads{.workers = workers}, {.report = &r}, z.max(), sqrt(abs(z)).sum(1));
    CHECK(r.peak_bytes > 0);
    CHECK(r.peak_bytes <= r.predicted_peak_bytes);
    CHECK(ash::host_memory().allocated() == before);
  }
}

TEST_CASE("report: results are the same and a report is replaced by the next run") {
  const auto x = stored(200, 50);
  ash::report r;
  const auto plain = x.std(1).compute(ash::serial{});
  CHECK(ash::array_equal(plain, x.std(1).compute(ash::serial{}, {.report = &r})));
  CHECK(r.layers.front().name == "std (partial)");
  x.max().compute(ash::serial{}, {.report = &r});
  CHECK(r.layers.front().name == "max (partial)");
  const auto kept = x.persist(ash::serial{}, {.report = &r});
  CHECK(r.layers.size() == 1);
  CHECK(r.layers.front().bytes_written == 16 * 20032);  // blocks begin at 64 bytes
  CHECK(r.tasks == 16);
}

TEST_CASE("report: after an error it says what ran") {
  const auto broken = ash::fromfunction(
      [](std::int64_t i) {
        if (i == 6) throw std::runtime_error("no 6");
        return 1.0;
      },
      {10}, {.chunks = {1}});
  ash::report r;
  CHECK_THROWS_AS(broken.compute(ash::serial{}, {.report = &r}), ash::task_error);
  CHECK(!r.complete);
  CHECK(r.tasks == 7);
  CHECK(r.layers[0].planned_tasks == 10);
  CHECK(contains(r.to_string(), "7 of 10"));
  CHECK(contains(r.to_string(), "did not end well"));
}

TEST_CASE("report: as a table") {
  ash::report r;
  r.layers = {{"mean (partial)", "a.cpp:1", 400, 400, 3.0, std::int64_t{3} << 30, 6400000},
              {"mean (combine)", "a.cpp:1", 20, 20, 0.001, 6400000, 160000}};
  r.workers = {{220, 1.6}, {200, 1.401}};
  r.seconds = 2;
  r.planning_seconds = 0.00042;
  r.tasks = 420;
  r.peak_bytes = 2 << 20;
  r.predicted_peak_bytes = 3 << 20;
  r.spills = 3;
  r.spilled_bytes = 3 << 10;
  r.complete = true;
  std::ostringstream out;
  out << r;
  CHECK(out.str() == r.to_string());
  CHECK(r.to_string() ==
        "layer           tasks     time  share   a task     read    written\n"
        "mean (partial)    400   3.00 s   100%  7.50 ms  3.0 GiB    6.1 MiB\n"
        "mean (combine)     20  1.00 ms     0%  50.0 us  6.1 MiB  156.3 KiB\n"
        "420 tasks in 2.00 s after 420 us of planning, 2 workers, 25% idle\n"
        "peak of blocks and scratch 2.0 MiB, predicted 3.0 MiB, 3 blocks of 3.0 KiB spilled\n");
  CHECK(contains(ash::report{}.to_string(), "0 tasks"));
}

TEST_CASE("report: times in words") {
  using ash::detail::seconds_text;
  CHECK(seconds_text(0) == "0 ns");
  CHECK(seconds_text(1.2e-8) == "12 ns");
  CHECK(seconds_text(9.994e-6) == "9.99 us");
  CHECK(seconds_text(9.996e-6) == "10.0 us");
  CHECK(seconds_text(0.9994) == "999 ms");
  CHECK(seconds_text(0.9996) == "1.00 s");
  CHECK(seconds_text(12.04) == "12.0 s");
  CHECK(seconds_text(1234.6) == "1235 s");
}

TEST_CASE("visualize: colours by the time that a report measured, and labels with times") {
  const auto x = stored(400, 100);
  ash::report r;
  const auto slow = ash::map(
      [](double v) {
        if (v == 0) std::this_thread::sleep_for(std::chrono::milliseconds(20));
        return v;
      },
      x);
  const auto top = slow.max();
  top.compute(ash::std_threads{.workers = 2}, {.report = &r});
  const std::string layers = top.to_dot({.color = ash::color_by::time, .report = &r});
  CAPTURE(layers);
  CHECK(contains(layers, ash::detail::seconds_text(r.layers[0].seconds)));
  CHECK(contains(layers, "fillcolor=\"0.000 0.800 1.000\""));
  const std::string blocks = top.to_dot({.blocks = true, .color = ash::color_by::time, .report = &r});
  CHECK(contains(blocks, "fillcolor=\"0.000 0.800 1.000\""));
  CHECK(contains(blocks, "ms\", tooltip"));
  CHECK_THROWS_WITH_AS(x.mean(0).to_dot({.report = &r}), doctest::Contains("not of a run of these arrays"),
                       ash::value_error);
  const ash::report empty;
  CHECK_THROWS_WITH_AS(x.mean(0).to_dot({.report = &empty}), doctest::Contains("holds no run"), ash::value_error);
  const auto kept = slow.persist(ash::serial{}, {.report = &r});
  CHECK_NOTHROW(slow.to_dot({.color = ash::color_by::time, .report = &r}));
  top.compute(ash::serial{}, {.optimize = false, .report = &r});
  CHECK_NOTHROW(top.to_dot({.report = &r}));
}
