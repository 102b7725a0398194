#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <ashlar/error.hpp>
#include <ashlar/graph/task_graph.hpp>

using ashlar::detail::task_graph;
using ashlar::detail::task_graph_builder;

namespace {

task_graph make(std::uint32_t tasks, const std::vector<std::pair<std::uint32_t, std::uint32_t>>& edges) {
  task_graph_builder b;
  b.reserve(tasks, edges.size());
  for (std::uint32_t t = 0; t < tasks; ++t) CHECK(b.add_task() == t);
  for (const auto& [from, to] : edges) b.add_edge(from, to);
  return std::move(b).freeze();
}

std::string message(std::uint32_t tasks, const std::vector<std::pair<std::uint32_t, std::uint32_t>>& edges) {
  try {
    make(tasks, edges);
  } catch (const ashlar::graph_error& e) {
    return e.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("rows hold successors, counts and roots") {
  const task_graph g = make(5, {{0, 2}, {1, 2}, {2, 3}, {2, 4}, {0, 4}});
  CHECK(g.tasks() == 5);
  CHECK(g.edges() == 5);
  CHECK(g.succ_begin == std::vector<std::uint32_t>{0, 2, 3, 5, 5, 5});
  CHECK(g.succ == std::vector<std::uint32_t>{2, 4, 2, 3, 4, 0, 1});  // the roots behind the rows
  CHECK(g.waits == std::vector<std::uint32_t>{0, 0, 2, 1, 2});
  CHECK(g.roots == 2);
  CHECK(g.sinks == 2);
}

TEST_CASE("an empty graph and one task") {
  CHECK(make(0, {}).tasks() == 0);
  const task_graph one = make(1, {});
  CHECK(one.roots == 1);
  CHECK(one.sinks == 1);
}

TEST_CASE("only a fan-out whose targets wait for nothing else is one range") {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
  for (std::uint32_t t = 1; t <= task_graph::smallest_fan_out; ++t) edges.push_back({0, t});
  CHECK(make(20, edges).fans_out[0] == 1);
  edges.push_back({10, 3});
  CHECK(make(20, edges).fans_out[0] == 0);
  edges.resize(task_graph::smallest_fan_out - 1);
  CHECK(make(20, edges).fans_out[0] == 0);
}

TEST_CASE("edges may go backwards when there is no circle") {
  const task_graph g = make(3, {{2, 1}, {1, 0}});
  CHECK(g.roots == 1);
  CHECK(g.succ.back() == 2);
}

TEST_CASE("a circle is named") {
  CHECK(message(4, {{0, 1}, {1, 2}, {2, 3}, {3, 1}}).find("1 -> 2 -> 3 -> 1") != std::string::npos);
  CHECK(message(1, {{0, 0}}).find("0 -> 0") != std::string::npos);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> long_circle;
  for (std::uint32_t t = 0; t < 100; ++t) long_circle.push_back({t, (t + 1) % 100});
  CHECK(message(100, long_circle).find(" -> ... -> ") != std::string::npos);
}

TEST_CASE("an edge to a task that does not exist") {
  CHECK(message(2, {{0, 2}}) == "task graph: edge from task 0 to task 2, but tasks are 0 to 2 (exclusive)");
}
