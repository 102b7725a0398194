// expect: the function given to map must return an element type
#include <ashlar/ashlar.hpp>

int main() {
  const auto x = ashlar::zeros<double>({4});
  static_cast<void>(ashlar::map([](double a) { return std::to_string(a); }, x).compute());
}
