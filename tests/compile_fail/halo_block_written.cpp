// expect-gcc: assignment of read-only location
// expect-clang: cannot assign to return value because function .*operator\(\).* returns a const value
#include <ashlar/ashlar.hpp>

int main() {
  const auto x = ashlar::zeros<double>({4});
  const auto f = [](ashlar::halo_block<double> u) {
    u(0) = 1;
    return u.block();
  };
  static_cast<void>(ashlar::map_overlap(f, x, {.depth = 1, .boundary = ashlar::boundary::edge}).compute());
}
