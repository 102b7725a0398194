/// \file
/// Boxes of elements.
#pragma once

#include <cstdint>

#include <ashlar/shape.hpp>

namespace ashlar::detail {

/// A half-open box: `length[a]` elements from `offset[a]` along each axis.
struct box {
  int ndim = 0;
  std::int64_t offset[max_ndim];
  std::int64_t length[max_ndim];

  std::int64_t size() const noexcept {
    std::int64_t n = 1;
    for (int a = 0; a < ndim; ++a) n *= length[a];
    return n;
  }
};

}  // namespace ashlar::detail
