// Scans: values that NumPy gives, and what happens around them: blocks without elements, fusion, files, limits, errors.
#include <doctest/doctest.h>

#include <atomic>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <ashlar/ashlar.hpp>
#include <ashlar/graph/lower.hpp>
#include <ashlar/npy.hpp>

#include "support/lazy_check.hpp"
#include "support/temporary_directory.hpp"

namespace ash = ashlar;

namespace {

constexpr double quiet = std::numeric_limits<double>::quiet_NaN();
constexpr double inf = std::numeric_limits<double>::infinity();

template <class T>
using list = std::vector<T>;

/// All ways to cut n elements into blocks, with some of none in between.
std::vector<std::vector<std::int64_t>> all_cuts(int n) {
  std::vector<std::vector<std::int64_t>> cuts;
  for (unsigned mask = 0; mask < 1u << (n - 1); ++mask) {
    std::vector<std::int64_t> lengths{0, 1};
    for (int k = 0; k < n - 1; ++k) {
      if ((mask >> k & 1u) == 0) {
        ++lengths.back();
      } else {
        if (mask % 3 == 1) lengths.push_back(0);
        lengths.push_back(1);
      }
    }
    if (mask % 2 == 1) lengths.push_back(0);
    cuts.push_back(lengths);
  }
  return cuts;
}

/// f(x) has these values however x is cut.
template <class T, class F, class R>
void for_every_cut(const std::vector<T>& x, F f, const std::vector<R>& expected) {
  ash::ndarray<T> data({static_cast<std::int64_t>(x.size())});
  std::size_t i = 0;
  for (T& v : data) v = x[i++];
  for (const auto& lengths : all_cuts(static_cast<int>(x.size()))) {
    const auto y = f(ash::from(data, {.chunks = ash::chunks{ash::chunk_spec(lengths)}}));
    static_assert(std::is_same_v<typename decltype(y)::value_type, R>);
    const std::vector<R> got = values(y);
    CAPTURE(y.chunks().to_string());
    REQUIRE(got.size() == expected.size());
    for (std::size_t k = 0; k < got.size(); ++k) {
      CAPTURE(k);
      CHECK((got[k] == expected[k] || (got[k] != got[k] && expected[k] != expected[k])));
    }
  }
}

}  // namespace

TEST_CASE("scans: the small cases of NumPy, cut in every way") {
  for_every_cut<double>(
      {1, 2, 3}, [](const auto& x) { return x.cumsum(); }, list<double>{1, 3, 6});
  for_every_cut<double>(
      {0, 1e308, 1e308, 10}, [](const auto& x) { return x.cumprod(); }, list<double>{0, 0, 0, 0});
  for_every_cut<int>(
      {3, 1, 2, 5}, [](const auto& x) { return x.cummin(); }, list<int>{3, 1, 1, 1});
  for_every_cut<int>(
      {3, 1, 2, 5}, [](const auto& x) { return ash::cummax(x, -1); }, list<int>{3, 3, 3, 5});
  for_every_cut<double>(
      {inf, -inf, 1}, [](const auto& x) { return x.cumsum(); }, list<double>{inf, quiet, quiet});
}

TEST_CASE("scans: bool and integers are added in 64 bits, and wrap there") {
  for_every_cut<std::int8_t>(
      {100, 100, 100, 100, 100, 100}, [](const auto& x) { return x.cumsum(); },
      list<std::int64_t>{100, 200, 300, 400, 500, 600});
  for_every_cut<std::uint8_t>(
      {200, 200, 2}, [](const auto& x) { return x.cumprod(); }, list<std::uint64_t>{200, 40000, 80000});
  const ash::array<bool> b = ash::array<bool>::from({true, false, true}, {.chunks = {2}});
  CHECK(values(b.cumsum()) == list<std::int64_t>{1, 1, 2});
  CHECK(values(b.cumprod()) == list<std::int64_t>{1, 0, 0});
  CHECK(values(b.cummin()) == list<bool>{true, false, false});
  CHECK(values(ash::logical_not(b).cummax()) == list<bool>{false, true, true});
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  for_every_cut<std::int64_t>(
      {most, 1, 1}, [](const auto& x) { return x.cumsum(); },
      list<std::int64_t>{most, std::numeric_limits<std::int64_t>::min(), -most});
}

TEST_CASE("scans: float is added and multiplied in double, or in NumPy's way when that is asked for") {
  const list<float> x{3e37f, 1, 100, 0.01f};
  constexpr float big = std::numeric_limits<float>::infinity();
  for_every_cut<float>(
      x, [](const auto& a) { return a.cumprod(); },
      list<float>{3e37f, 3e37f, big, static_cast<float>(3e37f * 100.0 * 0.01f)});
  const ash::scan_options numpy{.method = ash::scan_method::sequential};
  for_every_cut<float>(
      x, [&](const auto& a) { return a.cumprod(0, numpy); }, list<float>{3e37f, 3e37f, big, big});
  for_every_cut<float>(
      {16777216, 1, 1}, [](const auto& a) { return a.cumsum(); }, list<float>{16777216, 16777216, 16777218});
  for_every_cut<float>(
      {16777216, 1, 1}, [&](const auto& a) { return ash::cumsum(a, 0, numpy); },
      list<float>{16777216, 16777216, 16777216});
}

TEST_CASE("scans: NaN stays once it has come, or is passed over") {
  for_every_cut<double>(
      {1, quiet, 2}, [](const auto& x) { return x.cumsum(); }, list<double>{1, quiet, quiet});
  for_every_cut<double>(
      {2, quiet, 1, 3}, [](const auto& x) { return x.cummin(); }, list<double>{2, quiet, quiet, quiet});
  for_every_cut<double>(
      {2, -quiet, 1, 3}, [](const auto& x) { return x.cummax(); }, list<double>{2, quiet, quiet, quiet});
  for_every_cut<double>(
      {quiet, 1, quiet, 2}, [](const auto& x) { return ash::nancumsum(x); }, list<double>{0, 1, 1, 3});
  for_every_cut<double>(
      {quiet, 3, quiet, 2}, [](const auto& x) { return ash::nancumprod(x, 0); }, list<double>{1, 3, 3, 6});
  for_every_cut<int>(
      {4, 5}, [](const auto& x) { return ash::nancumsum(x); }, list<std::int64_t>{4, 9});
  using complex = std::complex<double>;
  for_every_cut<complex>(
      {{1, 1}, {quiet, 5}, {0, 2}}, [](const auto& x) { return ash::nancumsum(x); },
      list<complex>{{1, 1}, {1, 1}, {1, 3}});
}

TEST_CASE("scans: zeros keep their signs, and -0.0 is the smaller one") {
  const ash::array<double> x = ash::array<double>::from({-0.0, -0.0, 0.0, -0.0}, {.chunks = {3}});
  const auto signs = [](const ash::array<double>& y) {
    list<bool> s;
    for (const double v : values(y)) s.push_back(std::signbit(v));
    return s;
  };
  CHECK(signs(x.cumsum()) == list<bool>{true, true, false, false});
  CHECK(signs(x.cummin()) == list<bool>{true, true, true, true});
  CHECK(signs(x.cummax()) == list<bool>{true, true, false, false});
}

TEST_CASE("scans: complex numbers") {
  using complex = std::complex<float>;
  for_every_cut<complex>(
      {{1, 1}, {0, 1}, {2, 0}}, [](const auto& x) { return x.cumprod(); }, list<complex>{{1, 1}, {-1, 1}, {-2, 2}});
  for_every_cut<complex>(
      {{1, 1}, {0, 1}, {2, 0}}, [](const auto& x) { return x.cumsum(); }, list<complex>{{1, 1}, {1, 2}, {3, 2}});
}

TEST_CASE("scans: sums of numbers that are not negative never decrease, across leaves and blocks") {
  const ash::array<double> x = ash::random::uniform<double>({30000}, {.chunks = {701}});
  const auto sums = values(x.cumsum());
  bool grows = true;
  for (std::size_t i = 1; i < sums.size(); ++i) grows = grows && sums[i] >= sums[i - 1];
  CHECK(grows);
  CHECK(sums.back() == doctest::Approx(x.sum().compute().item()).epsilon(1e-13));
}

TEST_CASE("scans: what is below and above a scan, and views of it") {
  const ash::array<double> x =
      ash::fromfunction([](std::int64_t i, std::int64_t j) { return static_cast<double>((i * 7 + j * 3) % 11); },
                        {90, 70}, {.chunks = {17, 30}});
  const ash::ndarray<double> a = x.compute();
  ash::ndarray<double> down({90, 70});
  ash::ndarray<double> along({90, 70});
  double along_total = 0;
  for (std::int64_t i = 0; i < 90; ++i) {
    for (std::int64_t j = 0; j < 70; ++j) {
      down(i, j) = (i > 0 ? down(i - 1, j) : 0.0) + 2 * a(i, j) + 1;
      along(i, j) = (j > 0 ? along(i, j - 1) : 0.0) + 2 * a(i, j) + 1;
      along_total += along(i, j);
    }
  }
  for (const int workers : {1, 2, 3, 8}) {
    const ash::threads on{.workers = workers};
    for (const bool optimize : {true, false}) {
      const ash::run_options options{.optimize = optimize};
      CHECK(same_bits(ash::cumsum(2.0 * x + 1.0, 0).compute(on, options), down));
      CHECK(same_bits(ash::cumsum(2.0 * x + 1.0, 1).compute(on, options), along));
      CHECK(same_bits(ash::cumsum(2.0 * x.transpose() + 1.0, 0).compute(on, options), along.transpose()));
      // read by several, in blocks of its own
      const ash::array<double> y = ash::cumsum(2.0 * x + 1.0, 1);
      const auto [total, half, top] = ash::compute(on, options, y.sum(), ash::array<double>(y / 2.0), y.max(0));
      CHECK(total.item() == doctest::Approx(along_total));
      CHECK(half(89, 69) == along(89, 69) / 2);
      CHECK(top(69) == ash::from(along)(ash::all, 69).max().compute().item());
      // scans of scans
      CHECK(same_bits(y.cumsum(0).cummax(1).compute(on, options), ash::from(along).cumsum(0).cummax(1).compute()));
      CHECK(values(y(ash::slice{80, 20, -30}, 3)) == list<double>{along(80, 3), along(50, 3)});
    }
  }
}

TEST_CASE("scans: only the blocks that a view of a scan needs are made") {
  const ash::array<double> x = ash::ones<double>({100, 40}, {.chunks = {10, 10}});
  const ash::array<double> part = ash::cumsum(x, 0)(ash::slice{.stop = 25}, ash::slice{.stop = 15});
  const auto plan = ash::detail::make_plan({part.node()}, 2);
  std::int64_t made = 0;
  for (const auto& l : plan->layers) {
    if (l.kind == ash::detail::layer_kind::scan) made = l.task_count - l.skipped;
  }
  CHECK(made == 6);
  CHECK(part.sum().compute().item() == 15 * 325);
}

TEST_CASE("scans: one pass, with what lies below it; equal scans are one") {
  const ash::array<double> x = ash::zeros<double>({6, 4}, {.chunks = {2, 2}});
  const std::string text = ash::cumsum(x * 2.0 + 1.0, 0).explain(ash::serial{});
  CAPTURE(text);
  CHECK(contains(text, "layer 0: scan cumsum, 6 tasks, reads zeros (6, 4), 2 operations fused"));
  CHECK(contains(text, "6 tasks, 4 edges"));
  CHECK_FALSE(contains(text, "layer 1"));
  const auto layers = [](const auto&... a) { return ash::detail::make_plan({a.node()...}, 1)->layers.size(); };
  CHECK(layers(x.cumsum(0), ash::cumsum(x, -2)) == 1);
  CHECK(layers(x.cumsum(0), x.cumsum(1)) == 2);
  CHECK(layers(x.cumsum(0), x.cumprod(0)) == 2);
  const ash::scan_options sequential{.method = ash::scan_method::sequential};
  CHECK(layers(x.cumsum(0), x.cumsum(0, sequential)) == 2);
  CHECK(layers(x.cumprod(0), x.cumprod(0, sequential)) == 1);
  const std::string picture = ash::to_dot({}, x.cumsum(0), ash::concatenate({x, x}));
  CHECK(contains(picture, "cumsum"));
  CHECK(contains(picture, "#c9ebea"));                                  // a scan
  CHECK(contains(picture, "#f5d3d3"));                                  // a movement
  CHECK(contains(ash::to_dot({.blocks = true}, x.cumsum(0)), "-> t"));  // from block to block
}

TEST_CASE("scans: results in files, in persisted blocks, in memory of any strides, and over what they read") {
  const testing_support::temporary_directory directory;
  const ash::array<double> x = ash::random::normal<double>({60, 50}, {.chunks = {ash::chunk_spec({20, 0, 33, 7}), 13}});
  for (const int axis : {0, 1}) {
    const ash::array<double> y = ash::cumsum(x + 1.0, axis);
    const ash::ndarray<double> right = y.compute(ash::serial{});
    const std::string path = directory.path() + "/scan.npy";
    ash::to_npy(ash::threads{.workers = 3}, y, path);
    CHECK(same_bits(ash::load_npy<double>(path), right));
    const ash::array<double> kept = y.persist(ash::threads{.workers = 2});
    CHECK(same_bits(kept.compute(), right));
    CHECK(same_bits((kept + 0.0).compute(), right));
    ash::ndarray<double> transposed({50, 60});
    y.compute_into(ash::threads{.workers = 2}, transposed.transpose());
    CHECK(same_bits(transposed.transpose(), right));
    ash::ndarray<double> same = x.compute();
    ash::cumsum(ash::from(same, {.chunks = {20, 13}}) + 1.0, axis).compute_into(same);
    CHECK(same_bits(same, right));
  }
}

TEST_CASE("scans: a limit for memory, and blocks in a file") {
  const ash::array<double> x =
      ash::map([](double v) { return v + 1; }, ash::ones<double>({2000, 500}, {.chunks = {250, 250}}));
  const ash::array<double> y = x.cumsum(0);
  const ash::array<double> z = y / y.max(0);  // all of y is held
  const ash::ndarray<double> right = z.compute(ash::serial{});
  CHECK(right(0, 0) == 1.0 / 2000);
  for (const int workers : {1, 2, 3}) {
    const std::int64_t scratch = ash::detail::make_plan({z.node()}, workers)->stats.lane_scratch;
    for (const int blocks : {4, 8, 20}) {
      const std::int64_t limit = workers * scratch + blocks * 250 * 250 * 8;
      CHECK(same_bits(z.compute(ash::std_threads{.workers = workers, .memory_limit = limit}), right));
    }
  }
}

TEST_CASE("scans: what a task throws is told with the scan, the block and the line; nothing is left behind") {
  const std::size_t before = ash::host_memory().allocated();
  for (const int workers : {1, 2, 8}) {
    const auto thrower = ash::map(
        [](double v) {
          if (v == 42) throw std::runtime_error("forty-two");
          return v;
        },
        ash::arange<double>(100, {.chunks = {10}}));
    const std::string text = message_of<ash::task_error>(
        [&] { static_cast<void>(ash::cumsum(thrower, 0).compute(ash::threads{.workers = workers})); });
    CAPTURE(text);
    CHECK(contains(text, "cumsum, block (4) of (10,)"));
    CHECK(contains(text, "scans_test.cpp"));
    CHECK(contains(text, "forty-two"));
  }
  CHECK(ash::host_memory().allocated() == before);
}

TEST_CASE("scans: axes that are not there, and arrays without elements") {
  const ash::array<double> x = ash::zeros<double>({2, 3});
  CHECK(contains(message_of<ash::axis_error>([&] { x.cumsum(2); }), "cumsum: axis 2 is out of range"));
  CHECK(contains(message_of<ash::axis_error>([&] { ash::cummax(x, -3); }), "cummax: axis -3"));
  CHECK(ash::zeros<double>({0, 3}).cumsum(0).compute().shape() == ash::shape{0, 3});
  CHECK(ash::zeros<int>({4, 0}).cummin(0).compute().shape() == ash::shape{4, 0});
  CHECK(ash::zeros<int>({0}).cumprod().compute().size() == 0);
}

TEST_CASE("scans: without an axis the flattened array is scanned, in blocks of about the same size") {
  const ash::array<int> x =
      ash::fromfunction([](auto i, auto j) { return static_cast<int>(4 * i + j); }, {3, 4}, {.chunks = {2, 2}});
  CHECK(values(x.cumsum()) == list<std::int64_t>{0, 1, 3, 6, 10, 15, 21, 28, 36, 45, 55, 66});
  CHECK(values(ash::cummax(5 - x)) == list<int>{5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5});
  const ash::array<double> z = ash::zeros<double>({100, 100}, {.chunks = {50, 50}});
  CHECK(z.cumsum().chunks().count() == 4);
  CHECK(values(ash::full({}, 3.0).cumsum()) == list<double>{3});
}

TEST_CASE("scans: the array API's, with the sum of nothing in front") {
  const ash::array<int> x = ash::array<int>::from({{1, 2, 3}, {4, 5, 6}}, {.chunks = {1, 2}});
  CHECK(values(ash::cumulative_sum(x, 1)) == list<std::int64_t>{1, 3, 6, 4, 9, 15});
  CHECK(values(ash::cumulative_sum(x, 1, {.include_initial = true})) == list<std::int64_t>{0, 1, 3, 6, 0, 4, 9, 15});
  CHECK(values(ash::cumulative_prod(x, 0, {.include_initial = true})) ==
        list<std::int64_t>{1, 1, 1, 1, 2, 3, 4, 10, 18});
  CHECK(values(ash::cumulative_sum(ash::zeros<float>({0}), {}, {.include_initial = true})) == list<float>{0});
  CHECK(contains(message_of<ash::axis_error>([&] { ash::cumulative_sum(x); }), "name the axis"));
}
