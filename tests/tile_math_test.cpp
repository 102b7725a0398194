#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "support/tile_math_cases.hpp"

using namespace tile_math_cases;
TEST_CASE_TEMPLATE("zeros, infinities, NaN, subnormals and huge arguments give what the scalar library gives", T,
                   double, float) {
  const std::vector<T> table = values<T>(3).table();
  for (const auto& f : unary_functions<T>()) {
    for (int version = 0; version < usable_versions(); ++version) {
      worst_error<T> worst;
      for (const T x : table) {
        tile<T> y;
        y.fill(x);
        f.versions[static_cast<std::size_t>(version)](y.data(), y.data());
        worst.add(ulp_error(y[5], static_cast<long double>(f.scalar(x))), x);
      }
      INFO(f.name, " version ", version, " at ", worst.x);
      CHECK(worst.ulps <= ulp_limit);
    }
  }
  for (const auto& f : binary_functions<T>()) {
    for (int version = 0; version < usable_versions(); ++version) {
      worst_error<T> worst;
      for (const T a : table) {
        for (const T b : table) {
          tile<T> x;
          tile<T> y;
          x.fill(a);
          y.fill(b);
          f.versions[static_cast<std::size_t>(version)](x.data(), y.data(), y.data());
          worst.add(ulp_error(y[77], static_cast<long double>(f.scalar(a, b))), a, b);
        }
      }
      INFO(f.name, " version ", version, " at ", worst.x, ", ", worst.y);
      CHECK(worst.ulps <= ulp_limit);
    }
  }
}

TEST_CASE_TEMPLATE("corner cases that the C standard fixes hold to the bit", T, double, float) {
  constexpr T inf = std::numeric_limits<T>::infinity();
  constexpr T nan = std::numeric_limits<T>::quiet_NaN();
  struct binary_corner {
    int function;
    T a, b, result;
  };
  constexpr int atan2 = 0;
  constexpr int hypot = 1;
  constexpr int pow = 2;
  const auto functions = binary_functions<T>();
  for (const auto& c :
       std::vector<binary_corner>{{pow, nan, 0, 1},       {pow, 1, nan, 1},           {pow, inf, 0, 1},
                                  {pow, 0, 0, 1},         {pow, -1, inf, 1},          {pow, -2, 3, -8},
                                  {pow, -2, 2, 4},        {pow, 0, -1, inf},          {pow, -T(0), -1, -inf},
                                  {pow, -T(0), 3, -T(0)}, {pow, -T(0), 2, 0},         {pow, -inf, 3, -inf},
                                  {pow, -inf, -3, -T(0)}, {pow, T(0.5), inf, 0},      {pow, 2, -inf, 0},
                                  {hypot, inf, nan, inf}, {hypot, nan, -inf, inf},    {hypot, 3, -4, 5},
                                  {hypot, 0, -T(0), 0},   {atan2, 0, 1, 0},           {atan2, -T(0), 1, -T(0)},
                                  {atan2, 0, 0, 0},       {atan2, -T(0), T(0), -T(0)}}) {
    for (int version = 0; version < usable_versions(); ++version) {
      tile<T> x;
      tile<T> y;
      x.fill(c.a);
      y.fill(c.b);
      const auto& f = functions[static_cast<std::size_t>(c.function)];
      f.versions[static_cast<std::size_t>(version)](x.data(), y.data(), x.data());
      INFO(f.name, "(", c.a, ", ", c.b, ") version ", version, " gave ", x[3]);
      CHECK(same_bits(x[3], c.result));
    }
  }
  tile<T> x;
  x.fill(-8);
  tile<T> third;
  third.fill(T(1) / 3);
  tile_math<isa_baseline>::pow(x.data(), third.data(), x.data());
  CHECK(std::isnan(x[0]));
  x.fill(0);
  tile_math<isa_baseline>::log(x.data(), x.data());
  CHECK(x[0] == -inf);
  x.fill(-1);
  tile_math<isa_baseline>::log(x.data(), x.data());
  CHECK(std::isnan(x[0]));
}

TEST_CASE_TEMPLATE("square root and rounding are exact and keep the sign of zero", T, double, float) {
  for (const auto& f : exact_functions<T>()) {
    values<T> random(4);
    for (int version = 0; version < usable_versions(); ++version) {
      int wrong = 0;
      T where{};
      for (int t = 0; t < 400; ++t) {
        tile<T> x;
        for (T& v : x) v = t < 20 ? random.special() : random.any();
        tile<T> y;
        f.versions[static_cast<std::size_t>(version)](x.data(), y.data());
        for (std::size_t i = 0; i < x.size(); ++i) {
          const T expected = f.scalar(x[i]);
          if (same_bits(y[i], expected) || (std::isnan(y[i]) && std::isnan(expected))) continue;
          ++wrong;
          where = x[i];
        }
      }
      INFO(f.name, " version ", version, " at ", where);
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE_TEMPLATE("an element's bits depend neither on its place nor on its neighbours", T, double, float) {
  const auto check = [](const char* name, int version, auto f) {
    values<T> random(5);
    int changed = 0;
    for (int t = 0; t < 300; ++t) {
      std::array<std::size_t, lanes> order;
      tile<T> a, b, y, a_moved, b_moved, y_moved;
      for (std::size_t i = 0; i < order.size(); ++i) {
        order[i] = i;
        a[i] = t % 3 == 0 ? random.special() : random.any();
        b[i] = t % 5 == 0 ? random.special() : random.any();
      }
      f(a.data(), b.data(), y.data());
      std::shuffle(order.begin(), order.end(), random.generator());
      for (std::size_t i = 0; i < order.size(); ++i) a_moved[i] = a[order[i]], b_moved[i] = b[order[i]];
      f(a_moved.data(), b_moved.data(), y_moved.data());
      for (std::size_t i = 0; i < order.size(); ++i) changed += same_bits(y_moved[i], y[order[i]]) ? 0 : 1;
      const std::size_t one = order[0];
      a_moved.fill(a[one]);
      b_moved.fill(b[one]);
      f(a_moved.data(), b_moved.data(), y_moved.data());
      for (const T v : y_moved) changed += same_bits(v, y[one]) ? 0 : 1;
    }
    INFO(name, " version ", version);
    CHECK(changed == 0);
  };
  for (int version = 0; version < usable_versions(); ++version) {
    const auto at = static_cast<std::size_t>(version);
    for (const auto& functions : {exact_functions<T>(), unary_functions<T>()}) {
      for (const auto& f : functions) {
        check(f.name, version, [&](const T* a, const T*, T* y) { f.versions[at](a, y); });
      }
    }
    for (const auto& f : binary_functions<T>()) check(f.name, version, f.versions[at]);
  }
}

TEST_CASE_TEMPLATE("tiles may lie at any address, and nothing beyond them is touched", T, double, float) {
  std::vector<T> in(lanes + 2, T(0.75));
  for (int version = 0; version < usable_versions(); ++version) {
    for (const auto& f : unary_functions<T>()) {
      std::vector<T> out(lanes + 2, T(-7));
      f.versions[static_cast<std::size_t>(version)](in.data() + 1, out.data() + 1);
      INFO(f.name, " version ", version);
      CHECK(out.front() == -7);
      CHECK(out.back() == -7);
      CHECK(std::all_of(out.begin() + 1, out.end() - 1, [&](T v) { return same_bits(v, out[1]); }));
    }
  }
}
