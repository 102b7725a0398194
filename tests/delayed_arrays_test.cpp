#include <ashlar/delayed_arrays.hpp>

#include <atomic>
#include <chrono>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <ashlar/ashlar.hpp>

#include "support/counted_array.hpp"
#include "support/lazy_check.hpp"

namespace ash = ashlar;
using ash::array;
using ash::delayed;
using ash::from_delayed;
using ash::ndarray;
using ash::shape;
using ash::to_delayed;

namespace {

ndarray<double> doubled(const ndarray<double>& b) {
  ndarray<double> out = b.copy();
  for (double& v : out) v *= 2;
  return out;
}

double total(const std::vector<ndarray<double>>& blocks) {
  double sum = 0;
  for (const auto& b : blocks) sum = std::accumulate(b.begin(), b.end(), sum);
  return sum;
}

}  // namespace

TEST_CASE("to_delayed: blocks in C order, computed once") {
  const auto x = counted({5, 4}, {{2, 3}, 3});
  std::atomic<int> calls{0};
  const auto y = ash::map_blocks(
      [&](ndarray<const double> b) {
        ++calls;
        return b;
      },
      x + 1.0);
  const auto blocks = to_delayed(y);
  CHECK(calls == 0);
  REQUIRE(blocks.size() == 4);
  CHECK(values(blocks[1].compute()) == std::vector<double>{4, 8});
  CHECK(values(blocks[2].compute(ash::serial{})) == std::vector<double>{9, 10, 11, 13, 14, 15, 17, 18, 19});
  calls = 0;
  const delayed sum_up(total);
  CHECK(sum_up(blocks).compute(ash::std_threads{.workers = 3}) == 210);
  CHECK(calls == 4);
  // a reduction, and one of an expression
  CHECK(total({to_delayed(x.sum(0))[0].compute(), to_delayed(x.sum(0))[1].compute()}) == 190);
  CHECK(to_delayed((x * 2.0).sum())[0].compute().item() == 380);
}

TEST_CASE("from_delayed: one block, and a grid of blocks") {
  const delayed make([](double first) { return ndarray<double>::from({first, first + 1}); });
  CHECK(values(from_delayed(make(3.0), {2}) + 1.0) == std::vector<double>{4, 5});
  const std::vector<delayed<ndarray<double>>> blocks{make(0.0), make(10.0), make(20.0)};
  const auto x = from_delayed(blocks, {6}, {.chunks = {2}});
  CHECK(x.chunks() == ash::block_grid({ash::axis_blocks::regular(6, 2)}));
  CHECK(values(x) == std::vector<double>{0, 1, 10, 11, 20, 21});
  CHECK(x.sum().compute().item() == 63);
  const array<double> kept = x.persist();
  CHECK(values(kept * 2.0) == values(x * 2.0));
  CHECK(values(ash::map_blocks([](ndarray<const double> b) { return b.slice(0, 0, 1); }, x, {.chunks = {1}})) ==
        std::vector<double>{0, 10, 20});
  CHECK(x.explain().find("delayed (6,)") != std::string::npos);
  CHECK_THROWS_WITH_AS(from_delayed(blocks, {6}, {.chunks = {3}}), doctest::Contains("3 blocks are given"),
                       ash::shape_error);
}

TEST_CASE("from_delayed: there and back, each call made once in a run and anew in the next") {
  const auto x = counted({6, 5}, {4, 2});
  std::atomic<int> calls{0};
  const delayed twice([&](const ndarray<double>& b) {
    ++calls;
    return ndarray<double>(doubled(b).transpose().copy().transpose());  // not packed
  });
  std::vector<delayed<ndarray<double>>> blocks;
  for (const auto& b : to_delayed(x)) blocks.push_back(twice(b));
  const auto y = from_delayed(blocks, x.shape(), {.chunks = x.chunks()});
  CHECK(values(y) == values(x * 2.0));
  CHECK(calls == 6);
  const auto [a, b, c] = ash::compute(ash::std_threads{.workers = 3}, y, y.mean(0), (y - y.mean()).max());
  CHECK(calls == 12);
  CHECK(values(a) == values(x * 2.0));
  CHECK(values(b) == values((x * 2.0).mean(0)));
  CHECK(c.item() == 29);
}

TEST_CASE("from_delayed: what is above it and made anew stays so") {
  const delayed make([](double first) { return ndarray<double>::from({first, first + 1}); });
  const std::vector<delayed<ndarray<double>>> blocks{make(0.0), make(10.0), make(20.0)};
  const array<double> y = ash::map([](double v) { return v + 1; }, from_delayed(blocks, {6}, {.chunks = {2}}));
  const array<double> z = ash::recompute(y);
  ash::report kept;
  ash::report anew;
  CHECK((y - y.mean()).max().compute(ash::serial{}, {.report = &kept}).item() == doctest::Approx(10.5));
  CHECK((z - z.mean()).max().compute(ash::serial{}, {.report = &anew}).item() == doctest::Approx(10.5));
  CHECK(kept.layers.size() == anew.layers.size() + 1);  // the one that makes y
}

TEST_CASE("from_delayed: errors say which block, and nothing stays behind") {
  const std::size_t before = ash::host_memory().allocated();
  {
    const delayed make([](int n) {
      if (n == 13) throw std::runtime_error("thirteen");
      return ndarray<float>({n});
    });
    CHECK_THROWS_WITH_AS(from_delayed(make(3), {4}).compute(), doctest::Contains("block 0 has shape (3,)"),
                         ash::task_error);
    CHECK_THROWS_WITH_AS((from_delayed(make(13), {4}) + 1.0f).compute(), doctest::Contains("thirteen"),
                         ash::task_error);
    CHECK(from_delayed(make(0), {0}).compute().size() == 0);
  }
  CHECK(ash::host_memory().allocated() == before);
}

TEST_CASE("arrays and delayed calls are computed together, results in the order of the arguments") {
  int called = 0;
  const ash::delayed twice([](int x) { return 2 * x; });
  const ash::delayed note([&called]() { ++called; });
  const auto x = ash::ones<double>({6, 4}, {.chunks = {2, 2}});
  const auto [a, b, c, d] = ash::compute(ash::serial{}, twice(4), x.sum(), note(), twice(twice(1)), x + 1.0);
  CHECK(a == 8);
  CHECK(b.item() == 24);
  CHECK(c == 4);
  CHECK(d(5, 3) == 2);
  CHECK(called == 1);
  const auto [e, f] = ash::compute(x.max(), twice(1));
  CHECK(e.item() == 1);
  CHECK(f == 2);
  const ash::delayed fails([]() -> int { throw std::runtime_error("no"); });
  CHECK_THROWS_AS(ash::compute(ash::serial{}, ash::run_options{}, x.sum(), fails()), ash::task_error);
  ash::report r;
  CHECK_THROWS_AS(ash::compute(ash::serial{}, {.report = &r}, x.sum(), twice(1)), ash::value_error);
  CHECK(std::get<1>(ash::compute(ash::serial{}, {.timeout = std::chrono::hours(1)}, x.sum(), twice(1))) == 2);
}
