// Element-wise work. Whatever is written in one expression is one loop over each block, without temporary arrays.
#include <ashlar/ashlar.hpp>
#include <iostream>

int main() {
  namespace ash = ashlar;
  const auto print = [](const char* what, const ash::lazy auto& x) { std::cout << what << x.compute() << '\n'; };
  const auto x = ash::linspace<double>(-2, 2, 5);
  const auto n = ash::arange<int>(5);

  print("arithmetic  ", -x * x + 2 * x - 1);
  print("division    ", n / 2);  // true division: integers give double
  print("whole parts ", ash::floor_divide(n, 2) + n % 2);
  print("power       ", ash::pow(n, 2));
  print("compare     ", x >= 0.5);
  print("logic       ", (x > -1 && x < 1) || !(x != 2));
  print("named       ", ash::logical_xor(ash::logical_and(x, n), ash::logical_or(ash::logical_not(x), n == 0)));

  print("roots       ", ash::sqrt(ash::abs(x)));
  print("rounding    ", ash::rint(x / 4) + ash::floor(x / 4) + ash::ceil(x / 4));
  print("choice      ", ash::where(x < 0, 0.0, x));
  print("limits      ", ash::clip(x, -1, 1) + ash::minimum(x, 0) + ash::maximum(x, 0));
  print("signs       ", ash::sign(x) * ash::square(x));
  print("tests       ", ash::isnan(ash::log(x)) || ash::isinf(1 / x) || !ash::isfinite(x));
  print("waves       ", ash::rint(100 * (ash::sin(x) + ash::cos(x) + ash::tan(x) + ash::tanh(x))));
  print("exponents   ", ash::rint(100 * (ash::exp(x) - ash::expm1(x) + ash::log1p(x + 2))));
  print("plane       ", ash::rint(100 * ash::atan2(x, 1) / ash::hypot(x, 1)));
  print("conversion  ", ash::astype<int>(x) + n.astype<int>());

  // Axes are matched from the right, and an axis of length 1 stretches: a column of sums beside a row.
  const auto table = ash::fromfunction([](auto i, auto j) { return 10.0 * double(i) + double(j); }, {2, 3});
  std::cout << "broadcast\n" << (table - table.mean(1, {.keepdims = true})).compute() << '\n';
  ash::array<double> sum = x;  // += makes a new plan and lets the name stand for it
  sum += 1;
  sum *= 2;
  print("rebound     ", sum);
}

// Output:
// arithmetic  [-9. -4. -1.  0. -1.]
// division    [0.  0.5 1.  1.5 2. ]
// whole parts [0 1 1 2 2]
// power       [ 0  1  4  9 16]
// compare     [False False False  True  True]
// logic       [False False  True False  True]
// named       [ True  True  True  True  True]
// roots       [1.41421356 1.         0.         1.         1.41421356]
// rounding    [-1. -1.  0.  1.  1.]
// choice      [0. 0. 0. 1. 2.]
// limits      [-3. -2.  0.  2.  3.]
// signs       [-4. -1.  0.  1.  4.]
// tests       [ True  True  True False False]
// waves       [ -10. -262.  100.  370.  -73.]
// exponents   [100. 169. 210. 239. 261.]
// plane       [-50. -56.   0.  56.  50.]
// conversion  [-2  0  2  4  6]
// broadcast
// [[-1.  0.  1.]
//  [-1.  0.  1.]]
// rebound     [-2.  0.  2.  4.  6.]
