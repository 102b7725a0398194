// A limit for what a run may hold: it keeps to it, with the same bits, by waiting and, if need be, through a file.
#include <ashlar/ashlar.hpp>
#include <iostream>

int main() {
  namespace ash = ashlar;
  using namespace ash::literals;
  // 128 MB in blocks of 2 MB. A function of the user's is not computed twice, so blocks are kept from the first pass
  // (the mean) to the second one (the difference): a column of 8 blocks at a time.
  const auto made = ash::random::normal<double>({4000, 4000}, {.seed = 3, .chunks = {500, 500}});
  const ash::array<double> x = ash::map([](double v) { return v * v * v; }, made);
  const auto spread = (x - x.mean(0)).std(0);

  const auto here = spread.compute(ash::serial{});
  for (const std::int64_t limit : {64_MiB, 32_MiB, 12_MiB}) {
    ash::host_memory().reset_peak();
    const auto same = spread.compute(ash::threads{.workers = 2, .memory_limit = limit});
    const auto peak = static_cast<std::int64_t>(ash::host_memory().peak());
    std::cout << limit / 1_MiB << " MiB: same bits " << ash::array_equal(here, same) << ", kept to the limit "
              << (peak <= limit) << '\n';
  }

  // Blocks that do not fit for a while go to TMPDIR or /var/tmp, or to a directory that is named.
  const auto elsewhere =
      spread.compute(ash::threads{.workers = 2, .memory_limit = 12_MiB}, {.spill_directory = "/tmp"});
  std::cout << "through /tmp: " << ash::array_equal(here, elsewhere) << '\n';

  // What one task needs for itself has to fit; the text says which task, where it was written, and what would do.
  try {
    spread.compute(ash::serial{.memory_limit = 1_MiB});
  } catch (const ash::memory_error& e) {
    std::cout << e.what() << '\n';
  }
}

// clang-format off
// Output:
// 64 MiB: same bits 1, kept to the limit 1
// 32 MiB: same bits 1, kept to the limit 1
// 12 MiB: same bits 1, kept to the limit 1
// through /tmp: 1
// compute: memory_limit is 1048576, and one task of ... (...memory_limit.cpp:...) alone needs ... bytes: ... for its block and those that it reads, ... of scratch; use smaller chunks, or a memory_limit of at least ...
