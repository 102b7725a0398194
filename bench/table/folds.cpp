/// \file
/// Means and maxima of the table.
#include "table.hpp"

using table::numbers;

/// Over axis 0 or 1, or over all for -1.
TABLE_FUNCTION int table_mean(const numbers* x, int axis, double* out) {
  return table::guard([&] { table::copy_out((axis < 0 ? x->mean() : x->mean(axis)).compute(table::workers), out); });
}

TABLE_FUNCTION int table_max(const numbers* x, double* out) {
  return table::guard([&] { *out = x->max().compute(table::workers).item(); });
}
