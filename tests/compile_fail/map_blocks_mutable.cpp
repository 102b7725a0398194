// expect: it must be callable when const
#include <ashlar/ashlar.hpp>

int main() {
  const auto x = ashlar::zeros<double>({4});
  int calls = 0;
  static_cast<void>(ashlar::map_blocks(
                        [calls](ashlar::ndarray<const double> block) mutable {
                          ++calls;
                          return block;
                        },
                        x)
                        .compute());
}
