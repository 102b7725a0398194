/// \file
/// What the launches of blocks share: how a failed one is told, and division by numbers that are fixed in a launch.
///
/// A device divides integers in about thirty instructions, and a kernel that finds its element by its number divides
/// once an axis. Divisors are the same for all threads, so the host turns each into a product and a shift (Granlund and
/// Montgomery, "Division by invariant integers using multiplication", PLDI 1994).
#pragma once

#if defined(__CUDACC__)

#include <cstdint>
#include <string>

#include <cuda_runtime.h>

#include <ashlar/error.hpp>
#include <ashlar/graph/device_work.hpp>

namespace ashlar::detail {

/// @throws device_error when the launch before it was refused; what fails later shows at the stream's next
/// synchronisation
inline void check_launch(const char* name, std::int64_t items) {
  const cudaError_t status = cudaGetLastError();
  if (status == cudaSuccess) return;
  throw device_error(std::string(name) + ": the device did not start a kernel over " + std::to_string(items) +
                     " blocks: " + cudaGetErrorString(status));
}

inline cudaStream_t stream_of(const device_queue& q) { return static_cast<cudaStream_t>(q.stream()); }

/// Thread blocks that one launch can have; more are started in several.
inline constexpr std::int64_t most_thread_blocks = std::int64_t{1} << 30;

/// Numbers below this can be divided by a fast_divisor.
inline constexpr std::int64_t fast_limit = std::int64_t{1} << 31;

/// Quotients of numbers below 2^31 by a number from 1 to 2^31.
struct fast_divisor {
  std::uint32_t divisor = 1;
  std::uint32_t factor = 1;
  std::uint32_t shift = 0;

  fast_divisor() = default;
  explicit fast_divisor(std::int64_t d) : divisor(static_cast<std::uint32_t>(d)) {
    while ((std::int64_t{1} << shift) < d) ++shift;
    const auto high = (std::uint64_t{1} << shift) - static_cast<std::uint64_t>(d);
    factor = static_cast<std::uint32_t>((high << 32) / static_cast<std::uint64_t>(d) + 1);
  }

  __device__ std::uint32_t divide(std::uint32_t n) const { return (__umulhi(n, factor) + n) >> shift; }

  /// The quotient replaces n; the remainder is returned.
  __device__ std::uint32_t split(std::uint32_t& n) const {
    const std::uint32_t quotient = divide(n);
    const std::uint32_t rest = n - quotient * divisor;
    n = quotient;
    return rest;
  }
};

}  // namespace ashlar::detail

#endif
