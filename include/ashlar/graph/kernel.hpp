/// \file
/// A kernel is a value: a constant descriptor of its type, and the bytes of its parameters.
///
/// The descriptor holds one host entry for each instruction set and a slot for the device entry. Entries are reached
/// through plain pointers and know nothing of graphs; a kernel reaches memory only through the tiles that it is given,
/// so the same bytes can be called on a thread, sent to a process that runs the same binary, or passed to a launch.
///
/// One inline template that yields a device entry under nvcc and none under g++ would be one symbol with two bodies,
/// and the linker would keep either. So everything that turns a user's type into a kernel carries `backend_tag`, which
/// is another type under each of the two compilers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>

#include <ashlar/detail/config.hpp>
#include <ashlar/dtype.hpp>

namespace ashlar::detail {

struct host_backend {};
struct cuda_backend {};
struct no_backend {};  // what has no device entry under any compiler, such as one number

#if defined(__CUDACC__)
using backend_tag = cuda_backend;
#else
using backend_tag = host_backend;
#endif

/// Inputs that one kernel can have; deeper expressions are cut into several kernels that still share one pass.
inline constexpr int max_kernel_inputs = 12;

struct device_elementwise;  // graph/device_work.hpp

/// Calls a kernel on `n` elements: `in[k]` points to `n` packed elements of the k-th input, `out` to room for `n`.
using tile_entry = void (*)(const void* parameters, const void* const* in, void* out, std::int64_t n);

/// Launches a kernel over blocks in device memory; `stream` is a cudaStream_t.
using device_entry = void (*)(const void* parameters, const device_elementwise& work, void* stream);

inline constexpr std::uint32_t descriptor_magic = 0x41534831;  // "ASH1"

/// What is constant about one type of kernel. One object per type, binary and compiler; its offset in the binary names
/// the kernel to another process that runs the same binary, which checks the magic, hash and sizes before it calls.
struct kernel_descriptor {
  std::uint32_t magic;
  std::int32_t inputs;
  std::uint64_t type_hash;
  std::uint32_t size;       // bytes of the parameters
  bool trivially_copyable;  // the parameters can be sent as bytes
  const char* obstacle;     // type_text of the operation that keeps them from it, or null
  dtype output;
  dtype input[max_kernel_inputs];
  tile_entry host[3];                       // by isa_level
  device_entry device;                      // null when a function in it is host only
  bool (*equal)(const void*, const void*);  // null: holds a user's function, so two of them are never taken for one
  const char* name;                         // outermost operation, for messages
  std::int32_t operations;
};

/// A descriptor and its parameters. Copies share the parameters, which never change.
struct kernel {
  const kernel_descriptor* descriptor = nullptr;
  std::shared_ptr<const void> parameters;

  void operator()(const void* const* in, void* out, std::int64_t n) const {
    descriptor->host[static_cast<int>(current_isa())](parameters.get(), in, out, n);
  }
};

constexpr std::uint64_t hash_text(const char* text) noexcept {  // FNV-1a
  std::uint64_t h = 14695981039346656037ull;
  for (; *text != '\0'; ++text) h = (h ^ static_cast<unsigned char>(*text)) * 1099511628211ull;
  return h;
}

template <class K>
constexpr std::uint64_t type_hash() noexcept {
  return hash_text(__PRETTY_FUNCTION__);
}

/// The compiler's text for this function, which holds "T = <name of T>".
template <class T>
constexpr const char* type_text() noexcept {
  return __PRETTY_FUNCTION__;
}

}  // namespace ashlar::detail
