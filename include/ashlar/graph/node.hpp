/// \file
/// Nodes of the lazy graph: a source, an element-wise kernel, a reduction, a scan, a user's function of blocks, a
/// view, or elements moved to other places. A node is immutable; arrays are handles on nodes. A node knows shapes,
/// chunks and the user's source line, and nothing of how it will run.
#pragma once

#include <cstdint>
#include <memory>
#include <source_location>
#include <string>
#include <utility>
#include <vector>

#include <ashlar/block_grid.hpp>
#include <ashlar/dtype.hpp>
#include <ashlar/graph/block_function.hpp>
#include <ashlar/graph/kernel.hpp>
#include <ashlar/graph/movement.hpp>
#include <ashlar/graph/reducer.hpp>
#include <ashlar/graph/scanner.hpp>
#include <ashlar/graph/source.hpp>
#include <ashlar/graph/source_line.hpp>
#include <ashlar/graph/view_map.hpp>
#include <ashlar/shape.hpp>

namespace ashlar::detail {

struct node;
using node_ptr = std::shared_ptr<const node>;

enum class node_kind : std::uint8_t { source, elementwise, reduction, blockwise, view, scan, movement };

struct node {
  node_kind kind = node_kind::source;
  dtype type = dtype::float64;
  ashlar::shape shape;
  block_grid grid;
  std::source_location where;
  mutable std::vector<node_ptr> inputs;  // only the destructor changes it
  bool pending = false;                  // a source below has to be made, or brought in, before a run
  int controls = 0;                      // source, blockwise: the last so many inputs are not read, but made before

  source_ptr from;  // source

  ashlar::detail::kernel kernel;  // elementwise; inputs may repeat
  bool anew = false;              // elementwise: computed in each pass that reads it, never kept

  // reduction of inputs[0] over `axes` (sorted, at least one; `keepdims` leaves them with extent 1)
  const reducer_descriptor* reducer = nullptr;
  const finisher_descriptor* finisher = nullptr;
  const device_fused* fused = nullptr;  // how a device reduces inputs[0]'s kernel without storing its values, or null
  double parameter = 0;                 // ddof of var and std
  std::vector<int> axes;
  bool keepdims = false;
  int split_every = 8;

  std::shared_ptr<const block_rule> rule;  // blockwise; inputs may repeat

  const scan_descriptor* scan = nullptr;  // scan of inputs[0] along axes[0]
  bool sequential = false;                // from left to right, not in leaves

  view_ptr view;  // view, of inputs[0]
  const char* view_name = "";

  std::shared_ptr<const movement_rule> movement;  // movement; inputs may repeat

  node() = default;
  node& operator=(const node&) = delete;

  /// All of `x` over other inputs, for the caller to change before anybody else sees it.
  static std::shared_ptr<node> copy(const node& x, std::vector<node_ptr> inputs) {
    std::shared_ptr<node> n(new node(x));
    n->inputs = std::move(inputs);
    n->pending = x.from != nullptr && x.pending;
    for (const node_ptr& i : n->inputs) n->pending = n->pending || i->pending;
    return n;
  }

  /// Chains of a million operations are legal, so nodes are released one after the other, not by recursion.
  ~node() {
    std::vector<node_ptr> left = std::move(inputs);
    while (!left.empty()) {
      node_ptr last = std::move(left.back());
      left.pop_back();
      if (last.use_count() == 1) {
        for (node_ptr& p : last->inputs) left.push_back(std::move(p));
        last->inputs.clear();
      }
    }
  }

  const char* name() const noexcept {
    switch (kind) {
      case node_kind::source:
        return from->name();
      case node_kind::elementwise:
        return kernel.descriptor->name;
      case node_kind::reduction:
        return finisher->name;
      case node_kind::blockwise:
        return rule->function->name();
      case node_kind::view:
        return view_name;
      case node_kind::scan:
        return scan->name;
      case node_kind::movement:
        return movement->name;
    }
    return "";
  }

 private:
  node(const node&) = default;  // member by member, so that copy() forgets none
};

}  // namespace ashlar::detail
