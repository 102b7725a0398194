// The fault that everybody makes once: one stream fills an array, another one sums it, and nothing says that the sum
// comes after. Ordered by hand: an event is recorded behind the filling, and the other stream waits for it. The host
// waits for nothing until the end.
#include <cstdint>
#include <iostream>

#include <ashlar/cuda.hpp>
#include <ashlar/memory.hpp>

namespace ash = ashlar;

constexpr std::int64_t n = 1 << 24;

__global__ void fill(std::int64_t* x) {
  const std::int64_t i = blockIdx.x * std::int64_t{256} + threadIdx.x;
  if (i < n) x[i] = i;
}

__global__ void sum(const std::int64_t* x, unsigned long long* total) {
  const std::int64_t i = blockIdx.x * std::int64_t{256} + threadIdx.x;
  if (i < n) atomicAdd(total, static_cast<unsigned long long>(x[i]));
}

int main() {
  if (!ash::cuda::is_available()) {
    std::cout << ash::cuda::device_summary();
    return 77;
  }
  const ash::buffer numbers = ash::buffer::allocate(n * sizeof(std::int64_t), ash::cuda::device_pool());
  const ash::buffer result = ash::buffer::allocate(sizeof(unsigned long long), ash::cuda::pinned_pool());
  auto* const x = static_cast<std::int64_t*>(numbers.data());
  auto* const total = static_cast<unsigned long long*>(result.data());
  *total = 0;

  const ash::cuda::stream producer;
  const ash::cuda::stream consumer;
  ash::cuda::event filled({.timing = true});
  ash::cuda::event summed({.timing = true});

  fill<<<n / 256, 256, 0, producer.get()>>>(x);
  ash::cuda::check(cudaGetLastError(), "fill");
  producer.record(filled);

  consumer.wait(filled);  // without this line the sum may be of anything
  sum<<<n / 256, 256, 0, consumer.get()>>>(x, total);
  ash::cuda::check(cudaGetLastError(), "sum");
  consumer.record(summed);

  consumer.synchronize();
  std::cout << "sum " << *total << ", expected " << n * (n - 1) / 2 << '\n';
  std::cout << "done " << consumer.done() << ' ' << summed.done() << ", took time "
            << (ash::cuda::elapsed(filled, summed) > 0) << '\n';

  // All that is in one stream, before what comes in another: the event is made and taken back behind the scenes.
  producer.wait(consumer);
  producer.synchronize();

  try {
    const ash::cuda::stream_ref nobody(nullptr);
  } catch (const ash::device_error& e) {
    std::cout << "error: " << e.what() << '\n';
  }
}

// Output:
// sum 140737479966720, expected 140737479966720
// done 1 1, took time 1
// error: cuda::stream_ref: the default stream (null), which waits for all others; make a stream: ...
