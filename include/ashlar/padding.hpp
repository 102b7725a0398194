/// \file
/// pad: an array with elements around it, in NumPy's modes, apart from median and empty.
///
/// The result has the blocks of the array, the outer ones grown, and each is gathered in one pass: constant, edge,
/// reflect, symmetric and wrap are other views of the array. Ramps, statistics and odd reflections are computed, axis
/// by axis, from what is padded so far, as NumPy does.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <source_location>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <ashlar/functions.hpp>
#include <ashlar/joining.hpp>

namespace ashlar {

/// What pad fills with; NumPy's names.
enum class pad_mode : std::uint8_t {
  constant,     // one number
  edge,         // the outer element
  linear_ramp,  // from the outer element to a number
  maximum,      // a statistic of the outermost elements along the axis
  mean,
  minimum,
  reflect,    // mirrored, without repeating the outer element
  symmetric,  // mirrored, with it
  wrap        // what comes at the other end
};

/// Elements in front of and behind an axis.
struct pad_width {
  std::int64_t before = 0;
  std::int64_t after = 0;
};

/// Options of pad.
struct pad_options {
  pad_mode mode = pad_mode::constant;
  /// constant: the number; linear_ramp: the number at the end. Converted to the element type.
  double value = 0;
  /// maximum, mean, minimum: how many of the outermost elements count; 0: all.
  std::int64_t stat_length = 0;
  /// reflect, symmetric: twice the outer element minus the mirrored ones.
  bool odd = false;
};

namespace detail {

/// The part of `x` along an axis that stretches describe, in blocks of its own.
template <class T>
array<T> stretch_of(const array<T>& x, int axis, const stretch& s, std::source_location where) {
  view_map m = identity_view(x.ndim());
  ashlar::shape result = x.shape();
  m.start[axis] = s.first;
  result[axis] = s.count;
  for (std::size_t k = 0; k < m.terms.size(); ++k) {
    if (m.terms[k].input_axis != axis) continue;
    m.terms[k].step = s.step;
    if (s.step == 0) m.terms.erase(m.terms.begin() + static_cast<std::ptrdiff_t>(k));
    break;
  }
  return array<T>(make_view(x.node(), std::move(m), result, "pad", where));
}

/// @throws dtype_error for a number that T cannot hold
template <class T>
T pad_number(double value) {
  if constexpr (std::is_same_v<T, bool>) {
    return value != 0;
  } else if constexpr (std::is_integral_v<T>) {
    // the type's limits as doubles may be just outside it, so that the upper one is left out
    const double end = std::ldexp(1.0, std::numeric_limits<T>::digits);
    if (!(value < end && value >= (std::is_signed_v<T> ? -end : 0.0)) || std::floor(value) != value) {
      throw dtype_error("pad: the value " + std::to_string(value) + " is none of " + std::string(name(dtype_of<T>)) +
                        "; give one that the array's type can hold");
    }
    return static_cast<T>(value);
  } else {
    return T(static_cast<typename real_part<T>::type>(value));
  }
}

/// Odd reflection: the pattern repeats with the rise from one end to the other added; see NumPy's reflect_type.
template <class T>
array<T> pad_odd(const array<T>& x, int axis, const pad_width& w, pad_rule rule, std::source_location where) {
  const std::int64_t n = x.shape()[axis];
  const std::vector<stretch> parts = padded_stretches(n, w.before, w.after, rule);
  const array<T> low = stretch_of(x, axis, {0, 1, 1}, where);
  const array<T> high = stretch_of(x, axis, {n - 1, 1, 1}, where);
  std::size_t middle = 0;  // the stretch that is the array itself
  for (std::int64_t seen = 0; seen < w.before || parts[middle].count < n; ++middle) seen += parts[middle].count;
  std::vector<array<T>> list;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    const array<T> part = stretch_of(x, axis, parts[k], where);
    const auto distance = static_cast<std::int64_t>(k) - static_cast<std::int64_t>(middle);
    const std::int64_t away = distance < 0 ? -distance : distance;
    // an even number of mirrors away: the array plus the rises between; else mirrored about the end that is met first
    const T rises = T(static_cast<typename real_part<T>::type>(2 * (away / 2)));
    const array<T> mirrored = away % 2 == 0 ? part : array<T>(T(2) * (distance > 0 ? high : low) - part, where);
    if (away < 2) {  // no rise: a term of 0 would make NaN of infinite ones
      list.push_back(mirrored);
    } else {
      list.push_back(distance > 0 ? array<T>(mirrored + rises * (high - low), where)
                                  : array<T>(mirrored - rises * (high - low), where));
    }
  }
  return concatenate(list, axis, where);
}

/// `count` elements from the number `value` at the outside to the outer element `edge`, which is not among them.
template <class T>
array<T> ramp(const array<T>& edge, int axis, std::int64_t count, double value, bool outside_first,
              std::source_location where) {
  ashlar::shape along = ashlar::shape::filled(edge.ndim(), 1);
  along[axis] = count;
  // number of steps from the number, 0 at the outside
  const auto k = arange<double>(0, static_cast<double>(count), 1, {.chunks = full}, where).reshape(along, where);
  const array<double> steps = outside_first ? k : flip(k, axis, where);
  using wide = promote_t<T, double>;
  const array<wide> from = as_array<wide>(edge, where);
  const array<wide> made(value + steps * ((from - value) / static_cast<double>(count)), where);
  if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
    return array<T>(floor(made).template astype<T>(), where);
  } else {
    return as_array<T>(made, where);
  }
}

template <class T>
array<T> pad_statistic(const array<T>& x, int axis, const pad_width& w, const pad_options& o,
                       std::source_location where) {
  const std::int64_t n = x.shape()[axis];
  if (o.stat_length < 0) {
    throw value_error("pad: stat_length is " + std::to_string(o.stat_length) + "; it is 0, for all elements, or more");
  }
  const std::int64_t length = o.stat_length == 0 || o.stat_length > n ? n : o.stat_length;
  const auto side = [&](const stretch& s, std::int64_t count) {
    const array<T> part = stretch_of(x, axis, s, where);
    ashlar::shape room = x.shape();
    room[axis] = count;
    const auto spread = [&](const array<T>& value) { return broadcast_to(value, room, where); };
    if constexpr (kind(dtype_of<T>) != dtype_kind::complex) {
      if (o.mode == pad_mode::maximum) return spread(part.max(axis, {.keepdims = true}, where));
      if (o.mode == pad_mode::minimum) return spread(part.min(axis, {.keepdims = true}, where));
    }
    if constexpr (std::is_same_v<T, bool>) {  // not rounded, as in NumPy: true where any is
      return spread(part.any(axis, {.keepdims = true}, where));
    } else if constexpr (std::is_integral_v<T>) {
      return spread(array<T>(rint(part.mean(axis, {.keepdims = true}, where)).template astype<T>(), where));
    } else {
      return spread(part.mean(axis, {.keepdims = true}, where));
    }
  };
  return concatenate({side({0, length, 1}, w.before), x, side({n - length, length, 1}, w.after)}, axis, where);
}

}  // namespace detail

/// `x` with widths[k] elements around axis k. Modes, and their options, are NumPy's. The blocks at the ends grow by
/// what is not longer than a block.
/// @throws shape_error unless there is one width an axis; value_error for a negative width, or a mode other than
///         constant for an axis without elements; dtype_error for a constant that the element type cannot hold, extrema
///         of complex numbers, odd reflections of bool
template <lazy X>
auto pad(const X& x, const std::vector<pad_width>& widths, const pad_options& options = {},
         std::source_location where = std::source_location::current()) {
  using T = value_type_t<X>;
  array<T> result(detail::node_of(x, where));
  const ashlar::shape extents = result.shape();
  const int nd = extents.ndim();
  if (static_cast<int>(widths.size()) != nd) {
    throw shape_error("pad: " + std::to_string(widths.size()) + " widths for an array of shape " + extents.to_string() +
                      "; give one for each axis, or one for all");
  }
  result.chunks().require_known("pad");
  if (kind(dtype_of<T>) == dtype_kind::complex &&
      (options.mode == pad_mode::maximum || options.mode == pad_mode::minimum)) {
    throw dtype_error("pad: complex numbers have no order for the modes maximum and minimum; pad their parts");
  }
  if (std::is_same_v<T, bool> && options.odd) {
    throw dtype_error("pad: bool has no difference for an odd reflection; convert with astype<int>()");
  }
  std::vector<axis_blocks> cuts;
  for (int a = 0; a < nd; ++a) {
    const pad_width& w = widths[static_cast<std::size_t>(a)];
    if (w.before < 0 || w.after < 0) {
      throw value_error("pad: widths " + std::to_string(w.before) + " and " + std::to_string(w.after) + " for axis " +
                        std::to_string(a) + "; they are 0 or more");
    }
    static_cast<void>(detail::checked_add(detail::checked_add(w.before, w.after, "pad"), extents[a], "pad"));
    if (extents[a] == 0 && w.before + w.after > 0 && options.mode != pad_mode::constant) {
      throw value_error("pad: axis " + std::to_string(a) + " of shape " + extents.to_string() +
                        " has no elements to take others from; only mode constant pads it");
    }
    cuts.push_back(detail::padded_cuts(result.chunks().axis(a), w.before, w.after));
  }
  const block_grid grid(std::move(cuts));
  const auto in_order = [&](auto one_axis) {
    for (int a = 0; a < nd; ++a) {
      const pad_width& w = widths[static_cast<std::size_t>(a)];
      if (w.before + w.after > 0) result = one_axis(result, a, w);
    }
    return result.rechunk(ashlar::chunks(grid), {}, where);
  };
  switch (options.mode) {
    case pad_mode::constant: {
      ashlar::shape room;
      for (int a = 0; a < nd; ++a) room.push_back(grid.axis(a).total());
      std::vector<detail::index_item> inside;
      for (int a = 0; a < nd; ++a) {
        const std::int64_t first = widths[static_cast<std::size_t>(a)].before;
        inside.emplace_back(slice{first, first + extents[a]});
      }
      if (room == extents) return result;
      const T number = detail::pad_number<T>(options.value);
      array<T> outside(detail::make_broadcast(detail::value_node<T>(number, where), room, where));
      outside = outside.rechunk(ashlar::chunks(grid), {}, where);
      return array<T>(detail::make_assigned(outside.node(), inside, result.node(), where));
    }
    case pad_mode::edge:
    case pad_mode::reflect:
    case pad_mode::symmetric:
    case pad_mode::wrap: {
      const detail::pad_rule rule = options.mode == pad_mode::edge      ? detail::pad_rule::edge
                                    : options.mode == pad_mode::reflect ? detail::pad_rule::reflect
                                    : options.mode == pad_mode::wrap    ? detail::pad_rule::wrap
                                                                        : detail::pad_rule::symmetric;
      if (options.odd && options.mode != pad_mode::edge && options.mode != pad_mode::wrap) {
        if constexpr (!std::is_same_v<T, bool>) {
          return in_order(
              [&](const array<T>& y, int a, const pad_width& w) { return detail::pad_odd(y, a, w, rule, where); });
        }
      }
      std::vector<std::vector<detail::stretch>> parts;
      for (int a = 0; a < nd; ++a) {
        const pad_width& w = widths[static_cast<std::size_t>(a)];
        parts.push_back(w.before + w.after == 0 ? std::vector<detail::stretch>{{0, extents[a], 1}}
                                                : detail::padded_stretches(extents[a], w.before, w.after, rule));
      }
      return array<T>(detail::make_patchwork(result.node(), parts, grid, "pad", where));
    }
    case pad_mode::linear_ramp:
      return in_order([&](const array<T>& y, int a, const pad_width& w) {
        const std::int64_t n = y.shape()[a];
        return concatenate(
            {detail::ramp(detail::stretch_of(y, a, {0, 1, 1}, where), a, w.before, options.value, true, where), y,
             detail::ramp(detail::stretch_of(y, a, {n - 1, 1, 1}, where), a, w.after, options.value, false, where)},
            a, where);
      });
    default:
      return in_order(
          [&](const array<T>& y, int a, const pad_width& w) { return detail::pad_statistic(y, a, w, options, where); });
  }
}

/// The same number of elements around every axis, or `before` and `after` of every axis.
template <lazy X>
auto pad(const X& x, const pad_width& width, const pad_options& options = {},
         std::source_location where = std::source_location::current()) {
  return pad(x, std::vector<pad_width>(static_cast<std::size_t>(x.ndim()), width), options, where);
}
template <lazy X, detail::integer I>
auto pad(const X& x, I width, const pad_options& options = {},
         std::source_location where = std::source_location::current()) {
  const auto w = static_cast<std::int64_t>(width);
  return pad(x, pad_width{w, w}, options, where);
}

}  // namespace ashlar
