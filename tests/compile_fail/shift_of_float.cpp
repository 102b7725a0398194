// expect: << and >> are for integers
#include <ashlar/ashlar.hpp>

int main() {
  const auto x = ashlar::zeros<float>({4});
  static_cast<void>((x << 1).compute());
}
