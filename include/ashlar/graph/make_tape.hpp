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

/// Where `owner` reads node `n`, which it does not compute itself. Until all layers exist, `layer` holds `n`.
inline leaf make_leaf(const analysis& nodes, int n, int owner) {
  const node& x = *nodes.nodes[to_index(n)];
  leaf f;
  f.type = x.type;
  f.shape = x.shape;
  f.grid = x.grid;
  const bool value_of_a_layer =
      x.kind != node_kind::source || (nodes.owner[to_index(n)] >= 0 && nodes.owner[to_index(n)] != owner);
  if (value_of_a_layer) {
    f.layer = n;
  } else {
    f.from = x.from.get();
  }
  return f;
}

/// Tape of the nodes that `owner` computes below `values`; @returns their registers.
inline std::vector<int> make_tape(tape& t, const analysis& nodes, const std::vector<int>& values, int owner) {
  std::vector<int> order;
  std::vector<visit_frame> stack;
  std::vector<int> leaves;
  flat_index reg;
  flat_index queued;
  const auto inlined = [&](int n) {
    return nodes.nodes[to_index(n)]->kind == node_kind::elementwise &&
           (nodes.owner[to_index(n)] == owner || nodes.owner[to_index(n)] == in_each_layer);
  };
  const auto enqueue = [&](int n) {
    if (queued.find(static_cast<std::uint64_t>(n)) >= 0) return;
    queued.set(static_cast<std::uint64_t>(n), 1);
    stack.push_back({static_cast<std::uint64_t>(n), 0});
  };
  for (const int v : values) {
    enqueue(v);
    while (!stack.empty()) {
      visit_frame& top = stack.back();
      const int n = static_cast<int>(top.item);
      const std::vector<int>& inputs = nodes.inputs[to_index(n)];
      if (inlined(n) && top.next < static_cast<std::int64_t>(inputs.size())) {
        enqueue(inputs[static_cast<std::size_t>(top.next++)]);
        continue;
      }
      (inlined(n) ? order : leaves).push_back(n);
      stack.pop_back();
    }
  }
  for (const int n : leaves) {
    reg.set(static_cast<std::uint64_t>(n), static_cast<int>(t.leaves.size()));
    t.leaves.push_back(make_leaf(nodes, n, owner));
    t.types.push_back(t.leaves.back().type);
  }
  for (const int n : order) {
    const node& x = *nodes.nodes[to_index(n)];
    tape_step s;
    s.call = &x.kernel;
    s.inputs = static_cast<int>(nodes.inputs[to_index(n)].size());
    for (int k = 0; k < s.inputs; ++k)
      s.input[k] = reg.find(static_cast<std::uint64_t>(nodes.inputs[to_index(n)][to_index(k)]));
    s.output = static_cast<int>(t.types.size());
    s.output_size = itemsize(x.type);
    reg.set(static_cast<std::uint64_t>(n), s.output);
    t.types.push_back(x.type);
    t.steps.push_back(s);
  }
  std::vector<int> result;
  result.reserve(values.size());
  for (const int v : values) result.push_back(reg.find(static_cast<std::uint64_t>(v)));
  assign_slots(t, result);
  return result;
}

}  // namespace ashlar::detail
