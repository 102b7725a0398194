/// \file
/// Shapes, strides and axes: small values, trivially copyable, never on the heap.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

#include <ashlar/detail/checked.hpp>
#include <ashlar/detail/per_axis.hpp>
#include <ashlar/error.hpp>

namespace ashlar {

/// The lengths of an array's axes, each zero or more. `shape{}` is that of a 0-d array.
class shape : public detail::per_axis {
 public:
  constexpr shape() = default;

  /// @throws shape_error for a negative length and for more than max_ndim axes.
  constexpr shape(std::initializer_list<detail::extent> lengths) {
    if (lengths.size() > max_ndim) detail::throw_too_many_axes(static_cast<std::int64_t>(lengths.size()));
    for (const detail::extent& length : lengths) append(length.value);
    check();
  }

  /// @throws shape_error for a negative length and for more than max_ndim axes.
  explicit constexpr shape(std::span<const std::int64_t> lengths) {
    if (lengths.size() > max_ndim) detail::throw_too_many_axes(static_cast<std::int64_t>(lengths.size()));
    for (const std::int64_t length : lengths) append(length);
    check();
  }

  /// `ndim` axes of one length.
  static constexpr shape filled(int ndim, std::int64_t length) {
    if (ndim > max_ndim) detail::throw_too_many_axes(ndim);
    shape result;
    for (int i = 0; i < ndim; ++i) result.append(length);
    result.check();
    return result;
  }

  /// Adds a last axis. @throws shape_error for a negative length and for one axis too many.
  constexpr void push_back(std::int64_t length) {
    append(length);
    check();
  }

  /// Adds an axis before `axis`, 0 <= axis <= ndim(). @throws shape_error as push_back does.
  constexpr void insert(int axis, std::int64_t length) {
    insert_at(axis, length);
    check();
  }

  /// Number of elements: the product of the lengths, 1 for a 0-d array, 0 when any axis is empty.
  /// @throws shape_error when that is more than 64 bits hold.
  constexpr std::int64_t size() const {
    for (const std::int64_t length : *this) {
      if (length == 0) return 0;
    }
    std::int64_t product = 1;
    for (const std::int64_t length : *this) {
      const detail::wide_integer next = static_cast<detail::wide_integer>(product) * length;
      if (!detail::fits_in_64_bits(next)) throw_too_large();
      product = static_cast<std::int64_t>(next);
    }
    return product;
  }

  friend constexpr bool operator==(const shape& a, const shape& b) noexcept { return a.same(b); }

 private:
  constexpr void check() const {
    for (int i = 0; i < ndim(); ++i) {
      if ((*this)[i] < 0) detail::throw_negative_length(i, {data(), static_cast<std::size_t>(ndim())});
    }
  }

  [[noreturn]] void throw_too_large() const {
    throw shape_error("an array of shape " + to_string() +
                      " has more elements than 64 bits count (at most 9223372036854775807)");
  }
};

/// Distance, in elements and of either sign, between neighbours along each axis.
class strides : public detail::per_axis {
 public:
  constexpr strides() = default;

  constexpr strides(std::initializer_list<detail::extent> steps) {
    if (steps.size() > max_ndim) detail::throw_too_many_axes(static_cast<std::int64_t>(steps.size()));
    for (const detail::extent& step : steps) append(step.value);
  }

  explicit constexpr strides(std::span<const std::int64_t> steps) {
    if (steps.size() > max_ndim) detail::throw_too_many_axes(static_cast<std::int64_t>(steps.size()));
    for (const std::int64_t step : steps) append(step);
  }

  /// `ndim` axes of one stride.
  static constexpr strides filled(int ndim, std::int64_t step) {
    if (ndim > max_ndim) detail::throw_too_many_axes(ndim);
    strides result;
    for (int i = 0; i < ndim; ++i) result.append(step);
    return result;
  }

  constexpr void push_back(std::int64_t step) { append(step); }
  constexpr void insert(int axis, std::int64_t step) { insert_at(axis, step); }

  friend constexpr bool operator==(const strides& a, const strides& b) noexcept { return a.same(b); }
};

/// Strides of a contiguous array whose last axis is dense (C order). Empty axes count as length 1, as in NumPy.
/// @throws shape_error when a stride needs more than 64 bits.
constexpr strides row_major_strides(const shape& extents) {
  strides result = strides::filled(extents.ndim(), 1);
  std::int64_t step = 1;
  for (int i = extents.ndim() - 1; i >= 0; --i) {
    result[i] = step;
    if (i > 0 && extents[i] > 1) step = detail::checked_mul(step, extents[i], "strides");
  }
  return result;
}

/// Strides of a contiguous array whose first axis is dense (Fortran order). Rules as for row_major_strides.
constexpr strides column_major_strides(const shape& extents) {
  strides result = strides::filled(extents.ndim(), 1);
  std::int64_t step = 1;
  for (int i = 0; i < extents.ndim(); ++i) {
    result[i] = step;
    if (i + 1 < extents.ndim() && extents[i] > 1) step = detail::checked_mul(step, extents[i], "strides");
  }
  return result;
}

namespace detail {

[[noreturn]] inline void throw_no_broadcast(const shape& a, const shape& b, int from_right, std::string_view call) {
  throw shape_error(std::string(call) + ": shapes " + a.to_string() + " and " + b.to_string() +
                    " do not broadcast: axis -" + std::to_string(from_right) + " has length " +
                    std::to_string(a[a.ndim() - from_right]) + " in one and " +
                    std::to_string(b[b.ndim() - from_right]) + " in the other; lengths must agree or be 1");
}

}  // namespace detail

/// The shape of an element-wise operation: axes are matched from the right, length 1 stretches (also to 0).
/// @throws shape_error that names `call` and both shapes when two lengths differ and neither is 1.
constexpr shape broadcast_shapes(const shape& a, const shape& b, std::string_view call = "broadcast") {
  const int ndim = a.ndim() > b.ndim() ? a.ndim() : b.ndim();
  shape result = shape::filled(ndim, 1);
  for (int from_right = 1; from_right <= ndim; ++from_right) {
    const std::int64_t in_a = from_right <= a.ndim() ? a[a.ndim() - from_right] : 1;
    const std::int64_t in_b = from_right <= b.ndim() ? b[b.ndim() - from_right] : 1;
    if (in_a != in_b && in_a != 1 && in_b != 1) detail::throw_no_broadcast(a, b, from_right, call);
    result[ndim - from_right] = in_a == 1 ? in_b : in_a;
  }
  return result;
}

/// The type of all_axes.
struct all_axes_t {};

/// Every axis of the array, whatever their number.
inline constexpr all_axes_t all_axes;

/// A list of axes as the user writes it; negative ones count from the last. Default: all axes. `axes{}` is also all
/// axes; the empty list, which leaves an array as it is, is `axes::none()`.
class axes {
 public:
  constexpr axes() = default;
  constexpr axes(all_axes_t) {}

  template <detail::integer I>
  constexpr axes(I axis) : axes(std::initializer_list<detail::extent>{axis}) {}

  /// @throws shape_error for more than max_ndim entries.
  constexpr axes(std::initializer_list<detail::extent> list) : all_(false) {
    if (list.size() > max_ndim) detail::throw_too_many_axes(static_cast<std::int64_t>(list.size()));
    for (const detail::extent& axis : list) values_[count_++] = axis.value;
  }

  /// A list that is made while the program runs; an empty one names no axis. @throws shape_error as above
  explicit constexpr axes(std::span<const std::int64_t> list) : all_(false) {
    if (list.size() > max_ndim) detail::throw_too_many_axes(static_cast<std::int64_t>(list.size()));
    for (const std::int64_t axis : list) values_[count_++] = axis;
  }

  static constexpr axes none() {
    axes result;
    result.all_ = false;
    return result;
  }

  constexpr bool all() const noexcept { return all_; }
  constexpr int count() const noexcept { return count_; }
  constexpr std::int64_t operator[](int i) const noexcept { return values_[i]; }
  constexpr const std::int64_t* begin() const noexcept { return values_; }
  constexpr const std::int64_t* end() const noexcept { return values_ + count_; }

  /// "(0, -1)", or "all axes".
  std::string to_string() const {
    if (all_) return "all axes";
    return detail::tuple_text({values_, static_cast<std::size_t>(count_)});
  }

 private:
  std::int64_t values_[max_ndim] = {};
  int count_ = 0;
  bool all_ = true;
};

/// Axes of one array, as an operation works with them: sorted, each once, 0 <= axis < ndim.
class axis_set {
 public:
  constexpr int count() const noexcept { return count_; }
  constexpr bool empty() const noexcept { return count_ == 0; }
  constexpr int operator[](int i) const noexcept { return values_[i]; }
  constexpr const int* begin() const noexcept { return values_; }
  constexpr const int* end() const noexcept { return values_ + count_; }
  constexpr bool contains(int axis) const noexcept {
    return axis >= 0 && axis < max_ndim && ((bits_ >> axis) & 1u) != 0;
  }

  /// Adds an axis, 0 <= axis < max_ndim, in its place; false when it was there.
  constexpr bool insert(int axis) noexcept {
    if (contains(axis)) return false;
    int i = count_++;
    for (; i > 0 && values_[i - 1] > axis; --i) values_[i] = values_[i - 1];
    values_[i] = axis;
    bits_ |= std::uint32_t{1} << axis;
    return true;
  }

  friend constexpr bool operator==(const axis_set& a, const axis_set& b) noexcept { return a.bits_ == b.bits_; }

 private:
  int values_[max_ndim] = {};
  int count_ = 0;
  std::uint32_t bits_ = 0;
};

namespace detail {

inline std::string array_text(int ndim, const shape* extents) {
  std::string text = "an array of " + std::to_string(ndim) + (ndim == 1 ? " axis" : " axes");
  if (extents != nullptr) text += " with shape " + extents->to_string();
  return text;
}

[[noreturn]] inline void throw_axis_range(std::int64_t axis, int ndim, const shape* extents, std::string_view call) {
  std::string text =
      std::string(call) + ": axis " + std::to_string(axis) + " is out of range for " + array_text(ndim, extents);
  if (ndim > 0) text += ": axes go from -" + std::to_string(ndim) + " to " + std::to_string(ndim - 1);
  throw axis_error(text);
}

[[noreturn]] inline void throw_axis_twice(const axes& list, int axis, int ndim, const shape* extents,
                                          std::string_view call) {
  throw axis_error(std::string(call) + ": axes " + list.to_string() + " name axis " + std::to_string(axis) +
                   " twice for " + array_text(ndim, extents) + "; name each once");
}

constexpr int normalize_axis(std::int64_t axis, int ndim, const shape* extents, std::string_view call) {
  if (axis < -ndim || axis >= ndim) throw_axis_range(axis, ndim, extents, call);
  return static_cast<int>(axis < 0 ? axis + ndim : axis);
}

constexpr axis_set normalize_axes(const axes& list, int ndim, const shape* extents, std::string_view call) {
  axis_set result;
  if (list.all()) {
    for (int axis = 0; axis < ndim; ++axis) result.insert(axis);
  }
  for (const std::int64_t entry : list) {
    const int axis = normalize_axis(entry, ndim, extents, call);
    if (!result.insert(axis)) throw_axis_twice(list, axis, ndim, extents, call);
  }
  return result;
}

}  // namespace detail

/// The axis as 0 <= axis < ndim. @throws axis_error that names `call` when it is outside [-ndim, ndim).
constexpr int normalize_axis(std::int64_t axis, int ndim, std::string_view call) {
  return detail::normalize_axis(axis, ndim, nullptr, call);
}

/// The same for an array whose shape is known; the text of the error then shows it.
constexpr int normalize_axis(std::int64_t axis, const shape& extents, std::string_view call) {
  return detail::normalize_axis(axis, extents.ndim(), &extents, call);
}

/// The axes sorted and non-negative. @throws axis_error that names `call` for one out of range or named twice.
constexpr axis_set normalize_axes(const axes& list, int ndim, std::string_view call) {
  return detail::normalize_axes(list, ndim, nullptr, call);
}

/// The same for an array whose shape is known; the text of the error then shows it.
constexpr axis_set normalize_axes(const axes& list, const shape& extents, std::string_view call) {
  return detail::normalize_axes(list, extents.ndim(), &extents, call);
}

}  // namespace ashlar

// size() counts elements, not axes: a range's length, and so a span over a shape, must come from end() - begin().
template <>
inline constexpr bool std::ranges::disable_sized_range<ashlar::shape> = true;
