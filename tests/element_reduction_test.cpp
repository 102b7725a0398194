// Reductions by an initial state and three functions of elements and states.
#include <doctest/doctest.h>

#include <ashlar/ashlar.hpp>

#include <cmath>
#include <complex>
#include <cstdint>
#include <functional>
#include <vector>

namespace ash = ashlar;

namespace {

const auto numbers = [](std::int64_t i, std::int64_t j) { return static_cast<double>((i * 7 + j * 3) % 11 - 4); };

TEST_CASE("a norm over any axes, chunks and numbers of workers") {
  for (const ash::chunks& chunks : std::vector<ash::chunks>{{6, 5}, {2, 2}, {1, 5}, {{0, 4, 2}, {5, 0}}}) {
    const auto x = ash::fromfunction(numbers, {6, 5}, {.chunks = chunks});
    const auto norm = [&](const ash::axes& which, const ash::reduce_options& o = {}) {
      return ash::reduction(
          x, 0.0, [](double s, double v) { return s + v * v; }, std::plus<>(), [](double s) { return std::sqrt(s); },
          which, o);
    };
    for (const int workers : {1, 2, 8}) {
      const ash::threads on{.workers = workers};
      double all = 0;
      for (std::int64_t i = 0; i < 6; ++i) {
        double row = 0;
        for (std::int64_t j = 0; j < 5; ++j) row += numbers(i, j) * numbers(i, j);
        all += row;
        CHECK(norm(1).compute(on)(i) == std::sqrt(row));
      }
      CHECK(norm(ash::all_axes).compute(on).item() == std::sqrt(all));
      CHECK(norm(-1, {.keepdims = true, .split_every = 2}).compute(on).shape() == ash::shape{6, 1});
    }
  }
}

TEST_CASE("states may be structs, and parts are merged in order") {
  struct line {
    std::int64_t first;
    std::int64_t last;
    bool in_order;
  };
  const auto x = ash::arange<std::int64_t>(1, 100, 1, {.chunks = {7}});
  const auto sorted = ash::reduction(
      x, line{0, 0, true},
      [](line s, std::int64_t v) {
        return line{s.first == 0 ? v : s.first, v, s.in_order && v > s.last};
      },
      [](line a, line b) {
        return line{a.first, b.last, a.in_order && b.in_order && a.last < b.first};
      },
      [](line s) { return s.in_order; });
  CHECK(sorted.compute().item());
  CHECK_FALSE(ash::reduction(
                  ash::flip(x), line{0, 0, true},
                  [](line s, std::int64_t v) {
                    return line{s.first == 0 ? v : s.first, v, s.in_order && v > s.last};
                  },
                  [](line a, line b) {
                    return line{a.first, b.last, a.in_order && b.in_order && a.last < b.first};
                  },
                  [](line s) { return s.in_order; })
                  .compute()
                  .item());
}

TEST_CASE("nothing gives what the initial state finishes as, and types come from the functions") {
  const auto none = ash::zeros<float>({0, 3});
  const auto count = [](const auto& x, const ash::axes& which) {
    return ash::reduction(
        x, std::int64_t{0}, [](std::int64_t n, auto) { return n + 1; }, std::plus<>(),
        [](std::int64_t n) { return std::complex<double>(static_cast<double>(n), 1); }, which);
  };
  const auto per_column = count(none, 0).compute();
  CHECK(per_column.shape() == ash::shape{3});
  CHECK(per_column(2) == std::complex<double>(0, 1));
  CHECK(count(none, ash::all_axes).compute().item() == std::complex<double>(0, 1));
  CHECK(count(ash::ones<bool>({4, 3}, {.chunks = {3, 1}}), 0).compute()(1) == std::complex<double>(4, 1));
  CHECK_THROWS_AS(count(none, 2), ash::axis_error);
}

}  // namespace
