// expect: this function is not defined for complex numbers
#include <ashlar/ashlar.hpp>

int main() {
  const auto x = ashlar::zeros<std::complex<double>>({4});
  static_cast<void>(signbit(x).compute());
}
