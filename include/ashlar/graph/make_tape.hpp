/// \file
/// From a set of nodes that share a pass to a tape: its leaves, its steps in order, and where each value lies.
#pragma once

#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include <ashlar/graph/analyse.hpp>
#include <ashlar/graph/plan.hpp>

namespace ashlar::detail {

/// Linear scan: a step's output takes the slot of a register that is read no more. A value that is reduced keeps a
/// slot to itself, since it holds many rows there while the steps before it work on the next one.
inline void assign_slots(tape& t, const std::vector<int>& kept) {
  std::vector<int> last(t.types.size(), -1);
  for (std::size_t s = 0; s < t.steps.size(); ++s) {
    for (int k = 0; k < t.steps[s].inputs; ++k) last[to_index(t.steps[s].input[k])] = static_cast<int>(s);
  }
  for (const int v : kept) last[to_index(v)] = std::numeric_limits<int>::max();
  t.slot.resize(t.types.size());
  t.slots = 0;
  for (std::size_t r = 0; r < t.leaves.size(); ++r) t.slot[r] = t.slots++;
  std::vector<int> free;
  for (std::size_t s = 0; s < t.steps.size(); ++s) {
    const std::size_t out = to_index(t.steps[s].output);
    if (free.empty() || last[out] == std::numeric_limits<int>::max()) {
      t.slot[out] = t.slots++;
    } else {
      t.slot[out] = free.back();
      free.pop_back();
    }
    for (std::size_t r = t.leaves.size(); r < t.types.size(); ++r) {
      if (last[r] == static_cast<int>(s)) free.push_back(t.slot[r]);
    }
  }
}

/// The tape of the nodes that one layer computes below some values. A node is met in a *frame*: the view, resolved
/// through all views on the way, through which the layer reads it. The same node in two frames is two registers.
class tape_maker {
 public:
  tape_maker(tape& t, const analysis& nodes, int owner) : tape_(t), nodes_(nodes), owner_(owner) {
    frames_.push_back({nullptr, {}});
  }

  /// Appends the leaf that `value` is, for layers without steps: in constant time, however many there are.
  void add_leaf(int value) {
    const item at = resolve({value, 0});
    add_controls(at.node);
    tape_.leaves.push_back(leaf_of(at));
    tape_.types.push_back(tape_.leaves.back().type);
  }

  /// Notes what has to run before whoever makes or reads the node. Until all layers exist, as nodes; sources among them
  /// have been made before the run.
  void add_controls(int value) {
    const node& x = *nodes_.nodes[to_index(value)];
    if (x.kind != node_kind::source && x.kind != node_kind::blockwise) return;
    if (nodes_.owner[to_index(value)] != owner_ && x.kind == node_kind::blockwise) return;
    const std::vector<int>& inputs = nodes_.inputs[to_index(value)];
    for (std::size_t k = inputs.size() - to_index(x.controls); k < inputs.size(); ++k) {
      bool known = nodes_.nodes[to_index(inputs[k])]->kind == node_kind::source;
      for (const int n : tape_.after) known = known || n == inputs[k];
      if (!known) tape_.after.push_back(inputs[k]);
    }
  }

  /// @returns the registers of `values`
  std::vector<int> make(const std::vector<int>& values) {
    std::vector<item> order;
    std::vector<item> leaves;
    std::vector<item> wanted;
    wanted.reserve(values.size());
    for (const int v : values) {
      wanted.push_back(resolve({v, 0}));
      collect(wanted.back(), order, leaves);
    }
    for (const item& at : leaves) {
      reg_.set(key(at), static_cast<int>(tape_.leaves.size()));
      add_controls(at.node);
      tape_.leaves.push_back(leaf_of(at));
      tape_.types.push_back(tape_.leaves.back().type);
    }
    for (const item& at : order) {
      const node& x = *nodes_.nodes[to_index(at.node)];
      tape_step s;
      s.call = &x.kernel;
      s.inputs = static_cast<int>(nodes_.inputs[to_index(at.node)].size());
      for (int k = 0; k < s.inputs; ++k) s.input[k] = reg_.find(key(input(at, to_index(k))));
      s.output = static_cast<int>(tape_.types.size());
      s.output_size = itemsize(x.type);
      reg_.set(key(at), s.output);
      tape_.types.push_back(x.type);
      tape_.steps.push_back(s);
    }
    std::vector<int> result;
    result.reserve(values.size());
    for (const item& at : wanted) result.push_back(reg_.find(key(at)));
    assign_slots(tape_, result);
    return result;
  }

 private:
  struct item {
    int node;
    int frame;
  };
  struct frame {
    view_ptr map;         // null: as it is
    ashlar::shape shape;  // of what the layer reads through it
  };
  struct visit {
    item at;
    std::size_t next;
  };

  static std::uint64_t key(const item& at) noexcept {
    return static_cast<std::uint64_t>(at.frame) << 32 | static_cast<std::uint32_t>(at.node);
  }

  bool inlined(int n) const {
    return nodes_.nodes[to_index(n)]->kind == node_kind::elementwise &&
           (nodes_.owner[to_index(n)] == owner_ || nodes_.owner[to_index(n)] == in_each_layer);
  }

  /// Through views, to what is read or computed.
  item resolve(item at) {
    for (;;) {
      const node& x = *nodes_.nodes[to_index(at.node)];
      const int owner = nodes_.owner[to_index(at.node)];
      if (x.kind != node_kind::view || (owner != viewed && owner != owner_)) return at;
      at = {nodes_.inputs[to_index(at.node)][0],
            frame_of(key(at), at.frame == 0 ? *x.view : compose(*frames_[to_index(at.frame)].map, *x.view),
                     at.frame == 0 ? x.shape : frames_[to_index(at.frame)].shape)};
    }
  }

  /// Input `k` of an element-wise node, in the node's frame.
  item input(const item& at, std::size_t k) {
    const int n = nodes_.inputs[to_index(at.node)][k];
    const ashlar::shape& own = nodes_.nodes[to_index(n)]->shape;
    const ashlar::shape& whole = nodes_.nodes[to_index(at.node)]->shape;
    if (at.frame == 0 || own == whole) return resolve({n, at.frame});
    const frame f = frames_[to_index(at.frame)];
    return resolve(
        {n, frame_of(key({n, at.frame}) | broadcast_bit, compose(*f.map, broadcast_view(own, whole)), f.shape)});
  }

  int frame_of(std::uint64_t from, view_map map, const ashlar::shape& shape) {
    const int found = frame_from_.find(from);
    if (found >= 0) return found;
    int same = 1;  // other ways may lead to the same elements
    while (same < static_cast<int>(frames_.size()) &&
           !(frames_[to_index(same)].shape == shape && *frames_[to_index(same)].map == map)) {
      ++same;
    }
    if (same == static_cast<int>(frames_.size())) {
      frames_.push_back({std::make_shared<const view_map>(std::move(map)), shape});
    }
    frame_from_.set(from, same);
    return same;
  }

  void collect(const item& root, std::vector<item>& order, std::vector<item>& leaves) {
    const auto enqueue = [&](const item& at) {
      if (queued_.find(key(at)) >= 0) return;
      queued_.set(key(at), 1);
      stack_.push_back({at, 0});
    };
    enqueue(root);
    while (!stack_.empty()) {
      visit& top = stack_.back();
      const item at = top.at;
      if (inlined(at.node) && top.next < nodes_.inputs[to_index(at.node)].size()) {
        const std::size_t k = top.next++;
        enqueue(input(at, k));
        continue;
      }
      (inlined(at.node) ? order : leaves).push_back(at);
      stack_.pop_back();
    }
  }

  /// Until all layers exist, `layer` holds the node.
  leaf leaf_of(const item& at) const {
    const node& x = *nodes_.nodes[to_index(at.node)];
    leaf f;
    f.type = x.type;
    f.stored = x.shape;
    f.shape = at.frame == 0 ? x.shape : frames_[to_index(at.frame)].shape;
    f.view = frames_[to_index(at.frame)].map;
    f.grid = x.grid;
    const int owner = nodes_.owner[to_index(at.node)];
    const bool value_of_a_layer = x.kind != node_kind::source || (owner >= 0 && owner != owner_);
    if (value_of_a_layer) {
      f.layer = at.node;
    } else {
      f.from = x.from.get();
    }
    return f;
  }

  static constexpr std::uint64_t broadcast_bit = std::uint64_t{1} << 31;

  tape& tape_;
  const analysis& nodes_;
  int owner_;
  std::vector<frame> frames_;
  flat_index frame_from_;  // by view, or input that is broadcast, and frame
  flat_index reg_;
  flat_index queued_;
  std::vector<visit> stack_;
};

}  // namespace ashlar::detail
