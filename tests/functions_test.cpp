#include <ashlar/functions.hpp>

#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "support/lazy_check.hpp"

using ashlar::array;
using ashlar::from;
using ashlar::ndarray;

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

template <class T>
array<T> of(std::vector<T> v) {
  return from(std::move(v), {.chunks = {2}});
}

}  // namespace

TEST_CASE("functions: isnan and isfinite") {
  using bits = std::vector<bool>;
  const array<double> x = of<double>({1, not_a_number, inf, -inf, -0.0, 1e308});
  CHECK(values(isnan(x)) == bits{false, true, false, false, false, false});
  CHECK(values(isfinite(x)) == bits{true, false, false, false, true, true});
  CHECK(values(isinf(x)) == bits{false, false, true, true, false, false});
  const array<std::complex<double>> z = of<std::complex<double>>({{1, not_a_number}, {inf, 0}, {1, 1}});
  CHECK(values(isnan(z)) == bits{true, false, false});
  CHECK(values(isfinite(z)) == bits{false, false, true});
  CHECK(values(isinf(z)) == bits{false, true, false});
  CHECK(values(isnan(of<int>({1}))) == bits{false});
  CHECK(values(isfinite(of<int>({1}))) == bits{true});
  CHECK(values(isinf(of<bool>({true}))) == bits{false});
}

TEST_CASE("functions: of integers and bool") {
  CHECK(values(abs(of<int>({-3, 3, std::numeric_limits<int>::min()}))) ==
        std::vector<int>{3, 3, std::numeric_limits<int>::min()});
  CHECK(values(abs(of<std::uint8_t>({200}))) == std::vector<std::uint8_t>{200});
  CHECK(values(abs(of<bool>({true}))) == std::vector<bool>{true});
  CHECK(values(sign(of<std::int8_t>({-128, 0, 5}))) == std::vector<std::int8_t>{-1, 0, 1});
  CHECK(values(sign(of<std::uint8_t>({0, 200}))) == std::vector<std::uint8_t>{0, 1});
  CHECK(values(square(of<std::int8_t>({12, 11}))) == std::vector<std::int8_t>{-112, 121});
  CHECK(values(square(of<bool>({true, false}))) == std::vector<bool>{true, false});
  CHECK(values(sqrt(of<int>({4, 9}))) == std::vector<double>{2, 3});
  CHECK(values(exp(of<bool>({false}))) == std::vector<double>{1});
  CHECK(values(floor(of<int>({-4}))) == std::vector<int>{-4});
  CHECK(values(ceil(of<bool>({true}))) == std::vector<bool>{true});
  CHECK(values(hypot(of<int>({3}), of<std::int8_t>({4}))) == std::vector<double>{5});
  CHECK(values(atan2(of<int>({0}), 1)) == std::vector<double>{0});
  CHECK(values(minimum(of<std::uint8_t>({250, 3}), of<std::int8_t>({-1, 4}))) == std::vector<std::int16_t>{-1, 3});
  CHECK(values(maximum(of<bool>({false, false}), of<bool>({true, false}))) == std::vector<bool>{true, false});
}

TEST_CASE("functions: division that rounds down") {
  CHECK(values(floor_divide(of<int>({-7, 7, -1, 0, 19, 5}), of<int>({2, -2, 3, 4, 3, 0}))) ==
        std::vector<int>{-4, -4, -1, 0, 6, 0});
  CHECK(values(floor_divide(of<std::int8_t>({-128}), of<std::int8_t>({-1}))) == std::vector<std::int8_t>{-128});
  CHECK(values(floor_divide(of<std::uint8_t>({255, 7}), 2)) == std::vector<std::uint8_t>{127, 3});
  CHECK(values(floor_divide(of<double>({7, -7, 1, -1, 6}), of<double>({2, 2, 0.1, inf, -3}))) ==
        std::vector<double>{3, -4, 9, -1, -2});
  CHECK(values(floor_divide(of<double>({1, -1}), 0.0)) == std::vector<double>{inf, -inf});
  CHECK(values(isnan(floor_divide(of<double>({0, inf, not_a_number}), of<double>({0, 1, 1})))) ==
        std::vector<bool>{true, true, true});
  ndarray<double> in({300});
  for (std::int64_t i = 0; i < 300; ++i) in(i) = std::sin(static_cast<double>(i)) * 50;
  CHECK(independent_of_chunks(in, [](const array<double>& x) { return array<double>(floor_divide(x, 0.3)); }));
}

TEST_CASE("functions: clip") {
  CHECK(values(clip(of<double>({-1, 0.5, 9, not_a_number}), 0, 1))[2] == 1);
  CHECK(values(isnan(clip(of<double>({not_a_number, 1}), 0, 1))) == std::vector<bool>{true, false});
  CHECK(values(clip(of<int>({-5, 5, 50}), 0, 9)) == std::vector<int>{0, 5, 9});
  CHECK(values(clip(of<int>({1, 2}), 5, 3)) == std::vector<int>{3, 3});
  CHECK(values(clip(of<int>({1, 9}), of<int>({3, 3}), of<int>({5, 5}))) == std::vector<int>{3, 5});
}

TEST_CASE("functions: where") {
  const array<bool> c = of<bool>({true, false, true});
  const array<int> a = of<int>({1, 2, 3});
  CHECK(values(where(c, a, -a)) == std::vector<int>{1, -2, 3});
  CHECK(values(where(c, a, 0)) == std::vector<int>{1, 0, 3});
  CHECK(values(where(c, 0, a)) == std::vector<int>{0, 2, 0});
  CHECK(values(where(c, 1, 0)) == std::vector<int>{1, 0, 1});
  CHECK(values(where(a > 1, a * 10, a)) == std::vector<int>{1, 20, 30});
  CHECK(values(where(a - 2, 1.5, a)) == std::vector<double>{1.5, 2, 1.5});
  const auto table = where(from(ndarray<bool>::from({{true}, {false}})), a, from(std::vector<double>{0.5, 0.25, 0}));
  CHECK(table.shape() == ashlar::shape{2, 3});
  CHECK(values(table) == std::vector<double>{1, 2, 3, 0.5, 0.25, 0});
  // both sides are evaluated, the other side's NaN does not leak
  const array<double> x = of<double>({4, -4});
  CHECK(values(where(x > 0, sqrt(x), 0.0)) == std::vector<double>{2, 0});
}

TEST_CASE("functions: of complex numbers") {
  using z = std::complex<double>;
  const std::vector<z> in{{1, 2}, {-3, 0.5}, {0, -1}};
  const auto check = [&](const auto& lazy, auto plain) {
    const std::vector<z> got = values(lazy);
    for (std::size_t i = 0; i < in.size(); ++i)
      CHECK(std::abs(got[i] - plain(in[i])) <= 1e-14 * std::abs(plain(in[i])));
  };
  check(exp(of(in)), [](z v) { return std::exp(v); });
  check(log(of(in)), [](z v) { return std::log(v); });
  check(sqrt(of(in)), [](z v) { return std::sqrt(v); });
  check(sin(of(in)) + cos(of(in)), [](z v) { return std::sin(v) + std::cos(v); });
  check(tan(of(in)) - tanh(of(in)), [](z v) { return std::tan(v) - std::tanh(v); });
  check(arcsin(of(in)), [](z v) { return std::asin(v); });
  check(arccos(of(in)), [](z v) { return std::acos(v); });
  check(arctan(of(in) * 2), [](z v) { return std::atan(v * 2.0); });
  check(arcsinh(of(in)) + arccosh(of(in)), [](z v) { return std::asinh(v) + std::acosh(v); });
  check(arctanh(of(in) * 2), [](z v) { return std::atanh(v * 2.0); });
  check(sinh(of(in)) + cosh(of(in)), [](z v) { return std::sinh(v) + std::cosh(v); });
  check(log10(of(in)), [](z v) { return std::log10(v); });
  check(log2(of(in)), [](z v) { return std::log(v) / std::log(2.0); });
  check(exp2(of(in)), [](z v) { return std::pow(z(2), v); });
  check(reciprocal(of(in)), [](z v) { return 1.0 / v; });
  check(pow(of(in), z{0.5, 1}), [](z v) { return std::pow(v, z{0.5, 1}); });
  check(square(of(in)), [](z v) { return v * v; });
  CHECK(values(abs(of<z>({{3, 4}}))) == std::vector<double>{5});
  CHECK(values(where(of<bool>({true, false, false}), of(in), 0.0)) == std::vector<z>{{1, 2}, 0, 0});
  CHECK(values(real(of(in))) == std::vector<double>{1, -3, 0});
  CHECK(values(imag(of(in))) == std::vector<double>{2, 0.5, -1});
  CHECK(values(conj(of(in)))[0] == z{1, -2});
  CHECK(values(conj(of<int>({3}))) == std::vector<int>{3});
  CHECK(values(imag(of<float>({3}))) == std::vector<float>{0});
}
