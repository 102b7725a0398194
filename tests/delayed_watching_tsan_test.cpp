#include <ashlar/delayed.hpp>
#include <ashlar/report.hpp>
#include <ashlar/std_threads.hpp>

#include "support/files.hpp"
#include "support/json.hpp"
#include "support/temporary_directory.hpp"
#include "support/text.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace ash = ashlar;
using testing_support::contains;
using testing_support::json;

namespace {

/// Four calls of "load", two of "add" and one of "total", which reads all.
ash::delayed<int> graph() {
  const ash::delayed load([](int i) { return i; }, {.name = "load"});
  const ash::delayed add([](int a, int b) { return a + b; }, {.name = "add"});
  const ash::delayed total(
      [](int a, int b) {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        return a + b;
      },
      {.name = "total \"of\" all"});
  return total(add(load(1), load(2)), add(load(3), load(4)));
}

}  // namespace

TEST_CASE("delayed: a report counts calls by name, and a trace has a span for each") {
  const testing_support::temporary_directory folder;
  for (const int workers : {1, 3}) {
    ash::report r;
    const int sum = graph().compute(ash::std_threads{.workers = workers}, {.trace = folder / "run.json", .report = &r});
    CHECK(sum == 10);
    CHECK(r.complete);
    CHECK(r.tasks == 7);
    REQUIRE(r.layers.size() == 3);
    CHECK(r.layers[0].name == "load");
    CHECK(r.layers[0].tasks == 4);
    CHECK(r.layers[1].tasks == 2);
    CHECK(r.layers[2].seconds >= 0.02);
    CHECK(contains(r.layers[0].line, "delayed_watching_tsan_test.cpp:"));
    const json trace = testing_support::json_reader::read(testing_support::read_file(folder / "run.json"));
    int spans = 0;
    for (const json& e : trace["traceEvents"].items) {
      if (e["ph"].text != "X") continue;
      ++spans;
      CHECK(e["cat"].text == "task");
      CHECK(contains(e["args"]["line"].text, "delayed_watching_tsan_test.cpp:"));
    }
    CHECK(spans == 7);
  }
}

TEST_CASE("delayed: progress by tasks, as bytes are not known") {
  std::vector<ash::progress_info> seen;
  graph().compute(ash::serial{}, {.progress = [&](const ash::progress_info& p) { seen.push_back(p); }});
  REQUIRE(!seen.empty());
  CHECK(seen.back().tasks_done == 7);
  CHECK(seen.back().bytes == 0);
  CHECK_THROWS_AS(
      graph().compute(ash::serial{}, {.progress = [](const ash::progress_info&) { throw std::runtime_error("no"); }}),
      ash::callback_error);
}

TEST_CASE("delayed: a run that fails leaves report and trace") {
  const testing_support::temporary_directory folder;
  const ash::delayed fail([](int) -> int { throw std::runtime_error("no file"); }, {.name = "load"});
  ash::report r;
  CHECK_THROWS_AS(fail(1).compute(ash::serial{}, {.trace = folder / "run.json", .report = &r}), ash::task_error);
  CHECK(!r.complete);
  CHECK(contains(testing_support::read_file(folder / "run.json"), "\"failed\":true"));
}

TEST_CASE("delayed: pictures have a box a call and an arrow a result") {
  const auto all = graph();
  const std::string text = all.to_dot();
  CAPTURE(text);
  CHECK(contains(text, "label=\"load\""));
  CHECK(contains(text, "label=\"total \\\"of\\\" all\""));
  CHECK(contains(text, "delayed_watching_tsan_test.cpp:"));
  CHECK(contains(text, "  t2 -> t6;\n"));
  CHECK(contains(text, "  t5 -> t6;\n"));
  ash::report r;
  all.compute(ash::serial{}, {.report = &r});
  const std::string colored = all.to_dot({.color = ash::color_by::time, .report = &r});
  CHECK(contains(colored, "fillcolor=\"0.000 0.800 1.000\""));
  CHECK(contains(colored, "ms\", tooltip"));
  CHECK_THROWS_WITH_AS(all.to_dot({.max_nodes = 6}), doctest::Contains("7 tasks"), ash::value_error);
  CHECK_THROWS_AS(all.to_dot({.color = ash::color_by::time}), ash::value_error);
  CHECK_THROWS_AS(all.to_dot({.color = ash::color_by::bytes}), ash::value_error);
  const ash::delayed other([] { return 1; }, {.name = "other"});
  const auto another = other();
  CHECK_THROWS_WITH_AS(another.to_dot({.report = &r}), doctest::Contains("not of these calls"), ash::value_error);
  const testing_support::temporary_directory folder;
  const auto behind = other.after(another)();
  ash::visualize(folder / "two.dot", {}, behind, another);
  CHECK(testing_support::read_file(folder / "two.dot") == ash::to_dot({}, behind, another));
  CHECK(contains(ash::to_dot({}, behind, another), "  t0 -> t1 [style=dashed];\n"));
}
