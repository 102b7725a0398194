/// \file
/// The node of a movement, once its rule and its blocks are known.
#pragma once

#include <memory>
#include <source_location>
#include <utility>
#include <vector>

#include <ashlar/graph/node.hpp>

namespace ashlar::detail {

/// A node that is put together by `rule`.
inline node_ptr make_moved(std::vector<node_ptr> inputs, movement_rule rule, const ashlar::shape& result,
                           block_grid grid, std::source_location where) {
  static_cast<void>(result.size());  // throws when the number of elements overflows
  auto n = std::make_shared<node>();
  n->kind = node_kind::movement;
  n->type = inputs.front()->type;
  n->shape = result;
  n->grid = std::move(grid);
  n->where = where;
  for (const node_ptr& i : inputs) n->pending = n->pending || i->pending;
  n->inputs = std::move(inputs);
  n->movement = std::make_shared<const movement_rule>(std::move(rule));
  return n;
}

}  // namespace ashlar::detail
