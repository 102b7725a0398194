/// \file
/// The only places where nodes are made; everything about a node is checked here, when the user writes the line.
#pragma once

#include <source_location>
#include <vector>

#include <ashlar/detail/config.hpp>
#include <ashlar/graph/node.hpp>
#include <ashlar/shape.hpp>

namespace ashlar::detail {

/// @throws shape_error when the number of elements overflows
node_ptr make_source(source_ptr from, dtype type, const ashlar::shape& shape, block_grid grid,
                     std::source_location where);

/// @throws shape_error when the inputs do not broadcast, chunk_error when one has unknown block lengths
node_ptr make_elementwise(kernel k, std::vector<node_ptr> inputs, std::source_location where);

struct reduction_spec {
  const reducer_descriptor* reducer;
  const finisher_descriptor* finisher;
  double parameter = 0;
  bool keepdims = false;
  int split_every = 8;
  bool empty_is_error = false;
  const device_fused* fused = nullptr;
};

/// @throws axis_error, shape_error (an extremum over nothing), value_error (split_every), chunk_error (unknown lengths)
node_ptr make_reduction(node_ptr input, const axes& which, const reduction_spec& spec, std::source_location where);

/// The element-wise node, or source, computed in each pass that reads it. @throws value_error for any other node
node_ptr make_anew(const node_ptr& n, std::source_location where);

}  // namespace ashlar::detail

#if !defined(ASHLAR_SEPARATE)
#include <ashlar/graph/make_node_impl.hpp>
#endif
