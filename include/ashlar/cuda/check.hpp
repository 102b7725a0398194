/// \file
/// What CUDA calls return, turned into exceptions, and the devices that cannot be used any more.
///
/// Most CUDA errors leave everything else usable. A few (a kernel that touched memory that is not its own, an
/// uncorrectable memory fault) are sticky: whatever the process asks of that device afterwards returns the same error,
/// and clean-up may block or crash. check() remembers such a device as lost; from then on everything here that concerns
/// it throws at once, and destructors leave its memory, streams and events alone. The process ends well all the same.
///
/// The same holds for objects that outlive main(): once exit() has begun, no destructor here calls CUDA.
/// Cost of a call that succeeded: one comparison.
#pragma once

#include <atomic>
#include <cstdlib>
#include <string>

#include <unistd.h>

#include <cuda_runtime_api.h>

#include <ashlar/error.hpp>

namespace ashlar::cuda {

namespace detail {

/// CUDA itself knows no more devices in one process.
inline constexpr int max_devices = 64;

/// The first sticky error of a device. `call` is a string that lives as long as the process.
struct lost_device {
  std::atomic<int> status{cudaSuccess};
  std::atomic<const char*> call{nullptr};
};

inline lost_device lost_devices[max_devices];

inline std::atomic<bool> exit_has_begun{false};

/// After these the process must end before the device can be used again (driver_types.h: "leaves the process in an
/// inconsistent state", and those of which practice says so).
constexpr bool is_sticky(cudaError_t status) noexcept {
  switch (status) {
    case cudaErrorECCUncorrectable:
    case cudaErrorNvlinkUncorrectable:
    case cudaErrorContained:
    case cudaErrorIllegalAddress:
    case cudaErrorLaunchTimeout:
    case cudaErrorContextIsDestroyed:
    case cudaErrorAssert:
    case cudaErrorHardwareStackError:
    case cudaErrorIllegalInstruction:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorLaunchFailure:
    case cudaErrorMpsClientTerminated:
    case cudaErrorExternalDevice:
      return true;
    default:
      return false;
  }
}

/// Puts down a failure without throwing: marks the device as lost when it is, and takes the error out of CUDA's memory
/// of the last one, where the user's own checks would find it.
inline void note_failure(cudaError_t status, const char* call, int device) noexcept {
  if (!is_sticky(status)) {
    static_cast<void>(cudaGetLastError());
    return;
  }
  if (device < 0 || device >= max_devices) return;
  int none = cudaSuccess;
  if (lost_devices[device].status.compare_exchange_strong(none, status)) lost_devices[device].call.store(call);
}

/// "cudaErrorInvalidValue, invalid argument".
inline std::string status_text(cudaError_t status) {
  return std::string(cudaGetErrorName(status)) + ", " + cudaGetErrorString(status);
}

/// "CUDA_VISIBLE_DEVICES is 0,1", or that it is not set.
inline std::string visible_devices_text() {
  const char* const visible = std::getenv("CUDA_VISIBLE_DEVICES");
  if (visible == nullptr) return "CUDA_VISIBLE_DEVICES is not set";
  if (*visible == '\0') return "CUDA_VISIBLE_DEVICES is empty, which hides all devices";
  return std::string("CUDA_VISIBLE_DEVICES is ") + visible;
}

/// What CUDA knows of this machine, asked once.
struct runtime {
  int count = 0;
  cudaError_t status = cudaSuccess;
  ::pid_t process = 0;
};

inline void when_exit_begins() noexcept { exit_has_begun.store(true, std::memory_order_relaxed); }

inline runtime start_runtime() noexcept {
  runtime r;
  r.status = cudaGetDeviceCount(&r.count);
  if (r.status != cudaSuccess) {
    static_cast<void>(cudaGetLastError());
    r.count = 0;
  }
  if (r.count > max_devices) r.count = max_devices;
  r.process = ::getpid();
  // Handlers run in the opposite order: this one before those that CUDA registered in the call above.
  static_cast<void>(std::atexit(when_exit_begins));
  return r;
}

inline const runtime& the_runtime() noexcept {
  static const runtime r = start_runtime();
  return r;
}

/// What to do about an error whose own text does not say it; begins with "; " unless empty.
inline std::string advice(cudaError_t status) {
  switch (status) {
    case cudaErrorInsufficientDriver:
      return "; there is no NVIDIA driver here, or it is older than CUDA " + std::to_string(CUDART_VERSION / 1000) +
             '.' + std::to_string(CUDART_VERSION % 1000 / 10) + ", for which this program was built";
    case cudaErrorNoDevice:
      return "; " + visible_devices_text();
    case cudaErrorInitializationError:
      if (the_runtime().process == ::getpid()) return {};
      return "; CUDA was used before fork(), and cannot be used in the child: start processes before the first use of "
             "a "
             "device, or with posix_spawn";
    case cudaErrorInvalidResourceHandle:
      return "; the stream or event was destroyed, or belongs to another device";
    case cudaErrorNoKernelImageForDevice:
    case cudaErrorInvalidDeviceFunction:
      return "; the program has no code for this device: compile with -arch=native, or name its architecture in "
             "CMAKE_CUDA_ARCHITECTURES";
    case cudaErrorStreamCaptureUnsupported:
    case cudaErrorStreamCaptureInvalidated:
    case cudaErrorStreamCaptureImplicit:
    case cudaErrorStreamCaptureWrongThread:
      return "; a stream is being captured into a CUDA graph, where this call must not be: end the capture first";
    default:
      return {};
  }
}

inline std::string device_text(int device) { return "cuda:" + std::to_string(device); }

[[noreturn]] inline void throw_lost(int device, const char* what) {
  const lost_device& lost = lost_devices[device];
  const char* const call = lost.call.load();
  throw device_error(std::string(what) + ": " + device_text(device) +
                     " is lost: " + (call == nullptr ? "a call" : call) + " gave " +
                     status_text(static_cast<cudaError_t>(lost.status.load())) +
                     ", after which nothing in this process can use the device; end the process and start it again");
}

[[noreturn]] inline void throw_failure(cudaError_t status, const char* call, int device) {
  if (device < 0 && cudaGetDevice(&device) != cudaSuccess) device = -1;
  note_failure(status, call, device);
  std::string text = std::string(call) + (device < 0 ? "" : " on " + device_text(device)) + ": " + status_text(status) +
                     advice(status);
  if (is_sticky(status)) {
    text +=
        "; the device is lost: nothing in this process can use it any more. The fault may be that of an earlier "
        "kernel; compute-sanitizer finds which";
  }
  throw device_error(text);
}

inline bool is_lost(int device) noexcept {
  return device >= 0 && device < max_devices &&
         lost_devices[device].status.load(std::memory_order_relaxed) != cudaSuccess;
}

/// Whether destructors may call CUDA for this device. Cost: two loads.
inline bool may_clean_up(int device) noexcept {
  return !exit_has_begun.load(std::memory_order_relaxed) && !is_lost(device);
}

/// Whether no device is lost, for what belongs to all of them.
inline bool none_is_lost() noexcept {
  for (int i = 0; i < the_runtime().count; ++i) {
    if (is_lost(i)) return false;
  }
  return true;
}

/// `what` names the operation that wants the device.
/// @throws device_error when it is lost
inline void must_be_usable(int device, const char* what) {
  if (is_lost(device)) throw_lost(device, what);
}

/// While it lives, calls of this thread are allowed although another thread captures a stream in global mode, which
/// otherwise fails allocations everywhere. Cost: two calls of some 20 ns.
class relaxed_capture {
 public:
  relaxed_capture() noexcept { static_cast<void>(cudaThreadExchangeStreamCaptureMode(&mode_)); }
  relaxed_capture(const relaxed_capture&) = delete;
  relaxed_capture& operator=(const relaxed_capture&) = delete;
  ~relaxed_capture() { static_cast<void>(cudaThreadExchangeStreamCaptureMode(&mode_)); }

 private:
  cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;
};

}  // namespace detail

/// Throws unless `status`, which `call` returned, is cudaSuccess. `call` is a string literal, "cudaMemcpyAsync";
/// `device` is whose stream or memory it was about, -1 for the current one. Not for cudaErrorNotReady, which is an
/// answer and no failure. Cost on success: one comparison.
/// @throws device_error that names the call, the device and CUDA's own text, and says when the device is lost
inline void check(cudaError_t status, const char* call, int device = -1) {
  if (status != cudaSuccess) [[unlikely]]
    detail::throw_failure(status, call, device);
}

}  // namespace ashlar::cuda
