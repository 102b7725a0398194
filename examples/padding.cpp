// Elements around an array.
#include <ashlar/ashlar.hpp>
#include <iostream>
#include <vector>

int main() {
  namespace ash = ashlar;
  using ash::pad_mode;
  const auto print = [](const char* what, const ash::lazy auto& x) { std::cout << what << x.compute() << '\n'; };
  const auto x = ash::array<int>::from({3, 1, 4, 1, 5}, {.chunks = {2}});

  // The same number of elements at both ends, or at each end its own.
  print("constant      ", ash::pad(x, 2));
  print("at the end    ", ash::pad(x, {0, 3}, {.value = -1}));
  print("two numbers   ", ash::pad(x, 2, {.value = {7, 8}}));

  // What is there goes on.
  print("edge          ", ash::pad(x, 3, {.mode = pad_mode::edge}));
  print("reflect       ", ash::pad(x, 3, {.mode = pad_mode::reflect}));
  print("odd           ", ash::pad(x, 3, {.mode = pad_mode::reflect, .odd = true}));
  print("symmetric     ", ash::pad(x, 3, {.mode = pad_mode::symmetric}));
  print("wrap          ", ash::pad(x, 3, {.mode = pad_mode::wrap}));

  // Ramps to a number, and statistics of the outermost elements.
  print("linear_ramp   ", ash::pad(x, 3, {.mode = pad_mode::linear_ramp, .value = 0}));
  print("maximum       ", ash::pad(x, 2, {.mode = pad_mode::maximum}));
  print("of two        ", ash::pad(x, 2, {.mode = pad_mode::maximum, .stat_length = 2}));
  print("minimum       ", ash::pad(x, 2, {.mode = pad_mode::minimum}));
  print("mean          ", ash::pad(x, 2, {.mode = pad_mode::mean}));
  const ash::pad_ends<std::int64_t> outermost{3, 2};
  print("median        ", ash::pad(x, 2, {.mode = pad_mode::median, .stat_length = outermost}));

  // An axis at a time: one width for each. The outer blocks grow, the others stay.
  const std::vector<ash::pad_pair<std::int64_t>> widths{{1, 0}, {2, 2}};  // pad_width is short for the pair
  const auto m = ash::ones<int>({2, 4}, {.chunks = {1, 2}});
  print("matrix\n", ash::pad(m, widths));
  print("by axis\n", ash::pad(m, 1, {.value = {{1, 2}, {3, 4}}}));
  print("one width\n",
        ash::pad(m, ash::pad_width{0, 1}, {.mode = pad_mode::empty})(ash::slice{0, 2}, ash::slice{0, 4}));
  std::cout << "blocks        " << ash::pad(m, widths).chunks().to_string() << '\n';
}

// Output:
// constant      [0 0 3 1 4 1 5 0 0]
// at the end    [ 3  1  4  1  5 -1 -1 -1]
// two numbers   [7 7 3 1 4 1 5 8 8]
// edge          [3 3 3 3 1 4 1 5 5 5 5]
// reflect       [1 4 1 3 1 4 1 5 1 4 1]
// odd           [5 2 5 3 1 4 1 5 9 6 9]
// symmetric     [4 1 3 3 1 4 1 5 5 1 4]
// wrap          [4 1 5 3 1 4 1 5 3 1 4]
// linear_ramp   [0 1 2 3 1 4 1 5 3 1 0]
// maximum       [5 5 3 1 4 1 5 5 5]
// of two        [3 3 3 1 4 1 5 5 5]
// minimum       [1 1 3 1 4 1 5 1 1]
// mean          [3 3 3 1 4 1 5 3 3]
// median        [3 3 3 1 4 1 5 3 3]
// matrix
// [[0 0 0 0 0 0 0 0]
//  [0 0 1 1 1 1 0 0]
//  [0 0 1 1 1 1 0 0]]
// by axis
// [[3 1 1 1 1 4]
//  [3 1 1 1 1 4]
//  [3 1 1 1 1 4]
//  [3 2 2 2 2 4]]
// one width
// [[1 1 1 1]
//  [1 1 1 1]]
// blocks        ((2, 1), (4, 4))
