/// \file
/// What NumPy's pad gives, element by element, by walking from the array to the position as a pointer that bounces at
/// the ends, or goes round.
#pragma once

#include <cstdint>

#include <ashlar/boundary.hpp>
#include <ashlar/ndarray.hpp>

namespace testing_support {

/// The index along an axis of n elements at position p, or -1 for a constant.
inline std::int64_t walked(ashlar::boundary_kind kind, std::int64_t p, std::int64_t n) {
  if (p >= 0 && p < n) return p;
  if (kind == ashlar::boundary_kind::constant) return -1;
  std::int64_t at = p < 0 ? 0 : n - 1;
  std::int64_t direction = p < 0 ? -1 : 1;
  for (std::int64_t left = p < 0 ? -p : p - n + 1; left > 0; --left) {
    const bool end = at + direction < 0 || at + direction >= n;
    if (!end) {
      at += direction;
    } else if (kind == ashlar::boundary_kind::wrap) {
      at = direction < 0 ? n - 1 : 0;
    } else if (kind == ashlar::boundary_kind::symmetric) {
      direction = -direction;
    } else if (kind == ashlar::boundary_kind::reflect && n > 1) {
      direction = -direction;
      at += direction;
    }
  }
  return at;
}

/// The element of `x`, of one to three axes, at indices that may lie beyond it.
template <class T>
T beyond(const ashlar::ndarray<T>& x, const ashlar::boundary* per_axis, const T* constants, const std::int64_t* index) {
  std::int64_t offset = 0;
  int constant = -1;
  for (int a = 0; a < x.ndim(); ++a) {
    const std::int64_t i = walked(per_axis[a].kind(), index[a], x.shape()[a]);
    if (i < 0) constant = a;
    offset += i * x.strides()[a];
  }
  return constant >= 0 ? constants[constant] : x.data()[offset];
}

}  // namespace testing_support
