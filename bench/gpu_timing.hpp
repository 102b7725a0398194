/// \file
/// What the benchmarks of single kernels share: a stream with memory that is given out from the front, and times by the
/// device's events.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <cuda_runtime.h>

#include <ashlar/error.hpp>
#include <ashlar/graph/device_work.hpp>

namespace gpu_timing {

inline void must(cudaError_t status, const char* call) {
  if (status != cudaSuccess) throw ashlar::device_error(std::string(call) + ": " + cudaGetErrorString(status));
}

class queue final : public ashlar::detail::device_queue {
 public:
  explicit queue(std::int64_t size) : size_(size) {
    must(cudaMalloc(&memory_, static_cast<std::size_t>(size)), "cudaMalloc");
    must(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreate");
  }
  queue(const queue&) = delete;

  void* stream() const noexcept override { return stream_; }

  void* room(std::int64_t bytes) override {
    void* const p = memory_ + used_;
    used_ += (bytes + 255) / 256 * 256;
    if (used_ > size_) throw ashlar::memory_error("the benchmark's device memory is too small");
    return p;
  }

  void* upload(const void* from, std::int64_t bytes) override {
    void* const p = room(bytes);
    must(cudaMemcpyAsync(p, from, static_cast<std::size_t>(bytes), cudaMemcpyHostToDevice, stream_), "cudaMemcpyAsync");
    return p;
  }

  template <class T>
  T* put(const std::vector<T>& v) {
    return static_cast<T*>(upload(v.data(), static_cast<std::int64_t>(v.size() * sizeof(T))));
  }

  /// Milliseconds of `rounds` calls of f(), after two more; room that f() takes is given back. Sorted.
  template <class F>
  std::vector<float> times(int rounds, const F& f) {
    const std::int64_t before = used_;
    cudaEvent_t begin{};
    cudaEvent_t end{};
    must(cudaEventCreate(&begin), "cudaEventCreate");
    must(cudaEventCreate(&end), "cudaEventCreate");
    std::vector<float> ms;
    for (int round = 0; round < rounds + 2; ++round) {
      must(cudaEventRecord(begin, stream_), "cudaEventRecord");
      f();
      must(cudaEventRecord(end, stream_), "cudaEventRecord");
      must(cudaEventSynchronize(end), "cudaEventSynchronize");
      float t = 0;
      must(cudaEventElapsedTime(&t, begin, end), "cudaEventElapsedTime");
      if (round >= 2) ms.push_back(t);
      used_ = before;
    }
    must(cudaEventDestroy(begin), "cudaEventDestroy");
    must(cudaEventDestroy(end), "cudaEventDestroy");
    std::sort(ms.begin(), ms.end());
    return ms;
  }

  std::int64_t mark() const { return used_; }
  void back_to(std::int64_t mark) { used_ = mark; }

 private:
  unsigned char* memory_ = nullptr;
  std::int64_t size_;
  cudaStream_t stream_{};
  std::int64_t used_ = 0;
};

}  // namespace gpu_timing
