// Other ways to look at the elements of an array: slices, transposes, broadcasting, windows. None of them copies.
#include <ashlar/ashlar.hpp>
#include <iostream>

int main() {
  namespace ash = ashlar;
  const auto print = [](const char* what, const ash::lazy auto& x) { std::cout << what << x.compute() << '\n'; };
  const auto size = [](const char* what, const ash::lazy auto& x) { std::cout << what << x.shape() << '\n'; };

  // One entry an axis, with Python's rules: a position drops its axis, a slice keeps it and is clipped to the array.
  using ash::all, ash::ellipsis, ash::last, ash::newaxis, ash::slice;
  const auto m = ash::fromfunction([](auto i, auto j) { return int(10 * i + j); }, {4, 5}, {.chunks = {2, 3}});
  print("an element      ", m(3, -1));
  print("the last row    ", m(last));
  print("the column next ", m(all, last - 1));
  print("every other     ", m(0, slice{.step = 2}));
  print("backwards       ", m(1, slice{3, 0, -1}));
  print("a corner\n", m(slice{.stop = 2}, slice{3, 100}));
  size("new axes        ", m(newaxis, ellipsis, newaxis));

  // Axes in another order, fewer, more.
  const auto v = ash::arange<int>(24, {.chunks = ash::full}).reshape({2, 3, 4});
  size("all backwards   ", v.transpose());
  size("in this order   ", ash::transpose(v, {1, 0, 2}));
  size("two exchanged   ", v.swapaxes(0, -1));
  size("one moved       ", ash::moveaxis(v, 0, -1));
  size("more            ", ash::expand_dims(v, {0, 2}));
  size("and fewer       ", ash::expand_dims(v, {0, 2}).squeeze());
  size("at least        ", ash::atleast_1d(ash::sum(v)));
  size("at least        ", ash::atleast_2d(v(0, 0)));
  size("at least        ", ash::atleast_3d(v(0)));

  // Elements again, in another order, and those on a diagonal.
  const auto row = ash::arange<int>(3);
  print("repeated\n", ash::broadcast_to(row, {2, 3}));
  print("backwards       ", ash::flip(row));
  print("upside down\n", ash::flipud(v(0)));
  print("mirrored\n", ash::fliplr(v(0)));
  print("turned\n", ash::rot90(v(0)));
  print("diagonal        ", m.diagonal());
  print("the one above   ", ash::diagonal(m, 1));

  // Blocks instead of elements.
  std::cout << "blocks          " << m.chunks().to_string() << '\n';
  print("the last one\n", m.blocks(last, last));

  // Windows: a moving mean is a mean over the new axis, and the windows take no memory.
  const auto x = ash::arange<double>(8, {.chunks = {3}});
  const auto windows = ash::sliding_window_view(x * x, {3});
  size("windows         ", windows);
  print("moving mean     ", windows.mean(-1));

  // A view of something lazy: only what is looked at is computed, and of a file only that is read.
  const auto large = ash::random::normal<float>({100'000, 100'000}, {.seed = 1, .chunks = {10'000, 10'000}});
  const ash::array<float> part = ash::exp(large)(slice{.step = 50'000}, slice{7, 9});
  std::cout << part.explain(ash::serial{});
}

// Output:
// an element      34
// the last row    [30 31 32 33 34]
// the column next [ 3 13 23 33]
// every other     [0 2 4]
// backwards       [13 12 11]
// a corner
// [[ 3  4]
//  [13 14]]
// new axes        (1, 4, 5, 1)
// all backwards   (4, 3, 2)
// in this order   (3, 2, 4)
// two exchanged   (4, 3, 2)
// one moved       (3, 4, 2)
// more            (1, 2, 1, 3, 4)
// and fewer       (2, 3, 4)
// at least        (1,)
// at least        (1, 4)
// at least        (3, 4, 1)
// repeated
// [[0 1 2]
//  [0 1 2]]
// backwards       [2 1 0]
// upside down
// [[ 8  9 10 11]
//  [ 4  5  6  7]
//  [ 0  1  2  3]]
// mirrored
// [[ 3  2  1  0]
//  [ 7  6  5  4]
//  [11 10  9  8]]
// turned
// [[ 3  7 11]
//  [ 2  6 10]
//  [ 1  5  9]
//  [ 0  4  8]]
// diagonal        [ 0 11 22 33]
// the one above   [ 1 12 23 34]
// blocks          ((2, 2), (3, 2))
// the last one
// [[23 24]
//  [33 34]]
// windows         (6, 3)
// moving mean     [ 1.66666667  4.66666667  9.66666667 16.66666667 25.66666667 36.66666667]
// layer 0: elementwise index, 2 tasks, reads normal (100000, 100000) as (2, 2), 1 operation fused
// 2 tasks, 0 edges, 1 worker
// results 16 B, read from sources 0 B, predicted peak of blocks and scratch ...
// not optimized it would be 2 layers instead of 1, 4 tasks, 2 edges, predicted peak of blocks and scratch ...
