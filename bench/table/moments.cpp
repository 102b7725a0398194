/// \file
/// Variance, and several reductions in one pass.
#include "table.hpp"

using table::numbers;

TABLE_FUNCTION int table_var(const numbers* x, double* out) {
  return table::guard([&] { table::copy_out(x->var(0).compute(table::workers), out); });
}

/// Mean, std, min and max over axis 0 in one run; four rows.
TABLE_FUNCTION int table_four(const numbers* x, double* out) {
  return table::guard([&] {
    const auto [mean, std, min, max] = ashlar::compute(table::workers, x->mean(0), x->std(0), x->min(0), x->max(0));
    const std::int64_t n = mean.size();
    table::copy_out(mean, out);
    table::copy_out(std, out + n);
    table::copy_out(min, out + 2 * n);
    table::copy_out(max, out + 3 * n);
  });
}
