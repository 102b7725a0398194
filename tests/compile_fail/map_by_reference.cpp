// A function cannot write into its input.
// expect: map.f, a, .* calls f with one element of each array
#include <ashlar/ashlar.hpp>

int main() {
  const auto x = ashlar::zeros<double>({4});
  static_cast<void>(ashlar::map([](double& a) { return a = 0; }, x).compute());
}
