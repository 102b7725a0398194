/// \file
/// The one element of a 0-d result.
#pragma once

#include <ashlar/array.hpp>

namespace testing_support {

template <ashlar::lazy X, ashlar::executor Where = ashlar::serial>
auto item(const X& x, const Where& on = {}) {
  return x.compute(on).item();
}

}  // namespace testing_support
