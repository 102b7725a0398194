// Elements in other blocks, shapes and orders against plain loops over indices.
#include <doctest/doctest.h>

#include <ashlar/ashlar.hpp>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "support/lazy_cases.hpp"
#include "support/lazy_check.hpp"

namespace ash = ashlar;

namespace {

using ash::all;
using ash::slice;
using lazy_cases::check;
using lazy_cases::value;

double flat(std::int64_t n) { return value(n / 42, n / 7 % 6, n % 7); }

TEST_CASE("rechunked arrays have the same elements in the blocks that were asked for") {
  const auto same = [](const auto& i) { return value(i[0], i[1], i[2]); };
  check([](const auto& x) { return x.rechunk({3, 5, 2}); }, {5, 6, 7}, same);
  check([](const auto& x) { return x.rechunk({{4, 0, 1}, ash::full, ash::keep}); }, {5, 6, 7}, same);
  check([](const auto& x) { return (x + x.rechunk({1, 1, 7})).rechunk({2, 6, 1}) * 0.5; }, {5, 6, 7}, same);
  const auto x = ash::ones<double>({5, 6}, {.chunks = {2, 3}});
  CHECK(x.rechunk({ash::keep, 4}).chunks().to_string() == "((2, 2, 1), (4, 2))");
  CHECK(x.rechunk({2, 3}).node() == x.node());
  CHECK_THROWS_AS(x.rechunk({2, 3, 4}), ash::chunk_error);
  CHECK_THROWS_AS(x.rechunk({{2, 2}, 3}), ash::chunk_error);
  CHECK_THROWS_AS(x.rechunk({0, 3}), ash::chunk_error);
}

TEST_CASE("balance makes blocks of nearly one length") {
  const auto cuts = [](std::int64_t n, ash::chunks chunks, std::int64_t to) {
    return ash::zeros<double>({n}, {.chunks = std::move(chunks)}).rechunk({to}, {.balance = true}).chunks().to_string();
  };
  CHECK(cuts(1000, {1000}, 400) == "((500, 500),)");
  CHECK(cuts(31, {10}, 10) == "((11, 11, 9),)");
  CHECK(cuts(30, {30}, 10) == "((10, 10, 10),)");
  CHECK(cuts(0, {1}, 10) == "((0,),)");
}

TEST_CASE("blocks without elements stay harmless, and none appear") {
  const auto x = ash::ones<double>({100, 100}, {.chunks = {{50, 50}, {100, 0}}});
  const auto y = x.rechunk({{40, 60}, {100, 0}});
  CHECK(y.sum().compute().item() == 10000);
  CHECK(y.compute()(99, 99) == 1);
  const auto z = ash::ones<float>({3944, 78, 71}, {.chunks = {24, 78, 71}}).rechunk({438, 5, 5});
  for (const std::int64_t n : z.chunks().axis(2).lengths()) CHECK(n > 0);
  CHECK(z.sum().compute().item() == 3944.0f * 78 * 71);
}

TEST_CASE("any shape of as many elements") {
  const auto as = [](ash::shape to) {
    check([to](const auto& x) { return x.reshape(to); }, to,
          [to](const auto& i) {
            std::int64_t n = 0;
            for (std::size_t a = 0; a < i.size(); ++a) n = n * to[static_cast<int>(a)] + i[a];
            return flat(n);
          });
  };
  as({210});
  as({5, 42});
  as({30, 7});
  as({7, 6, 5});
  as({10, 21});
  as({5, 2, 3, 7});
  as({1, 5, 6, 1, 7, 1});
  as({2, 105});
  as({14, 15});
  check(
      [](const auto& x) {
        return x.reshape({-1, 21});
      },
      {10, 21}, [](const auto& i) { return flat(i[0] * 21 + i[1]); });
  check([](const auto& x) { return x.ravel(); }, {210}, [](const auto& i) { return flat(i[0]); });
  check(
      [](const auto& x) {
        return x.transpose().reshape({42, 5});
      },
      {42, 5}, [](const auto& i) { return value(i[1], i[0] % 6, i[0] / 6); });
  check(
      [](const auto& x) {
        return x.reshape({15, 14})(slice{2, 12, 3}, slice{.step = -1});
      },
      {4, 14}, [](const auto& i) { return flat((2 + 3 * i[0]) * 14 + 13 - i[1]); });
  check([](const auto& x) { return ash::flip(x, 2).ravel(); }, {210},
        [](const auto& i) { return value(i[0] / 42, i[0] / 7 % 6, 6 - i[0] % 7); });
}

TEST_CASE("shapes into strided memory") {
  const auto x = ash::arange<double>(24, {.chunks = {5}}).persist();
  ash::ndarray<double> room(ash::shape{4, 12});
  room.fill(-1);
  const ash::ndarray<double> every_second(room.owner(), room.data(), {4, 6}, {12, 2});
  x.reshape({4, 6}).compute_into(every_second);
  CHECK(room(0, 0) == 0);
  CHECK(room(0, 1) == -1);
  CHECK(room(3, 10) == 23);
  CHECK(room(2, 4) == 14);
}

TEST_CASE("reshapes of arrays without elements, and of one element") {
  const auto none = ash::zeros<double>({0, 3}, {.chunks = {1}});
  CHECK(none.reshape({3, 0, 2}).compute().shape() == ash::shape{3, 0, 2});
  CHECK(none.ravel().compute().size() == 0);
  CHECK((none.persist() + 0.0).reshape({0}).compute().size() == 0);
  const auto one = (ash::full({}, 7.0) + 0.0).reshape({1, 1});
  CHECK(one.compute()(0, 0) == 7);
  CHECK(one.reshape(ash::shape{}).compute().item() == 7);
}

TEST_CASE("C order whatever the blocks") {
  const auto x = ash::arange<std::int64_t>(24).reshape({2, 3, 4}).rechunk({1, 1, 4}).persist();
  const auto y = x.reshape({2, 12}).compute();
  for (std::int64_t i = 0; i < 24; ++i) CHECK(y(i / 12, i % 12) == i);
}

TEST_CASE("axes of length 1 come and go as views, with the blocks as they are") {
  const ash::array<double> x = ash::arange<double>(14, {.chunks = {{3, 1, 3, 7}}}).persist();
  const auto y = x.reshape({1, 14, 1});
  CHECK(y.chunks().to_string() == "((1,), (3, 1, 3, 7), (1,))");
  CHECK(y.explain().find("movement") != std::string::npos);
  CHECK(y.reshape({14}).compute()(13) == 13);
  CHECK((y + 0.0).explain().find("movement") == std::string::npos);
}

TEST_CASE("bad shapes say how many elements there are") {
  const auto x = ash::zeros<double>({4, 6});
  CHECK_THROWS_WITH_AS(x.reshape({5, 5}),
                       "reshape: an array of shape (4, 6) has 24 elements, and the shape (5, 5) holds "
                       "25; the numbers of elements must agree",
                       ash::shape_error);
  CHECK_THROWS_AS(x.reshape({-1, -1}), ash::shape_error);
  CHECK_THROWS_AS(x.reshape({-1, 5}), ash::shape_error);
  CHECK_THROWS_AS(x.reshape({-2, -12}), ash::shape_error);
  CHECK_THROWS_AS(ash::zeros<double>({0}).reshape({-1, 0}), ash::shape_error);
}

TEST_CASE("rolls, also over several axes and as a flat array") {
  check([](const auto& x) { return ash::roll(x, 2, 0); }, {5, 6, 7},
        [](const auto& i) { return value((i[0] + 3) % 5, i[1], i[2]); });
  check(
      [](const auto& x) {
        return ash::roll(x, {-1, 9}, {1, 2});
      },
      {5, 6, 7}, [](const auto& i) { return value(i[0], (i[1] + 1) % 6, (i[2] + 5) % 7); });
  check(
      [](const auto& x) {
        return ash::roll(x, {1, 1}, {0, 0});
      },
      {5, 6, 7}, [](const auto& i) { return value((i[0] + 3) % 5, i[1], i[2]); });
  check([](const auto& x) { return ash::roll(x, 11); }, {5, 6, 7},
        [](const auto& i) { return flat((i[0] * 42 + i[1] * 7 + i[2] + 199) % 210); });
  const auto x = ash::arange<double>(12, {.chunks = {5}}).reshape({3, 4});
  const auto rolled = ash::roll(x, {1, -2}, {0, 1}).compute();
  CHECK(rolled(0, 0) == 10);
  CHECK(rolled(0, 3) == 9);
  CHECK(rolled(2, 0) == 6);
  CHECK(ash::roll(ash::zeros<double>({0, 3}), 2, 0).compute().shape() == ash::shape{0, 3});
  CHECK_THROWS_AS(ash::roll(x, {1, 2, 3}, {0, 1}), ash::shape_error);
}

TEST_CASE("arrays of all 32 axes are repeated, by an axis less on the way") {
  ash::shape most = ash::shape::filled(32, 1);
  most[3] = 2;
  most[31] = 3;
  const auto x = ash::from(ash::ndarray<int>::from({1, 2, 3, 4, 5, 6})).reshape(most);
  ash::shape longer = most;
  longer[31] = 6;
  CHECK(x.repeat(2, -1).shape() == longer);
  CHECK(values(x.repeat(2, -1)) == std::vector<int>{1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6});
  CHECK(values(x.repeat(2, 3)) == std::vector<int>{1, 2, 3, 1, 2, 3, 4, 5, 6, 4, 5, 6});
  CHECK(values((x + 1).repeat(2, 0)) == std::vector<int>{2, 3, 4, 5, 6, 7, 2, 3, 4, 5, 6, 7});
  CHECK(ash::tile(x, {2}).shape() == longer);
  CHECK(values(ash::tile(x, {2})) == std::vector<int>{1, 2, 3, 1, 2, 3, 4, 5, 6, 4, 5, 6});
  std::vector<std::int64_t> times(32, 1);
  times[0] = 2;
  times[3] = 2;
  times[31] = 2;
  const std::vector<int> twice{1, 2, 3, 1, 2, 3, 4, 5, 6, 4, 5, 6, 1, 2, 3, 1, 2, 3, 4, 5, 6, 4, 5, 6};
  std::vector<int> four = twice;
  four.insert(four.end(), twice.begin(), twice.end());
  for (const int workers : {1, 3})
    CHECK(values(ash::tile(x, times).compute(ash::std_threads{.workers = workers})) == four);

  // all axes longer than 1: neighbours are one meanwhile
  ash::shape full = ash::shape::filled(32, 2);
  full[5] = 0;
  CHECK(ash::zeros<int>(full).repeat(3, 0).compute().size() == 0);
  CHECK(ash::tile(ash::zeros<int>(full), std::vector<std::int64_t>(32, 2)).compute().shape()[31] == 4);
  full[5] = 2;
  const auto generated = ash::arange<std::int64_t>(0, std::int64_t{1} << 32, 1, {.chunks = {1 << 20}}).reshape(full);
  CHECK(values(generated.repeat(2, 31).ravel()(slice{0, 8})) == std::vector<std::int64_t>{0, 0, 1, 1, 2, 2, 3, 3});
  CHECK(values(generated.repeat(2, 0).ravel()(slice{0, 3})) == std::vector<std::int64_t>{0, 1, 2});
  CHECK(values(ash::tile(generated, {2}).ravel()(slice{2, 8})) == std::vector<std::int64_t>{0, 1, 2, 3, 2, 3});
  CHECK_THROWS_AS(ash::tile(x, std::vector<std::int64_t>(33, 1)), ash::shape_error);
}

TEST_CASE("repeated elements and arrays") {
  check([](const auto& x) { return x.repeat(3, 1); }, {5, 18, 7},
        [](const auto& i) { return value(i[0], i[1] / 3, i[2]); });
  check([](const auto& x) { return x.repeat(0, -1); }, {5, 6, 0}, [](const auto&) { return 0.0; });
  check(
      [](const auto& x) {
        return ash::tile(x, {2, 3});
      },
      {5, 12, 21}, [](const auto& i) { return value(i[0], i[1] % 6, i[2] % 7); });
  check(
      [](const auto& x) {
        return ash::tile(x, {2, 1, 1, 2});
      },
      {2, 5, 6, 14}, [](const auto& i) { return value(i[1], i[2], i[3] % 7); });
  CHECK_THROWS_AS(ash::tile(ash::zeros<double>({2}), {-1}), ash::value_error);
  CHECK_THROWS_AS(ash::repeat(ash::zeros<double>({2}), -1, 0), ash::value_error);
}

TEST_CASE("a copy in which a part is replaced") {
  check(
      [](const auto& x) {
        return x.set(-1.0, slice{1, 3}, all, ash::last);
      },
      {5, 6, 7}, [](const auto& i) { return (i[0] == 1 || i[0] == 2) && i[2] == 6 ? -1.0 : value(i[0], i[1], i[2]); });
  check(
      [](const auto& x) {
        return x.set(x(slice{0, 2}) * 2.0, slice{4, 0, -3});
      },
      {5, 6, 7},
      [](const auto& i) {
        if (i[0] == 4) return 2 * value(0, i[1], i[2]);
        if (i[0] == 1) return 2 * value(1, i[1], i[2]);
        return value(i[0], i[1], i[2]);
      });
  check(
      [](const auto& x) {
        return x.set(9.0, slice{3, 1});
      },
      {5, 6, 7},
      [](const auto& i) { return value(i[0], i[1], i[2]); });  // through a slice that picks nothing, nothing is written
  const auto x = ash::arange<double>(10, {.chunks = {2}});
  CHECK(x.set(-1.0, slice{-11, -7, -2}).sum().compute().item() == 45);
  CHECK(x.set(100.0, 3).sum().compute().item() == 142);
  CHECK_THROWS_AS(x.set(1.0, 10), ash::index_error);
  CHECK_THROWS_WITH_AS(x.set(ash::zeros<double>({3}), slice{0, 2}), doctest::Contains("set: "), ash::shape_error);
  CHECK_THROWS_AS(ash::zeros<std::uint8_t>({3}).set(300, 0), ash::dtype_error);
}

TEST_CASE("counts and steps at the ends of 64 bits are right or refused") {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  const auto x = ash::arange<double>(7, {.chunks = {3}});
  ash::array<double> y = x(slice{0, 1});
  for (int k = 0; k < 100; ++k) y = y(slice{.step = 5});
  CHECK(y.compute()(0) == 0);
  CHECK_THROWS_AS(x(ash::last - 1 - most), ash::index_error);
  CHECK_THROWS_AS(static_cast<void>(ash::last - (-1)), ash::index_error);
  CHECK_THROWS_AS(ash::pad(x, most), ash::error);
  CHECK_THROWS_AS(ash::pad(x, most / 4), ash::chunk_error);
  CHECK_THROWS_AS(ash::pad(x, 1, {.mode = ash::pad_mode::mean, .stat_length = -1}), ash::value_error);
  CHECK_THROWS_AS(ash::array_split(x, most), ash::value_error);
  CHECK_THROWS_AS(ash::diag(x, std::numeric_limits<std::int64_t>::min()), ash::shape_error);
  CHECK(ash::roll(x, most, 0).compute()(0) == (7 - most % 7) % 7);
  const auto huge = ash::arange<std::int64_t>(std::int64_t{1} << 40);
  CHECK(huge.rechunk({std::int64_t{1} << 30}, {.balance = true}).chunks().axis(0).count() == 1024);
  const auto odd = ash::delete_(huge, slice{.step = 2}, 0);
  CHECK(odd.shape() == ash::shape{std::int64_t{1} << 39});
  CHECK(odd.chunks().axis(0).count() == huge.chunks().axis(0).count());
  CHECK(odd(slice{1000, 1003}).compute()(2) == 2005);
  const auto rare = ash::delete_(huge, slice{5, -1, 1 << 20}, 0);  // 2^20 gaps of 2^20 - 1
  CHECK(rare.shape() == ash::shape{(std::int64_t{1} << 40) - (1 << 20)});
  CHECK(rare(slice{4, 7}).compute()(1) == 6);
  CHECK(rare(slice{1 << 20, (1 << 20) + 8}).compute()(7) == (1 << 20) + 9);
  CHECK(ash::broadcast_to(ash::zeros<double>({0, 1}), {0, most}).compute().size() == 0);
}

TEST_CASE("many parts: wide pads of short arrays, of many axes, and of many arrays") {
  const auto x = ash::arange<double>(7, {.chunks = {3}});
  const auto wide = ash::pad(x, 20'000, {.mode = ash::pad_mode::wrap}).compute();
  CHECK(wide(0) == (7 - 20'000 % 7) % 7);
  CHECK(wide(20'000 + 6) == 6);
  const auto cube = ash::pad(ash::ones<double>({1, 1, 1, 1, 1, 1, 1, 1}), 1, {.mode = ash::pad_mode::wrap});
  CHECK(cube.sum().compute().item() == 6561);
  const auto m = ash::arange<double>(6).reshape({2, 3});
  const auto around = ash::pad(m, 60, {.mode = ash::pad_mode::reflect}).compute();
  CHECK(around(60, 60) == 0);
  CHECK(around(0, 0) == 0);
  CHECK(around(61, 59) == 4);
  std::vector<ash::array<double>> many(3000, x);
  CHECK(ash::concatenate(many).sum().compute().item() == 3000 * 21);
}

TEST_CASE("values with leading axes of length 1 are set as NumPy sets them") {
  const auto x = ash::zeros<double>({7}, {.chunks = {3}});
  CHECK(x.set(ash::ones<double>({1, 7}), all).sum().compute().item() == 7);
}

}  // namespace
