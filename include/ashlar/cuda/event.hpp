/// \file
/// Events: marks in a stream that other streams, and the host, can wait for.
///
/// Ordering two streams is recording an event in the one (0.25 us) and letting the other wait for it (0.26 us); the
/// host waits for nothing. CUDA's events are pooled for each device, since making one costs as much as using it. An
/// event takes one when it is first recorded, from the pool of that stream's device, so it belongs to no device before.
#pragma once

#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <cuda_runtime_api.h>

#include <ashlar/cuda/check.hpp>
#include <ashlar/cuda/device.hpp>
#include <ashlar/error.hpp>

namespace ashlar::cuda {

namespace detail {

/// CUDA's events of one device that nobody uses, of one kind. An event may be used again as soon as all waits for it
/// are in their streams: a wait is for what was recorded when the wait was issued.
class event_pool {
 public:
  /// @throws device_error when CUDA can make no event
  cudaEvent_t take(int device, bool timing) {
    {
      const std::lock_guard lock(mutex_);
      if (!free_.empty()) {
        const cudaEvent_t event = free_.back();
        free_.pop_back();
        return event;
      }
    }
    const current_device_scope here(device);
    cudaEvent_t event = nullptr;
    check(cudaEventCreateWithFlags(&event, timing ? cudaEventDefault : cudaEventDisableTiming),
          "cudaEventCreateWithFlags", device);
    return event;
  }

  void give_back(cudaEvent_t event, int device) noexcept {
    if (!may_clean_up(device)) return;
    try {
      const std::lock_guard lock(mutex_);
      free_.push_back(event);
    } catch (...) {  // no memory for the list: the event goes
      note_failure(cudaEventDestroy(event), "cudaEventDestroy", device);
    }
  }

 private:
  std::mutex mutex_;
  std::vector<cudaEvent_t> free_;
};

/// Never destroyed.
inline event_pool& events_of(int device, bool timing) {
  static event_pool* const pools = new event_pool[2 * max_devices];
  return pools[2 * device + (timing ? 1 : 0)];
}

/// One of CUDA's events, from the pool and back.
class pooled_event {
 public:
  pooled_event() noexcept = default;
  pooled_event(int device, bool timing)
      : handle_(events_of(device, timing).take(device, timing)), device_(device), timing_(timing) {}
  pooled_event(pooled_event&& other) noexcept
      : handle_(std::exchange(other.handle_, nullptr)), device_(other.device_), timing_(other.timing_) {}
  pooled_event& operator=(pooled_event&& other) noexcept {
    std::swap(handle_, other.handle_);
    std::swap(device_, other.device_);
    std::swap(timing_, other.timing_);
    return *this;
  }
  ~pooled_event() {
    if (handle_ != nullptr) events_of(device_, timing_).give_back(handle_, device_);
  }

  cudaEvent_t get() const noexcept { return handle_; }
  int device() const noexcept { return device_; }
  bool timing() const noexcept { return timing_; }

 private:
  cudaEvent_t handle_ = nullptr;
  int device_ = -1;
  bool timing_ = false;
};

}  // namespace detail

/// An event that belongs to someone else and outlives this handle; of a device whose number is known.
class event_ref {
 public:
  /// A CUDA event that the program made itself.
  /// @throws device_error for a null event, and for a device that is not there or is lost
  event_ref(cudaEvent_t handle, int device) : handle_(handle), device_(device) {
    if (handle == nullptr)
      throw device_error("cuda::event_ref: a null event; make one with cudaEventCreate, or use cuda::event");
    detail::must_exist(device, "cuda::event_ref");
  }

  /// CUDA's handle.
  cudaEvent_t get() const noexcept { return handle_; }
  int device_index() const noexcept { return device_; }

  /// Whether all that was in the stream when the event was recorded is done.
  /// @throws device_error when some of it failed
  bool done() const {
    detail::must_be_usable(device_, "cuda::event::done");
    const detail::relaxed_capture any_stream;
    const cudaError_t status = cudaEventQuery(handle_);
    if (status == cudaErrorNotReady) return false;
    check(status, "cudaEventQuery", device_);
    return true;
  }

  /// Makes this thread wait until done().
  /// @throws device_error when the work before the event failed
  void synchronize() const {
    detail::must_be_usable(device_, "cuda::event::synchronize");
    check(cudaEventSynchronize(handle_), "cudaEventSynchronize", device_);
  }

 private:
  cudaEvent_t handle_;
  int device_;
};

struct event_options {
  /// Whether elapsed() may be asked of it. Recording is a little dearer then.
  bool timing = false;
};

/// A mark of its own. It can be recorded again; what waited before has waited for the earlier mark. Recording and
/// moving are not thread safe, the rest is.
class event {
 public:
  explicit event(event_options options = {}) noexcept : timing_(options.timing) {}

  /// Whether a stream has recorded it.
  bool recorded() const noexcept { return own_.get() != nullptr; }

  /// Whether all that was in the stream when the event was recorded is done.
  /// @throws device_error when it was never recorded, or the work before it failed
  bool done() const { return ref("cuda::event::done").done(); }

  /// Makes this thread wait until done().
  /// @throws device_error when it was never recorded, or the work before it failed
  void synchronize() const { ref("cuda::event::synchronize").synchronize(); }

  /// A handle that does not own, valid as long as this event is. `who` asks.
  /// @throws device_error when it was never recorded
  event_ref ref(const char* who = "cuda::event") const {
    if (!recorded()) {
      throw device_error(std::string(who) +
                         ": the event was never recorded, so there is nothing to wait for; record it first: "
                         "stream.record(event)");
    }
    return {own_.get(), own_.device()};
  }

  bool timing() const noexcept { return timing_; }

 private:
  friend class stream_ref;

  // CUDA's event, for a stream of `device` to record.
  cudaEvent_t for_recording_on(int device) {
    if (!recorded()) own_ = detail::pooled_event(device, timing_);
    if (own_.device() != device) {
      throw device_error("cuda::stream::record: the event was recorded on " + detail::device_text(own_.device()) +
                         " before, and cannot be recorded on a stream of " + detail::device_text(device) +
                         "; use one event for each device");
    }
    return own_.get();
  }

  detail::pooled_event own_;
  bool timing_;
};

/// Milliseconds on the device from `begin` to `end`, after waiting for both. Resolution: about half a microsecond.
/// @throws device_error when one was not recorded, is without timing, or they are of two devices
inline double elapsed(const event& begin, const event& end) {
  const event_ref first = begin.ref("cuda::elapsed");
  const event_ref last = end.ref("cuda::elapsed");
  if (!begin.timing() || !end.timing()) {
    throw device_error("cuda::elapsed: an event without timing; make both with cuda::event({.timing = true})");
  }
  if (first.device_index() != last.device_index()) {
    throw device_error("cuda::elapsed: events of " + detail::device_text(first.device_index()) + " and " +
                       detail::device_text(last.device_index()) + ", whose clocks are not the same");
  }
  first.synchronize();
  last.synchronize();
  float ms = 0;
  check(cudaEventElapsedTime(&ms, first.get(), last.get()), "cudaEventElapsedTime", first.device_index());
  return ms;
}

}  // namespace ashlar::cuda
