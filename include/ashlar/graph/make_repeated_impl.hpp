/// \file
/// How nodes are made in which elements come again, or are left out: repeat, tile, delete_; and where split cuts.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <ashlar/error.hpp>
#include <ashlar/graph/make_moved.hpp>
#include <ashlar/graph/make_movement.hpp>

namespace ashlar::detail {

/// f(x, axis) for an operation along an axis that has an axis more on its way than its result. Of an array of all the
/// axes that there can be, one of length 1 is left out meanwhile, or two neighbours are one, which copies the elements.
template <class F>
node_ptr with_room(node_ptr x, int axis, std::source_location where, F f) {
  const ashlar::shape extents = x->shape;
  if (extents.ndim() < max_ndim) return f(std::move(x), axis);
  for (int b = 0; b < max_ndim; ++b) {
    if (b == axis || extents[b] != 1) continue;
    return make_expanded(f(make_squeezed(std::move(x), b, where), b < axis ? axis - 1 : axis), b, where);
  }
  const int b = axis > 1 ? 0 : max_ndim - 2;
  ashlar::shape fewer = extents;
  fewer[b] = checked_mul(extents[b], extents[b + 1], "reshape");
  fewer.erase(b + 1);
  const int a = b < axis ? axis - 1 : axis;
  const node_ptr made = f(make_reshaped(std::move(x), fewer, "reshape", where), a);
  ashlar::shape result = extents;
  result[axis] = made->shape[a];
  return make_reshaped(made, result, "reshape", where);
}

ASHLAR_DETAIL_SEPARATE node_ptr make_repeated(node_ptr input, std::int64_t times, std::int64_t axis,
                                              std::source_location where) {
  if (times < 0) throw value_error("repeat: " + std::to_string(times) + " times; it is 0 or more");
  const int along = normalize_axis(axis, input->shape, "repeat");
  return with_room(std::move(input), along, where, [&](node_ptr x, int a) {
    ashlar::shape wide = x->shape;
    ashlar::shape result = wide;
    result[a] = checked_mul(wide[a], times, "repeat");
    wide.insert(a + 1, times);
    node_ptr n = make_expanded(std::move(x), a + 1, where);
    return make_reshaped(make_broadcast(std::move(n), wide, where), result, "repeat", where);
  });
}

/// The array `times` times along an axis that it has.
inline node_ptr tiled_along(node_ptr input, std::int64_t times, int axis, std::source_location where) {
  return with_room(std::move(input), axis, where, [&](node_ptr x, int a) {
    ashlar::shape wide = x->shape;
    ashlar::shape result = wide;
    result[a] *= times;
    wide.insert(a, times);
    node_ptr n = make_expanded(std::move(x), a, where);
    return make_reshaped(make_broadcast(std::move(n), wide, where), result, "tile", where);
  });
}

ASHLAR_DETAIL_SEPARATE node_ptr make_tiled(node_ptr input, const std::vector<std::int64_t>& times,
                                           std::source_location where) {
  const int nd =
      input->shape.ndim() > static_cast<int>(times.size()) ? input->shape.ndim() : static_cast<int>(times.size());
  const ashlar::shape in = broadcast_shapes(input->shape, ashlar::shape::filled(nd, 1), "tile");
  const auto times_along = [&](int a) {
    const int k = a - (nd - static_cast<int>(times.size()));
    return k < 0 ? 1 : times[static_cast<std::size_t>(k)];
  };
  ashlar::shape result;
  ashlar::shape ones = in;  // with its axes of length 1 as long as in the result: they only repeat
  int several = 0;          // others that repeat: two axes on the way
  for (int a = 0; a < nd; ++a) {
    const std::int64_t t = times_along(a);
    if (t < 0) throw value_error("tile: " + std::to_string(t) + " times; it is 0 or more");
    result.push_back(checked_mul(in[a], t, "tile"));
    if (in[a] == 1) {
      ones[a] = t;
    } else if (t != 1) {
      ++several;
    }
  }
  static_cast<void>(result.size());  // throws when the number of elements overflows
  if (nd + several > max_ndim) {     // axis after axis, each in a pass
    node_ptr n = make_broadcast(std::move(input), in, where, "tile");
    for (int a = 0; a < nd; ++a) {
      if (in[a] != 1 && times_along(a) != 1) n = tiled_along(std::move(n), times_along(a), a, where);
    }
    return make_broadcast(std::move(n), result, where, "tile");
  }
  ashlar::shape between;  // (1, n) for each axis that repeats, n for others
  ashlar::shape wide;     // (times, n)
  view_map m;
  m.start = strides::filled(input->shape.ndim(), 0);
  for (int a = 0; a < nd; ++a) {
    if (in[a] != 1 && times_along(a) != 1) {
      between.push_back(1);
      wide.push_back(times_along(a));
    }
    const int own = a - (nd - input->shape.ndim());
    if (own >= 0) m.terms.push_back({own, between.ndim(), 1});
    between.push_back(in[a]);
    wide.push_back(ones[a]);
  }
  m.ndim = between.ndim();
  node_ptr n = make_view(std::move(input), std::move(m), between, "tile", where);
  return make_reshaped(make_broadcast(std::move(n), wide, where), result, "tile", where);
}

/// More parts than this are not what stays between, or behind, elements that go.
inline constexpr std::int64_t most_runs = 1024;

ASHLAR_DETAIL_SEPARATE node_ptr make_deleted(const node_ptr& input, int axis, const index_run& gone,
                                             std::source_location where) {
  input->grid.require_known("delete_");
  const std::int64_t n = input->shape[axis];
  const auto gone_before = [&](std::int64_t position) {
    if (position <= gone.first) return std::int64_t{0};
    const std::int64_t k = (position - gone.first - 1) / gone.step + 1;
    return k < gone.count ? k : gone.count;
  };
  const axis_blocks& cuts = input->grid.axis(axis);  // blocks keep what stays of them; those of which nothing does go
  std::vector<std::int64_t> lengths;
  for (std::int64_t b = 0; b < cuts.count(); ++b) {
    const std::int64_t left =
        cuts.length(b) - (gone_before(cuts.offset(b) + cuts.length(b)) - gone_before(cuts.offset(b)));
    if (left > 0) lengths.push_back(left);
  }
  if (lengths.empty()) lengths.push_back(0);
  block_grid grid;
  for (int a = 0; a < input->shape.ndim(); ++a) {
    grid.push_back(a == axis ? axis_blocks::explicit_lengths(lengths) : input->grid.axis(a));
  }
  const std::int64_t last = gone.first + (gone.count - 1) * gone.step;
  if (gone.count > most_runs && gone.step > most_runs) {  // rows of one gap and what ends it, without that
    const auto part = [&](const node_ptr& x, int a, std::int64_t first, std::int64_t count) {
      view_map m = identity_view(x->shape.ndim());
      m.start[a] = first;
      ashlar::shape extents = x->shape;
      extents[a] = count;
      return make_view(x, std::move(m), extents, "delete_", where);
    };
    const std::int64_t rows = gone.count - 1;
    node_ptr middle = part(input, axis, gone.first + 1, rows * gone.step);
    middle = with_room(std::move(middle), axis, where, [&](node_ptr x, int a) {
      ashlar::shape wide = x->shape;
      wide[a] = rows;
      wide.insert(a + 1, gone.step);
      ashlar::shape flat = x->shape;
      flat[a] = rows * (gone.step - 1);
      const node_ptr in_rows = make_reshaped(std::move(x), wide, "delete_", where);
      return make_reshaped(part(in_rows, a + 1, 0, gone.step - 1), flat, "delete_", where);
    });
    return make_rechunked(make_concatenated({part(input, axis, 0, gone.first), std::move(middle),
                                             part(input, axis, last + 1, n - last - 1)},
                                            axis, "delete_", where),
                          ashlar::chunks(grid), false, where);
  }
  if (gone.count <= gone.step) {  // what lies between them
    std::vector<std::vector<stretch>> parts;
    parts.reserve(static_cast<std::size_t>(input->shape.ndim()));
    for (int a = 0; a < input->shape.ndim(); ++a) parts.push_back({{0, input->shape[a], 1}});
    std::vector<stretch>& along = parts[static_cast<std::size_t>(axis)];
    along = {{0, gone.first, 1}};
    for (std::int64_t at = gone.first; at < last; at += gone.step) along.push_back({at + 1, gone.step - 1, 1});
    along.push_back({last + 1, n - last - 1, 1});
    return make_patchwork(input, parts, std::move(grid), "delete_", where);
  }
  movement_rule rule;  // the first element of each gap, the second, …
  rule.name = "delete_";
  rule.apart = true;
  std::vector<node_ptr> inputs;
  const int nd = input->shape.ndim();
  const auto add = [&](std::int64_t first, std::int64_t count, std::int64_t step, std::int64_t to,
                       std::int64_t to_step) {
    if (count == 0) return;
    view_map m = identity_view(nd);
    ashlar::shape part = input->shape;
    m.start[axis] = first;
    m.terms[static_cast<std::size_t>(axis)].step = step;
    part[axis] = count;
    placement p{strides::filled(nd, 0), strides::filled(nd, 1)};
    p.start[axis] = to;
    p.step[axis] = to_step;
    inputs.push_back(make_view(input, std::move(m), part, "delete_", where));
    rule.places.push_back(p);
  };
  add(0, gone.first, 1, 0, 1);
  for (std::int64_t k = 1; k < gone.step; ++k) {
    add(gone.first + k, gone.count - 1, gone.step, gone.first + k - 1, gone.step - 1);
  }
  add(last + 1, n - last - 1, 1, last + 1 - gone.count, 1);
  ashlar::shape result = input->shape;
  result[axis] = n - gone.count;
  if (inputs.empty()) {  // nothing stays, but the type is the input's
    inputs.push_back(input);
    rule.places.push_back({strides::filled(nd, 0), strides::filled(nd, 1)});
  }
  return make_moved(std::move(inputs), std::move(rule), result, std::move(grid), where);
}

ASHLAR_DETAIL_SEPARATE std::vector<std::int64_t> split_positions(std::int64_t n, std::int64_t sections, bool equal,
                                                                 const char* call) {
  constexpr std::int64_t most = std::int64_t{1} << 24;
  if (sections < 1 || sections > most) {
    throw value_error(std::string(call) + ": " + std::to_string(sections) + " sections; give 1 to " +
                      std::to_string(most));
  }
  if (equal && n % sections != 0) {
    throw shape_error(std::string(call) + ": an axis of length " + std::to_string(n) + " has no " +
                      std::to_string(sections) + " equal sections; array_split makes unequal ones");
  }
  std::vector<std::int64_t> at;
  for (std::int64_t k = 1; k < sections; ++k) {
    const std::int64_t longer = k < n % sections ? k : n % sections;  // the first ones have one more
    at.push_back(k * (n / sections) + longer);
  }
  return at;
}

}  // namespace ashlar::detail
