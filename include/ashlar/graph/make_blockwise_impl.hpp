/// \file
/// How nodes of users' block functions are made and checked.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <ashlar/detail/checked.hpp>
#include <ashlar/detail/unify_chunks.hpp>
#include <ashlar/error.hpp>
#include <ashlar/graph/make_blockwise.hpp>
#include <ashlar/graph/make_halos.hpp>

namespace ashlar::detail {

/// As many blocks as `loop` has, each of `length`.
inline axis_blocks equal_blocks(std::int64_t count, std::int64_t length, const std::string& call) {
  if (length == 0 && count > 1) {
    if (count > most_listed_blocks) throw chunk_error(call + ": " + std::to_string(count) + " empty blocks");
    return axis_blocks::explicit_lengths(std::vector<std::int64_t>(static_cast<std::size_t>(count), 0));
  }
  return axis_blocks::regular(checked_mul(count, length, call), length);
}

/// The blocks that `said` gives an axis of the result; `loop` is null for an axis that no operand has.
inline axis_blocks declared_blocks(const chunk_spec& said, const axis_blocks* loop, bool new_axes_are_one,
                                   const std::string& axis, const std::string& call) {
  const std::int64_t count = loop != nullptr ? loop->count() : 1;
  switch (said.kind()) {
    case chunk_kind::keep:
      if (loop != nullptr) return *loop;
      if (new_axes_are_one) return axis_blocks::single(1);
      throw chunk_error(call + ": no operand has " + axis +
                        " of the result, so its length must be said: give chunks an entry for each axis");
    case chunk_kind::length:
      if (said.value() < 0) {
        throw chunk_error(call + ": chunk length " + std::to_string(said.value()) + " of " + axis + " is negative");
      }
      return equal_blocks(count, said.value(), call);
    case chunk_kind::lengths:
      if (loop == nullptr || static_cast<std::int64_t>(said.lengths().size()) == count) {
        return axis_blocks::explicit_lengths(said.lengths());
      }
      throw chunk_error(call + ": chunks names " + std::to_string(said.lengths().size()) + " blocks along " + axis +
                        " of the result, and the operands have " + std::to_string(count) + " there, " +
                        loop->to_string() + "; a block of operands makes one block of the result");
    default:
      throw chunk_error(call + ": the chunks of a result of blocks are lengths: a number that every block has along " +
                        axis + ", a list of lengths, or ashlar::keep");
  }
}

/// By label: extent over all operands, where 1 stretches.
inline std::vector<std::int64_t> label_extents(const blockwise_spec& s, int labels, const std::string& call) {
  std::vector<std::int64_t> extents(static_cast<std::size_t>(labels), -1);
  for (std::size_t i = 0; i < s.inputs.size(); ++i) {
    for (int a = 0; a < s.inputs[i]->shape.ndim(); ++a) {
      const int label = s.labels[i][static_cast<std::size_t>(a)];
      std::int64_t& known = extents[static_cast<std::size_t>(label)];
      const std::int64_t n = s.inputs[i]->shape[a];
      if (known == -1 || known == 1) {
        known = n;
      } else if (n != known && n != 1) {
        throw shape_error(call + ": axis " + std::to_string(a) + " of operand " + std::to_string(i) + ", of shape " +
                          s.inputs[i]->shape.to_string() + ", has length " + std::to_string(n) + ", and " +
                          s.label_text(label) + " has length " + std::to_string(known) +
                          " elsewhere; lengths must agree or be 1");
      }
    }
  }
  return extents;
}

inline node_ptr finish_node(std::shared_ptr<const block_function> f, dtype type, std::vector<node_ptr> inputs,
                            std::unique_ptr<block_rule> rule, block_grid grid, std::source_location where) {
  auto n = std::make_shared<node>();
  n->kind = node_kind::blockwise;
  n->type = type;
  n->where = where;
  n->shape = grid.full_shape();
  static_cast<void>(n->shape.size());
  n->grid = std::move(grid);
  for (const node_ptr& i : inputs) n->pending = n->pending || i->pending;
  n->inputs = std::move(inputs);
  rule->function = std::move(f);
  n->rule = std::move(rule);
  return n;
}

ASHLAR_DETAIL_SEPARATE node_ptr make_blockwise(blockwise_spec s, std::source_location where) {
  const std::string call = s.function->name();
  int labels = 0;
  for (const auto& list : s.labels) {
    for (const int l : list) labels = l >= labels ? l + 1 : labels;
  }
  for (const int l : s.result) labels = l >= labels ? l + 1 : labels;
  for (const node_ptr& i : s.inputs) i->grid.require_known(call);
  const std::vector<std::int64_t> extents = label_extents(s, labels, call);

  // cuts: the operands' grids in the order of the result's axes, as for an element-wise result
  const auto known = [&](int label) { return extents[static_cast<std::size_t>(label)] >= 0; };
  std::vector<int> axis_of(static_cast<std::size_t>(labels), block_rule::whole);
  for (std::size_t a = 0; a < s.result.size(); ++a)
    axis_of[static_cast<std::size_t>(s.result[a])] = static_cast<int>(a);
  shape loop_shape;
  for (const int l : s.result) loop_shape.push_back(known(l) ? extents[static_cast<std::size_t>(l)] : 1);
  auto rule = std::make_unique<block_rule>();
  std::vector<block_grid> grids(s.inputs.size());
  std::vector<unify_operand> operands;
  for (std::size_t i = 0; i < s.inputs.size(); ++i) {
    const node& x = *s.inputs[i];
    std::vector<axis_blocks> cuts(s.result.size(), axis_blocks::single(1));
    std::vector<char> cut(s.result.size(), 0);
    std::vector<int> follows;
    for (int a = 0; a < x.shape.ndim(); ++a) {
      const int axis = axis_of[static_cast<std::size_t>(s.labels[i][static_cast<std::size_t>(a)])];
      follows.push_back(axis);
      if (axis == block_rule::whole || x.shape[a] != loop_shape[axis]) continue;
      const auto at = static_cast<std::size_t>(axis);
      cuts[at] = cut[at] != 0 ? common_refinement(cuts[at], x.grid.axis(a)) : x.grid.axis(a);
      cut[at] = 1;
    }
    grids[i] = block_grid(std::move(cuts));
    operands.push_back({&grids[i], itemsize(x.type)});
    rule->follows.push_back(std::move(follows));
  }
  const block_grid loop = unify_grids(operands, loop_shape, call);

  const std::vector<chunk_spec>& said = s.chunks.specs();
  const std::size_t rank = s.result.size();
  if (!said.empty() && said.size() != 1 && said.size() != rank) {
    throw chunk_error(call + ": " + std::to_string(said.size()) + " chunk entries for a result of " +
                      std::to_string(rank) + (rank == 1 ? " axis" : " axes") +
                      "; give one entry per axis, or one for all");
  }
  block_grid grid;
  for (std::size_t a = 0; a < rank; ++a) {
    const axis_blocks* const cuts = known(s.result[a]) ? &loop.axis(static_cast<int>(a)) : nullptr;
    const chunk_spec entry = said.empty() ? chunk_spec(keep) : said[said.size() == 1 ? 0 : a];
    grid.push_back(declared_blocks(entry, cuts, s.new_axes_are_one, "axis " + std::to_string(a), call));
    rule->loop.push_back(cuts != nullptr ? *cuts : grid.axis(static_cast<int>(a)));
  }
  make_halos(*rule, s.halo, s.inputs, s.labels, extents, grid.full_shape().size() != 0, call);
  return finish_node(std::move(s.function), s.type, std::move(s.inputs), std::move(rule), std::move(grid), where);
}

ASHLAR_DETAIL_SEPARATE void label_map_blocks(blockwise_spec& s, const axes& drop, const axes& added) {
  const std::string call = s.function->name();
  int rank = 0;
  for (const node_ptr& i : s.inputs) rank = i->shape.ndim() > rank ? i->shape.ndim() : rank;
  for (const node_ptr& i : s.inputs) {
    std::vector<int> labels;
    for (int a = rank - i->shape.ndim(); a < rank; ++a) labels.push_back(a);
    s.labels.push_back(std::move(labels));
  }
  if (s.inputs.empty()) {  // a source: the chunks say everything
    for (std::size_t a = 0; a < s.chunks.specs().size(); ++a) s.result.push_back(static_cast<int>(a));
    s.label_text = [](int label) { return "axis " + std::to_string(label); };
    return;
  }
  const axis_set dropped = normalize_axes(drop, rank, call);
  for (int a = 0; a < rank; ++a) {
    if (!dropped.contains(a)) s.result.push_back(a);
  }
  if (added.all()) throw axis_error(call + ": new_axis names all axes; say which axes of the result are new");
  const axis_set places = normalize_axes(added, static_cast<int>(s.result.size()) + added.count(), call);
  int label = rank;
  for (const int a : places) s.result.insert(s.result.begin() + a, label++);
  s.new_axes_are_one = true;
  s.label_text = [](int l) { return "axis " + std::to_string(l) + " of the broadcast operands"; };
}

ASHLAR_DETAIL_SEPARATE void label_blockwise(blockwise_spec& s, const std::string& rule) {
  const std::string call = s.function->name();
  const auto wrong = [&](const std::string& what) {
    throw value_error(call + ": \"" + rule + "\" " + what +
                      "; write the axes of each array and of the result as letters, say \"ij,jk->ik\"");
  };
  const std::size_t arrow = rule.find("->");
  if (arrow == std::string::npos) wrong("has no ->");
  const auto read = [&](char c) {
    if ((c < 'a' || c > 'z') && (c < 'A' || c > 'Z')) wrong(std::string("has the character '") + c + "'");
    return static_cast<int>(static_cast<unsigned char>(c)) - 'A';
  };
  std::vector<int> list;
  std::vector<std::vector<int>> operands;
  for (std::size_t k = 0; k < arrow; ++k) {
    if (rule[k] == ' ') continue;
    if (rule[k] == ',') {
      operands.push_back(std::move(list));
      list.clear();
    } else {
      list.push_back(read(rule[k]));
    }
  }
  if (arrow > 0 || !s.inputs.empty()) operands.push_back(std::move(list));
  for (std::size_t k = arrow + 2; k < rule.size(); ++k) {
    if (rule[k] == ' ') continue;
    const int label = read(rule[k]);
    for (const int before : s.result) {
      if (before == label) wrong(std::string("names '") + rule[k] + "' twice in the result");
    }
    s.result.push_back(label);
  }
  if (operands.size() != s.inputs.size()) {
    throw shape_error(call + ": \"" + rule + "\" is for " + std::to_string(operands.size()) +
                      (operands.size() == 1 ? " array" : " arrays") + ", and " + std::to_string(s.inputs.size()) +
                      " are given");
  }
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (static_cast<int>(operands[i].size()) == s.inputs[i]->shape.ndim()) continue;
    std::string text = call;
    text += ": \"";
    text += rule;
    text += "\" gives array ";
    text += std::to_string(i);
    text += " ";
    text += std::to_string(operands[i].size());
    text += " axes, and it has shape ";
    text += s.inputs[i]->shape.to_string();
    throw shape_error(text);
  }
  s.labels = std::move(operands);
  s.label_text = [](int label) { return std::string("axis '") + static_cast<char>('A' + label) + "'"; };
}

/// Blocks of states: one element for each of the kept ones, 1 along each reduced axis.
inline node_ptr make_states(std::shared_ptr<const block_function> f, node_ptr input, bool input_is_states,
                            const axis_set& which, block_grid loop, const user_reduction_spec& spec,
                            std::source_location where) {
  auto rule = std::make_unique<block_rule>();
  const int nd = loop.ndim();
  block_grid grid;
  std::vector<int> follows;
  for (int a = 0; a < nd; ++a) {
    grid.push_back(which.contains(a) ? axis_blocks::regular(loop.axis(a).count(), 1) : loop.axis(a));
    follows.push_back(a);
  }
  if (spec.state_bytes > 0) {  // bytes of a state along a last axis
    grid.push_back(axis_blocks::single(spec.state_bytes));
    loop.push_back(axis_blocks::single(spec.state_bytes));
    if (input_is_states) follows.push_back(nd);
  }
  rule->loop = std::move(loop);
  rule->follows.push_back(std::move(follows));
  std::vector<node_ptr> inputs;
  inputs.push_back(std::move(input));
  return finish_node(std::move(f), spec.state, std::move(inputs), std::move(rule), std::move(grid), where);
}

/// Blocks that a task merges along each of `axes` reduced axes: the root of `split_every`, rounded down so that it
/// merges no more than that together, but 2 at least, since a merge of one ends nothing.
inline std::int64_t fan_in_along(int split_every, int axes) {
  if (axes < 2) return split_every;
  std::int64_t root = std::llround(std::pow(split_every, 1.0 / axes));
  while (root > 2 && std::pow(static_cast<double>(root), axes) > split_every) --root;  // once at most
  return root < 2 ? 2 : root;
}

ASHLAR_DETAIL_SEPARATE node_ptr make_user_reduction(node_ptr input, const axis_set& which,
                                                    const user_reduction_spec& spec, std::source_location where) {
  const std::string call = spec.chunk->name();
  input->grid.require_known(call);
  if (spec.split_every < 2) {
    throw value_error(call + ": split_every is " + std::to_string(spec.split_every) + "; it is 2 or more");
  }
  const int nd = input->shape.ndim();
  const std::int64_t fan_in = fan_in_along(spec.split_every, which.count());
  block_grid loop = input->grid;
  node_ptr states = make_states(spec.chunk, std::move(input), false, which, loop, spec, where);
  const auto merged = [&](bool all) {
    block_grid next;
    for (int a = 0; a < nd; ++a) {
      const std::int64_t count = loop.axis(a).count();
      next.push_back(!which.contains(a) ? loop.axis(a) : axis_blocks::regular(count, all ? count : fan_in));
    }
    return next;
  };
  for (;;) {
    bool last = true;
    for (const int a : which) last = last && loop.axis(a).count() <= fan_in;
    if (last) break;
    loop = merged(false);
    states = make_states(spec.combine, std::move(states), true, which, loop, spec, where);
  }
  loop = merged(true);
  auto rule = std::make_unique<block_rule>();
  block_grid grid;
  std::vector<int> follows;
  for (int a = 0; a < nd; ++a) {
    const bool reduced = which.contains(a);
    follows.push_back(reduced ? block_rule::whole : grid.ndim());
    if (reduced && !spec.keepdims) continue;
    if (reduced) {
      grid.push_back(axis_blocks::single(1));
    } else {
      grid.push_back(loop.axis(a));
    }
  }
  if (spec.state_bytes > 0) follows.push_back(block_rule::whole);
  rule->loop = grid;
  rule->follows.push_back(std::move(follows));
  std::vector<node_ptr> inputs;
  inputs.push_back(std::move(states));
  return finish_node(spec.aggregate, spec.type, std::move(inputs), std::move(rule), std::move(grid), where);
}

/// The median of each line of a block, by Hoare's selection.
class median_function final : public block_function {
 public:
  explicit median_function(int axis) : axis_(axis) {}

  const char* name() const noexcept override { return "median"; }

  void call(const block_call& c) const override {
    const box& part = c.in[0].where;
    const std::int64_t n = part.length[axis_];
    std::int64_t inner = 1;
    for (int a = axis_ + 1; a < part.ndim; ++a) inner *= part.length[a];
    const std::int64_t lines = c.out.where.size();
    std::vector<double> line(static_cast<std::size_t>(n));
    for (std::int64_t k = 0; k < lines; ++k) {
      const double* const from = static_cast<const double*>(c.in[0].data) + k / inner * inner * n + k % inner;
      bool nan = false;
      for (std::size_t i = 0; i < line.size(); ++i) {
        line[i] = from[static_cast<std::int64_t>(i) * inner];
        nan = nan || std::isnan(line[i]);
      }
      static_cast<double*>(c.out.data)[k] = nan ? std::numeric_limits<double>::quiet_NaN() : median(line);
    }
  }

 private:
  static double median(std::vector<double>& line) {
    const auto middle = line.begin() + static_cast<std::ptrdiff_t>(line.size() / 2);
    std::nth_element(line.begin(), middle, line.end());
    return line.size() % 2 != 0 ? *middle : (*std::max_element(line.begin(), middle) + *middle) / 2;
  }

  int axis_;
};

ASHLAR_DETAIL_SEPARATE node_ptr make_median(node_ptr input, int axis, std::source_location where) {
  blockwise_spec spec;
  spec.function = std::make_shared<median_function>(axis);
  spec.inputs.push_back(std::move(input));
  label_map_blocks(spec, axis, axis);
  return make_blockwise(std::move(spec), where);
}

}  // namespace ashlar::detail
