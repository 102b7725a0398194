// What compute() would do, before it does it: layers, tasks, bytes, and the most memory it will need.
#include <ashlar/ashlar.hpp>
#include <iostream>

int main() {
  namespace ash = ashlar;
  const auto x = ash::random::normal<double>({20000, 20000}, {.chunks = {1000, 1000}});

  std::cout << ash::sqrt(ash::abs(x)).mean(0).explain() << '\n';

  // A mean that is needed before the second pass can begin.
  const ash::array<double> z = (x - x.mean(0)) / x.std(0);
  std::cout << z.max().explain() << '\n';

  // On the executor and with the options that compute() would have: here with less memory than blocks would take.
  const ash::array<double> kept = ash::map([](double v) { return v * v; }, x);
  std::cout << (kept - kept.mean()).max().explain(ash::serial{.memory_limit = 64 << 20}, {.optimize = false});
}

// Output:
// layer 0: partial mean (partial), ... tasks, reads normal (20000, 20000), 2 operations fused, blocks up to ...
// layer 1: combine mean (combine), ... tasks, from layer 0, blocks up to ...
// ... tasks, ... edges, ... worker...
// results 156.3 KiB, read from sources 0 B, predicted peak of blocks and scratch ...
// not optimized it would be ... layers instead of ...
//
// layer 0: partial mean, std (partial), ... tasks, reads normal (20000, 20000), blocks up to ...
// layer 1: combine mean, std (combine), ... tasks, from layer 0, blocks up to ...
// layer ...: partial max (partial), ... tasks, reads normal (20000, 20000), layer ... (20000,), 2 operations fused, ...
// results 8 B, read from sources 0 B, predicted peak of blocks and scratch ...
// not optimized it would be 9 layers instead of 8, 1364 tasks, ...
//
// layer 0: elementwise map, 400 tasks, reads normal (20000, 20000), 1 operation fused, blocks up to 7.6 MiB
// ... tasks, ... edges, 1 worker, memory_limit 64.0 MiB
// results 8 B, read from sources 0 B, predicted peak of blocks and scratch 64.0 MiB, blocks go to a file
