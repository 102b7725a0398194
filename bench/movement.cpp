// Arrays moved to other blocks and read through views, beside a plain copy of the same bytes on as many threads:
// bench_movement CASE N THREADS ROUNDS prints JSON. Each round copies with memcpy and with a loop that adds 1, then
// runs the case; results go to warm memory, blocks to that of the round before.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include <ashlar/ashlar.hpp>

#include "memory_watch.hpp"

namespace ash = ashlar;

namespace {

double seconds_of(const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// Calls part(begin, end) for a part of n elements on each thread.
void on_threads(std::int64_t n, int threads, const std::function<void(std::int64_t, std::int64_t)>& part) {
  std::vector<std::jthread> others;
  for (int t = 0; t < threads; ++t) {
    others.emplace_back([=, &part] { part(n / threads * t, t + 1 == threads ? n : n / threads * (t + 1)); });
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    std::fprintf(stderr,
                 "usage: bench_movement rechunk|transpose|plus_transposed|shifted|cumsum0|cumsum1 N THREADS ROUNDS\n");
    return 2;
  }
  const std::string name = argv[1];
  const std::int64_t n = std::atoll(argv[2]);
  const int threads = std::atoi(argv[3]);
  const int rounds = std::atoi(argv[4]);
  const ash::threads on{.workers = threads};
  const ash::shape extents{n, n};
  const std::int64_t block = n < 1000 ? n : 1000;
  const std::int64_t wide = n / 10;  // of blocks of 20 MiB at n = 16000
  const ash::chunks cuts = name == "rechunk" || name == "plus_transposed" ? ash::chunks{block, ash::full}
                           : name == "shifted"                            ? ash::chunks{wide, wide}
                                                                          : ash::chunks{block, block};
  const auto x = ash::fromfunction(
                     [](std::int64_t i, std::int64_t j) { return static_cast<double>((i * 7919 + j * 104729) % 1000); },
                     {n, n}, {.chunks = cuts})
                     .persist(on);
  ash::ndarray<double> out(extents);
  ash::ndarray<double> from(extents);
  out.fill(0);
  from.fill(1);
  const bool kept = name == "rechunk" || name == "transpose";  // in blocks
  const bool stored = name.starts_with("cumsum");
  ash::host_memory().set_cache_limit(static_cast<std::size_t>(n * n) * 2 * sizeof(double));
  ash::array<double> y = x;
  if (name == "rechunk") y = x.rechunk({ash::full, block});
  if (name == "transpose") y = x.transpose();
  if (name == "plus_transposed") y = (x + x.transpose()).sum();
  if (name == "shifted") {
    y = (x(ash::slice{1}, ash::slice{1}) - x(ash::slice{0, -1}, ash::slice{0, -1})).sum();
  }
  if (name.starts_with("cumsum")) y = ash::cumsum(x, name == "cumsum0" ? 0 : 1);
  double value = 0;
  ash::array<double> last_kept = x;
  std::string copied;
  std::string looped;
  std::string took;
  for (int r = 0; r < rounds + 1; ++r) {  // the first one warms up
    const double limit = seconds_of([&] {
      on_threads(n * n, threads, [&](std::int64_t begin, std::int64_t end) {
        std::memcpy(out.data() + begin, from.data() + begin, static_cast<std::size_t>(end - begin) * sizeof(double));
      });
    });
    const double loop = seconds_of([&] {
      on_threads(n * n, threads, [to = out.data(), in = from.data()](std::int64_t begin, std::int64_t end) {
        for (std::int64_t k = begin; k < end; ++k) to[k] = in[k] + 1;
      });
    });
    const double time = seconds_of([&] {
      if (kept) {
        last_kept = y.persist(on);
      } else if (stored) {
        y.compute_into(on, out);
        value = out(n - 1, n / 3);
      } else {
        value = y.compute(on).item();
      }
    });
    if (kept) {
      value = last_kept(n - 1, n / 3).compute(on).item();
      last_kept = x;
    }
    if (r == 0) continue;
    looped += (looped.empty() ? "" : ", ") + std::to_string(loop);
    copied += (copied.empty() ? "" : ", ") + std::to_string(limit);
    took += (took.empty() ? "" : ", ") + std::to_string(time);
  }
  const std::string plan = y.explain(on);
  std::printf("{\"limit\": [%s], \"loop\": [%s], \"seconds\": [%s], \"value\": %.17g, \"tasks\": %ld}\n",
              copied.c_str(), looped.c_str(), took.c_str(), value,
              std::strtol(plan.substr(plan.rfind('\n', plan.find(" edges")) + 1).c_str(), nullptr, 10));
}
