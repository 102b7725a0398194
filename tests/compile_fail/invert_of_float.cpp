// expect: ~x is for integers and bool; the opposite of a condition is !x
#include <ashlar/ashlar.hpp>

int main() {
  const auto x = ashlar::zeros<float>({4});
  static_cast<void>((~x).compute());
}
