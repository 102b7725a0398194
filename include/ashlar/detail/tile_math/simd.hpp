/// \file
/// Register-wide vector types and the loops that walk a tile with them.
///
/// They are GNU vector types, so no intrinsics header is needed (that one alone costs more to parse than all of this)
/// and g++, clang and nvcc take the same text. A function with such a type in its signature carries the target
/// attribute of its instruction set: the value then travels in one register, and no ABI warning appears. The loops are
/// kept out of line, since callers are compiled once per expression and a call per 128 elements costs next to nothing.
#pragma once

#include <ashlar/detail/config.hpp>

namespace ashlar::detail {

using simd_16_f64 = double __attribute__((vector_size(16)));
using simd_16_f32 = float __attribute__((vector_size(16)));
using simd_32_f64 = double __attribute__((vector_size(32)));
using simd_32_f32 = float __attribute__((vector_size(32)));
using simd_64_f64 = double __attribute__((vector_size(64)));
using simd_64_f32 = float __attribute__((vector_size(64)));

template <class Isa, class T>
struct simd_type;

// g++ passes vectors as the function's own target attribute says. clang goes by the instruction set of the whole file:
// it hands a wider vector over on the stack, while the vector math library takes it from a register. So with clang a
// call is no wider than what the file is compiled for; the loops around it are as wide as ever.
#define ASHLAR_DETAIL_SIMD_TYPE(isa, bytes) \
  template <>                               \
  struct simd_type<isa, double> {           \
    using type = simd_##bytes##_f64;        \
  };                                        \
  template <>                               \
  struct simd_type<isa, float> {            \
    using type = simd_##bytes##_f32;        \
  }
ASHLAR_DETAIL_SIMD_TYPE(isa_baseline, 16);
#if !defined(__clang__) || defined(__AVX512F__)
ASHLAR_DETAIL_SIMD_TYPE(isa_avx2, 32);
ASHLAR_DETAIL_SIMD_TYPE(isa_avx512, 64);
#elif defined(__AVX__)
ASHLAR_DETAIL_SIMD_TYPE(isa_avx2, 32);
ASHLAR_DETAIL_SIMD_TYPE(isa_avx512, 32);
#else
ASHLAR_DETAIL_SIMD_TYPE(isa_avx2, 16);
ASHLAR_DETAIL_SIMD_TYPE(isa_avx512, 16);
#endif
#undef ASHLAR_DETAIL_SIMD_TYPE

template <class Isa, class T>
using simd = typename simd_type<Isa, T>::type;

template <class Isa, class T>
using simd_unary = simd<Isa, T> (*)(simd<Isa, T>) noexcept;
template <class Isa, class T>
using simd_binary = simd<Isa, T> (*)(simd<Isa, T>, simd<Isa, T>) noexcept;

template <class Isa>
struct simd_loop;

// One copy of the two loops per instruction set: a target attribute cannot depend on a template parameter.
#define ASHLAR_DETAIL_SIMD_LOOP(isa, target)                                                    \
  template <>                                                                                   \
  struct simd_loop<isa> {                                                                       \
    template <class T, simd_unary<isa, T> F>                                                    \
    target __attribute__((noinline)) static void map(const T* in, T* out) noexcept {            \
      constexpr int width = int{sizeof(simd<isa, T>)} / int{sizeof(T)};                         \
      for (int i = 0; i < lanes; i += width) {                                                  \
        simd<isa, T> x;                                                                         \
        __builtin_memcpy(&x, in + i, sizeof x);                                                 \
        x = F(x);                                                                               \
        __builtin_memcpy(out + i, &x, sizeof x);                                                \
      }                                                                                         \
    }                                                                                           \
    template <class T, simd_binary<isa, T> F>                                                   \
    target __attribute__((noinline)) static void map(const T* a, const T* b, T* out) noexcept { \
      constexpr int width = int{sizeof(simd<isa, T>)} / int{sizeof(T)};                         \
      for (int i = 0; i < lanes; i += width) {                                                  \
        simd<isa, T> x;                                                                         \
        simd<isa, T> y;                                                                         \
        __builtin_memcpy(&x, a + i, sizeof x);                                                  \
        __builtin_memcpy(&y, b + i, sizeof y);                                                  \
        x = F(x, y);                                                                            \
        __builtin_memcpy(out + i, &x, sizeof x);                                                \
      }                                                                                         \
    }                                                                                           \
  }
ASHLAR_DETAIL_SIMD_LOOP(isa_baseline, );
ASHLAR_DETAIL_SIMD_LOOP(isa_avx2, ASHLAR_DETAIL_TARGET_AVX2);
ASHLAR_DETAIL_SIMD_LOOP(isa_avx512, ASHLAR_DETAIL_TARGET_AVX512);
#undef ASHLAR_DETAIL_SIMD_LOOP

}  // namespace ashlar::detail
