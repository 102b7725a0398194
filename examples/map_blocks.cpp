// A function of your own over whole blocks.
#include <algorithm>
#include <ashlar/ashlar.hpp>
#include <cmath>
#include <iostream>

namespace ash = ashlar;

// Fills its block, which saves a copy. Blocks are packed and row-major, so plain pointers do.
void smooth(ash::ndarray<const double> x, ash::ndarray<float> out) {
  for (std::int64_t i = 0; i < x.size(); ++i) {
    const std::int64_t before = i > 0 ? i - 1 : i;
    out.data()[i] = static_cast<float>((x.data()[before] + x.data()[i]) / 2);
  }
}

int main() {
  const auto x = ash::map([](double v) { return std::floor(8 * std::sin(9 * v)); },
                          ash::arange<double>(0, 12, 1, {.chunks = {4}}));
  std::cout << x.compute() << '\n';

  // Returns its block: each block is sorted by itself. The type of the result is the function's.
  const auto sorted = ash::map_blocks(
      [](ash::ndarray<const double> block) {
        ash::ndarray<double> out = block.copy();
        std::sort(out.data(), out.data() + out.size());
        return out;
      },
      x);
  std::cout << sorted.compute() << '\n';
  std::cout << ash::map_blocks(smooth, x).dtype() << ' ' << ash::map_blocks(smooth, x).compute() << '\n';

  // Blocks of another length are declared; the function is never tried out.
  const auto ends = ash::map_blocks(
      [](const auto& block) {
        const auto [low, high] = std::minmax_element(block.begin(), block.end());
        return ash::ndarray<double>::from({*low, *high});
      },
      x, {.chunks = {2}, .name = "ends"});
  std::cout << ends.shape() << ' ' << ends.compute() << '\n';

  // Where the block lies, and an array that is made of nothing else.
  const auto numbers = ash::map_blocks(
      [](ash::ndarray<int> out, const ash::block_info& at) { out.fill(static_cast<int>(100 * at.number)); },
      {.chunks = {{1, 2}, {3, 2}}});
  std::cout << numbers.compute() << '\n';
  const auto placed = ash::map_blocks(
      [](const auto& block, const ash::block_info& at) {
        const ash::block_place& place = at.inputs[0];
        return block.data()[0] + 1000.0 * static_cast<double>(place.offset[0]);
      },
      x, {.chunks = {1}});
  std::cout << placed.compute() << '\n';

  // A block that is not what was declared.
  try {
    static_cast<void>(ash::map_blocks([](const auto& block) { return block.slice(0, 0, 3); }, x).compute());
  } catch (const ash::task_error& e) {
    const std::string text = e.what();
    const std::size_t begin = text.find("the function");
    std::cout << text.substr(begin, text.find("; say") - begin) << '\n';
  }
}

// Output:
// [ 0.  3. -7.  7. -8.  6. -5.  1.  2. -6.  7. -8.]
// [-7.  0.  3.  7. -8. -5.  1.  6. -8. -6.  2.  7.]
// float32 [ 0.   1.5 -2.   0.  -8.  -1.   0.5 -2.   2.  -2.   0.5 -0.5]
// (6,) [-7.  7. -8.  6. -8.  7.]
// [[  0   0   0 100 100]
//  [200 200 200 300 300]
//  [200 200 200 300 300]]
// [   0. 3992. 8002.]
// the function gave a block of shape (3,), and it has shape (4,) by the chunks that are declared
