#include <ashlar/blockwise.hpp>

#include <atomic>
#include <complex>
#include <cstdint>
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
using ash::axes;
using ash::block_info;
using ash::map_blocks;
using ash::ndarray;
using ash::shape;

namespace {

ndarray<double> running_sum(ndarray<const double> x) {
  ndarray<double> out = x.copy();
  std::partial_sum(out.begin(), out.end(), out.begin());
  return out;
}

}  // namespace

TEST_CASE("map_blocks: a block in, a block out") {
  const auto x = counted({7}, {3});
  const auto y = map_blocks(running_sum, x);
  CHECK(y.shape() == shape{7});
  CHECK(y.chunks() == x.chunks());
  CHECK(values(y) == std::vector<double>{0, 1, 3, 3, 7, 12, 6});
  CHECK(values(map_blocks([](ndarray<const double> b) { return b; }, x)) == values(x));
}

TEST_CASE("map_blocks: the result's type is the function's") {
  const auto x = counted({2, 2}, {1, 2});
  const auto sizes = map_blocks([](const auto& b) { return b.size(); }, x, {.chunks = {1}});
  CHECK(sizes.shape() == shape{2, 1});
  CHECK(values(sizes) == std::vector<std::int64_t>{2, 2});
  const auto z = map_blocks(
      [](ndarray<const double> b, ndarray<std::complex<float>> out) {
        for (std::int64_t i = 0; i < b.size(); ++i) out.data()[i] = {static_cast<float>(b.data()[i]), 1};
      },
      x);
  static_assert(std::is_same_v<decltype(z)::value_type, std::complex<float>>);
  CHECK(values(z) == std::vector<std::complex<float>>{{0, 1}, {1, 1}, {2, 1}, {3, 1}});
  const auto positive = map_blocks(
      [](auto b, ndarray<bool> out) {
        for (std::int64_t i = 0; i < b.size(); ++i) out.data()[i] = b.data()[i] > 1;
      },
      x);
  CHECK(values(positive) == std::vector<bool>{false, false, true, true});
}

TEST_CASE("map_blocks: several arrays broadcast and are cut alike") {
  const auto x = counted({4, 6}, {2, 3});
  const auto row = counted({6}, {{1, 5}});
  const auto column = counted({4, 1}, {{3, 1}, 1});
  const auto add = [](ndarray<const double> a, ndarray<const double> b, ndarray<const double> c) {
    CHECK(a.is_c_contiguous());
    CHECK(b.is_c_contiguous());
    ndarray<double> out(a.shape());
    for (std::int64_t i = 0; i < a.shape()[0]; ++i) {
      for (std::int64_t j = 0; j < a.shape()[1]; ++j) out(i, j) = a(i, j) + 100 * b(j) + 1000 * c(i, 0);
    }
    return out;
  };
  CHECK(values(map_blocks(add, x, row, column)) == values(x + 100.0 * row + 1000.0 * column));
  CHECK_THROWS_WITH_AS(map_blocks(add, x, counted({5}, {5}), column), doctest::Contains("(5,)"), ash::shape_error);
}

TEST_CASE("map_blocks: declared chunks, dropped and new axes") {
  const auto x = counted({4, 6}, {2, 3});
  const auto twice = map_blocks(
      [](ndarray<const double> b) {
        ndarray<double> out({2 * b.shape()[0], b.shape()[1]});
        for (std::int64_t i = 0; i < out.shape()[0]; ++i) {
          for (std::int64_t j = 0; j < out.shape()[1]; ++j) out(i, j) = b(i / 2, j);
        }
        return out;
      },
      x, {.chunks = {4, ash::keep}});
  CHECK(twice.shape() == shape{8, 6});
  CHECK(twice.sum().compute().item() == 2 * 276);
  const auto sums = map_blocks(
      [](ndarray<const double> b) {
        CHECK(b.shape()[1] == 6);  // a dropped axis is not cut
        ndarray<double> out({b.shape()[0]});
        for (std::int64_t i = 0; i < b.shape()[0]; ++i) {
          out(i) = 0;
          for (std::int64_t j = 0; j < b.shape()[1]; ++j) out(i) += b(i, j);
        }
        return out;
      },
      x, {.drop_axis = 1});
  CHECK(values(sums) == values(x.sum(1)));
  const auto lifted = map_blocks(
      [](ndarray<const double> b) {
        return b.reshape({b.shape()[0], 1, b.shape()[1]});
      },
      x, {.new_axis = 1});
  CHECK(lifted.shape() == shape{4, 1, 6});
  CHECK(values(lifted) == values(x));
  const auto swapped = map_blocks([](ndarray<const double> b) { return b.slice(0, 0, 1).transpose(); }, x,
                                  {.chunks = {6, 1}, .drop_axis = axes{0, 1}, .new_axis = axes{0, -1}});
  CHECK(values(swapped) == std::vector<double>{0, 1, 2, 3, 4, 5});
}

TEST_CASE("map_blocks: chunks that do not fit are refused before the run") {
  const auto x = counted({4, 6}, {2, 3});
  const auto same = [](ndarray<const double> b) { return b; };
  CHECK_THROWS_WITH_AS(map_blocks(same, x, {.chunks = {{1, 1, 1}, 3}}), doctest::Contains("names 3 blocks"),
                       ash::chunk_error);
  CHECK_THROWS_WITH_AS(map_blocks(same, x, {.chunks = {1, 2, 3}}), doctest::Contains("3 chunk entries"),
                       ash::chunk_error);
  CHECK_THROWS_AS(map_blocks(same, x, {.chunks = {-1, 2}}), ash::chunk_error);
  CHECK_THROWS_AS(map_blocks(same, x, {.chunks = ash::automatic}), ash::chunk_error);
  CHECK_THROWS_AS(map_blocks(same, x, {.drop_axis = 2}), ash::axis_error);
  CHECK_THROWS_AS(map_blocks(same, x, {.new_axis = 4}), ash::axis_error);
}

TEST_CASE("map_blocks: a function may ask where its block lies") {
  const auto x = counted({5, 4}, {{2, 3}, 2});
  const auto check = [](ndarray<const double> b, const block_info& at) {
    CHECK(at.inputs[0].shape == b.shape());
    CHECK(at.result.offset == at.inputs[0].offset);
    CHECK(at.inputs[0].whole == shape{5, 4});
    CHECK(at.blocks == shape{2, 2});
    CHECK(b.data()[0] == static_cast<double>(4 * at.result.offset[0] + at.result.offset[1]));
    return ndarray<std::int64_t>::full(b.shape(), at.number);
  };
  CHECK(values(map_blocks(check, x).max(axes{0})) == std::vector<std::int64_t>{2, 2, 3, 3});
  const auto positions = map_blocks(
      [](ndarray<std::int64_t> out, const block_info& at) { out.fill(at.result.offset[0]); }, {.chunks = {{2, 3, 1}}});
  CHECK(values(positions) == std::vector<std::int64_t>{0, 0, 2, 2, 2, 5});
}

TEST_CASE("map_blocks: never runs before compute, then once for each block") {
  std::atomic<int> calls{0};
  const auto x = counted({10, 10}, {3, 4});
  const auto y = map_blocks(
      [&](ndarray<const double> b) {
        ++calls;
        return b;
      },
      x);
  CHECK(calls == 0);
  const std::string text = y.explain();
  CHECK(calls == 0);
  CHECK(contains(text, "blockwise map_blocks, 12 tasks, reads memory (10, 10)"));
  const auto [a, b, c] = ash::compute(ash::std_threads{.workers = 3}, y, y.sum(), (y - y.mean(0)).max());
  CHECK(calls == 12);
  CHECK(values(ash::from(a)) == values(x));
  CHECK(b.item() == 4950);
  CHECK(c.item() == 45);
}

TEST_CASE("map_blocks: after and before everything else") {
  const auto x = counted({6, 6}, {4, 2});
  const auto same = [](ndarray<const double> b) { return b; };
  const auto expected = values((x + 1.0) * 2.0);
  CHECK(values(map_blocks(same, x + 1.0) * 2.0) == expected);
  CHECK(values(map_blocks(same, map_blocks(same, (x + 1.0) * 2.0))) == expected);
  CHECK(values(map_blocks(same, x.sum(0))) == values(x.sum(0)));
  CHECK(map_blocks(same, x).sum().compute().item() == 630);
  const array<double> kept = map_blocks(same, x + 1.0).persist();
  CHECK(values(kept * 2.0) == expected);
  CHECK(values(map_blocks(same, kept) * 2.0) == expected);
  CHECK(values(map_blocks(same, ash::arange<double>(36, {.chunks = {5}}))) == values(x));
  // of a transposed view, into one
  const auto t = ash::from(x.compute().transpose(), {.chunks = {3}});
  ndarray<double> out({6, 6});
  map_blocks(same, t).compute_into(out.transpose());
  CHECK(values(ash::from(out)) == values(x));
  // what is computed may be written over what is read
  const ndarray<double> data = x.compute();
  map_blocks(same, ash::from(data, {.chunks = {2, 6}})).compute_into(data);
  CHECK(values(ash::from(data)) == values(x));
}

TEST_CASE("map_blocks: 0-d and empty") {
  const auto x = ash::from(ndarray<double>::from(3.0));
  CHECK(map_blocks([](ndarray<const double> b) { return b.item() + 1; }, x).compute().item() == 4);
  std::atomic<int> calls{0};
  const auto count = [&](ndarray<const double> b) {
    ++calls;
    return b;
  };
  CHECK(map_blocks(count, counted({0, 3}, {ash::full, 1})).compute().shape() == shape{0, 3});
  CHECK(values(map_blocks(count, counted({3}, {{0, 2, 0, 1}}))) == std::vector<double>{0, 1, 2});
  CHECK(calls == 2);
  const auto sizes = map_blocks([](ndarray<const double> b) { return static_cast<double>(b.size()); },
                                counted({3}, {{0, 2, 0, 1}}), {.chunks = {1}});
  CHECK(values(sizes) == std::vector<double>{0, 2, 0, 1});
}

TEST_CASE("map_blocks: a block of another shape is an error that names both") {
  const auto x = counted({4, 6}, {2, 3});
  const auto y = map_blocks([](ndarray<const double> b) { return b.slice(1, 0, 2); }, x, {.name = "halved"});
  const int line = __LINE__ - 1;
  for (int workers = 1; workers < 3; ++workers) {
    try {
      static_cast<void>(y.compute(ash::std_threads{.workers = workers}));
      FAIL("it did not throw");
    } catch (const ash::task_error& e) {
      const std::string text = e.what();
      CAPTURE(text);
      CHECK(contains(text, "halved, block ("));
      CHECK(contains(text, "map_blocks_test.cpp:" + std::to_string(line)));
      CHECK(contains(text, "gave a block of shape (2, 2)"));
      CHECK(contains(text, "it has shape (2, 3)"));
      CHECK_THROWS_AS(std::rethrow_if_nested(e), ash::shape_error);
    }
  }
  CHECK_THROWS_WITH_AS(map_blocks([](ndarray<const double>) { return 1.0; }, x).compute(),
                       doctest::Contains("shape () (a number)"), ash::task_error);
}

TEST_CASE("map_blocks: nothing stays behind after an error") {
  const std::size_t before = ash::host_memory().allocated();
  {
    const auto x = counted({40}, {1});
    const auto fails = [](ndarray<const double> b) -> ndarray<const double> {
      if (b.item() == 17) throw std::runtime_error("seventeen");
      return b;
    };
    CHECK_THROWS_WITH_AS((map_blocks(fails, map_blocks(fails, x + 1.0)).sum().compute()),
                         doctest::Contains("seventeen"), ash::task_error);
  }
  CHECK(ash::host_memory().allocated() == before);
}
