// What a plan says of stencils: tasks, edges, bytes and order.
#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

#include <ashlar/ashlar.hpp>
#include <ashlar/graph/layer_traffic.hpp>
#include <ashlar/graph/lower.hpp>

#include "support/text.hpp"

namespace ash = ashlar;
using ash::array;
using ash::boundary;
using ash::halo_block;
using ash::ndarray;
using testing_support::contains;

namespace {

void nothing(halo_block<double>, ndarray<double> out) { out.fill(0); }

array<double> blocks(const ash::shape& extents, const ash::chunks& chunks) {
  return ash::ones<double>(extents, {.chunks = chunks}).persist(ash::serial{});
}

array<double> steps(array<double> u, int count, const ash::map_overlap_options& options) {
  for (int k = 0; k < count; ++k) u = ash::map_overlap(nothing, u, options);
  return u;
}

auto plan_of(const array<double>& x, int lanes = 1) { return ash::detail::make_plan({x.node()}, lanes); }

/// Numbers of inputs of the tasks of the last of two steps, in C order of blocks.
std::vector<int> inputs(const ash::shape& extents, const ash::chunks& chunks, const ash::map_overlap_options& options) {
  const auto p = plan_of(steps(blocks(extents, chunks), 2, options));
  std::vector<int> counts;
  const auto first = static_cast<std::size_t>(p->layers.back().first_task);
  for (std::size_t t = first; t < p->tasks(); ++t) {
    counts.push_back(static_cast<int>(p->pred_begin[t + 1] - p->pred_begin[t]));
  }
  return counts;
}

}  // namespace

TEST_CASE("a step has one task a block, which waits for the neighbours that it touches") {
  using list = std::vector<int>;
  CHECK(inputs({9, 9}, {3}, {.depth = 1, .boundary = boundary::edge}) == list{4, 6, 4, 6, 9, 6, 4, 6, 4});
  CHECK(inputs({9, 9}, {3}, {.depth = {1, 0}, .boundary = boundary::none}) == list{2, 2, 2, 3, 3, 3, 2, 2, 2});
  CHECK(inputs({9, 9}, {3}, {.depth = {{2, 0}, {0, 1}}, .boundary = boundary::symmetric}) ==
        list{2, 2, 1, 4, 4, 2, 4, 4, 2});
  CHECK(inputs({12}, {3}, {.depth = 1, .boundary = boundary::wrap}) == list{3, 3, 3, 3});
  CHECK(inputs({12, 12}, {3}, {.depth = 1, .boundary = boundary::wrap}) == std::vector<int>(16, 9));
  CHECK(inputs({12}, {3}, {.depth = 4, .boundary = boundary::constant(0)}) == list{3, 4, 4, 3});
  CHECK(inputs({12}, {3}, {.depth = 12, .boundary = boundary::wrap}) == list{4, 4, 4, 4});
  CHECK(inputs({12}, {3}, {.depth = {{5, 0}}, .boundary = boundary::reflect}) == list{2, 2, 3, 3});
  CHECK(inputs({9, 9, 9}, {3}, {.depth = 1, .boundary = boundary::edge})[13] == 27);
}

TEST_CASE("bytes that a step reads count what lies around blocks, once for each task") {
  const auto read = [](const ash::map_overlap_options& options) {
    const auto p = plan_of(ash::map_overlap(nothing, blocks({10, 6}, {5, 3}), options));
    return ash::detail::traffic_of(*p, p->layers.back()).read / 8;
  };
  CHECK(read({.depth = 1, .boundary = boundary::edge}) == 12 * 8);
  CHECK(read({.depth = 1, .boundary = boundary::wrap}) == 14 * 10);
  CHECK(read({.depth = {0, 2}, .boundary = boundary::constant(1)}) == 10 * 10);
  CHECK(read({.depth = 100, .boundary = boundary::reflect}) == 20 * 12);
}

TEST_CASE("what is put together around blocks is part of the predicted peak") {
  const std::int64_t block = 200 * 200 * 8;
  const auto x = blocks({1000, 1000}, {200});
  const auto y = ash::map_overlap(nothing, x, {.depth = 100, .boundary = boundary::wrap});
  CHECK(plan_of(y)->stats.lane_scratch >= 4 * block);
  for (const int workers : {1, 2, 3}) {
    ash::report r;
    const auto z = steps(x, 4, {.depth = {{3, 100}, {40, 0}}, .boundary = {boundary::wrap, boundary::reflect}});
    static_cast<void>(z.sum().compute(ash::std_threads{.workers = workers}, {.report = &r}));
    CHECK(r.peak_bytes <= r.predicted_peak_bytes);
  }
}

TEST_CASE("chained steps hold a few rows of blocks of each, not arrays") {
  const auto held = [](const ash::chunks& chunks, int count) {
    const array<double> x = ash::ones<double>({2000, 2000}, {.chunks = chunks});
    const auto p = plan_of(steps(x, count, {.depth = 1, .boundary = boundary::edge}));
    return static_cast<double>(p->stats.serial_bytes) / (2000.0 * 2000.0 * 8.0);
  };
  CHECK(held({8, 2000}, 10) < 0.1);
  CHECK(held({50, 250}, 10) < 0.65);
  CHECK(held({500, 500}, 10) < 2);
  CHECK(held({250, 250}, 40) < 2);
}

TEST_CASE("a long chain of steps is planned, run and dropped, with edges in proportion to its length") {
  const auto chain = [](int count) {
    return steps(ash::ones<double>({64}, {.chunks = {8}}), count, {.depth = 1, .boundary = boundary::wrap});
  };
  CHECK(plan_of(chain(20000))->stats.edges == 8 * 3 * 19999);
  CHECK(plan_of(chain(20000))->stats.tasks == 8 * 20000);
  CHECK(chain(20000).sum().compute(ash::serial{}).item() == 0);
}

TEST_CASE("of a slice only those blocks are made that its steps look at") {
  int calls = 0;
  const auto count = [&calls](halo_block<double> u, ndarray<double> out) {
    ++calls;
    out.fill(u(0, 0));
  };
  const auto x = blocks({100, 100}, {10});
  array<double> y = ash::map_overlap(count, x, {.depth = 1, .boundary = boundary::wrap});
  y = ash::map_overlap(count, y, {.depth = 1, .boundary = boundary::wrap});
  const array<double> middle = y(ash::slice(52, 55), ash::slice(52, 55));
  CHECK(middle.sum().compute(ash::serial{}).item() == 9);
  CHECK(calls == 1 + 9);
  calls = 0;
  const array<double> corner = y(0, 99);
  CHECK(corner.compute(ash::serial{}).item() == 1);
  CHECK(calls == 1 + 9);
}

TEST_CASE("plans and pictures name a step and what it reads") {
  const auto y = steps(blocks({9, 9}, {3}), 2, {.depth = 1, .boundary = boundary::edge, .name = "heat"});
  CHECK(contains(y.explain(), "blockwise heat, 9 tasks"));
  CHECK(contains(y.explain(), "18 tasks, 49 edges"));
}
