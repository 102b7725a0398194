/// \file
/// From a file and names of statistics to nodes of the lazy graph.
///
/// Twelve reductions for one element type and three instruction sets are 15 seconds of compiling. So only five types
/// are compiled, each in a file of its own beside this one; the others are converted inside the pass to one that holds
/// every value of theirs, and results are converted back. For 8 to 32-bit integers in memory that was measured to
/// cost 1.4 to 2.1 times the processor time of reductions of the type itself; a disk is slower than either.
#pragma once

#include <complex>
#include <cstdint>
#include <vector>

#include <ashlar/array.hpp>
#include <ashlar/io/npy_file.hpp>

#include "../stats_options.hpp"

namespace ashlar_stats {

using nodes = std::vector<ashlar::detail::node_ptr>;

/// The results of `options.ops` over the elements of a file, in order.
/// @throws as below; chunk_error
nodes make_statistics(const ashlar::npy_input& input, const stats_options& options);

/// The same over x; `held` is the type in the file, and the types of the results are those
/// of reductions over it.
/// @throws dtype_error an operation that the type does not have; what the reductions throw
template <class T>
nodes make_statistics(const ashlar::array<T>& x, ashlar::dtype held, const stats_options& options);

extern template nodes make_statistics(const ashlar::array<std::int64_t>&, ashlar::dtype, const stats_options&);
extern template nodes make_statistics(const ashlar::array<std::uint64_t>&, ashlar::dtype, const stats_options&);
extern template nodes make_statistics(const ashlar::array<float>&, ashlar::dtype, const stats_options&);
extern template nodes make_statistics(const ashlar::array<double>&, ashlar::dtype, const stats_options&);
extern template nodes make_statistics(const ashlar::array<std::complex<double>>&, ashlar::dtype, const stats_options&);

}  // namespace ashlar_stats
