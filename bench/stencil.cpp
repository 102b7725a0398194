// Steps of the heat equation with a 5-point stencil on n x n doubles in memory: bench_stencil WHO N STEPS ROWS COLUMNS
// [THREADS]. WHO is ashlar, in blocks of ROWS x COLUMNS, or hand: one parallel loop a step over whole rows, between two
// arrays. Prints one line of JSON; stencil.py runs it beside Dask and NumPy.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <ashlar/ashlar.hpp>
#include <ashlar/report.hpp>

#include "memory_watch.hpp"

namespace ash = ashlar;

namespace {

void heat_row(const double* above, const double* here, const double* below, double* to, std::int64_t columns) {
  for (std::int64_t j = 0; j < columns; ++j) {
    to[j] = here[j] + 0.2 * (above[j] + below[j] + here[j - 1] + here[j + 1] - 4 * here[j]);
  }
}

void heat_step(ash::halo_block<double> u, ash::ndarray<double> out) {
  const std::int64_t columns = u.shape()[1];
  for (std::int64_t i = 0; i < u.shape()[0]; ++i) {
    heat_row(u.row(i - 1), u.row(i), u.row(i + 1), out.data() + i * columns, columns);
  }
}

ash::ndarray<double> ashlar_steps(const ash::ndarray<double>& x, int steps, const ash::chunks& chunks,
                                  const ash::threads& where, ash::report& report) {
  ash::array<double> u = ash::from(x, {.chunks = chunks});
  for (int k = 0; k < steps; ++k) {
    u = ash::map_overlap(heat_step, u, {.depth = 1, .boundary = ash::boundary::edge});
  }
  return u.compute(where, {.report = &report});
}

ash::ndarray<double> steps_by_hand(ash::ndarray<double> x, int steps, int threads) {
  const std::int64_t n = x.shape()[0];
  ash::ndarray<double> from = x;
  ash::ndarray<double> to({n, n});
  ash::ndarray<double> spare;
  oneapi::tbb::task_arena arena(threads);
  for (int k = 0; k < steps; ++k) {
    arena.execute([&] {
      oneapi::tbb::parallel_for(oneapi::tbb::blocked_range<std::int64_t>(0, n, 32), [&](const auto& rows) {
        for (std::int64_t i = rows.begin(); i < rows.end(); ++i) {
          const double* const above = from.data() + (i > 0 ? i - 1 : 0) * n;
          const double* const here = from.data() + i * n;
          const double* const below = from.data() + (i + 1 < n ? i + 1 : i) * n;
          double* const out = to.data() + i * n;
          heat_row(above + 1, here + 1, below + 1, out + 1, n - 2);
          for (const std::int64_t j : {std::int64_t{0}, n - 1}) {
            const double left = here[j > 0 ? j - 1 : 0];
            const double right = here[j + 1 < n ? j + 1 : j];
            out[j] = here[j] + 0.2 * (above[j] + below[j] + left + right - 4 * here[j]);
          }
        }
      });
    });
    if (k == 0) spare = ash::ndarray<double>({n, n});  // x stays as it is
    from = to;
    to = spare;
    spare = from;
  }
  return from;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 6) {
    std::fprintf(stderr, "usage: bench_stencil ashlar|hand N STEPS ROWS COLUMNS [THREADS]\n");
    return 2;
  }
  const std::string who = argv[1];
  const std::int64_t n = std::atoll(argv[2]);
  const int steps = std::atoi(argv[3]);
  const ash::threads where{.workers = argc > 6 ? std::atoi(argv[6]) : 2};
  memory_watch watch;
  ash::ndarray<double> x({n, n});
  for (std::int64_t k = 0; k < x.size(); ++k) x.data()[k] = static_cast<double>(k * 7919 % 1000);
  ash::report report;
  const auto begin = std::chrono::steady_clock::now();
  const ash::ndarray<double> y =
      who == "hand" ? steps_by_hand(x, steps, where.workers)
                    : ashlar_steps(x, steps, {std::atoll(argv[4]), std::atoll(argv[5])}, where, report);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  std::printf(
      "{\"seconds\": %.4f, \"planning\": %.4f, \"tasks\": %lld, \"blocks\": %lld, \"predicted\": %lld, \"anonymous\": "
      "%lld, \"values\": [%.17g, %.17g, %.17g]}\n",
      seconds, report.planning_seconds, static_cast<long long>(report.tasks), static_cast<long long>(report.peak_bytes),
      static_cast<long long>(report.predicted_peak_bytes), static_cast<long long>(watch.end()), y(0, 0),
      y(n / 2, n / 3), y(n - 1, n - 2));
  return 0;
}
