/// \file
/// Square root and rounding to integers, one instruction each where the instruction set has it.
///
/// g++ keeps std::sqrt and std::floor scalar unless errno and trapping semantics are switched off, and attributes that
/// switch them off stop inlining. Inline assembly says what is meant. Results are exact, so they agree on every
/// instruction set. Before SSE4.1 there is no rounding instruction: adding and subtracting 2^52 (2^23) rounds to an
/// integer in the current mode, ties to even, and the other three are corrected from there.
#pragma once

#include <ashlar/detail/tile_math/simd.hpp>

namespace ashlar::detail::simd_ops {

#if defined(__AVX__)
#define ASHLAR_DETAIL_SSE_SQRT "vsqrt"
#else
#define ASHLAR_DETAIL_SSE_SQRT "sqrt"
#endif

// Both assembler dialects are given, so that -masm=intel works too.
#define ASHLAR_DETAIL_SQRT(target, type, instruction, constraint)                                   \
  target inline type sqrt(type x) noexcept {                                                        \
    __asm__("{" instruction " %1, %0|" instruction " %0, %1}" : "=" constraint(x) : constraint(x)); \
    return x;                                                                                       \
  }
ASHLAR_DETAIL_SQRT(, simd_16_f64, ASHLAR_DETAIL_SSE_SQRT "pd", "x")
ASHLAR_DETAIL_SQRT(, simd_16_f32, ASHLAR_DETAIL_SSE_SQRT "ps", "x")
ASHLAR_DETAIL_SQRT(ASHLAR_DETAIL_TARGET_AVX2, simd_32_f64, "vsqrtpd", "x")
ASHLAR_DETAIL_SQRT(ASHLAR_DETAIL_TARGET_AVX2, simd_32_f32, "vsqrtps", "x")
ASHLAR_DETAIL_SQRT(ASHLAR_DETAIL_TARGET_AVX512, simd_64_f64, "vsqrtpd", "v")
ASHLAR_DETAIL_SQRT(ASHLAR_DETAIL_TARGET_AVX512, simd_64_f32, "vsqrtps", "v")
#undef ASHLAR_DETAIL_SQRT
#undef ASHLAR_DETAIL_SSE_SQRT

// The immediate: bits 0-1 pick nearest-even, down, up or towards zero; bit 3 keeps the inexact flag untouched.
#define ASHLAR_DETAIL_ROUND_1(target, name, type, instruction, constraint, mode)   \
  target inline type name(type x) noexcept {                                       \
    __asm__("{" instruction " $" mode ", %1, %0|" instruction " %0, %1, " mode "}" \
            : "=" constraint(x)                                                    \
            : constraint(x));                                                      \
    return x;                                                                      \
  }
#define ASHLAR_DETAIL_ROUND(name, mode)                                                           \
  ASHLAR_DETAIL_ROUND_1(ASHLAR_DETAIL_TARGET_AVX2, name, simd_32_f64, "vroundpd", "x", mode)      \
  ASHLAR_DETAIL_ROUND_1(ASHLAR_DETAIL_TARGET_AVX2, name, simd_32_f32, "vroundps", "x", mode)      \
  ASHLAR_DETAIL_ROUND_1(ASHLAR_DETAIL_TARGET_AVX512, name, simd_64_f64, "vrndscalepd", "v", mode) \
  ASHLAR_DETAIL_ROUND_1(ASHLAR_DETAIL_TARGET_AVX512, name, simd_64_f32, "vrndscaleps", "v", mode)
ASHLAR_DETAIL_ROUND(rint, "8")
ASHLAR_DETAIL_ROUND(floor, "9")
ASHLAR_DETAIL_ROUND(ceil, "10")
ASHLAR_DETAIL_ROUND(trunc, "11")
#undef ASHLAR_DETAIL_ROUND
#undef ASHLAR_DETAIL_ROUND_1

template <class Simd>
struct rounding_constants;
template <>
struct rounding_constants<simd_16_f64> {
  using bits = std::int64_t __attribute__((vector_size(16)));
  static constexpr std::int64_t sign = INT64_MIN;
  static constexpr double integral_from = 0x1p52;
};
template <>
struct rounding_constants<simd_16_f32> {
  using bits = std::int32_t __attribute__((vector_size(16)));
  static constexpr std::int32_t sign = INT32_MIN;
  static constexpr float integral_from = 0x1p23F;
};

// Rounds |x| to an integer and then takes off one where `Adjust` finds that it went the wrong way. The sign comes back
// last, so that -0.25 gives -0. Infinities, NaN and what is integral by its size pass through.
template <class Simd, class Adjust>
ASHLAR_DETAIL_INLINE Simd round_without_instruction(Simd x, Adjust adjust) noexcept {
  using constants = rounding_constants<Simd>;
  using bits = typename constants::bits;
  const bits sign = reinterpret_cast<bits>(x) & constants::sign;
  const Simd magnitude = reinterpret_cast<Simd>(reinterpret_cast<bits>(x) & ~constants::sign);
  Simd rounded = (magnitude + constants::integral_from) - constants::integral_from;
  rounded = reinterpret_cast<Simd>(reinterpret_cast<bits>(rounded) | sign);
  rounded = adjust(x, rounded);
  rounded = reinterpret_cast<Simd>((reinterpret_cast<bits>(rounded) & ~constants::sign) | sign);
  return magnitude < constants::integral_from ? rounded : x;
}

template <class Simd>
inline Simd rint(Simd x) noexcept {
  return round_without_instruction(x, [](Simd, Simd r) { return r; });
}
template <class Simd>
inline Simd floor(Simd x) noexcept {
  return round_without_instruction(x, [](Simd v, Simd r) { return r > v ? r - 1 : r; });
}
template <class Simd>
inline Simd ceil(Simd x) noexcept {
  return round_without_instruction(x, [](Simd v, Simd r) { return r < v ? r + 1 : r; });
}
template <class Simd>
inline Simd trunc(Simd x) noexcept {
  return round_without_instruction(x, [](Simd v, Simd r) {
    const Simd up = r < v ? r + 1 : r;
    const Simd down = r > v ? r - 1 : r;
    return v < 0 ? up : down;
  });
}

}  // namespace ashlar::detail::simd_ops
