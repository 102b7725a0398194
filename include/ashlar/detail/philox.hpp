/// \file
/// Philox4x32-10, the counter-based generator of Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as
/// 1, 2, 3" (SC 2011): ten rounds of two 32 x 32 -> 64 bit products turn a 128-bit counter and a 64-bit key into four
/// 32-bit words. There is no state, so any element of any array can be made anywhere, in any order. This is the plain
/// form for one counter; `random_tiles.hpp` runs the same rounds on vectors.
#pragma once

#include <cstdint>

#include "config.hpp"

namespace ashlar::detail {

inline constexpr std::uint32_t philox_multiplier_0 = 0xD2511F53u;
inline constexpr std::uint32_t philox_multiplier_1 = 0xCD9E8D57u;
/// Added to the two key words between rounds: the golden ratio and sqrt(3) - 1, as in the paper.
inline constexpr std::uint32_t philox_weyl_0 = 0x9E3779B9u;
inline constexpr std::uint32_t philox_weyl_1 = 0xBB67AE85u;
inline constexpr int philox_rounds = 10;

struct philox_key {
  std::uint32_t k0;
  std::uint32_t k1;
};

/// Both key words come from the seed: low half first.
ASHLAR_HD inline philox_key key_of_seed(std::uint64_t seed) {
  return {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)};
}

/// The four words of one counter. `counter_lo` holds words 0 and 1 of the paper's counter, `counter_hi` words 2 and 3,
/// low half first. Cost: 20 multiplications.
ASHLAR_HD inline void philox4x32_10(std::uint64_t counter_lo, std::uint64_t counter_hi, philox_key key,
                                    std::uint32_t out[4]) {
  std::uint32_t x0 = static_cast<std::uint32_t>(counter_lo), x1 = static_cast<std::uint32_t>(counter_lo >> 32);
  std::uint32_t x2 = static_cast<std::uint32_t>(counter_hi), x3 = static_cast<std::uint32_t>(counter_hi >> 32);
  for (int round = 0; round < philox_rounds; ++round) {
    const std::uint64_t p0 = std::uint64_t{philox_multiplier_0} * x0;
    const std::uint64_t p1 = std::uint64_t{philox_multiplier_1} * x2;
    x0 = static_cast<std::uint32_t>(p1 >> 32) ^ x1 ^ key.k0;
    x2 = static_cast<std::uint32_t>(p0 >> 32) ^ x3 ^ key.k1;
    x1 = static_cast<std::uint32_t>(p1);
    x3 = static_cast<std::uint32_t>(p0);
    key.k0 += philox_weyl_0;
    key.k1 += philox_weyl_1;
  }
  out[0] = x0;
  out[1] = x1;
  out[2] = x2;
  out[3] = x3;
}

}  // namespace ashlar::detail
