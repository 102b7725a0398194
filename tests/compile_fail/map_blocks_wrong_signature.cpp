// expect: is called with one ndarray<const T> for each array
#include <ashlar/ashlar.hpp>

int main() {
  const auto x = ashlar::zeros<double>({4});
  static_cast<void>(ashlar::map_blocks([](ashlar::ndarray<double> block) { return block; }, x).compute());
}
