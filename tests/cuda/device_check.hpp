/// \file
/// What the tests of device work share: a queue that owns its memory, arrays on the device, and checks.
#pragma once

#include <cstdint>
#include <cstring>
#include <iostream>
#include <string>
#include <vector>

#include <cuda_runtime.h>

#include <ashlar/error.hpp>
#include <ashlar/graph/device_work.hpp>

namespace device_check {

inline int failures = 0;
inline int checks = 0;

inline void expect(bool holds, const std::string& what) {
  ++checks;
  if (holds) return;
  std::cerr << "failed: " << what << '\n';
  ++failures;
}

inline void must(cudaError_t status, const char* call) {
  if (status == cudaSuccess) return;
  throw ashlar::device_error(std::string(call) + ": " + cudaGetErrorString(status));
}

/// One stream; memory is given back when the queue goes.
class queue final : public ashlar::detail::device_queue {
 public:
  queue() { must(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreate"); }
  queue(const queue&) = delete;
  queue& operator=(const queue&) = delete;
  ~queue() {
    static_cast<void>(cudaStreamSynchronize(stream_));
    for (void* p : owned_) static_cast<void>(cudaFree(p));
    static_cast<void>(cudaStreamDestroy(stream_));
  }

  void* stream() const noexcept override { return stream_; }

  void* room(std::int64_t bytes) override {
    void* p = nullptr;
    must(cudaMalloc(&p, static_cast<std::size_t>(bytes == 0 ? 1 : bytes)), "cudaMalloc");
    owned_.push_back(p);
    return p;
  }

  void* upload(const void* from, std::int64_t bytes) override {
    void* const p = room(bytes);
    must(cudaMemcpyAsync(p, from, static_cast<std::size_t>(bytes), cudaMemcpyHostToDevice, stream_), "cudaMemcpy");
    wait();
    return p;
  }

  void wait() { must(cudaStreamSynchronize(stream_), "cudaStreamSynchronize"); }

  template <class T>
  T* put(const std::vector<T>& v) {
    return static_cast<T*>(upload(v.data(), static_cast<std::int64_t>(v.size() * sizeof(T))));
  }

  template <class T>
  std::vector<T> get(const T* from, std::size_t n) {
    std::vector<T> v(n);
    wait();
    must(cudaMemcpy(v.data(), from, n * sizeof(T), cudaMemcpyDeviceToHost), "cudaMemcpy");
    return v;
  }

 private:
  cudaStream_t stream_{};
  std::vector<void*> owned_;
};

/// The first byte that differs, or -1.
template <class T>
std::int64_t first_difference(const std::vector<T>& a, const std::vector<T>& b) {
  const auto* x = reinterpret_cast<const unsigned char*>(a.data());
  const auto* y = reinterpret_cast<const unsigned char*>(b.data());
  if (a.size() != b.size()) return 0;
  for (std::size_t i = 0; i < a.size() * sizeof(T); ++i) {
    if (x[i] != y[i]) return static_cast<std::int64_t>(i);
  }
  return -1;
}

/// The exit status of a test: 77 without a device.
template <class F>
int run(const F& tests) {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::cout << "SKIPPED: there is no CUDA device\n";
    return 77;
  }
  try {
    tests();
  } catch (const std::exception& e) {
    std::cerr << "failed: " << e.what() << '\n';
    return 1;
  }
  std::cout << checks << " checks, " << failures << " failures\n";
  return failures == 0 ? 0 : 1;
}

}  // namespace device_check
