// Eigen matrices as arrays and back, without a copy. Link ashlar::eigen, include <ashlar/eigen.hpp>.
#include <ashlar/ashlar.hpp>
#include <ashlar/eigen.hpp>
#include <iostream>

int main() {
  namespace ash = ashlar;

  Eigen::MatrixXd matrix(2, 3);
  matrix << 1, 2, 3, 4, 5, 6;

  // A view: the matrix stays in charge of its memory and must outlive every run that reads it.
  const ash::ndarray<double> view = ash::from_eigen(matrix);
  std::cout << view << "\nstrides " << view.strides() << '\n';
  const auto x = ash::from(view, {.chunks = {1, 3}});
  std::cout << x.mean(0).compute() << '\n';

  // A temporary is taken over; an expression is evaluated and copied.
  const auto owned = ash::from_eigen(Eigen::VectorXd{{7, 8, 9}});
  const auto copied = ash::copy_from_eigen((2 * matrix).transpose());
  std::cout << owned << '\n' << copied << '\n';

  // A result as an Eigen map: Eigen's functions on Ashlar's memory.
  const ash::ndarray<double> result = (x - x.mean(0)).compute();
  const ash::eigen_map<double> map = ash::as_eigen(result);
  std::cout << "product with its transpose\n" << map * map.transpose() << '\n';
}

// Output:
// [[1. 2. 3.]
//  [4. 5. 6.]]
// strides (1, 2)
// [2.5 3.5 4.5]
// [7. 8. 9.]
// [[ 2.  8.]
//  [ 4. 10.]
//  [ 6. 12.]]
// product with its transpose
//  6.75 -6.75
// -6.75  6.75
