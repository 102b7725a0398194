// Arrays from nothing. They are made inside the loop that reads them and cost no memory, however large.
#include <ashlar/ashlar.hpp>
#include <iostream>

int main() {
  namespace ash = ashlar;
  const auto print = [](const auto& x) { std::cout << x.compute() << '\n'; };

  print(ash::zeros<int>({3}));
  print(ash::ones<bool>({3}));
  print(ash::full({3}, 2.5));
  print(ash::arange<int>(5));
  print(ash::arange<double>(1, 2, 0.25));
  print(ash::linspace<double>(0, 1, 5));
  print(ash::linspace<double>(0, 1, 5, {.endpoint = false}));
  print(ash::eye<int>(3));
  print(ash::eye<int>(2, {.columns = 4, .diagonal = 1}));
  print(ash::fromfunction([](auto i, auto j) { return i * j; }, {3, 4}));

  // Of the shape, type and chunks of another.
  const auto x = ash::full({2, 2}, 7.0F, {.chunks = {1, 2}});
  print(ash::zeros_like(x) + ash::ones_like(x) + ash::full_like(x, 3));

  // Eight terabytes, of which one block at a time exists.
  const auto huge = ash::ones<double>({1'000'000, 1'000'000}, {.chunks = {100'000, 100'000}});
  std::cout << huge.nbytes() / 1'000'000'000'000 << " TB, shape " << huge.shape() << ", " << huge.ndim() << " axes, "
            << huge.size() << " elements\n";
}

// Output:
// [0 0 0]
// [ True  True  True]
// [2.5 2.5 2.5]
// [0 1 2 3 4]
// [1.   1.25 1.5  1.75]
// [0.   0.25 0.5  0.75 1.  ]
// [0.  0.2 0.4 0.6 0.8]
// [[1 0 0]
//  [0 1 0]
//  [0 0 1]]
// [[0 1 0 0]
//  [0 0 1 0]]
// [[0 0 0 0]
//  [0 1 2 3]
//  [0 2 4 6]]
// [[4. 4.]
//  [4. 4.]]
// 8 TB, shape (1000000, 1000000), 2 axes, 1000000000000 elements
