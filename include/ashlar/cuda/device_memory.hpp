/// \file
/// Device memory from a stream-ordered pool of our own, one for each device.
///
/// cudaMalloc waits for the whole device, and takes as long as a kernel. A pool (cudaMemPool_t) gives memory in the
/// order of a stream in about 1 us for 8 MB, and follows the events between streams, so memory that one stream gave
/// back is used on another one only when that is safe: no free list of ours has to know. It is not the device's default
/// pool, whose settings belong to the program. It keeps what is given back (release threshold: all) until trim().
///
/// When there is no memory: what is free is returned to the device and asked for again, then after all work that is
/// under way; then allocate() throws, while allocate_async() returns null, for a caller who can give something up.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <mutex>
#include <string>
#include <vector>

#include <cuda_runtime_api.h>

#include <ashlar/cuda/check.hpp>
#include <ashlar/cuda/device.hpp>
#include <ashlar/detail/bytes_text.hpp>
#include <ashlar/error.hpp>
#include <ashlar/memory_resource.hpp>
#include <ashlar/place.hpp>

namespace ashlar::cuda {

class device_memory;

/// The memory of a device. Made at the first call, never destroyed: arrays in statics may give their memory back after
/// main(), which then does nothing. Cost: a context on the device at the first call (some 100 ms), then a load.
/// @throws device_error when there is no such device, it is lost, or it has no stream-ordered pools
inline device_memory& device_pool(int index = default_device());

/// What a device's pool did and holds; bytes as asked for in `allocated`, whole pages of the device in `reserved`.
struct device_memory_statistics {
  std::size_t allocated = 0;
  std::size_t max_allocated = 0;
  std::size_t reserved = 0;
  std::size_t max_reserved = 0;
  std::int64_t allocations = 0;
  std::int64_t retries = 0;        ///< times that memory was found only after trimming or waiting
  std::int64_t out_of_memory = 0;  ///< times that it was not found
};

/// Thread safe. Memory is aligned to 256 bytes at least.
class device_memory final : public memory_resource {
 public:
  ashlar::place where() const noexcept override { return ashlar::place::device(index_); }

  /// Memory that work put into `stream` from now on may use; null when there is none, even after trimming and waiting
  /// for the device, or when the limit is reached. Costs about 1 us; more than that only when memory is short.
  /// @throws device_error for a null stream, and when CUDA fails otherwise
  void* allocate_async(std::size_t bytes, cudaStream_t stream) {
    must_be_stream(stream, "cuda::device_memory::allocate_async");
    void* const data = take(bytes, stream);
    if (data != nullptr) count(bytes);
    return data;
  }

  /// Takes back memory of allocate() or allocate_async() when all that is in `stream` now is done; what other streams
  /// do with it must be ordered before that by events. Neither waits nor throws.
  void release_async(void* data, std::size_t bytes, cudaStream_t stream) noexcept {
    discount(bytes);
    give_back(data, bytes, stream);
  }

  /// What allocate() throws when there is no memory, for callers of allocate_async() that have nothing left to give up.
  /// `who` begins the text.
  [[noreturn]] void throw_exhausted(std::size_t bytes, const std::string& who) const {
    const auto text = [](std::size_t n) {
      return std::to_string(n) + " B (" + ashlar::detail::bytes_text(static_cast<std::int64_t>(n)) + ')';
    };
    const memory_room room = room_or_nothing();
    const std::size_t most = limit();
    throw memory_error(who + ": " + detail::device_text(index_) + " cannot give " + text(bytes) + "; live " +
                       text(allocated()) + ", reserved " + text(reserved()) + ", free on the device " +
                       text(room.free) + " of " + text(room.total) + ", limit " +
                       (most == no_limit ? std::string("none") : text(most)) +
                       "; use smaller chunks, drop results that are not needed, or raise the limit");
  }

  /// Bytes that the pool has taken from the device: live ones and those that wait for reuse.
  std::size_t reserved() const noexcept { return pool_bytes(cudaMemPoolAttrReservedMemCurrent); }

  /// The most bytes that reserved() has been since the beginning or reset_peaks().
  std::size_t max_reserved() const noexcept { return pool_bytes(cudaMemPoolAttrReservedMemHigh); }

  /// Starts new peaks, of live and of reserved bytes, at what there is now.
  void reset_peaks() noexcept {
    reset_peak();
    if (!detail::may_clean_up(index_)) return;
    std::uint64_t zero = 0;
    detail::note_failure(cudaMemPoolSetAttribute(pool_, cudaMemPoolAttrReservedMemHigh, &zero),
                         "cudaMemPoolSetAttribute", index_);
  }

  /// Gives memory that waits for reuse back to the device until about `most` bytes are reserved. Memory that was
  /// released in the order of a stream can go only when that stream has come so far.
  /// @throws device_error when the device is lost
  void trim(std::size_t most = 0) {
    detail::must_be_usable(index_, "cuda::device_memory::trim");
    const detail::relaxed_capture any_stream;
    check(cudaMemPoolTrimTo(pool_, most), "cudaMemPoolTrimTo", index_);
  }

  /// The most bytes that may be live; no_limit at the start.
  std::size_t limit() const noexcept { return limit_.load(std::memory_order_relaxed); }

  /// Sets the limit. What is live already stays; further requests above it fail as if the device were full.
  void set_limit(std::size_t bytes) noexcept { limit_.store(bytes, std::memory_order_relaxed); }

  static constexpr std::size_t no_limit = std::numeric_limits<std::size_t>::max();

  device_memory_statistics statistics() const noexcept {
    return {.allocated = allocated(),
            .max_allocated = peak(),
            .reserved = reserved(),
            .max_reserved = max_reserved(),
            .allocations = allocations_.load(std::memory_order_relaxed),
            .retries = retries_.load(std::memory_order_relaxed),
            .out_of_memory = out_of_memory_.load(std::memory_order_relaxed)};
  }

  /// CUDA's handle, for access by other devices (cudaMemPoolSetAccess). Not to be destroyed.
  cudaMemPool_t handle() const noexcept { return pool_; }

 private:
  friend device_memory& device_pool(int);

  explicit device_memory(int index) : index_(index) {
    const detail::current_device_scope here(index);
    const detail::relaxed_capture any_stream;
    total_ = device(index).memory().total;
    // The call above made the context; this hook is then run before what the context registered for exit.
    static_cast<void>(std::atexit(detail::when_exit_begins));
    int supported = 0;
    check(cudaDeviceGetAttribute(&supported, cudaDevAttrMemoryPoolsSupported, index), "cudaDeviceGetAttribute", index);
    if (supported == 0) {
      throw device_error(
          "cuda::device_memory: " + detail::device_text(index) +
          " has no stream-ordered memory pools (cudaDevAttrMemoryPoolsSupported is 0), which are needed");
    }
    cudaMemPoolProps properties{};
    properties.allocType = cudaMemAllocationTypePinned;
    properties.handleTypes = cudaMemHandleTypeNone;
    properties.location = {};
    properties.location.type = cudaMemLocationTypeDevice;
    properties.location.id = index;
    check(cudaMemPoolCreate(&pool_, &properties), "cudaMemPoolCreate", index);
    try {
      std::uint64_t all = std::numeric_limits<std::uint64_t>::max();
      check(cudaMemPoolSetAttribute(pool_, cudaMemPoolAttrReleaseThreshold, &all), "cudaMemPoolSetAttribute", index);
      check(cudaStreamCreateWithFlags(&own_stream_, cudaStreamNonBlocking), "cudaStreamCreateWithFlags", index);
    } catch (...) {
      if (detail::may_clean_up(index)) static_cast<void>(cudaMemPoolDestroy(pool_));
      throw;
    }
  }

  // Usable on every stream at once, and so waited for; only a request that takes over memory of which the release is
  // still under way waits long.
  void* do_allocate(std::size_t bytes) override {
    const detail::current_device_scope here(index_);
    const detail::relaxed_capture any_stream;
    void* const data = take(bytes, own_stream_);
    if (data == nullptr) throw_exhausted(bytes, "cuda::device_memory");
    const cudaError_t status = cudaStreamSynchronize(own_stream_);
    if (status != cudaSuccess) {
      give_back(data, bytes, own_stream_);
      check(status, "cudaStreamSynchronize", index_);
    }
    return data;
  }

  // Work that uses it must be done: what uses the memory is not known here.
  void do_release(void* data, std::size_t bytes) noexcept override { give_back(data, bytes, own_stream_); }

  void* take(std::size_t bytes, cudaStream_t stream) {
    detail::must_be_usable(index_, "cuda::device_memory");
    allocations_.fetch_add(1, std::memory_order_relaxed);
    const std::size_t before = charged_.fetch_add(bytes, std::memory_order_relaxed);
    const std::size_t most = limit();
    void* data = nullptr;
    if (bytes <= total_ && before <= most && bytes <= most - before) {
      try {
        data = from_pool(bytes, stream);
      } catch (...) {
        charged_.fetch_sub(bytes, std::memory_order_relaxed);
        throw;
      }
    }
    if (data == nullptr) {
      charged_.fetch_sub(bytes, std::memory_order_relaxed);
      out_of_memory_.fetch_add(1, std::memory_order_relaxed);
    }
    return data;
  }

  void* from_pool(std::size_t bytes, cudaStream_t stream) {
    const detail::relaxed_capture any_stream;
    if (void* data = try_once(bytes, stream)) return data;
    trim();
    void* data = try_once(bytes, stream);
    if (data == nullptr) {
      const detail::current_device_scope here(index_);
      check(cudaDeviceSynchronize(), "cudaDeviceSynchronize", index_);
      offer_refused();
      trim();
      data = try_once(bytes, stream);
    }
    if (data != nullptr) retries_.fetch_add(1, std::memory_order_relaxed);
    return data;
  }

  void* try_once(std::size_t bytes, cudaStream_t stream) {
    void* data = nullptr;
    const cudaError_t status = cudaMallocFromPoolAsync(&data, bytes == 0 ? 1 : bytes, pool_, stream);
    if (status == cudaErrorMemoryAllocation) {
      static_cast<void>(cudaGetLastError());
      return nullptr;
    }
    check(status, "cudaMallocFromPoolAsync", index_);
    return data;
  }

  void give_back(void* data, std::size_t bytes, cudaStream_t stream) noexcept {
    charged_.fetch_sub(bytes, std::memory_order_relaxed);
    if (data == nullptr || !detail::may_clean_up(index_)) return;
    const detail::relaxed_capture any_stream;
    const cudaError_t status = cudaFreeAsync(data, stream);
    if (status == cudaSuccess) return;
    detail::note_failure(status, "cudaFreeAsync", index_);
    try {
      const std::lock_guard lock(refused_mutex_);
      refused_.push_back(data);
    } catch (...) {  // no host memory for the list: the block stays where it is
    }
  }

  // What CUDA did not take back, in a stream that was being captured for one. Called when the device has nothing to do.
  void offer_refused() noexcept {
    const std::lock_guard lock(refused_mutex_);
    std::size_t kept = 0;
    for (void* data : refused_) {
      if (cudaFreeAsync(data, own_stream_) != cudaSuccess) {
        static_cast<void>(cudaGetLastError());
        refused_[kept++] = data;
      }
    }
    refused_.resize(kept);
    static_cast<void>(cudaStreamSynchronize(own_stream_));
  }

  void must_be_stream(cudaStream_t stream, const char* what) const {
    if (stream != nullptr) return;
    throw device_error(std::string(what) +
                       ": a null stream, which is CUDA's default one and waits for all others; pass a stream of " +
                       detail::device_text(index_));
  }

  std::size_t pool_bytes(cudaMemPoolAttr which) const noexcept {
    if (!detail::may_clean_up(index_)) return 0;
    std::uint64_t bytes = 0;
    const cudaError_t status = cudaMemPoolGetAttribute(pool_, which, &bytes);
    if (status == cudaSuccess) return static_cast<std::size_t>(bytes);
    detail::note_failure(status, "cudaMemPoolGetAttribute", index_);
    return 0;
  }

  memory_room room_or_nothing() const {
    try {
      return device(index_).memory();
    } catch (const error&) {
      return {};
    }
  }

  int index_;
  std::size_t total_ = 0;
  cudaMemPool_t pool_ = nullptr;
  cudaStream_t own_stream_ = nullptr;
  std::atomic<std::size_t> charged_{0};
  std::atomic<std::size_t> limit_{no_limit};
  std::atomic<std::int64_t> allocations_{0};
  std::atomic<std::int64_t> retries_{0};
  std::atomic<std::int64_t> out_of_memory_{0};
  std::mutex refused_mutex_;
  std::vector<void*> refused_;
};

namespace detail {

/// The pools that are there, by device.
inline std::atomic<device_memory*>* device_pools() noexcept {
  static std::atomic<device_memory*> pools[max_devices] = {};
  return pools;
}

}  // namespace detail

inline device_memory& device_pool(int index) {
  static std::mutex mutex;
  detail::must_exist(index, "cuda::device_pool");
  std::atomic<device_memory*>& slot = detail::device_pools()[index];
  if (device_memory* const known = slot.load(std::memory_order_acquire)) return *known;
  const std::lock_guard lock(mutex);
  if (device_memory* const known = slot.load(std::memory_order_relaxed)) return *known;
  auto* const made = new device_memory(index);
  slot.store(made, std::memory_order_release);
  return *made;
}

}  // namespace ashlar::cuda
