// expect: complex numbers have no order
#include <ashlar/ashlar.hpp>

int main() {
  const auto x = ashlar::zeros<std::complex<float>>({4});
  static_cast<void>(x.nanmax().compute());
}
