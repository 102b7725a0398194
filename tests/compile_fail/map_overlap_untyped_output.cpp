// expect: a type, ndarray<double> out and not auto out
#include <ashlar/ashlar.hpp>

int main() {
  const auto x = ashlar::zeros<double>({4});
  const auto f = [](ashlar::halo_block<double> u, auto out) { out.data()[0] = u(0); };
  static_cast<void>(ashlar::map_overlap(f, x, {.depth = 1, .boundary = ashlar::boundary::edge}).compute());
}
