#include <ashlar/blockwise.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <ashlar/ashlar.hpp>

#include "support/counted_array.hpp"
#include "support/lazy_check.hpp"

namespace ash = ashlar;
using ash::array;
using ash::block_info;
using ash::blockwise;
using ash::ndarray;
using ash::shape;

namespace {

void multiply(ndarray<const double> a, ndarray<const double> b, ndarray<double> out) {
  for (std::int64_t i = 0; i < out.shape()[0]; ++i) {
    for (std::int64_t k = 0; k < out.shape()[1]; ++k) {
      out(i, k) = 0;
      for (std::int64_t j = 0; j < a.shape()[1]; ++j) out(i, k) += a(i, j) * b(j, k);
    }
  }
}

/// a times b, element by element.
std::vector<double> product(const ndarray<double>& a, const ndarray<double>& b) {
  ndarray<double> out({a.shape()[0], b.shape()[1]});
  multiply(a, b, out);
  return values(out);
}

}  // namespace

TEST_CASE("blockwise: a letter that the result has not is given whole") {
  for (const std::int64_t c : {1, 2, 3, 7}) {
    const auto a = counted({5, 7}, {2, c});
    const auto b = counted({7, 4}, {{3, 4}, 3});
    const auto y = blockwise(multiply, "ij,jk->ik", a, b);
    CHECK(y.chunks() == ash::block_grid({ash::axis_blocks::regular(5, 2), ash::axis_blocks::regular(4, 3)}));
    CHECK(values(y) == product(a.compute(), b.compute()));
    CHECK(values(blockwise(multiply, "ij,jk->ik", a + 0.0, b * 1.0, {.name = "matmul"})) ==
          product(a.compute(), b.compute()));
  }
}

TEST_CASE("blockwise: outer products, transposes, diagonals") {
  const auto x = counted({3}, {2});
  const auto y = counted({4}, {3});
  const auto outer = [](ndarray<const double> a, ndarray<const double> b, ndarray<double> out) {
    for (std::int64_t i = 0; i < a.size(); ++i) {
      for (std::int64_t j = 0; j < b.size(); ++j) out(i, j) = 10 * a(i) + b(j);
    }
  };
  CHECK(values(blockwise(outer, "i,j->ij", x, y)) == std::vector<double>{0, 1, 2, 3, 10, 11, 12, 13, 20, 21, 22, 23});
  const auto m = counted({4, 6}, {3, 4});
  const auto turned = blockwise([](ndarray<const double> b) { return b.transpose(); }, "ij -> ji", m);
  CHECK(turned.shape() == shape{6, 4});
  CHECK(turned.chunks() == ash::block_grid({ash::axis_blocks::regular(6, 4), ash::axis_blocks::regular(4, 3)}));
  CHECK(values(turned) == values(m.compute().transpose()));
  const auto diagonal = blockwise(
      [](ndarray<const double> b, ndarray<double> out) {
        for (std::int64_t i = 0; i < out.size(); ++i) out(i) = b(i, i);
      },
      "ii->i", counted({5, 5}, {2, 3}));
  CHECK(values(diagonal) == std::vector<double>{0, 6, 12, 18, 24});
  // x + x^T
  const auto s = counted({4, 4}, {2, 3});
  const auto symmetric = blockwise(
      [](ndarray<const double> a, ndarray<const double> b, ndarray<double> out) {
        for (std::int64_t i = 0; i < out.shape()[0]; ++i) {
          for (std::int64_t j = 0; j < out.shape()[1]; ++j) out(i, j) = a(i, j) + b(j, i);
        }
      },
      "ij,ji->ij", s, s);
  const ndarray<double> d = s.compute();
  CHECK(values(symmetric) == values(ash::from(d) + ash::from(d.transpose())));
}

TEST_CASE("blockwise: new axes, other lengths, broadcasting") {
  const auto x = counted({3}, {2});
  const auto repeated = blockwise(
      [](ndarray<const double> b, ndarray<double> out, const block_info& at) {
        for (std::int64_t z = 0; z < out.shape()[0]; ++z) {
          for (std::int64_t i = 0; i < b.size(); ++i) {
            out(z, i) = 100 * static_cast<double>(at.result.offset[0] + z) + b(i);
          }
        }
      },
      "i->zi", x, {.chunks = {{1, 2}, ash::keep}});
  CHECK(repeated.shape() == shape{3, 3});
  CHECK(values(repeated) == std::vector<double>{0, 1, 2, 100, 101, 102, 200, 201, 202});
  const auto sums = blockwise(
      [](ndarray<const double> a, ndarray<const double> b) {
        CHECK(b.shape() == shape{1});
        double sum = 0;
        for (const double v : a) sum += v * b(0);
        return sum;
      },
      "ij,j->i", counted({4, 3}, {2, 2}), ash::from(ndarray<double>::from({2})), {.chunks = {1}});
  CHECK(values(sums) == std::vector<double>{30, 102});
  const auto all = blockwise(
      [](ndarray<const double> b) {
        double sum = 0;
        for (const double v : b) sum += v;
        return sum;
      },
      "ij->", counted({4, 3}, {2, 2}));
  CHECK(all.ndim() == 0);
  CHECK(all.compute().item() == 66);
}

TEST_CASE("blockwise: rules that say nothing sensible") {
  const auto x = counted({4, 3}, {2, 2});
  const auto same = [](ndarray<const double> b) { return b; };
  const auto both = [](ndarray<const double> a, ndarray<const double>) { return a; };
  CHECK_THROWS_WITH_AS(blockwise(same, "ij", x), doctest::Contains("has no ->"), ash::value_error);
  CHECK_THROWS_WITH_AS(blockwise(same, "i1->i", x), doctest::Contains("character '1'"), ash::value_error);
  CHECK_THROWS_WITH_AS(blockwise(same, "ij->ii", x), doctest::Contains("'i' twice"), ash::value_error);
  CHECK_THROWS_WITH_AS(blockwise(same, "i->i", x), doctest::Contains("1 axes, and it has shape (4, 3)"),
                       ash::shape_error);
  CHECK_THROWS_WITH_AS(blockwise(same, "ij,jk->ik", x), doctest::Contains("is for 2 arrays, and 1 are given"),
                       ash::shape_error);
  CHECK_THROWS_WITH_AS(blockwise(both, "ij,jk->ik", x, x), doctest::Contains("axis 'j' has length 3 elsewhere"),
                       ash::shape_error);
  CHECK_THROWS_WITH_AS(blockwise(same, "ij->ik", x), doctest::Contains("no operand has axis 1"), ash::chunk_error);
}
