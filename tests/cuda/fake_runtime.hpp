// A CUDA runtime without CUDA: the functions that devices, memory, streams and events call, on host memory and for two
// devices of 64 MiB. Linked instead of the real one, it shows what is called, fails any call on demand, and knows what
// was not given back. Memory that is released in the order of a stream waits until somebody synchronizes, as on a busy
// device; released memory is found again only by requests of its very size, as in a badly fragmented pool.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <set>
#include <string>

#include <cuda_runtime_api.h>

struct CUmemPoolHandle_st {
  int device = 0;
  std::map<void*, std::size_t> live;
  std::multimap<std::size_t, void*> cached;                            // may be used again, or trimmed
  std::map<void*, std::pair<std::size_t, CUstream_st*>> on_their_way;  // released, but their stream is not so far
  std::size_t reserved = 0;
  std::size_t high = 0;
};

struct CUstream_st {
  int device = 0;
};

struct CUevent_st {
  int device = 0;
  bool timing = false;
};

namespace fake {

constexpr int devices = 2;
constexpr std::size_t memory_of_a_device = std::size_t{64} << 20;

struct world {
  std::mutex mutex;
  std::int64_t calls = 0;
  std::int64_t fail_at = -1;  // the number of the call that fails, once
  cudaError_t failure = cudaErrorUnknown;
  std::string failed;                // the function that did
  cudaError_t sticky[devices] = {};  // what a lost device answers
  cudaError_t last = cudaSuccess;
  std::map<std::string, std::int64_t> count;  // calls by function
  std::set<CUstream_st*> streams;
  std::set<CUevent_st*> events;
  std::set<CUmemPoolHandle_st*> pools;
  std::map<void*, std::size_t> pinned;
};

inline world& the() {
  static world& w = *new world;
  return w;
}

inline int& current() {
  thread_local int device = 0;
  return device;
}

/// Counts a call that concerns a device; what it has to return, or success.
inline cudaError_t call(const char* name, int device) {
  world& w = the();
  ++w.calls;
  ++w.count[name];
  cudaError_t status = device >= 0 ? w.sticky[device] : cudaSuccess;
  if (w.calls == w.fail_at) {
    status = w.failure;
    w.failed = name;
  }
  if (status != cudaSuccess) w.last = status;
  return status;
}

inline std::size_t reserved_on(int device) {
  std::size_t bytes = 0;
  for (const CUmemPoolHandle_st* pool : the().pools) bytes += pool->device == device ? pool->reserved : 0;
  return bytes;
}

/// What was released up to now in `stream`, or anywhere on the device, may be used again.
inline void come_so_far(int device, const CUstream_st* stream) {
  for (CUmemPoolHandle_st* pool : the().pools) {
    if (pool->device != device) continue;
    for (auto at = pool->on_their_way.begin(); at != pool->on_their_way.end();) {
      if (stream != nullptr && at->second.second != stream) {
        ++at;
        continue;
      }
      pool->cached.emplace(at->second.first, at->first);
      at = pool->on_their_way.erase(at);
    }
  }
}

/// The next calls count from 0, and the one with number `n` fails; -1: none.
inline void fail_call(std::int64_t n, cudaError_t with = cudaErrorUnknown) {
  world& w = the();
  w.calls = 0;
  w.fail_at = n;
  w.failure = with;
  w.failed.clear();
}

}  // namespace fake

// The body of a function: under the lock, counted, and left when it has to fail.
#define FAKE_CALL(device)                        \
  const std::lock_guard lock(fake::the().mutex); \
  if (const auto s = fake::call(__func__, device); s != cudaSuccess) return s

extern "C" {

cudaError_t cudaGetDeviceCount(int* count) {
  *count = fake::devices;
  return cudaSuccess;
}
cudaError_t cudaGetLastError() {
  const std::lock_guard lock(fake::the().mutex);
  const cudaError_t s = fake::the().last;
  fake::the().last = cudaSuccess;
  return s;
}
const char* cudaGetErrorName(cudaError_t s) {
  return s == cudaErrorIllegalAddress ? "cudaErrorIllegalAddress" : "cudaErrorOther";
}
const char* cudaGetErrorString(cudaError_t) { return "as the test wants it"; }
cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode*) { return cudaSuccess; }
cudaError_t cudaGetDevice(int* device) {
  *device = fake::current();
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int device) {
  FAKE_CALL(device);
  fake::current() = device;
  return cudaSuccess;
}
cudaError_t cudaDriverGetVersion(int* version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* p, int device) {
  FAKE_CALL(device);
  std::strcpy(p->name, "Fake");
  p->major = 9;
  p->totalGlobalMem = fake::memory_of_a_device;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr, int device) {
  FAKE_CALL(device);
  *value = 1;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetPCIBusId(char* text, int, int device) {
  FAKE_CALL(device);
  std::strcpy(text, "0000:00:00.0");
  return cudaSuccess;
}
cudaError_t cudaDeviceCanAccessPeer(int* answer, int device, int) {
  FAKE_CALL(device);
  *answer = 1;
  return cudaSuccess;
}
cudaError_t cudaDeviceSynchronize() {
  FAKE_CALL(fake::current());
  fake::come_so_far(fake::current(), nullptr);
  return cudaSuccess;
}
cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  FAKE_CALL(fake::current());
  *total = fake::memory_of_a_device;
  *free = *total - fake::reserved_on(fake::current());
  return cudaSuccess;
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, const cudaMemPoolProps* p) {
  FAKE_CALL(p->location.id);
  *pool = new CUmemPoolHandle_st;
  (*pool)->device = p->location.id;
  fake::the().pools.insert(*pool);
  return cudaSuccess;
}
cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) {
  FAKE_CALL(pool->device);
  fake::the().pools.erase(pool);
  delete pool;
  return cudaSuccess;
}
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr which, void*) {
  FAKE_CALL(pool->device);
  if (which == cudaMemPoolAttrReservedMemHigh) pool->high = pool->reserved;
  return cudaSuccess;
}
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr which, void* value) {
  FAKE_CALL(pool->device);
  *static_cast<std::uint64_t*>(value) = which == cudaMemPoolAttrReservedMemHigh ? pool->high : pool->reserved;
  return cudaSuccess;
}
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, std::size_t most) {
  FAKE_CALL(pool->device);
  while (pool->reserved > most && !pool->cached.empty()) {
    const auto first = pool->cached.begin();
    pool->reserved -= first->first;
    std::free(first->second);
    pool->cached.erase(first);
  }
  return cudaSuccess;
}
cudaError_t cudaMallocFromPoolAsync(void** data, std::size_t bytes, cudaMemPool_t pool, cudaStream_t) {
  FAKE_CALL(pool->device);
  const auto known = pool->cached.find(bytes);
  if (known != pool->cached.end()) {
    *data = known->second;
    pool->cached.erase(known);
  } else if (bytes > fake::memory_of_a_device - fake::reserved_on(pool->device)) {
    return fake::the().last = cudaErrorMemoryAllocation;
  } else {
    *data = std::malloc(bytes);
    pool->reserved += bytes;
    if (pool->high < pool->reserved) pool->high = pool->reserved;
  }
  pool->live[*data] = bytes;
  return cudaSuccess;
}
cudaError_t cudaFreeAsync(void* data, cudaStream_t stream) {
  FAKE_CALL(stream->device);
  for (CUmemPoolHandle_st* pool : fake::the().pools) {
    const auto found = pool->live.find(data);
    if (found == pool->live.end()) continue;
    pool->on_their_way[data] = {found->second, stream};
    pool->live.erase(found);
    return cudaSuccess;
  }
  return fake::the().last = cudaErrorInvalidValue;
}
cudaError_t cudaHostAlloc(void** data, std::size_t bytes, unsigned) {
  FAKE_CALL(fake::current());
  *data = std::malloc(bytes);
  fake::the().pinned[*data] = bytes;
  return cudaSuccess;
}
cudaError_t cudaFreeHost(void* data) {
  FAKE_CALL(fake::current());
  if (fake::the().pinned.erase(data) == 0) return fake::the().last = cudaErrorInvalidValue;
  std::free(data);
  return cudaSuccess;
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned, int) {
  FAKE_CALL(fake::current());
  *stream = new CUstream_st{fake::current()};
  fake::the().streams.insert(*stream);
  return cudaSuccess;
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
  FAKE_CALL(fake::current());
  *stream = new CUstream_st{fake::current()};
  fake::the().streams.insert(*stream);
  return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  FAKE_CALL(stream->device);
  fake::come_so_far(stream->device, stream);
  fake::the().streams.erase(stream);
  delete stream;
  return cudaSuccess;
}
cudaError_t cudaStreamGetDevice(cudaStream_t stream, int* device) {
  FAKE_CALL(stream->device);
  *device = stream->device;
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  FAKE_CALL(stream->device);
  fake::come_so_far(stream->device, stream);
  return cudaSuccess;
}
cudaError_t cudaStreamQuery(cudaStream_t stream) {
  FAKE_CALL(stream->device);
  return cudaSuccess;
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t, unsigned) {
  FAKE_CALL(stream->device);
  return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  FAKE_CALL(fake::current());
  *event = new CUevent_st{fake::current(), flags == cudaEventDefault};
  fake::the().events.insert(*event);
  return cudaSuccess;
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  FAKE_CALL(event->device);
  fake::the().events.erase(event);
  delete event;
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  FAKE_CALL(stream->device);
  return event->device == stream->device ? cudaSuccess : cudaErrorInvalidResourceHandle;
}
cudaError_t cudaEventQuery(cudaEvent_t event) {
  FAKE_CALL(event->device);
  return cudaSuccess;
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  FAKE_CALL(event->device);
  return cudaSuccess;
}
cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t begin, cudaEvent_t end) {
  FAKE_CALL(begin->device);
  if (!begin->timing || !end->timing) return fake::the().last = cudaErrorInvalidResourceHandle;
  *ms = 1.5f;
  return cudaSuccess;
}

}  // extern "C"
