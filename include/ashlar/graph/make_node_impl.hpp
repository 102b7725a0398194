/// \file
/// How nodes are made and checked.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <ashlar/detail/unify_chunks.hpp>
#include <ashlar/error.hpp>
#include <ashlar/graph/make_node.hpp>

namespace ashlar::detail {

ASHLAR_DETAIL_SEPARATE node_ptr make_source(source_ptr from, dtype type, const ashlar::shape& shape, block_grid grid,
                                            std::source_location where) {
  static_cast<void>(shape.size());  // throws when the number of elements overflows
  auto n = std::make_shared<node>();
  n->kind = node_kind::source;
  n->type = type;
  n->shape = shape;
  n->grid = std::move(grid);
  n->where = where;
  n->pending = from->pending() || !from->where().on_host();
  n->from = std::move(from);
  return n;
}

ASHLAR_DETAIL_SEPARATE node_ptr make_elementwise(kernel k, std::vector<node_ptr> inputs, std::source_location where) {
  auto n = std::make_shared<node>();
  n->kind = node_kind::elementwise;
  n->type = k.descriptor->output;
  n->where = where;
  std::vector<unify_operand> grids;
  bool equal = true;
  for (const node_ptr& i : inputs) {
    n->shape = broadcast_shapes(n->shape, i->shape, k.descriptor->name);
    grids.push_back({&i->grid, itemsize(i->type)});
    equal = equal && i->grid == inputs.front()->grid;
    n->pending = n->pending || i->pending;
  }
  static_cast<void>(n->shape.size());
  if (!inputs.empty() && equal) {
    inputs.front()->grid.require_known(k.descriptor->name);
    n->grid = inputs.front()->grid;
  } else {
    n->grid = unify_grids(grids, n->shape, k.descriptor->name);
  }
  n->kernel = std::move(k);
  n->inputs = std::move(inputs);
  return n;
}

ASHLAR_DETAIL_SEPARATE node_ptr make_reduction(node_ptr input, const axes& which, const reduction_spec& spec,
                                               std::source_location where) {
  const char* const call = spec.finisher->name;
  const axis_set set = normalize_axes(which, input->shape, call);
  input->grid.require_known(call);
  if (spec.split_every < 2 || (spec.split_every & (spec.split_every - 1)) != 0) {
    throw value_error(std::string(call) + ": split_every is " + std::to_string(spec.split_every) +
                      "; it is a power of two, 2 or more, so that every value walks the same tree");
  }
  auto n = std::make_shared<node>();
  n->kind = node_kind::reduction;
  n->type = spec.finisher->output;
  n->where = where;
  n->reducer = spec.reducer;
  n->finisher = spec.finisher;
  n->fused = spec.fused;
  n->parameter = spec.parameter;
  n->keepdims = spec.keepdims;
  n->split_every = spec.split_every;
  int empty = -1;
  for (int axis = 0; axis < input->shape.ndim(); ++axis) {
    if (!set.contains(axis)) {
      n->shape.push_back(input->shape[axis]);
      n->grid.push_back(input->grid.axis(axis));
      continue;
    }
    n->axes.push_back(axis);
    if (input->shape[axis] == 0) empty = axis;
    if (spec.keepdims) {
      n->shape.push_back(1);
      n->grid.push_back(axis_blocks::single(1));
    }
  }
  if (spec.empty_is_error && empty >= 0) {
    throw shape_error(std::string(call) + ": an array of shape " + input->shape.to_string() +
                      " has no elements along axis " + std::to_string(empty) + ", so it has no " + call +
                      "; every reduced axis needs at least one element");
  }
  n->pending = input->pending;
  n->inputs.push_back(std::move(input));
  return n;
}

ASHLAR_DETAIL_SEPARATE node_ptr make_anew(const node_ptr& n, std::source_location where) {
  if (n->kind == node_kind::source) return n;  // never kept anyway
  if (n->kind != node_kind::elementwise) {
    throw value_error(
        std::string("recompute: the array comes from ") + n->name() +
        "; only element-wise operations, and generators, are made anew for each pass, so apply it to what "
        "is made of that array");
  }
  const std::shared_ptr<node> copy = node::copy(*n, n->inputs);
  if (n->where.line() == 0) copy->where = where;
  copy->anew = true;
  return copy;
}

}  // namespace ashlar::detail
