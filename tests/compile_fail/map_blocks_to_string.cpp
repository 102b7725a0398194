// expect: must return its block, an ndarray<R> of an element type, or a number
#include <ashlar/ashlar.hpp>

int main() {
  const auto x = ashlar::zeros<double>({4});
  static_cast<void>(ashlar::map_blocks([](ashlar::ndarray<const double>) { return std::string("no"); }, x).compute());
}
