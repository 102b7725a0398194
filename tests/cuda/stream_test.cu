// Streams and events: what is ordered is in order, what is not ordered may overlap, misuse is named.
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "gpu_main.hpp"

#include <ashlar/cuda.hpp>

namespace ash = ashlar;

namespace {

constexpr int n = 1 << 16;

__device__ void spin(long long nanoseconds) {
  long long begin = 0;
  long long now = 0;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(begin));
  do {
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
  } while (now - begin < nanoseconds);
}

__global__ void wait_for(long long nanoseconds) { spin(nanoseconds); }

__global__ void fill(int* data, int value) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) data[i] = value;
}

__global__ void count_others(const int* data, int value, int* wrong) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n && data[i] != value) atomicAdd(wrong, 1);
}

void launch_wait(const ash::cuda::stream& s, double ms) {
  wait_for<<<1, 1, 0, s.get()>>>(static_cast<long long>(ms * 1e6));
  ash::cuda::check(cudaGetLastError(), "wait_for");
}

void launch_fill(const ash::cuda::stream& s, int* data, int value) {
  fill<<<n / 256, 256, 0, s.get()>>>(data, value);
  ash::cuda::check(cudaGetLastError(), "fill");
}

/// Counts on the device what differs from `value`; the host waits.
int others(const ash::cuda::stream& s, const int* data, int value) {
  int* wrong = nullptr;
  ash::cuda::check(cudaMallocHost(&wrong, sizeof *wrong), "cudaMallocHost");
  *wrong = 0;
  count_others<<<n / 256, 256, 0, s.get()>>>(data, value, wrong);
  ash::cuda::check(cudaGetLastError(), "count_others");
  s.synchronize();
  const int result = *wrong;
  ash::cuda::check(cudaFreeHost(wrong), "cudaFreeHost");
  return result;
}

template <class F>
std::string message(F f) {
  try {
    f();
  } catch (const ash::device_error& e) {
    return e.what();
  }
  return "no error";
}

struct ints {
  ints() : data(static_cast<int*>(ash::cuda::device_pool(0).allocate(n * sizeof(int)))) {}
  ~ints() { ash::cuda::device_pool(0).release(data, n * sizeof(int)); }
  int* data;
};

}  // namespace

TEST_CASE("a stream that waits for an event sees what was before it") {
  const ints x;
  const ash::cuda::stream producer;
  const ash::cuda::stream consumer;
  ash::cuda::event filled;
  for (int round = 1; round <= 20; ++round) {
    launch_wait(producer, 2);
    launch_fill(producer, x.data, round);
    producer.record(filled);
    consumer.wait(filled);
    CHECK(others(consumer, x.data, round) == 0);
  }
}

TEST_CASE("a stream that waits for a stream sees what was in it") {
  const ints x;
  const ash::cuda::stream producer;
  const ash::cuda::stream consumer;
  for (int round = 1; round <= 20; ++round) {
    launch_wait(producer, 2);
    launch_fill(producer, x.data, -round);
    consumer.wait(producer);
    CHECK(others(consumer, x.data, -round) == 0);
  }
  consumer.wait(consumer);
  consumer.synchronize();
}

TEST_CASE("a wait is for what was recorded when the wait was issued") {
  const ash::cuda::stream a;
  const ash::cuda::stream b;
  ash::cuda::event e;
  a.record(e);
  b.wait(e);
  launch_wait(a, 200);
  a.record(e);
  b.synchronize();
  CHECK_FALSE(a.done());
  CHECK_FALSE(e.done());
  e.synchronize();
  CHECK(e.done());
  CHECK(a.done());
}

TEST_CASE("streams do not wait for the default stream, nor it for them") {
  const ash::cuda::stream a;
  launch_wait(a, 200);
  wait_for<<<1, 1>>>(0);
  CHECK(cudaStreamSynchronize(nullptr) == cudaSuccess);
  CHECK_FALSE(a.done());
  a.synchronize();
}

TEST_CASE("the time between events is that of the device") {
  const ash::cuda::stream s;
  ash::cuda::event begin({.timing = true});
  ash::cuda::event end({.timing = true});
  s.record(begin);
  launch_wait(s, 5);
  s.record(end);
  const double ms = ash::cuda::elapsed(begin, end);
  CHECK(ms >= 4.9);
  CHECK(ms < 1000);
  ash::cuda::event plain;
  s.record(plain);
  CHECK(message([&] { ash::cuda::elapsed(begin, plain); }).find(".timing = true") != std::string::npos);
}

TEST_CASE("memory that one stream gave back is not used by another one too early") {
  // Every pair of three streams: the donor still reads what it has given back.
  ash::cuda::device_memory& pool = ash::cuda::device_pool(0);
  constexpr std::size_t bytes = n * sizeof(int);
  const ash::cuda::stream streams[3];
  for (int round = 0; round < 10; ++round) {
    for (int from = 0; from < 3; ++from) {
      for (int to = 0; to < 3; ++to) {
        int* wrong = nullptr;
        ash::cuda::check(cudaMallocHost(&wrong, sizeof *wrong), "cudaMallocHost");
        *wrong = 0;
        auto* const mine = static_cast<int*>(pool.allocate_async(bytes, streams[from].get()));
        REQUIRE(mine != nullptr);
        launch_fill(streams[from], mine, 7);
        launch_wait(streams[from], 1);
        count_others<<<n / 256, 256, 0, streams[from].get()>>>(mine, 7, wrong);
        pool.release_async(mine, bytes, streams[from].get());
        std::vector<int*> taken;
        for (int k = 0; k < 4; ++k) {
          taken.push_back(static_cast<int*>(pool.allocate_async(bytes, streams[to].get())));
          REQUIRE(taken.back() != nullptr);
          launch_fill(streams[to], taken.back(), 9);
        }
        for (int* data : taken) pool.release_async(data, bytes, streams[to].get());
        for (const ash::cuda::stream& s : streams) s.synchronize();
        CHECK(*wrong == 0);
        ash::cuda::check(cudaFreeHost(wrong), "cudaFreeHost");
      }
    }
  }
}

TEST_CASE("streams and events move, and events are pooled") {
  ash::cuda::stream a;
  const cudaStream_t handle = a.get();
  ash::cuda::stream b(std::move(a));
  CHECK(b.get() == handle);
  CHECK(message([&] { a.synchronize(); }).find("null") != std::string::npos);  // NOLINT(bugprone-use-after-move)
  a = std::move(b);
  CHECK(a.get() == handle);
  cudaEvent_t first = nullptr;
  {
    ash::cuda::event e;
    a.record(e);
    first = e.ref().get();
    const ash::cuda::event moved(std::move(e));
    CHECK(moved.ref().get() == first);
  }
  ash::cuda::event again;
  a.record(again);
  CHECK(again.ref().get() == first);
  a.synchronize();
}

TEST_CASE("streams and events that the program made itself can be used") {
  cudaStream_t own = nullptr;
  REQUIRE(cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking) == cudaSuccess);
  cudaEvent_t mark = nullptr;
  REQUIRE(cudaEventCreate(&mark) == cudaSuccess);
  const ash::cuda::stream_ref s(own);
  CHECK(s.device_index() == 0);
  const ash::cuda::event_ref e(mark, 0);
  s.record(e);
  const ash::cuda::stream other;
  other.wait(e);
  other.wait(s);
  other.synchronize();
  e.synchronize();
  CHECK(e.done());
  CHECK(s.done());
  CHECK(cudaEventDestroy(mark) == cudaSuccess);
  CHECK(cudaStreamDestroy(own) == cudaSuccess);
}

TEST_CASE("devices do not mix where CUDA cannot mix them") {
  if (ash::cuda::device_count() < 2) return;
  const ash::cuda::stream a({.device = 0});
  const ash::cuda::stream b({.device = 1});
  CHECK(ash::cuda::stream_ref(b.get()).device_index() == 1);
  ash::cuda::event e;
  a.record(e);
  b.wait(e);  // waiting is for all
  CHECK(message([&] { b.record(e); }).find("recorded on cuda:0 before") != std::string::npos);
  CHECK(message([&] { b.record(e.ref()); }).find("an event of cuda:0 and a stream of cuda:1") != std::string::npos);
  b.wait(a);
  b.synchronize();
  ash::cuda::event first({.timing = true});
  ash::cuda::event second({.timing = true});
  a.record(first);
  b.record(second);
  CHECK(message([&] { ash::cuda::elapsed(first, second); }).find("whose clocks") != std::string::npos);
}
