// Which GPUs there are, and which one is meant. Needs no nvcc, and runs without a GPU.
#include <iostream>

#include <ashlar/cuda.hpp>

namespace ash = ashlar;

int main() {
  std::cout << ash::cuda::device_summary();
  std::cout << "available: " << (ash::cuda::is_available() ? "yes" : "no") << '\n';

  for (int i = 0; i < ash::cuda::device_count(); ++i) {
    const ash::cuda::device d(i);
    const ash::cuda::compute_capability capability = d.capability();
    const ash::cuda::memory_room room = d.memory();
    std::cout << to_string(d.place()) << ": " << d.name() << ", capability " << capability.major << '.'
              << capability.minor << ", " << d.multiprocessors() << " multiprocessors, " << d.clock_rate() << " MHz\n  "
              << room.free << " of " << room.total << " bytes are free\n  PCI " << d.pci_id() << ", " << d.uuid()
              << "\n  L2 cache of " << d.attribute(cudaDevAttrL2CacheSize) << " bytes\n";
  }

  // Where no device is named, the default one is meant: of the thread in a guard, else of the process.
  if (const int last = ash::cuda::device_count() - 1; last >= 0) {
    ash::cuda::set_default_device(0);
    const ash::cuda::device_guard guard(last);
    if (ash::cuda::default_device() != last || ash::cuda::current_device() != last) return 1;
  }

  try {
    const ash::cuda::device d(1000);
  } catch (const ash::device_error& e) {
    std::cout << "error: " << e.what() << '\n';
  }
}

// Output:
// ...CUDA device...
// available: ...
// error: cuda::device: there is no device 1000: this process sees ...CUDA_VISIBLE_DEVICES ...
