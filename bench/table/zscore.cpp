/// \file
/// A result as large as the input, in new memory.
#include <ashlar/functions.hpp>

#include "table.hpp"

using table::numbers;

/// The first row of the result is left in `sample`; the result itself is dropped.
TABLE_FUNCTION int table_zscore(const numbers* x, double* sample) {
  return table::guard([&] {
    const ashlar::ndarray<double> z = ((*x - x->mean(0)) / x->std(0)).compute(table::workers);
    for (std::int64_t j = 0; j < z.shape()[1]; ++j) sample[j] = z.data()[j];
  });
}
