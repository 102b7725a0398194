// Views against plain loops over indices, on sources of every kind and chunks of every sort.
#include <doctest/doctest.h>

#include <ashlar/ashlar.hpp>

#include <cstdint>
#include <string>

#include "support/lazy_cases.hpp"

namespace ash = ashlar;

namespace {

using ash::all;
using ash::ellipsis;
using ash::newaxis;
using ash::slice;
using lazy_cases::check;
using lazy_cases::value;

TEST_CASE("integers, slices, new axes and ellipses pick what NumPy's do") {
  check([](const auto& x) { return x(2); }, {6, 7}, [](const auto& i) { return value(2, i[0], i[1]); });
  check([](const auto& x) { return x(-1, 3, 2); }, {}, [](const auto&) { return value(4, 3, 2); });
  check([](const auto& x) { return x(ellipsis, ash::last - 1); }, {5, 6},
        [](const auto& i) { return value(i[0], i[1], 5); });
  check(
      [](const auto& x) {
        return x(slice{1, 4}, slice{.step = 2}, slice{.stop = -2});
      },
      {3, 3, 5}, [](const auto& i) { return value(1 + i[0], 2 * i[1], i[2]); });
  check(
      [](const auto& x) {
        return x(all, slice{.step = -1}, slice{5, 0, -2});
      },
      {5, 6, 3}, [](const auto& i) { return value(i[0], 5 - i[1], 5 - 2 * i[2]); });
  check([](const auto& x) { return x(newaxis, 1, ellipsis, newaxis); }, {1, 6, 7, 1},
        [](const auto& i) { return value(1, i[1], i[2]); });
  check([](const auto& x) { return x(slice{4, 1}, ellipsis); }, {0, 6, 7}, [](const auto&) { return 0.0; });
  check(
      [](const auto& x) {
        return x(all, slice{-100, 100, 4}, 0);
      },
      {5, 2}, [](const auto& i) { return value(i[0], 4 * i[1], 0); });
}

TEST_CASE("axes are exchanged, moved, dropped and added") {
  check([](const auto& x) { return x.transpose(); }, {7, 6, 5}, [](const auto& i) { return value(i[2], i[1], i[0]); });
  check(
      [](const auto& x) {
        return x.transpose({1, -1, 0});
      },
      {6, 7, 5}, [](const auto& i) { return value(i[2], i[0], i[1]); });
  check([](const auto& x) { return x.swapaxes(0, -1); }, {7, 6, 5},
        [](const auto& i) { return value(i[2], i[1], i[0]); });
  check([](const auto& x) { return ash::moveaxis(x, 0, -1); }, {6, 7, 5},
        [](const auto& i) { return value(i[2], i[0], i[1]); });
  check(
      [](const auto& x) {
        return ash::moveaxis(x, {2, 0}, {0, 1});
      },
      {7, 5, 6}, [](const auto& i) { return value(i[1], i[2], i[0]); });
  check(
      [](const auto& x) {
        return ash::expand_dims(x, {0, -1});
      },
      {1, 5, 6, 7, 1}, [](const auto& i) { return value(i[1], i[2], i[3]); });
  check(
      [](const auto& x) {
        return ash::expand_dims(x(slice{3, 4}), {2}).squeeze();
      },
      {6, 7}, [](const auto& i) { return value(3, i[0], i[1]); });
  check(
      [](const auto& x) {
        return x(slice{3, 4}).squeeze(0).squeeze();
      },
      {6, 7}, [](const auto& i) { return value(3, i[0], i[1]); });
}

TEST_CASE("axes go backwards, turn, repeat, and meet in diagonals") {
  check([](const auto& x) { return ash::flip(x); }, {5, 6, 7},
        [](const auto& i) { return value(4 - i[0], 5 - i[1], 6 - i[2]); });
  check([](const auto& x) { return ash::flipud(ash::fliplr(x)); }, {5, 6, 7},
        [](const auto& i) { return value(4 - i[0], 5 - i[1], i[2]); });
  check([](const auto& x) { return ash::rot90(x); }, {6, 5, 7},
        [](const auto& i) { return value(i[1], 5 - i[0], i[2]); });
  check([](const auto& x) { return ash::rot90(x, 2, 1, 2); }, {5, 6, 7},
        [](const auto& i) { return value(i[0], 5 - i[1], 6 - i[2]); });
  check([](const auto& x) { return ash::rot90(x, -1); }, {6, 5, 7},
        [](const auto& i) { return value(4 - i[1], i[0], i[2]); });
  check(
      [](const auto& x) {
        return ash::broadcast_to(x(0, all, newaxis, 0), {3, 6, 4});
      },
      {3, 6, 4}, [](const auto& i) { return value(0, i[1], 0); });
  check([](const auto& x) { return x.diagonal(); }, {7, 5}, [](const auto& i) { return value(i[1], i[1], i[0]); });
  check([](const auto& x) { return x.diagonal(2, -1, 0); }, {6, 3},
        [](const auto& i) { return value(i[1] + 2, i[0], i[1]); });
  check([](const auto& x) { return x.diagonal(-4, 1, 2); }, {5, 2},
        [](const auto& i) { return value(i[0], i[1] + 4, i[1]); });
  check([](const auto& x) { return x.diagonal(50); }, {7, 0}, [](const auto&) { return 0.0; });
}

TEST_CASE("windows are views, and a reduction over them reads the array in place") {
  check([](const auto& x) { return ash::sliding_window_view(x, {3}, 1); }, {5, 4, 7, 3},
        [](const auto& i) { return value(i[0], i[1] + i[3], i[2]); });
  check(
      [](const auto& x) {
        return ash::sliding_window_view(x, {2, 1, 7});
      },
      {4, 6, 1, 2, 1, 7}, [](const auto& i) { return value(i[0] + i[3], i[1] + i[4], i[2] + i[5]); });
  check([](const auto& x) -> ash::array<double> { return ash::sliding_window_view(x, {3}, -1).max(-1); }, {5, 6, 5},
        [](const auto& i) { return value(i[0], i[1], i[2] + 2); });
  check(
      [](const auto& x) -> ash::array<double> {
        return ash::sliding_window_view(x, {3, 2}, {0, 1}).sum({-1, -2});
      },
      {3, 5, 7}, [](const auto& i) { return 6 * value(i[0], i[1], i[2]) + 6 * 100 + 3 * 10; });
}

TEST_CASE("views of views are one view, and of expressions are computed where they are read") {
  check(
      [](const auto& x) {
        return x.transpose()(slice{1, 6, 2}, all, -1)(all, slice{.step = -3});
      },
      {3, 2}, [](const auto& i) { return value(4, 5 - 3 * i[1], 1 + 2 * i[0]); });
  check([](const auto& x) -> ash::array<double> { return (x + x.mean(0)).transpose()(0); }, {6, 5},
        [](const auto& i) { return value(i[1], i[0], 0) + value(2, i[0], 0); });
  check(
      [](const auto& x) -> ash::array<double> {
        const ash::array<double> y = x * 2.0 + x(slice{0, 1});
        return y(slice{1}) - y(slice{0, -1});
      },
      {4, 6, 7}, [](const auto&) { return 200.0; });
  check(
      [](const auto& x) -> ash::array<double> {
        return x(slice{1}, slice{1}, slice{1}) - x(slice{0, -1}, slice{0, -1}, slice{0, -1});
      },
      {4, 5, 6}, [](const auto&) { return 111.0; });
  check(
      [](const auto& x) -> ash::array<double> {
        return ash::recompute(x * 3.0)(slice{1}) - ash::recompute(x * 3.0)(slice{0, -1});
      },
      {4, 6, 7}, [](const auto&) { return 300.0; });
}

TEST_CASE("starts before the array with a negative step give nothing") {
  const auto x = ash::arange<double>(10, {.chunks = {2}});
  CHECK(x(slice{-11, -7, -2}).shape() == ash::shape{0});
  CHECK(ash::arange<double>(3, {.chunks = {3}})(slice{-5, -5, -2}).compute().size() == 0);
}

TEST_CASE("blocks of a slice are those behind it") {
  const auto cuts = [](const ash::array<double>& x) { return x.chunks().to_string(); };
  const auto x = ash::arange<double>(10, {.chunks = {4}});
  CHECK(cuts(x(slice{.step = -1})) == "((2, 4, 4),)");
  CHECK(cuts(x(slice{8, 1, -3})) == "((1, 1, 1),)");
  CHECK(cuts(x(slice{3})) == "((1, 4, 2),)");
  CHECK(cuts(x(slice{7, 3})) == "((0,),)");
  CHECK(cuts(ash::arange<double>(20, {.chunks = {5}})(slice{.step = 2})) == "((3, 2, 3, 2),)");
}

TEST_CASE("blocks() picks whole blocks") {
  const auto x = ash::arange<double>(10, {.chunks = {4}});
  CHECK(x.blocks(1).compute().shape() == ash::shape{4});
  CHECK(x.blocks(-1)(0).compute().item() == 8);
  CHECK(x.blocks(slice{0, 2}).chunks().to_string() == "((4, 4),)");
  CHECK(x.blocks(slice{2, 0}).shape() == ash::shape{0});
  CHECK_THROWS_WITH_AS(x.blocks(3), doctest::Contains("block 3 is outside axis 0"), ash::index_error);
  CHECK_THROWS_AS(x.blocks(0, 0), ash::axis_error);
  CHECK_THROWS_AS(x.blocks(slice{.step = 2}), ash::index_error);
}

TEST_CASE("what no result needs is not computed") {
  std::int64_t calls = 0;
  const auto x = ash::arange<double>(1000, {.chunks = {10}});
  const ash::array<double> kept = ash::map_blocks(
      [&calls](ash::ndarray<const double> in) {
        ++calls;
        return in.copy();
      },
      x);
  CHECK(kept(slice{95, 115}).sum().compute(ash::serial{}).item() == (95 + 114) * 10);
  CHECK(calls == 3);
  CHECK(kept(slice{95, 115}).explain(ash::serial{}).find("3 tasks (97 not needed)") != std::string::npos);
}

TEST_CASE("bad indices say what would be right") {
  const auto x = ash::zeros<double>({5, 6}, {.chunks = {2, 2}});
  CHECK_THROWS_WITH_AS(x(5),
                       "index: position 5 is outside axis 0 of length 5 of an array of shape (5, 6); positions go "
                       "from -5 to 4",
                       ash::index_error);
  CHECK_THROWS_AS(x(0, -7), ash::index_error);
  CHECK_THROWS_WITH_AS(x(0, 0, 0), doctest::Contains("3 entries for an array of 2 axes"), ash::index_error);
  CHECK_THROWS_AS(x(ellipsis, ellipsis), ash::index_error);
  CHECK_THROWS_AS(x(slice{.step = 0}), ash::value_error);
  CHECK_THROWS_AS(x.transpose({0}), ash::axis_error);
  CHECK_THROWS_AS(x.transpose({0, 0}), ash::axis_error);
  CHECK_THROWS_AS(x.swapaxes(0, 2), ash::axis_error);
  CHECK_THROWS_AS(x.squeeze(0), ash::shape_error);
  CHECK_THROWS_AS(ash::moveaxis(x, {0, 1}, {0}), ash::axis_error);
  CHECK_THROWS_AS(ash::broadcast_to(x, {5, 7}), ash::shape_error);
  CHECK_THROWS_AS(ash::broadcast_to(x, {6}), ash::shape_error);
  CHECK_THROWS_AS(x.diagonal(0, 1, 1), ash::axis_error);
  CHECK_THROWS_AS(x(0).diagonal(), ash::axis_error);
  CHECK_THROWS_AS(ash::rot90(x, 1, 0, 0), ash::axis_error);
  CHECK_THROWS_AS(ash::sliding_window_view(x, {6}, 0), ash::shape_error);
  CHECK_THROWS_AS(ash::sliding_window_view(x, {0}, 0), ash::shape_error);
  CHECK_THROWS_AS(ash::sliding_window_view(x, {2}), ash::axis_error);
}

}  // namespace
