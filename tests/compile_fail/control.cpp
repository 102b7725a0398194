// The one file of this folder that compiles.
#include <ashlar/ashlar.hpp>

int main() {
  auto x = ashlar::zeros<double>({4, 4}, {.chunks = {2, 2}});
  return x.ndim() == 2 ? 0 : 1;
}
