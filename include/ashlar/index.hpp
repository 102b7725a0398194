/// \file
/// What stands between the brackets: `x(3, slice{0, 10, 2}, all, newaxis, ellipsis, last)`. Python's rules: negative
/// positions count from the end, slices are clipped, an integer drops its axis.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>

#include <ashlar/detail/checked.hpp>
#include <ashlar/error.hpp>
#include <ashlar/shape.hpp>

namespace ashlar {

/// A position counted from the end: `last` is the last element of an axis, `last - 1` the one before. Subtracting a
/// negative number is an index_error.
struct last_t {
  std::int64_t back = 0;

  template <detail::integer I>
  friend constexpr last_t operator-(last_t l, I n) {
    const auto steps = static_cast<std::int64_t>(n);
    if (steps < 0) throw index_error("last - " + std::to_string(steps) + " lies behind the end of every axis");
    const std::int64_t most = std::numeric_limits<std::int64_t>::max() - l.back - 1;  // beyond every axis
    return {l.back + (steps < most ? steps : most)};
  }
  template <detail::integer I>
  friend constexpr last_t operator+(last_t, I) = delete;  // behind the end
  constexpr operator std::int64_t() const { return -1 - back; }
};
inline constexpr last_t last;

/// A range of an axis with Python's rules: `slice{0, 10, 2}`, `slice{.stop = 5}`, `slice{8, 1, -3}`, `slice{.step =
/// -1}`. What is left out reaches to the end in the direction of the step. Positions outside the axis are clipped.
struct slice {
  std::optional<std::int64_t> start = std::nullopt;
  std::optional<std::int64_t> stop = std::nullopt;
  std::int64_t step = 1;
};

/// The type of newaxis.
struct newaxis_t {};
/// A new axis of extent 1.
inline constexpr newaxis_t newaxis;

/// The type of ellipsis.
struct ellipsis_t {};
/// As many whole axes as are not named; at most one in an index.
inline constexpr ellipsis_t ellipsis;

namespace detail {

struct index_item {
  enum class sort : std::uint8_t { position, range, whole, new_axis, rest };

  template <integer I>
  constexpr index_item(I at) : kind(sort::position), where(narrow_index(at)) {}
  constexpr index_item(last_t at) : kind(sort::position), where(at) {}
  constexpr index_item(const slice& s) : kind(sort::range), range(s) {}
  constexpr index_item(newaxis_t) : kind(sort::new_axis) {}
  constexpr index_item(ellipsis_t) : kind(sort::rest) {}
  /// ashlar::all, a function object as well.
  template <class All>
    requires requires { typename All::whole_axis; }
  constexpr index_item(const All&) : kind(sort::whole) {}

  template <integer I>
  static constexpr std::int64_t narrow_index(I at) {
    constexpr auto most = std::numeric_limits<std::int64_t>::max();
    if constexpr (std::is_unsigned_v<I> && sizeof(I) == 8) {
      return at > static_cast<std::uint64_t>(most) ? most : static_cast<std::int64_t>(at);  // outside any axis
    } else {
      return static_cast<std::int64_t>(at);
    }
  }

  sort kind = sort::whole;
  std::int64_t where = 0;
  slice range;
};

/// Positions first, first + step, … of an axis.
struct index_run {
  std::int64_t first = 0;
  std::int64_t count = 0;
  std::int64_t step = 1;
};

/// Python's slice.indices: `s` of an axis with n elements. @throws value_error for a step of 0
inline index_run resolve_slice(const slice& s, std::int64_t n, const char* call) {
  if (s.step == 0) {
    throw value_error(std::string(call) + ": a slice has step 0; it is 1 or more, or negative to go backwards");
  }
  const std::int64_t most = n < std::numeric_limits<std::int64_t>::max() ? n + 1 : n;
  const std::int64_t step = s.step > most ? most : s.step < -most ? -most : s.step;  // one element either way
  const std::int64_t low = step > 0 ? 0 : -1;
  const std::int64_t high = step > 0 ? n : n - 1;
  const auto clip = [&](std::optional<std::int64_t> at, std::int64_t otherwise) {
    if (!at) return otherwise;
    const std::int64_t p = *at < 0 ? *at + n : *at;
    return p < low ? low : p > high ? high : p;
  };
  const std::int64_t start = clip(s.start, step > 0 ? low : high);
  const std::int64_t stop = clip(s.stop, step > 0 ? high : low);
  index_run r{start, 0, step};
  if (step > 0 ? start < stop : stop < start) {
    r.count = step > 0 ? (stop - start - 1) / step + 1 : (start - stop - 1) / -step + 1;
  }
  if (r.count <= 1) r.step = 1;  // no step is taken, and steps of slices of slices multiply
  return r;
}

}  // namespace detail

/// What may stand between the brackets.
template <class I>
concept index_entry = std::constructible_from<detail::index_item, const I&>;

}  // namespace ashlar
