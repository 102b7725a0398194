// Arrays that wait for what they read nothing of.
#include <ashlar/after.hpp>
#include <ashlar/ashlar.hpp>
#include <iostream>
#include <vector>

namespace ash = ashlar;

int main() {
  // Memory that one array writes, block by block, and another one reads. Nothing passes from the one to the other, so
  // that nothing but after() says which comes first.
  std::vector<double> table(8);
  const auto written = ash::map_blocks(
      [&table](ash::ndarray<const double> block, const ash::block_info& at) {
        for (std::int64_t i = 0; i < block.size(); ++i) {
          table[static_cast<std::size_t>(at.result.offset[0] + i)] = block(i);
        }
        return block.copy();
      },
      ash::arange<double>(8, {.chunks = {2}}) * 10.0);
  const auto read = ash::from(ash::ndarray<double>({}, table.data(), {8}, {1}), {.chunks = {3}});
  std::cout << ash::after(read, written).sum().compute() << '\n';

  // Delayed calls too. What is waited for is done once in a run, also when it is a result.
  const ash::delayed prepare([] { std::cout << "prepared\n"; });
  const auto ready = prepare();
  const auto [sum, most] = ash::compute(ash::after(read, ready, written).sum(), written.max());
  std::cout << sum << ' ' << most << '\n';
}

// Output:
// 280.0
// prepared
// 280.0 70.0
