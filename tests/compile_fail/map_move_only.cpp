// expect: the function given to map must be copyable
#include <ashlar/ashlar.hpp>

int main() {
  const auto x = ashlar::zeros<double>({4});
  static_cast<void>(ashlar::map([p = std::make_unique<int>(1)](double a) { return a + *p; }, x));
}
