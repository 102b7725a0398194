/// \file
/// What lies beyond the ends of an axis, for operations that look at neighbours: NumPy's names (of np.pad), Dask's as
/// synonyms, and one value or one for each axis.
///
/// Of the elements a b c d, before the first and after the last:
///
///     constant(0)     0 0 0 | a b c d | 0 0 0
///     edge            a a a | a b c d | d d d    Dask: nearest
///     reflect         d c b | a b c d | c b a    the edge is not repeated
///     symmetric       c b a | a b c d | d c b    the edge is repeated; Dask calls this one "reflect"
///     wrap            b c d | a b c d | a b c    Dask: periodic
///     none                  | a b c d |          there is nothing
///
/// All of them repeat as often as it takes, so a distance may be longer than the axis. Where axes differ, a later axis
/// is continued after the earlier ones, as by np.pad axis by axis: of two constants the later axis has the corner.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <utility>
#include <vector>

#include <ashlar/detail/any_number.hpp>
#include <ashlar/dtype.hpp>

namespace ashlar {

/// What a boundary does.
enum class boundary_kind : std::uint8_t { none, constant, edge, reflect, symmetric, wrap };

/// How an axis goes on beyond its ends.
class boundary {
 public:
  static const boundary none;       ///< There is nothing: what is looked at ends with the array.
  static const boundary edge;       ///< The last element again and again.
  static const boundary reflect;    ///< Mirrored at the last element, which is not repeated.
  static const boundary symmetric;  ///< Mirrored behind the last element, which is repeated.
  static const boundary wrap;       ///< The other end of the axis.
  static const boundary nearest;    ///< Dask's name for edge.
  static const boundary periodic;   ///< Dask's name for wrap.

  /// One value everywhere. It is converted to the element type of the array, which has to hold it exactly, but for the
  /// rounding of floating types.
  template <weak_scalar S>
  static constexpr boundary constant(S value) noexcept {
    boundary b(boundary_kind::constant);
    b.value_ = value;
    return b;
  }

  constexpr boundary_kind kind() const noexcept { return kind_; }
  constexpr const detail::any_number& value() const noexcept { return value_; }

 private:
  explicit constexpr boundary(boundary_kind kind) noexcept : kind_(kind) {}

  boundary_kind kind_;
  detail::any_number value_;
};

inline constexpr boundary boundary::none{boundary_kind::none};
inline constexpr boundary boundary::edge{boundary_kind::edge};
inline constexpr boundary boundary::reflect{boundary_kind::reflect};
inline constexpr boundary boundary::symmetric{boundary_kind::symmetric};
inline constexpr boundary boundary::wrap{boundary_kind::wrap};
inline constexpr boundary boundary::nearest{boundary_kind::edge};
inline constexpr boundary boundary::periodic{boundary_kind::wrap};

/// A boundary for each axis, or one for all: `boundary::edge`, `{boundary::wrap, boundary::constant(0)}`. Left out, no
/// boundary is said.
class boundaries {
 public:
  boundaries() = default;
  boundaries(const ashlar::boundary& everywhere) : list_{everywhere} {}
  boundaries(std::initializer_list<ashlar::boundary> per_axis) : list_(per_axis) {}
  boundaries(std::vector<ashlar::boundary> per_axis) : list_(std::move(per_axis)) {}

  const std::vector<ashlar::boundary>& list() const noexcept { return list_; }

 private:
  std::vector<ashlar::boundary> list_;
};

}  // namespace ashlar
