/// \file
/// A chain of element-wise functions inside a reduction.
#include <ashlar/functions.hpp>

#include "table.hpp"

using table::numbers;

TABLE_FUNCTION int table_chain(const numbers* x, double* out) {
  return table::guard([&] { *out = (sqrt(abs((*x - 10.0) / 0.1)) + sin(*x)).mean().compute(table::workers).item(); });
}
