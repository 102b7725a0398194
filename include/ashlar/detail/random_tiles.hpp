/// \file
/// `fill_uniform`, `fill_normal` and `fill_integers` write any run of consecutive elements of a random array that is
/// never held anywhere. Where a run begins, how long it is and which vector registers make it leaves no trace in the
/// values; what a value is, is told in `random_block.hpp`.
///
/// Cost: 20 products of 32 bits for two doubles or four floats, and for a pair of normal numbers one division, one
/// square root and three polynomials. An odd start costs one more vector of blocks per run.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#if !defined(__x86_64__)
#include <cmath>
#endif

#include "config.hpp"
#include "philox.hpp"
#include "random_block.hpp"

// A program built for AVX-512 needs no narrower copies.
#if defined(__AVX512F__) && defined(__AVX512DQ__) && defined(__AVX512VL__) && defined(__AVX512BW__)
#define ASHLAR_DETAIL_RANDOM_NARROW 0
#else
#define ASHLAR_DETAIL_RANDOM_NARROW 1
#endif

namespace ashlar::detail {

#if ASHLAR_DETAIL_RANDOM_NARROW
namespace random_baseline {
#define ASHLAR_DETAIL_LANES_BYTES 16
#define ASHLAR_DETAIL_LANES_TARGET
#include "random_lanes.inc"
#include "random_runs.inc"
#undef ASHLAR_DETAIL_LANES_BYTES
#undef ASHLAR_DETAIL_LANES_TARGET
}  // namespace random_baseline
#endif

#if ASHLAR_DETAIL_X86
#if ASHLAR_DETAIL_RANDOM_NARROW
namespace random_avx2 {
#define ASHLAR_DETAIL_LANES_BYTES 32
#define ASHLAR_DETAIL_LANES_TARGET ASHLAR_DETAIL_TARGET_AVX2
#include "random_lanes.inc"
#include "random_runs.inc"
#undef ASHLAR_DETAIL_LANES_BYTES
#undef ASHLAR_DETAIL_LANES_TARGET
}  // namespace random_avx2
#endif

namespace random_avx512 {
#define ASHLAR_DETAIL_LANES_BYTES 64
#define ASHLAR_DETAIL_LANES_TARGET ASHLAR_DETAIL_TARGET_AVX512
#include "random_lanes.inc"
#include "random_runs.inc"
#undef ASHLAR_DETAIL_LANES_BYTES
#undef ASHLAR_DETAIL_LANES_TARGET
}  // namespace random_avx512
#endif

/// A run with a given instruction set, which the machine must have.
template <class P>
inline void fill_run_with(isa_level level, typename P::element* out, std::int64_t first, std::int64_t n,
                          std::uint64_t seed, random_stream stream, const P& p) {
#if ASHLAR_DETAIL_X86 && !ASHLAR_DETAIL_RANDOM_NARROW
  static_cast<void>(level);
  random_avx512::fill_run(out, first, n, seed, stream, p);
#else
#if ASHLAR_DETAIL_X86
  if (level == isa_level::avx512) return random_avx512::fill_run(out, first, n, seed, stream, p);
  if (level == isa_level::avx2) return random_avx2::fill_run(out, first, n, seed, stream, p);
#endif
  static_cast<void>(level);
  random_baseline::fill_run(out, first, n, seed, stream, p);
#endif
}

// -- what the library calls -----------------------------------------------------------------------------------------

/// Elements first .. first + n - 1 of uniform numbers in [low, high): low + k * (high - low) / 2^53 with k from 53
/// random bits, in float 2^24 and 24 bits. A value that rounds up to `high` is replaced by the number below it. Needs
/// first >= 0, low <= high and a finite high - low.
inline void fill_uniform(double* out, std::int64_t first, std::int64_t n, std::uint64_t seed, double low, double high) {
  const uniform_parameters<double> p{low, high};
  fill_run_with(current_isa(), out, first, n, seed, random_stream::uniform_double, p);
}
inline void fill_uniform(float* out, std::int64_t first, std::int64_t n, std::uint64_t seed, float low, float high) {
  const uniform_parameters<float> p{low, high};
  fill_run_with(current_isa(), out, first, n, seed, random_stream::uniform_float, p);
}

/// Elements first .. first + n - 1 of normal numbers, mean + (stddev * r) * cos or sin. The float form is computed in
/// float, with half the random words and twice the lanes.
inline void fill_normal(double* out, std::int64_t first, std::int64_t n, std::uint64_t seed, double mean,
                        double stddev) {
  const normal_parameters<double> p{mean, stddev};
  fill_run_with(current_isa(), out, first, n, seed, random_stream::normal_double, p);
}
inline void fill_normal(float* out, std::int64_t first, std::int64_t n, std::uint64_t seed, float mean, float stddev) {
  const normal_parameters<float> p{mean, stddev};
  fill_run_with(current_isa(), out, first, n, seed, random_stream::normal_float, p);
}

/// Elements first .. first + n - 1 of integers low .. low + range - 1 (modulo the type); range 0 stands for 2^64. Each
/// is the upper half of a 64-bit word times the range (Lemire 2019, without the rejection): no integer's probability is
/// off its share by more than 2^-64, that is, by range / 2^64 of it. The whole range of a type of b < 64 bits is 2^b.
template <std::integral I>
  requires(!std::same_as<I, bool>)
void fill_integers(I* out, std::int64_t first, std::int64_t n, std::uint64_t seed, I low, std::uint64_t range) {
  const integer_parameters p{static_cast<std::uint64_t>(low), range};
  // Through a buffer even for 64-bit types: `long long` and `long` are not to alias.
  constexpr std::int64_t piece = 512;
  std::uint64_t words[piece];
  for (std::int64_t done = 0; done < n; done += piece) {
    const std::int64_t count = n - done < piece ? n - done : piece;
    fill_run_with(current_isa(), words, first + done, count, seed, random_stream::integers, p);
    for (std::int64_t i = 0; i < count; ++i) out[done + i] = static_cast<I>(words[i]);
  }
}

}  // namespace ashlar::detail
