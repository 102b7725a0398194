// diff, ediff1d and gradient against plain loops over values, and NumPy's documented values.
#include <doctest/doctest.h>

#include <cmath>
#include <complex>
#include <cstdint>
#include <vector>

#include <ashlar/ashlar.hpp>
#include <ashlar/graph/lower.hpp>

#include "support/lazy_check.hpp"

namespace ash = ashlar;

namespace {

template <class T>
using list = std::vector<T>;

const list<ash::chunks> cuts = {{7, 9}, {2, 3}, {1, 9}, {4, 1}, {{0, 3, 4, 0}, {5, 0, 4}}};

/// Numbers in memory, generated, persisted, and of an expression.
list<ash::array<double>> arrays(const ash::chunks& chunks) {
  const ash::array<double> x = ash::fromfunction(
      [](std::int64_t i, std::int64_t j) { return static_cast<double>((i * i * 3 + j * j * j) % 17) + 0.25; }, {7, 9},
      {.chunks = chunks});
  return {x, ash::from(x.compute(), {.chunks = chunks}), x.persist(), x + 0.0 * x.max()};
}

ash::ndarray<double> diff_plainly(const ash::ndarray<double>& a, int axis) {
  ash::shape s = a.shape();
  s[axis] -= 1;
  ash::ndarray<double> d(s);
  for (std::int64_t i = 0; i < s[0]; ++i) {
    for (std::int64_t j = 0; j < s[1]; ++j) d(i, j) = axis == 0 ? a(i + 1, j) - a(i, j) : a(i, j + 1) - a(i, j);
  }
  return d;
}

/// NumPy's formulas, for positions t of a line.
list<double> gradient_plainly(const list<double>& f, const list<double>& t, int edge_order) {
  const std::size_t n = f.size();
  list<double> out(n);
  for (std::size_t i = 1; i + 1 < n; ++i) {
    const double g = t[i] - t[i - 1];
    const double h = t[i + 1] - t[i];
    out[i] = -h / (g * (g + h)) * f[i - 1] + (h - g) / (g * h) * f[i] + g / (h * (g + h)) * f[i + 1];
  }
  if (edge_order == 1) {
    out[0] = (f[1] - f[0]) / (t[1] - t[0]);
    out[n - 1] = (f[n - 1] - f[n - 2]) / (t[n - 1] - t[n - 2]);
  } else {
    double g = t[1] - t[0];
    double h = t[2] - t[1];
    out[0] = -(2 * g + h) / (g * (g + h)) * f[0] + (g + h) / (g * h) * f[1] - g / (h * (g + h)) * f[2];
    g = t[n - 2] - t[n - 3];
    h = t[n - 1] - t[n - 2];
    out[n - 1] = h / (g * (g + h)) * f[n - 3] - (h + g) / (g * h) * f[n - 2] + (2 * h + g) / (h * (g + h)) * f[n - 1];
  }
  return out;
}

void check_near(const ash::ndarray<double>& got, const ash::ndarray<double>& f, int axis, const list<double>& t,
                int edge_order) {
  REQUIRE(got.shape() == f.shape());
  const int other = 1 - axis;
  for (std::int64_t k = 0; k < f.shape()[other]; ++k) {
    list<double> line;
    for (std::int64_t i = 0; i < f.shape()[axis]; ++i) line.push_back(axis == 0 ? f(i, k) : f(k, i));
    const list<double> expected = gradient_plainly(line, t, edge_order);
    for (std::int64_t i = 0; i < f.shape()[axis]; ++i) {
      const double x = axis == 0 ? got(i, k) : got(k, i);
      CHECK(std::abs(x - expected[static_cast<std::size_t>(i)]) < 1e-11);
    }
  }
}

}  // namespace

TEST_CASE("diff: neighbours along every axis, several times, in blocks of every kind") {
  for (const ash::chunks& c : cuts) {
    for (const ash::array<double>& x : arrays(c)) {
      const ash::ndarray<double> a = x.compute();
      for (const int axis : {0, 1}) {
        ash::ndarray<double> right = a;
        CHECK(same_bits(ash::diff(x, 0, axis).compute(), right));
        for (int n = 1; n <= 6; ++n) {
          right = diff_plainly(right, axis);
          const ash::array<double> y = ash::diff(x, n, axis);
          CAPTURE(n);
          CHECK(y.shape() == right.shape());
          for (const int workers : {1, 3}) CHECK(same_bits(y.compute(ash::threads{.workers = workers}), right));
          CHECK(same_bits(y.compute({.optimize = false}), right));
        }
      }
    }
  }
}

TEST_CASE("diff: one pass, in blocks of full length") {
  const ash::array<double> x = ash::ones<double>({1000}, {.chunks = {100}});
  const auto text = [](const auto& y) { return y.explain(ash::serial{}); };
  CHECK(contains(text(ash::diff(x)), "10 tasks"));
  CHECK(ash::diff(x).chunks().axis(0).max_length() == 100);
  CHECK_FALSE(contains(text(ash::diff(x, 3)), "layer 1"));
  CHECK(contains(text(ash::abs(ash::diff(x)).max()), "layer 0: partial max"));
}

TEST_CASE("diff: types stay; unsigned integers wrap, bool tells where neighbours differ") {
  CHECK(values(ash::diff(ash::array<std::uint8_t>::from({3, 1, 4}, {.chunks = {2}}))) == list<std::uint8_t>{254, 3});
  CHECK(values(ash::diff(ash::array<bool>::from({true, true, false}, {.chunks = {1}}))) == list<bool>{false, true});
  CHECK(values(ash::diff(ash::array<bool>::from({true, true, false}), 2)) == list<bool>{true});
  using complex = std::complex<float>;
  CHECK(values(ash::diff(ash::array<complex>::from({complex(1, 2), complex(0, 5)}))) == list<complex>{{-1, 3}});
}

TEST_CASE("diff: with numbers and arrays before and behind") {
  const ash::array<int> x = ash::array<int>::from({1, 4, 9}, {.chunks = {2}});
  CHECK(values(ash::diff(x, 1, -1, {.prepend = 0})) == list<int>{1, 3, 5});
  CHECK(values(ash::diff(x, 1, 0, {.prepend = x, .append = 10})) == list<int>{3, 5, -8, 3, 5, 1});
  const ash::array<int> m = ash::array<int>::from({{1, 2}, {3, 5}}, {.chunks = {1, 1}});
  CHECK(values(ash::diff(m, 1, 0, {.append = 6})) == list<int>{2, 3, 3, 1});
  CHECK(values(ash::diff(m, 1, 1, {.prepend = 0})) == list<int>{1, 1, 3, 2});
  CHECK(values(ash::diff(m, 2, 1, {.prepend = m + 1})) == list<int>{-3, 3, -5, 5});
  CHECK(contains(message_of<ash::shape_error>([&] { ash::diff(m, 1, 0, {.append = x}); }), "diff along axis 0"));
}

TEST_CASE("diff: too short, and errors") {
  CHECK(ash::diff(ash::ones<double>({2, 3}), 5, 0).shape() == ash::shape{0, 3});
  CHECK(ash::diff(ash::ones<double>({0}), 1).compute().size() == 0);
  CHECK(values(ash::diff(ash::ones<double>({4}), 9)).empty());
  CHECK(contains(message_of<ash::value_error>([] { ash::diff(ash::ones<double>({2}), -1); }), "diff: n is -1"));
  CHECK(contains(message_of<ash::axis_error>([] { ash::diff(ash::ones<double>({2}), 1, 1); }), "diff: axis 1"));
}

TEST_CASE("ediff1d: of the flattened array, with what is put around it") {
  const ash::array<int> x = ash::array<int>::from({{1, 2, 4}, {7, 0, 3}}, {.chunks = {1, 2}});
  CHECK(values(ash::ediff1d(x)) == list<int>{1, 2, 3, -7, 3});
  CHECK(values(ash::ediff1d(x, {.to_begin = -99, .to_end = ash::array<int>::from({88, 99})})) ==
        list<int>{-99, 1, 2, 3, -7, 3, 88, 99});
  CHECK(values(ash::ediff1d(ash::full({}, 3))).empty());
}

TEST_CASE("gradient: NumPy's documented values") {
  const ash::array<int> f = ash::array<int>::from({1, 2, 4, 7, 11, 16}, {.chunks = {4}});
  CHECK(values(ash::gradient(f, 0)) == list<double>{1, 1.5, 2.5, 3.5, 4.5, 5});
  CHECK(values(ash::gradient(f, 0, {.spacing = {2.0}})) == list<double>{0.5, 0.75, 1.25, 1.75, 2.25, 2.5});
  const ash::array<double> x = ash::array<double>::from({0, 1, 1.5, 3.5, 4, 6});
  const list<double> expected{1, 3, 3.5, 6.7, 6.9, 2.5};
  const list<double> got = values(ash::gradient(f, 0, {.spacing = {x}}));
  for (std::size_t i = 0; i < 6; ++i) CHECK(got[i] == doctest::Approx(expected[i]));
  const auto both = ash::gradient(ash::array<double>::from({{1, 2, 6}, {3, 4, 5}}));
  REQUIRE(both.size() == 2);
  CHECK(values(both[0]) == list<double>{2, 2, -1, 2, 2, -1});
  CHECK(values(both[1]) == list<double>{1, 2.5, 4, 1, 1, 1});
  const ash::array<double> square = ash::array<double>::from({0, 1, 4, 9, 16});
  CHECK(values(ash::gradient(square, 0, {.edge_order = 2})) == list<double>{0, 2, 4, 6, 8});
}

TEST_CASE("gradient: every axis, spacing, edge order and chunking") {
  const list<double> t0{0, 0.5, 1.5, 2, 4, 4.25, 5};
  const list<double> t1{1, 2, 3, 5, 8, 8.5, 9, 11, 12};
  const ash::array<double> x0 = ash::from(t0, {.chunks = {3}});
  const ash::array<double> x1 = ash::from(t1);
  const list<double> half0{0, 0.5, 1, 1.5, 2, 2.5, 3};
  const list<double> half1{0, 0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4};
  for (const ash::chunks& c : cuts) {
    for (const ash::array<double>& x : arrays(c)) {
      const ash::ndarray<double> a = x.compute();
      for (const int order : {1, 2}) {
        const auto even = ash::gradient(x, ash::axes{1, 0}, {.spacing = {0.5}, .edge_order = order});
        const auto uneven = ash::gradient(x, ash::all_axes, {.spacing = {x0, x1 + 0.0}, .edge_order = order});
        CHECK(even[1].chunks() == x.chunks());
        const auto [e1, e0, u0, u1] = ash::compute(even[0], even[1], uneven[0], uneven[1]);
        check_near(e0, a, 0, half0, order);
        check_near(e1, a, 1, half1, order);
        check_near(u0, a, 0, t0, order);
        check_near(u1, a, 1, t1, order);
      }
    }
  }
}

TEST_CASE("gradient: types, and arrays that are just long enough") {
  const ash::array<float> f = ash::array<float>::from({1, 4});
  static_assert(std::is_same_v<decltype(ash::gradient(f, 0)), ash::array<float>>);
  CHECK(values(ash::gradient(f, 0)) == list<float>{3, 3});
  CHECK(values(ash::gradient(f, 0, {.spacing = {ash::array<double>::from({0, 0.5})}})) == list<float>{6, 6});
  using complex = std::complex<float>;
  CHECK(values(ash::gradient(ash::array<complex>::from({complex(0, 1), complex(2, 1), complex(2, 5)}), 0)) ==
        list<complex>{{2, 0}, {1, 2}, {0, 4}});
  CHECK(values(ash::gradient(ash::array<double>::from({1, 4, 9}), 0, {.edge_order = 2})) == list<double>{2, 4, 6});
  CHECK(ash::gradient(ash::ones<double>({0, 3}), 1).compute().shape() == ash::shape{0, 3});
}

TEST_CASE("gradient: errors say what would be right") {
  const ash::array<double> x = ash::ones<double>({2, 3});
  CHECK(contains(message_of<ash::shape_error>([&] { ash::gradient(x, 0, {.edge_order = 2}); }), "3 elements or more"));
  CHECK(contains(message_of<ash::value_error>([&] { ash::gradient(x, 0, {.edge_order = 3}); }), "edge_order is 3"));
  CHECK(contains(message_of<ash::value_error>([&] { ash::gradient(x, 0, {.spacing = {1.0, 2.0}}); }), "2 spacings"));
  CHECK(contains(message_of<ash::shape_error>([&] { ash::gradient(x, 0, {.spacing = {ash::ones<double>({3})}}); }),
                 "coordinates of shape (3,)"));
  CHECK(contains(message_of<ash::axis_error>([&] { ash::gradient(x, 2); }), "gradient: axis 2"));
}
