// The whole library, with the executor that runs on all cores.
#include <ashlar/ashlar.hpp>

static_assert(ASHLAR_VERSION >= 100);

int main() {
  auto x = ashlar::ones<double>({40, 50}, {.chunks = {16, 16}});
  return x.sum().compute().item() == 2000.0 ? 0 : 1;
}
