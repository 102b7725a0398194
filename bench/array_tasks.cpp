// What tasks cost whose work is next to nothing, by the ways in which a user makes them: blocks of arrays, delayed
// calls; and what the machinery adds to loops over persisted blocks that are written by hand.
//
//   bench_array_tasks [rounds [threads]]
//
// Prints medians and ranges. Every result is checked.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <string>
#include <vector>

#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>

#include <ashlar/ashlar.hpp>
#include <ashlar/delayed.hpp>
#include <ashlar/report.hpp>

namespace ash = ashlar;

namespace {

std::atomic<std::int64_t> allocations{0};

using clock_type = std::chrono::steady_clock;

double seconds_since(clock_type::time_point begin) {
  return std::chrono::duration<double>(clock_type::now() - begin).count();
}

struct sample {
  std::vector<double> values;
  void add(double v) { values.push_back(v); }
  double median() {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
  }
  std::string text(double scale, const char* format = "%.1f") {
    const double m = median() * scale;
    char digits[128];
    const std::string pattern = std::string(format) + " [" + format + "–" + format + "]";
    std::snprintf(digits, sizeof digits, pattern.c_str(), m, values.front() * scale, values.back() * scale);
    return digits;
  }
};

void must(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "wrong: %s\n", what);
  std::exit(1);
}

/// Four element-wise layers over blocks of one element, each a task: a block is taken, a kernel is called, the block
/// before it is given back.
void array_tasks(int rounds, const ash::threads& on) {
  constexpr std::int64_t blocks = 250000;
  const ash::array<double> x = ash::arange<double>(0, blocks, 1, {.chunks = {1}}).persist(on);
  const ash::array<double> a = x + 1.0;
  const ash::array<double> b = a * 2.0;
  const ash::array<double> c = b - 2.0;
  const ash::array<double> d = c / 2.0;
  sample run;
  sample plan;
  std::int64_t tasks = 0;
  for (int r = 0; r < rounds; ++r) {
    ash::report report;
    const ash::ndarray<double> result = d.compute(on, {.optimize = false, .report = &report});
    must(result.data()[1000] == 1000 && result.data()[blocks - 1] == static_cast<double>(blocks - 1), "array tasks");
    tasks = report.tasks;
    plan.add(report.planning_seconds / static_cast<double>(tasks));
  }
  for (int r = 0; r < rounds; ++r) {  // timed from outside, as a report costs time too
    const auto begin = clock_type::now();
    const ash::ndarray<double> result = d.compute(on, {.optimize = false});
    run.add(seconds_since(begin) / static_cast<double>(tasks) - plan.median());
  }
  std::printf("| array tasks, blocks of 8 bytes (%lld tasks) | %s | %s |  |\n", static_cast<long long>(tasks),
              plan.text(1e9).c_str(), run.text(1e9).c_str());
}

void delayed_calls(int rounds, const ash::threads& on) {
  constexpr int n = 1000000;
  sample build;
  sample run;
  std::int64_t allocated = 0;
  for (int r = 0; r < rounds; ++r) {
    const auto begin = clock_type::now();
    std::vector<ash::delayed<int>> calls;
    calls.reserve(n);
    const auto one = ash::delayed([](int k) { return k; });
    for (int k = 0; k < n; ++k) calls.push_back(one(k));
    build.add(seconds_since(begin) / n);
    const auto all = ash::delayed([](const std::vector<int>& values) {
      std::int64_t sum = 0;
      for (const int v : values) sum += v;
      return sum;
    })(calls);
    const std::int64_t before = allocations.load();
    const auto middle = clock_type::now();
    must(all.compute(on) == std::int64_t{n} * (n - 1) / 2, "delayed");
    run.add(seconds_since(middle) / n);
    allocated = allocations.load() - before;
  }
  std::printf("| delayed calls (%d), and one that takes all | %s | %s | %.6f |\n", n, build.text(1e9).c_str(),
              run.text(1e9).c_str(), static_cast<double>(allocated) / n);
}

/// The sum of each block by the library's own fold, and the sums of those: what is left to compare is the machinery.
void by_hand(int rounds, const ash::threads& on, int threads, std::int64_t side) {
  constexpr std::int64_t n = 20000;
  const ash::array<double> x = ash::random::uniform<double>({n, n}, {.chunks = {side, side}}).persist(on);
  const void* const* const blocks = x.node()->from->blocks();
  const std::int64_t count = n / side * (n / side);
  const ash::detail::reducer_descriptor& sum =
      ash::detail::fold_reducer<ash::detail::mean_sum_policy<double>, ash::detail::backend_tag>;
  const auto& entry = sum.host[static_cast<int>(ash::detail::current_isa())];
  sample ratio;
  sample hand;
  double total = 0;
  for (int r = 0; r < rounds; ++r) {
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(threads));
    const auto begin = clock_type::now();
    std::vector<double> sums(static_cast<std::size_t>(count));
    tbb::parallel_for(tbb::blocked_range<std::int64_t>(0, count), [&](const tbb::blocked_range<std::int64_t>& range) {
      std::vector<double> rows(static_cast<std::size_t>(side));
      for (std::int64_t k = range.begin(); k < range.end(); ++k) {
        ash::detail::state_ref state{{rows.data()}};
        entry.rows(blocks[k], side * static_cast<std::int64_t>(sizeof(double)), side, side, {}, state);
        double s = 0;
        for (const double v : rows) s += v;
        sums[static_cast<std::size_t>(k)] = s;
      }
    });
    double s = 0;
    for (const double v : sums) s += v;
    total = s;
    const double by = seconds_since(begin);
    const auto middle = clock_type::now();
    const double mean = x.mean().compute(on).item();
    const double ours = seconds_since(middle);
    must(std::abs(mean - total / static_cast<double>(n * n)) < 1e-12, "mean");
    hand.add(by);
    ratio.add(ours / by);
  }
  std::printf("mean of all in %lld blocks of %lld^2: by hand %s ms, Ashlar / by hand %s\n",
              static_cast<long long>(count), static_cast<long long>(side), hand.text(1e3).c_str(),
              ratio.text(1, "%.3f").c_str());
}

}  // namespace

__attribute__((noinline)) void* operator new(std::size_t bytes) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  if (void* p = std::malloc(bytes == 0 ? 1 : bytes)) return p;
  throw std::bad_alloc();
}
__attribute__((noinline)) void operator delete(void* p) noexcept { std::free(p); }
__attribute__((noinline)) void operator delete(void* p, std::size_t) noexcept { std::free(p); }

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 7;
  const int threads = argc > 2 ? std::atoi(argv[2]) : 2;
  const ash::threads on{.workers = threads};
  std::printf("| %d threads | plan or build, ns a task | run, ns a task | allocations a task in the run |\n", threads);
  std::printf("|---|---|---|---|\n");
  array_tasks(rounds, on);
  delayed_calls(rounds, on);
  by_hand(rounds, on, threads, 1000);
  by_hand(rounds, on, threads, 100);
  return 0;
}
