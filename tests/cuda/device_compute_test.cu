// Computes arrays on a GPU and on the host and compares every bit: views, broadcasting, movement, reductions, several
// results, arrays that stay on the device. Compiled without contraction, so that + - * / sqrt agree. Returns 77
// (skipped) where there is no device.
#include <complex>
#include <cstdint>
#include <cstring>
#include <exception>
#include <iostream>
#include <string>

#include "device_check.hpp"

#include <ashlar/ashlar.hpp>
#include <ashlar/cuda.hpp>

namespace ash = ashlar;

namespace {

using device_check::expect;

template <class T>
void expect_same(const std::string& what, const ash::ndarray<T>& host, const ash::ndarray<T>& device) {
  expect(host.shape() == device.shape(),
         what + ": shape " + device.shape().to_string() + ", expected " + host.shape().to_string());
  if (host.shape() != device.shape()) return;
  std::int64_t wrong = 0;
  std::int64_t first = -1;
  for (std::int64_t i = 0; i < host.size(); ++i) {
    if (std::memcmp(host.data() + i, device.data() + i, sizeof(T)) == 0) continue;
    if (wrong++ == 0) first = i;
  }
  expect(wrong == 0, what + ": " + std::to_string(wrong) + " of " + std::to_string(host.size()) +
                         " elements differ, the first at " + std::to_string(first));
}

/// The same bits in both places, from the host's arrays and after a stay on the device.
template <class X>
void same(const std::string& what, const X& x) {
  try {
    expect_same(what, x.compute(ash::threads{.workers = 2}), x.compute(ash::cuda::device(0)));
    const auto there = x.persist(ash::cuda::device(0));
    expect(there.place() == ash::place::device(0), what + ": persisted on the device");
    expect_same(what + ", persisted", x.compute(ash::threads{.workers = 2}), there.compute(ash::threads{.workers = 2}));
  } catch (const std::exception& e) {
    expect(false, what + ": " + e.what());
  }
}

template <class F>
void refused(const std::string& what, const std::string& part, F f) {
  try {
    f();
    expect(false, what + ": nothing was thrown");
  } catch (const ash::error& e) {
    expect(std::string(e.what()).find(part) != std::string::npos, what + ": " + e.what());
  }
}

struct scaled {
  using device_callable = void;
  double factor;
  ASHLAR_HD double operator()(double x) const { return factor * x; }
};

ash::array<double> matrix(std::int64_t rows, std::int64_t columns, ash::chunks chunks) {
  return ash::from(
      ash::random::normal<double>({rows, columns}, {.seed = 7, .chunks = {ash::full, ash::full}}).compute(),
      {.chunks = chunks});
}

void elementwise() {
  const auto x = matrix(301, 203, {100, 64});
  const auto y = matrix(301, 203, {37, 203});
  same("x + 1", x + 1.0);
  same("operands in other blocks", x * y);
  same("a chain", ash::sqrt(ash::abs(x - 10.0)) / 3.0 + y);
  same("a user's functor", ash::map(scaled{2.5}, x));
  same("broadcast of a row", x - x(0, ash::all));
  same("broadcast of a column", x / x(ash::all, ash::slice{3, 4}));
  same("a comparison", x > y);
  same("a selection", ash::where(x > 0.0, x, y));
  same("a conversion", x.astype<float>());
  same("integers", ash::arange<std::int32_t>(0, 1000, 1, {.chunks = {77}}) * 3);
  same("complex", ash::linspace<double>(1, 2, 9).astype<std::complex<double>>() * std::complex<double>(0.5, 2));
  same("nothing", ash::zeros<double>({0, 5}) + 1.0);
  same("no axes", x(3, 4) + 1.0);
  const ash::array<double> u = x + 1.0;
  const ash::array<double> v = u * 2.0;
  same("two steps", v / u);
}

void views_and_movement() {
  const auto x = matrix(301, 203, {100, 64});
  const auto y = matrix(301, 203, {37, 203});
  same("slices", x(ash::slice{1, 290, 3}, ash::slice{200, 2, -2}) + 0.0);
  same("a transpose",
       x(ash::slice{0, 200}, ash::slice{0, 200}) + y.transpose()(ash::slice{0, 200}, ash::slice{0, 200}));
  same("flipped", ash::flip(x, 0) * 2.0);
  same("rechunk", x.rechunk({301, 20}));
  same("rechunk of a transpose", x.transpose().rechunk({50, 50}));
  same("reshape", ash::reshape(x, {203, 301}));
  same("ravel", ash::ravel(x));
  same("concatenate", ash::concatenate({x, y}, 0));
  same("roll", ash::roll(x, 17, 1));
  same("pad", ash::pad(x, 3, {.mode = ash::pad_mode::reflect}));
  same("pad with a constant", ash::pad(x, 3));
  same("five axes", ash::reshape(ash::arange<double>(0, 720, 1, {.chunks = {100}}), {2, 3, 4, 5, 6}).transpose() + 1.0);
}

template <class X>
void reductions(const std::string& what, const X& x, const ash::axes& axes) {
  same(what + " sum", x.sum(axes));
  same(what + " mean", x.mean(axes));
  same(what + " var", x.var(axes));
  same(what + " max", x.max(axes));
  same(what + " min", x.min(axes));
  same(what + " prod", (x * 0.01 + 1.0).prod(axes));
  same(what + " any", (x > 2.0).any(axes));
  same(what + " count", (x > 0.0).sum(axes));
}

void all_reductions() {
  const auto x = matrix(301, 203, {100, 64});
  const auto small = matrix(301, 203, {3, 5});
  const auto cube =
      ash::reshape(ash::arange<double>(0, 9 * 35 * 70, 1, {.chunks = {1000}}), {9, 35, 70}).rechunk({4, 20, 33});
  reductions("axis 0", x, {0});
  reductions("axis 1", x, {1});
  reductions("all", x, {0, 1});
  reductions("small blocks, axis 0", small, {0});
  reductions("small blocks, all", small, {0, 1});
  reductions("cube, axis 0", cube, {0});
  reductions("cube, axis 1", cube, {1});
  reductions("cube, axes 0 and 2", cube, {0, 2});
  reductions("transposed", x.transpose(), {0});
  reductions("every third", x(ash::slice{.step = 3}, ash::slice{.step = -2}), {1});
  same("argmax", x.argmax(0));
  same("argmin of all", ash::ravel(x).argmin(0));
  same("mean of a chain", (ash::sqrt(ash::abs(x - 10.0)) / 0.1).mean());
  same("a chain over axis 0", (ash::sqrt(ash::abs(x - 10.0)) / 0.1).mean(0));
  same("a chain over axis 1", (x * x - 3.0).var(1));
  same("a chain over a transpose", (x.transpose() * 2.0).sum(0));
  same("a chain of two arrays", (x * matrix(301, 203, {100, 64})).sum(0));
  same("a chain of arrays in other blocks", (x * matrix(301, 203, {37, 50})).max(1));
  same("a chain with a broadcast row", (x - x(0, ash::all)).sum(0));
  same("a chain of a cube over the first axis", (cube * 0.5 + 1.0).sum(0));
  const auto [low, high] = ash::compute(ash::cuda::device(0), (x * 2.0 + 1.0).min(0), (x * 2.0 + 1.0).max(0));
  expect_same("two reductions of a chain, min", (x * 2.0 + 1.0).min(0).compute(ash::threads{}), low);
  expect_same("two reductions of a chain, max", (x * 2.0 + 1.0).max(0).compute(ash::threads{}), high);
  same("z-score", (x - x.mean(0)) / x.std(0));
  same("sum of nothing", ash::zeros<double>({0, 4}).sum(0));
  same("integers", ash::arange<std::int64_t>(0, 100000, 1, {.chunks = {999}}).sum());
}

void scans() {
  const auto x = matrix(301, 203, {100, 64});
  same("cumsum over axis 0", ash::cumsum(x, 0));
  same("cumsum over axis 1", ash::cumsum(x, 1));
  same("cumsum of all", ash::cumsum(ash::ravel(x), 0));
  same("cumsum of a chain over a transpose", ash::cumsum(x.transpose() * 2.0 + 1.0, 0));
  same("cumprod", ash::cumprod(x * 0.01 + 1.0, 1));
  same("cummax of small blocks", ash::cummax(matrix(301, 203, {3, 5}), 0));
  same("cumsum of integers", ash::cumsum(ash::arange<std::int32_t>(0, 5000, 1, {.chunks = {77}}), 0));
  same("part of a cumsum", ash::cumsum(x, 0)(ash::slice{0, 150, 7}, ash::all) - 1.0);
  same("sum of a cumsum", ash::cumsum(x, 1).sum(0));
}

void places() {
  const auto x = matrix(120, 80, {50, 50});
  const auto there = x.to(ash::cuda::device(0));
  expect(x.place() == ash::place::host(), "an array over host memory is on the host");
  expect(there.place() == ash::place::device(0), "to(device) is on the device");
  expect((there + 1.0).place() == ash::place::device(0), "what is made from it is, too");
  expect((there + x).place() == ash::place::device(0), "with an operand on the host, too");
  expect_same("computed where it is", (x * 3.0).compute(ash::threads{}), (there * 3.0).compute());
  expect(there.sum(0).persist().place() == ash::place::device(0), "results stay where operands are");
  expect(there.to(ash::place::host()).place() == ash::place::host(), "and come back");
  expect_same("there and back", x.compute(ash::threads{}), there.to(ash::place::host()).compute(ash::threads{}));
  const auto [mean, deviation] = ash::compute(ash::cuda::device(0), x.mean(0), x.std(0));
  expect_same("two results, mean", x.mean(0).compute(ash::threads{}), mean);
  expect_same("two results, std", x.std(0).compute(ash::threads{}), deviation);
}

void refusals() {
  const auto x = matrix(20, 10, {5, 5});
  refused("a plain lambda", "ASHLAR_FN",
          [&] { ash::map([](double v) { return v + 1; }, x).compute(ash::cuda::device(0)); });
  refused("a function of blocks", "map_blocks", [&] {
    ash::map_blocks([](const ash::ndarray<const double>& b) { return b.contiguous(); }, x)
        .compute(ash::cuda::device(0));
  });
  refused("too large for a limit", "bytes", [&] {
    ash::cuda::device d(0);
    d.memory_limit = 1000;
    (x + 1.0).compute(d);
  });
}

}  // namespace

int main() {
  return device_check::run([] {
    elementwise();
    views_and_movement();
    all_reductions();
    scans();
    places();
    refusals();
    expect(ash::cuda::memory_allocated(0) == 0, "no memory of the device is held at the end");
  });
}
