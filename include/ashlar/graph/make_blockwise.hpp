/// \file
/// How nodes of users' block functions are made and checked. Nothing here calls a function.
#pragma once

#include <cstdint>
#include <memory>
#include <source_location>
#include <string>
#include <vector>

#include <ashlar/chunks.hpp>
#include <ashlar/detail/config.hpp>
#include <ashlar/graph/node.hpp>
#include <ashlar/shape.hpp>

namespace ashlar::detail {

/// What map_blocks(), map_overlap() and blockwise() are asked for: labels of axes, as small integers.
struct blockwise_spec {
  std::shared_ptr<const block_function> function;
  dtype type = dtype::float64;
  std::vector<node_ptr> inputs;
  std::vector<std::vector<int>> labels;  // by operand and axis
  std::vector<int> result;               // labels of the result's axes
  bool new_axes_are_one = false;         // a label that no operand has means one block of 1; else chunks must say it
  ashlar::chunks chunks = keep;          // lengths of the result's blocks
  std::string (*label_text)(int) = nullptr;
  halo_request halo;  // of map_overlap
};

/// @throws shape_error when extents under one label do not broadcast, chunk_error when the chunks do not fit or the
/// operands' are not known, value_error and dtype_error for a halo that cannot be
node_ptr make_blockwise(blockwise_spec spec, std::source_location where);

/// As map_blocks() labels its operands: matched from the right, some dropped, some new.
/// @throws axis_error for an axis that does not exist or is named twice
void label_map_blocks(blockwise_spec& spec, const axes& drop, const axes& added);

/// As blockwise() labels them: "ij,jk->ik". @throws value_error for text that is no such rule, shape_error when the
/// number of operands or of an operand's axes is another
void label_blockwise(blockwise_spec& spec, const std::string& rule);

/// Medians along an axis of doubles, which keeps length 1; NaN where there is one, the mean of two in the middle.
node_ptr make_median(node_ptr input, int axis, std::source_location where);

/// What has to be made so that all of `input` has been: an array of one element, in a task that reads no element.
node_ptr make_mark(node_ptr input, std::source_location where);

/// A copy of an array whose tasks begin when those of `marks` have ended: all its sources, and users' functions of
/// blocks, wait for them. @throws value_error where delayed calls make elements of the array
node_ptr make_after(const node_ptr& input, const std::vector<node_ptr>& marks, std::source_location where);

/// A reduction by three functions. States have `state_bytes` bytes: an element type, or bytes along a last axis.
struct user_reduction_spec {
  std::shared_ptr<const block_function> chunk;
  std::shared_ptr<const block_function> combine;
  std::shared_ptr<const block_function> aggregate;
  dtype state = dtype::float64;
  std::int64_t state_bytes = 0;  // 0: states are elements of type `state`
  dtype type = dtype::float64;
  bool keepdims = false;
  int split_every = 8;
};

/// @throws axis_error, value_error (split_every below 2), chunk_error (unknown lengths)
node_ptr make_user_reduction(node_ptr input, const axis_set& which, const user_reduction_spec& spec,
                             std::source_location where);

}  // namespace ashlar::detail

#if !defined(ASHLAR_SEPARATE)
#include <ashlar/graph/make_after_impl.hpp>
#include <ashlar/graph/make_blockwise_impl.hpp>
#endif
