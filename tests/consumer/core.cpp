// The arrays alone, on one thread: nothing but the standard library is linked.
#include <ashlar/array.hpp>
#include <ashlar/creation.hpp>
#include <ashlar/reductions.hpp>

int main() {
  auto x = ashlar::ones<double>({40, 50}, {.chunks = {16, 16}});
  return x.sum().compute(ashlar::serial{}).item() == 2000.0 ? 0 : 1;
}
