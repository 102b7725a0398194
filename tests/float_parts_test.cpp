#include <ashlar/functions.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <doctest/doctest.h>

#include "support/lazy_check.hpp"

using ashlar::array;
using ashlar::from;

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double quiet = std::numeric_limits<double>::quiet_NaN();
constexpr double tiny = std::numeric_limits<double>::denorm_min();
constexpr double largest = std::numeric_limits<double>::max();

template <class T>
array<T> of(std::vector<T> v) {
  return from(std::move(v), {.chunks = {2}});
}

/// Equal values; zeros by sign, NaN with NaN.
template <class T>
bool same(const std::vector<T>& a, const std::vector<T>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (std::isnan(a[i]) && std::isnan(b[i])) continue;
    if (a[i] != b[i] || std::signbit(a[i]) != std::signbit(b[i])) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("float parts: signs") {
  using bits = std::vector<bool>;
  const array<double> x = of<double>({1, -0.0, 0.0, -inf, quiet, -quiet});
  CHECK(values(signbit(x)) == bits{false, true, false, true, false, true});
  CHECK(values(signbit(of<int>({-3, 0, 3}))) == bits{true, false, false});
  CHECK(values(signbit(of<std::uint8_t>({200}))) == bits{false});
  CHECK(same(values(copysign(of<double>({1, -2, inf, 0}), of<double>({-0.0, 3, -quiet, -1}))), {-1, 2, -inf, -0.0}));
  CHECK(same(values(copysign(3, of<float>({-1, 1}))), std::vector<float>{-3, 3}));
  CHECK(same(values(copysign(of<int>({3}), of<int>({-1}))), std::vector<double>{-3}));
}

TEST_CASE("float parts: neighbours and their distance") {
  CHECK(same(values(nextafter(of<double>({1, 1, 0, -0.0, inf, largest, quiet, 1}),
                              of<double>({2, 0, -1, 0, 0, inf, 1, quiet}))),
             {1 + 0x1p-52, 1 - 0x1p-53, -tiny, 0, largest, inf, quiet, quiet}));
  CHECK(same(values(nextafter(of<float>({1}), 2)), std::vector<float>{1 + 0x1p-23f}));
  CHECK(same(values(spacing(of<double>({1, -1, 0, -0.0, inf, -inf, quiet, largest, tiny}))),
             {0x1p-52, -0x1p-52, tiny, tiny, quiet, quiet, quiet, inf, tiny}));
  CHECK(same(values(spacing(of<float>({1}))), std::vector<float>{0x1p-23f}));
  CHECK(same(values(spacing(of<int>({4}))), std::vector<double>{0x1p-50}));
}

TEST_CASE("float parts: mantissa and exponent, there and back") {
  const array<double> x = of<double>({8, -0.75, 0.0, -0.0, inf, -inf, quiet, tiny});
  const auto [m, e] = frexp(x);
  CHECK(same(values(m), {0.5, -0.75, 0.0, -0.0, inf, -inf, quiet, 0.5}));
  CHECK(values(e) == std::vector<std::int32_t>{4, 0, 0, 0, 0, 0, 0, -1073});
  CHECK(same(values(ldexp(m, e)), values(x)));
  const auto [mi, ei] = frexp(of<int>({5}));
  CHECK(values(mi) == std::vector<double>{0.625});
  CHECK(values(ei) == std::vector<std::int32_t>{3});
  const auto [both_m, both_e] = ashlar::compute(m, e);
  CHECK(both_m(0) == 0.5);
  CHECK(both_e(0) == 4);
}

TEST_CASE("float parts: ldexp with exponents of every type and size") {
  CHECK(same(values(ldexp(of<double>({1, -1, 3}), 4)), {16, -16, 48}));
  CHECK(same(values(ldexp(1.5, of<std::int8_t>({-1, 3}))), std::vector<double>{0.75, 12}));
  CHECK(same(values(ldexp(of<float>({1}), of<int>({-149}))),
             std::vector<float>{std::numeric_limits<float>::denorm_min()}));
  CHECK(same(values(ldexp(of<double>({1, 1, 0}), std::int64_t{1} << 40)), {inf, inf, 0}));
  CHECK(same(values(ldexp(of<double>({1, -1}), std::numeric_limits<std::int64_t>::min())), {0, -0.0}));
  CHECK(same(values(ldexp(of<double>({1, 1}), of<std::uint64_t>({3, ~std::uint64_t{0}}))), {8, inf}));
  CHECK(same(values(ldexp(of<double>({tiny}), 2000)), {std::ldexp(tiny, 2000)}));
  CHECK(same(values(ldexp(of<int>({3}), of<bool>({true}))), {6}));
}

TEST_CASE("float parts: whole and fractional part keep the sign") {
  const auto [fraction, whole] = modf(of<double>({1.5, -1.5, -0.25, 3, -0.0, inf, -inf, quiet}));
  CHECK(same(values(fraction), {0.5, -0.5, -0.25, 0, -0.0, 0, -0.0, quiet}));
  CHECK(same(values(whole), {1, -1, -0.0, 3, -0.0, inf, -inf, quiet}));
  const auto [f, w] = modf(of<float>({2.5f}) * 2);
  CHECK(same(values(f), std::vector<float>{0}));
  CHECK(same(values(w), std::vector<float>{5}));
}

TEST_CASE("float parts: remainders towards zero and downwards") {
  CHECK(values(fmod(of<int>({-7, 7, -7, 5}), of<int>({3, -3, -3, 0}))) == std::vector<int>{-1, 1, -1, 0});
  CHECK(values(fmod(of<std::int8_t>({-128}), of<std::int8_t>({-1}))) == std::vector<std::int8_t>{0});
  CHECK(same(values(fmod(of<double>({-7.5, 7.5, 1, inf, -0.0}), of<double>({2, -2, 0, 1, 5}))),
             {-1.5, 1.5, quiet, quiet, -0.0}));
  CHECK(values(remainder(of<int>({-7, 7}), of<int>({3, -3}))) == std::vector<int>{2, -2});
  CHECK(values(mod(of<int>({-7, 7}), 3)) == std::vector<int>{2, 1});
  const auto [q, r] = divmod(of<int>({-7, 7, 1}), of<int>({2, -2, 0}));
  CHECK(values(q) == std::vector<int>{-4, -4, 0});
  CHECK(values(r) == std::vector<int>{1, -1, 0});
  const auto [x, y] = divmod(7.5, of<double>({2, -2}));
  CHECK(values(x) == std::vector<double>{3, -4});
  CHECK(values(y) == std::vector<double>{1.5, -0.5});
}

TEST_CASE("float parts: magnitudes, reciprocals, the number itself") {
  CHECK(same(values(fabs(of<double>({-1.5, -0.0, -inf}))), {1.5, 0, inf}));
  CHECK(same(values(fabs(of<int>({std::numeric_limits<int>::min()}))), {2147483648.0}));
  CHECK(same(values(reciprocal(of<double>({2, -0.0, inf}))), {0.5, -inf, 0}));
  CHECK(values(reciprocal(of<int>({1, -1, 2, 0}))) == std::vector<int>{1, -1, 0, 0});
  CHECK(values(positive(of<int>({-2}))) == std::vector<int>{-2});
}

TEST_CASE("float parts: a number wins over NaN in fmin and fmax") {
  const array<double> a = of<double>({1, quiet, 2, quiet, inf, 3});
  const array<double> b = of<double>({2, 5, quiet, quiet, -inf, 3});
  CHECK(same(values(fmin(a, b)), {1, 5, 2, quiet, -inf, 3}));
  CHECK(same(values(fmax(a, b)), {2, 5, 2, quiet, inf, 3}));
  CHECK(values(fmin(of<int>({3, -1}), 2)) == std::vector<int>{2, -1});
  CHECK(values(fmax(of<std::uint8_t>({3}), of<std::int8_t>({-1}))) == std::vector<std::int16_t>{3});
}

TEST_CASE("float parts: no chunking changes a bit") {
  ashlar::ndarray<double> in({300});
  for (std::int64_t i = 0; i < 300; ++i) in(i) = std::sin(static_cast<double>(i)) * std::pow(10.0, i % 7 - 3);
  in(128) = quiet;
  in(299) = inf;
  CHECK(independent_of_chunks(in, [](const array<double>& x) { return array<double>(modf(x).first * spacing(x)); }));
  CHECK(independent_of_chunks(in, [](const array<double>& x) {
    const auto [m, e] = frexp(x);
    return array<double>(m + ldexp(1.0, e % 9) + fmod(x, 0.3));
  }));
}
