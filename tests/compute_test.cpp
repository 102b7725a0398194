#include <ashlar/ashlar.hpp>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "support/counting.hpp"
#include "support/lazy_check.hpp"

using ashlar::array;
using ashlar::from;
using ashlar::full;
using ashlar::ndarray;
using ashlar::serial;
using ashlar::shape;
using ashlar::std_threads;
using ashlar::threads;
using testing_support::counting;

namespace {

double seconds_of_chain(int length) {
  const auto begin = std::chrono::steady_clock::now();
  array<double> x = from(counting({10}), {.chunks = {5}});
  for (int i = 0; i < length; ++i) x += 1.0;
  const auto got = x.compute(serial{});
  for (std::int64_t i = 0; i < 10; ++i) CHECK(got(i) == static_cast<double>(i + length));
  x = from(counting({1}));  // releases the chain
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

TEST_CASE("compute: into outputs of any strides") {
  const ndarray<double> in = counting({6, 8});
  const array<double> x = from(in, {.chunks = {4, 3}});
  ndarray<double> memory = ndarray<double>::full({14, 20}, -1);
  std::vector<ndarray<double>> outputs;
  outputs.push_back(memory.slice(0, 1, 13, 2).slice(1, 2, 18, 2));
  outputs.push_back(memory.slice(0, 5, -1, -1).slice(1, 7, -1, -1));
  outputs.push_back(memory.slice(0, 0, 8).slice(1, 0, 6).transpose());
  for (ndarray<double>& out : outputs) {
    for (int workers = 1; workers < 4; workers += 2) {
      memory.fill(-1);
      (x * 2.0).compute_into(std_threads{.workers = workers}, out);
      std::int64_t touched = 0;
      for (const double v : memory) touched += v != -1 ? 1 : 0;
      CHECK(touched == 48);
      const ndarray<double> dense = out.copy();
      for (std::int64_t i = 0; i < 48; ++i) CHECK(dense.data()[i] == 2 * static_cast<double>(i));
      x.compute_into(out);
      CHECK(same_bits(out, in));
      ndarray<double> row = memory.slice(0, 13, 14).reshape({20}).slice(0, 0, 16, 2);
      x.sum(0).compute_into(row);
      CHECK(row(1) == 6 + 5 * 24);
    }
  }
  ndarray<double> one(shape{});
  x.sum().compute_into(one);
  CHECK(one.item() == 47 * 24);
  ndarray<double> wide = ndarray<double>::full({6, 10}, -1);
  x.compute_into(wide.slice(1, 1, 9));
  CHECK(wide(5, 8) == 47);
  CHECK(wide(5, 9) == -1);
  ndarray<double> none(shape{0, 2});
  ashlar::zeros<double>({0, 2}).compute_into(none);
  CHECK(none.size() == 0);
}

TEST_CASE("compute: into memory that is read in the same run") {
  ndarray<double> a = ndarray<double>::from({1, 1});
  const array<double> la = from(a);
  (la + full({2}, 2.0) * 2.0).compute_into(a);
  CHECK(values(a) == std::vector<double>{5, 5});

  for (const ashlar::chunks& c : {ashlar::chunks{full}, ashlar::chunks{7}, ashlar::chunks{1}}) {
    // every element from its neighbour
    ndarray<double> v = counting({3000});
    ndarray<double> tail = v.slice(0, 1, 3000);
    (from(v.slice(0, 0, 2999), {.chunks = c}) + 0.0).compute_into(serial{}, tail);
    for (std::int64_t i = 1; i < 3000; ++i) REQUIRE(v(i) == static_cast<double>(i - 1));
    // reversed in place
    v = counting({3000});
    from(v.slice(0, 2999, -1, -1), {.chunks = c}).compute_into(std_threads{.workers = 3}, v);
    for (std::int64_t i = 0; i < 3000; ++i) REQUIRE(v(i) == static_cast<double>(2999 - i));
  }
  // a reduction that other blocks still need
  ndarray<double> m = counting({40, 40});
  const ndarray<double> before = m.copy();
  const array<double> x = from(m, {.chunks = {3, 4}});
  const array<double> e = x - x.mean(1);
  const ndarray<double> want =
      (from(before, {.chunks = {3, 4}}) - from(before, {.chunks = {3, 4}}).mean(1)).compute(serial{});
  e.compute_into(std_threads{.workers = 3}, m);
  CHECK(same_bits(m, want));
  // transposed in place
  ndarray<double> t = counting({20, 20});
  from(t.transpose(), {.chunks = {3, 20}}).compute_into(serial{}, t);
  CHECK(t(1, 0) == 1);
  CHECK(t(0, 1) == 20);
  // one element for all
  ndarray<double> b = counting({50});
  (from(b, {.chunks = {8}}) + from(b.slice(0, 3, 4))).compute_into(serial{}, b);
  for (std::int64_t i = 0; i < 50; ++i) CHECK(b(i) == static_cast<double>(i + 3));
}

TEST_CASE("compute: persisted arrays are computed once and read by others, cut in any way") {
  int calls = 0;
  const array<double> x = map(
      [&calls](double v) {
        ++calls;
        return v * 2;
      },
      from(counting({10, 6}), {.chunks = {4, 4}}));
  const array<double> kept = x.persist(serial{});
  const int after = calls;
  CHECK(after >= 60);
  CHECK(kept.chunks() == x.chunks());
  const array<double> other = from(counting({10, 6}), {.chunks = {3, 5}});
  const ndarray<double> sum = (kept + other).compute(std_threads{.workers = 2});
  for (std::int64_t i = 0; i < 60; ++i) CHECK(sum.data()[i] == 3 * static_cast<double>(i));
  CHECK(kept.sum().compute().item() == 2 * 59 * 30);
  CHECK(kept.persist().compute()(9, 5) == 118);
  CHECK(calls == after);

  const array<double> columns = kept.sum(0).persist();
  CHECK(values(columns) == std::vector<double>{540, 560, 580, 600, 620, 640});
  CHECK(values((other * 0.0 + columns).sum(0))[5] == 6400);
  CHECK(values(columns.persist(threads{.workers = 2}) - columns) == std::vector<double>(6, 0));
  array<double> gone = full({4}, 1.0);
  {
    const array<double> local = (full({4}, 3.0, {.chunks = {3}}) * 2.0).persist();
    gone = local + local;
  }
  CHECK(values(gone) == std::vector<double>{12, 12, 12, 12});
  CHECK(full({}, 2.5).persist().compute().item() == 2.5);
  CHECK((x.mean() + 1.0).persist().compute().item() == 60);
  CHECK(ashlar::arange<int>(7, {.chunks = {2}}).persist().compute()(6) == 6);
}

TEST_CASE("compute: a chain of 100 000 operations takes linear time and no stack") {
  const double short_chain = seconds_of_chain(10000);
  const double long_chain = seconds_of_chain(100000);
  CAPTURE(short_chain);
  CAPTURE(long_chain);
  CHECK(long_chain < 40 * short_chain + 0.5);
}

TEST_CASE("compute: hundreds of reductions of one array share a run") {
  const array<double> x = from(counting({100}), {.chunks = {30}});
  array<double> total = (x * 0.0).sum();
  for (int k = 1; k <= 300; ++k) total += (x * static_cast<double>(k)).sum();
  CHECK(total.compute(serial{}).item() == 4950.0 * (300 * 301 / 2));
  CHECK(total.compute(std_threads{.workers = 3}).item() == 4950.0 * (300 * 301 / 2));
  array<double> sources = x.sum();
  for (int k = 1; k <= 100; ++k) sources += (x + from(ndarray<double>::full({100}, k), {.chunks = {30}})).sum();
  CHECK(sources.compute(serial{}).item() == 4950.0 * 101 + 100 * 5050.0);
}

TEST_CASE("compute: one node with hundreds of consumers") {
  const array<double> x = from(counting({100}), {.chunks = {30}});
  const array<double> shared = x * 2.0;
  array<double> total = shared;
  for (int k = 1; k <= 300; ++k) total = total + shared * static_cast<double>(k);
  const auto got = total.compute(std_threads{.workers = 2});
  for (std::int64_t i = 0; i < 100; ++i) CHECK(got(i) == static_cast<double>(2 * i) * (1 + 300 * 301 / 2));
  CHECK(same_bits(got, total.compute(serial{}, {.optimize = false})));
}

TEST_CASE("compute: progress reaches the number of tasks") {
  std::int64_t done = -1;
  std::int64_t tasks = 0;
  const array<double> x = from(counting({100}), {.chunks = {10}});
  static_cast<void>((x + 1.0).compute({.progress = [&](const ashlar::progress_info& p) {
    done = p.tasks_done;
    tasks = p.tasks;
  }}));
  CHECK(tasks == 10);
  CHECK(done == tasks);
}

TEST_CASE("compute: explain names layers and computes nothing") {
  const array<double> x = map([](double) -> double { throw 1; }, from(counting({100}), {.chunks = {10}}));
  const std::string text = (x + 1.0).explain();
  CAPTURE(text);
  CHECK(contains(text, "10 tasks"));
  CHECK(contains(ashlar::explain(x, x.sum()), "sum"));
}

TEST_CASE("a result over what is read through views of an array that is made once goes through memory of its own") {
  const std::int64_t n = 64;
  const auto fresh = [&] {
    return ashlar::fromfunction([](std::int64_t i, std::int64_t j) { return static_cast<double>(i * 64 + j); }, {n, n})
        .compute();
  };
  const auto work = [&](const ashlar::ndarray<double>& in) {
    const ashlar::array<double> t = ashlar::from(in, {.chunks = {n / 2, n / 2}}) * 2.0;
    return ashlar::array<double>(t.transpose() + ashlar::flip(t));
  };
  const ashlar::ndarray<double> right = work(fresh()).compute(ashlar::serial{});
  for (const int workers : {1, 3}) {
    const ashlar::ndarray<double> a = fresh();
    work(a).compute_into(ashlar::threads{.workers = workers}, a);
    CHECK(ashlar::array_equal(a, right));
  }
}
