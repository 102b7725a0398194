/// \file
/// Plans on a GPU: the dispatcher's device (execution/device_api.hpp) with CUDA's streams and pools, and the executor
/// that a cuda::device is.
///
/// Only files that nvcc compiles have code for devices, so only they can run plans there; elsewhere compute() on a
/// device does not compile and says why.
#pragma once

#if defined(__CUDACC__)

#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include <cuda_runtime_api.h>

#include <ashlar/cuda/device.hpp>
#include <ashlar/cuda/event.hpp>
#include <ashlar/cuda/memory.hpp>
#include <ashlar/detail/device_copy.hpp>
#include <ashlar/execution/device_job.hpp>
#include <ashlar/execution/executor.hpp>

namespace ashlar::cuda::detail {

/// Streams that runs lend and bring back; never destroyed, so that nothing of CUDA happens after main().
class stream_pool {
 public:
  cudaStream_t take(int index) {
    {
      const std::lock_guard lock(mutex_);
      if (!free_.empty()) {
        cudaStream_t s = free_.back();
        free_.pop_back();
        return s;
      }
    }
    cudaStream_t s = nullptr;
    check(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking), "cudaStreamCreateWithFlags", index);
    return s;
  }
  void give_back(cudaStream_t s) {
    const std::lock_guard lock(mutex_);
    free_.push_back(s);
  }

 private:
  std::mutex mutex_;
  std::vector<cudaStream_t> free_;
};

inline stream_pool& run_streams(int index) {
  static stream_pool* const pools = new stream_pool[max_devices];
  return pools[index];
}

/// One stream, its memory, and pinned memory through which tables and packed values go.
class stream_device final : public ashlar::detail::device_api {
 public:
  explicit stream_device(int index)
      : index_(index), pool_(device_pool(index)), stream_(run_streams(index).take(index)) {}
  ~stream_device() override {
    forget_staged();
    run_streams(index_).give_back(stream_);
  }

  ashlar::place place() const noexcept override { return ashlar::place::device(index_); }
  void* stream() const noexcept override { return stream_; }

  void* allocate(std::int64_t bytes) override { return pool_.allocate_async(static_cast<std::size_t>(bytes), stream_); }
  void release(void* data, std::int64_t bytes) noexcept override {
    pool_.release_async(data, static_cast<std::size_t>(bytes), stream_);
  }
  memory_resource& resource() override { return pool_; }
  void (*fetcher() const)(void*, const void*, std::int64_t, ashlar::place) override {
    return [](void* to, const void* from, std::int64_t bytes, ashlar::place where) {
      const current_device_scope here(where.index());
      check(cudaMemcpy(to, from, static_cast<std::size_t>(bytes), cudaMemcpyDeviceToHost), "cudaMemcpy", where.index());
    };
  }

  void copy_in(void* to, const void* from, const ashlar::detail::byte_rows& what) override {
    copy(to, from, what, cudaMemcpyHostToDevice);
  }
  void copy_out(void* to, const void* from, const ashlar::detail::byte_rows& what) override {
    copy(to, from, what, cudaMemcpyDeviceToHost);
  }

  void upload(void* to, const void* from, std::int64_t bytes) override {
    begin_mark();
    void* const at = stage(bytes);
    std::memcpy(at, from, static_cast<std::size_t>(bytes));
    check(cudaMemcpyAsync(to, at, static_cast<std::size_t>(bytes), cudaMemcpyHostToDevice, stream_), "cudaMemcpyAsync",
          index_);
  }

  void copy(ashlar::detail::device_queue& q, const ashlar::detail::device_copy& work) override {
    ashlar::detail::copy_on_device(q, work);
  }

  /// The first note is made when there is something to do: the host may take a while before that.
  int mark() override {
    if (marks_.empty() && !begins_) {
      begins_ = true;
      return 0;
    }
    begin_mark();
    return put_mark();
  }
  double seconds(int from, int to) override {
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, marks_[static_cast<std::size_t>(from)].get(),
                               marks_[static_cast<std::size_t>(to)].get()),
          "cudaEventElapsedTime", index_);
    return static_cast<double>(milliseconds) * 1e-3;
  }

  void wait() override {
    check(cudaStreamSynchronize(stream_), "cudaStreamSynchronize", index_);
    forget_staged();
  }

  std::int64_t free_bytes() override {
    const std::size_t reserved = pool_.reserved();
    const std::size_t live = pool_.allocated();
    const std::size_t unused = reserved > live ? reserved - live : 0;
    return static_cast<std::int64_t>(device(index_).free_memory() + unused);
  }

 private:
  void begin_mark() {
    if (begins_ && marks_.empty()) put_mark();
  }
  int put_mark() {
    marks_.emplace_back(index_, true);
    check(cudaEventRecord(marks_.back().get(), stream_), "cudaEventRecord", index_);
    return static_cast<int>(marks_.size()) - 1;
  }

  struct slab {
    void* data;
    std::size_t bytes;
  };
  static constexpr std::int64_t slab_bytes = 4 << 20;
  static constexpr std::int64_t most_staged = std::int64_t{256} << 20;

  void copy(void* to, const void* from, const ashlar::detail::byte_rows& what, cudaMemcpyKind kind) {
    begin_mark();
    if (what.rows == 1 || (what.from_pitch == what.width && what.to_pitch == what.width)) {
      check(cudaMemcpyAsync(to, from, static_cast<std::size_t>(what.width * what.rows), kind, stream_),
            "cudaMemcpyAsync", index_);
      return;
    }
    check(
        cudaMemcpy2DAsync(to, static_cast<std::size_t>(what.to_pitch), from, static_cast<std::size_t>(what.from_pitch),
                          static_cast<std::size_t>(what.width), static_cast<std::size_t>(what.rows), kind, stream_),
        "cudaMemcpy2DAsync", index_);
  }

  /// Pinned memory that is used again after the next wait.
  void* stage(std::int64_t bytes) {
    const std::int64_t size = (bytes + 255) / 256 * 256;
    if (left_ < size) {
      if (staged_ > most_staged) wait();
      const std::int64_t piece = size > slab_bytes ? size : slab_bytes;
      slabs_.push_back({pinned_pool().allocate(static_cast<std::size_t>(piece)), static_cast<std::size_t>(piece)});
      next_ = static_cast<unsigned char*>(slabs_.back().data);
      left_ = piece;
      staged_ += piece;
    }
    void* const at = next_;
    next_ += size;
    left_ -= size;
    return at;
  }

  void forget_staged() noexcept {
    for (const slab& s : slabs_) pinned_pool().release(s.data, s.bytes);
    slabs_.clear();
    left_ = 0;
    staged_ = 0;
  }

  int index_;
  device_memory& pool_;
  cudaStream_t stream_;
  std::vector<pooled_event> marks_;
  bool begins_ = false;
  std::vector<slab> slabs_;
  unsigned char* next_ = nullptr;
  std::int64_t left_ = 0;
  std::int64_t staged_ = 0;
};

class device_plans final : public ashlar::detail::plan_executor {
 public:
  explicit device_plans(int index) : index_(index) {}

  ashlar::place place() const noexcept override { return ashlar::place::device(index_); }

  std::unique_ptr<ashlar::detail::plan_job> prepare(ashlar::detail::run_state& run,
                                                    std::int64_t memory_limit) const override {
    must_exist(index_, "compute");
    const current_device_scope here(index_);
    const relaxed_capture any_stream;
    return std::make_unique<ashlar::detail::device_job>(std::make_unique<stream_device>(index_), run, memory_limit);
  }

 private:
  int index_;
};

inline const device_plans& plans_of_device(int index) {
  static const std::vector<std::unique_ptr<const device_plans>>* const all = [] {
    auto* const made = new std::vector<std::unique_ptr<const device_plans>>;
    for (int i = 0; i < max_devices; ++i) made->push_back(std::make_unique<const device_plans>(i));
    return made;
  }();
  return *(*all)[static_cast<std::size_t>(index)];
}

}  // namespace ashlar::cuda::detail

namespace ashlar::cuda {

/// The caller's thread, with this device as CUDA's current one.
inline void device::execute(ashlar::detail::job& work) const {
  const detail::current_device_scope here(index_);
  const detail::relaxed_capture any_stream;
  serial().execute(work);
}

template <class Tag>
const ashlar::detail::plan_executor* device::plans_here() const {
  return &detail::plans_of_device(index_);
}

namespace detail {

/// The device of an executor that nobody wrote down, where a reference to it stays valid. Never destroyed.
inline const device& kept_device(int index) {
  static std::mutex mutex;
  static const device* kept[max_devices] = {};
  must_exist(index, "compute");
  const std::lock_guard lock(mutex);
  if (kept[index] == nullptr) kept[index] = new device(index);
  return *kept[index];
}

/// Arrays that are on a device are computed there when no executor is named.
inline const bool devices_are_places = [] {
  ashlar::detail::place_executor().store(
      [](ashlar::place where) { return ashlar::detail::ref(kept_device(where.index())); });
  return true;
}();

}  // namespace detail

}  // namespace ashlar::cuda

#endif
