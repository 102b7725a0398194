// The array that tells by each element where it was.
#pragma once

#include <ashlar/array.hpp>
#include <ashlar/creation.hpp>

/// 0, 1, 2, … in memory, in row-major order.
inline ashlar::array<double> counted(const ashlar::shape& extents, const ashlar::chunks& chunks) {
  return ashlar::from(
      ashlar::arange<double>(static_cast<double>(extents.size())).compute(ashlar::serial{}).reshape(extents),
      {.chunks = chunks});
}
