// Work that many results need is done once and kept, block by block, in memory.
#include <ashlar/ashlar.hpp>
#include <iostream>

int main() {
  namespace ash = ashlar;
  const auto raw = ash::random::uniform<double>({1000, 1000}, {.seed = 4, .chunks = {250, 250}});

  const std::size_t before = ash::host_memory().allocated();
  {
    const ash::array<double> clean = ash::clip(ash::log1p(raw), 0.1, 0.6).persist();
    std::cout << "kept " << (ash::host_memory().allocated() - before) / 1'000'000 << " MB in " << clean.chunks().count()
              << " blocks\n";

    // These read the blocks; the logarithms are not taken again.
    std::cout << clean.min().compute() << " .. " << clean.max().compute() << '\n';
    std::cout << clean.mean(0).explain();
  }
  std::cout << "kept afterwards " << ash::host_memory().allocated() - before << " bytes\n";
}

// Output:
// kept 8 MB in 16 blocks
// 0.1 .. 0.6
// layer 0: partial mean (partial), ... tasks, reads persisted (1000, 1000), blocks up to ...
// layer 1: combine mean (combine), ... tasks, from layer 0...
// ... tasks, ... edges, ... worker...
// results 7.8 KiB, read from sources ..., predicted peak of blocks and scratch ...
// kept afterwards 0 bytes
