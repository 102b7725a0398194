/// \file
/// Second step of lowering: from sets of nodes to layers, in an order in which each comes after what it reads.
#pragma once

#include <cstdint>
#include <source_location>
#include <string>
#include <utility>
#include <vector>

#include <ashlar/graph/analyse.hpp>
#include <ashlar/graph/grouping.hpp>
#include <ashlar/graph/make_tape.hpp>
#include <ashlar/graph/plan.hpp>

namespace ashlar::detail {

inline std::string describe_layer(const std::vector<const node*>& values, const char* suffix) {
  std::string text;
  for (const node* n : values) {
    const std::string word = n->name();
    if (text.find(word) == std::string::npos) text += (text.empty() ? "" : ", ") + word;
  }
  return text + suffix;
}

/// Fills roots and layers of a plan. Cost: linear in nodes and layers, whatever the number of blocks.
class layer_maker {
 public:
  layer_maker(plan& p, const analysis& nodes) : plan_(p), nodes_(nodes) {
    make_roots();
    find_lines();
    make_layers();
    sort_layers();
  }

 private:
  void make_roots() {
    // equal results are one root; callers copy it
    root_number_.assign(nodes_.nodes.size(), -1);
    for (const int r : nodes_.root) {
      if (root_number_[to_index(r)] < 0) root_number_[to_index(r)] = plan_.roots++;
      plan_.root_of.push_back(root_number_[to_index(r)]);
    }
    plan_.root_value.resize(to_index(plan_.roots));
  }

  void make_layers() {
    const std::size_t owners = nodes_.groups.size() + nodes_.materialised.size();
    value_.assign(nodes_.nodes.size(), {-1, 0});
    for (std::size_t o = 0; o < owners; ++o) {
      if (o < nodes_.groups.size()) {
        make_reduction_layers(nodes_.groups[o], static_cast<int>(o));
      } else {
        make_block_layer(nodes_.materialised[o - nodes_.groups.size()], static_cast<int>(o));
      }
    }
    for (layer& l : plan_.layers) {
      for (leaf& f : l.tape.leaves) {
        if (f.from != nullptr) continue;
        const auto [value_layer, output] = value_[to_index(f.layer)];  // f.layer is a node index so far
        f.layer = value_layer;
        f.output = output;
        const layer_output& value = plan_.layers[to_index(value_layer)].outputs[to_index(output)];
        f.grid = value.grid;
        f.in_result = value.root >= 0;
      }
      for (int& a : l.tape.after) a = value_[to_index(a)].first;
    }
  }

  layer_output make_output(int n, int value) {
    const node& x = *nodes_.nodes[to_index(n)];
    layer_output out;
    out.type = x.type;
    out.value = value;
    out.made_by = &x;
    out.grid = x.grid;
    out.root = plan_.results == result_kind::arrays ? root_number_[to_index(n)] : -1;
    out.sink = plan_.results == result_kind::sinks ? root_number_[to_index(n)] : -1;
    value_[to_index(n)] = {static_cast<int>(plan_.layers.size()), 0};
    return out;
  }

  /// The layer of a node that is made block by block.
  void make_block_layer(int n, int owner) {
    const node& x = *nodes_.nodes[to_index(n)];
    layer l;
    l.name = x.name();
    l.where = line_[to_index(n)];
    l.grid = x.grid;
    l.counts = x.grid.counts();
    int value = 0;
    if (x.kind == node_kind::blockwise) {
      l.kind = layer_kind::blockwise;
      l.rule = x.rule.get();
      const std::vector<int>& inputs = nodes_.inputs[to_index(n)];
      tape_maker maker(l.tape, nodes_, owner);
      maker.add_controls(n);
      for (std::size_t k = 0; k < inputs.size() - to_index(x.controls); ++k) maker.add_leaf(inputs[k]);
    } else if (x.kind == node_kind::scan) {
      l.kind = layer_kind::scan;
      l.scan = x.scan;
      l.scan_axis = x.axes[0];
      l.scan_leaf = x.sequential                        ? endless_scan_leaf
                    : l.scan_axis == x.shape.ndim() - 1 ? row_scan_leaf
                                                        : column_scan_leaf;
      value = tape_maker(l.tape, nodes_, owner).make({nodes_.inputs[to_index(n)][0]})[0];
    } else if (x.kind == node_kind::movement) {
      l.kind = layer_kind::movement;
      l.movement = x.movement.get();
      for (const int i : nodes_.inputs[to_index(n)]) tape_maker(l.tape, nodes_, owner).add_leaf(i);
    } else {
      l.kind = layer_kind::elementwise;
      value = tape_maker(l.tape, nodes_, owner).make({n})[0];
      if (l.tape.steps.empty() && x.kind == node_kind::view) {
        static const movement_rule as_it_is;
        l.kind = layer_kind::movement;
        l.movement = &as_it_is;
      }
    }
    l.outputs.push_back(make_output(n, value));
    if (root_number_[to_index(n)] >= 0) {
      plan_.root_value[to_index(root_number_[to_index(n)])] = {static_cast<int>(plan_.layers.size()), 0};
    }
    plan_.layers.push_back(std::move(l));
  }

  /// By node: its line or, where it has none, that of its first consumer.
  void find_lines() {
    line_.resize(nodes_.nodes.size());
    for (std::size_t n = line_.size(); n-- > 0;) {  // consumers come after what they read
      line_[n] = nodes_.nodes[n]->where;
      if (line_[n].line() == 0 && !nodes_.consumers[n].empty()) line_[n] = line_[to_index(nodes_.consumers[n].front())];
    }
    for (std::size_t n = 0; n < line_.size(); ++n) {  // nothing above it has one either: the line of what it works on
      if (line_[n].line() == 0 && !nodes_.inputs[n].empty()) line_[n] = line_[to_index(nodes_.inputs[n].front())];
    }
  }

  void make_reduction_layers(const std::vector<int>& group, int owner) {
    const node& first = *nodes_.nodes[to_index(group[0])];
    layer l;
    l.kind = layer_kind::partial;
    l.where = first.where;
    l.grid = first.inputs[0]->grid;
    l.axes = first.axes;
    std::vector<int> inputs;
    std::vector<const node*> members;
    for (const int n : group) {
      inputs.push_back(nodes_.inputs[to_index(n)][0]);
      members.push_back(nodes_.nodes[to_index(n)]);
    }
    const std::vector<int> values = tape_maker(l.tape, nodes_, owner).make(inputs);
    std::vector<layer_output> outputs;
    for (std::size_t k = 0; k < group.size(); ++k) {
      const node& x = *members[k];
      const int number = add_reducer(l, x.reducer, values[k]);
      reducer_use& use = l.reducers[to_index(number)];
      if (use.reducer == x.reducer) use.fused = x.fused;
      layer_output out = make_output(group[k], number);
      out.finisher = x.finisher;
      out.parameter = x.parameter;
      outputs.push_back(std::move(out));
    }
    choose_grouping(l, plan_.lanes);
    for (int a = 0; a < l.grid.ndim(); ++a) {
      const std::int64_t per = blocks_per_task(l, a);
      l.counts.push_back((l.grid.axis(a).count() + per - 1) / per);
    }
    for (layer_output& out : outputs) out.grid = output_grid(l, out);
    l.name = describe_layer(members, l.counts.size() > 1 ? " (partial)" : "");
    plan_.layers.push_back(std::move(l));
    for (std::size_t k = first.axes.size(); k-- > 0;) {
      const int axis = first.axes[k];
      while (plan_.layers.back().counts[axis] > 1) {
        const layer& before = plan_.layers.back();
        layer c;
        c.kind = layer_kind::combine;
        c.name = describe_layer(members, " (combine)");
        c.where = first.where;
        c.grid = before.grid;
        c.grouped_axis = before.grouped_axis;
        c.group = before.group;
        c.strip = before.strip;
        c.axes = before.axes;
        c.reducers = before.reducers;
        c.counts = before.counts;
        c.combined_axis = axis;
        c.fan_in = first.split_every;
        c.counts[axis] = (c.counts[axis] + c.fan_in - 1) / c.fan_in;
        c.source_layer = static_cast<int>(plan_.layers.size()) - 1;
        plan_.layers.push_back(std::move(c));
      }
    }
    layer& final_layer = plan_.layers.back();
    const int number = static_cast<int>(plan_.layers.size()) - 1;
    final_layer.outputs = std::move(outputs);
    for (std::size_t k = 0; k < group.size(); ++k) {
      value_[to_index(group[k])] = {number, static_cast<int>(k)};
      const int root = root_number_[to_index(group[k])];
      if (root >= 0) plan_.root_value[to_index(root)] = {number, static_cast<int>(k)};
    }
  }

  /// @returns the position of the reducer over register `value` in the layer; one that computes a prefix of another is
  /// not computed twice.
  static int add_reducer(layer& l, const reducer_descriptor* r, int value) {
    for (std::size_t k = 0; k < l.reducers.size(); ++k) {
      reducer_use& u = l.reducers[k];
      if (u.value != value) continue;
      if (u.reducer == r || u.reducer->prefix == r) return static_cast<int>(k);
      if (r->prefix == u.reducer) {
        u.reducer = r;
        u.fused = nullptr;
        return static_cast<int>(k);
      }
    }
    l.reducers.push_back({r, value, nullptr});
    return static_cast<int>(l.reducers.size()) - 1;
  }

  void sort_layers() {
    const std::size_t n = plan_.layers.size();
    std::vector<std::vector<int>> after(n);
    std::vector<int> waiting(n, 0);
    const auto edge = [&](int from, std::size_t to) {
      after[to_index(from)].push_back(static_cast<int>(to));
      ++waiting[to];
    };
    for (std::size_t i = 0; i < n; ++i) {
      const layer& l = plan_.layers[i];
      if (l.source_layer >= 0) edge(l.source_layer, i);
      for (const leaf& f : l.tape.leaves) {
        if (f.from == nullptr) edge(f.layer, i);
      }
      for (const int a : l.tape.after) edge(a, i);
    }
    std::vector<int> position(n, -1);
    std::vector<int> order;
    for (std::size_t i = 0; i < n; ++i) {
      if (waiting[i] == 0) order.push_back(static_cast<int>(i));
    }
    for (std::size_t k = 0; k < order.size(); ++k) {
      position[to_index(order[k])] = static_cast<int>(k);
      for (const int s : after[to_index(order[k])]) {
        if (--waiting[to_index(s)] == 0) order.push_back(s);
      }
    }
    std::vector<layer> sorted(n);
    for (std::size_t i = 0; i < n; ++i) sorted[to_index(position[i])] = std::move(plan_.layers[i]);
    plan_.layers = std::move(sorted);
    for (layer& l : plan_.layers) {
      if (l.source_layer >= 0) l.source_layer = position[to_index(l.source_layer)];
      for (leaf& f : l.tape.leaves) {
        if (f.from == nullptr) f.layer = position[to_index(f.layer)];
      }
      for (int& a : l.tape.after) a = position[to_index(a)];
    }
    for (auto& r : plan_.root_value) r.first = position[to_index(r.first)];
  }

  plan& plan_;
  const analysis& nodes_;
  std::vector<std::source_location> line_;
  std::vector<int> root_number_;
  std::vector<std::pair<int, int>> value_;  // by node: (layer, output)
};

}  // namespace ashlar::detail
