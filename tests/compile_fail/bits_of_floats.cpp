// expect: &, . and . are for integers and bool
#include <ashlar/ashlar.hpp>

int main() {
  const auto x = ashlar::zeros<double>({4});
  static_cast<void>((x & 1).compute());
}
