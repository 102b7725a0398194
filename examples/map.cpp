// Functions of your own, element by element. They are compiled into the loop, and vectorise with what stands around
// them.
#include <ashlar/ashlar.hpp>
#include <iostream>

// A functor may have parameters. It must not depend on anything that changes: it runs on any thread, in any order.
struct soft_threshold {
  double width;
  double operator()(double x) const { return x > width ? x - width : x < -width ? x + width : 0.0; }
};

int main() {
  namespace ash = ashlar;
  const auto x = ash::linspace<double>(-1, 1, 5);

  std::cout << ash::map(soft_threshold{0.25}, x).compute() << '\n';

  // Several arrays, numbers among them, and a result of another type.
  const auto above = ash::map([](double a, double b, double limit) { return a * a + b * b > limit; }, x, x + 1, 1.0);
  std::cout << above.compute() << '\n';

  // It is an expression like any other, so this is one pass over x that stores nothing.
  std::cout << ash::map([](double v) { return v * v; }, x - 1).sum().compute() << '\n';

  // An array from a function of the position.
  std::cout << ash::fromfunction([](auto i, auto j) { return i == j ? 1 : 10 * i + j; }, {3, 4}).compute() << '\n';
}

// Output:
// [-0.75 -0.25  0.    0.25  0.75]
// [False False False  True  True]
// 7.5
// [[ 1  1  2  3]
//  [10  1 12 13]
//  [20 21  1 23]]
