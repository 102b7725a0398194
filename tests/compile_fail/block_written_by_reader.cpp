// expect-gcc: assignment of read-only location
// expect-clang: cannot assign to return value because function .*operator\(\).* returns a const value
#include <ashlar/ashlar.hpp>

int main() {
  const auto x = ashlar::zeros<double>({4});
  static_cast<void>(ashlar::map_blocks(
                        [](ashlar::ndarray<const double> block) {
                          block(0) = 1;
                          return block;
                        },
                        x)
                        .compute());
}
