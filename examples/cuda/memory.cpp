// What a program holds on a device, what it may hold, and what happens when that is too little. Needs no nvcc.
#include <cstddef>
#include <iostream>

#include <ashlar/cuda.hpp>
#include <ashlar/memory.hpp>

namespace ash = ashlar;

int main() {
  if (!ash::cuda::is_available()) {
    std::cout << ash::cuda::device_summary();
    return 77;
  }
  constexpr std::size_t MiB = std::size_t{1} << 20;
  {
    const ash::buffer a = ash::buffer::allocate(300 * MiB, ash::cuda::device_pool());
    const ash::buffer staging = ash::buffer::allocate(16 * MiB, ash::cuda::pinned_pool());
    std::cout << to_string(a.where()) << ": " << ash::cuda::memory_allocated() / MiB << " MiB, "
              << to_string(staging.where()) << ": " << ash::cuda::pinned_pool().allocated() / MiB << " MiB\n";
  }
  std::cout << "now " << ash::cuda::memory_allocated() << ", at most " << ash::cuda::max_memory_allocated() / MiB
            << " MiB\n";

  // What was released waits for reuse, until it is given back.
  const std::size_t kept = ash::cuda::memory_reserved();
  ash::cuda::empty_cache();
  std::cout << "kept before and after: " << (kept >= 300 * MiB) << ' ' << (ash::cuda::memory_reserved() >= 300 * MiB)
            << '\n';
  ash::cuda::reset_peak_memory_stats();
  if (ash::cuda::max_memory_reserved() > kept) return 1;

  // In the order of a stream: nobody waits, and there may be none.
  ash::cuda::set_memory_limit(100 * MiB);
  const ash::cuda::stream s;
  ash::cuda::device_memory& pool = ash::cuda::device_pool();
  void* const first = pool.allocate_async(60 * MiB, s.get());
  void* const second = pool.allocate_async(60 * MiB, s.get());
  std::cout << "first " << (first != nullptr) << ", second " << (second != nullptr) << '\n';
  pool.release_async(first, 60 * MiB, s.get());
  try {
    pool.allocate(200 * MiB);
  } catch (const ash::memory_error& e) {
    std::cout << "error: " << e.what() << '\n';
  }
  std::cout << ash::cuda::memory_summary();
}

// Output:
// cuda:0: 300 MiB, pinned: 16 MiB
// now 0, at most 300 MiB
// kept before and after: 1 0
// first 1, second 0
// error: cuda::device_memory: cuda:0 cannot give 209715200 B (200.0 MiB); live 0 B (0 B), reserved ... free on the
// device ... limit 104857600 B (100.0 MiB); ...
//         allocated       peak  reserved  ...
// cuda:0        0 B   60.0 MiB ...
// pinned ...
