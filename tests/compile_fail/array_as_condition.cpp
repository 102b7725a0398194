// An array has no truth value.
// expect-gcc: use of deleted function .*operator bool
// expect-clang: deleted
#include <ashlar/ashlar.hpp>

int main() {
  const auto x = ashlar::zeros<double>({4});
  if (x > 1.0) return 1;
}
