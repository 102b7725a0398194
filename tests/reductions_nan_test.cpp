#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include <ashlar/ashlar.hpp>

#include "support/item.hpp"

namespace ash = ashlar;
using testing_support::item;

namespace {

constexpr double quiet = std::numeric_limits<double>::quiet_NaN();
constexpr double inf = std::numeric_limits<double>::infinity();

ash::array<double> line(std::vector<double> values, const ash::chunks& cut) {
  return ash::from(std::move(values), {.chunks = cut});
}

bool is_negative_zero(double x) { return x == 0 && std::signbit(x); }
bool is_positive_zero(double x) { return x == 0 && !std::signbit(x); }

}  // namespace

TEST_CASE("a NaN in any chunk reaches sum, mean, var, std, min and max") {
  for (const int length : {1, 2, 31, 32, 33, 512, 513, 1500}) {
    for (const int block : {1, 7, 600}) {
      if (length > 33 && block == 1) continue;
      for (const std::size_t place :
           {std::size_t{0}, static_cast<std::size_t>(length / 2), static_cast<std::size_t>(length - 1)}) {
        std::vector<double> values(static_cast<std::size_t>(length), 1.0);
        values[place] = quiet;
        const auto x = line(values, block);
        const auto [sum, mean, var, low, high, first, prod] =
            ash::compute(ash::serial{}, x.sum(), x.mean(), x.var(), x.min(), x.max(), x.argmin(), x.prod());
        CAPTURE(length);
        CAPTURE(block);
        CAPTURE(place);
        CHECK(std::isnan(sum.item()));
        CHECK(std::isnan(mean.item()));
        CHECK(std::isnan(var.item()));
        CHECK(std::isnan(low.item()));
        CHECK(std::isnan(high.item()));
        CHECK(std::isnan(prod.item()));
        CHECK(first.item() == static_cast<std::int64_t>(place));
      }
    }
  }
}

TEST_CASE("a NaN stays in its column and in its row") {
  ash::ndarray<float> values = ash::ndarray<float>::full({40, 70}, 2.0f);
  values(17, 3) = std::numeric_limits<float>::quiet_NaN();
  const auto x = ash::from(values, {.chunks = {16, 9}});
  const auto [columns, rows, deviation] = ash::compute(ash::serial{}, x.max(0), x.min(1), x.std(0));
  for (int c = 0; c < 70; ++c) {
    CHECK(std::isnan(columns(c)) == (c == 3));
    CHECK(std::isnan(deviation(c)) == (c == 3));
  }
  for (int r = 0; r < 40; ++r) CHECK(std::isnan(rows(r)) == (r == 17));
}

TEST_CASE("NaN is not zero, and logical reductions do not spread it") {
  const auto x = line({quiet, 0, quiet}, 1);
  CHECK(item(x.any()));
  CHECK(!item(x.all()));
  CHECK(item(x.count_nonzero()) == 2);
  CHECK(item(line({quiet, quiet}, 1).all()));
}

TEST_CASE("only NaN: extrema are NaN and their place is the first") {
  const auto x = line({quiet, quiet, quiet, quiet, quiet}, 2);
  CHECK(std::isnan(item(x.min())));
  CHECK(std::isnan(item(x.max())));
  CHECK(std::isnan(item(x.sum())));
  CHECK(item(x.argmin()) == 0);
  CHECK(item(x.argmax()) == 0);
}

TEST_CASE("infinities") {
  for (const int block : {1, 2, 5}) {
    CHECK(item(line({1, inf, 2}, block).sum()) == inf);
    CHECK(item(line({1, -inf, 2}, block).mean()) == -inf);
    CHECK(std::isnan(item(line({inf, -inf, 2}, block).sum())));
    CHECK(std::isnan(item(line({1, inf, 2}, block).var())));
    CHECK(std::isnan(item(line({inf, quiet, -inf}, block).std())));
    CHECK(item(line({inf, inf}, block).min()) == inf);
    CHECK(item(line({inf, inf}, block).argmin()) == 0);
    CHECK(item(line({-inf, -inf}, block).argmax()) == 0);
    CHECK(item(line({-inf, -inf}, block).max()) == -inf);
    CHECK(item(line({1, inf, -inf}, block).argmax()) == 1);
    CHECK(item(line({1, inf, -inf}, block).argmin()) == 2);
  }
}

TEST_CASE("a sum of only -0.0 is -0.0, an empty one 0.0") {
  for (const int length : {1, 5, 32, 40, 600}) {
    for (const int block : {7, 1000}) {
      CAPTURE(length);
      CHECK(is_negative_zero(item(line(std::vector<double>(static_cast<std::size_t>(length), -0.0), block).sum())));
    }
    const auto wide = ash::full(ash::shape{length, 3}, -0.0, {.chunks = {7, 2}});
    CHECK(is_negative_zero(wide.sum(0).compute(ash::serial{})(1)));
  }
  CHECK(is_positive_zero(item(line({-0.0, 0.0}, 1).sum())));
  CHECK(is_positive_zero(item(line({}, 1).sum())));
  CHECK(
      is_negative_zero(item(ash::from(ash::ndarray<double>::from({-0.0, -0.0}), {.chunks = {{0, 1, 0, 1, 0}}}).sum())));
}

TEST_CASE("min takes -0.0 and max 0.0, wherever they stand") {
  for (const int length : {2, 20, 32, 33, 70, 513}) {
    for (const int block : {1, 7, 1000}) {
      if (length > 100 && block == 1) continue;
      for (const bool first : {true, false}) {
        for (const double odd_one : {0.0, -0.0}) {
          std::vector<double> values(static_cast<std::size_t>(length), -odd_one);
          values[first ? 0 : values.size() - 1] = odd_one;
          CAPTURE(length);
          CAPTURE(block);
          CAPTURE(first);
          const auto x = line(values, block);
          CHECK(is_negative_zero(item(x.min())));
          CHECK(is_positive_zero(item(x.max())));
          const auto tall = ash::from(ash::ndarray<double>::from(values).reshape({length, 1}), {.chunks = {block, 1}});
          CHECK(is_negative_zero(item(tall.min(0))));
          CHECK(is_positive_zero(item(tall.max(0))));
        }
      }
    }
  }
  CHECK(item(line({-0.0, 0.0}, 1).argmax()) == 0);  // equal, so the first
  CHECK(item(line({0.0, -0.0}, 1).argmin()) == 0);
}

TEST_CASE("nothing: sum 0, prod 1, any false, all true, mean and var NaN, an extremum is an error") {
  const auto x = ash::zeros<double>({0});
  CHECK(is_positive_zero(item(x.sum())));
  CHECK(item(x.prod()) == 1);
  CHECK(!item(x.any()));
  CHECK(item(x.all()));
  CHECK(item(x.count_nonzero()) == 0);
  CHECK(std::isnan(item(x.mean())));
  CHECK(std::isnan(item(x.var())));
  CHECK(std::isnan(item(x.std())));
  CHECK(item(ash::zeros<std::int32_t>({0}).sum()) == 0);
  CHECK(std::isnan(item(ash::zeros<std::int32_t>({0}).mean())));
  CHECK_THROWS_WITH_AS(x.min(), doctest::Contains("(0,)"), ash::shape_error);
  CHECK_THROWS_WITH_AS(x.max(), doctest::Contains("max"), ash::shape_error);
  CHECK_THROWS_AS(x.argmin(), ash::shape_error);
  CHECK_THROWS_AS(x.argmax(), ash::shape_error);
}

TEST_CASE("one empty axis: over it an extremum is an error that names it, over another the result is empty") {
  const auto x = ash::zeros<float>({3, 0});
  CHECK_THROWS_WITH_AS(x.min(1), doctest::Contains("axis 1,"), ash::shape_error);
  CHECK_THROWS_AS(x.argmax(1), ash::shape_error);
  CHECK(x.min(0).compute(ash::serial{}).shape() == ash::shape{0});
  CHECK(x.argmax(0).compute(ash::threads{.workers = 2}).shape() == ash::shape{0});
  const auto sums = x.sum(1).compute(ash::serial{});
  CHECK(ash::array_equal(sums, ash::ndarray<float>::from({0, 0, 0})));
  CHECK(ash::zeros<double>({0, 3}).max(1).compute(ash::serial{}).shape() == ash::shape{0});
  CHECK(ash::zeros<double>({0, 1}).argmax(1).compute(ash::serial{}).shape() == ash::shape{0});
  CHECK(x.mean(1).compute(ash::std_threads{.workers = 2}).shape() == ash::shape{3});
  CHECK(ash::zeros<double>({0, 0}).sum(0).compute(ash::serial{}).shape() == ash::shape{0});
}

TEST_CASE("blocks of length 0 count for nothing") {
  const auto ones = ash::ones<double>({4, 5}, {.chunks = {{0, 4}, 5}});
  CHECK(ash::array_equal(ones.min(0).compute(ash::serial{}), ash::ndarray<double>::full({5}, 1)));
  CHECK(ash::array_equal(ones.max(0).compute(ash::serial{}), ash::ndarray<double>::full({5}, 1)));
  const ash::chunks cuts[] = {ash::chunks{{0, 3}}, ash::chunks{{3, 0}}, ash::chunks{{1, 0, 2}},
                              ash::chunks{{0, 0, 1, 0, 1, 0, 1}}};
  for (const ash::chunks& cut : cuts) {
    const auto x = line({3, 1, 2}, cut);
    CHECK(item(x.argmin()) == 1);
    CHECK(item(x.argmax()) == 0);
    CHECK(item(x.mean()) == 2);
    CHECK(item(x.var()) == doctest::Approx(2.0 / 3));
    CHECK(item(x.min()) == 1);
    CHECK(item(x.prod()) == 6);
    CHECK(item(x.all()));
  }
}
