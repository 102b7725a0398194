// Element-wise functions against NumPy's results, which golden/make_golden.py writes. What is computed without rounding
// must be equal, zeros by their sign; the others may differ by some units in the last place.
#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <type_traits>

#include <ashlar/ashlar.hpp>
#include <ashlar/npy.hpp>

namespace ash = ashlar;

namespace {

std::string folder() {
  const char* const f = std::getenv("ASHLAR_GOLDEN_DIR");
  return f == nullptr ? std::string() : std::string(f) + "/elementwise.";
}

template <class T>
ash::array<T> input(const std::string& name) {
  return ash::from_npy<T>(folder() + name + ".npy", {.chunks = 150});
}

/// Both allowances are for differences: `relative` to NumPy's value, `absolute` beside it.
template <class X>
void compare(const std::string& name, const X& lazy, double relative = 0, double absolute = 0) {
  using T = ash::value_type_t<X>;
  const ash::ndarray<T> got = lazy.compute();
  const ash::ndarray<T> want = ash::load_npy<T>(folder() + name + ".npy");
  CAPTURE(name);
  REQUIRE(got.shape() == want.shape());
  for (std::int64_t k = 0; k < got.size(); ++k) {
    const T a = got.data()[k];
    const T b = want.data()[k];
    CAPTURE(k);
    CAPTURE(+a);
    CAPTURE(+b);
    if constexpr (std::is_floating_point_v<T>) {
      if (std::isnan(b)) {
        CHECK(std::isnan(a));
      } else if (relative == 0 && absolute == 0) {
        CHECK((a == b && std::signbit(a) == std::signbit(b)));
      } else {
        CHECK((a == b || std::abs(a - b) <= relative * std::abs(b) + absolute));
      }
    } else {
      CHECK(a == b);
    }
  }
}

constexpr double ulps = 1.2e-15;  // 4 in the last place, and NumPy's own one

}  // namespace

#define COMPARE(name, ...) compare(#name, name(x) __VA_OPT__(, ) __VA_ARGS__)
#define COMPARE_TWO(name, ...) compare(#name, name(x, y) __VA_OPT__(, ) __VA_ARGS__)

TEST_CASE("functions of floating-point numbers equal NumPy's") {
  if (folder().empty()) {
    MESSAGE("SKIPPED: ASHLAR_GOLDEN_DIR is not set");
    return;
  }
  const auto x = input<double>("x");
  COMPARE(arcsin, ulps);
  COMPARE(arccos, ulps);
  COMPARE(arctan, ulps);
  COMPARE(sinh, ulps);
  COMPARE(cosh, ulps);
  COMPARE(arcsinh, ulps);
  COMPARE(arccosh, ulps);
  COMPARE(arctanh, ulps);
  COMPARE(cbrt, ulps, 1e-323);
  COMPARE(exp2, ulps);
  COMPARE(log2, ulps);
  COMPARE(log10, ulps);
  COMPARE(trunc);
  COMPARE(fix);
  COMPARE(rint);
  COMPARE(fabs);
  COMPARE(reciprocal);
  COMPARE(signbit);
  COMPARE(spacing);
  COMPARE(isposinf);
  COMPARE(isneginf);
  COMPARE(isinf);
  COMPARE(deg2rad, 2.3e-16, 5e-324);
  COMPARE(rad2deg, 2.3e-16);
  COMPARE(nan_to_num);
  COMPARE(angle);
  COMPARE(square);
  COMPARE(sign);
  const auto moderate = ash::where(abs(x) > 1e300, 1, x);
  compare("sinc", sinc(moderate), ulps, 1e-15);  // NumPy's is not 0 at whole numbers
  compare("round.0", round(moderate));
  compare("round.2", round(moderate, 2));
  compare("round.-1", around(moderate, -1));
  compare("frexp.0", frexp(x).first);
  compare("frexp.1", frexp(x).second);
  compare("modf.0", modf(x).first);
  compare("modf.1", modf(x).second);
}

TEST_CASE("functions of two arrays of floating-point numbers equal NumPy's") {
  if (folder().empty()) return;
  const auto x = input<double>("x");
  const auto y = input<double>("y");
  compare("fmin", fmin(x, y), 1e-300);  // which zero it takes is left open
  compare("fmax", fmax(x, y), 1e-300);
  COMPARE_TWO(fmod);
  COMPARE_TWO(remainder);
  COMPARE_TWO(floor_divide);
  COMPARE_TWO(copysign);
  COMPARE_TWO(nextafter);
  // 16 in the last place of the larger of operand and result: small results come of operands near 1
  COMPARE_TWO(logaddexp, ulps, 16 * 2.3e-16);
  COMPARE_TWO(logaddexp2, ulps, 16 * 2.3e-16);
  COMPARE_TWO(arctan2, ulps);
  COMPARE_TWO(hypot, ulps, 5e-324);
  COMPARE_TWO(power, ulps, 5e-324);
  COMPARE_TWO(isclose);
  compare("isclose.nan", isclose(x, y, {.rtol = 0.1, .atol = 0.2, .equal_nan = true}));
  const auto index = input<std::int32_t>("index");
  compare("choose", ash::choose<double>(index, {x, y, x + y}));
  compare("ldexp", ldexp(x, index));
  compare("divmod.0", divmod(x, y).first);
  compare("divmod.1", divmod(x, y).second);
  compare("select", ash::select<double>({x < -1, x < 1}, {x * 2, y}, 7));
  compare("piecewise", ash::piecewise(
                           x, {x<-1, x> 1}, [](double v) { return -v; }, 5, 2));
}

TEST_CASE("functions of integers equal NumPy's") {
  if (folder().empty()) return;
  const auto i = input<std::int32_t>("i");
  const auto j = input<std::int32_t>("j");
  compare("int.invert", invert(i));
  compare("int.sign", sign(i));
  compare("int.absolute", abs(i));
  compare("int.square", square(i));
  compare("int.fabs", fabs(i));
  compare("int.trunc", trunc(i));
  compare("int.arctan", arctan(i), ulps);
  compare("int.bitwise_and", i & j);
  compare("int.bitwise_or", bitwise_or(i, j));
  compare("int.bitwise_xor", i ^ j);
  compare("int.left_shift", i << j);
  compare("int.right_shift", right_shift(i, j));
  compare("int.fmod", fmod(i, j));
  compare("int.remainder", i % j);
  compare("int.floor_divide", floor_divide(i, j));
  compare("int.fmin", fmin(i, j));
  compare("int.fmax", fmax(i, j));
  compare("int.float_power", float_power(i, j), ulps, 5e-324);
  compare("int.copysign", copysign(i, j));
  compare("isin", isin(i, {0, 7, -7, 5}));
  const ash::array<std::int32_t> without_ends = i(ash::slice{2});
  compare("int.round.0", round(without_ends));
  compare("int.round.2", round(without_ends, 2));
  compare("int.round.-1", round(without_ends, -1));
}
