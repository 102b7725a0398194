/// \file
/// First half of lowering: which nodes there are, which are the same, and which layer each belongs to.
///
/// Equal sub-expressions of library operations are found by descriptor and parameters, never by name; a user's function
/// is never taken for another. Reductions over the same elements and axes share one layer, so that they share one pass.
/// An element-wise node whose consumers all sit in one layer is computed inside it, any other is made once, and so is
/// a scan, and what a user's function of blocks gives; one that shall be made anew is computed inside each layer that
/// reads it, with the element-wise nodes that only such ones read. Sources are inlined everywhere. A view belongs to no
/// layer: it says which elements of what lies below it are read. An element-wise node that is read through one view
/// only, by one layer, is computed in it, for the elements that the view picks. Cost: linear in nodes, apart from
/// grouping, which is linear in nodes per reduction.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include <ashlar/detail/flat_index.hpp>
#include <ashlar/graph/node.hpp>

namespace ashlar::detail {

inline constexpr int max_tape_steps = 32;
inline constexpr int max_tape_leaves = 24;
inline constexpr int max_group = 16;  // reductions that share a pass; each may bring a leaf of its own

/// Owner of a node that is computed inside each layer that reads it.
inline constexpr int in_each_layer = -2;

/// Owner of a view that is read in place.
inline constexpr int viewed = -3;

/// Nodes and layers are counted in int, vectors in size_t.
constexpr std::size_t to_index(int i) noexcept { return static_cast<std::size_t>(i); }

/// The distinct nodes below the results, inputs before consumers.
struct analysis {
  std::vector<const node*> nodes;
  std::vector<std::vector<int>> inputs;  // by node, as indices
  std::vector<std::vector<int>> consumers;
  std::vector<int> root;  // results as node indices
  std::vector<char> is_root;
  std::vector<int> level;     // reductions on the longest path below and including the node
  std::vector<int> group_of;  // reductions: index of their group
  std::vector<std::vector<int>> groups;
  std::vector<int> owner;         // layer that computes the node: groups first, then materialised nodes; -1: source;
                                  // or in_each_layer, or viewed
  std::vector<int> materialised;  // node of layer groups.size() + i
};

inline std::size_t mix(std::size_t h, std::size_t v) noexcept { return (h ^ v) * 0x9e3779b97f4a7c15ull + (h >> 29); }

inline std::size_t node_hash(const node& n, const std::vector<int>& inputs) {
  std::size_t h = static_cast<std::size_t>(n.kind);
  for (int a = 0; a < n.shape.ndim(); ++a) h = mix(h, static_cast<std::size_t>(n.shape[a]));
  switch (n.kind) {
    case node_kind::source:
      h = mix(h, n.from->hash());
      break;
    case node_kind::elementwise:
      h = mix(h, reinterpret_cast<std::size_t>(n.kernel.descriptor));
      break;
    case node_kind::reduction:
      h = mix(h, reinterpret_cast<std::size_t>(n.finisher));
      break;
    case node_kind::blockwise:
    case node_kind::movement:
      h = mix(h, reinterpret_cast<std::size_t>(&n));
      break;
    case node_kind::view:
      for (const std::int64_t s : n.view->start) h = mix(h, static_cast<std::size_t>(s));
      for (const view_term& t : n.view->terms) h = mix(h, static_cast<std::size_t>(t.step));
      break;
    case node_kind::scan:
      h = mix(h, reinterpret_cast<std::size_t>(n.scan));
      break;
  }
  for (const int i : inputs) h = mix(h, static_cast<std::size_t>(i));
  return h;
}

inline bool same_node(const node& a, const std::vector<int>& a_inputs, const node& b,
                      const std::vector<int>& b_inputs) {
  if (a.kind != b.kind || a.type != b.type || a_inputs != b_inputs || a.shape != b.shape) return false;
  switch (a.kind) {
    case node_kind::source:
      return a.from->same_as(*b.from) && a.grid == b.grid;
    case node_kind::elementwise:
      return a.anew == b.anew && a.kernel.descriptor == b.kernel.descriptor && a.kernel.descriptor->equal != nullptr &&
             a.kernel.descriptor->equal(a.kernel.parameters.get(), b.kernel.parameters.get());
    case node_kind::reduction:
      return a.reducer == b.reducer && a.finisher == b.finisher && a.parameter == b.parameter && a.axes == b.axes &&
             a.keepdims == b.keepdims && a.split_every == b.split_every;
    case node_kind::view:
      return *a.view == *b.view && a.grid == b.grid;
    case node_kind::scan:
      return a.scan == b.scan && a.axes == b.axes && a.sequential == b.sequential;
    case node_kind::blockwise:
    case node_kind::movement:
      return false;
  }
  return false;
}

/// Depth first without recursion; fills nodes, inputs, consumers, root.
inline void collect_nodes(analysis& g, const std::vector<node_ptr>& roots) {
  flat_index index;            // by address
  flat_index by_hash;          // newest node with this hash
  std::vector<int> same_hash;  // by node: an older one with its hash, or -1
  struct frame {
    const node* at;
    std::size_t next;
  };
  std::vector<frame> stack;
  const auto key = [](const node* n) { return static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(n)); };
  for (const node_ptr& r : roots) {
    if (index.find(key(r.get())) < 0) stack.push_back({r.get(), 0});
    while (!stack.empty()) {
      frame& top = stack.back();
      const node* const n = top.at;
      if (top.next < n->inputs.size()) {
        const node* const child = n->inputs[top.next++].get();
        if (index.find(key(child)) < 0) stack.push_back({child, 0});
        continue;
      }
      stack.pop_back();
      if (index.find(key(n)) >= 0) continue;
      std::vector<int> inputs;
      inputs.reserve(n->inputs.size());
      for (const node_ptr& i : n->inputs) inputs.push_back(index.find(key(i.get())));
      const std::uint64_t h = node_hash(*n, inputs);
      const int newest = by_hash.find(h);
      int found = newest;
      while (found >= 0 && !same_node(*n, inputs, *g.nodes[static_cast<std::size_t>(found)],
                                      g.inputs[static_cast<std::size_t>(found)])) {
        found = same_hash[static_cast<std::size_t>(found)];
      }
      if (found < 0) {
        found = static_cast<int>(g.nodes.size());
        g.nodes.push_back(n);
        g.inputs.push_back(std::move(inputs));
        same_hash.push_back(newest);
        by_hash.set(h, found);
      }
      index.set(key(n), found);
    }
    g.root.push_back(index.find(key(r.get())));
  }
  const std::size_t n = g.nodes.size();
  g.consumers.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    for (const int k : g.inputs[i]) {
      std::vector<int>& c = g.consumers[static_cast<std::size_t>(k)];
      if (c.empty() || c.back() != static_cast<int>(i)) c.push_back(static_cast<int>(i));
    }
  }
  g.is_root.assign(n, 0);
  for (const int r : g.root) g.is_root[static_cast<std::size_t>(r)] = 1;
}

inline bool may_share_pass(const node& a, const node& b) {
  return a.axes == b.axes && a.split_every == b.split_every && a.inputs[0]->shape == b.inputs[0]->shape &&
         a.inputs[0]->grid == b.inputs[0]->grid;
}

/// Reductions of one level over the same grid and axes that read a common full-size leaf form a group. Nodes of one
/// level cannot depend on each other.
inline void group_reductions(analysis& g) {
  const std::size_t n = g.nodes.size();
  g.level.assign(n, 0);
  g.group_of.assign(n, -1);
  flat_index by_leaf;      // hash of (level, leaf) → newest entry of the list below
  std::vector<int> reads;  // groups that read it
  std::vector<int> older;  // next entry of the same list, or -1
  std::vector<int> stack;
  std::vector<int> seen(n, -1);
  for (std::size_t i = 0; i < n; ++i) {
    for (const int k : g.inputs[i]) {
      if (g.level[static_cast<std::size_t>(k)] > g.level[i]) g.level[i] = g.level[static_cast<std::size_t>(k)];
    }
    if (g.nodes[i]->kind != node_kind::reduction) continue;
    ++g.level[i];
    const node& r = *g.nodes[i];
    std::vector<int> bases;
    stack.assign(1, g.inputs[i][0]);
    while (!stack.empty() && bases.size() < 64) {
      const int k = stack.back();
      stack.pop_back();
      const auto ku = static_cast<std::size_t>(k);
      if (seen[ku] == static_cast<int>(i)) continue;
      seen[ku] = static_cast<int>(i);
      const node& x = *g.nodes[ku];
      if (x.shape != r.inputs[0]->shape) continue;
      bases.push_back(k);
      if (x.kind == node_kind::elementwise) stack.insert(stack.end(), g.inputs[ku].begin(), g.inputs[ku].end());
    }
    int group = -1;
    const auto key = [&](int base) {
      return mix(static_cast<std::size_t>(base), static_cast<std::size_t>(g.level[i]));
    };
    for (const int b : bases) {
      for (int e = by_leaf.find(key(b)); e >= 0; e = older[static_cast<std::size_t>(e)]) {
        const int candidate = reads[static_cast<std::size_t>(e)];
        const auto first = static_cast<std::size_t>(g.groups[static_cast<std::size_t>(candidate)].front());
        const auto size = static_cast<int>(g.groups[static_cast<std::size_t>(candidate)].size());
        if (size < max_group && g.level[first] == g.level[i] && may_share_pass(*g.nodes[first], r)) {
          group = candidate;
        }
      }
      if (group >= 0) break;
    }
    if (group < 0) {
      group = static_cast<int>(g.groups.size());
      g.groups.emplace_back();
    }
    g.groups[static_cast<std::size_t>(group)].push_back(static_cast<int>(i));
    g.group_of[i] = group;
    for (const int b : bases) {
      const int newest = by_leaf.find(key(b));
      if (newest >= 0 && reads[static_cast<std::size_t>(newest)] == group) continue;
      by_leaf.set(key(b), static_cast<int>(reads.size()));
      reads.push_back(group);
      older.push_back(newest);
    }
  }
}

/// Consumers before inputs: where each node is computed.
class layer_assignment {
 public:
  layer_assignment(analysis& g, bool fuse) : g_(g), fuse_(fuse), n_(g.nodes.size()) {
    g_.owner.assign(n_, -1);
    steps_.assign(g_.groups.size(), 0);
    leaves_.assign(g_.groups.size(), 0);
    readers_.resize(n_);
    through_.assign(n_, nothing);
    times_.assign(n_, 1);
    for (std::size_t i = n_; i-- > 0;) assign(i);
  }

 private:
  // Through which view a node is read: none, the index of the nearest one, or several.
  static constexpr int nothing = -1;
  static constexpr int several = -2;

  /// Who reads a node: the layers, through which view, and in how many ways within one layer.
  struct reading {
    std::vector<int> layers;
    bool all_anew = true;  // every consumer is made anew in each of its layers
    bool begun = false;
    int through = nothing;
    int times = 1;
    bool whole = true;  // every consumer has as many elements as it reads of the node
  };

  void assign(std::size_t i) {
    const node& x = *g_.nodes[i];
    if (x.kind == node_kind::reduction) {
      g_.owner[i] = g_.group_of[i];
      return;
    }
    if (g_.is_root[i] || x.kind == node_kind::blockwise || x.kind == node_kind::scan || x.kind == node_kind::movement) {
      materialise(i);
      return;
    }
    if (x.kind == node_kind::source) return;
    const reading r = reading_of(i);
    if (x.kind == node_kind::view) {
      g_.owner[i] = viewed;
      readers_[i] = r.layers;
      through_[i] = r.whole ? r.through : several;
      times_[i] = r.times;
      return;
    }
    bool inside = fuse_ && !r.layers.empty() && r.whole;
    inside = inside && ((r.layers.size() == 1 && r.through != several) || x.anew || r.all_anew);
    for (const int l : r.layers) inside = inside && fits(l, i, r.times);
    if (!inside) {
      materialise(i);
      return;
    }
    for (const int l : r.layers) {
      steps_[static_cast<std::size_t>(l)] += r.times;
      leaves_[static_cast<std::size_t>(l)] += r.times * static_cast<int>(g_.inputs[i].size());
    }
    through_[i] = r.through;
    times_[i] = r.times;
    if (r.layers.size() == 1 && r.through != several) {
      g_.owner[i] = r.layers.front();
    } else {
      g_.owner[i] = in_each_layer;
      readers_[i] = r.layers;
    }
  }

  reading reading_of(std::size_t i) const {
    reading r;
    const node& x = *g_.nodes[i];
    int views = 0;        // ways through views
    bool direct = false;  // also read without one
    for (const int c : g_.consumers[i]) {
      const auto cu = static_cast<std::size_t>(c);
      const node& by = *g_.nodes[cu];
      if (g_.owner[cu] == in_each_layer || g_.owner[cu] == viewed) {
        for (const int l : readers_[cu]) add(r.layers, l);
      } else {
        add(r.layers, g_.owner[cu]);
      }
      if (g_.owner[cu] != in_each_layer) r.all_anew = false;
      int through = through_[cu];
      if (by.kind == node_kind::view) {
        // a view of a view is resolved through both; one that several read differently stands for all their ways
        const bool clear = through_[cu] != several && repeats_nothing(*by.view, by.shape);
        through = clear ? c : several;
        r.whole = r.whole && (clear || x.anew);
        views += times_[cu];
      } else {
        if (by.kind == node_kind::elementwise && by.shape != x.shape) r.whole = false;
        if (times_[cu] > r.times) r.times = times_[cu];
        direct = true;
      }
      if (r.begun && through != r.through) through = several;
      r.through = through;
      r.begun = true;
      if (x.kind == node_kind::elementwise && !x.anew && !r.all_anew && (r.layers.size() > 1 || through == several))
        break;  // it is made once
    }
    if (views > 0) r.times = direct ? r.times + views : views;
    return r;
  }

  void materialise(std::size_t i) {
    g_.owner[i] = static_cast<int>(g_.groups.size() + g_.materialised.size());
    g_.materialised.push_back(static_cast<int>(i));
    steps_.push_back(1);
    leaves_.push_back(static_cast<int>(g_.inputs[i].size()));
  }

  bool has_tape(int layer) const {
    const auto l = static_cast<std::size_t>(layer);
    if (l < g_.groups.size()) return true;
    const node_kind kind = g_.nodes[static_cast<std::size_t>(g_.materialised[l - g_.groups.size()])]->kind;
    return kind != node_kind::blockwise && kind != node_kind::movement;
  }

  bool fits(int layer, std::size_t i, int times) const {
    const auto l = static_cast<std::size_t>(layer);
    return has_tape(layer) && steps_[l] + times <= max_tape_steps &&
           leaves_[l] + times * static_cast<int>(g_.inputs[i].size()) <= max_tape_leaves;
  }

  static void add(std::vector<int>& layers, int layer) {
    for (const int l : layers) {
      if (l == layer) return;
    }
    layers.push_back(layer);
  }

  analysis& g_;
  bool fuse_;
  std::size_t n_;
  std::vector<int> steps_;  // by layer
  std::vector<int> leaves_;
  std::vector<std::vector<int>> readers_;  // by node: layers that compute it, or read it through a view
  std::vector<int> through_;
  std::vector<int> times_;
};

inline analysis analyse(const std::vector<node_ptr>& roots, bool fuse) {
  analysis g;
  collect_nodes(g, roots);
  group_reductions(g);
  const layer_assignment assigned(g, fuse);
  return g;
}

}  // namespace ashlar::detail
