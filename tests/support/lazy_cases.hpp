// The same array in every form and many chunkings, and a check of what is made of it, element by element.
#pragma once

#include <doctest/doctest.h>

#include <ashlar/ashlar.hpp>

#include <cstdint>
#include <functional>
#include <vector>

namespace lazy_cases {

namespace ash = ashlar;

using element = std::function<double(const std::vector<std::int64_t>&)>;
using operation = std::function<ash::array<double>(const ash::array<double>&)>;

/// Element (i, j, k) of the array, of shape (5, 6, 7).
inline double value(std::int64_t i, std::int64_t j, std::int64_t k) {
  return static_cast<double>(100 * i + 10 * j + k);
}

/// The same elements generated, in memory, persisted, made by a shared expression, and by one of their own.
inline std::vector<ash::array<double>> arrays(const ash::chunks& chunks) {
  const auto generated = ash::fromfunction(
      [](std::int64_t i, std::int64_t j, std::int64_t k) { return value(i, j, k); }, {5, 6, 7}, {.chunks = chunks});
  const ash::array<double> made = generated + 0.0;
  const ash::array<double> shared = made + 0.0 * made.sum();
  return {generated, ash::from(generated.compute(), {.chunks = chunks}), generated.persist(), made, shared};
}

inline const std::vector<ash::chunks>& many_chunks() {
  static const std::vector<ash::chunks> all = {{5, 6, 7}, {2, 2, 3}, {1, 6, 2}, {{0, 3, 2}, 4, {3, 0, 4}}};
  return all;
}

inline void check_elements(const ash::ndarray<double>& got, const ash::shape& shape, const element& expected) {
  REQUIRE(got.shape() == shape);
  std::vector<std::int64_t> at(static_cast<std::size_t>(shape.ndim()), 0);
  const std::int64_t size = shape.size();
  for (std::int64_t n = 0; n < size; ++n) {
    std::int64_t offset = 0;
    for (std::size_t a = 0; a < at.size(); ++a) offset += at[a] * got.strides()[static_cast<int>(a)];
    REQUIRE(got.data()[offset] == expected(at));
    for (std::size_t a = at.size(); a-- > 0;) {
      if (++at[a] < shape[static_cast<int>(a)]) break;
      at[a] = 0;
    }
  }
}

/// For all arrays, chunks and some numbers of workers: what the operation gives has the shape, and element (i, j, …) is
/// `expected` of it; as a result, persisted, and read by other operations.
inline void check(const operation& f, const ash::shape& shape, const element& expected) {
  for (const ash::chunks& chunks : many_chunks()) {
    for (const ash::array<double>& x : arrays(chunks)) {
      const ash::array<double> v = f(x);
      REQUIRE(v.shape() == shape);
      REQUIRE(v.chunks().full_shape() == shape);
      for (const int workers : {1, 3}) check_elements(v.compute(ash::threads{.workers = workers}), shape, expected);
      check_elements(v.persist().compute(), shape, expected);
      check_elements((v + 1.0).compute(), shape, [&](const auto& i) { return expected(i) + 1.0; });
      CHECK((v + 1.0).sum().compute().item() == static_cast<double>(v.size()) + v.sum().compute().item());
    }
  }
}

}  // namespace lazy_cases
