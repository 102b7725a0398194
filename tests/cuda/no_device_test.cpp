// What holds where there is no device: no driver, or all devices hidden. This program hides them, so that it checks the
// same on every machine.
#include <cstdlib>
#include <sstream>
#include <string>

#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <ashlar/cuda.hpp>
#include <ashlar/memory.hpp>

namespace ash = ashlar;

int main(int argc, char** argv) {
  ::setenv("CUDA_VISIBLE_DEVICES", "", 1);
  return doctest::Context(argc, argv).run();
}

namespace {

template <class E = ash::device_error, class F>
std::string message(F f) {
  try {
    f();
  } catch (const E& e) {
    return e.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("without a device there is none, and no exception") {
  CHECK_FALSE(ash::cuda::is_available());
  CHECK(ash::cuda::device_count() == 0);
  CHECK(ash::cuda::default_device() == 0);
}

TEST_CASE("the summary says why there is no device") {
  const std::string text = ash::cuda::device_summary();
  CHECK(text.starts_with("no CUDA device: cudaError"));
  CHECK(text.ends_with("\n"));
  // No driver, or one that sees what this program hid.
  CHECK((text.find("there is no NVIDIA driver here") != text.npos ||
         text.find("CUDA_VISIBLE_DEVICES is empty") != text.npos));
}

TEST_CASE("naming a device is an error with the number, how many there are, and CUDA_VISIBLE_DEVICES") {
  for (const int index : {0, 1, -1, 64, 1000000}) {
    const std::string text = message([&] { ash::cuda::device d(index); });
    CHECK(text.find("there is no device " + std::to_string(index)) != text.npos);
    CHECK(text.find("this process sees no GPU") != text.npos);
    CHECK(text.find("CUDA_VISIBLE_DEVICES is empty") != text.npos);
  }
}

TEST_CASE("everything that needs a device names itself in a device_error") {
  CHECK(message([] { ash::cuda::device d; }).starts_with("cuda::device:"));
  CHECK(message([] { ash::cuda::current_device(); }).starts_with("cuda::current_device:"));
  CHECK(message([] { ash::cuda::set_default_device(0); }).starts_with("cuda::set_default_device:"));
  CHECK(message([] { ash::cuda::device_guard g(0); }).starts_with("cuda::device_guard:"));
  CHECK(message([] { ash::cuda::device_pool(); }).starts_with("cuda::device_pool:"));
  CHECK(message([] { ash::cuda::memory_allocated(); }).starts_with("cuda::memory_allocated:"));
  CHECK(message([] { ash::cuda::max_memory_allocated(); }).starts_with("cuda::max_memory_allocated:"));
  CHECK(message([] { ash::cuda::memory_reserved(); }).starts_with("cuda::memory_reserved:"));
  CHECK(message([] { ash::cuda::max_memory_reserved(); }).starts_with("cuda::max_memory_reserved:"));
  CHECK(message([] { ash::cuda::reset_peak_memory_stats(); }).starts_with("cuda::reset_peak_memory_stats:"));
  CHECK(message([] { ash::cuda::set_memory_limit(1); }).starts_with("cuda::device_pool:"));
  CHECK(message([] { ash::cuda::stream s; }).starts_with("cuda::stream:"));
}

TEST_CASE("page-locked memory needs a device; a failed request leaves nothing behind") {
  CHECK(message([] { ash::buffer::allocate(100, ash::cuda::pinned_pool()); }).starts_with("cuda::pinned_memory:"));
  CHECK(ash::cuda::pinned_pool().allocated() == 0);
  CHECK(ash::cuda::pinned_pool().reserved() == 0);
  CHECK(ash::cuda::pinned_pool().limit() > 0);
  const std::string text = message<ash::memory_error>([] { ash::cuda::pinned_pool().allocate(std::size_t{1} << 61); });
  CHECK(text.find("cannot lock 2305843009213693952 B (2.0 EiB)") != text.npos);
  CHECK(text.find("limit") != text.npos);
}

TEST_CASE("emptying caches that are not there does nothing") {
  ash::cuda::empty_cache();
  CHECK(ash::cuda::memory_summary().find("pinned") != std::string::npos);
}

TEST_CASE("a stream that is no queue of its own is refused, whatever the machine") {
  CHECK(message([] { ash::cuda::stream_ref s(nullptr); }).find("the default stream (null)") != std::string::npos);
  CHECK(message([] { ash::cuda::stream_ref s(cudaStreamLegacy, 0); }).find("waits for all others") !=
        std::string::npos);
  CHECK(message([] { ash::cuda::stream_ref s(cudaStreamPerThread, 0); }).find("in each thread") != std::string::npos);
  CHECK(message([] { ash::cuda::event_ref e(nullptr, 0); }).find("a null event") != std::string::npos);
}

TEST_CASE("waiting for an event that was never recorded is an error") {
  const ash::cuda::event e;
  CHECK_FALSE(e.recorded());
  CHECK(message([&] { e.done(); }).starts_with("cuda::event::done: the event was never recorded"));
  CHECK(message([&] { e.synchronize(); }).starts_with("cuda::event::synchronize: the event was never recorded"));
  CHECK(message([&] { ash::cuda::elapsed(e, e); }).starts_with("cuda::elapsed: the event was never recorded"));
}

TEST_CASE("check() names the call, the error and what to do") {
  CHECK_NOTHROW(ash::cuda::check(cudaSuccess, "cudaMemcpy"));
  const std::string text = message([] { ash::cuda::check(cudaErrorInvalidValue, "cudaMemcpyAsync", 3); });
  CHECK(text == "cudaMemcpyAsync on cuda:3: cudaErrorInvalidValue, invalid argument");
  const std::string kernel = message([] { ash::cuda::check(cudaErrorNoKernelImageForDevice, "cudaLaunchKernel", 0); });
  CHECK(kernel.find("CMAKE_CUDA_ARCHITECTURES") != kernel.npos);
  const std::string capture = message([] { ash::cuda::check(cudaErrorStreamCaptureUnsupported, "cudaMalloc", 0); });
  CHECK(capture.find("end the capture first") != capture.npos);
}
