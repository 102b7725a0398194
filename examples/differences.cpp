// Differences of neighbours, and derivatives.
#include <ashlar/ashlar.hpp>
#include <iostream>

int main() {
  namespace ash = ashlar;
  const auto print = [](const char* what, const auto& x) { std::cout << what << x.compute() << '\n'; };
  const auto squares = ash::array<int>::from({0, 1, 4, 9, 16, 25}, {.chunks = {4}});

  print("diff            ", ash::diff(squares));
  print("of the diff     ", ash::diff(squares, 2));
  print("as long as x    ", ash::diff(squares, 1, -1, {.prepend = 0}));
  print("of a flat array ", ash::ediff1d(ash::reshape(squares, {2, 3}), {.to_begin = -1, .to_end = squares}));

  // Derivatives: central differences inside, one-sided ones at the ends.
  print("gradient        ", ash::gradient(squares, 0));
  print("better ends     ", ash::gradient(squares, 0, {.edge_order = 2}));
  print("steps of 0.5    ", ash::gradient(squares, 0, {.spacing = {0.5}}));
  const auto t = ash::array<double>::from({0, 1, 2, 4, 5, 7});
  print("at these places ", ash::gradient(squares, 0, {.spacing = {t}}));

  // Along several axes there is one array for each.
  const auto field = ash::fromfunction([](auto i, auto j) { return double(i * j); }, {4, 5}, {.chunks = {2, 2}});
  const auto slopes = ash::gradient(field);
  print("steepest        ", ash::sqrt(slopes[0] * slopes[0] + slopes[1] * slopes[1]).max());

  // Sums undo differences. With the sum of nothing in front, an element more:
  print("cumulative_sum  ", ash::cumulative_sum(ash::diff(squares), 0, {.include_initial = true}));
  print("cumulative_prod ", ash::cumulative_prod(squares + 1));
}

// Output:
// diff            [1 3 5 7 9]
// of the diff     [2 2 2 2]
// as long as x    [0 1 3 5 7 9]
// of a flat array [-1  1  3  5  7  9  0  1  4  9 16 25]
// gradient        [1. 2. 4. 6. 8. 9.]
// better ends     [ 0.  2.  4.  6.  8. 10.]
// steps of 0.5    [ 2.  4.  8. 12. 16. 18.]
// at these places [1.         2.         2.83333333 5.5        6.16666667 4.5       ]
// steepest        5.0
// cumulative_sum  [ 0  1  4  9 16 25]
// cumulative_prod [    1     2    10   100  1700 44200]
