/// \file
/// Tasks of reductions on a device: from boxes to passes, and from states to results.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <ashlar/execution/device_reduction.hpp>
#include <ashlar/execution/device_tasks.hpp>

namespace ashlar::detail {

/// What partial and combine tasks share: where states end, as states or as results.
class device_finishes {
 public:
  device_finishes(const device_context& c, const layer& l, device_room& room) : c_(c), l_(l), room_(room) {}

  /// Where the states of each reducer of a task end, before they are finished.
  std::vector<device_states> targets(std::int64_t columns, unsigned char* chunk) const {
    std::vector<device_states> ends(l_.reducers.size());
    for (std::size_t k = 0; k < ends.size(); ++k) {
      if (l_.outputs.empty()) {
        ends[k] = {chunk, chunk_fields(l_, k, columns)};
        continue;
      }
      const std::int64_t bytes = lay_fields(*l_.reducers[k].reducer, columns, 0, ends[k].fields);
      ends[k].data = static_cast<unsigned char*>(room_.room(bytes));
    }
    return ends;
  }

  void add(std::uint32_t task, const std::int64_t* coords, std::int64_t columns, std::int64_t count,
           const std::vector<device_states>& states, unsigned char* chunk) {
    c_.counts[task] = count;
    if (columns == 0) return;
    if (finishes_.size() < l_.outputs.size()) finishes_.resize(l_.outputs.size());
    for (std::size_t o = 0; o < l_.outputs.size(); ++o) {
      const layer_output& out = l_.outputs[o];
      const std::int64_t size = itemsize(out.type);
      std::int64_t length[max_ndim];
      std::int64_t stride[max_ndim];
      int nd = 1;
      unsigned char* to = chunk;
      if (out.root < 0) {
        length[0] = columns;
        stride[0] = 1;
        chunk += round_up(columns * size, 64);
      } else {
        std::int64_t position[max_ndim] = {};
        out.grid.coords(task_index(l_.counts, coords), position);
        const box b = block_box(out.grid, position);
        nd = b.ndim;
        to = open_device_block(c_, out, b, chunk, stride);
        for (int a = 0; a < nd; ++a) length[a] = b.length[a];
      }
      const std::int64_t* const strides[1] = {stride};
      const joined_loops j = join_loops(nd, length, 1, strides);
      const device_loops loops = inner_loops(j, 0);
      const device_states& from = states[to_index(out.value)];
      key_.clear();
      append_key(key_, loops);
      append_key(key_, from.fields);
      const auto [b, fresh] = finishes_[o].at(key_);
      if (fresh) {
        b->work.loops = loops;
        b->work.fields = from.fields;
        b->work.parameter = out.parameter;
      }
      if (j.ndim > device_axes) {
        throw device_error(
            "compute: a result of " + std::to_string(nd) +
            " axes that do not lie one behind the other cannot be written on a device yet; persist() it");
      }
      b->in.push_back(from.data);
      b->out.push_back(to);
      b->numbers.push_back(count);
    }
  }

  void launch() {
    for (std::size_t o = 0; o < finishes_.size(); ++o) {
      for (auto& b : finishes_[o].values()) {
        b.place(room_);
        b.work.counts = room_.upload(b.numbers);
        c_.api.run(room_, *l_.outputs[o].finisher, b.work);
      }
    }
    finishes_.clear();
  }

 private:
  const device_context& c_;
  const layer& l_;
  device_room& room_;
  std::vector<keyed_batches<pass_batch<device_finish>>> finishes_;
  std::vector<std::int64_t> key_;
};

class device_partial_group final : public device_group {
 public:
  device_partial_group(const device_context& c, const layer& l, device_room& room)
      : c_(c),
        l_(l),
        room_(room),
        operands_(c.api, c.p, c.values, room),
        tape_(c.api, l.tape, operands_, room),
        finishes_(c, l, room) {
    for (const reducer_use& r : l.reducers) passes_.emplace_back(c.api, *r.reducer, room);
    for (int a = 0; a < l.grid.ndim(); ++a) reduced_[a] = is_reduced(l, a);
    find_computed();
  }

  /// Bytes for states on the way to those of a task, and for the addresses of its passes; about, and rather too many.
  static std::int64_t bytes_between(const layer& l, const box& b) {
    const int last = b.ndim - 1;
    const std::int64_t blocks = (l.grouped_axis >= 0 ? l.group : 1) * (l.strip > 1 ? l.strip : 1);
    std::int64_t states = b.size();
    for (int a = last; a >= 0 && a >= last - 1; --a) {
      if (!is_reduced(l, a)) continue;
      if (b.length[a] > blocks) states = states / b.length[a] * blocks;
      break;
    }
    std::int64_t bytes = 0;
    for (const reducer_use& r : l.reducers) {
      for (int f = 0; f < r.reducer->fields; ++f) bytes += 2 * states * itemsize(r.reducer->field[f]);
      bytes += blocks * static_cast<std::int64_t>(l.axes.size() + 2) * device_alignment;
    }
    return bytes;
  }

  void add(std::uint32_t task, const std::int64_t* coords, unsigned char* chunk) override {
    const std::int64_t columns = kept_elements(l_, coords);
    const box whole = task_box(l_, coords);
    const int nd = whole.ndim;
    const int last = nd - 1;
    // canonical blocks: a grid of groups and strips
    std::vector<std::pair<std::int64_t, std::int64_t>> groups{{-1, 0}};
    if (l_.grouped_axis >= 0) groups = cuts(l_.grouped_axis, coords[l_.grouped_axis] * l_.group, l_.group);
    std::vector<std::pair<std::int64_t, std::int64_t>> strips{{-1, 0}};
    if (nd > 0 && is_reduced(l_, last) && l_.grouped_axis != last && l_.strip > 1) {
      strips = cuts(last, coords[last] * l_.strip, l_.strip);
    }
    const std::vector<device_states> end = finishes_.targets(columns, chunk);
    std::vector<std::vector<device_states>> group_states(l_.reducers.size());
    std::vector<std::int64_t> group_counts;
    std::int64_t count = 0;
    for (const auto& g : groups) {
      box part = whole;
      if (g.first >= 0) {
        part.offset[l_.grouped_axis] = g.first;
        part.length[l_.grouped_axis] = g.second;
      }
      std::vector<device_states> to = end;
      if (groups.size() > 1) {
        for (std::size_t k = 0; k < passes_.size(); ++k)
          group_states[k].push_back(to[k] = passes_[k].room_for(columns));
      }
      group_counts.push_back(add_strips(part, strips, last, columns, to));
      count += group_counts.back();
    }
    if (groups.size() > 1) {
      for (std::size_t k = 0; k < passes_.size(); ++k) add_tree(k, group_states[k], group_counts, columns, end[k], 2);
    }
    finishes_.add(task, coords, columns, count, end, chunk);
  }

  void launch() override {
    operands_.prepare();
    tape_.launch();
    packing_.launch(c_.api, room_);
    for (reduction_passes& p : passes_) p.launch();
    finishes_.launch();
  }

 private:
  /// Offsets and lengths of canonical blocks [first, first + n) of an axis.
  std::vector<std::pair<std::int64_t, std::int64_t>> cuts(int axis, std::int64_t first, std::int64_t n) const {
    const axis_blocks& blocks = l_.grid.axis(axis);
    std::vector<std::pair<std::int64_t, std::int64_t>> result;
    for (std::int64_t k = first; k < first + n && k < blocks.count(); ++k) {
      result.emplace_back(blocks.offset(k), blocks.length(k));
    }
    return result;
  }

  void add_tree(std::size_t k, const std::vector<device_states>& from, const std::vector<std::int64_t>& counts,
                std::int64_t columns, const device_states& to, std::size_t level) {
    std::vector<const void*> in;
    in.reserve(from.size());
    for (const device_states& s : from) in.push_back(s.data);
    passes_[k].add_tree(in, counts, from[0].fields, columns, to, level);
  }

  /// @returns the elements behind each state
  std::int64_t add_strips(const box& b, const std::vector<std::pair<std::int64_t, std::int64_t>>& strips, int last,
                          std::int64_t columns, const std::vector<device_states>& to) {
    if (strips.size() == 1) {
      box part = b;
      if (strips[0].first >= 0) {
        part.offset[last] = strips[0].first;
        part.length[last] = strips[0].second;
      }
      return add_block(part, to);
    }
    std::vector<std::vector<device_states>> states(passes_.size());
    std::vector<std::int64_t> counts;
    std::int64_t count = 0;
    for (const auto& s : strips) {
      box part = b;
      part.offset[last] = s.first;
      part.length[last] = s.second;
      std::vector<device_states> one(passes_.size());
      for (std::size_t k = 0; k < passes_.size(); ++k) states[k].push_back(one[k] = passes_[k].room_for(columns));
      counts.push_back(add_block(part, one));
      count += counts.back();
    }
    for (std::size_t k = 0; k < passes_.size(); ++k) add_tree(k, states[k], counts, columns, to[k], 1);
    return count;
  }

  /// Reducers whose values need not be stored: made by one step from leaves, and read by nothing else.
  void find_computed() {
    const tape& t = l_.tape;
    skipped_.assign(t.steps.size(), 0);
    step_of_.assign(passes_.size(), -1);
    if (!reduction_passes::takes_computed(l_.grid.ndim(), reduced_)) return;
    for (std::size_t k = 0; k < passes_.size(); ++k) {
      const reducer_use& use = l_.reducers[k];
      if (use.fused == nullptr) continue;
      for (std::size_t s = 0; s < t.steps.size(); ++s) {
        if (t.steps[s].output != use.value) continue;
        bool alone = true;
        for (int i = 0; i < t.steps[s].inputs; ++i) {
          alone = alone && t.steps[s].input[i] < static_cast<int>(t.leaves.size());
        }
        for (std::size_t other = 0; other < passes_.size(); ++other) {
          alone = alone && (other == k || l_.reducers[other].value != use.value);
        }
        for (const tape_step& other : t.steps) {
          for (int i = 0; i < other.inputs; ++i) alone = alone && other.input[i] != use.value;
        }
        if (!alone) continue;
        step_of_[k] = static_cast<int>(s);
        skipped_[s] = 1;
        computed_any_ = true;
      }
    }
  }

  /// Whether the inputs of a step have equal strides over a box.
  bool alike(const box& b, const tape_step& s) const {
    const device_operand& first = tape_.at(s.input[0]);
    for (int k = 1; k < s.inputs; ++k) {
      for (int a = 0; a < b.ndim; ++a) {
        if (b.length[a] != 1 && tape_.at(s.input[k]).stride[a] != first.stride[a]) return false;
      }
    }
    return true;
  }

  /// The box's leaves and values; where all that could be computed on the way can be.
  bool add_values(const box& b) {
    if (!computed_any_ || b.size() == 0) {
      tape_.add(b, -1, nullptr, nullptr);
      return false;
    }
    tape_.add(b, skipped_);
    bool all = true;
    for (const int s : step_of_) {
      if (s < 0) continue;
      const tape_step& step = l_.tape.steps[to_index(s)];
      const std::int64_t* const strides[1] = {tape_.at(step.input[0]).stride};
      all = all && alike(b, step) && join_loops(b.ndim, b.length, 1, strides).ndim <= device_axes;
    }
    if (!all) tape_.add(b, -1, nullptr, nullptr);
    return all;
  }

  std::int64_t add_block(const box& b, const std::vector<device_states>& to) {
    std::int64_t count = 1;
    std::int64_t first_index = 0;
    std::int64_t index[max_ndim] = {};
    std::int64_t weight = 1;
    const bool all = static_cast<int>(l_.axes.size()) == b.ndim;
    for (int a = b.ndim - 1; a >= 0; --a) {
      index[a] = all ? weight : (reduced_[a] ? 1 : 0);
      weight *= l_.grid.axis(a).total();
      first_index += b.offset[a] * index[a];
      if (reduced_[a]) count *= b.length[a];
    }
    const bool computes = add_values(b);
    for (std::size_t k = 0; k < passes_.size(); ++k) {
      if (computes && step_of_[k] >= 0) {
        const tape_step& s = l_.tape.steps[to_index(step_of_[k])];
        computed_value c{l_.reducers[k].fused, s.call->parameters.get(), {}};
        for (int i = 0; i < s.inputs; ++i) c.inputs.push_back(tape_.at(s.input[i]).data);
        passes_[k].add_block(b, reduced_, tape_.at(s.input[0]), first_index, index, to[k], c);
        continue;
      }
      device_operand value = tape_.at(l_.reducers[k].value);
      const std::int64_t* const strides[1] = {value.stride};
      if (b.size() > 0 && join_loops(b.ndim, b.length, 1, strides).ndim > device_axes) value = pack(b, k, value);
      passes_[k].add_block(b, reduced_, value, first_index, index, to[k]);
    }
    return count;
  }

  device_operand pack(const box& b, std::size_t k, const device_operand& value) {
    const std::int64_t size = itemsize(l_.reducers[k].reducer->input);
    device_operand packed;
    packed.data = static_cast<unsigned char*>(room_.room(b.size() * size));
    const strides s = packed_strides(b);
    for (int a = 0; a < b.ndim; ++a) packed.stride[a] = s[a];
    packing_.add(size, b.ndim, b.length, value.data, value.stride, packed.data, packed.stride);
    return packed;
  }

  const device_context& c_;
  const layer& l_;
  device_room& room_;
  device_operands operands_;
  device_tape tape_;
  device_copies packing_;
  device_finishes finishes_;
  std::vector<reduction_passes> passes_;
  bool reduced_[max_ndim] = {};
  std::vector<char> skipped_;  // by step
  std::vector<int> step_of_;   // by reducer: the step whose values its passes compute, or -1
  bool computed_any_ = false;
};

class device_combine_group final : public device_group {
 public:
  device_combine_group(const device_context& c, const layer& l, device_room& room)
      : c_(c), l_(l), finishes_(c, l, room) {
    for (const reducer_use& r : l.reducers) passes_.emplace_back(c.api, *r.reducer, room);
  }

  void add(std::uint32_t task, const std::int64_t* coords, unsigned char* chunk) override {
    const std::int64_t columns = kept_elements(l_, coords);
    std::vector<const void*> in;
    std::vector<std::int64_t> counts;
    std::int64_t count = 0;
    for (std::int64_t e = c_.p.pred_begin[task]; e < c_.p.pred_begin[task + 1]; ++e) {
      const std::uint32_t from = c_.p.pred[static_cast<std::size_t>(e)];
      in.push_back(c_.values.chunk(from));
      counts.push_back(c_.counts[from]);
      count += counts.back();
    }
    const std::vector<device_states> end = finishes_.targets(columns, chunk);
    for (std::size_t k = 0; k < passes_.size() && columns > 0; ++k) {
      passes_[k].add_tree(in, counts, chunk_fields(l_, k, columns), columns, end[k]);
    }
    finishes_.add(task, coords, columns, count, end, chunk);
  }

  void launch() override {
    for (reduction_passes& p : passes_) p.launch();
    finishes_.launch();
  }

 private:
  const device_context& c_;
  const layer& l_;
  device_finishes finishes_;
  std::vector<reduction_passes> passes_;
};

}  // namespace ashlar::detail
