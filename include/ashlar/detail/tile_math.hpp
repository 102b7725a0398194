/// \file
/// Elementary functions on tiles of `lanes` elements, one version per instruction set.
///
/// Each function maps exactly `lanes` contiguous elements at any alignment; `in == out` is allowed, other overlap is
/// not. An element's result depends on its value alone, not on its place in the tile or on its neighbours.
/// sqrt, floor, ceil, rint and trunc are exact; the others are within 4 ulp (docs/vector-math.md has the measured
/// maxima). On x86-64 with glibc 2.35 or newer they come from libmvec, elsewhere from the scalar math library.
#pragma once

#include <ashlar/detail/config.hpp>

#if ASHLAR_DETAIL_X86 && defined(__GLIBC_PREREQ)
#if __GLIBC_PREREQ(2, 35)
#define ASHLAR_DETAIL_HAVE_LIBMVEC 1
#endif
#endif

#if defined(ASHLAR_DETAIL_HAVE_LIBMVEC)
#include <ashlar/detail/tile_math/libmvec.hpp>
#include <ashlar/detail/tile_math/rounding.hpp>
#include <ashlar/detail/tile_math/simd.hpp>

namespace ashlar::detail {

/// Tile functions for `Isa`. T is float or double. Calling one needs a machine that has `Isa`.
template <class Isa>
struct tile_math {
#define ASHLAR_DETAIL_TILE_1(where, name)                  \
  template <class T>                                       \
  static void name(const T* in, T* out) noexcept {         \
    simd_loop<Isa>::template map<T, where::name>(in, out); \
  }
#define ASHLAR_DETAIL_TILE_2(where, name)                     \
  template <class T>                                          \
  static void name(const T* a, const T* b, T* out) noexcept { \
    simd_loop<Isa>::template map<T, where::name>(a, b, out);  \
  }
  ASHLAR_DETAIL_TILE_1(simd_ops, sqrt)
  ASHLAR_DETAIL_TILE_1(simd_ops, rint)
  ASHLAR_DETAIL_TILE_1(simd_ops, floor)
  ASHLAR_DETAIL_TILE_1(simd_ops, ceil)
  ASHLAR_DETAIL_TILE_1(simd_ops, trunc)
  ASHLAR_DETAIL_TILE_1(libmvec, exp)
  ASHLAR_DETAIL_TILE_1(libmvec, exp2)
  ASHLAR_DETAIL_TILE_1(libmvec, expm1)
  ASHLAR_DETAIL_TILE_1(libmvec, log)
  ASHLAR_DETAIL_TILE_1(libmvec, log2)
  ASHLAR_DETAIL_TILE_1(libmvec, log10)
  ASHLAR_DETAIL_TILE_1(libmvec, log1p)
  ASHLAR_DETAIL_TILE_1(libmvec, sin)
  ASHLAR_DETAIL_TILE_1(libmvec, cos)
  ASHLAR_DETAIL_TILE_1(libmvec, tan)
  ASHLAR_DETAIL_TILE_1(libmvec, asin)
  ASHLAR_DETAIL_TILE_1(libmvec, acos)
  ASHLAR_DETAIL_TILE_1(libmvec, atan)
  ASHLAR_DETAIL_TILE_1(libmvec, sinh)
  ASHLAR_DETAIL_TILE_1(libmvec, cosh)
  ASHLAR_DETAIL_TILE_1(libmvec, tanh)
  ASHLAR_DETAIL_TILE_1(libmvec, asinh)
  ASHLAR_DETAIL_TILE_1(libmvec, acosh)
  ASHLAR_DETAIL_TILE_1(libmvec, atanh)
  ASHLAR_DETAIL_TILE_1(libmvec, cbrt)
  ASHLAR_DETAIL_TILE_2(libmvec, atan2)
  ASHLAR_DETAIL_TILE_2(libmvec, hypot)
  ASHLAR_DETAIL_TILE_2(libmvec, pow)
#undef ASHLAR_DETAIL_TILE_1
#undef ASHLAR_DETAIL_TILE_2
};

}  // namespace ashlar::detail
#else
#include <ashlar/detail/tile_math/scalar.hpp>
#endif
