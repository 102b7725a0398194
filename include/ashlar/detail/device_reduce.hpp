/// \file
/// The device side of the library's reducers, for their descriptors.
///
/// Only nvcc sees this file. A launch works on all items of what it is asked for; docs/internals.md tells what an item
/// is. Cost in the object file: six kernels a reducer and element type.
#pragma once

#if defined(__CUDACC__)

#include <cstdint>

#include <ashlar/detail/device_rows.hpp>

namespace ashlar::detail {

template <class P>
inline constexpr device_reducer device_passes = {&rows_pass<device_rules<P>>, &columns_pass<device_rules<P>>,
                                                 &lift_pass<device_rules<P>>, &fold_pass<device_rules<P>>,
                                                 &tree_pass<device_rules<P>>};

}  // namespace ashlar::detail

#endif
