/// \file
/// Streams: queues of work of a device. What is in one stream is done in order; what is in two is done in any order,
/// but where one waits for the other.
///
/// Streams made here never wait for the legacy default stream, nor it for them (cudaStreamNonBlocking): otherwise one
/// forgotten argument of a kernel launch makes everything wait for everything. For the same reason null is not taken
/// for a stream.
#pragma once

#include <string>
#include <utility>

#include <cuda_runtime_api.h>

#include <ashlar/cuda/check.hpp>
#include <ashlar/cuda/device.hpp>
#include <ashlar/cuda/event.hpp>
#include <ashlar/error.hpp>

namespace ashlar::cuda {

/// A stream that belongs to someone else and outlives this handle.
class stream_ref {
 public:
  /// A CUDA stream that the program made itself; CUDA is asked for its device.
  /// @throws device_error for null, cudaStreamLegacy and cudaStreamPerThread, which are not one queue, and for a stream
  /// of a lost device
  explicit stream_ref(cudaStream_t handle) : stream_ref(handle, device_of(handle)) {}

  /// The same when the device is known; nothing is asked.
  stream_ref(cudaStream_t handle, int device) : handle_(handle), device_(device) {
    must_be_one_queue(handle);
    detail::must_exist(device, "cuda::stream_ref");
  }

  /// CUDA's handle, for launches and calls of one's own: kernel<<<blocks, threads, 0, s.get()>>>.
  cudaStream_t get() const noexcept { return handle_; }
  int device_index() const noexcept { return device_; }

  /// Marks what is in the stream now. Cost: 0.25 us, and 0.5 us more at the first time of an event.
  /// @throws device_error when the event was recorded on another device before
  void record(event& e) const {
    detail::must_be_usable(device_, "cuda::stream::record");
    check(cudaEventRecord(e.for_recording_on(device_), handle_), "cudaEventRecord", device_);
  }

  /// The same with an event of the program's own.
  /// @throws device_error for an event of another device
  void record(event_ref e) const {
    detail::must_be_usable(device_, "cuda::stream::record");
    if (e.device_index() != device_) {
      throw device_error("cuda::stream::record: an event of " + detail::device_text(e.device_index()) +
                         " and a stream of " + detail::device_text(device_) +
                         "; an event is recorded on streams of its own device, and may be "
                         "waited for by all");
    }
    check(cudaEventRecord(e.get(), handle_), "cudaEventRecord", device_);
  }

  /// What is put into this stream from now on waits for the event, also for one of another device. The host does not.
  /// @throws device_error when the event was never recorded
  void wait(const event& e) const { wait(e.ref("cuda::stream::wait")); }

  void wait(event_ref e) const {
    detail::must_be_usable(device_, "cuda::stream::wait");
    detail::must_be_usable(e.device_index(), "cuda::stream::wait");
    check(cudaStreamWaitEvent(handle_, e.get(), 0), "cudaStreamWaitEvent", device_);
  }

  /// What is put into this stream from now on waits for all that is in the other one now. Cost: 0.5 us; a stream that
  /// waits for itself costs nothing.
  void wait(stream_ref other) const {
    if (other.handle_ == handle_) return;
    detail::must_be_usable(other.device_, "cuda::stream::wait");
    const detail::pooled_event mark(other.device_, false);
    check(cudaEventRecord(mark.get(), other.handle_), "cudaEventRecord", other.device_);
    detail::must_be_usable(device_, "cuda::stream::wait");
    check(cudaStreamWaitEvent(handle_, mark.get(), 0), "cudaStreamWaitEvent", device_);
  }

  /// Makes this thread wait until all that is in the stream now is done.
  /// @throws device_error when some of it failed
  void synchronize() const {
    detail::must_be_usable(device_, "cuda::stream::synchronize");
    check(cudaStreamSynchronize(handle_), "cudaStreamSynchronize", device_);
  }

  /// Whether all that was put into the stream is done.
  /// @throws device_error when some of it failed
  bool done() const {
    detail::must_be_usable(device_, "cuda::stream::done");
    const detail::relaxed_capture any_stream;
    const cudaError_t status = cudaStreamQuery(handle_);
    if (status == cudaErrorNotReady) return false;
    check(status, "cudaStreamQuery", device_);
    return true;
  }

 private:
  static void must_be_one_queue(cudaStream_t handle) {
    const char* what = nullptr;
    if (handle == nullptr || handle == cudaStreamLegacy) what = "the default stream (null), which waits for all others";
    if (handle == cudaStreamPerThread) what = "cudaStreamPerThread, which is another stream in each thread";
    if (what == nullptr) return;
    throw device_error(std::string("cuda::stream_ref: ") + what +
                       "; make a stream: cuda::stream, or cudaStreamCreateWithFlags "
                       "with cudaStreamNonBlocking");
  }

  static int device_of(cudaStream_t handle) {
    must_be_one_queue(handle);
    detail::must_exist(0, "cuda::stream_ref");
    int device = 0;
    check(cudaStreamGetDevice(handle, &device), "cudaStreamGetDevice");
    return device;
  }

  cudaStream_t handle_;
  int device_;
};

struct stream_options {
  /// Whose stream it is.
  int device = default_device();
  /// Lower numbers are more urgent; CUDA moves a number that the device has not to the nearest that it has.
  int priority = 0;
};

/// A stream of its own. Destroying it does not wait: what is in it is still done. Thread safe as CUDA's streams are;
/// moving is not.
class stream {
 public:
  /// @throws device_error when there is no such device, or it is lost
  explicit stream(stream_options options = {}) : device_(options.device) {
    detail::must_exist(device_, "cuda::stream");
    const detail::current_device_scope here(device_);
    check(cudaStreamCreateWithPriority(&handle_, cudaStreamNonBlocking, options.priority),
          "cudaStreamCreateWithPriority", device_);
  }
  stream(stream&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)), device_(other.device_) {}
  stream& operator=(stream&& other) noexcept {
    std::swap(handle_, other.handle_);
    std::swap(device_, other.device_);
    return *this;
  }
  ~stream() {
    if (handle_ == nullptr || !detail::may_clean_up(device_)) return;
    detail::note_failure(cudaStreamDestroy(handle_), "cudaStreamDestroy", device_);
  }

  /// CUDA's handle, for launches and calls of one's own; null after the stream was moved from.
  cudaStream_t get() const noexcept { return handle_; }
  int device_index() const noexcept { return device_; }

  /// A handle that does not own.
  stream_ref ref() const { return {handle_, device_}; }
  operator stream_ref() const { return ref(); }

  /// The members of stream_ref.
  void record(event& e) const { ref().record(e); }
  void record(event_ref e) const { ref().record(e); }
  void wait(const event& e) const { ref().wait(e); }
  void wait(event_ref e) const { ref().wait(e); }
  void wait(stream_ref other) const { ref().wait(other); }
  void wait(const stream& other) const { ref().wait(other.ref()); }
  void synchronize() const { ref().synchronize(); }
  bool done() const { return ref().done(); }

 private:
  cudaStream_t handle_ = nullptr;
  int device_;
};

}  // namespace ashlar::cuda
