// The table of GPU figures: what a user writes, on one GPU, timed by the device's own events (from the first work given
// to it to the last) and by the wall clock (planning, launches, waiting). Inputs are on the device; results of
// reductions stay there. A line of JSON for each row. Beside it, gpu_peers.py runs the same in PyTorch and CuPy; gpu.py
// runs both.
//
//   gpu [rounds [n]]
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <string>
#include <vector>

#include <cub/device/device_reduce.cuh>

#include "gpu_timing.hpp"

#include <ashlar/ashlar.hpp>
#include <ashlar/cuda.hpp>

namespace ash = ashlar;

namespace {

int rounds = 9;

void print(const std::string& row, const std::string& who, const std::vector<double>& device,
           const std::vector<double>& wall) {
  const auto range = [](std::vector<double> v) {
    std::sort(v.begin(), v.end());
    return "[" + std::to_string(v.front()) + ", " + std::to_string(v[v.size() / 2]) + ", " + std::to_string(v.back()) +
           "]";
  };
  std::cout << "{\"row\": \"" << row << "\", \"who\": \"" << who << "\", \"device_ms\": " << range(device)
            << ", \"wall_ms\": " << range(wall) << "}" << std::endl;
}

/// Keeps what is computed on the device, as a peer does.
template <class X>
void measure(const std::string& row, const X& x) {
  std::vector<double> device;
  std::vector<double> wall;
  for (int r = 0; r < rounds + 2; ++r) {
    ash::report report;
    const auto begin = std::chrono::steady_clock::now();
    const auto kept = x.persist(ash::cuda::device(0), {.report = &report});
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
    if (r < 2) continue;
    device.push_back(report.device_seconds * 1e3);
    wall.push_back(took.count());
  }
  print(row, "Ashlar", device, wall);
}

using gpu_timing::must;

void measure_cuda(const std::string& row, const std::string& who, const std::function<void(cudaStream_t)>& f) {
  cudaStream_t stream{};
  cudaEvent_t begin{};
  cudaEvent_t end{};
  must(cudaStreamCreate(&stream), "cudaStreamCreate");
  must(cudaEventCreate(&begin), "cudaEventCreate");
  must(cudaEventCreate(&end), "cudaEventCreate");
  std::vector<double> device;
  for (int r = 0; r < rounds + 2; ++r) {
    must(cudaEventRecord(begin, stream), "cudaEventRecord");
    f(stream);
    must(cudaEventRecord(end, stream), "cudaEventRecord");
    must(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
    float ms = 0;
    must(cudaEventElapsedTime(&ms, begin, end), "cudaEventElapsedTime");
    if (r >= 2) device.push_back(static_cast<double>(ms));
  }
  print(row, who, device, device);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1) rounds = std::atoi(argv[1]);
  const std::int64_t n = argc > 2 ? std::atoll(argv[2]) : 20000;
  if (!ash::cuda::is_available()) {
    std::cerr << "there is no device\n";
    return 77;
  }
  std::cerr << ash::cuda::device_summary();
  const ash::cuda::device gpu(0);
  const std::int64_t side = n / 20;
  {
    double* data = nullptr;
    double* copy = nullptr;
    double* sum = nullptr;
    void* room = nullptr;
    std::size_t bytes = 0;
    const auto size = static_cast<std::size_t>(n * n);
    must(cudaMalloc(&data, size * sizeof(double)), "cudaMalloc");
    must(cudaMalloc(&copy, size * sizeof(double)), "cudaMalloc");
    must(cudaMalloc(&sum, sizeof(double)), "cudaMalloc");
    must(cudaMemset(data, 1, size * sizeof(double)), "cudaMemset");
    must(cub::DeviceReduce::Sum(nullptr, bytes, data, sum, n * n), "cub::DeviceReduce::Sum");
    must(cudaMalloc(&room, bytes), "cudaMalloc");
    measure_cuda("sum of all", "CUB", [&](cudaStream_t s) {
      must(cub::DeviceReduce::Sum(room, bytes, data, sum, n * n, s), "cub::DeviceReduce::Sum");
    });
    measure_cuda("copy", "cudaMemcpy", [&](cudaStream_t s) {
      must(cudaMemcpyAsync(copy, data, size * sizeof(double), cudaMemcpyDeviceToDevice, s), "cudaMemcpyAsync");
    });
    for (void* p : {static_cast<void*>(data), static_cast<void*>(copy), static_cast<void*>(sum), room}) {
      must(cudaFree(p), "cudaFree");
    }
  }
  const auto x = ash::random::normal<double>({n, n}, {.mean = 10, .stddev = 0.1, .chunks = {side, side}}).persist(gpu);
  measure("mean over axis 0", x.mean(0));
  measure("mean over axis 1", x.mean(1));
  measure("mean of all", x.mean());
  measure("max of all", x.max());
  measure("var over axis 0", x.var(0));
  measure("argmax over axis 0", x.argmax(0));
  measure("mean of sqrt(abs((x - 10) / 0.1)) + sin(x)", (ash::sqrt(ash::abs((x - 10.0) / 0.1)) + ash::sin(x)).mean());
  measure("mean of (x - 10)^2 over axis 0", ((x - 10.0) * (x - 10.0)).mean(0));
  measure("sqrt(abs((x - 10) / 0.1)) + sin(x)", ash::sqrt(ash::abs((x - 10.0) / 0.1)) + ash::sin(x));
  measure("z-score", (x - x.mean(0)) / x.std(0));
  measure("2.5 x + 1", 2.5 * x + 1.0);
  measure("cumsum over axis 0", ash::cumsum(x, 0));
  measure("cumsum over axis 1", ash::cumsum(x, 1));
  measure("transpose", x.transpose().rechunk({side, side}));
  measure("rechunk to rows", x.rechunk({side / 4, n}));
  measure("normal(10, 0.1), mean over axis 0",
          ash::random::normal<double>({n, n}, {.mean = 10, .stddev = 0.1, .chunks = {side, side}}).mean(0));
  for (const std::int64_t blocks : {100, 200}) {
    const auto y = x.rechunk({n / blocks, n / blocks}).persist(gpu);
    measure("mean over axis 0, " + std::to_string(blocks * blocks) + " blocks", y.mean(0));
  }
  return 0;
}
