// Reductions against NumPy's results, which golden/make_golden.py writes. Integers, extrema, places and counts must be
// equal; sums of floating-point numbers are added in another order and may differ in the last bits.
#include <doctest/doctest.h>

#include <cmath>
#include <complex>
#include <cstdlib>
#include <string>

#include <ashlar/ashlar.hpp>
#include <ashlar/npy.hpp>

#include "support/reduction_oracle.hpp"

namespace ash = ashlar;
namespace test = ashlar::test;

namespace {

/// Without a folder there is nothing to compare with; cmake/run_golden.cmake sets it.
std::string folder() {
  const char* const f = std::getenv("ASHLAR_GOLDEN_DIR");
  return f == nullptr ? std::string() : std::string(f) + "/";
}

/// `scale`: what rounding errors are relative to, beside the result itself.
template <class T>
void compare(const std::string& file, const ash::ndarray<T>& got, long double tolerance, long double scale = 0) {
  const ash::ndarray<T> expected = ash::load_npy<T>(folder() + file + ".npy");
  CAPTURE(file);
  REQUIRE(got.shape() == expected.shape());
  const auto a = test::to_numbers(got);
  const auto b = test::to_numbers(expected);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const long double slack = tolerance * (std::hypot(b[i].re, b[i].im) + scale);
    if (!test::near(a[i].re, b[i].re, slack) || !test::near(a[i].im, b[i].im, slack) ||
        (tolerance == 0 && a[i].bits != b[i].bits))
      ++wrong;
  }
  CHECK(wrong == 0);
}

template <class T>
void check(const std::string& name, int ndim) {
  if (folder().empty()) {
    MESSAGE("SKIPPED: ASHLAR_GOLDEN_DIR is not set");
    return;
  }
  constexpr bool exact = std::is_integral_v<T>;
  constexpr bool narrow = std::is_same_v<T, float>;
  constexpr long double rounding = narrow ? 1.2e-7L : 1e-12L;
  for (const int block : {7, 33, 512}) {
    const ash::array<T> x = ash::from_npy<T>(folder() + name + ".npy", {.chunks = block});
    for (int axis = -1; axis < ndim; ++axis) {
      const ash::axes which = axis < 0 ? ash::axes{} : ash::axes{axis};
      const std::string end = axis < 0 ? ".all" : "." + std::to_string(axis);
      const ash::threads on{.workers = 2};
      const auto [sum, prod, mean, var, deviation] =
          ash::compute(on, x.sum(which), x.prod(which), x.mean(which), x.var(which), x.std(which));
      compare(name + ".sum" + end, sum, exact ? 0 : rounding, 1e3L);
      compare(name + ".prod" + end, prod, exact ? 0 : narrow ? 1.2e-7L : 1e-11L);
      compare(name + ".mean" + end, mean, rounding, 1);
      // beside a mean of 1e9 NumPy's own variance has 7 digits fewer
      compare(name + ".var" + end, var, name == "float64_offset" ? 1e-6L : rounding * 4);
      compare(name + ".std" + end, deviation, name == "float64_offset" ? 1e-6L : rounding * 4);
      const auto [any, all, count] = ash::compute(on, x.any(which), x.all(which), x.count_nonzero(which));
      compare(name + ".any" + end, any, 0);
      compare(name + ".all" + end, all, 0);
      compare(name + ".count_nonzero" + end, count, 0);
      if constexpr (std::is_arithmetic_v<T>) {
        const auto [low, high, first, last] =
            ash::compute(on, x.min(which), x.max(which), x.argmin(which), x.argmax(which));
        compare(name + ".min" + end, low, 0);
        compare(name + ".max" + end, high, 0);
        compare(name + ".argmin" + end, first, 0);
        compare(name + ".argmax" + end, last, 0);
      }
    }
  }
}

/// float64_special has NaN and infinities, and no slice of NaN alone.
void check_nan_reductions() {
  if (folder().empty()) return;
  const std::string name = "float64_special";
  for (const int block : {7, 33, 512}) {
    const ash::array<double> x = ash::from_npy<double>(folder() + name + ".npy", {.chunks = block});
    for (int axis = -1; axis < 2; ++axis) {
      const ash::axes which = axis < 0 ? ash::axes{} : ash::axes{axis};
      const std::string end = axis < 0 ? ".all" : "." + std::to_string(axis);
      const auto [sum, prod, mean, var, deviation, low, high, first, last] =
          ash::compute(ash::threads{.workers = 2}, x.nansum(which), x.nanprod(which), x.nanmean(which), x.nanvar(which),
                       x.nanstd(which), x.nanmin(which), x.nanmax(which), x.nanargmin(which), x.nanargmax(which));
      compare(name + ".nansum" + end, sum, 1e-12L, 1e3L);
      compare(name + ".nanprod" + end, prod, 1e-11L);
      compare(name + ".nanmean" + end, mean, 1e-12L, 1);
      compare(name + ".nanvar" + end, var, 4e-12L);
      compare(name + ".nanstd" + end, deviation, 4e-12L);
      compare(name + ".nanmin" + end, low, 0);
      compare(name + ".nanmax" + end, high, 0);
      compare(name + ".nanargmin" + end, first, 0);
      compare(name + ".nanargmax" + end, last, 0);
    }
  }
}

void check_summaries() {
  if (folder().empty()) return;
  const ash::array<double> x = ash::from_npy<double>(folder() + "float64.npy", {.chunks = {33, 20}});
  compare("float64.ptp", x.ptp(0).compute(), 0);
  compare("float64.average", ash::average(x, ash::abs(x) + 1, 1).compute(), 1e-14L);
  const auto line = ash::arange<double>(static_cast<double>(x.shape()[0])) % 5 + 1;
  compare("float64.average.line", ash::average(x, line, 0).compute(), 1e-14L);
  compare("float64.trace", x.trace(3).compute(), 1e-14L);
  const std::pair<const char*, double> orders[] = {{"0", 0},     {"1", 1},          {"2", 2},           {"3", 3},
                                                   {"0.5", 0.5}, {"inf", HUGE_VAL}, {"-inf", -HUGE_VAL}};
  for (const auto& [text, order] : orders) {
    compare(std::string("float64.norm.") + text, ash::linalg::norm(x, 1, {.ord = order}).compute(), 1e-13L);
  }
  compare("float64.norm", ash::linalg::norm(x).compute(), 1e-14L);
}

}  // namespace

TEST_CASE("reductions that pass NaN over equal NumPy's") { check_nan_reductions(); }

TEST_CASE("ptp, averages, traces and norms equal NumPy's") { check_summaries(); }

TEST_CASE("reductions of float64 equal NumPy's") {
  check<double>("float64", 2);
  check<double>("float64_3d", 3);
  check<double>("float64_long", 2);
  check<double>("float64_columns", 2);
  check<double>("float64_offset", 2);
  check<double>("float64_special", 2);
}

TEST_CASE("reductions of float32 equal NumPy's in float64, rounded once") { check<float>("float32", 2); }

TEST_CASE("reductions of integers and booleans equal NumPy's exactly") {
  check<std::int32_t>("int32", 2);
  check<std::int64_t>("int64", 2);
  check<std::uint8_t>("uint8", 2);
  check<bool>("bool", 2);
}

TEST_CASE("reductions of complex128 equal NumPy's") { check<std::complex<double>>("complex128", 2); }
