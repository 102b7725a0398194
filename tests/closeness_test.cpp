#include <ashlar/functions.hpp>

#include <complex>
#include <cstdint>
#include <limits>
#include <vector>

#include <doctest/doctest.h>

#include "support/lazy_check.hpp"

using ashlar::array;
using ashlar::from;
using bits = std::vector<bool>;

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double quiet = std::numeric_limits<double>::quiet_NaN();

template <class T>
array<T> of(std::vector<T> v) {
  return from(std::move(v), {.chunks = {2}});
}

}  // namespace

TEST_CASE("closeness: relative to the second operand, with an absolute part") {
  CHECK(values(isclose(of<double>({1e10, 1e-7, 1e-9, 1}), of<double>({1.00001e10, 1e-8, 0, 1.1}))) ==
        bits{true, false, true, false});
  CHECK(values(isclose(of<double>({1e-9, 100}), of<double>({0, 101}), {.rtol = 0.01, .atol = 0})) == bits{false, true});
  CHECK(values(isclose(of<double>({101}), 100.0, {.rtol = 0.0099, .atol = 0})) == bits{false});  // not alike
  CHECK(values(isclose(100.0, of<double>({101}), {.rtol = 0.0099, .atol = 0})) == bits{false});
  CHECK(values(isclose(100.0, of<double>({101}), {.rtol = 0.00991, .atol = 0})) == bits{true});
}

TEST_CASE("closeness: infinities equal themselves alone, NaN nothing unless asked") {
  const array<double> a = of<double>({inf, -inf, inf, 1, quiet, quiet});
  const array<double> b = of<double>({inf, -inf, -inf, inf, quiet, 1});
  CHECK(values(isclose(a, b)) == bits{true, true, false, false, false, false});
  CHECK(values(isclose(a, b, {.equal_nan = true})) == bits{true, true, false, false, true, false});
}

TEST_CASE("closeness: of integers, bool, float and complex numbers") {
  CHECK(values(isclose(of<int>({100000, 3}), of<int>({100001, 4}))) == bits{true, false});
  CHECK(values(isclose(of<std::uint8_t>({0}), of<std::uint8_t>({255}))) == bits{false});
  CHECK(values(isclose(of<bool>({true, false}), of<bool>({true, true}))) == bits{true, false});
  CHECK(values(isclose(of<float>({1}), of<double>({1.000001}))) == bits{true});
  using z = std::complex<double>;
  CHECK(values(isclose(of<z>({{1, 1}, {1, 1}, {quiet, 1}}), of<z>({{1, 1.000001}, {1, 2}, {1, quiet}}),
                       {.equal_nan = true})) == bits{true, false, true});
}

TEST_CASE("closeness: allclose is one bool") {
  const array<double> x = of<double>({1, 2, 3});
  CHECK(allclose(x, x * (1 + 1e-6)).compute().item());
  CHECK(!allclose(x, of<double>({1, 2, 3.1})).compute().item());
  CHECK(allclose(x, x + 0.5, {.atol = 1}).compute().item());
  CHECK(!allclose(of<double>({quiet}), of<double>({quiet})).compute().item());
  CHECK(allclose(of<double>({quiet}), of<double>({quiet}), {.equal_nan = true}).compute().item());
  CHECK(allclose(of<double>({}), 3.0).compute().item());
  CHECK(allclose(3, of<int>({3, 3})).compute().item());
  CHECK_THROWS_AS(allclose(x, of<double>({1, 2})), ashlar::shape_error);
}

TEST_CASE("closeness: signs of infinities, imaginary parts") {
  const array<double> x = of<double>({inf, -inf, quiet, 1});
  CHECK(values(isposinf(x)) == bits{true, false, false, false});
  CHECK(values(isneginf(x)) == bits{false, true, false, false});
  CHECK(values(isposinf(of<int>({1}))) == bits{false});
  using z = std::complex<double>;
  const array<z> c = of<z>({{1, 0}, {1, -0.0}, {0, 2}, {1, quiet}});
  CHECK(values(isreal(c)) == bits{true, true, false, false});
  CHECK(values(iscomplex(c)) == bits{false, false, true, true});
  CHECK(values(isreal(of<int>({1}))) == bits{true});
  CHECK(values(iscomplex(of<float>({1}))) == bits{false});
}

TEST_CASE("closeness: angles") {
  using z = std::complex<double>;
  const double pi = 3.14159265358979323846;
  CHECK(values(angle(of<z>({{1, 0}, {0, 1}, {-1, 0}, {-1, -0.0}, {0, -2}}))) ==
        std::vector<double>{0, pi / 2, pi, -pi, -pi / 2});
  CHECK(values(angle(of<z>({{0, 1}, {-1, 0}}), {.degrees = true})) == std::vector<double>{90, 180});
  CHECK(values(angle(of<double>({2, -2}))) == std::vector<double>{0, pi});
  CHECK(values(angle(of<int>({-1}), {.degrees = true})) == std::vector<double>{180});
  CHECK(values(conjugate(of<z>({{1, 2}}))) == std::vector<z>{{1, -2}});
}

TEST_CASE("closeness: membership in a list") {
  CHECK(values(isin(of<int>({1, 2, 3, 4}), {2, 4, 6})) == bits{false, true, false, true});
  CHECK(values(isin(of<int>({1, 2}), {})) == bits{false, false});
  std::vector<int> many;
  for (int i = 0; i < 50; i += 2) many.push_back(i);
  const auto found = values(isin(of<int>({0, 1, 16, 17, 48, 49, 50}) * 1, many));
  CHECK(found == bits{true, false, true, false, true, false, false});
  CHECK(values(isin(of<double>({quiet, 0.0, 1.5}), {quiet, -0.0})) == bits{false, true, false});
  CHECK(values(isin(of<bool>({true, false}), {true})) == bits{true, false});
}

TEST_CASE("closeness: no chunking changes anything") {
  ashlar::ndarray<double> in({300});
  for (std::int64_t i = 0; i < 300; ++i) in(i) = static_cast<double>(i % 7);
  CHECK(independent_of_chunks(in, [](const array<double>& x) {
    return array<bool>(isclose(x, 3.0, {.rtol = 0.3}) ^ isin(x, {1, 5}));
  }));
}
