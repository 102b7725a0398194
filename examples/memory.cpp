// Where bytes come from: every block and every result is taken from a memory_resource, which counts exactly.
#include <ashlar/ashlar.hpp>
#include <iostream>

int main() {
  namespace ash = ashlar;
  using namespace ash::literals;
  ash::host_memory_resource& memory = ash::host_memory();

  memory.reset_peak();
  {
    const ash::ndarray<double> a({1000, 1000});
    std::cout << "allocated " << memory.allocated() << " bytes, in " << a.owner().where() << " memory\n";
  }
  std::cout << "peak " << memory.peak() << ", now " << memory.allocated() << '\n';

  // Released blocks wait for the next request of their size, up to a limit; trim() gives them back to the system.
  std::cout << "kept for reuse: " << (memory.cached() > 0) << ", at most " << memory.cache_limit() / 1_MiB << " MiB\n";
  memory.trim();
  std::cout << "after trim: " << memory.cached() << '\n';
  memory.set_cache_limit(64_MiB);

  // A reduction over 800 MB holds a few blocks at a time.
  const auto x = ash::random::uniform<float>({10000, 20000}, {.chunks = {500, 500}});
  memory.reset_peak();
  x.mean(0).compute(ash::threads{.workers = 2});
  std::cout << "peak below 8 MiB: " << (memory.peak() < 8_MiB) << '\n';

  // A buffer is a share of such bytes, or of bytes that belong to someone else.
  const ash::buffer mine = ash::buffer::allocate(4096, memory);
  static double theirs[3] = {1, 2, 3};
  const ash::buffer adopted = ash::buffer::adopt(theirs, sizeof theirs, nullptr, ash::place::host());
  const ash::ndarray<double> view(adopted, theirs, {3}, {1});
  std::cout << mine.bytes() << ' ' << view << '\n';
}

// Output:
// allocated 8000000 bytes, in host memory
// peak 8000000, now 0
// kept for reuse: 1, at most 256 MiB
// after trim: 0
// peak below 8 MiB: 1
// 4096 [1. 2. 3.]
