// Devices, memory, streams and events on a runtime that fails on demand: what is called, what is given back, and that
// every failure is an exception after which everything works.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>

#include "fake_runtime.hpp"

#include <ashlar/cuda.hpp>
#include <ashlar/memory.hpp>

namespace ash = ashlar;

namespace {

constexpr std::size_t MiB = std::size_t{1} << 20;

template <class E = ash::device_error, class F>
std::string message(F f) {
  try {
    f();
  } catch (const E& e) {
    return e.what();
  }
  return "no error";
}

/// Not doctest's CHECK, which would keep what is thrown within.
void must(bool holds) {
  if (!holds) throw std::logic_error("not as it must be");
}

/// A bit of everything, on both devices.
void use_everything() {
  const ash::cuda::device_guard guard(1);
  ash::cuda::device_memory& pool = ash::cuda::device_pool(0);
  const ash::buffer whole = ash::buffer::allocate(MiB, pool);
  const ash::buffer there = ash::buffer::allocate(2 * MiB, ash::cuda::device_pool());
  const ash::buffer pinned = ash::buffer::allocate(5000, ash::cuda::pinned_pool());
  const ash::cuda::stream a({.device = 0});
  const ash::cuda::stream b;
  ash::cuda::event mark;
  ash::cuda::event begin({.timing = true});
  a.record(begin);
  // Given back by its own owner, whatever comes between.
  struct in_order {
    ash::cuda::device_memory& from;
    const ash::cuda::stream& s;
    void* data = from.allocate_async(3 * MiB, s.get());
    ~in_order() {
      if (data != nullptr) from.release_async(data, 3 * MiB, s.get());
    }
  };
  const in_order piece{pool, a};
  if (piece.data == nullptr) throw ash::memory_error("none");
  a.record(mark);
  b.wait(mark);
  b.wait(a);
  ash::cuda::event end({.timing = true});
  a.record(end);
  must(ash::cuda::elapsed(begin, end) == 1.5);
  must(a.done());
  must(mark.done());
  b.synchronize();
  must(ash::cuda::stream_ref(a.get()).device_index() == 0);
  must(ash::cuda::device(0).memory().free < fake::memory_of_a_device);
  pool.trim();
  ash::cuda::empty_cache();
  ash::cuda::device(0).synchronize();
}

std::size_t live_blocks() {
  std::size_t n = 0;
  for (const CUmemPoolHandle_st* pool : fake::the().pools) n += pool->live.size();
  return n;
}

}  // namespace

TEST_CASE("whichever call fails, it is an exception, nothing is left behind, and the next attempt works") {
  // The first attempts fail while the pools themselves are made.
  std::int64_t reached = 0;
  for (std::int64_t n = 1;; ++n) {
    const std::size_t streams = fake::the().streams.size();
    const std::size_t blocks = live_blocks();
    const std::size_t pools = fake::the().pools.size();
    fake::fail_call(n);
    std::string text;
    try {
      use_everything();
    } catch (const ash::error& e) {
      text = e.what();
    }
    const std::string failed = std::exchange(fake::the().failed, "");
    const bool was_reached = !failed.empty();
    fake::fail_call(-1);
    INFO("call ", n, ", ", failed, ": ", text);
    // What CUDA refused to take back is the only thing that may be left.
    const bool refused = failed == "cudaFreeAsync" || failed == "cudaStreamDestroy";
    if (!refused) {
      CHECK(live_blocks() == blocks);
      // A pool that was made has a stream of its own.
      CHECK(fake::the().streams.size() - streams == fake::the().pools.size() - pools);
    }
    if (failed != "cudaSetDevice") CHECK(fake::current() == 0);
    fake::current() = 0;
    CHECK(ash::cuda::default_device() == 0);
    CHECK(ash::cuda::memory_allocated(0) == 0);
    CHECK(ash::cuda::memory_allocated(1) == 0);
    CHECK(ash::cuda::pinned_pool().allocated() == 0);
    CHECK(cudaGetLastError() == cudaSuccess);
    CHECK_FALSE(ash::cuda::detail::is_lost(0));
    if (!was_reached) break;
    // What comes back, or is put back, does so without an exception.
    if (!refused && failed != "cudaFreeHost" && failed != "cudaSetDevice") {
      CHECK(text.find(failed) != std::string::npos);
    }
    reached = n;
  }
  CHECK(reached > 30);
  CHECK_NOTHROW(use_everything());

  // What CUDA refused to take back is offered again when memory is short.
  CHECK(live_blocks() > 0);
  for (const int i : {0, 1}) {
    const ash::cuda::stream s({.device = i});
    void* const all = ash::cuda::device_pool(i).allocate_async(fake::memory_of_a_device, s.get());
    CHECK(all != nullptr);
    ash::cuda::device_pool(i).release_async(all, fake::memory_of_a_device, s.get());
  }
  CHECK(live_blocks() == 0);
}

TEST_CASE("memory on its way back is waited for only when there is no other") {
  ash::cuda::device_memory& pool = ash::cuda::device_pool(0);
  ash::cuda::device(0).synchronize();
  ash::cuda::empty_cache();
  const ash::cuda::stream s({.device = 0});
  const std::int64_t retries = pool.statistics().retries;
  auto& waits = fake::the().count["cudaDeviceSynchronize"];

  const auto fill = [&] {
    std::vector<void*> pieces;
    for (int i = 0; i < 3; ++i) pieces.push_back(pool.allocate_async(16 * MiB, s.get()));
    for (void* piece : pieces) pool.release_async(piece, 16 * MiB, s.get());
  };
  fill();
  s.synchronize();
  std::int64_t before = waits;
  void* data = pool.allocate_async(40 * MiB, s.get());  // found by trimming
  REQUIRE(data != nullptr);
  CHECK(waits == before);
  CHECK(pool.statistics().retries == retries + 1);
  pool.release_async(data, 40 * MiB, s.get());
  s.synchronize();
  pool.trim();

  fill();
  before = waits;
  data = pool.allocate_async(40 * MiB, s.get());  // found by waiting
  REQUIRE(data != nullptr);
  CHECK(waits == before + 1);
  CHECK(pool.statistics().retries == retries + 2);
  pool.release_async(data, 40 * MiB, s.get());
  s.synchronize();
}

TEST_CASE("no memory: null in the order of a stream, else an error with all the numbers; later requests work") {
  ash::cuda::device_memory& pool = ash::cuda::device_pool(0);
  ash::cuda::device(0).synchronize();
  ash::cuda::empty_cache();
  const ash::cuda::stream s({.device = 0});
  void* const most = pool.allocate(48 * MiB);
  const std::int64_t failures = pool.statistics().out_of_memory;
  CHECK(pool.allocate_async(20 * MiB, s.get()) == nullptr);
  CHECK(pool.statistics().out_of_memory == failures + 1);
  CHECK(
      message<ash::memory_error>([&] { pool.allocate(20 * MiB); }) ==
      "cuda::device_memory: cuda:0 cannot give 20971520 B (20.0 MiB); live 50331648 B (48.0 MiB), reserved 50331648 B "
      "(48.0 MiB), free on the device 16777216 B (16.0 MiB) of 67108864 B (64.0 MiB), limit none; use smaller chunks, "
      "drop results that are not needed, or raise the limit");
  CHECK(cudaGetLastError() == cudaSuccess);
  CHECK(pool.allocated() == 48 * MiB);
  void* const rest = pool.allocate(16 * MiB);
  pool.release(rest, 16 * MiB);
  pool.release(most, 48 * MiB);
  CHECK(pool.allocated() == 0);
  // More than the device has is not even asked for.
  auto& asked = fake::the().count["cudaMallocFromPoolAsync"];
  const std::int64_t before = asked;
  CHECK(pool.allocate_async(65 * MiB, s.get()) == nullptr);
  CHECK(pool.allocate_async(SIZE_MAX, s.get()) == nullptr);
  CHECK(asked == before);
}

TEST_CASE("the limit is for live bytes, and exact") {
  ash::cuda::device_memory& pool = ash::cuda::device_pool(0);
  ash::cuda::set_memory_limit(10, 0);
  const ash::cuda::stream s({.device = 0});
  void* const a = pool.allocate_async(10, s.get());
  REQUIRE(a != nullptr);
  CHECK(pool.allocate_async(1, s.get()) == nullptr);
  CHECK(message<ash::memory_error>([&] { pool.allocate(1); }).find("limit 10 B (10 B)") != std::string::npos);
  pool.release_async(a, 10, s.get());
  void* const b = pool.allocate_async(9, s.get());
  CHECK(b != nullptr);
  pool.release_async(b, 9, s.get());
  pool.set_limit(ash::cuda::device_memory::no_limit);
}

TEST_CASE("peaks and the table") {
  ash::cuda::device_memory& pool = ash::cuda::device_pool(1);
  ash::cuda::device(1).synchronize();
  ash::cuda::empty_cache();
  ash::cuda::reset_peak_memory_stats(1);
  const std::size_t reserved = ash::cuda::memory_reserved(1);
  pool.release(pool.allocate(8 * MiB), 8 * MiB);
  CHECK(ash::cuda::memory_allocated(1) == 0);
  CHECK(ash::cuda::max_memory_allocated(1) == 8 * MiB);
  CHECK(ash::cuda::memory_reserved(1) == reserved + 8 * MiB);
  CHECK(ash::cuda::max_memory_reserved(1) == reserved + 8 * MiB);
  CHECK(ash::cuda::memory_summary().find("8.0 MiB") != std::string::npos);
  ash::cuda::device(1).synchronize();
  ash::cuda::empty_cache();
  ash::cuda::reset_peak_memory_stats(1);
  CHECK(ash::cuda::max_memory_allocated(1) == 0);
  CHECK(ash::cuda::max_memory_reserved(1) == reserved);
}

TEST_CASE("events come from the pool of the device that first recorded them") {
  const ash::cuda::stream a({.device = 0});
  const ash::cuda::stream b({.device = 1});
  ash::cuda::event e;
  b.record(e);
  CHECK(e.ref().device_index() == 1);
  CHECK(e.ref().get()->device == 1);
  CHECK(fake::current() == 0);
  CHECK(message([&] { a.record(e); }).find("recorded on cuda:1 before") != std::string::npos);
  CHECK(message([&] { a.record(e.ref()); }).find("an event of cuda:1 and a stream of cuda:0") != std::string::npos);
  a.wait(e);
  const std::size_t events = fake::the().events.size();
  for (int i = 0; i < 100; ++i) {
    ash::cuda::event again;
    b.record(again);
    a.wait(b);
  }
  CHECK(fake::the().events.size() <= events + 2);
}

TEST_CASE("many threads use the pools at once") {
  std::vector<std::thread> threads;
  for (int t = 0; t < 16; ++t) {
    threads.emplace_back([t] {
      ash::cuda::device_memory& pool = ash::cuda::device_pool(t % 2);
      const ash::cuda::stream s({.device = t % 2});
      const ash::cuda::stream other({.device = (t + 1) % 2});
      for (int i = 0; i < 50; ++i) {
        const std::size_t bytes = 1024 * static_cast<std::size_t>(1 + (i + t) % 7);
        void* const data = pool.allocate_async(bytes, s.get());
        const ash::buffer pinned = ash::buffer::allocate(bytes, ash::cuda::pinned_pool());
        std::memset(pinned.data(), t, bytes);
        if (data != nullptr) std::memset(data, t, bytes);
        other.wait(s);
        const std::vector<char> expected(bytes, static_cast<char>(t));
        if (data == nullptr || std::memcmp(data, expected.data(), bytes) != 0 ||
            std::memcmp(pinned.data(), expected.data(), bytes) != 0) {
          throw std::logic_error("a block was given to two threads");
        }
        pool.release_async(data, bytes, s.get());
        if (i % 10 == 0) ash::cuda::empty_cache();
        if (i % 7 == 0) s.synchronize();
      }
    });
  }
  for (std::thread& t : threads) t.join();
  for (const int i : {0, 1}) CHECK(ash::cuda::memory_allocated(i) == 0);
  CHECK(ash::cuda::pinned_pool().allocated() == 0);
}

TEST_CASE("on a lost device nothing is called any more, on the other everything") {
  ash::cuda::device_memory& pool = ash::cuda::device_pool(0);
  std::int64_t before = 0;
  {
    const ash::cuda::stream s({.device = 0});
    ash::cuda::event e;
    s.record(e);
    const ash::buffer memory = ash::buffer::allocate(MiB, pool);
    const ash::buffer pinned = ash::buffer::allocate(MiB, ash::cuda::pinned_pool());
    fake::the().sticky[0] = cudaErrorIllegalAddress;
    CHECK(message([&] { s.synchronize(); }).find("the device is lost") != std::string::npos);

    before = fake::the().calls;
    const std::string lost = "cuda:0 is lost: cudaStreamSynchronize gave cudaErrorIllegalAddress";
    CHECK(message([&] { s.record(e); }).find(lost) != std::string::npos);
    CHECK(message([&] { s.wait(e); }).find(lost) != std::string::npos);
    CHECK(message([&] { s.done(); }).find(lost) != std::string::npos);
    CHECK(message([&] { e.done(); }).find(lost) != std::string::npos);
    CHECK(message([&] { pool.allocate(1); }).find(lost) != std::string::npos);
    CHECK(message([&] { pool.allocate_async(1, s.get()); }).find(lost) != std::string::npos);
    CHECK(message([&] { pool.trim(); }).find(lost) != std::string::npos);
    CHECK(message([&] { ash::cuda::device d(0); }).find(lost) != std::string::npos);
    CHECK(message([&] { ash::cuda::device_guard g(0); }).find(lost) != std::string::npos);
    CHECK(message([&] { ash::cuda::stream another({.device = 0}); }).find(lost) != std::string::npos);
    pool.reset_peaks();
    CHECK(fake::the().calls == before);
  }
  // Nor did destructors, which had an event, a stream, device memory and a pinned block.
  ash::cuda::pinned_pool().trim();
  CHECK(fake::the().calls == before);
  const ash::cuda::stream other({.device = 1});
  other.synchronize();
  const ash::buffer there = ash::buffer::allocate(MiB, ash::cuda::device_pool(1));
  CHECK(ash::cuda::device_summary().find("cuda:0  lost") != std::string::npos);
  CHECK(ash::cuda::memory_summary().find("cuda:0 (lost)") != std::string::npos);
}

TEST_CASE("after exit has begun, destructors call nothing") {
  std::int64_t before = 0;
  {
    const ash::cuda::stream s({.device = 1});
    ash::cuda::event e;
    s.record(e);
    const ash::buffer memory = ash::buffer::allocate(MiB, ash::cuda::device_pool(1));
    const ash::cuda::device_guard guard(1);
    ash::cuda::detail::when_exit_begins();
    before = fake::the().calls;
  }
  CHECK(fake::the().calls == before);
}
