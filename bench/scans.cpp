// Running sums of n x n doubles in memory, into memory that is there: bench_scans N BLOCK ROUNDS [THREADS]. In turns: a
// loop by hand that reads and writes as many bytes, cumsum along each axis in blocks of BLOCK x BLOCK, of the flattened
// array in blocks of as many elements, and along each axis with two operations below it. Prints one line of JSON, the
// seconds of each round by name; scans.py runs it beside NumPy and Dask.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <ashlar/ashlar.hpp>

namespace ash = ashlar;

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fprintf(stderr, "usage: bench_scans N BLOCK ROUNDS [THREADS]\n");
    return 2;
  }
  const std::int64_t n = std::atoll(argv[1]);
  const std::int64_t block = std::atoll(argv[2]);
  const int rounds = std::atoi(argv[3]);
  const ash::threads where{.workers = argc > 4 ? std::atoi(argv[4]) : 2};
  ash::ndarray<double> a({n, n});
  for (std::int64_t k = 0; k < a.size(); ++k) a.data()[k] = static_cast<double>(k * 7919 % 1000);
  const ash::ndarray<double> out({n, n});
  const ash::ndarray<double> flat_out = out.reshape({n * n});
  const ash::array<double> x = ash::from(a, {.chunks = {block, block}});
  const ash::array<double> flat = ash::from(a.reshape({n * n}), {.chunks = {block * block}});
  oneapi::tbb::task_arena arena(where.workers);

  const auto by_hand = [&] {
    arena.execute([&] {
      oneapi::tbb::parallel_for(oneapi::tbb::blocked_range<std::int64_t>(0, n, 32), [&](const auto& rows) {
        const double* const from = a.data();
        double* const to = out.data();
        for (std::int64_t k = rows.begin() * n; k < rows.end() * n; ++k) to[k] = from[k] + 1.0;
      });
    });
  };
  const auto into = [&](const auto& y) { return [&out, &where, y] { y.compute_into(where, out); }; };
  const std::vector<std::pair<std::string, std::function<void()>>> contenders = {
      {"read and write", by_hand},
      {"axis 0", into(x.cumsum(0))},
      {"axis 1", into(x.cumsum(1))},
      {"flat", [&, y = flat.cumsum()] { y.compute_into(where, flat_out); }},
      {"axis 0, fused", into(ash::cumsum(2.0 * x + 1.0, 0))},
      {"axis 1, fused", into(ash::cumsum(2.0 * x + 1.0, 1))}};
  std::vector<std::vector<double>> seconds(contenders.size());
  std::vector<double> last(contenders.size());
  for (int k = -1; k < rounds; ++k) {  // the first round is not counted
    for (std::size_t c = 0; c < contenders.size(); ++c) {
      const auto begin = std::chrono::steady_clock::now();
      contenders[c].second();
      const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
      if (k >= 0) seconds[c].push_back(took.count());
      last[c] = out.data()[n * n - 1];
    }
  }
  std::printf("{");
  for (std::size_t c = 0; c < contenders.size(); ++c) {
    std::printf("%s\"%s\": {\"last\": %.17g, \"seconds\": [", c > 0 ? ", " : "", contenders[c].first.c_str(), last[c]);
    for (std::size_t k = 0; k < seconds[c].size(); ++k) std::printf("%s%.5f", k > 0 ? ", " : "", seconds[c][k]);
    std::printf("]}");
  }
  std::printf("}\n");
  return 0;
}
