// The smallest whole program: an array, something said about it, and the moment when it is computed.
#include <ashlar/ashlar.hpp>
#include <iostream>

int main() {
  namespace ash = ashlar;

  ash::array<double> x = ash::arange<double>(1, 11);  // 1, 2, … 10
  ash::array<double> total = ash::sum(x * x);         // a plan, no number yet

  const ash::ndarray<double> result = total.compute();
  std::cout << "shape " << result.shape() << ", sum of squares " << result.item() << '\n';
  std::cout << "Ashlar " << ASHLAR_VERSION_MAJOR << '.' << ASHLAR_VERSION_MINOR << '\n';
}

// Output:
// shape (), sum of squares 385
// Ashlar ...
