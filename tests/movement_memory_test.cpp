// What views and movement hold in memory: never more than was predicted, and no more than a limit.
#include <doctest/doctest.h>

#include <ashlar/ashlar.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include <ashlar/graph/lower.hpp>

namespace ash = ashlar;

namespace {

using array = ash::array<double>;
using ash::all;
using ash::slice;

/// 16 blocks of 2 MB that are made by tasks.
array made() {
  return ash::map_blocks(
      [](ash::ndarray<const double> in) { return in.copy(); },
      ash::fromfunction([](std::int64_t i, std::int64_t j) { return static_cast<double>(i % 97 * 7 + j % 89); },
                        {2000, 2000}, {.chunks = {500, 500}}));
}

struct named {
  std::string name;
  array result;
};

std::vector<named> movements() {
  const array x = made();
  const array y = made();
  return {
      {"rechunk", (x.rechunk({2000, 125}) + 1.0).max(1)},
      {"rechunk kept",
       ash::map_blocks([](ash::ndarray<const double> in) { return in.copy(); }, x.rechunk({125, 2000})).sum(0)},
      {"transposed", (x + x.transpose()).sum(1)},
      {"shifted", (x(slice{1}, slice{1}) - x(slice{0, -1}, slice{0, -1})).min(0)},
      {"backwards", x(slice{.step = -1}, slice{.step = -3}).sum(0)},
      {"roll", (x - ash::roll(x, 777, 0)).max(0)},
      {"concatenated", ash::concatenate({x, y}, 1).mean(0)},
      {"reshaped", x.reshape({4000, 1000}).sum(1)},
      {"reshaped transpose", x.transpose().reshape({1000, 4000}).sum(1)},
      {"padded", ash::pad(x, 300, {.mode = ash::pad_mode::reflect}).sum(0)},
      {"set", x.set(y(slice{0, 700}, slice{.step = 2}), slice{1300}, slice{1000}).sum(1)},
      {"windows", ash::sliding_window_view(x, {5}, 0).max(-1).sum(0)},
      {"scan", ash::cumsum(x.transpose(), 0).max(0)},
      {"repeat", x(slice{0, 500}).repeat(4, 1).sum(0)},
      {"diagonal", x.diagonal(3)},
  };
}

std::int64_t peak_of(const array& x, const auto& where, ash::ndarray<double>& result) {
  ash::host_memory().trim();
  ash::host_memory().reset_peak();
  const auto before = static_cast<std::int64_t>(ash::host_memory().allocated());
  result = x.compute(where);
  return static_cast<std::int64_t>(ash::host_memory().peak()) - before - result.size() * 8;
}

TEST_CASE("no movement holds more than was predicted, or than its limit, and bits do not depend on it") {
  for (const named& m : movements()) {
    CAPTURE(m.name);
    const ash::ndarray<double> expected = m.result.compute(ash::serial{});
    for (const int workers : {1, 3}) {
      const auto p = ash::detail::make_plan({m.result.node()}, workers);
      ash::ndarray<double> got(expected.shape());
      const std::int64_t free_peak = peak_of(m.result, ash::threads{.workers = workers}, got);
      CHECK(free_peak <= p->stats.block_bytes + p->stats.scratch_bytes);
      CHECK(ash::array_equal(got, expected));
      const std::int64_t most = ash::detail::largest_working_set(*p).bytes;
      const std::int64_t limit = most + workers * p->stats.lane_scratch + (std::int64_t{1} << 20);
      const std::int64_t peak = peak_of(m.result, ash::threads{.workers = workers, .memory_limit = limit}, got);
      CHECK(peak <= limit);
      CHECK(ash::array_equal(got, expected));
    }
  }
}

TEST_CASE("without optimizing the bits are the same") {
  for (const named& m : movements()) {
    CAPTURE(m.name);
    CHECK(ash::array_equal(m.result.compute({.optimize = false}), m.result.compute()));
  }
}

TEST_CASE("an error inside a movement's input names its line, and leaves nothing behind") {
  const array x = ash::map_blocks(
      [](ash::ndarray<const double> in, const ash::block_info& at) {
        if (at.number == 5) throw std::runtime_error("block five");
        return in.copy();
      },
      ash::zeros<double>({400, 400}, {.chunks = {100, 100}}));
  const auto before = ash::host_memory().allocated();
  for (const array& y : std::vector<array>{ash::roll(x, 3, 0), x.transpose()(all, slice{5}), x.reshape({160000}),
                                           ash::concatenate({x, x}), ash::pad(x, 2)}) {
    CHECK_THROWS_WITH_AS(y.compute(ash::threads{.workers = 3}), doctest::Contains("block five"), ash::task_error);
  }
  CHECK(ash::host_memory().allocated() == before);
  CHECK(x(slice{200}).compute().size() == 200 * 400);  // the block is not needed
}

}  // namespace
