// An array has no truth value.
// expect-gcc: cannot convert
// expect-clang: no viable conversion
#include <ashlar/ashlar.hpp>

int main() {
  const auto x = ashlar::zeros<bool>({4});
  const bool any = x;
  return any ? 1 : 0;
}
