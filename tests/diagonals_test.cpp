// Triangles, diagonals and coordinate matrices against plain loops over indices.
#include <doctest/doctest.h>

#include <ashlar/ashlar.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <tuple>
#include <type_traits>

#include "support/lazy_cases.hpp"

namespace ash = ashlar;

namespace {

using lazy_cases::check;
using lazy_cases::value;

TEST_CASE("triangles of the last two axes") {
  for (const std::int64_t k : {-9, -1, 0, 2, 9}) {
    check([=](const auto& x) { return ash::tril(x, k); }, {5, 6, 7},
          [=](const auto& i) { return i[2] - i[1] <= k ? value(i[0], i[1], i[2]) : 0.0; });
    check([=](const auto& x) { return ash::triu(x, k); }, {5, 6, 7},
          [=](const auto& i) { return i[2] - i[1] >= k ? value(i[0], i[1], i[2]) : 0.0; });
  }
  constexpr auto lowest = std::numeric_limits<std::int64_t>::min();
  const auto ones = ash::ones<int>({2, 2});
  CHECK(ash::triu(ones, lowest).sum().compute().item() == 4);
  CHECK(ash::tril(ones, lowest).sum().compute().item() == 0);
  CHECK(ash::tri<int>(3, {.columns = 5, .diagonal = 1, .chunks = {2}}).sum().compute().item() == 2 + 3 + 4);
  CHECK(std::isfinite(ash::triu(ash::full({2, 2}, std::nan("")), 5).sum().compute().item()));
  CHECK_THROWS_AS(ash::tril(ash::zeros<double>({3})), ash::shape_error);
}

TEST_CASE("a line on a diagonal, a diagonal as a line, and its sum") {
  const auto line = ash::arange<double>(1, 4, 1, {.chunks = {2}});
  for (const std::int64_t k : {-2, 0, 1}) {
    const auto m = ash::diag(line, k).compute();
    const std::int64_t n = 3 + (k < 0 ? -k : k);
    REQUIRE(m.shape() == ash::shape{n, n});
    for (std::int64_t i = 0; i < n; ++i) {
      for (std::int64_t j = 0; j < n; ++j)
        CHECK(m(i, j) == (j - i == k ? static_cast<double>(k < 0 ? j + 1 : i + 1) : 0));
    }
    CHECK((ash::diag(ash::diag(line, k), k) == line).all().compute().item());
  }
  check([](const auto& x) { return ash::trace(x, 1, 1, 2); }, {5},
        [](const auto& i) {
          double sum = 0;
          for (std::int64_t k = 0; k < 6; ++k) sum += value(i[0], k, k + 1);
          return sum;
        });
  static_assert(std::is_same_v<decltype(ash::trace(ash::ones<std::int8_t>({2, 2})))::value_type, std::int64_t>);
  CHECK(ash::trace(ash::full({300, 300}, std::int8_t{100})).compute().item() == 30000);
  CHECK_THROWS_AS(ash::diag(ash::zeros<double>({1, 1, 1})), ash::shape_error);
}

TEST_CASE("coordinate matrices") {
  const auto x = ash::arange<double>(3, {.chunks = {2}});
  const auto y = ash::arange<int>(10, 14, 1);
  const auto [a, b] = ash::meshgrid(x, y);
  CHECK(a.shape() == ash::shape{4, 3});
  const auto got_a = a.compute();
  const auto got_b = b.compute();
  for (std::int64_t i = 0; i < 4; ++i) {
    for (std::int64_t j = 0; j < 3; ++j) {
      CHECK(got_a(i, j) == static_cast<double>(j));
      CHECK(got_b(i, j) == 10 + i);
    }
  }
  const auto [c, d, e] = ash::meshgrid(std::tuple{x, y, x}, ash::mesh_indexing::ij);
  CHECK(c.shape() == ash::shape{3, 4, 3});
  CHECK(c.compute()(2, 1, 0) == 2);
  CHECK(d.compute()(2, 1, 0) == 11);
  CHECK(e.compute()(2, 1, 0) == 0);
  CHECK_THROWS_AS(ash::meshgrid(ash::zeros<double>({2, 2}), x), ash::shape_error);
}

}  // namespace
