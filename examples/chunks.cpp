// How an array is cut into blocks: a block is what one task works on, and what must fit in memory.
#include <ashlar/ashlar.hpp>
#include <iostream>

int main() {
  namespace ash = ashlar;
  using namespace ash::literals;
  const auto show = [](const char* what, const ash::array<double>& x) {
    std::cout << what << x.chunks().to_string() << ", " << x.chunks().count() << " blocks\n";
  };

  // Equal blocks, the last one shorter; one number for every axis; lists of block lengths.
  show("lengths    ", ash::zeros<double>({10, 5}, {.chunks = {4, 5}}));
  show("one for all ", ash::zeros<double>({10, 5}, {.chunks = {4}}));
  show("lists      ", ash::zeros<double>({10, 5}, {.chunks = {{2, 3, 5}, 5}}));

  // Words: full is the whole axis, automatic as long as a block of 128 MiB allows, block_bytes sets another limit.
  show("words      ", ash::zeros<double>({100000, 1000}, {.chunks = {ash::automatic, ash::full}}));
  show("limit      ", ash::zeros<double>({100000, 1000}, {.chunks = ash::block_bytes(8_MiB)}));
  show("left out   ", ash::zeros<double>({100000, 1000}));

  // The blocks of another array.
  const auto x = ash::zeros<double>({10, 5}, {.chunks = {4, 5}});
  show("the same   ", ash::ones<double>({10, 5}, {.chunks = x.chunks()}));

  // Operands cut in different ways meet in common blocks; nothing has to be re-cut by hand.
  const auto y = ash::ones<double>({10, 5}, {.chunks = {5, 5}});
  show("x + y      ", x + y);

  // What a request means for a shape, without an array; `keep` leaves the cuts of an axis as they are.
  const ash::block_grid before = ash::block_grid::regular({10, 5}, {4, 5});
  std::cout << "keep       " << ash::normalize_chunks({ash::keep, 2}, {10, 5}, 8, &before).to_string() << '\n';

  const ash::axis_blocks& rows = before.axis(0);
  std::cout << "row 9 is in block " << rows.find(9) << ", which begins at " << rows.offset(2) << " and has "
            << rows.length(2) << " rows\n";
}

// Output:
// lengths    ((4, 4, 2), (5,)), 3 blocks
// one for all ((4, 4, 2), (4, 1)), 6 blocks
// lists      ((2, 3, 5), (5,)), 3 blocks
// words      ((16777, 16777, 16777, 16777, 16777, 16115), (1000,)), 6 blocks
// limit      ((1048, 1048, 1048, ..., 440; 96 blocks), (1000,)), 96 blocks
// left out   ((16777, 16777, 16777, 16777, 16777, 16115), (1000,)), 6 blocks
// the same   ((4, 4, 2), (5,)), 3 blocks
// x + y      ((5, 5), (5,)), 2 blocks
// keep       ((4, 4, 2), (2, 2, 1))
// row 9 is in block 2, which begins at 8 and has 2 rows
