/// \file
/// The user's own function, for the host and for a device.
///
/// Any callable can be given to map() and runs on CPU threads. For it to run on a device too it must be one of two
/// things, and the file must be compiled by nvcc (`-std=c++20 --extended-lambda`):
///
/// 1. `ASHLAR_FN((double x) { return x > 0 ? x : 0.0; })`: a lambda written once that becomes a pair, one half for the
///    host, which the vectoriser inlines, and one for the device. Under other compilers it is a plain lambda.
/// 2. A struct at namespace scope that says `using device_callable = void;` and marks its operator() with `ASHLAR_HD`.
///
/// A lambda marked `__host__ __device__` is no third: nvcc wraps one that captures in an owner of host memory, which
/// cannot be sent as bytes.
///
/// A function that is none of these, or that takes or gives std::complex, runs on the host only: the kernel that holds
/// it has no device entry.
#pragma once

#include <ashlar/detail/config.hpp>

/// A lambda for host and device: the argument is a lambda without its capture list, which is `[=]`. Both halves are
/// compiled from the same text and hold a copy each of what is captured.
///
/// Limits. It cannot stand at namespace scope, where nothing can be captured. In a member function copy the members
/// that it needs into local variables first: `[=]` would capture `this`, a pointer. Under nvcc the parameters must have
/// types (no `auto`), and it cannot stand in a function whose return type is deduced, in a private or protected member
/// function, in another lambda that is generic, or in a class local to a function; use a functor struct there.
#if defined(__CUDACC__)
#define ASHLAR_FN(...) ::ashlar::detail::make_function_pair([=] __VA_ARGS__, [=] __device__ __VA_ARGS__)
#else
#define ASHLAR_FN(...) [=] __VA_ARGS__
#endif

#if defined(__CUDACC__)
namespace ashlar::detail {

/// What ASHLAR_FN makes under nvcc. Called on the host it is the host half; a kernel for the device takes the other.
template <class Host, class Device>
struct function_pair {
  Host host;
  Device device;

  template <class... A>
  ASHLAR_DETAIL_INLINE auto operator()(A... a) const -> decltype(host(a...)) {
    return host(a...);
  }
};

template <class Host, class Device>
function_pair<Host, Device> make_function_pair(Host host, Device device) {
  return {host, device};
}

}  // namespace ashlar::detail
#endif
