/// \file
/// Declarations of glibc's vector math library, as overloads on the vector type.
///
/// The linker finds it without a flag: libm.so is a linker script that names libmvec as needed on demand. The functions
/// for log1p, tanh and their like came with glibc 2.35, so older ones are not used at all.
#pragma once

#include <ashlar/detail/tile_math/simd.hpp>

namespace ashlar::detail::libmvec {

#define ASHLAR_DETAIL_LIBMVEC_1(name)                                                              \
  simd_16_f64 name(simd_16_f64) noexcept __asm__("_ZGVbN2v_" #name);                               \
  simd_16_f32 name(simd_16_f32) noexcept __asm__("_ZGVbN4v_" #name "f");                           \
  ASHLAR_DETAIL_TARGET_AVX2 simd_32_f64 name(simd_32_f64) noexcept __asm__("_ZGVdN4v_" #name);     \
  ASHLAR_DETAIL_TARGET_AVX2 simd_32_f32 name(simd_32_f32) noexcept __asm__("_ZGVdN8v_" #name "f"); \
  ASHLAR_DETAIL_TARGET_AVX512 simd_64_f64 name(simd_64_f64) noexcept __asm__("_ZGVeN8v_" #name);   \
  ASHLAR_DETAIL_TARGET_AVX512 simd_64_f32 name(simd_64_f32) noexcept __asm__("_ZGVeN16v_" #name "f")

#define ASHLAR_DETAIL_LIBMVEC_2(name)                                                                            \
  simd_16_f64 name(simd_16_f64, simd_16_f64) noexcept __asm__("_ZGVbN2vv_" #name);                               \
  simd_16_f32 name(simd_16_f32, simd_16_f32) noexcept __asm__("_ZGVbN4vv_" #name "f");                           \
  ASHLAR_DETAIL_TARGET_AVX2 simd_32_f64 name(simd_32_f64, simd_32_f64) noexcept __asm__("_ZGVdN4vv_" #name);     \
  ASHLAR_DETAIL_TARGET_AVX2 simd_32_f32 name(simd_32_f32, simd_32_f32) noexcept __asm__("_ZGVdN8vv_" #name "f"); \
  ASHLAR_DETAIL_TARGET_AVX512 simd_64_f64 name(simd_64_f64, simd_64_f64) noexcept __asm__("_ZGVeN8vv_" #name);   \
  ASHLAR_DETAIL_TARGET_AVX512 simd_64_f32 name(simd_64_f32, simd_64_f32) noexcept __asm__("_ZGVeN16vv_" #name "f")

ASHLAR_DETAIL_LIBMVEC_1(exp);
ASHLAR_DETAIL_LIBMVEC_1(exp2);
ASHLAR_DETAIL_LIBMVEC_1(expm1);
ASHLAR_DETAIL_LIBMVEC_1(log);
ASHLAR_DETAIL_LIBMVEC_1(log2);
ASHLAR_DETAIL_LIBMVEC_1(log10);
ASHLAR_DETAIL_LIBMVEC_1(log1p);
ASHLAR_DETAIL_LIBMVEC_1(sin);
ASHLAR_DETAIL_LIBMVEC_1(cos);
ASHLAR_DETAIL_LIBMVEC_1(tan);
ASHLAR_DETAIL_LIBMVEC_1(asin);
ASHLAR_DETAIL_LIBMVEC_1(acos);
ASHLAR_DETAIL_LIBMVEC_1(atan);
ASHLAR_DETAIL_LIBMVEC_1(sinh);
ASHLAR_DETAIL_LIBMVEC_1(cosh);
ASHLAR_DETAIL_LIBMVEC_1(tanh);
ASHLAR_DETAIL_LIBMVEC_1(asinh);
ASHLAR_DETAIL_LIBMVEC_1(acosh);
ASHLAR_DETAIL_LIBMVEC_1(atanh);
ASHLAR_DETAIL_LIBMVEC_1(cbrt);
ASHLAR_DETAIL_LIBMVEC_2(atan2);
ASHLAR_DETAIL_LIBMVEC_2(hypot);
ASHLAR_DETAIL_LIBMVEC_2(pow);

#undef ASHLAR_DETAIL_LIBMVEC_1
#undef ASHLAR_DETAIL_LIBMVEC_2

}  // namespace ashlar::detail::libmvec
