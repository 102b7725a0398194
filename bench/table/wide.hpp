/// \file
/// Vectors of the processor's full width for the loops by hand: AVX-512 intrinsics and glibc's vector math where the
/// compiler's target has them, else the compiler's own vectors.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#if defined(__AVX512F__) && defined(__AVX512DQ__) && defined(__GLIBC__)
#define TABLE_AVX512 1
#include <immintrin.h>
// g++ 12 warns of its own intrinsics when they are inlined (GCC bug 105593).
#pragma GCC diagnostic ignored "-Wuninitialized"
#if !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
extern "C" {
__m512d _ZGVeN8v_sin(__m512d) noexcept;
__m512d _ZGVeN8v_cos(__m512d) noexcept;
__m512d _ZGVeN8v_log(__m512d) noexcept;
}
#else
#define TABLE_AVX512 0
#endif

namespace table {

constexpr std::int64_t width = 8;
typedef double vec __attribute__((vector_size(64)));

inline vec load(const double* p) {
  vec v;
  std::memcpy(&v, p, sizeof v);
  return v;
}

inline double add_up(vec v) { return ((v[0] + v[4]) + (v[1] + v[5])) + ((v[2] + v[6]) + (v[3] + v[7])); }

#if TABLE_AVX512
inline vec root(vec v) { return reinterpret_cast<vec>(_mm512_sqrt_pd(reinterpret_cast<__m512d>(v))); }
inline vec magnitude(vec v) { return reinterpret_cast<vec>(_mm512_abs_pd(reinterpret_cast<__m512d>(v))); }
inline vec sine(vec v) { return reinterpret_cast<vec>(_ZGVeN8v_sin(reinterpret_cast<__m512d>(v))); }
inline void stream(double* p, vec v) { _mm512_stream_pd(p, reinterpret_cast<__m512d>(v)); }

inline __m512d unit_interval(__m512i word) {
  const __m512d k = _mm512_cvtepi64_pd(_mm512_srli_epi64(word, 11));
  return _mm512_mul_pd(_mm512_add_pd(k, _mm512_set1_pd(0.5)), _mm512_set1_pd(0x1p-53));
}

/// n numbers, a multiple of 16: eight counters at once, two words each.
inline void normal_run(std::uint64_t counter, std::uint32_t seed, double* out, std::int64_t n) {
  const __m512i m0 = _mm512_set1_epi64(0xD2511F53);
  const __m512i m1 = _mm512_set1_epi64(0xCD9E8D57);
  const __m512i low = _mm512_set1_epi64(0xFFFFFFFF);
  const __m512i eight = _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0);
  for (std::int64_t i = 0; i < n; i += 16, counter += 8) {
    const __m512i c = _mm512_add_epi64(_mm512_set1_epi64(static_cast<long long>(counter)), eight);
    __m512i x0 = _mm512_and_si512(c, low);
    __m512i x1 = _mm512_srli_epi64(c, 32);
    __m512i x2 = _mm512_setzero_si512();
    __m512i x3 = x2;
    std::uint32_t k0 = seed;
    std::uint32_t k1 = 0;
    for (int r = 0; r < 10; ++r, k0 += 0x9E3779B9, k1 += 0xBB67AE85) {
      const __m512i p0 = _mm512_mul_epu32(x0, m0);
      const __m512i p1 = _mm512_mul_epu32(x2, m1);
      x0 = _mm512_xor_si512(_mm512_xor_si512(_mm512_srli_epi64(p1, 32), x1), _mm512_set1_epi64(k0));
      x2 = _mm512_xor_si512(_mm512_xor_si512(_mm512_srli_epi64(p0, 32), x3), _mm512_set1_epi64(k1));
      x1 = _mm512_and_si512(p1, low);
      x3 = _mm512_and_si512(p0, low);
    }
    const __m512d u = unit_interval(_mm512_or_si512(_mm512_slli_epi64(x1, 32), x0));
    const __m512d t =
        _mm512_mul_pd(unit_interval(_mm512_or_si512(_mm512_slli_epi64(x3, 32), x2)), _mm512_set1_pd(6.283185307179586));
    const __m512d radius = _mm512_sqrt_pd(_mm512_mul_pd(_mm512_set1_pd(-2), _ZGVeN8v_log(u)));
    const __m512d ten = _mm512_set1_pd(10);
    const __m512d scale = _mm512_mul_pd(radius, _mm512_set1_pd(0.1));
    _mm512_storeu_pd(out + i, _mm512_fmadd_pd(scale, _ZGVeN8v_cos(t), ten));
    _mm512_storeu_pd(out + i + 8, _mm512_fmadd_pd(scale, _ZGVeN8v_sin(t), ten));
  }
}
#else
template <class F>
vec map(vec v, F f) {
  for (int i = 0; i < width; ++i) v[i] = f(v[i]);
  return v;
}
inline vec root(vec v) {
  return map(v, [](double x) { return std::sqrt(x); });
}
inline vec magnitude(vec v) {
  return map(v, [](double x) { return std::abs(x); });
}
inline vec sine(vec v) {
  return map(v, [](double x) { return std::sin(x); });
}
inline void stream(double* p, vec v) { std::memcpy(p, &v, sizeof v); }

inline void normal_run(std::uint64_t counter, std::uint32_t seed, double* out, std::int64_t n) {
  for (std::int64_t i = 0; i < n; i += 2, ++counter) {
    std::uint64_t x0 = counter & 0xFFFFFFFF;
    std::uint64_t x1 = counter >> 32;
    std::uint64_t x2 = 0;
    std::uint64_t x3 = 0;
    std::uint32_t k0 = seed;
    std::uint32_t k1 = 0;
    for (int r = 0; r < 10; ++r, k0 += 0x9E3779B9, k1 += 0xBB67AE85) {
      const std::uint64_t p0 = x0 * 0xD2511F53;
      const std::uint64_t p1 = x2 * 0xCD9E8D57;
      x0 = (p1 >> 32) ^ x1 ^ k0;
      x2 = (p0 >> 32) ^ x3 ^ k1;
      x1 = p1 & 0xFFFFFFFF;
      x3 = p0 & 0xFFFFFFFF;
    }
    const double u = (static_cast<double>((x1 << 32 | x0) >> 11) + 0.5) * 0x1p-53;
    const double t = (static_cast<double>((x3 << 32 | x2) >> 11) + 0.5) * 0x1p-53 * 6.283185307179586;
    const double radius = 0.1 * std::sqrt(-2 * std::log(u));
    out[i] = 10 + radius * std::cos(t);
    out[i + 1] = 10 + radius * std::sin(t);
  }
}
#endif

}  // namespace table
