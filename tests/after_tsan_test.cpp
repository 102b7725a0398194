// Arrays that wait for arrays and delayed calls: the order holds on any number of workers.
#include <ashlar/after.hpp>

#include <atomic>
#include <stdexcept>
#include <vector>

#include <doctest/doctest.h>

#include <ashlar/ashlar.hpp>

#include "support/lazy_check.hpp"

namespace ash = ashlar;
using ash::array;
using ash::ndarray;

namespace {

struct tally {
  std::atomic<int> begun{0};
  std::atomic<int> ended{0};
  std::atomic<int> too_early{0};
};

/// Blocks of x, which count as done.
array<double> noting(const array<double>& x, tally& l) {
  return ash::map_blocks(
      [&l](ndarray<const double> b) {
        ++l.begun;
        const ndarray<double> out = b.copy();
        ++l.ended;
        return out;
      },
      x);
}

/// Blocks of x, each of which looks whether `all` blocks are done.
array<double> looking(const array<double>& x, tally& l, int all) {
  return ash::map_blocks(
      [&l, all](ndarray<const double> b) {
        if (l.ended < all) ++l.too_early;
        return b.copy();
      },
      x);
}

}  // namespace

TEST_CASE("after: no function of the array is called before the others have returned") {
  const auto x = ash::arange<double>(60, {.chunks = {3}}).persist(ash::serial{});
  for (const int workers : {1, 2, 3, 8}) {
    for (int round = 0; round < 20; ++round) {
      tally l;
      const auto first = noting(x + 1.0, l);
      const auto second = ash::after(looking(x * 2.0, l, 20) + 1.0, first);
      CHECK(values(second.sum().compute(ash::std_threads{.workers = workers})) == std::vector<double>{3600});
      CHECK(l.begun == 20);
      CHECK(l.too_early == 0);
    }
  }
}

TEST_CASE("after: one run of both makes each block once") {
  const auto x = ash::arange<double>(60, {.chunks = {3}}).persist(ash::serial{});
  for (const int workers : {1, 2, 3, 8}) {
    for (const bool optimize : {true, false}) {
      tally l;
      const auto first = noting(x, l);
      const auto second = ash::after(looking(x, l, 20), first);
      const auto [a, b, c] = ash::compute(ash::std_threads{.workers = workers}, {.optimize = optimize},
                                          second(ash::slice{0, 5}), first, second + first);
      CHECK(values(a) == std::vector<double>{0, 1, 2, 3, 4});
      CHECK(values(b) == values(x));
      CHECK(values(c) == values(x + x));
      CHECK(l.begun == 20);
      CHECK(l.too_early == 0);
    }
  }
}

TEST_CASE("after: chains, several at once, and vectors of them") {
  const auto x = ash::arange<double>(12, {.chunks = {5}});
  for (const int workers : {1, 2, 8}) {
    tally l;
    const auto a = noting(x, l);
    const auto b = noting(x.reshape({3, 4}).sum(0) + x(ash::slice{0, 4}), l);
    const auto both = ash::after(looking(x, l, 4), a, b);
    CHECK(values(both.compute(ash::std_threads{.workers = workers})) == values(x));
    CHECK(l.too_early == 0);
    tally m;
    const auto one = noting(x, m);
    const auto two = ash::after(noting(looking(x, m, 3), m), one);
    const auto three = ash::after(ash::after(looking(x, m, 6), std::vector<array<double>>{two}), one);
    CHECK(values(three.compute(ash::std_threads{.workers = workers})) == values(x));
    CHECK(m.begun == 6);
    CHECK(m.too_early == 0);
  }
}

TEST_CASE("after: memory and files are read when what writes them is done") {
  for (const int workers : {1, 2, 8}) {
    std::vector<double> memory(40, 0);
    const auto writes = ash::map_blocks(
        [&memory](const ash::block_info& at) {
          memory[static_cast<std::size_t>(at.number)] = static_cast<double>(at.number);
          return 0.0;
        },
        {.chunks = {std::vector<std::int64_t>(40, 1)}});
    const array<double> seen = ash::from(ndarray<double>({}, memory.data(), {40}, {1}), {.chunks = {7}});
    const auto later = ash::after(seen, writes);
    const auto on = ash::std_threads{.workers = workers};
    CHECK(later.sum().compute(on).item() == 780);
    memory.assign(40, 0);
    CHECK(values(ash::flip(later).reshape({8, 5}).compute(on)).front() == 39);
    memory.assign(40, 0);
    CHECK(values(later.compute(on)).back() == 39);
    memory.assign(40, 0);
    CHECK(values(later(ash::slice{38, 40}).compute(on)) == std::vector<double>{38, 39});
    memory.assign(40, 0);
    CHECK(ash::after(seen.reshape({8, 5}), writes).max().compute(on).item() == 39);
  }
}

TEST_CASE("after: delayed calls, each once") {
  const auto x = ash::arange<double>(12, {.chunks = {5}});
  for (const int workers : {1, 2, 8}) {
    tally l;
    const ash::delayed call([&l] {
      ++l.begun;
      ++l.ended;
    });
    const auto first = call();
    const std::vector<ash::delayed<void>> more{call.after(first)(), call()};
    const auto a = ash::after(looking(x, l, 3), first, more);
    const auto b = ash::after(looking(x, l, 3), more[0], more[1]);
    CHECK(values((a + b + x.sum()).compute(ash::std_threads{.workers = workers})) == values(2.0 * x + 66.0));
    CHECK(l.begun == 3);
    CHECK(l.too_early == 0);
    CHECK(values(ash::after(a, ash::delayed([] { return 3; })()).persist(ash::std_threads{.workers = workers})) ==
          values(x));
    CHECK(l.begun == 6);
  }
}

TEST_CASE("after: empty arrays, blocks of 0, numbers, and what throws") {
  tally l;
  const auto empty = noting(ash::zeros<double>({0, 3}), l);
  const auto gaps = noting(ash::arange<double>(4, {.chunks = {{0, 3, 0, 1}}}), l);
  const auto number = noting(ash::full({}, 2.0), l);
  const auto x = ash::after(looking(ash::arange<double>(4, {.chunks = {{1, 0, 3}}}), l, 3), empty, gaps, number);
  CHECK(values(x.compute(ash::std_threads{.workers = 3})) == std::vector<double>{0, 1, 2, 3});
  CHECK(l.too_early == 0);
  CHECK(ash::after(ash::zeros<double>({0}), gaps).compute(ash::serial{}).size() == 0);

  const std::size_t before = ash::host_memory().allocated();
  {
    const auto fails = ash::map_blocks([](ndarray<const double>) -> ndarray<double> { throw std::runtime_error("no"); },
                                       ash::ones<double>({4}, {.chunks = {1}}));
    tally m;
    const auto never = ash::after(noting(ash::ones<double>({4}), m), fails);
    CHECK_THROWS_WITH_AS(never.compute(ash::std_threads{.workers = 3}), doctest::Contains("no"), ash::task_error);
    CHECK(m.begun == 0);
  }
  CHECK(ash::host_memory().allocated() == before);
}

TEST_CASE("after: within a limit of memory the blocks that are waited for go at once") {
  tally l;
  const auto first = noting(ash::ones<double>({1 << 20}, {.chunks = {1 << 14}}), l);
  const auto second = ash::after(looking(ash::ones<double>({1 << 20}, {.chunks = {1 << 14}}), l, 64), first);
  const ash::std_threads two{.workers = 2, .memory_limit = 4 << 20};
  CHECK(second.sum().compute(two).item() == 1 << 20);
  CHECK(l.too_early == 0);
}

TEST_CASE("after: arrays of delayed calls are refused, and told what to do") {
  const ash::delayed make([] { return ndarray<double>({3}); });
  CHECK_THROWS_WITH_AS(ash::after(ash::from_delayed(make(), {3}) + 1.0, ash::ones<double>({3}) + 1.0),
                       doctest::Contains("delayed(f).after"), ash::value_error);
  // the other way round they are fine
  tally l;
  const auto made = noting(ash::from_delayed(make(), {3}), l);
  CHECK(ash::after(looking(ash::ones<double>({3}), l, 1), made).compute(ash::serial{}).size() == 3);
  CHECK(l.too_early == 0);
}

TEST_CASE("after: explain says what is waited for, and others are left alone") {
  const auto x = ash::arange<double>(12, {.chunks = {5}});
  const auto first = ash::map_blocks([](ndarray<const double> b) { return b; }, x);
  const auto second = ash::after(x + 1.0, first);
  CHECK(contains(second.explain(), "after layer 2"));
  CHECK(!contains((x + 1.0).explain(), "after"));
  CHECK(!contains(ash::after(x + 1.0, x).explain(), "after"));  // of a source nothing is made
}
