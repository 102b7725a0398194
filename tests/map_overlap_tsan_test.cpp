#include <cstdint>

#include <doctest/doctest.h>

#include <ashlar/array.hpp>
#include <ashlar/creation.hpp>
#include <ashlar/functions.hpp>
#include <ashlar/map_overlap.hpp>
#include <ashlar/std_threads.hpp>

namespace ash = ashlar;

TEST_CASE("chained stencils on several threads, free and within a limit for memory") {
  const auto spread = [](ash::halo_block<double> u, ash::ndarray<double> out) {
    const std::int64_t columns = out.shape()[1];
    for (std::int64_t i = 0; i < out.shape()[0]; ++i) {
      for (std::int64_t j = 0; j < columns; ++j) {
        out.data()[i * columns + j] = u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1);
      }
    }
  };
  ash::array<double> u = ash::ones<double>({256, 256}, {.chunks = {32}});
  for (int k = 0; k < 8; ++k) u = ash::map_overlap(spread, u, {.depth = 1, .boundary = ash::boundary::wrap});
  const double right = 256.0 * 256.0 * 65536.0;
  CHECK(u.sum().compute(ash::std_threads{.workers = 4}).item() == right);
  CHECK(u.sum().compute(ash::std_threads{.workers = 4, .memory_limit = 1400 << 10}).item() == right);
}
