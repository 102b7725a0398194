// Stencils: functions of blocks that also see what lies around their block. A hot spot in a plate cools down.
#include <ashlar/ashlar.hpp>
#include <iostream>

namespace ash = ashlar;

// One step of the heat equation. Indices count from the block, so neighbours are at -1 and +1; `out` is packed.
void heat_step(ash::halo_block<double> u, ash::ndarray<double> out) {
  const std::int64_t columns = out.shape()[1];
  for (std::int64_t i = 0; i < out.shape()[0]; ++i) {
    double* const row = out.data() + i * columns;
    for (std::int64_t j = 0; j < columns; ++j) {
      row[j] = u(i, j) + 0.2 * (u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1) - 4 * u(i, j));
    }
  }
}

int main() {
  // Outside the plate it is cold. Ten steps are one plan: blocks of a step are freed as soon as the next one has them.
  const ash::boundary cold = ash::boundary::constant(0.0);
  const auto spot = [](std::int64_t i, std::int64_t j) { return i == 3 && j == 4 ? 100.0 : 0.0; };
  ash::array<double> u = ash::fromfunction(spot, {8, 8}, {.chunks = {3, 4}});
  for (int step = 0; step < 10; ++step) u = ash::map_overlap(heat_step, u, {.depth = 1, .boundary = cold});
  std::cout << ash::floor(10 * u).compute() << "\n\n";

  // What lies beyond an array, as by np.pad. The function sees it as part of the padded block.
  const auto x = ash::arange<int>(1, 5, 1, {.chunks = ash::full});
  const auto show = [&](const char* name, const ash::boundary& beyond) {
    const auto padded = ash::map_overlap([](const auto& block) { return block.padded(); }, x,
                                         {.depth = 3, .boundary = beyond, .chunks = {10}});
    std::cout << padded.compute() << ' ' << name << '\n';
  };
  show("constant", ash::boundary::constant(0));
  show("edge", ash::boundary::edge);
  show("reflect", ash::boundary::reflect);
  show("symmetric", ash::boundary::symmetric);
  show("wrap", ash::boundary::wrap);

  // Another depth and boundary for each axis, and for each side: upwind differences along axis 1 of a periodic axis.
  const auto upwind = ash::map_overlap(
      [](ash::halo_block<double> v, ash::ndarray<double> out) {
        for (std::int64_t i = 0; i < v.shape()[0]; ++i) {
          for (std::int64_t j = 0; j < v.shape()[1]; ++j) out(i, j) = v(i, j) - v(i, j - 1);
        }
      },
      ash::arange<double>(6, {.chunks = {2}}) * ash::ones<double>({2, 1}),
      {.depth = {0, {1, 0}}, .boundary = {ash::boundary::none, ash::boundary::wrap}});
  std::cout << '\n' << upwind.compute() << '\n';

  // Functions of whole arrays give more than the block: what lies around it is trimmed.
  const auto squares = ash::map_overlap(
      [](const ash::halo_block<int>& block) {
        ash::ndarray<int> all = block.padded().copy();
        for (int& v : all) v *= v;
        return all;
      },
      x, {.depth = 1, .boundary = ash::boundary::edge, .trim = true});
  std::cout << squares.compute() << '\n';
}

// Output:
// [[ 1.  3.  6. 10. 11. 10.  6.  3.]
//  [ 3.  7. 14. 20. 23. 20. 14.  6.]
//  [ 4. 11. 21. 30. 33. 30. 20. 10.]
//  [ 5. 13. 24. 33. 38. 33. 23. 11.]
//  [ 4. 11. 21. 30. 33. 30. 20. 10.]
//  [ 3.  7. 14. 21. 24. 21. 14.  6.]
//  [ 1.  4.  7. 11. 13. 11.  7.  3.]
//  [ 0.  1.  3.  4.  5.  4.  3.  1.]]
//
// [0 0 0 1 2 3 4 0 0 0] constant
// [1 1 1 1 2 3 4 4 4 4] edge
// [4 3 2 1 2 3 4 3 2 1] reflect
// [3 2 1 1 2 3 4 4 3 2] symmetric
// [2 3 4 1 2 3 4 1 2 3] wrap
//
// [[-5.  1.  1.  1.  1.  1.]
//  [-5.  1.  1.  1.  1.  1.]]
// [ 1  4  9 16]
