#include <ashlar/ashlar.hpp>
#include <iostream>

int main() {
  namespace ash = ashlar;

  // 20000 x 20000 random numbers, 3.2 GB, in 400 blocks. Nothing is generated yet.
  auto x =
      ash::random::normal<double>({20000, 20000}, {.mean = 10.0, .stddev = 0.1, .seed = 7, .chunks = {1000, 1000}});

  auto mean = x.mean(0);           // one number per column; still nothing computed
  auto z = (x - mean) / x.std(0);  // how far from its column's mean each number is

  auto [lo, hi] = ash::compute(z.min(), z.max());  // one run, all cores, a few blocks in memory at a time
  std::cout << mean.compute() << '\n' << lo << " .. " << hi << '\n';
}

// Output:
// [10.00047... 9.99946... 10.00049... ... 9.99915... 9.99958...
//   9.99982...]
// -5.610089... .. 6.123335...
