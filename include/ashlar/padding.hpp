/// \file
/// pad: an array with elements around it, in NumPy's modes.
///
/// The result has the blocks of the array, the outer ones grown, and each is gathered in one pass: numbers lie around
/// the array, edge, reflect, symmetric and wrap are other views of it. Ramps, statistics and odd reflections are
/// computed, axis by axis, from what is padded so far, as NumPy does.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <source_location>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <ashlar/detail/any_number.hpp>
#include <ashlar/functions.hpp>
#include <ashlar/graph/make_blockwise.hpp>
#include <ashlar/joining.hpp>

namespace ashlar {

/// What pad fills with; NumPy's names.
enum class pad_mode : std::uint8_t {
  constant,     // numbers
  edge,         // the outer element
  empty,        // elements without a meaning, for who sets them; 0, so that results do not differ from run to run
  linear_ramp,  // from the outer element to a number
  maximum,      // a statistic of the outermost elements along the axis
  mean,
  median,
  minimum,
  reflect,    // mirrored, without repeating the outer element
  symmetric,  // mirrored, with it
  wrap        // what comes at the other end
};

/// What belongs to the beginning and to the end of an axis.
template <class N>
struct pad_pair {
  N before{};
  N after{};
};

/// Elements in front of and behind an axis.
using pad_width = pad_pair<std::int64_t>;

/// One for all ends, `7`; one for the beginnings and one for the ends of all axes, `{7, 8}`; or such a pair for each
/// axis, `{{7, 8}, {0, 1}}`.
template <class N>
class pad_ends {
 public:
  template <std::convertible_to<N> S>
  pad_ends(S everywhere) : list_{{N(everywhere), N(everywhere)}} {}
  pad_ends(N before, N after) : list_{{before, after}} {}
  pad_ends(std::initializer_list<pad_pair<N>> by_axis) : list_(by_axis) {}
  pad_ends(std::vector<pad_pair<N>> by_axis) : list_(std::move(by_axis)) {}

  const std::vector<pad_pair<N>>& list() const noexcept { return list_; }
  const pad_pair<N>& of(int axis) const noexcept {
    return list_[list_.size() == 1 ? 0 : static_cast<std::size_t>(axis)];
  }

 private:
  std::vector<pad_pair<N>> list_;
};

/// Options of pad.
struct pad_options {
  pad_mode mode = pad_mode::constant;
  /// constant: the numbers; linear_ramp: the numbers at the ends. Of two axes the later one has the corner. The element
  /// type has to hold them, but for the rounding of floating types; ramps take any.
  pad_ends<detail::any_number> value = 0;
  /// maximum, mean, median, minimum: how many of the outermost elements count; 0: all.
  pad_ends<std::int64_t> stat_length = 0;
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
T pad_number(const any_number& value) {
  T number{};
  if constexpr (std::is_same_v<T, bool>) {
    number = value.integer != 0 || value.real != 0 || value.imag != 0;
  } else if (!convert_number(value, number)) {
    throw dtype_error("pad: the value " + number_text(value) + " is none of " + std::string(name(dtype_of<T>)) +
                      "; give one that the array's type can hold");
  }
  return number;
}

/// One for all axes, or one for each. @throws value_error
inline void check_ends(std::size_t entries, int ndim, const char* what) {
  if (entries == 1 || static_cast<int>(entries) == ndim) return;
  throw value_error("pad: " + std::to_string(entries) + " pairs of " + what + " for an array of " +
                    std::to_string(ndim) + (ndim == 1 ? " axis" : " axes") +
                    "; give one for each axis, or one for all");
}

/// Odd reflection: the pattern repeats with the rise from one end to the other added; see NumPy's reflect_type.
template <class T>
array<T> pad_odd(const array<T>& x, int axis, const pad_width& w, boundary_kind rule, std::source_location where) {
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
array<T> ramp(const array<T>& edge, int axis, std::int64_t count, const any_number& end, bool outside_first,
              std::source_location where) {
  ashlar::shape along = ashlar::shape::filled(edge.ndim(), 1);
  along[axis] = count;
  // number of steps from the number, 0 at the outside
  const auto k =
      arange<double, no_backend>(0, static_cast<double>(count), 1, {.chunks = full}, where).reshape(along, where);
  const array<double> steps = outside_first ? k : flip(k, axis, where);
  using wide = promote_t<T, double>;
  const wide value = pad_number<wide>(end);
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
  const auto length = [&](std::int64_t wanted) { return wanted == 0 || wanted > n ? n : wanted; };
  const auto side = [&](const stretch& s, std::int64_t count) {
    const array<T> part = stretch_of(x, axis, s, where);
    ashlar::shape room = x.shape();
    room[axis] = count;
    const auto spread = [&](const array<T>& value) { return broadcast_to(value, room, where); };
    if constexpr (kind(dtype_of<T>) != dtype_kind::complex) {
      if (o.mode == pad_mode::maximum) return spread(part.max(axis, {.keepdims = true}, where));
      if (o.mode == pad_mode::minimum) return spread(part.min(axis, {.keepdims = true}, where));
    }
    if constexpr (kind(dtype_of<T>) == dtype_kind::complex) {
      return spread(part.mean(axis, {.keepdims = true}, where));
    } else {
      if (o.mode == pad_mode::median) {
        const array<double> middle(make_median(as_array<double>(part, where).node(), axis, where));
        return spread(as_array<T>(
            std::is_integral_v<T> && !std::is_same_v<T, bool> ? array<double>(rint(middle), where) : middle, where));
      }
      if constexpr (std::is_same_v<T, bool>) {  // not rounded, as in NumPy: true where any is
        return spread(part.any(axis, {.keepdims = true}, where));
      } else if constexpr (std::is_integral_v<T>) {
        return spread(array<T>(rint(part.mean(axis, {.keepdims = true}, where)).template astype<T>(), where));
      } else {
        return spread(part.mean(axis, {.keepdims = true}, where));
      }
    }
  };
  const pad_width first = o.stat_length.of(axis);
  const std::int64_t behind = length(first.after);
  return concatenate({side({0, length(first.before), 1}, w.before), x, side({n - behind, behind, 1}, w.after)}, axis,
                     where);
}

}  // namespace detail

/// `x` with widths[k] elements around axis k. Modes, and their options, are NumPy's. The blocks at the ends grow by
/// what is not longer than a block. Cost: one pass; for ramps, statistics and odd reflections one for each padded axis,
/// and for medians the elements that count, in one piece, beside each block of the others.
/// @throws shape_error unless there is one width an axis; value_error for a negative width or stat_length, values for
///         another number of axes, or a mode other than constant and empty for an axis without elements; dtype_error
///         for a constant that the element type cannot hold, extrema and medians of complex numbers, odd reflections of
///         bool; chunk_error for unknown block lengths, or more than 2^28 blocks
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
      (options.mode == pad_mode::maximum || options.mode == pad_mode::median || options.mode == pad_mode::minimum)) {
    throw dtype_error("pad: complex numbers have no order for the modes maximum, median and minimum; pad their parts");
  }
  if (std::is_same_v<T, bool> && options.odd) {
    throw dtype_error("pad: bool has no difference for an odd reflection; convert with astype<int>()");
  }
  detail::check_ends(options.value.list().size(), nd, "values");
  detail::check_ends(options.stat_length.list().size(), nd, "stat_lengths");
  for (const pad_pair<std::int64_t>& s : options.stat_length.list()) {
    const std::int64_t least = s.before < s.after ? s.before : s.after;
    if (least >= 0) continue;
    throw value_error("pad: stat_length is " + std::to_string(least) + "; it is 0, for all elements, or more");
  }
  const bool numbers = options.mode == pad_mode::constant || options.mode == pad_mode::empty;
  std::vector<axis_blocks> cuts;
  std::vector<std::int64_t> before;
  bool same = true;
  for (int a = 0; a < nd; ++a) {
    const pad_width& w = widths[static_cast<std::size_t>(a)];
    if (w.before < 0 || w.after < 0) {
      throw value_error("pad: widths " + std::to_string(w.before) + " and " + std::to_string(w.after) + " for axis " +
                        std::to_string(a) + "; they are 0 or more");
    }
    static_cast<void>(detail::checked_add(detail::checked_add(w.before, w.after, "pad"), extents[a], "pad"));
    if (extents[a] == 0 && w.before + w.after > 0 && !numbers) {
      throw value_error("pad: axis " + std::to_string(a) + " of shape " + extents.to_string() +
                        " has no elements to take others from; only the modes constant and empty pad it");
    }
    before.push_back(w.before);
    same = same && w.before + w.after == 0;
    cuts.push_back(detail::padded_cuts(result.chunks().axis(a), w.before, w.after));
  }
  if (same) return result;
  const block_grid grid(std::move(cuts));
  const auto in_order = [&](auto one_axis) {
    for (int a = 0; a < nd; ++a) {
      const pad_width& w = widths[static_cast<std::size_t>(a)];
      if (w.before + w.after > 0) result = one_axis(result, a, w);
    }
    return result.rechunk(ashlar::chunks(grid), {}, where);
  };
  switch (options.mode) {
    case pad_mode::constant:
    case pad_mode::empty: {
      std::vector<detail::node_ptr> around;
      for (int a = 0; a < nd; ++a) {
        const auto& value = options.value.of(a);
        for (const detail::any_number& n : {value.before, value.after}) {
          const T number = options.mode == pad_mode::empty ? T{} : detail::pad_number<T>(n);
          around.push_back(detail::value_node<T>(number, where));
        }
      }
      return array<T>(detail::make_framed(result.node(), before, around, grid, where));
    }
    case pad_mode::edge:
    case pad_mode::reflect:
    case pad_mode::symmetric:
    case pad_mode::wrap: {
      const boundary_kind rule = options.mode == pad_mode::edge      ? boundary_kind::edge
                                 : options.mode == pad_mode::reflect ? boundary_kind::reflect
                                 : options.mode == pad_mode::wrap    ? boundary_kind::wrap
                                                                     : boundary_kind::symmetric;
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
        return concatenate({detail::ramp(detail::stretch_of(y, a, {0, 1, 1}, where), a, w.before,
                                         options.value.of(a).before, true, where),
                            y,
                            detail::ramp(detail::stretch_of(y, a, {n - 1, 1, 1}, where), a, w.after,
                                         options.value.of(a).after, false, where)},
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
