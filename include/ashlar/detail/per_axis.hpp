/// \file
/// One integer per axis, in place: the storage of shapes, strides and lists of axes. There is room for max_ndim entries
/// inside and the type is trivially copyable, because these values are part of every node, plan and kernel argument and
/// copying one must not allocate; the price is 264 bytes each.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include <ashlar/detail/checked.hpp>
#include <ashlar/error.hpp>

namespace ashlar {

/// Largest number of axes.
inline constexpr int max_ndim = 32;

namespace detail {

/// One entry of a braced list of lengths. Takes any integer type, so that `shape{rows, 4}` needs no cast for a
/// std::size_t `rows` and is no narrowing. @throws shape_error for an unsigned value above the signed 64-bit range.
struct extent {
  template <integer I>
  constexpr extent(I n) : value(narrow<std::int64_t>(n, "length")) {}

  std::int64_t value;
};

[[noreturn]] inline void throw_too_many_axes(std::int64_t count) {
  throw shape_error("an array has at most " + std::to_string(max_ndim) + " axes, not " + std::to_string(count));
}

/// "(3, 4)", "(3,)", "()": a list as NumPy prints a tuple.
inline std::string tuple_text(std::span<const std::int64_t> values) {
  std::string text = "(";
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i > 0) text += ", ";
    text += std::to_string(values[i]);
  }
  if (values.size() == 1) text += ',';
  text += ')';
  return text;
}

/// What shape and strides share: one integer per axis, in place.
class per_axis {
 public:
  constexpr int ndim() const noexcept { return ndim_; }

  /// Entry of an axis, 0 <= axis < ndim(). Unchecked.
  constexpr std::int64_t operator[](int axis) const noexcept { return values_[axis]; }
  constexpr std::int64_t& operator[](int axis) noexcept { return values_[axis]; }

  constexpr const std::int64_t* begin() const noexcept { return values_; }
  constexpr const std::int64_t* end() const noexcept { return values_ + ndim_; }
  constexpr std::int64_t* begin() noexcept { return values_; }
  constexpr std::int64_t* end() noexcept { return values_ + ndim_; }
  constexpr const std::int64_t* data() const noexcept { return values_; }
  constexpr std::int64_t* data() noexcept { return values_; }

  /// Takes the axis away; the later ones move up.
  constexpr void erase(int axis) noexcept {
    for (int i = axis; i + 1 < ndim_; ++i) values_[i] = values_[i + 1];
    --ndim_;
  }

  /// As NumPy prints it: "(3, 4)", "(3,)", "()".
  std::string to_string() const { return tuple_text({values_, static_cast<std::size_t>(ndim_)}); }

 protected:
  constexpr per_axis() = default;

  constexpr void append(std::int64_t value) {
    if (ndim_ == max_ndim) throw_too_many_axes(max_ndim + 1);
    values_[ndim_++] = value;
  }

  constexpr void insert_at(int axis, std::int64_t value) {
    append(value);
    for (int i = ndim_ - 1; i > axis; --i) values_[i] = values_[i - 1];
    values_[axis] = value;
  }

  constexpr bool same(const per_axis& other) const noexcept {
    if (ndim_ != other.ndim_) return false;
    for (int i = 0; i < ndim_; ++i) {
      if (values_[i] != other.values_[i]) return false;
    }
    return true;
  }

 private:
  std::int64_t values_[max_ndim] = {};
  int ndim_ = 0;
};

[[noreturn]] inline void throw_negative_length(std::int64_t axis, std::span<const std::int64_t> values) {
  throw shape_error("axis " + std::to_string(axis) + " of shape " + tuple_text(values) +
                    " has a negative length; lengths are zero or more");
}

}  // namespace detail

}  // namespace ashlar
