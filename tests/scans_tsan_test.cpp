// Scans on threads: blocks that go on from other threads' blocks, beside others that read them.
#include <doctest/doctest.h>

#include <cstdint>

#include <ashlar/creation.hpp>
#include <ashlar/functions.hpp>
#include <ashlar/std_threads.hpp>

#include "support/lazy_check.hpp"

namespace ash = ashlar;

TEST_CASE("scans on threads: the states of one block are seen by the next one, wherever it runs") {
  const ash::array<double> x =
      ash::fromfunction([](std::int64_t i, std::int64_t j) { return static_cast<double>((i * 5 + j * 3) % 7) / 8; },
                        {200, 160}, {.chunks = {10, 16}});
  const ash::array<double> shared = x.cumsum(0) + x.cumsum(1).cumsum(0);
  const ash::array<double> y = shared / (1.0 + shared.max(0));
  const ash::ndarray<double> right = y.compute(ash::serial{});
  const ash::ndarray<double> line = x(3).cumprod().compute(ash::serial{});
  for (int round = 0; round < 20; ++round) {
    for (const int workers : {2, 3, 8}) {
      const ash::std_threads on{.workers = workers};
      CHECK(same_bits(y.compute(on), right));
      CHECK(same_bits(x(3).cumprod().compute(on), line));
    }
  }
}
