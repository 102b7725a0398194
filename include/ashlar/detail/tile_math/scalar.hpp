/// \file
/// The same tile functions as loops over the scalar math library, for platforms without libmvec.
#pragma once

#include <ashlar/detail/config.hpp>

#include <cmath>

namespace ashlar::detail {

/// Tile functions for platforms without a vector math library; `Isa` makes no difference here.
template <class Isa>
struct tile_math {
#define ASHLAR_DETAIL_TILE_1(name)                             \
  template <class T>                                           \
  static void name(const T* in, T* out) noexcept {             \
    for (int i = 0; i < lanes; ++i) out[i] = std::name(in[i]); \
  }
#define ASHLAR_DETAIL_TILE_2(name)                                  \
  template <class T>                                                \
  static void name(const T* a, const T* b, T* out) noexcept {       \
    for (int i = 0; i < lanes; ++i) out[i] = std::name(a[i], b[i]); \
  }
  ASHLAR_DETAIL_TILE_1(sqrt)
  ASHLAR_DETAIL_TILE_1(rint)
  ASHLAR_DETAIL_TILE_1(floor)
  ASHLAR_DETAIL_TILE_1(ceil)
  ASHLAR_DETAIL_TILE_1(trunc)
  ASHLAR_DETAIL_TILE_1(exp)
  ASHLAR_DETAIL_TILE_1(exp2)
  ASHLAR_DETAIL_TILE_1(expm1)
  ASHLAR_DETAIL_TILE_1(log)
  ASHLAR_DETAIL_TILE_1(log2)
  ASHLAR_DETAIL_TILE_1(log10)
  ASHLAR_DETAIL_TILE_1(log1p)
  ASHLAR_DETAIL_TILE_1(sin)
  ASHLAR_DETAIL_TILE_1(cos)
  ASHLAR_DETAIL_TILE_1(tan)
  ASHLAR_DETAIL_TILE_1(asin)
  ASHLAR_DETAIL_TILE_1(acos)
  ASHLAR_DETAIL_TILE_1(atan)
  ASHLAR_DETAIL_TILE_1(sinh)
  ASHLAR_DETAIL_TILE_1(cosh)
  ASHLAR_DETAIL_TILE_1(tanh)
  ASHLAR_DETAIL_TILE_1(asinh)
  ASHLAR_DETAIL_TILE_1(acosh)
  ASHLAR_DETAIL_TILE_1(atanh)
  ASHLAR_DETAIL_TILE_1(cbrt)
  ASHLAR_DETAIL_TILE_2(atan2)
  ASHLAR_DETAIL_TILE_2(hypot)
  ASHLAR_DETAIL_TILE_2(pow)
#undef ASHLAR_DETAIL_TILE_1
#undef ASHLAR_DETAIL_TILE_2
};

}  // namespace ashlar::detail
