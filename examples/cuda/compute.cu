// The same arrays on a GPU: computed there, kept there, brought back; with functions of one's own and operands in both
// places. The results are those of the host, bit for bit where both were compiled without contraction.
#include <iostream>

#include <ashlar/ashlar.hpp>
#include <ashlar/cuda.hpp>

namespace ash = ashlar;

// Runs in both places. (ASHLAR_FN makes such a function from a lambda inside a function body.)
struct celsius {
  using device_callable = void;
  ASHLAR_HD double operator()(double fahrenheit) const { return (fahrenheit - 32) * 5 / 9; }
};

int main() {
  if (!ash::cuda::is_available()) {
    std::cout << "there is no device\n";
    return 77;
  }
  const ash::cuda::device gpu(0);

  // Blocks on the host are brought in, what is computed comes back as an ndarray.
  const auto x = ash::arange<double>(0, 12, 1, {.chunks = {5}}).reshape({3, 4});
  std::cout << (2.0 * x + 1.0).compute(gpu) << '\n';

  // Arrays that stay there. What is made from them is computed there, too.
  const auto there = x.to(gpu);
  std::cout << to_string(there.place()) << ", " << to_string((there - there.mean(0)).place()) << '\n';
  std::cout << (there - there.mean(0)).compute() << '\n';

  // Operands in both places, several results in one run, a function of one's own.
  const auto [mean, largest] = ash::compute(gpu, (there * x).mean(), ash::map(celsius{}, there).max(1));
  std::cout << mean << '\n' << largest << '\n';

  // Back on the host.
  std::cout << to_string(there.to(ash::place::host()).place()) << '\n';

  try {
    ash::map([](double v) { return v + 1; }, there).compute(gpu);
  } catch (const ash::device_error& e) {
    std::cout << "error: " << e.what() << '\n';
  }
}

// Output:
// [[ 1.  3.  5.  7.]
//  [ 9. 11. 13. 15.]
//  [17. 19. 21. 23.]]
// cuda:0, cuda:0
// [[-4. -4. -4. -4.]
//  [ 0.  0.  0.  0.]
//  [ 4.  4.  4.  4.]]
// 42.166666666666664
// [-16.11111111 -13.88888889 -11.66666667]
// host
// error: map, from ...compute.cu:...: 'map' has no code for a device: ...
