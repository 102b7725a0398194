// expect: the second function given to reduction is called with an ndarray<const S>
#include <ashlar/ashlar.hpp>

int main() {
  const auto x = ashlar::zeros<double>({4});
  const auto sum = [](ashlar::ndarray<const double> block) {
    double s = 0;
    for (const double v : block) s += v;
    return s;
  };
  const auto to_float = [=](ashlar::ndarray<const double> block) { return static_cast<float>(sum(block)); };
  static_cast<void>(ashlar::reduction(x, sum, to_float, sum).compute());
}
