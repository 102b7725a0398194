#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>

#include "support/tile_math_cases.hpp"

namespace {

using namespace tile_math_cases;

constexpr int tiles = 200000 / lanes;

}  // namespace

TEST_CASE_TEMPLATE("unary tile functions stay within 4 ulp of the long double result", T, double, float) {
  for (const auto& f : unary_functions<T>()) {
    values<T> random(1);
    std::array<worst_error<T>, 3> worst;
    for (int t = 0; t < tiles; ++t) {
      tile<T> x;
      tile<long double> exact;
      for (T& v : x) v = random.any();
      std::transform(x.begin(), x.end(), exact.begin(), f.reference);
      for (std::size_t version = 0; version < static_cast<std::size_t>(usable_versions()); ++version) {
        tile<T> y;
        f.versions[version](x.data(), y.data());
        for (std::size_t i = 0; i < x.size(); ++i) worst[version].add(ulp_error(y[i], exact[i]), x[i]);
      }
    }
    for (int version = 0; version < usable_versions(); ++version) {
      const auto& w = worst[static_cast<std::size_t>(version)];
      INFO(f.name, " version ", version, " at ", w.x);
      CHECK(w.ulps <= ulp_limit);
    }
  }
}

TEST_CASE_TEMPLATE("binary tile functions stay within 4 ulp of the long double result", T, double, float) {
  for (const auto& f : binary_functions<T>()) {
    const bool is_power = std::string(f.name) == "pow";
    values<T> random(2);
    std::array<worst_error<T>, 3> worst;
    for (int t = 0; t < tiles; ++t) {
      tile<T> a;
      tile<T> b;
      tile<long double> exact;
      for (std::size_t i = 0; i < a.size(); ++i) {
        a[i] = random.any();
        b[i] = random.any();
        if (t % 2 == 0) continue;
        if (is_power) {  // the whole range of results, overflow and underflow included
          a[i] = std::fabs(a[i]);
          b[i] = static_cast<T>(random.uniform(-760, 760) / std::max(T(1e-9), std::fabs(std::log(a[i]))));
        } else {  // of one magnitude
          b[i] = a[i] * static_cast<T>(std::exp2(random.uniform(-5, 5)));
        }
      }
      // glibc's powl takes even exponents from 2^63 on for odd ones. A signalling NaN to the power of 0 is NaN, but 1
      // once the conversion to long double has made it quiet.
      for (std::size_t i = 0; is_power && i < a.size(); ++i) {
        if (std::fabs(b[i]) >= T(0x1p62)) b[i] = 3;
        if (std::isnan(a[i])) a[i] = std::numeric_limits<T>::quiet_NaN();
      }
      std::transform(a.begin(), a.end(), b.begin(), exact.begin(), f.reference);
      for (std::size_t version = 0; version < static_cast<std::size_t>(usable_versions()); ++version) {
        tile<T> y;
        f.versions[version](a.data(), b.data(), y.data());
        for (std::size_t i = 0; i < a.size(); ++i) worst[version].add(ulp_error(y[i], exact[i]), a[i], b[i]);
      }
    }
    for (int version = 0; version < usable_versions(); ++version) {
      const auto& w = worst[static_cast<std::size_t>(version)];
      INFO(f.name, " version ", version, " at ", w.x, ", ", w.y);
      CHECK(w.ulps <= ulp_limit);
    }
  }
}
