/// \file
/// Second half of lowering: from layers as sets of nodes to tapes, tasks and edges.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <ashlar/error.hpp>
#include <ashlar/graph/analyse.hpp>
#include <ashlar/graph/grouping.hpp>
#include <ashlar/graph/order.hpp>
#include <ashlar/graph/plan.hpp>
#include <ashlar/graph/region.hpp>

namespace ashlar::detail {

inline std::string describe_layer(const std::vector<const node*>& values, const char* suffix) {
  std::string text;
  for (const node* n : values) {
    const std::string word = n->name();
    if (text.find(word) == std::string::npos) text += (text.empty() ? "" : ", ") + word;
  }
  return text + suffix;
}

class lowering {
 public:
  lowering(std::vector<node_ptr> roots, int lane_count, bool fuse, result_kind results)
      : plan_(std::make_shared<plan>()) {
    plan_->lanes = lane_count;
    plan_->results = results;
    plan_->keep_alive = std::move(roots);
    nodes_ = analyse(plan_->keep_alive, fuse);
    make_roots();
    find_lines();
    make_layers();
    sort_layers();
    make_tasks();
    finish_plan(*plan_);
  }

  std::shared_ptr<const plan> result() && { return std::move(plan_); }

 private:
  using index = std::size_t;

  static index idx(int i) { return static_cast<index>(i); }

  void make_roots() {
    // equal results are one root; callers copy it
    root_number_.assign(nodes_.nodes.size(), -1);
    for (const int r : nodes_.root) {
      if (root_number_[idx(r)] < 0) root_number_[idx(r)] = plan_->roots++;
      plan_->root_of.push_back(root_number_[idx(r)]);
    }
    plan_->root_value.resize(idx(plan_->roots));
  }

  // --- layers
  // -----------------------------------------------------------------------------------------------------------

  void make_layers() {
    const index owners = nodes_.groups.size() + nodes_.materialised.size();
    value_.assign(nodes_.nodes.size(), {-1, 0});
    for (index o = 0; o < owners; ++o) {
      if (o < nodes_.groups.size()) {
        make_reduction_layers(nodes_.groups[o], static_cast<int>(o));
      } else {
        make_elementwise_layer(nodes_.materialised[o - nodes_.groups.size()], static_cast<int>(o));
      }
    }
    for (layer& l : plan_->layers) {
      for (leaf& f : l.tape.leaves) {
        if (f.from != nullptr) continue;
        const auto [value_layer, output] = value_[idx(f.layer)];  // f.layer is a node index so far
        f.layer = value_layer;
        f.output = output;
        f.grid = plan_->layers[idx(value_layer)].outputs[idx(output)].grid;
      }
    }
  }

  layer_output make_output(int n, int value) {
    const node& x = *nodes_.nodes[idx(n)];
    layer_output out;
    out.type = x.type;
    out.value = value;
    out.made_by = &x;
    out.grid = x.grid;
    out.root = plan_->results == result_kind::arrays ? root_number_[idx(n)] : -1;
    out.sink = plan_->results == result_kind::sinks ? root_number_[idx(n)] : -1;
    value_[idx(n)] = {static_cast<int>(plan_->layers.size()), 0};
    return out;
  }

  void make_elementwise_layer(int n, int owner) {
    const node& x = *nodes_.nodes[idx(n)];
    layer l;
    l.kind = layer_kind::elementwise;
    l.name = x.name();
    l.where = line_[idx(n)];
    l.grid = x.grid;
    l.counts = x.grid.counts();
    const std::vector<int> values = make_tape(l.tape, {n}, owner);
    l.outputs.push_back(make_output(n, values[0]));
    if (root_number_[idx(n)] >= 0)
      plan_->root_value[idx(root_number_[idx(n)])] = {static_cast<int>(plan_->layers.size()), 0};
    plan_->layers.push_back(std::move(l));
  }

  /// By node: its line or, where it has none, that of its first consumer.
  void find_lines() {
    line_.resize(nodes_.nodes.size());
    for (index n = line_.size(); n-- > 0;) {  // consumers come after what they read
      line_[n] = nodes_.nodes[n]->where;
      if (line_[n].line() == 0 && !nodes_.consumers[n].empty()) line_[n] = line_[idx(nodes_.consumers[n].front())];
    }
    for (index n = 0; n < line_.size(); ++n) {  // nothing above it has one either: the line of what it works on
      if (line_[n].line() == 0 && !nodes_.inputs[n].empty()) line_[n] = line_[idx(nodes_.inputs[n].front())];
    }
  }

  /// Tape of the nodes that `owner` computes below `values`; @returns their registers.
  std::vector<int> make_tape(tape& t, const std::vector<int>& values, int owner) {
    std::vector<int> order;
    std::vector<visit_frame> stack;
    std::vector<int> leaves;
    flat_index reg;
    flat_index queued;
    const auto inlined = [&](int n) {
      return nodes_.nodes[idx(n)]->kind == node_kind::elementwise && nodes_.owner[idx(n)] == owner;
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
        const std::vector<int>& inputs = nodes_.inputs[idx(n)];
        if (inlined(n) && top.next < static_cast<std::int64_t>(inputs.size())) {
          enqueue(inputs[static_cast<index>(top.next++)]);
          continue;
        }
        (inlined(n) ? order : leaves).push_back(n);
        stack.pop_back();
      }
    }
    for (const int n : leaves) {
      const node& x = *nodes_.nodes[idx(n)];
      reg.set(static_cast<std::uint64_t>(n), static_cast<int>(t.leaves.size()));
      leaf f;
      f.type = x.type;
      f.shape = x.shape;
      f.grid = x.grid;
      const bool value_of_a_layer =
          x.kind != node_kind::source || (nodes_.owner[idx(n)] >= 0 && nodes_.owner[idx(n)] != owner);
      if (value_of_a_layer) {
        f.layer = n;  // resolved once every layer exists
      } else {
        f.from = x.from.get();
      }
      t.types.push_back(x.type);
      t.leaves.push_back(std::move(f));
    }
    for (const int n : order) {
      const node& x = *nodes_.nodes[idx(n)];
      tape_step s;
      s.call = &x.kernel;
      s.inputs = static_cast<int>(nodes_.inputs[idx(n)].size());
      for (int k = 0; k < s.inputs; ++k)
        s.input[k] = reg.find(static_cast<std::uint64_t>(nodes_.inputs[idx(n)][idx(k)]));
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

  /// Linear scan: a step's output takes the slot of a register that is read no more. A value that is reduced keeps a
  /// slot to itself, since it holds many rows there while the steps before it work on the next one.
  static void assign_slots(tape& t, const std::vector<int>& kept) {
    std::vector<int> last(t.types.size(), -1);
    for (index s = 0; s < t.steps.size(); ++s) {
      for (int k = 0; k < t.steps[s].inputs; ++k) last[idx(t.steps[s].input[k])] = static_cast<int>(s);
    }
    for (const int v : kept) last[idx(v)] = std::numeric_limits<int>::max();
    t.slot.resize(t.types.size());
    t.slots = 0;
    for (index r = 0; r < t.leaves.size(); ++r) t.slot[r] = t.slots++;
    std::vector<int> free;
    for (index s = 0; s < t.steps.size(); ++s) {
      const index out = idx(t.steps[s].output);
      if (free.empty() || last[out] == std::numeric_limits<int>::max()) {
        t.slot[out] = t.slots++;
      } else {
        t.slot[out] = free.back();
        free.pop_back();
      }
      for (index r = t.leaves.size(); r < t.types.size(); ++r) {
        if (last[r] == static_cast<int>(s)) free.push_back(t.slot[r]);
      }
    }
  }

  void make_reduction_layers(const std::vector<int>& group, int owner) {
    const node& first = *nodes_.nodes[idx(group[0])];
    layer l;
    l.kind = layer_kind::partial;
    l.where = first.where;
    l.grid = first.inputs[0]->grid;
    l.axes = first.axes;
    std::vector<int> inputs;
    std::vector<const node*> members;
    for (const int n : group) {
      inputs.push_back(nodes_.inputs[idx(n)][0]);
      members.push_back(nodes_.nodes[idx(n)]);
    }
    const std::vector<int> values = make_tape(l.tape, inputs, owner);
    std::vector<layer_output> outputs;
    for (index k = 0; k < group.size(); ++k) {
      const node& x = *members[k];
      layer_output out = make_output(group[k], add_reducer(l, x.reducer, values[k]));
      out.finisher = x.finisher;
      out.parameter = x.parameter;
      outputs.push_back(std::move(out));
    }
    choose_grouping(l, plan_->lanes);
    std::vector<axis_blocks> per_axis;
    for (int a = 0; a < l.grid.ndim(); ++a) {
      const std::int64_t per = blocks_per_task(l, a);
      l.counts.push_back((l.grid.axis(a).count() + per - 1) / per);
    }
    for (layer_output& out : outputs) out.grid = output_grid(l, out);
    l.name = describe_layer(members, l.counts.size() > 1 ? " (partial)" : "");
    plan_->layers.push_back(std::move(l));
    for (index k = first.axes.size(); k-- > 0;) {
      const int axis = first.axes[k];
      while (plan_->layers.back().counts[axis] > 1) {
        const layer& before = plan_->layers.back();
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
        c.source_layer = static_cast<int>(plan_->layers.size()) - 1;
        plan_->layers.push_back(std::move(c));
      }
    }
    layer& final_layer = plan_->layers.back();
    const int number = static_cast<int>(plan_->layers.size()) - 1;
    final_layer.outputs = std::move(outputs);
    for (index k = 0; k < group.size(); ++k) {
      value_[idx(group[k])] = {number, static_cast<int>(k)};
      const int root = root_number_[idx(group[k])];
      if (root >= 0) plan_->root_value[idx(root)] = {number, static_cast<int>(k)};
    }
  }

  /// @returns the position of the reducer over register `value` in the layer; one that computes a prefix of another is
  /// not computed twice.
  static int add_reducer(layer& l, const reducer_descriptor* r, int value) {
    for (index k = 0; k < l.reducers.size(); ++k) {
      reducer_use& u = l.reducers[k];
      if (u.value != value) continue;
      if (u.reducer == r || u.reducer->prefix == r) return static_cast<int>(k);
      if (r->prefix == u.reducer) {
        u.reducer = r;
        return static_cast<int>(k);
      }
    }
    l.reducers.push_back({r, value});
    return static_cast<int>(l.reducers.size()) - 1;
  }

  // --- order of layers
  // ----------------------------------------------------------------------------------------------------

  void sort_layers() {
    const index n = plan_->layers.size();
    std::vector<std::vector<int>> after(n);
    std::vector<int> waiting(n, 0);
    const auto edge = [&](int from, index to) {
      after[idx(from)].push_back(static_cast<int>(to));
      ++waiting[to];
    };
    for (index i = 0; i < n; ++i) {
      const layer& l = plan_->layers[i];
      if (l.source_layer >= 0) edge(l.source_layer, i);
      for (const leaf& f : l.tape.leaves) {
        if (f.from == nullptr) edge(f.layer, i);
      }
    }
    std::vector<int> position(n, -1);
    std::vector<int> order;
    for (index i = 0; i < n; ++i) {
      if (waiting[i] == 0) order.push_back(static_cast<int>(i));
    }
    for (index k = 0; k < order.size(); ++k) {
      position[idx(order[k])] = static_cast<int>(k);
      for (const int s : after[idx(order[k])]) {
        if (--waiting[idx(s)] == 0) order.push_back(s);
      }
    }
    std::vector<layer> sorted(n);
    for (index i = 0; i < n; ++i) sorted[idx(position[i])] = std::move(plan_->layers[i]);
    plan_->layers = std::move(sorted);
    for (layer& l : plan_->layers) {
      if (l.source_layer >= 0) l.source_layer = position[idx(l.source_layer)];
      for (leaf& f : l.tape.leaves) {
        if (f.from == nullptr) f.layer = position[idx(f.layer)];
      }
    }
    for (auto& r : plan_->root_value) r.first = position[idx(r.first)];
  }

  // --- tasks
  // --------------------------------------------------------------------------------------------------------------

  void make_tasks() {
    plan& p = *plan_;
    std::int64_t total = 0;
    for (layer& l : p.layers) {
      l.first_task = total;
      l.task_count = l.counts.size();
      total += l.task_count;
      if (total > std::numeric_limits<std::uint32_t>::max() / 2) {
        throw chunk_error("compute: more than 2^31 tasks; use larger chunks");
      }
      for (layer_output& out : l.outputs) {
        if (out.root >= 0) p.stats.result_bytes += itemsize(out.type) * out.made_by->shape.size();
      }
    }
    p.layer_of.reserve(static_cast<index>(total));
    p.chunk_bytes.reserve(static_cast<index>(total));
    p.pred_begin.reserve(static_cast<index>(total) + 1);
    p.pred_begin.push_back(0);
    for (index i = 0; i < p.layers.size(); ++i) {
      layer& l = p.layers[i];
      std::int64_t coords[max_ndim] = {};
      for (std::int64_t b = 0; b < l.task_count; ++b) {
        task_coords(l.counts, b, coords);
        p.layer_of.push_back(static_cast<std::uint32_t>(i));
        add_inputs(l, coords);
        p.pred_begin.push_back(static_cast<std::int64_t>(p.pred.size()));
        const std::int64_t bytes = chunk_bytes(l, coords);
        if (bytes > l.largest_chunk) l.largest_chunk = bytes;
        p.chunk_bytes.push_back(bytes);
      }
    }
  }

  void add_inputs(const layer& l, const std::int64_t* coords) {
    plan& p = *plan_;
    if (l.kind == layer_kind::combine) {
      const layer& from = p.layers[idx(l.source_layer)];
      std::int64_t c[max_ndim];
      for (int a = 0; a < l.counts.ndim(); ++a) c[a] = coords[a];
      const std::int64_t first = coords[l.combined_axis] * l.fan_in;
      for (std::int64_t k = first; k < first + l.fan_in && k < from.counts[l.combined_axis]; ++k) {
        c[l.combined_axis] = k;
        p.pred.push_back(static_cast<std::uint32_t>(from.first_task + task_index(from.counts, c)));
      }
      return;
    }
    const box task = task_box(l, coords);
    const index begin = p.pred.size();
    for (const leaf& f : l.tape.leaves) {
      if (f.from != nullptr) continue;
      const box part = operand_box(task, f.shape);
      if (part.size() == 0) continue;
      const layer& from = p.layers[idx(f.layer)];
      for_each_block(blocks_under(f.grid, part), part.ndim, [&](const std::int64_t* c) {
        const auto t = static_cast<std::uint32_t>(from.first_task + f.grid.linear(c));
        for (index k = begin; k < p.pred.size(); ++k) {
          if (p.pred[k] == t) return;
        }
        p.pred.push_back(t);
      });
    }
  }

  /// Bytes of the chunk that a task makes; lays the outputs out in it.
  std::int64_t chunk_bytes(layer& l, const std::int64_t* coords) const {
    if (l.outputs.empty()) return state_bytes(l, kept_elements(l, coords));
    const std::int64_t n = l.kind == layer_kind::elementwise ? task_box(l, coords).size() : kept_elements(l, coords);
    std::int64_t bytes = 0;
    for (const layer_output& out : l.outputs) {
      if (out.root < 0) bytes += round_up(n * itemsize(out.type), 64);
    }
    return bytes;
  }

  std::shared_ptr<plan> plan_;
  analysis nodes_;
  std::vector<std::source_location> line_;
  std::vector<int> root_number_;
  std::vector<std::pair<int, int>> value_;  // by node: (layer, output)
};

/// Plans one run that computes all of `roots`.
inline std::shared_ptr<const plan> make_plan(std::vector<node_ptr> roots, int lane_count, bool fuse = true,
                                             result_kind results = result_kind::arrays) {
  return lowering(std::move(roots), lane_count, fuse, results).result();
}

}  // namespace ashlar::detail
