// The same elements in other blocks, another shape or another order, and copies with a part replaced.
#include <ashlar/ashlar.hpp>
#include <iostream>

int main() {
  namespace ash = ashlar;
  using ash::last, ash::slice;
  const auto print = [](const char* what, const ash::lazy auto& x) { std::cout << what << x.compute() << '\n'; };
  const auto blocks = [](const char* what, const ash::lazy auto& x) {
    std::cout << what << x.chunks().to_string() << '\n';
  };

  // Other blocks. `keep` leaves an axis as it is; balance avoids a short last block.
  const auto x = ash::fromfunction([](auto i, auto j) { return int(6 * i + j); }, {4, 6}, {.chunks = {2, 3}});
  blocks("as it was       ", x);
  blocks("rechunk         ", x.rechunk({ash::keep, ash::full}));
  blocks("lists           ", ash::rechunk(x, {{1, 3}, 2}));
  const auto line = ash::zeros<int>({1000}, {.chunks = {100}});
  blocks("short last one  ", line.rechunk({400}));
  blocks("balance         ", line.rechunk({400}, {.balance = true}));

  // Another shape: the elements in C order, whatever the blocks. One length may be left open.
  print("reshape\n", x.reshape({3, -1}));
  blocks("its blocks      ", ash::reshape(x, {3, -1}));
  print("one axis        ", ash::ravel(x(slice{0, 2})));
  std::cout << "the same        " << x.flatten().shape() << '\n';

  // A copy in which a part is replaced, by a number or by an array that broadcasts to it. x stays as it is.
  print("a number\n", x.set(-1, slice{1, 3}, slice{.step = 2}));
  print("a row\n", ash::set(x, ash::arange<int>(6), last));

  // Moved on, around the end; each element several times; the array several times.
  const auto v = ash::arange<int>(5, {.chunks = {2}});
  print("roll            ", ash::roll(v, 2));
  print("two axes\n", ash::roll(x, {1, -1}, {0, 1}));
  print("repeat          ", ash::repeat(v, 2, 0));
  print("rows\n", x(slice{0, 2}, slice{0, 3}).repeat(2, 0));
  print("tile            ", ash::tile(v, {2}));
  print("tiles\n", ash::tile(x(slice{0, 2}, slice{0, 2}), {2, 3}));

  // A sum reads the blocks that are there by regions: rechunk costs it no pass and no memory.
  const auto tall = ash::random::uniform<double>({1000, 1000}, {.seed = 1, .chunks = {1000, 50}}).persist();
  std::cout << tall.rechunk({100, 1000}).sum(1).explain(ash::serial{});
}

// Output:
// as it was       ((2, 2), (3, 3))
// rechunk         ((2, 2), (6,))
// lists           ((1, 3), (2, 2, 2))
// short last one  ((400, 400, 200),)
// balance         ((500, 500),)
// reshape
// [[ 0  1  2  3  4  5  6  7]
//  [ 8  9 10 11 12 13 14 15]
//  [16 17 18 19 20 21 22 23]]
// its blocks      ((1, 1, 1), (6, 2))
// one axis        [ 0  1  2  3  4  5  6  7  8  9 10 11]
// the same        (24,)
// a number
// [[ 0  1  2  3  4  5]
//  [-1  7 -1  9 -1 11]
//  [-1 13 -1 15 -1 17]
//  [18 19 20 21 22 23]]
// a row
// [[ 0  1  2  3  4  5]
//  [ 6  7  8  9 10 11]
//  [12 13 14 15 16 17]
//  [ 0  1  2  3  4  5]]
// roll            [3 4 0 1 2]
// two axes
// [[19 20 21 22 23 18]
//  [ 1  2  3  4  5  0]
//  [ 7  8  9 10 11  6]
//  [13 14 15 16 17 12]]
// repeat          [0 0 1 1 2 2 3 3 4 4]
// rows
// [[0 1 2]
//  [0 1 2]
//  [6 7 8]
//  [6 7 8]]
// tile            [0 1 2 3 4 0 1 2 3 4]
// tiles
// [[0 1 0 1 0 1]
//  [6 7 6 7 6 7]
//  [0 1 0 1 0 1]
//  [6 7 6 7 6 7]]
// layer 0: partial sum (partial), 10 tasks, reads persisted (1000, 1000) as (1000, 1000)
// 10 tasks, 0 edges, 1 worker
// results 7.8 KiB, read from sources 7.6 MiB, predicted peak of blocks and scratch ...
