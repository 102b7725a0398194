/// \file
/// Differences of neighbours along an axis: diff, ediff1d, gradient.
///
/// They are element-wise operations on slices of one array, so they are computed in the pass that reads them, and what
/// is in memory is read in place. Of an array in blocks the last few rows of a block belong to the next task too, which
/// puts its region together first. Cost: one pass; gradient copies its result once more, to put the edges to it.
#pragma once

#include <cstdint>
#include <source_location>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <ashlar/array.hpp>
#include <ashlar/creation.hpp>
#include <ashlar/functions/logic.hpp>
#include <ashlar/functions/operators.hpp>
#include <ashlar/graph/make_differences.hpp>
#include <ashlar/graph/make_movement.hpp>

namespace ashlar {

/// What is put before or behind an array: a number, or an array or expression of the same element type.
template <class T>
class diff_end {
 public:
  diff_end() = default;
  template <weak_scalar S>
    requires(weak_kind<S> <= kind(dtype_of<T>))
  diff_end(S value) : node_(full.operator()<T, detail::no_backend>({}, weak_cast<T>(value, "diff"), {}).node()) {}
  template <lazy X>
    requires std::is_same_v<value_type_t<X>, T>
  diff_end(const X& x) : node_(detail::node_of(x, std::source_location{})) {}

  const detail::node_ptr& node() const noexcept { return node_; }

 private:
  detail::node_ptr node_;
};

/// Options of diff.
template <class T>
struct diff_options {
  /// Put before and behind the array along the axis before differences are taken. A number stands for one element of
  /// each line; an array has the shape of the other but along the axis.
  diff_end<T> prepend = {};
  diff_end<T> append = {};
};

/// Options of ediff1d.
template <class T>
struct ediff1d_options {
  /// Put before and behind the differences: a number or an array of one axis.
  diff_end<T> to_begin = {};
  diff_end<T> to_end = {};
};

namespace detail {

template <class Tag, class T>
array<T> diff_once(const array<T>& x, int axis, std::source_location where) {
  const std::int64_t n = x.shape()[axis] > 0 ? x.shape()[axis] - 1 : 0;
  const array<T> after(make_stretch(x.node(), axis, 1, n, 0, where));
  const array<T> before(make_stretch(x.node(), axis, 0, n, 0, where));
  if constexpr (std::is_same_v<T, bool>) {
    return array<T>(make_expression<Tag>(compare_op<not_equal_rule>{}, after, before), where);
  } else {
    return array<T>(after - before, where);
  }
}

/// With what was asked for before and behind it.
template <class T>
array<T> between(const array<T>& x, const diff_end<T>& before, const diff_end<T>& after, int axis, const char* name,
                 std::source_location where) {
  if (before.node() == nullptr && after.node() == nullptr) return x;
  std::vector<node_ptr> parts;
  if (before.node() != nullptr) parts.push_back(make_end(before.node(), *x.node(), axis, where));
  parts.push_back(x.node());
  if (after.node() != nullptr) parts.push_back(make_end(after.node(), *x.node(), axis, where));
  return array<T>(make_concatenated(std::move(parts), axis, name, where));
}

}  // namespace detail

/// x[i + 1] - x[i] along `axis`, taken n times: the result is n shorter, and not shorter than 0. The type stays,
/// unsigned integers wrap, bool gives whether neighbours differ. Computed in the pass that reads it, for n > 1 too:
/// every difference is then taken n (n + 1) / 2 times.
/// @throws axis_error; value_error for a negative n; shape_error when what is put before or behind does not fit
template <lazy X, class Tag = detail::backend_tag>
auto diff(const X& x, std::int64_t n = 1, std::int64_t axis = -1, const diff_options<value_type_t<X>>& options = {},
          std::source_location where = std::source_location::current()) {
  using T = value_type_t<X>;
  detail::check_times(n);
  array<T> y(detail::node_of(x, where));
  const int along = normalize_axis(axis, y.shape(), "diff");
  if (n == 0) return y;
  y = detail::between(y, options.prepend, options.append, along, "diff", where);
  const std::int64_t length = y.shape()[along];
  if (n > length) n = length;  // there is nothing left to take differences of
  for (std::int64_t k = 0; k < n; ++k) {
    y = detail::diff_once<Tag>(y, along, where);
    if (k + 1 < n && k + 1 < detail::most_fused_differences) y = array<T>(detail::make_anew(y.node(), where));
  }
  return y;
}

/// Differences of neighbours of the flattened array, with numbers or arrays before and behind them.
/// @throws shape_error when what is put before or behind has several axes
template <lazy X, class Tag = detail::backend_tag>
auto ediff1d(const X& x, const ediff1d_options<value_type_t<X>>& options = {},
             std::source_location where = std::source_location::current()) {
  using T = value_type_t<X>;
  const array<T> flat(detail::make_reshaped(detail::node_of(x, where), {-1}, "ravel", where));
  return detail::between(detail::diff_once<Tag>(flat, 0, where), options.to_begin, options.to_end, 0, "ediff1d", where);
}

/// Where the elements along an axis lie: one distance for all, or a coordinate for each.
class gradient_spacing {
 public:
  gradient_spacing(double distance) : distance_(distance) {}
  template <lazy X>
    requires std::is_same_v<value_type_t<X>, double>
  gradient_spacing(const X& coordinates) : coordinates_(detail::node_of(coordinates, std::source_location{})) {}

  double distance() const noexcept { return distance_; }
  /// Null for one distance.
  const detail::node_ptr& coordinates() const noexcept { return coordinates_; }

 private:
  double distance_ = 1;
  detail::node_ptr coordinates_;
};

/// Options of gradient.
struct gradient_options {
  /// None: distance 1. One for all axes, or one for each.
  std::vector<gradient_spacing> spacing = {};
  /// 1 or 2: the order of the differences at both ends. Inside they are of order 2.
  int edge_order = 1;
};

namespace detail {

/// Arrays of differences of one axis, in R; numbers along the axis in double.
template <class R, class Tag>
class gradient_maker {
 public:
  gradient_maker(const array<R>& f, int axis, std::source_location where)
      : f_(f), axis_(axis), n_(f.shape()[axis]), where_(where) {}

  array<R> uniform(double h, int edge_order) const {
    std::vector<node_ptr> parts;
    if (edge_order == 1) {
      parts.push_back(made((part(1, 1) - part(0, 1)) / h));
    } else {
      parts.push_back(made((-1.5 / h) * part(0, 1) + (2.0 / h) * part(1, 1) + (-0.5 / h) * part(2, 1)));
    }
    if (n_ > 2) parts.push_back(made((part(2, n_ - 2) - part(0, n_ - 2)) / (2.0 * h)));
    if (edge_order == 1) {
      parts.push_back(made((part(n_ - 1, 1) - part(n_ - 2, 1)) / h));
    } else {
      parts.push_back(made((0.5 / h) * part(n_ - 3, 1) + (-2.0 / h) * part(n_ - 2, 1) + (1.5 / h) * part(n_ - 1, 1)));
    }
    return joined(std::move(parts));
  }

  array<R> along(const node_ptr& coordinates, int edge_order) const {
    const array<double> d = diff_once<Tag>(array<double>(coordinates), 0, where_);
    const auto run = [&](std::int64_t first, std::int64_t count) {
      return array<double>(
          make_along(make_stretch(d.node(), 0, first, count, first, where_), axis_, f_.ndim(), where_));
    };
    std::vector<node_ptr> parts;
    if (edge_order == 1) {
      parts.push_back(made((part(1, 1) - part(0, 1)) / run(0, 1)));
    } else {
      const array<double> g = run(0, 1);
      const array<double> h = run(1, 1);
      parts.push_back(weighted(-(2.0 * g + h) / (g * (g + h)), 0, (g + h) / (g * h), -g / (h * (g + h)), 1));
    }
    if (n_ > 2) {
      const array<double> g = run(0, n_ - 2);
      const array<double> h = run(1, n_ - 2);
      parts.push_back(weighted(-h / (g * (g + h)), 0, (h - g) / (g * h), g / (h * (g + h)), n_ - 2));
    }
    if (edge_order == 1) {
      parts.push_back(made((part(n_ - 1, 1) - part(n_ - 2, 1)) / run(n_ - 2, 1)));
    } else {
      const array<double> g = run(n_ - 3, 1);
      const array<double> h = run(n_ - 2, 1);
      parts.push_back(weighted(h / (g * (g + h)), n_ - 3, -(h + g) / (g * h), (2.0 * h + g) / (h * (g + h)), 1));
    }
    return joined(std::move(parts));
  }

 private:
  /// All parts of the inside are cut where the blocks of the result are.
  array<R> part(std::int64_t first, std::int64_t count) const {
    return array<R>(make_stretch(f_.node(), axis_, first, count, count == 1 ? first : 1, where_));
  }

  template <class E>
  node_ptr made(const E& e) const {
    if constexpr (std::is_same_v<value_type_t<E>, R>) {
      return array<R>(e, where_).node();
    } else {
      return array<R>(e.template astype<R>(), where_).node();
    }
  }

  /// The weights are computed once, in double, for the whole axis.
  node_ptr weighted(const array<double>& a, std::int64_t first, const array<double>& b, const array<double>& c,
                    std::int64_t count) const {
    return made(a * part(first, count) + b * part(first + 1, count) + c * part(first + 2, count));
  }

  array<R> joined(std::vector<node_ptr> parts) const {
    return array<R>(make_joined(std::move(parts), axis_, *f_.node(), "gradient", where_));
  }

  const array<R>& f_;
  int axis_;
  std::int64_t n_;
  std::source_location where_;
};

template <class Tag, class X>
auto gradient(const X& x, const std::vector<int>& which, const gradient_options& o, std::source_location where) {
  using T = value_type_t<X>;
  using R = mean_t<T>;
  const std::size_t given = o.spacing.size();
  check_spacings(given, which.size());
  array<R> f = [&] {
    if constexpr (std::is_same_v<R, T>) {
      return array<R>(node_of(x, where));
    } else {
      return array<R>(x.template astype<R>(), where);
    }
  }();
  std::vector<array<R>> result;
  for (std::size_t k = 0; k < which.size(); ++k) {
    const int axis = which[k];
    check_gradient(f.shape(), axis, o.edge_order);
    const gradient_maker<R, Tag> maker(f, axis, where);
    const gradient_spacing h = given == 0 ? gradient_spacing(1.0) : o.spacing[given == 1 ? 0 : k];
    if (h.coordinates() == nullptr) {
      result.push_back(maker.uniform(h.distance(), o.edge_order));
    } else {
      check_coordinates(h.coordinates()->shape, f.shape(), axis);
      result.push_back(maker.along(h.coordinates(), o.edge_order));
    }
  }
  return result;
}

}  // namespace detail

/// Derivatives along one axis, of the shape of x: central differences inside, differences of `edge_order` at both ends.
/// For coordinates that are not evenly spaced the weights are those of the parabola through three neighbours, as
/// NumPy's. Integers give double, other types stay.
/// @throws axis_error; shape_error for fewer than edge_order + 1 elements along the axis, or other than one coordinate
///         for each; value_error for an edge_order that is not 1 or 2, or several spacings
template <lazy X, detail::integer Axis, class Tag = detail::backend_tag>
auto gradient(const X& x, Axis axis, const gradient_options& options = {},
              std::source_location where = std::source_location::current()) {
  return detail::gradient<Tag>(x, {normalize_axis(static_cast<std::int64_t>(axis), x.shape(), "gradient")}, options,
                               where)[0];
}

/// Derivatives along several axes, all when left out: one array for each, in the order in which they are named.
/// @throws as for one axis; value_error unless there is no spacing, one, or one for each axis
template <lazy X, class Tag = detail::backend_tag>
auto gradient(const X& x, const axes& which = all_axes, const gradient_options& options = {},
              std::source_location where = std::source_location::current()) {
  return detail::gradient<Tag>(x, detail::listed_axes(which, x.shape(), "gradient"), options, where);
}

}  // namespace ashlar
