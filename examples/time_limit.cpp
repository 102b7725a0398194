// A run that takes too long: a limit for compute(), and a function that looks whether it should go on.
#include <ashlar/ashlar.hpp>
#include <ashlar/this_task.hpp>

#include <chrono>
#include <iostream>

namespace ash = ashlar;
using namespace std::chrono_literals;

namespace {

/// Halves x until it is small, which is never for infinity.
double halvings(double x) {
  double n = 0;
  for (; x > 1; x /= 2, ++n) {
    if (ash::this_task::stop_requested()) break;
  }
  return n;
}

}  // namespace

int main() {
  const auto x = ash::map([](double k) { return k < 3 ? 1024.0 : 1 / (k - 3); }, ash::arange<double>(0, 4));
  try {
    std::cout << ash::map(halvings, x).compute({.timeout = 100ms}) << '\n';
  } catch (const ash::timeout_error& e) {
    std::cout << e.what() << '\n';
  }
  const auto finite = ash::minimum(x, 1e6);
  std::cout << ash::map(halvings, finite).compute({.timeout = 1h}) << '\n';
}

// clang-format off
// Output:
// compute: not done after 0.100000 s: 0 of 1 tasks done; lane 0 runs map, block (0) of (1,), on host, from ...time_limit.cpp:27
// [10. 10. 10. 20.]
