// Small inputs on which array libraries have been wrong, each with the right answer. The numbers are those of the
// reports.
#include <doctest/doctest.h>

#include <ashlar/ashlar.hpp>

#include <cstdint>
#include <vector>

#include "support/lazy_check.hpp"

namespace ash = ashlar;

namespace {

using ash::all;
using ash::newaxis;
using ash::slice;

using doubles = std::vector<double>;

TEST_CASE("dask#3579, #2994: slices to the beginning, and backwards past nothing") {
  CHECK(values(ash::arange<double>(7, {.chunks = {3}})(slice{0, std::nullopt, -1})) == doubles{0});
  CHECK(ash::ones<double>({10})(slice{6, 3}).shape() == ash::shape{0});
  CHECK(values(ash::arange<double>(10, {.chunks = {4}})(slice{8, 1, -3})) == doubles{8, 5, 2});
}

TEST_CASE("lengths of ranges: dask#1903 and a range downwards") {
  const auto x = ash::arange<double>(0, 1, 0.01, {.chunks = {20}});
  CHECK(x.size() == 100);
  CHECK(x.chunks().full_shape() == ash::shape{100});
  CHECK(values(ash::arange<double>(10, 0, -3, {.chunks = {2}})) == doubles{10, 7, 4, 1});
}

TEST_CASE("reshapes that move data across rows") {
  const auto x = ash::arange<double>(24).reshape({2, 3, 4}).rechunk({1, 2, 2});
  doubles in_order(24);
  for (std::size_t k = 0; k < 24; ++k) in_order[k] = static_cast<double>(k);
  CHECK(values(x.reshape({3, 2, 4})) == in_order);
  CHECK(values(x.reshape({4, 6})) == in_order);
  CHECK(values((x + 0.0).persist().reshape({4, 6})) == in_order);
}

TEST_CASE("dask#11618: automatic chunks make no empty block") {
  const auto x = ash::zeros<float>({48, 720, 1440}, {.chunks = {{36, 12}, 720, 1440}});
  const auto y = x.rechunk({ash::automatic, ash::full, ash::full});
  for (int a = 0; a < 3; ++a) {
    for (const std::int64_t n : y.chunks().axis(a).lengths()) CHECK(n > 0);
  }
  CHECK(y.chunks().axis(0).to_string() == "(36, 12)");
}

TEST_CASE("a length of 1 stretches to 0") {
  const auto x = ash::broadcast_to(ash::ones<double>({2, 1}), {2, 0});
  CHECK(x.compute().shape() == ash::shape{2, 0});
  CHECK((ash::zeros<double>({0, 3}) + ash::ones<double>({1, 3})).compute().shape() == ash::shape{0, 3});
}

TEST_CASE("DiskArrays.jl#41: a lower rank beside a higher one keeps its axes") {
  const auto m = ash::fromfunction([](std::int64_t i, std::int64_t j) { return static_cast<double>(10 * i + j); },
                                   {3, 4}, {.chunks = {2, 3}});
  const auto v = ash::arange<double>(4, {.chunks = {1}}).persist();
  const auto got = (m * 0.0 + v(newaxis, all)(0)).compute();
  for (std::int64_t i = 0; i < 3; ++i) {
    for (std::int64_t j = 0; j < 4; ++j) CHECK(got(i, j) == static_cast<double>(j));
  }
}

TEST_CASE("xtensor#389: a row becomes a column") {
  const auto row = ash::array<double>::from({{0, 1, 1, 1}}, {.chunks = {1, 2}});
  const auto column = row.transpose().compute();
  CHECK(column.shape() == ash::shape{4, 1});
  CHECK(column(0, 0) == 0);
  CHECK(column(3, 0) == 1);
}

TEST_CASE("xtensor#1492: a column-major matrix stays itself through broadcasting and columns") {
  const std::vector<double> columns = {1, 4, 2, 5, 3, 6};
  const ash::array<double> data = ash::from(columns).reshape({3, 2}).transpose();
  const ash::ndarray<double> out = ash::ndarray<double>(ash::shape{3, 2}).transpose();
  ash::broadcast_to(data, {2, 3}).compute_into(out);
  for (std::int64_t i = 0; i < 2; ++i) {
    for (std::int64_t j = 0; j < 3; ++j) CHECK(out(i, j) == static_cast<double>(3 * i + j + 1));
  }
}

TEST_CASE("xtensor#1092: a column of extent 1 is no repeated element") {
  const auto m = ash::from(ash::ndarray<double>::from({{9, 6, 3}, {8, 5, 2}, {7, 4, 1}}), {.chunks = {2, 1}});
  CHECK(values(m(all, slice{0, 1})) == doubles{9, 8, 7});
  CHECK(values(m(all, slice{0, 1}) * 2.0 + 0.0) == doubles{18, 16, 14});
}

TEST_CASE("xtensor#2330, #768: columns are set from columns, and views are not turned over") {
  const auto five =
      ash::fromfunction([](std::int64_t i, std::int64_t j) { return static_cast<double>(10 * i + j); }, {5, 5});
  const auto three = ash::zeros<double>({3, 3}, {.chunks = {2, 2}});
  CHECK(values(three.set(five(slice{0, 3}, 2), all, 0)) == doubles{2, 0, 0, 12, 0, 0, 22, 0, 0});
  const auto m = five(slice{0, 3}, slice{0, 3});
  CHECK(values(m(all, all) - three) == doubles{0, 1, 2, 10, 11, 12, 20, 21, 22});
}

TEST_CASE("numexpr#63, mlx#3720: a reversed axis inside a fused expression") {
  const auto x = ash::fromfunction([](std::int64_t i, std::int64_t j,
                                      std::int64_t k) { return static_cast<double>((31 * i + 7 * j + k) % 97) / 97; },
                                   {30, 100, 2}, {.chunks = {7, 30, 1}});
  const auto kept = x.persist();
  const auto eager = x.compute();
  for (int run = 0; run < 3; ++run) {
    const auto got = (ash::flip(kept, 0)(all, all, 0) - 0.25).compute();
    for (std::int64_t i = 0; i < 30; ++i) {
      for (std::int64_t j = 0; j < 100; ++j) REQUIRE(got(i, j) == eager(29 - i, j, 0) - 0.25);
    }
  }
}

TEST_CASE("mlx#2681, #460: sizes beyond 2^31 stay positive") {
  const auto tall = ash::broadcast_to(ash::ones<float>({1, 2}), {std::int64_t{1} << 30, 2});
  CHECK(tall.ravel().size() == std::int64_t{1} << 31);
  CHECK(tall.ravel()(ash::last).compute().item() == 1);
  CHECK(ash::eye<float>(50000, {.chunks = {1000}})(slice{49990}, slice{49990}).sum().compute().item() == 10);
  CHECK(ash::arange<std::int64_t>(3'000'000'000)(ash::last).compute().item() == 2'999'999'999);
}

TEST_CASE("xtensor#566, #768: strided views and numbers under threads") {
  const auto x = ash::arange<double>(10'000, {.chunks = {333}}).persist();
  const ash::threads on{.workers = 8};
  const auto got = (2.0 * x(slice{.step = 3}) + 1.0).compute(on);
  for (std::int64_t k = 0; k < got.size(); ++k) REQUIRE(got(k) == 2.0 * 3.0 * static_cast<double>(k) + 1.0);
}

TEST_CASE("a function of blocks gets a copy of what another reads") {  // dask#3674
  const auto x = ash::arange<double>(6, {.chunks = {2}}).persist();
  const auto spoiled = ash::map_blocks(
      [](ash::ndarray<const double> block) {
        ash::ndarray<double> out = block.copy();
        out.fill(-1);
        return out;
      },
      x(slice{.step = -1}));
  const auto [a, b] = ash::compute(spoiled, x + 0.0);
  CHECK(a(0) == -1);
  CHECK(b(0) == 0);
  CHECK(b(5) == 5);
}

}  // namespace
