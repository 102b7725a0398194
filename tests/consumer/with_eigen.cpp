// A matrix of Eigen's as the source of a lazy array.
#include <ashlar/ashlar.hpp>
#include <ashlar/eigen.hpp>

int main() {
  Eigen::MatrixXd matrix = Eigen::MatrixXd::Ones(40, 50);
  auto x = ashlar::from(ashlar::from_eigen(matrix), {.chunks = {16, 16}});
  return x.sum().compute().item() == 2000.0 ? 0 : 1;
}
