/// \file
/// How nodes of views are made and checked.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <ashlar/detail/unify_chunks.hpp>
#include <ashlar/error.hpp>
#include <ashlar/graph/make_view.hpp>

namespace ashlar::detail {

/// Where a run of positions is cut when the axis behind it has the blocks `cuts`: blocks that hold none of the run are
/// left out, the first block is that of the run's first element. Cost: linear in the blocks between its ends.
inline axis_blocks cuts_of_run(const axis_blocks& cuts, const index_run& run) {
  if (run.count == 0) return axis_blocks::single(0);
  if (run.first == 0 && run.step == 1 && run.count == cuts.total()) {
    bool empty = false;
    for (std::int64_t b = 0; b < cuts.count() && !cuts.uniform(); ++b) empty = empty || cuts.length(b) == 0;
    if (!empty) return cuts;
  }
  const std::int64_t last = run.first + (run.count - 1) * run.step;
  const std::int64_t from = cuts.find(run.first);
  const std::int64_t to = cuts.find(last);
  if (from == to) return axis_blocks::single(run.count);
  if (cuts.uniform() && run.step == 1 && run.first == cuts.offset(from)) {
    return axis_blocks::regular(run.count, cuts.max_length());
  }
  const std::int64_t blocks = (from < to ? to - from : from - to) + 1;
  if (blocks > most_listed_blocks) {
    throw chunk_error("a view across " + std::to_string(blocks) +
                      " blocks of an axis would be cut into as many uneven ones; use larger chunks");
  }
  std::vector<std::int64_t> lengths;
  std::int64_t done = 0;
  for (std::int64_t b = from;; b += from < to ? 1 : -1) {
    // elements of the run up to the far end of block b
    const std::int64_t reach = run.step > 0 ? (cuts.offset(b + 1) - 1 - run.first) / run.step + 1
                                            : (run.first - cuts.offset(b)) / -run.step + 1;
    const std::int64_t end = b == to ? run.count : reach;
    if (end > done) lengths.push_back(end - done);
    done = end > done ? end : done;
    if (b == to) break;
  }
  return axis_blocks::explicit_lengths(lengths);
}

/// Elements that a new block along a repeated axis may have, so that broadcasting does not make blocks that no memory
/// holds.
inline constexpr std::int64_t most_repeated_elements = std::int64_t{1} << 24;

inline block_grid cuts_of_view(const view_map& m, const ashlar::shape& result, const node& input) {
  std::vector<axis_blocks> cuts(static_cast<std::size_t>(result.ndim()));
  std::vector<char> cut(static_cast<std::size_t>(result.ndim()), 0);
  for (std::size_t k = 0; k < m.terms.size(); ++k) {
    const view_term& t = m.terms[k];
    const std::int64_t extent = result[t.axis];
    bool longest = true;  // of axes that share one below them, the longest follows its cuts
    for (const view_term& u : m.terms) {
      if (u.input_axis == t.input_axis && u.axis != t.axis) {
        longest = longest && (result[u.axis] < extent || (result[u.axis] == extent && t.axis < u.axis));
      }
    }
    if (!longest) continue;
    const auto at = static_cast<std::size_t>(t.axis);
    axis_blocks own = extent == 0 ? axis_blocks::single(0)
                                  : cuts_of_run(input.grid.axis(t.input_axis), {m.start[t.input_axis], extent, t.step});
    cuts[at] = cut[at] != 0 ? common_refinement(cuts[at], own) : std::move(own);
    cut[at] = 1;
  }
  const bool empty = result.size() == 0;
  double elements = 1;
  for (std::size_t a = 0; a < cuts.size(); ++a) {
    if (cut[a] != 0) elements *= static_cast<double>(cuts[a].max_length());
  }
  for (std::size_t a = cuts.size(); a-- > 0;) {
    if (cut[a] != 0) continue;
    const std::int64_t extent = result[static_cast<int>(a)];
    const double room = static_cast<double>(most_repeated_elements) / (elements > 1 ? elements : 1);
    const std::int64_t length = static_cast<double>(extent) <= room || empty ? extent
                                : room < 1                                   ? 1
                                                                             : static_cast<std::int64_t>(room);
    cuts[a] = axis_blocks::regular(extent, length);
    elements *= static_cast<double>(length);
  }
  return block_grid(std::move(cuts));
}

inline bool is_whole(const view_map& m, const ashlar::shape& result, const ashlar::shape& input) {
  return result == input && m == identity_view(input.ndim());
}

ASHLAR_DETAIL_SEPARATE node_ptr make_view(node_ptr input, view_map map, const ashlar::shape& result, const char* name,
                                          std::source_location where) {
  input->grid.require_known(name);
  if (is_whole(map, result, input->shape)) return input;
  const std::int64_t size = result.size();  // throws when the number of elements overflows
  if (size == 0) map.start = strides::filled(map.inputs(), 0);
  block_grid grid = cuts_of_view(map, result, *input);
  auto n = std::make_shared<node>();
  n->type = input->type;
  n->shape = result;
  n->where = where;
  n->grid = std::move(grid);
  n->pending = input->pending;
  const bool free = input->kind == node_kind::source && input->controls == 0;
  const memory_view* const m = free ? input->from->memory() : nullptr;
  if (m != nullptr) {
    std::int64_t at = 0;
    for (int a = 0; a < map.inputs() && size != 0; ++a) at += map.start[a] * m->strides[a];
    n->kind = node_kind::source;
    n->from = std::make_shared<memory_source>(
        memory_view{static_cast<const unsigned char*>(m->data) + at * itemsize(input->type),
                    view_strides(map, m->strides)},
        input->from, input->from->name());
    return n;
  }
  n->kind = node_kind::view;
  n->view_name = name;
  if (input->kind == node_kind::view) {
    map = compose(map, *input->view);
    n->inputs.push_back(input->inputs[0]);
  } else {
    n->inputs.push_back(std::move(input));
  }
  n->view = std::make_shared<const view_map>(std::move(map));
  return n;
}

ASHLAR_DETAIL_SEPARATE std::vector<index_part> resolve_index(std::span<const index_item> items,
                                                             const ashlar::shape& extents, const char* call) {
  using sort = index_item::sort;
  int named = 0;
  int rests = 0;
  for (const index_item& i : items) {
    named += i.kind == sort::position || i.kind == sort::range || i.kind == sort::whole ? 1 : 0;
    rests += i.kind == sort::rest ? 1 : 0;
  }
  if (rests > 1) {
    throw index_error(std::string(call) + ": more than one ellipsis; one stands for all axes that are not named");
  }
  if (named > extents.ndim()) {
    throw index_error(std::string(call) + ": " + std::to_string(named) + " entries for " +
                      array_text(extents.ndim(), &extents) + "; give at most one an axis");
  }
  std::vector<index_part> parts;
  int axis = 0;
  const auto whole = [&] {
    parts.push_back({{0, extents[axis], 1}, index_part::keeps});
    ++axis;
  };
  int left = named;
  for (const index_item& i : items) {
    if (i.kind == sort::new_axis) {
      parts.push_back({{}, index_part::adds});
      continue;
    }
    if (i.kind == sort::rest) {
      while (axis < extents.ndim() - left) whole();
      continue;
    }
    --left;
    if (i.kind == sort::whole) {
      whole();
      continue;
    }
    const std::int64_t n = extents[axis];
    if (i.kind == sort::range) {
      parts.push_back({resolve_slice(i.range, n, call), index_part::keeps});
    } else {
      if (i.where < -n || i.where >= n) {
        throw index_error(std::string(call) + ": position " + std::to_string(i.where) + " is outside axis " +
                          std::to_string(axis) + " of length " + std::to_string(n) + " of an array of shape " +
                          extents.to_string() +
                          (n == 0 ? "; the axis has no elements"
                                  : "; positions go from -" + std::to_string(n) + " to " + std::to_string(n - 1)));
      }
      parts.push_back({{i.where < 0 ? i.where + n : i.where, 1, 1}, index_part::drops});
    }
    ++axis;
  }
  while (axis < extents.ndim()) whole();
  return parts;
}

ASHLAR_DETAIL_SEPARATE node_ptr make_indexed(node_ptr input, std::span<const index_item> items,
                                             std::source_location where) {
  view_map m;
  ashlar::shape result;
  m.start = strides::filled(input->shape.ndim(), 0);
  int axis = 0;
  for (const index_part& p : resolve_index(items, input->shape, "index")) {
    if (p.kind == index_part::adds) {
      result.push_back(1);
      continue;
    }
    m.start[axis] = p.run.first;
    if (p.kind == index_part::keeps) {
      m.terms.push_back({axis, result.ndim(), p.run.step});
      result.push_back(p.run.count);
    }
    ++axis;
  }
  m.ndim = result.ndim();
  return make_view(std::move(input), std::move(m), result, "index", where);
}

ASHLAR_DETAIL_SEPARATE node_ptr make_block_view(node_ptr input, std::span<const index_item> blocks,
                                                std::source_location where) {
  using sort = index_item::sort;
  const block_grid& grid = input->grid;
  grid.require_known("blocks");
  if (static_cast<int>(blocks.size()) > grid.ndim()) {
    throw axis_error("blocks: " + std::to_string(blocks.size()) + " entries for " +
                     array_text(grid.ndim(), &input->shape) + "; give at most one an axis");
  }
  std::vector<index_item> elements;
  for (std::size_t k = 0; k < blocks.size(); ++k) {
    const axis_blocks& cuts = grid.axis(static_cast<int>(k));
    const index_item& i = blocks[k];
    if (i.kind == sort::position) {
      const std::int64_t n = cuts.count();
      if (i.where < -n || i.where >= n) {
        throw index_error("blocks: block " + std::to_string(i.where) + " is outside axis " + std::to_string(k) +
                          ", which has " + std::to_string(n) + "; they go from -" + std::to_string(n) + " to " +
                          std::to_string(n - 1));
      }
      const std::int64_t b = i.where < 0 ? i.where + n : i.where;
      elements.emplace_back(slice{cuts.offset(b), cuts.offset(b + 1)});
    } else if (i.kind == sort::range || i.kind == sort::whole) {
      const index_run r = resolve_slice(i.range, cuts.count(), "blocks");
      if (r.step != 1) {
        throw index_error("blocks: a slice of blocks has step " + std::to_string(r.step) + "; it is 1");
      }
      elements.emplace_back(r.count == 0 ? slice{0, 0} : slice{cuts.offset(r.first), cuts.offset(r.first + r.count)});
    } else {
      throw index_error("blocks: entries are numbers of blocks and slices of them");
    }
  }
  return make_indexed(std::move(input), elements, where);
}

}  // namespace ashlar::detail
