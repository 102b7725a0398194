// A sticky error makes a device unusable for the rest of the process; told to check() here, since no real one can be
// had everywhere. fault_test.cu makes one.
#include <string>

#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>

#include <ashlar/cuda.hpp>

namespace ash = ashlar;

namespace {

template <class F>
std::string message(F f) {
  try {
    f();
  } catch (const ash::device_error& e) {
    return e.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("other errors do not make a device lost") {
  message([] { ash::cuda::check(cudaErrorMemoryAllocation, "cudaMalloc", 5); });
  message([] { ash::cuda::check(cudaErrorInvalidValue, "cudaMalloc", 5); });
  CHECK_FALSE(ash::cuda::detail::is_lost(5));
  CHECK(ash::cuda::detail::may_clean_up(5));
}

TEST_CASE("after a sticky error the device is lost, the others are not") {
  const std::string first = message([] { ash::cuda::check(cudaErrorIllegalAddress, "cudaStreamSynchronize", 5); });
  CHECK(first.find("cudaStreamSynchronize on cuda:5: cudaErrorIllegalAddress") != first.npos);
  CHECK(first.find("the device is lost") != first.npos);
  CHECK(ash::cuda::detail::is_lost(5));
  CHECK_FALSE(ash::cuda::detail::may_clean_up(5));
  CHECK_FALSE(ash::cuda::detail::is_lost(4));
  CHECK(ash::cuda::detail::may_clean_up(4));

  SUBCASE("later operations throw at once, with the first cause") {
    message([] { ash::cuda::check(cudaErrorLaunchFailure, "cudaMemcpyAsync", 5); });
    const std::string later = message([] { ash::cuda::detail::must_be_usable(5, "cuda::stream::record"); });
    CHECK(
        later.starts_with("cuda::stream::record: cuda:5 is lost: cudaStreamSynchronize gave cudaErrorIllegalAddress"));
    CHECK(later.find("start it again") != later.npos);
  }
  SUBCASE("what is taken from a pool of events is not given back") {
    ash::cuda::detail::event_pool pool;
    pool.give_back(reinterpret_cast<cudaEvent_t>(8), 5);
    CHECK_NOTHROW(pool.give_back(nullptr, 5));
  }
}

TEST_CASE("every error of which CUDA says that the process is inconsistent is sticky") {
  for (const cudaError_t status :
       {cudaErrorContained, cudaErrorIllegalAddress, cudaErrorLaunchTimeout, cudaErrorHardwareStackError,
        cudaErrorIllegalInstruction, cudaErrorMisalignedAddress, cudaErrorInvalidAddressSpace, cudaErrorInvalidPc,
        cudaErrorLaunchFailure, cudaErrorExternalDevice, cudaErrorAssert, cudaErrorECCUncorrectable}) {
    CHECK(ash::cuda::detail::is_sticky(status));
  }
  for (const cudaError_t status : {cudaSuccess, cudaErrorMemoryAllocation, cudaErrorInvalidValue, cudaErrorNotReady,
                                   cudaErrorStreamCaptureUnsupported, cudaErrorInvalidResourceHandle}) {
    CHECK_FALSE(ash::cuda::detail::is_sticky(status));
  }
}
