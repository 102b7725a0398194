// The function of a part returns an array that is not computed yet.
// expect: ashlar: what goes to an executor, and what a function of parts returns, is an array
#include <ashlar/ashlar.hpp>
#include <ashlar/data_parallel.hpp>

#include <vector>

int main() {
  const auto x = ashlar::zeros<double>({4});
  ashlar::data_parallel([](const auto& part) { return part.compute(); }, x, std::vector<ashlar::serial>(2));
}
