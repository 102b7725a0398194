// Work for memory: what two passes need is kept between them, or made twice.
#include <ashlar/ashlar.hpp>

#include <iostream>

namespace ash = ashlar;

int main() {
  const auto x = ash::random::uniform<double>({4000, 4000}, {.seed = 1, .chunks = {500, 500}});
  const ash::array<double> kept = ash::sqrt(x);
  const ash::array<double> anew = ash::recompute(kept);

  ash::report first;
  ash::report second;
  const ash::serial one_thread;
  const double a =
      ash::array<double>(ash::abs(kept - kept.mean()).max()).compute(one_thread, {.report = &first}).item();
  const double b =
      ash::array<double>(ash::abs(anew - anew.mean()).max()).compute(one_thread, {.report = &second}).item();

  std::cout << std::boolalpha << "same bits: " << (a == b) << '\n'
            << "kept: more than 100 MiB in blocks: " << (first.peak_bytes > (100 << 20)) << '\n'
            << "made anew: less than 4 MiB: " << (second.peak_bytes < (4 << 20)) << '\n';
}

// clang-format off
// Output:
// same bits: true
// kept: more than 100 MiB in blocks: true
// made anew: less than 4 MiB: true
