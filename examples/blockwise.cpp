// Functions of blocks whose axes are matched by letters: a product of matrices, a transpose.
#include <ashlar/ashlar.hpp>
#include <iostream>

namespace ash = ashlar;

// Gets a row of blocks of a, and a column of blocks of b: the axis that the result has not is not cut.
void multiply(ash::ndarray<const double> a, ash::ndarray<const double> b, ash::ndarray<double> out) {
  out.fill(0);
  for (std::int64_t i = 0; i < a.shape()[0]; ++i) {
    for (std::int64_t j = 0; j < a.shape()[1]; ++j) {
      for (std::int64_t k = 0; k < b.shape()[1]; ++k) out(i, k) += a(i, j) * b(j, k);
    }
  }
}

int main() {
  const auto a =
      ash::fromfunction([](auto i, auto j) { return static_cast<double>(i + j); }, {4, 6}, {.chunks = {2, 3}});
  const auto b = ash::eye<double>(6, {.chunks = {4, 2}});

  const auto product = ash::blockwise(multiply, "ij,jk->ik", a, b + 1.0);
  std::cout << product.chunks().to_string() << '\n' << product.compute() << '\n';

  const auto turned = ash::blockwise([](ash::ndarray<const double> block) { return block.transpose(); }, "ij->ji", a);
  std::cout << turned.chunks().to_string() << '\n' << turned.sum(1).compute() << '\n';
}

// Output:
// ((2, 2), (2, 2, 2))
// [[15. 16. 17. 18. 19. 20.]
//  [22. 23. 24. 25. 26. 27.]
//  [29. 30. 31. 32. 33. 34.]
//  [36. 37. 38. 39. 40. 41.]]
// ((3, 3), (2, 2))
// [ 6. 10. 14. 18. 22. 26.]
