// Where a run happens is a value: the same plan, the same bits, on one thread or on all.
#include <ashlar/ashlar.hpp>
#include <iostream>

int main() {
  namespace ash = ashlar;
  using namespace ash::literals;
  const auto x = ash::random::normal<double>({3000, 3000}, {.seed = 2, .chunks = {500, 500}});
  const auto y = ash::sin(x).var(0);

  const auto here = y.compute(ash::serial{});  // the calling thread alone
  const auto same = [&](const ash::executor auto& where) { return ash::array_equal(here, y.compute(where)); };
  std::cout << "same bits: " << ash::array_equal(here, y.compute())     // the default: oneTBB's threads, all cores
            << same(ash::threads{.workers = 2, .memory_limit = 1_GiB})  // so many, so much
            << same(ash::std_threads{.workers = 2}) << '\n';            // std::jthread, without oneTBB

  // Several results, and options of the run: an executor first, options next.
  ash::run_options options;
  std::int64_t tasks = 0;
  options.progress = [&](const ash::progress_info& p) { tasks = p.tasks_done; };
  const auto [low, high] = ash::compute(ash::threads{}, options, x.min(), x.max());
  std::cout << "tasks: " << (tasks > 0) << ", low < high: " << (low.item() < high.item()) << '\n';

  // A stop token ends a run at the next task of each worker.
  std::stop_source stop;
  stop.request_stop();
  try {
    y.compute({.stop = stop.get_token()});
  } catch (const ash::cancelled& e) {
    std::cout << e.what() << '\n';
  }

  // A plan in which one task alone needs more than the limit is refused before it runs.
  try {
    y.compute(ash::serial{.memory_limit = 4_KiB});
  } catch (const ash::memory_error&) {
    std::cout << "4 KiB are not enough\n";
  }

  // Without fusion every operation is made on its own: slower, the same numbers, for looking into a problem.
  std::cout << "unfused: " << ash::array_equal(here, y.compute({.optimize = false})) << '\n';
}

// Output:
// same bits: 111
// tasks: 1, low < high: 1
// compute: stopped on request; the result is incomplete and was dropped
// 4 KiB are not enough
// unfused: 1
