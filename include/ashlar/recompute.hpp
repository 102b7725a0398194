/// \file
/// Work for memory: arrays that are made again wherever they are needed.
#pragma once

#include <source_location>

#include <ashlar/array.hpp>
#include <ashlar/graph/make_node.hpp>

namespace ashlar {

/// `x`, computed in each pass that reads it instead of once and kept until the last of them.
///
/// An element-wise result that two passes need is kept in blocks: of `(y - y.mean()).sum()` all of y, since the first
/// pass ends before the second begins. With `y = recompute(y)` both passes compute y from its inputs, twice the work
/// and no memory. It reaches down to sources and to results of reductions, through element-wise arrays that nothing
/// else reads; expressions and generators are never kept anyway. A result of compute() or persist() is made once all
/// the same.
///
/// Changes no bit of any result. @returns a lazy array of x's shape, type and chunks. @throws value_error when x comes
/// from a reduction or a function of blocks. Cost: none until it runs
template <lazy X>
array<value_type_t<X>> recompute(const X& x, std::source_location where = std::source_location::current()) {
  return array<value_type_t<X>>(detail::make_anew(detail::node_of(x, where), where));
}

}  // namespace ashlar
