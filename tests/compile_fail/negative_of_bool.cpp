// expect: -x is not defined for bool; use !x
#include <ashlar/ashlar.hpp>

int main() {
  const auto x = ashlar::zeros<bool>({4});
  static_cast<void>((-x).compute());
}
