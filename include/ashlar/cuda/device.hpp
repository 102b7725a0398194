/// \file
/// GPUs: which there are, what they can do, and which one is meant when none is named.
///
/// A device is a number, as in CUDA: 0 is the first of those that CUDA_VISIBLE_DEVICES leaves visible. Asking whether
/// there are any never throws, so that a program can decide; naming one that is not there throws, and says why.
/// Properties are asked of the driver once per device and kept (milliseconds); free memory is asked each time.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <mutex>
#include <string>
#include <type_traits>

#include <cuda_runtime_api.h>

#include <ashlar/cuda/check.hpp>
#include <ashlar/detail/bytes_text.hpp>
#include <ashlar/error.hpp>
#include <ashlar/graph/kernel.hpp>
#include <ashlar/place.hpp>

namespace ashlar::detail {
class job;
class plan_executor;
}  // namespace ashlar::detail

namespace ashlar::cuda {

/// How many GPUs this process sees; 0 without a driver or a device. Asked once in a process, and then a load.
/// Makes no context on any device.
inline int device_count() noexcept { return detail::the_runtime().count; }

/// Whether there is a GPU that this process can use. False, and no exception, without a driver.
inline bool is_available() noexcept { return device_count() > 0; }

namespace detail {

[[noreturn]] inline void throw_no_such_device(int index, const char* what) {
  const runtime& r = the_runtime();
  std::string text = std::string(what) + ": there is no device " + std::to_string(index) + ": ";
  if (r.count == 0) {
    text += "this process sees no GPU";
    if (r.status != cudaSuccess) text += " (cudaGetDeviceCount: " + status_text(r.status) + advice(r.status) + ')';
    if (r.status != cudaErrorNoDevice) text += "; " + visible_devices_text();
  } else {
    text += "this process sees " + std::to_string(r.count) + ", counted from 0; " + visible_devices_text();
  }
  throw device_error(text);
}

inline void must_exist(int index, const char* what) {
  if (index < 0 || index >= device_count()) throw_no_such_device(index, what);
  must_be_usable(index, what);
}

inline std::atomic<int> process_default{0};

/// The device of this thread's innermost device_guard, or -1.
inline int& guarded_device() noexcept {
  thread_local int index = -1;
  return index;
}

/// Makes a device CUDA's current one for a scope, and nothing else. Cost when it is that already: one call of 10 ns.
class current_device_scope {
 public:
  /// @throws device_error when CUDA refuses
  explicit current_device_scope(int index) {
    check(cudaGetDevice(&before_), "cudaGetDevice", index);
    changed_ = before_ != index;
    if (changed_) check(cudaSetDevice(index), "cudaSetDevice", index);
  }
  current_device_scope(const current_device_scope&) = delete;
  current_device_scope& operator=(const current_device_scope&) = delete;
  ~current_device_scope() {
    if (!changed_ || exit_has_begun.load(std::memory_order_relaxed)) return;
    // A lost device can be left, and one that is lost must not be asked for.
    if (!is_lost(before_)) note_failure(cudaSetDevice(before_), "cudaSetDevice", before_);
  }

 private:
  int before_ = 0;
  bool changed_ = false;
};

/// Properties of a device, asked once and never given back.
inline const cudaDeviceProp& properties(int index) {
  static std::mutex mutex;
  static const cudaDeviceProp* known[max_devices] = {};
  must_exist(index, "cuda::device");
  const std::lock_guard lock(mutex);
  if (known[index] == nullptr) {
    cudaDeviceProp p{};
    check(cudaGetDeviceProperties(&p, index), "cudaGetDeviceProperties", index);
    known[index] = new cudaDeviceProp(p);
  }
  return *known[index];
}

/// "GPU-5fd4f087-86f3-7a43-b711-4771313afc50", as nvidia-smi and CUDA_VISIBLE_DEVICES write it.
inline std::string uuid_text(const cudaUUID_t& uuid) {
  constexpr char digits[] = "0123456789abcdef";
  std::string text = "GPU-";
  for (int i = 0; i < 16; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    const auto byte = static_cast<unsigned char>(uuid.bytes[i]);
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return text;
}

}  // namespace detail

/// The device that is meant where none is named: that of this thread's innermost device_guard, else the one of
/// set_default_device(), else 0. It need not exist.
inline int default_device() noexcept {
  const int guarded = detail::guarded_device();
  return guarded >= 0 ? guarded : detail::process_default.load(std::memory_order_relaxed);
}

/// Sets the default of the process, for all threads outside a device_guard.
/// @throws device_error when there is no such device, or it is lost
inline void set_default_device(int index) {
  detail::must_exist(index, "cuda::set_default_device");
  detail::process_default.store(index, std::memory_order_relaxed);
}

/// The device on which CUDA calls of this thread work (cudaGetDevice): 0 until someone sets another.
/// @throws device_error without a device
inline int current_device() {
  detail::must_exist(0, "cuda::current_device");
  int index = 0;
  check(cudaGetDevice(&index), "cudaGetDevice");
  return index;
}

/// The instructions that a device understands: 9.0 of an H200.
struct compute_capability {
  int major = 0;
  int minor = 0;
  friend constexpr auto operator<=>(compute_capability, compute_capability) noexcept = default;
};

/// Free and total memory of a device, in bytes.
struct memory_room {
  std::size_t free = 0;
  std::size_t total = 0;
};

/// A GPU, by its number. A small value: copies are free, and mean the same device.
class device {
 public:
  /// @throws device_error when there is no such device, or no driver, or the device is lost: the text has the number,
  /// how many there are, and CUDA_VISIBLE_DEVICES
  explicit device(int index = default_device()) : index_(index) { detail::must_exist(index, "cuda::device"); }

  /// Counted from 0, among those that CUDA_VISIBLE_DEVICES leaves.
  int index() const noexcept { return index_; }

  /// Where this device's memory is: "cuda:0".
  ashlar::place place() const noexcept { return ashlar::place::device(index_); }

  /// "NVIDIA H200".
  std::string name() const { return detail::properties(index_).name; }

  compute_capability capability() const {
    const cudaDeviceProp& p = detail::properties(index_);
    return {p.major, p.minor};
  }

  /// Streaming multiprocessors: how many blocks of threads make progress at once, at least.
  int multiprocessors() const { return detail::properties(index_).multiProcessorCount; }

  /// Bytes of memory on the device.
  std::size_t total_memory() const { return detail::properties(index_).totalGlobalMem; }

  /// Bytes that nobody on this machine uses now, this process and its pools included. Makes a context on the device
  /// at its first call (some 100 ms and 500 MB of its memory).
  std::size_t free_memory() const { return memory().free; }

  /// Free and total memory at one moment; total is what programs may have, a little less than total_memory() may say.
  memory_room memory() const {
    detail::must_exist(index_, "cuda::device::memory");
    const detail::current_device_scope here(index_);
    memory_room room;
    check(cudaMemGetInfo(&room.free, &room.total), "cudaMemGetInfo", index_);
    return room;
  }

  /// The highest clock of the multiprocessors, in MHz.
  int clock_rate() const { return attribute(cudaDevAttrClockRate) / 1000; }

  /// Domain, bus, device: "0000:1b:00.0".
  std::string pci_id() const {
    detail::must_exist(index_, "cuda::device::pci_id");
    char text[32] = {};
    check(cudaDeviceGetPCIBusId(text, static_cast<int>(sizeof text), index_), "cudaDeviceGetPCIBusId", index_);
    return text;
  }

  /// The same card has the same one in every process and after every restart: "GPU-5fd4f087-86f3-...".
  std::string uuid() const { return detail::uuid_text(detail::properties(index_).uuid); }

  /// Any of CUDA's attributes of a device, in the unit that CUDA's documentation gives.
  /// @throws device_error for an attribute that the driver does not know
  int attribute(cudaDeviceAttr which) const {
    detail::must_exist(index_, "cuda::device::attribute");
    int value = 0;
    check(cudaDeviceGetAttribute(&value, which, index_), "cudaDeviceGetAttribute", index_);
    return value;
  }

  /// All that CUDA says of the device.
  const cudaDeviceProp& properties() const { return detail::properties(index_); }

  /// Whether kernels of this device can read and write memory of the other one directly.
  bool can_access(device other) const {
    if (other.index_ == index_) return true;
    detail::must_exist(index_, "cuda::device::can_access");
    int answer = 0;
    check(cudaDeviceCanAccessPeer(&answer, index_, other.index_), "cudaDeviceCanAccessPeer", index_);
    return answer != 0;
  }

  /// Waits until everything that this process has given the device is done.
  /// @throws device_error when some of it failed
  void synchronize() const {
    detail::must_exist(index_, "cuda::device::synchronize");
    const detail::current_device_scope here(index_);
    check(cudaDeviceSynchronize(), "cudaDeviceSynchronize", index_);
  }

  /// One line: number, name, capability, multiprocessors, clock, memory, PCI id, uuid.
  std::string to_string() const {
    const compute_capability c = capability();
    return detail::device_text(index_) + "  " + name() + ", capability " + std::to_string(c.major) + '.' +
           std::to_string(c.minor) + ", " + std::to_string(multiprocessors()) + " multiprocessors, " +
           std::to_string(clock_rate()) + " MHz, " +
           ashlar::detail::bytes_text(static_cast<std::int64_t>(total_memory())) + ", PCI " + pci_id() + ", " + uuid();
  }

  friend bool operator==(device a, device b) noexcept { return a.index_ == b.index_; }

  /// Bytes of the device that a run may hold. 0: as much as the device can give.
  std::int64_t memory_limit = 0;

  // What makes it an executor (execution/executor.hpp): compute(device(0)) runs all of a plan there.

  int lanes() const noexcept { return 16; }  // tasks are made small enough for as many; the device runs many at once
  void execute(ashlar::detail::job& work) const;

  template <class Tag = ashlar::detail::backend_tag>
  const ashlar::detail::plan_executor* plans() const {
    static_assert(
        std::is_same_v<Tag, ashlar::detail::cuda_backend>,
        "ashlar: compute() on a cuda::device needs device code, which this compiler does not make: compile the "
        "file with nvcc (and include <ashlar/cuda.hpp>)");
    return plans_here<Tag>();
  }

 private:
  template <class Tag>
  const ashlar::detail::plan_executor* plans_here() const;

  int index_;
};

template <class Traits>
std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out, const device& d) {
  return out << d.to_string();
}

/// All devices, a line each, below a line with their number and the versions of the driver and of the runtime; without
/// a device, why there is none. Makes no context.
inline std::string device_summary() {
  const auto version = [](int v) { return std::to_string(v / 1000) + '.' + std::to_string(v % 1000 / 10); };
  const detail::runtime& r = detail::the_runtime();
  if (r.count == 0) {
    std::string text = "no CUDA device: ";
    text +=
        r.status == cudaSuccess ? "the driver reports none" : detail::status_text(r.status) + detail::advice(r.status);
    return text + '\n';
  }
  int driver = 0;
  detail::note_failure(cudaDriverGetVersion(&driver), "cudaDriverGetVersion", -1);
  std::string text = std::to_string(r.count) + (r.count == 1 ? " CUDA device" : " CUDA devices") +
                     "; driver for CUDA " + version(driver) + ", runtime " + version(CUDART_VERSION) + '\n';
  for (int i = 0; i < r.count; ++i) {
    text += (detail::is_lost(i) ? detail::device_text(i) + "  lost" : device(i).to_string()) + '\n';
  }
  return text;
}

/// For a scope, makes a device the default of this thread, and CUDA's current one, where kernels that the scope
/// launches run. Guards nest; each restores what it found. Not to be moved to another thread.
class device_guard {
 public:
  /// @throws device_error when there is no such device, or it is lost
  explicit device_guard(int index) : scope_(checked(index)), before_(detail::guarded_device()) {
    detail::guarded_device() = index;
  }
  explicit device_guard(device d) : device_guard(d.index()) {}
  device_guard(const device_guard&) = delete;
  device_guard& operator=(const device_guard&) = delete;
  ~device_guard() { detail::guarded_device() = before_; }

 private:
  static int checked(int index) {
    detail::must_exist(index, "cuda::device_guard");
    return index;
  }

  detail::current_device_scope scope_;
  int before_;
};

}  // namespace ashlar::cuda
