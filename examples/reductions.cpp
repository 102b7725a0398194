// Sums, means, extrema and the like: over all elements, one axis, or several.
#include <ashlar/ashlar.hpp>
#include <iostream>

int main() {
  namespace ash = ashlar;
  const auto print = [](const char* what, const auto& x) { std::cout << what << x.compute() << '\n'; };
  const auto x = ash::arange<double>(24);
  const auto m = ash::fromfunction([](auto i, auto j) { return 4.0 * double(i) + double(j); }, {3, 4});

  // x.mean(0) and mean(x, 0) are the same.
  print("sum            ", x.sum());
  print("over axis 0    ", ash::sum(m, 0));
  print("over the last  ", m.mean(-1));
  print("over two       ", ash::mean(m, ash::axes{0, 1}));
  print("over all       ", ash::mean(m, ash::all_axes));
  print("over none      ", ash::max(m, ash::axes::none()));

  // Options follow the axes. keepdims leaves the axis with length 1, ready to broadcast against m.
  print("range          ", m.max(1) - m.min(1));
  std::cout << "keepdims\n" << m.mean(1, {.keepdims = true}).compute() << '\n';
  print("var            ", ash::var(m, 0));
  print("var, N - 1     ", m.var(0, {.ddof = 1}));
  print("std            ", ash::std(m, 0, {.ddof = 1}));
  print("prod           ", ash::prod(x + 1, ash::all_axes, {.split_every = 4}));  // a matter of speed, never of bits

  // Questions and positions.
  print("any and all    ", ash::any(m > 11) || ash::all(m >= 0));
  print("count          ", ash::count_nonzero(m > 5, 1));
  print("argmin         ", ash::argmin(ash::abs(m - 6)));  // in the flattened array
  print("argmax         ", ash::argmax(ash::sin(m), 1));   // along one axis
}

// Output:
// sum            276.0
// over axis 0    [12. 15. 18. 21.]
// over the last  [1.5 5.5 9.5]
// over two       5.5
// over all       5.5
// over none      [[ 0.  1.  2.  3.]
//  [ 4.  5.  6.  7.]
//  [ 8.  9. 10. 11.]]
// range          [3. 3. 3.]
// keepdims
// [[1.5]
//  [5.5]
//  [9.5]]
// var            [10.66666667 10.66666667 10.66666667 10.66666667]
// var, N - 1     [16. 16. 16. 16.]
// std            [4. 4. 4. 4.]
// prod           6.204484017332394e+23
// any and all    True
// count          [0 2 4]
// argmin         6
// argmax         [2 3 0]
