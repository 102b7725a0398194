// expect: the exponents given to ldexp are integers
#include <ashlar/ashlar.hpp>

int main() {
  const auto x = ashlar::zeros<double>({4});
  static_cast<void>(ldexp(x, 1.5).compute());
}
