// A slice is a handle of its own: assigning to it would change nothing.
// expect-gcc: discards qualifiers
// expect-clang: no viable overloaded '='
#include <ashlar/ashlar.hpp>

int main() {
  const auto x = ashlar::zeros<double>({5});
  x(ashlar::slice{0, 3}) = ashlar::ones<double>({3});
}
