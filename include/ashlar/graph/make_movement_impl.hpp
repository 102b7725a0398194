/// \file
/// How nodes are made whose elements are those of other arrays at other places.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <ashlar/detail/strided.hpp>
#include <ashlar/detail/unify_chunks.hpp>
#include <ashlar/error.hpp>
#include <ashlar/graph/make_moved.hpp>
#include <ashlar/graph/make_movement.hpp>
#include <ashlar/graph/make_node.hpp>

namespace ashlar {

ASHLAR_DETAIL_SEPARATE shape new_shape::resolve(std::int64_t size, const shape& from, const char* call) const {
  const auto wrong = [&](const std::string& why) {
    std::string text = call;
    text += ": an array of shape " + from.to_string() + " has " + std::to_string(size) + " elements, and " + why;
    throw shape_error(text);
  };
  const std::string asked = detail::tuple_text({length_.data(), static_cast<std::size_t>(length_.ndim())});
  std::int64_t known = 1;
  int open = -1;
  for (int a = 0; a < length_.ndim(); ++a) {
    if (length_[a] == -1) {
      if (open >= 0) wrong("the shape " + asked + " leaves two lengths open; one may be -1");
      open = a;
    } else if (length_[a] < 0) {
      wrong("the shape " + asked + " has a negative length; one may be -1, for what is left");
    } else {
      known = detail::checked_mul(known, length_[a], call);
    }
  }
  if (open >= 0 ? known == 0 || size % known != 0 : known != size) {
    wrong("the shape " + asked +
          (open >= 0 ? " has no length for -1 that holds them" : " holds " + std::to_string(known)) +
          "; the numbers of elements must agree");
  }
  shape result;
  for (int a = 0; a < length_.ndim(); ++a) result.push_back(a == open ? size / known : length_[a]);
  return result;
}

namespace detail {

/// A copy of a source with another shape or other blocks, when its elements need not move for that; else null.
inline node_ptr source_as(const node_ptr& n, const ashlar::shape& shape, const block_grid& grid,
                          std::source_location where) {
  if (n->kind != node_kind::source || n->from->blocks() != nullptr || n->pending || n->controls > 0) return nullptr;
  if (n->shape == shape) return make_source(n->from, n->type, shape, grid, where);
  const memory_view* const m = n->from->memory();
  if (m == nullptr) return make_source(n->from, n->type, shape, grid, where);  // generators count in C order
  if (!is_row_major(n->shape, m->strides)) return nullptr;
  return make_source(
      std::make_shared<memory_source>(memory_view{m->data, row_major_strides(shape)}, n->from, n->from->name()),
      n->type, shape, grid, where);
}

/// Blocks of one length such that there are as many, or one fewer when some are less than half as long as the others;
/// the blocks as they are when none fits. As Dask's balance.
inline axis_blocks balanced(const axis_blocks& cuts) {
  if (cuts.total() == 0) return cuts;
  std::int64_t shortest = cuts.max_length();
  if (cuts.uniform()) shortest = cuts.length(cuts.count() - 1);
  for (std::int64_t b = 0; b < cuts.count() && !cuts.uniform(); ++b)
    shortest = cuts.length(b) < shortest ? cuts.length(b) : shortest;
  const std::int64_t count = cuts.count() - (2 * shortest <= cuts.max_length() && cuts.count() > 1 ? 1 : 0);
  const std::int64_t length = (cuts.total() - 1) / count + 1;
  const axis_blocks even = axis_blocks::regular(cuts.total(), length);
  return even.count() == count ? even : cuts;
}

ASHLAR_DETAIL_SEPARATE node_ptr make_rechunked(node_ptr input, const ashlar::chunks& wanted, bool balance,
                                               std::source_location where) {
  input->grid.require_known("rechunk");
  block_grid grid = normalize_chunks(wanted, input->shape, itemsize(input->type), &input->grid, "rechunk");
  if (balance) {
    std::vector<axis_blocks> cuts;
    cuts.reserve(static_cast<std::size_t>(grid.ndim()));
    for (int a = 0; a < grid.ndim(); ++a) cuts.push_back(balanced(grid.axis(a)));
    grid = block_grid(std::move(cuts));
  }
  if (grid == input->grid) return input;
  if (node_ptr n = source_as(input, input->shape, grid, where)) return n;
  auto n = std::make_shared<node>();
  n->kind = node_kind::view;
  n->type = input->type;
  n->shape = input->shape;
  n->grid = std::move(grid);
  n->where = where;
  n->pending = input->pending;
  n->view_name = "rechunk";
  if (input->kind == node_kind::view) {
    n->view = input->view;
    n->inputs.push_back(input->inputs[0]);
  } else {
    n->view = std::make_shared<const view_map>(identity_view(input->shape.ndim()));
    n->inputs.push_back(std::move(input));
  }
  return n;
}

/// The cuts of several axes, one behind the other.
inline axis_blocks joined_cuts(const std::vector<node_ptr>& inputs, int axis) {
  std::vector<std::int64_t> lengths;
  bool even = true;
  std::int64_t total = 0;
  const axis_blocks& first = inputs.front()->grid.axis(axis);
  for (const node_ptr& n : inputs) {
    const axis_blocks& cuts = n->grid.axis(axis);
    const bool last = &n == &inputs.back();
    even = even && cuts.uniform() && cuts.total() > 0 &&
           (cuts.max_length() == first.max_length() ||
            (last && cuts.count() == 1 && cuts.total() <= first.max_length())) &&
           (last || cuts.total() % cuts.max_length() == 0);
    total = checked_add(total, cuts.total(), "concatenate");
  }
  if (even) return axis_blocks::regular(total, first.max_length());
  for (const node_ptr& n : inputs) {
    const axis_blocks& cuts = n->grid.axis(axis);
    if (cuts.count() > most_listed_blocks - static_cast<std::int64_t>(lengths.size())) {
      throw chunk_error("concatenate: more than 2^28 uneven blocks along axis " + std::to_string(axis) +
                        "; use larger chunks");
    }
    for (std::int64_t b = 0; b < cuts.count(); ++b) {
      if (cuts.length(b) > 0) lengths.push_back(cuts.length(b));
    }
  }
  return lengths.empty() ? axis_blocks::single(0) : axis_blocks::explicit_lengths(lengths);
}

ASHLAR_DETAIL_SEPARATE node_ptr make_concatenated(std::vector<node_ptr> inputs, std::int64_t axis, const char* name,
                                                  std::source_location where) {
  const std::string call = name;
  if (inputs.empty()) throw shape_error(call + ": no arrays; give at least one");
  const ashlar::shape first = inputs.front()->shape;
  const int nd = first.ndim();
  if (nd == 0) throw axis_error(call + ": arrays of 0 axes have none to lie along; use stack");
  const int along = normalize_axis(axis, first, name);
  ashlar::shape result = first;
  result[along] = 0;
  movement_rule rule;
  rule.name = name;
  rule.in_order = along;
  for (const node_ptr& n : inputs) {
    n->grid.require_known(name);
    bool fits = n->shape.ndim() == nd;
    for (int a = 0; fits && a < nd; ++a) fits = a == along || n->shape[a] == first[a];
    if (!fits) {
      throw shape_error(call + " along axis " + std::to_string(along) + ": an array of shape " + n->shape.to_string() +
                        " beside one of shape " + first.to_string() +
                        "; all lengths but that one, and the number of axes, must agree");
    }
    placement p{strides::filled(nd, 0), strides::filled(nd, 1)};
    p.start[along] = result[along];
    rule.places.push_back(p);
    result[along] = checked_add(result[along], n->shape[along], name);
  }
  if (inputs.size() == 1) return inputs.front();
  std::vector<axis_blocks> cuts;
  std::vector<unify_operand> operands;  // across the axis: as element-wise operations unify
  std::vector<block_grid> others(inputs.size());
  ashlar::shape across;
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    for (int a = 0; a < nd; ++a) {
      if (a != along) others[k].push_back(inputs[k]->grid.axis(a));
    }
    operands.push_back({&others[k], itemsize(inputs[k]->type)});
  }
  for (int a = 0; a < nd; ++a) {
    if (a != along) across.push_back(first[a]);
  }
  const block_grid unified = unify_grids(operands, across, name);
  for (int a = 0, o = 0; a < nd; ++a) cuts.push_back(a == along ? joined_cuts(inputs, a) : unified.axis(o++));
  return make_moved(std::move(inputs), std::move(rule), result, block_grid(std::move(cuts)), where);
}

ASHLAR_DETAIL_SEPARATE node_ptr make_stacked(std::vector<node_ptr> inputs, std::int64_t axis, const char* name,
                                             std::source_location where) {
  if (inputs.empty()) throw shape_error(std::string(name) + ": no arrays; give at least one");
  const ashlar::shape first = inputs.front()->shape;
  for (node_ptr& n : inputs) {
    if (n->shape != first) {
      throw shape_error(std::string(name) + ": an array of shape " + n->shape.to_string() + " beside one of shape " +
                        first.to_string() + "; all shapes must agree");
    }
  }
  const int at = normalize_axis(axis, first.ndim() + 1, nullptr, name);
  for (node_ptr& n : inputs) n = make_expanded(std::move(n), at, where);
  return make_concatenated(std::move(inputs), at, name, where);
}

/// Cuts of the axes [first, end) of `extents` such that a block is a run of at most `elements`: whole axes behind one
/// that is cut, single positions before it.
inline void append_run_cuts(std::vector<axis_blocks>& cuts, const ashlar::shape& extents, int first, int end,
                            std::int64_t elements) {
  std::vector<axis_blocks> own(static_cast<std::size_t>(end - first));
  std::int64_t behind = 1;
  bool cut = false;
  for (int a = end; a-- > first;) {
    const std::int64_t n = extents[a];
    const std::int64_t length = cut ? 1 : elements / behind < n ? (elements / behind < 1 ? 1 : elements / behind) : n;
    cut = cut || length < n;
    behind *= length;
    own[static_cast<std::size_t>(a - first)] = axis_blocks::regular(n, length);
  }
  for (axis_blocks& c : own) cuts.push_back(std::move(c));
}

/// A view, where only axes of length 1 come or go; else null.
inline node_ptr reshaped_units(const node_ptr& input, const ashlar::shape& out, const char* name,
                               std::source_location where) {
  const ashlar::shape& in = input->shape;
  view_map m;
  m.ndim = out.ndim();
  m.start = strides::filled(in.ndim(), 0);
  int o = 0;
  for (int i = 0; i < in.ndim(); ++i) {
    if (in[i] == 1) continue;
    while (o < out.ndim() && out[o] == 1) ++o;
    if (o == out.ndim() || out[o] != in[i]) return nullptr;
    m.terms.push_back({i, o++, 1});
  }
  while (o < out.ndim() && out[o] == 1) ++o;
  return o == out.ndim() ? make_view(input, std::move(m), out, name, where) : nullptr;
}

ASHLAR_DETAIL_SEPARATE node_ptr make_reshaped(node_ptr input, const new_shape& wanted, const char* name,
                                              std::source_location where) {
  input->grid.require_known(name);
  const ashlar::shape& in = input->shape;
  const std::int64_t size = in.size();
  const ashlar::shape out = wanted.resolve(size, in, name);
  if (out == in) return input;
  if (node_ptr n = reshaped_units(input, out, name, where)) return n;
  movement_rule rule;
  rule.name = name;
  std::vector<axis_blocks> cuts;
  if (size == 0) {
    rule.groups.push_back({0, in.ndim(), 0, out.ndim()});
    for (int a = 0; a < out.ndim(); ++a) cuts.push_back(axis_blocks::single(out[a]));
  }
  for (int i = 0, o = 0; size != 0 && (i < in.ndim() || o < out.ndim());) {
    reshape_group g{i, i, o, o};
    std::int64_t n = i < in.ndim() ? in[i] : 1;
    std::int64_t m = o < out.ndim() ? out[o] : 1;
    i += i < in.ndim() ? 1 : 0;
    o += o < out.ndim() ? 1 : 0;
    while (n != m) {
      if (n < m) {
        n *= in[i++];
      } else {
        m *= out[o++];
      }
    }
    while (i < in.ndim() && in[i] == 1 && (o == out.ndim() || out[o] != 1)) ++i;
    while (o < out.ndim() && out[o] == 1 && (i == in.ndim() || in[i] != 1)) ++o;
    g.in_end = i;
    g.out_end = o;
    rule.groups.push_back(g);
    if (g.in_end - g.in == 1 && g.out_end - g.out == 1) {
      cuts.push_back(input->grid.axis(g.in));
      continue;
    }
    std::int64_t elements = 1;
    for (int a = g.in; a < g.in_end; ++a) elements *= input->grid.axis(a).max_length();
    append_run_cuts(cuts, out, g.out, g.out_end, elements);
  }
  block_grid grid(std::move(cuts));
  if (node_ptr n = source_as(input, out, grid, where)) return n;
  std::vector<node_ptr> inputs;
  inputs.push_back(std::move(input));
  return make_moved(std::move(inputs), std::move(rule), out, std::move(grid), where);
}

}  // namespace detail
}  // namespace ashlar
