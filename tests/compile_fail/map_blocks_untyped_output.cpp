// expect: returns nothing, so it must fill a block: the parameter after the blocks, with a type
#include <ashlar/ashlar.hpp>

int main() {
  const auto x = ashlar::zeros<double>({4});
  static_cast<void>(ashlar::map_blocks([](ashlar::ndarray<const double>, auto out) { out.fill(1); }, x).compute());
}
