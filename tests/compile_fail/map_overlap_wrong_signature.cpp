// expect: is called with one halo_block<T> for each array
#include <ashlar/ashlar.hpp>

int main() {
  const auto x = ashlar::zeros<double>({4});
  const auto f = [](ashlar::ndarray<const double> block) { return block; };
  static_cast<void>(ashlar::map_overlap(f, x, {.depth = 1, .boundary = ashlar::boundary::edge}).compute());
}
