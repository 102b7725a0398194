// expect: keep the element type, and the result has another one
#include <ashlar/ashlar.hpp>

int main() {
  auto x = ashlar::zeros<int>({4});
  x += 1.5;
  return x.ndim();
}
