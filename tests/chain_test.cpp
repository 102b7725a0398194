// Chains of named arrays: every name is a step of its own, and all steps share one pass.
#include <doctest/doctest.h>

#include <ashlar/ashlar.hpp>
#include <ashlar/std_threads.hpp>

using namespace ashlar;

namespace {

/// `steps` named arrays, each made from the one before it, over elements i * columns + j.
array<double> chain(std::int64_t rows, std::int64_t columns, int steps, const chunks& wanted) {
  array<double> x =
      fromfunction([columns](std::int64_t i, std::int64_t j) { return static_cast<double>(i * columns + j); },
                   {rows, columns}, {.chunks = wanted});
  for (int s = 0; s < steps; ++s) {
    const array<double> next = s % 3 == 0   ? array<double>(x * 2.0)
                               : s % 3 == 1 ? array<double>(x + 1.0)
                                            : array<double>(x - 3.0);
    x = next;
  }
  return x;
}

double chain_value(double v, int steps) {
  for (int s = 0; s < steps; ++s) v = s % 3 == 0 ? v * 2.0 : s % 3 == 1 ? v + 1.0 : v - 3.0;
  return v;
}

}  // namespace

TEST_CASE("chains: three named steps over three rows reduce to the sums of the columns") {
  const array<double> a = array<double>::from({{1, 1}, {2, 2}, {3, 3}});
  const array<double> b = a * 2.0;
  const array<double> c = b + 1.0;
  const array<double> d = c * 10.0;
  CHECK(array_equal(sum(d, 0).compute(), ndarray<double>::from({150, 150})));
  CHECK(array_equal(min(d, 0).compute(), ndarray<double>::from({30, 30})));
  CHECK(sum(d).compute().item() == 300);
}

TEST_CASE("chains: any number of steps, reduced over either axis and both, gives what a plain loop gives") {
  for (const int steps : {0, 1, 2, 3, 4, 5, 8, 13, 24, 40, 75}) {
    for (const std::int64_t rows : {1, 2, 3, 16, 17, 50}) {
      for (const std::int64_t columns : {1, 2, 7, 64, 130, 300}) {
        CAPTURE(steps);
        CAPTURE(rows);
        CAPTURE(columns);
        const array<double> x = chain(rows, columns, steps, {20, 100});
        const auto [down, lowest, across, overall, first] =
            compute(serial{}, x.sum(0), x.min(0), x.max(1), x.sum(), x.argmax(0));
        bool right = true;
        double total = 0;
        for (std::int64_t j = 0; j < columns; ++j) {
          double s = 0;
          for (std::int64_t i = 0; i < rows; ++i) s += chain_value(static_cast<double>(i * columns + j), steps);
          total += s;
          right = right && std::abs(down(j) - s) <= 1e-12 * std::abs(s) + 1e-9;
          right = right && lowest(j) == chain_value(static_cast<double>(j), steps) && first(j) == rows - 1;
        }
        for (std::int64_t i = 0; i < rows; ++i) {
          right = right && across(i) == chain_value(static_cast<double>(i * columns + columns - 1), steps);
        }
        CHECK(right);
        CHECK(overall.item() == doctest::Approx(total).epsilon(1e-12));
      }
    }
  }
}

TEST_CASE("chains: several values of one chain reduced in one pass") {
  const array<double> a = chain(33, 140, 1, {10, 50});
  const array<double> b = a + 5.0;
  const array<double> c = b * 0.5;
  const array<double> d = c - 1.0;
  const auto [sa, sb, sc, sd] = compute(std_threads{.workers = 3}, a.sum(0), b.max(0), c.min(0), d.sum(0));
  const auto [ta, tb, tc, td] =
      compute(serial{}, run_options{.optimize = false}, a.sum(0), b.max(0), c.min(0), d.sum(0));
  CHECK(array_equal(sa, ta));
  CHECK(array_equal(sb, tb));
  CHECK(array_equal(sc, tc));
  CHECK(array_equal(sd, td));
}
