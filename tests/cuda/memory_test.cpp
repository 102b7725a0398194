// Memory of devices and page-locked memory: counted, reused, limited, and recovered when it is short.
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "gpu_main.hpp"

#include <ashlar/cuda.hpp>
#include <ashlar/memory.hpp>

namespace ash = ashlar;

namespace {

constexpr std::size_t MiB = std::size_t{1} << 20;

}  // namespace

TEST_CASE("live bytes, reserved bytes and their peaks are counted") {
  ash::cuda::device_memory& pool = ash::cuda::device_pool(0);
  ash::cuda::empty_cache();
  ash::cuda::reset_peak_memory_stats();
  const std::size_t before = ash::cuda::memory_allocated();
  void* const a = pool.allocate(10 * MiB + 1);
  CHECK(ash::cuda::memory_allocated() == before + 10 * MiB + 1);
  CHECK(ash::cuda::memory_reserved() >= 10 * MiB + 1);
  void* const b = pool.allocate(30 * MiB);
  CHECK(ash::cuda::memory_allocated() == before + 40 * MiB + 1);
  pool.release(a, 10 * MiB + 1);
  pool.release(b, 30 * MiB);
  CHECK(ash::cuda::memory_allocated() == before);
  CHECK(ash::cuda::max_memory_allocated() == before + 40 * MiB + 1);
  CHECK(ash::cuda::max_memory_reserved() >= 40 * MiB + 1);
  CHECK(ash::cuda::memory_reserved() >= 40 * MiB + 1);  // kept for the next request

  ash::cuda::reset_peak_memory_stats();
  CHECK(ash::cuda::max_memory_allocated() == before);
  ash::cuda::device(0).synchronize();
  ash::cuda::empty_cache();
  CHECK(ash::cuda::memory_reserved() < 40 * MiB);
  CHECK(ash::cuda::memory_summary().find("cuda:0") != std::string::npos);
}

TEST_CASE("memory is of the device, aligned, and may be of no bytes") {
  ash::cuda::device_memory& pool = ash::cuda::device_pool(0);
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, std::size_t{513}, MiB}) {
    const ash::buffer b = ash::buffer::allocate(bytes, pool);
    REQUIRE(b.data() != nullptr);
    CHECK(b.where() == ash::place::device(0));
    CHECK(reinterpret_cast<std::uintptr_t>(b.data()) % 256 == 0);
    cudaPointerAttributes a{};
    REQUIRE(cudaPointerGetAttributes(&a, b.data()) == cudaSuccess);
    CHECK(a.type == cudaMemoryTypeDevice);
    CHECK(a.device == 0);
  }
}

TEST_CASE("a request above the limit fails with all the numbers, and later ones work") {
  ash::cuda::device_memory& pool = ash::cuda::device_pool(0);
  const std::size_t live = pool.allocated();
  ash::cuda::set_memory_limit(live + 64 * MiB);
  void* const some = pool.allocate(40 * MiB);
  try {
    pool.allocate(25 * MiB);
    FAIL("no error");
  } catch (const ash::memory_error& e) {
    const std::string text = e.what();
    for (const char* part :
         {"cuda:0 cannot give 26214400 B (25.0 MiB)", "; live ", ", reserved ", ", free on the device "}) {
      CHECK(text.find(part) != text.npos);
    }
    CHECK(text.find("limit " + std::to_string(live + 64 * MiB)) != text.npos);
  }
  const ash::cuda::stream s;
  const std::int64_t failures = pool.statistics().out_of_memory;
  CHECK(pool.allocate_async(25 * MiB, s.get()) == nullptr);
  CHECK(pool.statistics().out_of_memory == failures + 1);
  CHECK(pool.allocated() == live + 40 * MiB);
  void* const rest = pool.allocate_async(24 * MiB, s.get());
  CHECK(rest != nullptr);
  pool.release_async(rest, 24 * MiB, s.get());
  pool.release(some, 40 * MiB);
  pool.set_limit(ash::cuda::device_memory::no_limit);
  CHECK(pool.allocated() == live);
}

TEST_CASE("more than the device has is an error, after which everything works") {
  ash::cuda::device_memory& pool = ash::cuda::device_pool(0);
  const std::size_t live = pool.allocated();
  const std::size_t total = ash::cuda::device(0).total_memory();
  CHECK_THROWS_AS(pool.allocate(2 * total), ash::memory_error);
  CHECK_THROWS_AS(pool.allocate(std::size_t{1} << 62), ash::memory_error);
  CHECK(cudaGetLastError() == cudaSuccess);
  CHECK(pool.allocated() == live);
  void* const data = pool.allocate(MiB);
  CHECK(cudaMemset(data, 1, MiB) == cudaSuccess);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  pool.release(data, MiB);
}

TEST_CASE("memory that waits for reuse in other sizes is found again before it is an error") {
  ash::cuda::device_memory& pool = ash::cuda::device_pool(0);
  ash::cuda::empty_cache();
  const std::size_t free = ash::cuda::device(0).free_memory();
  const ash::cuda::stream s;
  std::vector<void*> pieces;
  for (int i = 0; i < 16; ++i) {
    pieces.push_back(pool.allocate_async(free / 20, s.get()));
    REQUIRE(pieces.back() != nullptr);
  }
  for (void* piece : pieces) pool.release_async(piece, free / 20, s.get());
  void* const big = pool.allocate(free / 10 * 7);
  CHECK(big != nullptr);
  pool.release(big, free / 10 * 7);
  ash::cuda::device(0).synchronize();
  ash::cuda::empty_cache();
  CHECK(ash::cuda::device(0).free_memory() > free / 10 * 9);
}

TEST_CASE("a null stream is refused") {
  CHECK_THROWS_AS(ash::cuda::device_pool(0).allocate_async(1, nullptr), ash::device_error);
}

TEST_CASE("memory can be had while another thread captures a graph") {
  const ash::cuda::stream captured;
  REQUIRE(cudaStreamBeginCapture(captured.get(), cudaStreamCaptureModeGlobal) == cudaSuccess);
  std::thread([] {
    for (int i = 0; i < 100; ++i) {
      const ash::buffer a = ash::buffer::allocate(MiB, ash::cuda::device_pool(0));
      const ash::buffer b = ash::buffer::allocate(MiB, ash::cuda::pinned_pool());
    }
    ash::cuda::empty_cache();
  }).join();
  cudaGraph_t graph = nullptr;
  CHECK(cudaStreamEndCapture(captured.get(), &graph) == cudaSuccess);
  CHECK(cudaGraphDestroy(graph) == cudaSuccess);
}

TEST_CASE("no block is given to two of 16 threads") {
  ash::cuda::device_memory& pool = ash::cuda::device_pool(0);
  const std::size_t live = pool.allocated();
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 16; ++t) {
    threads.emplace_back([&, t] {
      const ash::cuda::stream s;
      std::vector<unsigned char> seen(64 * 1024);
      for (int i = 0; i < 200; ++i) {
        const std::size_t bytes = 1024 * static_cast<std::size_t>(1 + (i * 7 + t * 13) % 64);
        void* const data = pool.allocate_async(bytes, s.get());
        const int stamp = (t * 16 + i) % 251;
        if (data == nullptr || cudaMemsetAsync(data, stamp, bytes, s.get()) != cudaSuccess ||
            cudaMemcpyAsync(seen.data(), data, bytes, cudaMemcpyDeviceToHost, s.get()) != cudaSuccess) {
          ++wrong;
          return;
        }
        s.synchronize();
        for (std::size_t k = 0; k < bytes; ++k) wrong += seen[k] != stamp;
        pool.release_async(data, bytes, s.get());
      }
    });
  }
  for (std::thread& t : threads) t.join();
  CHECK(wrong == 0);
  CHECK(pool.allocated() == live);
}

TEST_CASE("streams that come and go leave the pool right") {
  ash::cuda::device_memory& pool = ash::cuda::device_pool(0);
  const std::size_t live = pool.allocated();
  std::vector<unsigned char> seen(MiB);
  for (int i = 0; i < 200; ++i) {
    const ash::cuda::stream s;
    void* const data = pool.allocate_async(MiB, s.get());
    REQUIRE(data != nullptr);
    REQUIRE(cudaMemsetAsync(data, i, MiB, s.get()) == cudaSuccess);
    REQUIRE(cudaMemcpyAsync(seen.data(), data, MiB, cudaMemcpyDeviceToHost, s.get()) == cudaSuccess);
    pool.release_async(data, MiB, s.get());
    s.synchronize();
    CHECK(seen[0] == i);
    CHECK(seen[MiB - 1] == i);
  }
  CHECK(pool.allocated() == live);
}

TEST_CASE("page-locked blocks are reused by size class") {
  ash::cuda::pinned_memory& pool = ash::cuda::pinned_pool();
  pool.trim();
  const std::size_t live = pool.allocated();
  void* const a = pool.allocate(MiB + 5);
  cudaPointerAttributes attributes{};
  REQUIRE(cudaPointerGetAttributes(&attributes, a) == cudaSuccess);
  CHECK(attributes.type == cudaMemoryTypeHost);
  std::memset(a, 1, MiB + 5);
  CHECK(pool.allocated() == live + MiB + 5);
  const std::size_t reserved = pool.reserved();
  pool.release(a, MiB + 5);
  CHECK(pool.reserved() == reserved);
  void* const b = pool.allocate(MiB + 900);  // of the same class
  CHECK(b == a);
  pool.release(b, MiB + 900);
  pool.trim();
  CHECK(pool.reserved() < reserved);
  CHECK(pool.allocated() == live);
}

TEST_CASE("page-locked memory stays below its limit") {
  ash::cuda::pinned_memory& pool = ash::cuda::pinned_pool();
  pool.trim();
  const std::size_t before = pool.limit();
  pool.set_limit(pool.reserved() + 8 * MiB);
  void* const a = pool.allocate(4 * MiB);
  CHECK_THROWS_AS(pool.allocate(5 * MiB), ash::memory_error);
  pool.release(a, 4 * MiB);
  void* const b = pool.allocate(5 * MiB);  // for which the block that waited was unlocked
  CHECK(pool.reserved() <= pool.limit());
  pool.set_limit(0);
  pool.release(b, 5 * MiB);
  CHECK(pool.reserved() < 4 * MiB);
  pool.set_limit(before);
}
