// expect: this function is not defined for complex numbers
#include <ashlar/ashlar.hpp>

int main() {
  const auto x = ashlar::zeros<std::complex<float>>({4});
  static_cast<void>(floor(x).compute());
}
