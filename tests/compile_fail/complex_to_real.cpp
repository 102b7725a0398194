// expect: astype from complex to a real type would drop the imaginary part
#include <ashlar/ashlar.hpp>

int main() {
  const auto x = ashlar::zeros<std::complex<double>>({4});
  static_cast<void>(x.astype<double>().compute());
}
