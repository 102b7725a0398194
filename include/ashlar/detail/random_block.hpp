/// \file
/// Random numbers as a function of (seed, distribution, element index): the layout, and one block of elements at a time
/// in plain numbers, for devices and for checking. `random_tiles.hpp` makes runs of elements with vectors.
///
/// Layout, a part of what a seed promises (element i; words w0 .. w3 of Philox4x32-10):
///   key = seed; counter words 0 and 1 = number of the block, word 2 = `random_stream`, word 3 = 0
///   double, integers: block i / 2; word e = w0 2^32 + w1 for even i, o = w2 2^32 + w3 for odd i
///   float:            block i / 4; elements 0 .. 3 of it take w1, w0, w3, w2
///   normal double:    radius from e, direction from o; even i is the x of the pair, odd i its y
///   normal float:     (radius, direction) from (w1, w3) for elements 0 (x) and 2 (y), from (w0, w2) for 1 (x) and 3
///   (y)
///
/// Integers are the same bits everywhere. Uniform numbers are too unless low + k * step is contracted, normal numbers
/// where nothing is contracted (`-ffp-contract=off`, on devices `-fmad=false`: the target `ashlar::reproducible`).
#pragma once

#include <cstdint>
#include <type_traits>

#include "config.hpp"
#include "philox.hpp"

#define ASHLAR_DETAIL_LANES_FN ASHLAR_DETAIL_LANES_TARGET ASHLAR_DETAIL_INLINE

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

  /// Needs low <= high and a finite high - low. With low == high every value is low.
  ASHLAR_HD uniform_parameters(T lower, T high)
      : low(lower),
        step((high - lower) * (sizeof(T) == 8 ? T(0x1p-53) : T(0x1p-24))),
        largest(high > lower ? before(high) : lower) {}

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

/// Elements 2 block and 2 block + 1.
ASHLAR_HD inline void random_block(double (&out)[2], std::uint64_t block, const round_keys& keys,
                                   const uniform_parameters<double>& p) {
  random_scalar::word_pair w[1];
  random_scalar::random_words<1>({block}, keys, w);
  out[0] = random_scalar::uniform_of(w[0].even, p);
  out[1] = random_scalar::uniform_of(w[0].odd, p);
}
ASHLAR_HD inline void random_block(std::uint64_t (&out)[2], std::uint64_t block, const round_keys& keys,
                                   const integer_parameters& p) {
  random_scalar::word_pair w[1];
  random_scalar::random_words<1>({block}, keys, w);
  out[0] = random_scalar::integer_of(w[0].even, p);
  out[1] = random_scalar::integer_of(w[0].odd, p);
}
ASHLAR_HD inline void random_block(double (&out)[2], std::uint64_t block, const round_keys& keys,
                                   const normal_parameters<double>& p) {
  namespace rs = random_scalar;
  rs::word_pair w[1];
  rs::random_words<1>({block}, keys, w);
  const double radius = rs::radius_end(rs::radius_begin(w[0].even));
  const rs::direction<double> v = rs::normal_at(radius, rs::unit_direction(w[0].odd), p);
  out[0] = v.x;
  out[1] = v.y;
}

/// Elements 4 block .. 4 block + 3.
ASHLAR_HD inline void random_block(float (&out)[4], std::uint64_t block, const round_keys& keys,
                                   const uniform_parameters<float>& p) {
  random_scalar::word_pair w[1];
  random_scalar::random_words<1>({block}, keys, w);
  for (int i = 0; i < 2; ++i) {
    out[i] = random_scalar::uniform_of(static_cast<std::uint32_t>(w[0].even >> (32 * i)), p);
    out[2 + i] = random_scalar::uniform_of(static_cast<std::uint32_t>(w[0].odd >> (32 * i)), p);
  }
}
ASHLAR_HD inline void random_block(float (&out)[4], std::uint64_t block, const round_keys& keys,
                                   const normal_parameters<float>& p) {
  namespace rs = random_scalar;
  rs::word_pair w[1];
  rs::random_words<1>({block}, keys, w);
  for (int i = 0; i < 2; ++i) {
    const float radius = rs::radius_end(rs::radius_begin(static_cast<std::uint32_t>(w[0].even >> (32 * i))));
    const auto to = rs::unit_direction(static_cast<std::uint32_t>(w[0].odd >> (32 * i)));
    const rs::direction<float> v = rs::normal_at(radius, to, p);
    out[i] = v.x;
    out[2 + i] = v.y;
  }
}

}  // namespace ashlar::detail
