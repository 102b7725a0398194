// One hard workload in a process of its own: bench_workloads NAME GIB [LIMIT_MIB [THREADS]]. Prints one line of JSON;
// workloads.py runs it beside Dask.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>

#include <ashlar/ashlar.hpp>
#include <ashlar/report.hpp>

#include "memory_watch.hpp"

namespace ash = ashlar;
using namespace ash::literals;

namespace {

struct outcome {
  double value = 0;
  ash::report report;
};

outcome run(const std::string& name, std::int64_t gib, const ash::threads& where) {
  outcome o;
  ash::run_options options{.report = &o.report};
  const ash::random::uniform_options blocks{.seed = 7, .chunks = {1024, 1024}};
  if (name == "basic_sum") {
    const auto x = ash::random::uniform<double>({8192, 16384 * gib}, blocks);
    o.value = x.sum(1).compute(where, options)(0);
  } else if (name == "quadratic_means") {
    const auto u =
        ash::random::uniform<double>({512 * gib, 256, 512}, {.seed = 1, .chunks = {8, ash::full, ash::full}});
    const auto v =
        ash::random::uniform<double>({512 * gib, 256, 512}, {.seed = 2, .chunks = {8, ash::full, ash::full}});
    const auto [uu, vv, uv] = ash::compute(where, options, (u * u).mean(0), (v * v).mean(0), (u * v).mean(0));
    o.value = uu(0, 0) + vv(0, 0) + uv(0, 0);
  } else if (name == "residual") {
    const auto x = ash::random::uniform<double>({8192, 16384 * gib}, blocks);
    o.value = (x - x.mean(0)).sum().compute(where, options).item();
  } else if (name == "residual_of_kept") {  // made once for two passes, all of it before the second: kept, or in a file
    const ash::array<double> y = ash::sqrt(ash::random::uniform<double>({8192, 16384 * gib}, blocks));
    o.value = (y - y.mean()).sum().compute(where, options).item();
  } else if (name == "tiny_tasks") {
    options.optimize = false;
    const auto x = ash::random::uniform<double>({1000000, 128}, {.seed = 7, .chunks = {1, 128}});
    const ash::array<double> y = x + 1.0;
    const ash::array<double> z = y * 2.0;
    o.value = z.sum().compute(where, options).item();
  } else {
    throw std::runtime_error("no workload is called " + name);
  }
  return o;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: bench_workloads NAME GIB [LIMIT_MIB [THREADS]]\n");
    return 2;
  }
  const std::int64_t limit = argc > 3 ? std::atoll(argv[3]) * 1_MiB : 0;
  const ash::threads where{.workers = argc > 4 ? std::atoi(argv[4]) : 2, .memory_limit = limit};
  memory_watch watch;
  const auto begin = std::chrono::steady_clock::now();
  const outcome o = run(argv[1], std::atoll(argv[2]), where);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  std::printf(
      "{\"seconds\": %.4f, \"planning\": %.4f, \"tasks\": %lld, \"peak\": %lld, \"predicted\": %lld, \"spills\": %lld, "
      "\"anonymous\": %lld, \"value\": %.17g}\n",
      seconds, o.report.planning_seconds, static_cast<long long>(o.report.tasks),
      static_cast<long long>(o.report.peak_bytes), static_cast<long long>(o.report.predicted_peak_bytes),
      static_cast<long long>(o.report.spills), static_cast<long long>(watch.end()), o.value);
  return 0;
}
