/// \file
/// Random numbers as a function of (seed, distribution, element index). `fill_uniform`, `fill_normal` and
/// `fill_integers` write any run of consecutive elements of an array that is never held anywhere; where a run begins,
/// how long it is and which vector registers make it leaves no trace in the values.
///
/// Layout, part of the format (element i, words w0 .. w3 of Philox4x32-10):
///   key = seed; counter words 0 and 1 = number of the block, word 2 = `random_stream`, word 3 = 0
///   double, integers: block i / 2; word e = w0 2^32 + w1 for even i, o = w2 2^32 + w3 for odd i
///   float:            block i / 4; element i % 4 takes w1, w0, w3, w2
///   normal double:    radius from e, direction from o; even i is its x, odd i its y
///   normal float:     (radius, direction) from (w1, w3) for i % 4 = 0 (x) and 2 (y), from (w0, w2) for 1 (x) and 3 (y)
///
/// Uniform and integer numbers are the same bits on every machine and on devices, unless low + k * step is contracted;
/// normal numbers are where contraction is off (`-ffp-contract=off`, the target `ashlar::reproducible`).
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

#include "config.hpp"
#include "philox.hpp"

namespace ashlar::detail {

/// Word 2 of the counter: what the numbers are for, so that one seed serves all without sharing any word.
enum class random_stream : std::uint32_t {
  uniform_double = 1,
  uniform_float = 2,
  normal_double = 3,
  normal_float = 4,
  integers = 5,
};

/// The ten round keys of a seed, each in the lower half of a lane.
struct round_keys {
  std::uint64_t k0[philox_rounds];
  std::uint64_t k1[philox_rounds];
  std::uint64_t stream;

  ASHLAR_HD round_keys(std::uint64_t seed, random_stream s) : stream(static_cast<std::uint64_t>(s)) {
    philox_key key = key_of_seed(seed);
    for (int round = 0; round < philox_rounds; ++round) {
      k0[round] = key.k0;
      k1[round] = key.k1;
      key.k0 += philox_weyl_0;
      key.k1 += philox_weyl_1;
    }
  }
};

template <class T>
struct uniform_parameters {
  using element = T;
  T low;
  T step;     // width of one of the 2^53 (float: 2^24) steps
  T largest;  // the largest number below high

  /// Needs low <= high and a finite high - low. With low == high every value is the number before it.
  ASHLAR_HD uniform_parameters(T lower, T high)
      : low(lower), step((high - lower) * (sizeof(T) == 8 ? T(0x1p-53) : T(0x1p-24))), largest(before(high)) {}

  /// The neighbour of `x` towards minus infinity.
  ASHLAR_HD static T before(T x) {
    using bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
    constexpr bits sign = static_cast<bits>(bits{1} << (8 * sizeof(T) - 1));
    if (x == T(0)) return __builtin_bit_cast(T, static_cast<bits>(sign | 1));
    const bits b = __builtin_bit_cast(bits, x);
    return __builtin_bit_cast(T, x > T(0) ? static_cast<bits>(b - 1) : static_cast<bits>(b + 1));
  }
};

template <class T>
struct normal_parameters {
  using element = T;
  T mean;
  T stddev;
};

struct integer_parameters {
  using element = std::uint64_t;
  std::uint64_t low;
  std::uint64_t range;  // 0 stands for 2^64
};

namespace random_scalar {
#define ASHLAR_DETAIL_LANES_BYTES 8
#define ASHLAR_DETAIL_LANES_TARGET ASHLAR_HD
#include "random_lanes.inc"
#undef ASHLAR_DETAIL_LANES_BYTES
#undef ASHLAR_DETAIL_LANES_TARGET
}  // namespace random_scalar

#define ASHLAR_DETAIL_LANES_BYTES 16
#define ASHLAR_DETAIL_LANES_TARGET
namespace random_baseline {
#include "random_lanes.inc"
}  // namespace random_baseline
#undef ASHLAR_DETAIL_LANES_BYTES
#undef ASHLAR_DETAIL_LANES_TARGET

#if ASHLAR_DETAIL_X86
#define ASHLAR_DETAIL_LANES_BYTES 32
#define ASHLAR_DETAIL_LANES_TARGET ASHLAR_DETAIL_TARGET_AVX2
namespace random_avx2 {
#include "random_lanes.inc"
}  // namespace random_avx2
#undef ASHLAR_DETAIL_LANES_BYTES
#undef ASHLAR_DETAIL_LANES_TARGET

#define ASHLAR_DETAIL_LANES_BYTES 64
#define ASHLAR_DETAIL_LANES_TARGET ASHLAR_DETAIL_TARGET_AVX512
namespace random_avx512 {
#include "random_lanes.inc"
}  // namespace random_avx512
#undef ASHLAR_DETAIL_LANES_BYTES
#undef ASHLAR_DETAIL_LANES_TARGET
#endif

template <class P>
inline void fill_run_with(isa_level level, typename P::element* out, std::int64_t first, std::int64_t n,
                          const round_keys& keys, const P& p) {
#if ASHLAR_DETAIL_X86
  if (level == isa_level::avx512) return random_avx512::fill_run(out, first, n, keys, p);
  if (level == isa_level::avx2) return random_avx2::fill_run(out, first, n, keys, p);
#endif
  random_baseline::fill_run(out, first, n, keys, p);
}

// -- what the library calls -----------------------------------------------------------------------------------------

/// Elements first .. first + n - 1 of uniform numbers in [low, high): low + k * (high - low) / 2^53 with k from 53 random
/// bits, in float 2^24 and 24 bits. A value that rounds up to `high` is replaced by the number below it.
/// Needs first >= 0, low <= high and a finite high - low.
inline void fill_uniform(double* out, std::int64_t first, std::int64_t n, std::uint64_t seed, double low, double high) {
  const uniform_parameters<double> p{low, high};
  fill_run_with(current_isa(), out, first, n, {seed, random_stream::uniform_double}, p);
}
inline void fill_uniform(float* out, std::int64_t first, std::int64_t n, std::uint64_t seed, float low, float high) {
  const uniform_parameters<float> p{low, high};
  fill_run_with(current_isa(), out, first, n, {seed, random_stream::uniform_float}, p);
}

/// Elements first .. first + n - 1 of normal numbers, mean + (stddev * r) * cos or sin. The float form is computed in
/// float, with half the random words and twice the lanes.
inline void fill_normal(double* out, std::int64_t first, std::int64_t n, std::uint64_t seed, double mean, double stddev) {
  const normal_parameters<double> p{mean, stddev};
  fill_run_with(current_isa(), out, first, n, {seed, random_stream::normal_double}, p);
}
inline void fill_normal(float* out, std::int64_t first, std::int64_t n, std::uint64_t seed, float mean, float stddev) {
  const normal_parameters<float> p{mean, stddev};
  fill_run_with(current_isa(), out, first, n, {seed, random_stream::normal_float}, p);
}

/// Elements first .. first + n - 1 of integers low .. low + range - 1 (modulo the type); range 0 stands for 2^64. Each is
/// the upper half of a 64-bit word times the range (Lemire 2019, without the rejection): no integer's probability is off
/// its share by more than 2^-64, that is, by range / 2^64 of it. The whole range of a type of b < 64 bits is 2^b.
template <std::integral I>
  requires(!std::same_as<I, bool>)
void fill_integers(I* out, std::int64_t first, std::int64_t n, std::uint64_t seed, I low, std::uint64_t range) {
  const integer_parameters p{static_cast<std::uint64_t>(low), range};
  const round_keys keys{seed, random_stream::integers};
  // Through a buffer even for 64-bit types: `long long` and `long` are not to alias.
  constexpr std::int64_t piece = 512;
  std::uint64_t words[piece];
  for (std::int64_t done = 0; done < n; done += piece) {
    const std::int64_t count = n - done < piece ? n - done : piece;
    fill_run_with(current_isa(), words, first + done, count, keys, p);
    for (std::int64_t i = 0; i < count; ++i) out[done + i] = static_cast<I>(words[i]);
  }
}

}  // namespace ashlar::detail
