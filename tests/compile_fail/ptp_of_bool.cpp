// expect: ptp is not defined for bool
#include <ashlar/ashlar.hpp>

int main() {
  const auto x = ashlar::zeros<bool>({4});
  static_cast<void>(x.ptp().compute());
}
