// From arrays to tasks that are none, and back.
#include <ashlar/ashlar.hpp>
#include <ashlar/delayed_arrays.hpp>
#include <iostream>
#include <vector>

namespace ash = ashlar;

// Any code that takes a block: a solver, a library of another language, a device.
ash::ndarray<double> reversed(const ash::ndarray<double>& block) {
  const std::int64_t n = block.shape()[0];
  return block.slice(0, n - 1, -1, -1).copy();
}

int main() {
  const auto x = ash::arange<double>(0, 10, 1, {.chunks = {4}});

  const ash::delayed reverse(reversed);
  std::vector<ash::delayed<ash::ndarray<double>>> blocks;
  for (const auto& block : ash::to_delayed(x * x)) blocks.push_back(reverse(block));

  const auto y = ash::from_delayed(blocks, x.shape(), {.chunks = x.chunks()});
  std::cout << y.compute() << '\n';
  const auto [sum, most] = ash::compute(y.sum(), (y - x).max());
  std::cout << sum << ' ' << most << '\n';
}

// Output:
// [ 9.  4.  1.  0. 49. 36. 25. 16. 81. 64.]
// 285.0 73.0
