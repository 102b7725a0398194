// expect: bool - bool is not defined; use a != b
#include <ashlar/ashlar.hpp>

int main() {
  const auto x = ashlar::zeros<bool>({4});
  static_cast<void>((x - x).compute());
}
