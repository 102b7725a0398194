/// \file
/// The only place that looks at compilers and instruction sets.
///
/// Loops over blocks are compiled once per instruction set and picked at run time. The body of such a loop is an
/// always-inline function without a target of its own; the entry that carries a target attribute inlines it, so the
/// vectoriser sees it with the wider registers. When the whole program is already compiled for AVX-512 the narrower
/// copies are left out.
#pragma once

#include <cstdint>

#if defined(__FAST_MATH__) && !defined(ASHLAR_ALLOW_FAST_MATH)
#error \
    "ashlar: -ffast-math breaks NaN rules and fixed reduction order; compile without it, or define ASHLAR_ALLOW_FAST_MATH"
#endif

#define ASHLAR_DETAIL_INLINE __attribute__((always_inline)) inline

// The planner and the executors need no user types. By default they are inline functions like everything else; with
// ASHLAR_SEPARATE (set by the CMake target ashlar::separate) they are only declared, and compiled once, in
// src/ashlar.cpp.
#if defined(ASHLAR_SEPARATE)
#define ASHLAR_DETAIL_SEPARATE
#else
#define ASHLAR_DETAIL_SEPARATE inline
#endif

#if defined(__CUDACC__)
#define ASHLAR_HD __host__ __device__
#else
#define ASHLAR_HD
#endif

#if defined(__clang__)
#define ASHLAR_DETAIL_IVDEP _Pragma("clang loop vectorize(assume_safety)")
#else
#define ASHLAR_DETAIL_IVDEP _Pragma("GCC ivdep")
#endif

// nvcc hands the pragma on to the host compiler, and warns that it does not know it itself.
#if defined(__CUDACC__)
#define ASHLAR_DETAIL_UNROLL_16 \
  _Pragma("nv_diagnostic push") _Pragma("nv_diag_suppress 1675") _Pragma("GCC unroll 16") _Pragma("nv_diagnostic pop")
#else
#define ASHLAR_DETAIL_UNROLL_16 _Pragma("GCC unroll 16")
#endif

#if defined(__x86_64__)
#define ASHLAR_DETAIL_X86 1
#define ASHLAR_DETAIL_TARGET_AVX2 __attribute__((target("avx2,fma")))
#define ASHLAR_DETAIL_TARGET_AVX512 __attribute__((target("avx2,fma,avx512f,avx512dq,avx512vl,avx512bw")))
#else
#define ASHLAR_DETAIL_X86 0
#define ASHLAR_DETAIL_TARGET_AVX2
#define ASHLAR_DETAIL_TARGET_AVX512
#endif

// Whether blocks that a user's function works on are copied between bytes that may not be touched.
#if defined(__SANITIZE_ADDRESS__)
#define ASHLAR_DETAIL_RED_ZONES 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ASHLAR_DETAIL_RED_ZONES 1
#endif
#endif
#if !defined(ASHLAR_DETAIL_RED_ZONES)
#define ASHLAR_DETAIL_RED_ZONES 0
#endif

// ASHLAR_DETAIL_BASELINE_ONLY, for builds under sanitizers: loops over blocks are compiled for the baseline alone,
// which halves the time that reductions take to compile.

namespace ashlar::detail {

/// Elements that one compiled loop handles at a time. Shorter tails are copied to padded buffers of this length and go
/// through the same code, so an element's bits never depend on where a block ends.
inline constexpr int lanes = 128;

inline constexpr bool has_red_zones = ASHLAR_DETAIL_RED_ZONES == 1;

// Tags that name an instruction set at compile time.
struct isa_baseline {};
struct isa_avx2 {};
struct isa_avx512 {};

enum class isa_level : std::uint8_t { baseline = 0, avx2 = 1, avx512 = 2 };

/// The widest instruction set that this machine runs and that the loops are compiled for. Cost: one load.
inline isa_level current_isa() noexcept {
#if ASHLAR_DETAIL_X86
  static const isa_level level = [] {
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512bw")) {
      return isa_level::avx512;
    }
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return isa_level::avx2;
    return isa_level::baseline;
  }();
  return level;
#else
  return isa_level::baseline;
#endif
}

}  // namespace ashlar::detail
