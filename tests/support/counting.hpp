/// \file
/// Arrays whose elements say where they are.
#pragma once

#include <ashlar/ndarray.hpp>
#include <ashlar/shape.hpp>

namespace testing_support {

/// 0, 1, 2, … in C order.
template <class T = double>
ashlar::ndarray<T> counting(const ashlar::shape& extents) {
  ashlar::ndarray<T> result(extents);
  T next = 0;
  for (T& value : result) value = next++;
  return result;
}

}  // namespace testing_support
