/// \file
/// How nodes are made that take an array apart and put it together in another order: roll, pad, set.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <ashlar/error.hpp>
#include <ashlar/graph/make_moved.hpp>
#include <ashlar/graph/make_movement.hpp>

namespace ashlar::detail {

/// More parts than this are not made of the stretches of several axes at once.
inline constexpr double most_patches = 1024;

ASHLAR_DETAIL_SEPARATE node_ptr make_patchwork(const node_ptr& input, const std::vector<std::vector<stretch>>& axes,
                                               block_grid grid, const char* name, std::source_location where) {
  const int nd = input->shape.ndim();
  ashlar::shape result = ashlar::shape::filled(nd, 0);
  for (int a = 0; a < nd; ++a) {
    for (const stretch& s : axes[static_cast<std::size_t>(a)]) result[a] = checked_add(result[a], s.count, name);
  }
  int several = 0;  // axes of more than one stretch
  int last_several = 0;
  double parts = 1;
  for (int a = 0; a < nd; ++a) {
    const std::size_t n = axes[static_cast<std::size_t>(a)].size();
    parts *= static_cast<double>(n);
    if (n > 1) {
      ++several;
      last_several = a;
    }
  }
  if (several > 1 && parts > most_patches) {  // axis after axis: sums of stretches, not products
    std::vector<std::vector<stretch>> one;
    std::vector<std::vector<stretch>> others = axes;
    block_grid between;
    for (int a = 0; a < nd; ++a) {
      const bool taken = a == last_several;
      one.push_back(taken ? axes[static_cast<std::size_t>(a)] : std::vector<stretch>{{0, input->shape[a], 1}});
      if (taken) others[static_cast<std::size_t>(a)] = {{0, result[a], 1}};
      between.push_back(taken ? grid.axis(a) : input->grid.axis(a));
    }
    return make_patchwork(make_patchwork(input, one, std::move(between), name, where), others, std::move(grid), name,
                          where);
  }
  std::vector<std::vector<std::int64_t>> begins;  // of each stretch in the result
  for (const std::vector<stretch>& list : axes) {
    std::vector<std::int64_t> sums(1, 0);
    sums.reserve(list.size() + 1);
    for (const stretch& s : list) sums.push_back(sums.back() + s.count);
    begins.push_back(std::move(sums));
  }
  movement_rule rule;
  rule.name = name;
  rule.apart = true;
  if (several == 1) rule.in_order = last_several;
  std::vector<node_ptr> inputs;
  std::vector<std::size_t> at(static_cast<std::size_t>(nd), 0);
  for (;;) {
    view_map m = identity_view(nd);
    m.terms.clear();
    ashlar::shape part;
    placement p{strides::filled(nd, 0), strides::filled(nd, 1)};
    for (int a = 0; a < nd; ++a) {
      const std::vector<stretch>& list = axes[static_cast<std::size_t>(a)];
      p.start[a] = begins[static_cast<std::size_t>(a)][at[static_cast<std::size_t>(a)]];
      const stretch& s = list[at[static_cast<std::size_t>(a)]];
      m.start[a] = s.first;
      if (s.step != 0) m.terms.push_back({a, a, s.step});
      part.push_back(s.count);
    }
    if (part.size() != 0) {
      inputs.push_back(make_view(input, std::move(m), part, name, where));
      rule.places.push_back(p);
    }
    int a = nd - 1;
    for (; a >= 0; --a) {
      if (++at[static_cast<std::size_t>(a)] < axes[static_cast<std::size_t>(a)].size()) break;
      at[static_cast<std::size_t>(a)] = 0;
    }
    if (a < 0) break;
  }
  if (inputs.empty()) {  // no elements: nothing is read, but the type is the input's
    inputs.push_back(input);
    rule.places.push_back({strides::filled(nd, 0), strides::filled(nd, 1)});
  }
  return make_moved(std::move(inputs), std::move(rule), result, std::move(grid), where);
}

ASHLAR_DETAIL_SEPARATE node_ptr make_rolled(node_ptr input, std::span<const std::int64_t> shift, const axes& which,
                                            std::source_location where) {
  input->grid.require_known("roll");
  const ashlar::shape extents = input->shape;
  if (which.all()) {
    if (shift.size() != 1) throw shape_error("roll: several shifts need as many axes; name them");
    const node_ptr flat = make_reshaped(input, {-1}, "roll", where);
    node_ptr rolled = make_rolled(flat, shift, 0, where);
    return make_rechunked(make_reshaped(std::move(rolled), extents, "roll", where), input->grid, false, where);
  }
  if (shift.size() != 1 && static_cast<int>(shift.size()) != which.count()) {
    throw shape_error("roll: " + std::to_string(shift.size()) + " shifts for axes " + which.to_string() +
                      "; give one for each, or one for all");
  }
  std::vector<std::int64_t> by_axis(static_cast<std::size_t>(extents.ndim()), 0);
  for (int k = 0; k < which.count(); ++k) {  // an axis that is named twice rolls twice
    const int a = normalize_axis(which[k], extents, "roll");
    const std::int64_t n = extents[a] == 0 ? 1 : extents[a];
    const std::int64_t s = shift[shift.size() == 1 ? 0 : static_cast<std::size_t>(k)] % n;
    std::int64_t& sum = by_axis[static_cast<std::size_t>(a)];
    const std::int64_t forwards = s < 0 ? s + n : s;
    sum = sum >= n - forwards ? sum - (n - forwards) : sum + forwards;
  }
  std::vector<std::vector<stretch>> parts;
  bool still = true;
  for (int a = 0; a < extents.ndim(); ++a) {
    const std::int64_t s = by_axis[static_cast<std::size_t>(a)];
    still = still && s == 0;
    parts.push_back(s == 0 ? std::vector<stretch>{{0, extents[a], 1}}
                           : std::vector<stretch>{{extents[a] - s, s, 1}, {0, extents[a] - s, 1}});
  }
  if (still) return input;
  return make_patchwork(input, parts, input->grid, "roll", where);
}

ASHLAR_DETAIL_SEPARATE std::vector<stretch> padded_stretches(std::int64_t n, std::int64_t before, std::int64_t after,
                                                             boundary_kind beyond) {
  std::vector<stretch> all;
  const halo h{before, after, beyond, {}};
  for_each_piece(h, {-before, n + after}, n, [&](const halo_piece& p) { all.push_back({p.from, p.length, p.step}); });
  return all;
}

ASHLAR_DETAIL_SEPARATE node_ptr make_framed(node_ptr input, const std::vector<std::int64_t>& before,
                                            const std::vector<node_ptr>& around, block_grid grid,
                                            std::source_location where) {
  const ashlar::shape inside = input->shape;
  const ashlar::shape result = grid.full_shape();
  const int nd = inside.ndim();
  movement_rule rule;
  rule.name = "pad";
  rule.apart = true;
  std::vector<node_ptr> inputs;
  placement p{strides::filled(nd, 0), strides::filled(nd, 1)};
  for (int a = 0; a < nd; ++a) p.start[a] = before[static_cast<std::size_t>(a)];
  rule.places.push_back(p);
  inputs.push_back(std::move(input));
  ashlar::shape part = inside;  // as long as the result along the axes before, as the array along those behind
  for (int a = 0; a < nd; ++a) {
    for (int side = 0; side < 2; ++side) {
      const std::int64_t in_front = before[static_cast<std::size_t>(a)];
      part[a] = side == 0 ? in_front : result[a] - in_front - inside[a];
      p.start[a] = side == 0 ? 0 : in_front + inside[a];
      if (part.size() == 0) continue;
      rule.places.push_back(p);
      inputs.push_back(
          make_broadcast(around[2 * static_cast<std::size_t>(a) + static_cast<std::size_t>(side)], part, where, "pad"));
    }
    part[a] = result[a];
    p.start[a] = 0;
  }
  return make_moved(std::move(inputs), std::move(rule), result, std::move(grid), where);
}

ASHLAR_DETAIL_SEPARATE axis_blocks padded_cuts(const axis_blocks& cuts, std::int64_t before, std::int64_t after) {
  const std::int64_t longest = cuts.max_length();
  std::vector<std::int64_t> lengths;
  if (longest > 0 && (before / longest > most_listed_blocks || after / longest > most_listed_blocks)) {
    throw chunk_error("pad: widths of " + std::to_string(before) + " and " + std::to_string(after) +
                      " around blocks of " + std::to_string(longest) +
                      " make more than 2^28 blocks; use larger chunks");
  }
  const auto apart = [&](std::int64_t n) {  // what is longer than a block of the axis is cut as the axis is
    for (; n > 0; n -= longest) lengths.push_back(n < longest ? n : longest);
  };
  if (longest == 0) return axis_blocks::single(before + after);
  if (before > longest) apart(before);
  for (std::int64_t b = 0; b < cuts.count(); ++b) lengths.push_back(cuts.length(b));
  if (before <= longest) lengths.front() += before;
  if (after > longest) {
    apart(after);
  } else {
    lengths.back() += after;
  }
  return axis_blocks::explicit_lengths(lengths);
}

ASHLAR_DETAIL_SEPARATE node_ptr make_assigned(node_ptr base, std::span<const index_item> items, node_ptr value,
                                              std::source_location where) {
  base->grid.require_known("set");
  const ashlar::shape extents = base->shape;
  const int nd = extents.ndim();
  const std::vector<index_part> parts = resolve_index(items, extents, "set");
  ashlar::shape kept;
  for (const index_part& p : parts) {
    if (p.kind == index_part::adds) {
      throw index_error("set: newaxis picks nothing that could be set; leave it out");
    }
    if (p.kind == index_part::keeps) kept.push_back(p.run.count);
  }
  while (value->shape.ndim() > kept.ndim() && value->shape[0] == 1) value = make_squeezed(std::move(value), 0, where);
  node_ptr part = make_broadcast(std::move(value), kept, where, "set");
  view_map m;  // with the dropped axes again, and forwards
  m.ndim = nd;
  m.start = strides::filled(kept.ndim(), 0);
  ashlar::shape shape;
  placement p{strides::filled(nd, 0), strides::filled(nd, 1)};
  int k = 0;
  for (int a = 0; a < nd; ++a) {
    const index_run& r = parts[static_cast<std::size_t>(a)].run;
    shape.push_back(r.count);
    p.start[a] = r.step > 0 || r.count == 0 ? r.first : r.first + (r.count - 1) * r.step;
    p.step[a] = r.step > 0 ? r.step : -r.step;
    if (parts[static_cast<std::size_t>(a)].kind == index_part::drops) continue;
    if (r.step < 0 && r.count > 0) m.start[k] = r.count - 1;
    m.terms.push_back({k, a, r.step > 0 ? 1 : -1});
    ++k;
  }
  if (shape.size() == 0) return base;
  part = make_view(std::move(part), std::move(m), shape, "set", where);
  movement_rule rule;
  rule.name = "set";
  rule.places.push_back({strides::filled(nd, 0), strides::filled(nd, 1)});
  rule.places.push_back(p);
  block_grid grid = base->grid;
  std::vector<node_ptr> inputs;
  inputs.push_back(std::move(base));
  inputs.push_back(std::move(part));
  return make_moved(std::move(inputs), std::move(rule), extents, std::move(grid), where);
}

}  // namespace ashlar::detail
