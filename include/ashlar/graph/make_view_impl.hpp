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
  double elements = 1;
  for (std::size_t a = 0; a < cuts.size(); ++a) {
    if (cut[a] != 0) elements *= static_cast<double>(cuts[a].max_length());
  }
  for (std::size_t a = cuts.size(); a-- > 0;) {
    if (cut[a] != 0) continue;
    const std::int64_t extent = result[static_cast<int>(a)];
    const double room = static_cast<double>(most_repeated_elements) / (elements > 1 ? elements : 1);
    const std::int64_t length = static_cast<double>(extent) <= room || extent == 0 ? extent
                                : room < 1                                         ? 1
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
  const memory_view* const m = input->kind == node_kind::source ? input->from->memory() : nullptr;
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

ASHLAR_DETAIL_SEPARATE node_ptr make_indexed(node_ptr input, std::span<const index_item> items,
                                             std::source_location where) {
  using sort = index_item::sort;
  const ashlar::shape& extents = input->shape;
  int named = 0;
  int rests = 0;
  for (const index_item& i : items) {
    named += i.kind == sort::position || i.kind == sort::range || i.kind == sort::whole ? 1 : 0;
    rests += i.kind == sort::rest ? 1 : 0;
  }
  if (rests > 1) throw index_error("index: more than one ellipsis; one stands for all axes that are not named");
  if (named > extents.ndim()) {
    throw index_error("index: " + std::to_string(named) + " entries for " + array_text(extents.ndim(), &extents) +
                      "; give at most one an axis");
  }
  view_map m;
  ashlar::shape result;
  m.start = strides::filled(extents.ndim(), 0);
  int axis = 0;
  const auto run_along = [&](const index_run& r) {
    m.start[axis] = r.first;
    m.terms.push_back({axis++, result.ndim(), r.step});
    result.push_back(r.count);
  };
  const auto rest = [&](int up_to) {
    while (axis < up_to) run_along({0, extents[axis], 1});
  };
  int left = named;
  for (const index_item& i : items) {
    switch (i.kind) {
      case sort::position: {
        const std::int64_t n = extents[axis];
        if (i.where < -n || i.where >= n) {
          throw index_error("index: position " + std::to_string(i.where) + " is outside axis " + std::to_string(axis) +
                            " of length " + std::to_string(n) + " of an array of shape " + extents.to_string() +
                            (n == 0 ? "; the axis has no elements"
                                    : "; positions go from -" + std::to_string(n) + " to " + std::to_string(n - 1)));
        }
        m.start[axis++] = i.where < 0 ? i.where + n : i.where;
        --left;
        break;
      }
      case sort::range:
        run_along(resolve_slice(i.range, extents[axis], "index"));
        --left;
        break;
      case sort::whole:
        run_along({0, extents[axis], 1});
        --left;
        break;
      case sort::new_axis:
        result.push_back(1);
        break;
      case sort::rest:
        rest(extents.ndim() - left);
        break;
    }
  }
  rest(extents.ndim());
  m.ndim = result.ndim();
  return make_view(std::move(input), std::move(m), result, "index", where);
}

inline node_ptr permuted(node_ptr input, const std::vector<int>& order, const char* name, std::source_location where) {
  view_map m;
  m.ndim = static_cast<int>(order.size());
  m.start = strides::filled(m.ndim, 0);
  ashlar::shape result;
  for (int a = 0; a < m.ndim; ++a) {
    const int from = order[static_cast<std::size_t>(a)];
    add_term(m, {from, a, 1});
    result.push_back(input->shape[from]);
  }
  return make_view(std::move(input), std::move(m), result, name, where);
}

ASHLAR_DETAIL_SEPARATE node_ptr make_transposed(node_ptr input, const axes& order, const char* name,
                                                std::source_location where) {
  const int nd = input->shape.ndim();
  std::vector<int> list;
  if (order.all()) {
    for (int a = nd; a-- > 0;) list.push_back(a);
  } else {
    const axis_set all = normalize_axes(order, input->shape, name);
    if (all.count() != nd) {
      throw axis_error(std::string(name) + ": axes " + order.to_string() + " for " + array_text(nd, &input->shape) +
                       "; name each of its axes once");
    }
    for (const std::int64_t a : order) list.push_back(normalize_axis(a, input->shape, name));
  }
  return permuted(std::move(input), list, name, where);
}

ASHLAR_DETAIL_SEPARATE node_ptr make_moved_axes(node_ptr input, const axes& from, const axes& to,
                                                std::source_location where) {
  const int nd = input->shape.ndim();
  const axis_set moved = normalize_axes(from, input->shape, "moveaxis");
  const axis_set places = normalize_axes(to, input->shape, "moveaxis");
  if (from.all() || to.all() || moved.count() != places.count()) {
    throw axis_error("moveaxis: from " + from.to_string() + " to " + to.to_string() +
                     "; name as many places as axes, one or more");
  }
  std::vector<int> order(static_cast<std::size_t>(nd), -1);
  for (int k = 0; k < from.count(); ++k) {
    order[static_cast<std::size_t>(normalize_axis(to[k], input->shape, "moveaxis"))] =
        normalize_axis(from[k], input->shape, "moveaxis");
  }
  int next = 0;
  for (int& a : order) {
    if (a >= 0) continue;
    while (moved.contains(next)) ++next;
    a = next++;
  }
  return permuted(std::move(input), order, "moveaxis", where);
}

ASHLAR_DETAIL_SEPARATE node_ptr make_squeezed(node_ptr input, const axes& which, std::source_location where) {
  const ashlar::shape& extents = input->shape;
  axis_set gone;
  if (which.all()) {
    for (int a = 0; a < extents.ndim(); ++a) {
      if (extents[a] == 1) gone.insert(a);
    }
  } else {
    gone = normalize_axes(which, extents, "squeeze");
  }
  view_map m;
  m.start = strides::filled(extents.ndim(), 0);
  ashlar::shape result;
  for (int a = 0; a < extents.ndim(); ++a) {
    if (gone.contains(a)) {
      if (extents[a] == 1) continue;
      throw shape_error("squeeze: axis " + std::to_string(a) + " of shape " + extents.to_string() + " has length " +
                        std::to_string(extents[a]) + "; only axes of length 1 can be left out");
    }
    m.terms.push_back({a, result.ndim(), 1});
    result.push_back(extents[a]);
  }
  m.ndim = result.ndim();
  return make_view(std::move(input), std::move(m), result, "squeeze", where);
}

ASHLAR_DETAIL_SEPARATE node_ptr make_expanded(node_ptr input, const axes& which, std::source_location where) {
  const ashlar::shape& extents = input->shape;
  if (which.all()) throw axis_error("expand_dims: say at which places of the result the new axes are");
  const axis_set fresh = normalize_axes(which, extents.ndim() + which.count(), "expand_dims");
  view_map m;
  m.ndim = extents.ndim() + fresh.count();
  m.start = strides::filled(extents.ndim(), 0);
  ashlar::shape result;
  int axis = 0;
  for (int a = 0; a < m.ndim; ++a) {
    if (!fresh.contains(a)) m.terms.push_back({axis, a, 1});
    result.push_back(fresh.contains(a) ? 1 : extents[axis++]);
  }
  return make_view(std::move(input), std::move(m), result, "expand_dims", where);
}

ASHLAR_DETAIL_SEPARATE node_ptr make_broadcast(node_ptr input, const ashlar::shape& result, std::source_location where,
                                               const char* name) {
  bool fits = input->shape.ndim() <= result.ndim();
  for (int a = 0; fits && a < input->shape.ndim(); ++a) {
    fits = input->shape[a] == 1 || input->shape[a] == result[a + result.ndim() - input->shape.ndim()];
  }
  if (!fits) {
    throw shape_error(std::string(name) + ": an array of shape " + input->shape.to_string() +
                      " does not broadcast to " + result.to_string() +
                      "; lengths agree from the right, or are 1 in the array");
  }
  view_map m = broadcast_view(input->shape, result);
  return make_view(std::move(input), std::move(m), result, name, where);
}

ASHLAR_DETAIL_SEPARATE node_ptr make_flipped(node_ptr input, const axes& which, const char* name,
                                             std::source_location where) {
  const ashlar::shape result = input->shape;
  const axis_set set = normalize_axes(which, result, name);
  view_map m = identity_view(result.ndim());
  for (view_term& t : m.terms) {
    if (!set.contains(t.axis) || result[t.axis] < 2) continue;
    m.start[t.axis] = result[t.axis] - 1;
    t.step = -1;
  }
  return make_view(std::move(input), std::move(m), result, name, where);
}

ASHLAR_DETAIL_SEPARATE axes swapped(std::int64_t axis1, std::int64_t axis2, const ashlar::shape& extents) {
  const int a = normalize_axis(axis1, extents, "swapaxes");
  const int b = normalize_axis(axis2, extents, "swapaxes");
  ashlar::shape order;
  for (int k = 0; k < extents.ndim(); ++k) order.push_back(k == a ? b : k == b ? a : k);
  return axes(std::span<const std::int64_t>(order.begin(), order.end()));
}

ASHLAR_DETAIL_SEPARATE node_ptr make_rotated(node_ptr input, std::int64_t times, std::int64_t axis1, std::int64_t axis2,
                                             std::source_location where) {
  const int a = normalize_axis(axis1, input->shape, "rot90");
  const int b = normalize_axis(axis2, input->shape, "rot90");
  if (a == b) throw axis_error("rot90: both axes are axis " + std::to_string(a) + "; name two different ones");
  switch (((times % 4) + 4) % 4) {
    case 1: {
      const axes order = swapped(a, b, input->shape);
      return make_transposed(make_flipped(std::move(input), b, "rot90", where), order, "rot90", where);
    }
    case 2:
      return make_flipped(std::move(input), axes{a, b}, "rot90", where);
    case 3: {
      const axes order = swapped(a, b, input->shape);
      return make_flipped(make_transposed(std::move(input), order, "rot90", where), b, "rot90", where);
    }
    default:
      return input;
  }
}

ASHLAR_DETAIL_SEPARATE node_ptr make_at_least(node_ptr input, int ndim, std::source_location where) {
  const int nd = input->shape.ndim();
  if (nd >= ndim) return input;
  if (ndim == 3 && nd == 2) return make_expanded(std::move(input), 2, where);
  if (ndim == 3 && nd == 1) return make_expanded(std::move(input), axes{0, 2}, where);
  if (ndim == 3) return make_expanded(std::move(input), axes{0, 1, 2}, where);
  return ndim - nd == 2 ? make_expanded(std::move(input), axes{0, 1}, where)
                        : make_expanded(std::move(input), 0, where);
}

ASHLAR_DETAIL_SEPARATE node_ptr make_diagonal(node_ptr input, std::int64_t offset, std::int64_t axis1,
                                              std::int64_t axis2, std::source_location where) {
  const ashlar::shape& extents = input->shape;
  if (extents.ndim() < 2) {
    throw axis_error("diagonal: " + array_text(extents.ndim(), &extents) + "; a diagonal needs two axes");
  }
  const int a = normalize_axis(axis1, extents, "diagonal");
  const int b = normalize_axis(axis2, extents, "diagonal");
  if (a == b) {
    throw axis_error("diagonal: both axes are axis " + std::to_string(a) + "; name two different ones");
  }
  const std::int64_t down = offset < 0 && offset > -extents[a] ? -offset : 0;
  const std::int64_t right = offset > 0 && offset < extents[b] ? offset : 0;
  const std::int64_t rows = extents[a] - down;
  const std::int64_t columns = extents[b] - right;
  const bool outside = offset >= extents[b] || offset <= -extents[a];
  view_map m;
  m.start = strides::filled(extents.ndim(), 0);
  ashlar::shape result;
  for (int k = 0; k < extents.ndim(); ++k) {
    if (k == a || k == b) continue;
    m.terms.push_back({k, result.ndim(), 1});
    result.push_back(extents[k]);
  }
  m.start[a] = down;
  m.start[b] = right;
  add_term(m, {a, result.ndim(), 1});
  add_term(m, {b, result.ndim(), 1});
  result.push_back(outside ? 0 : rows < columns ? rows : columns);
  m.ndim = result.ndim();
  return make_view(std::move(input), std::move(m), result, "diagonal", where);
}

ASHLAR_DETAIL_SEPARATE node_ptr make_windows(node_ptr input, const ashlar::shape& window, const axes& which,
                                             std::source_location where) {
  const ashlar::shape& extents = input->shape;
  const char* const call = "sliding_window_view";
  if (which.all() ? window.ndim() != extents.ndim() : window.ndim() != which.count()) {
    throw axis_error(std::string(call) + ": windows of shape " + window.to_string() + " along axes " +
                     which.to_string() + " of " + array_text(extents.ndim(), &extents) +
                     "; give one length for each axis");
  }
  ashlar::shape result = extents;
  view_map m = identity_view(extents.ndim());
  for (int k = 0; k < window.ndim(); ++k) {
    const int a = which.all() ? k : normalize_axis(which[k], extents, call);
    if (window[k] < 1 || window[k] > result[a]) {
      throw shape_error(std::string(call) + ": a window of " + std::to_string(window[k]) + " along axis " +
                        std::to_string(a) + ", where " + std::to_string(result[a]) +
                        " elements are left; it has 1 or more, and no more than the axis");
    }
    result[a] -= window[k] - 1;
    add_term(m, {a, result.ndim(), 1});
    result.push_back(window[k]);
  }
  m.ndim = result.ndim();
  return make_view(std::move(input), std::move(m), result, call, where);
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
