// A kernel that touches memory that is not its own: the next call says so, the device is lost, everything after throws
// at once, and the program still ends with 0, with memory, streams and events in statics.
#include <optional>
#include <string>

#include "gpu_main.hpp"

#include <ashlar/cuda.hpp>
#include <ashlar/memory.hpp>

namespace ash = ashlar;

namespace {

__global__ void write_anywhere(int* data) { *data = 1; }

template <class F>
std::string message(F f) {
  try {
    f();
  } catch (const ash::device_error& e) {
    return e.what();
  }
  return "no error";
}

std::optional<ash::buffer> static_memory;
std::optional<ash::buffer> static_pinned;
std::optional<ash::cuda::stream> static_stream;
std::optional<ash::cuda::event> static_event;

}  // namespace

TEST_CASE("a kernel that faults makes the device lost, and the program goes on without it") {
  ash::cuda::device_memory& pool = ash::cuda::device_pool(0);
  static_memory = ash::buffer::allocate(1 << 20, pool);
  static_pinned = ash::buffer::allocate(1 << 20, ash::cuda::pinned_pool());
  static_stream.emplace();
  static_event.emplace();
  static_stream->record(*static_event);
  static_stream->synchronize();
  const ash::cuda::stream other;
  void* const memory = pool.allocate_async(1 << 20, other.get());

  write_anywhere<<<1, 1, 0, static_stream->get()>>>(reinterpret_cast<int*>(16));
  const std::string first = message([] { static_stream->synchronize(); });
  CHECK(first.find("cudaStreamSynchronize on cuda:0: cudaErrorIllegalAddress") != first.npos);
  CHECK(first.find("the device is lost") != first.npos);

  const std::string text = "cuda:0 is lost: cudaStreamSynchronize gave cudaErrorIllegalAddress";
  CHECK(message([] { static_stream->record(*static_event); }).find(text) != text.npos);
  CHECK(message([] { static_stream->done(); }).find(text) != text.npos);
  CHECK(message([] { static_event->synchronize(); }).find(text) != text.npos);
  CHECK(message([] { ash::cuda::stream s; }).find(text) != text.npos);
  CHECK(message([] { ash::cuda::device d(0); }).find(text) != text.npos);
  CHECK(message([&] { pool.allocate(1); }).find(text) != text.npos);
  CHECK(message([&] { pool.allocate_async(1, other.get()); }).find(text) != text.npos);
  CHECK(message([&] { pool.trim(); }).find(text) != text.npos);
  pool.release_async(memory, 1 << 20, other.get());
  CHECK(ash::cuda::device_summary().find("cuda:0  lost") != std::string::npos);
  CHECK(ash::cuda::memory_summary().find("cuda:0 (lost)") != std::string::npos);
  ash::cuda::empty_cache();
}
