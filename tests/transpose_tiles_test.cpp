// Copies that turn matrices over, for elements of every size and matrices of every remainder.
#include <doctest/doctest.h>

#include <ashlar/detail/strided.hpp>

#include <complex>
#include <cstdint>
#include <vector>

namespace {

template <class T>
void check(std::int64_t rows, std::int64_t columns, std::int64_t from_gap, std::int64_t to_gap) {
  const std::int64_t from_row = columns + from_gap;
  const std::int64_t to_row = rows + to_gap;
  std::vector<T> from(static_cast<std::size_t>(rows * from_row + 1));
  std::vector<T> to(static_cast<std::size_t>(columns * to_row + 1), T(77));
  for (std::size_t k = 0; k < from.size(); ++k) from[k] = static_cast<T>(static_cast<int>(k % 101));
  ashlar::detail::copy_strided<T>({rows, columns}, from.data() + 1, {from_row, 1}, to.data() + 1, {1, to_row});
  for (std::int64_t r = 0; r < rows; ++r) {
    for (std::int64_t c = 0; c < columns; ++c) {
      REQUIRE(to[static_cast<std::size_t>(1 + c * to_row + r)] == from[static_cast<std::size_t>(1 + r * from_row + c)]);
    }
  }
  for (std::int64_t c = 0; c < columns; ++c) {  // nothing beside it
    for (std::int64_t g = rows; g < to_row && 1 + c * to_row + g < static_cast<std::int64_t>(to.size()); ++g) {
      REQUIRE(to[static_cast<std::size_t>(1 + c * to_row + g)] == T(77));
    }
  }
}

TEST_CASE_TEMPLATE("every remainder of a tile", T, std::uint8_t, std::int16_t, float, double, std::complex<double>) {
  for (const std::int64_t rows : {1, 7, 8, 9, 15, 16, 17, 31, 33, 40, 70}) {
    for (const std::int64_t columns : {1, 8, 13, 16, 24, 35, 64}) {
      check<T>(rows, columns, 0, 0);
      check<T>(rows, columns, 3, 5);
    }
  }
}

TEST_CASE("turned over inside more axes") {
  const ashlar::shape extents{3, 20, 24};
  std::vector<double> from(3 * 20 * 24);
  std::vector<double> to(from.size());
  for (std::size_t k = 0; k < from.size(); ++k) from[k] = static_cast<double>(k);
  ashlar::detail::copy_strided<double>(extents, from.data(), {480, 24, 1}, to.data(), {480, 1, 20});
  for (std::size_t a = 0; a < 3; ++a) {
    for (std::size_t b = 0; b < 20; ++b) {
      for (std::size_t c = 0; c < 24; ++c) REQUIRE(to[a * 480 + c * 20 + b] == from[a * 480 + b * 24 + c]);
    }
  }
}

}  // namespace
