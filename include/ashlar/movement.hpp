/// \file
/// The same elements in other blocks, another shape, another order: rechunk, reshape, ravel, roll, repeat, tile, and
/// copies with a part replaced. Lazy as everything; each block of a result is gathered straight from the blocks that
/// hold its elements, in one pass and without pieces in between.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <source_location>
#include <span>
#include <type_traits>
#include <vector>

#include <ashlar/chunks.hpp>
#include <ashlar/expression.hpp>
#include <ashlar/graph/make_movement.hpp>
#include <ashlar/index.hpp>

namespace ashlar {

/// Options of rechunk.
struct rechunk_options {
  /// Blocks of nearly one length instead of a short last one: (1000) in blocks of 400 becomes (500, 500).
  bool balance = false;
};

namespace detail {

/// A value to be put into an array of T: an array or expression over T, or a number that T holds.
template <class T, class V>
node_ptr value_node(const V& value, std::source_location where) {
  if constexpr (lazy<V>) {
    static_assert(std::is_same_v<value_type_t<V>, T>,
                  "ashlar: the values have another element type than the array; convert them with astype<T>()");
    return node_of(value, where);
  } else {
    struct one {
      T v;
      void operator()(std::int64_t, std::int64_t n, T* out) const {
        for (std::int64_t i = 0; i < n; ++i) out[i] = v;
      }
    };
    return make_source(std::make_shared<generator_source<T, one, no_backend>>(one{weak_cast<T>(value, "set")}, "full"),
                       dtype_of<T>, {}, {}, where);
  }
}

}  // namespace detail

/// The members that move elements. `Self` is array<T> or an expression; `T` its element type.
template <class Self, class T>
class movement_members {
  using here = std::source_location;

 public:
  /// The same elements in other blocks: `x.rechunk({1000, full})`; `keep` leaves an axis as it is, automatic lengths
  /// respect the blocks that are there. What reads the result reads the old blocks by regions; only a result that is
  /// computed, persisted or written holds the new ones.
  /// Cost: an edge for each old block that meets a new one. @throws chunk_error
  array<T> rechunk(const ashlar::chunks& wanted, const rechunk_options& options = {},
                   here where = here::current()) const {
    return array<T>(detail::make_rechunked(node(where), wanted, options.balance, where));
  }

  /// The same elements in C order in another shape, of which one length may be -1: `x.reshape({3, -1})`. Axes that both
  /// shapes share keep their blocks; others get blocks of at most as many elements as those of the array. Generators
  /// and row-major memory are not copied. Cost, else: a copy of the elements when it is made, and an edge for each
  /// block that meets one of the result. @throws shape_error when the numbers of elements differ, for two lengths -1,
  /// or more than 32 axes; chunk_error for unknown block lengths
  array<T> reshape(const new_shape& wanted, here where = here::current()) const {
    return array<T>(detail::make_reshaped(node(where), wanted, "reshape", where));
  }

  /// One axis, in C order.
  array<T> ravel(here where = here::current()) const {
    return array<T>(detail::make_reshaped(node(where), {-1}, "ravel", where));
  }
  array<T> flatten(here where = here::current()) const { return ravel(where); }

  /// A copy in which the elements that the index picks are `value`, broadcast to them: `x.set(0.0, slice{0, 3}, last)`.
  /// A later read of the array itself sees nothing of it.
  /// @throws index_error for a position outside; shape_error when the value does not broadcast; dtype_error for a
  /// number
  ///         that the element type cannot hold
  template <class V, index_entry... I>
  array<T> set(const V& value, const I&... entries) const {
    const std::array<detail::index_item, sizeof...(I)> items{detail::index_item(entries)...};
    return array<T>(detail::make_assigned(node({}), items, detail::value_node<T>(value, {}), here{}));
  }

  /// Each element `times` times one after the other along `axis`. Cost: a copy of the elements when it is made.
  /// @throws axis_error; value_error below 0; shape_error when there are more elements than 64 bits count; chunk_error
  ///         for unknown block lengths
  array<T> repeat(std::int64_t times, std::int64_t axis, here where = here::current()) const {
    return array<T>(detail::make_repeated(node(where), times, axis, where));
  }

 private:
  detail::node_ptr node(here where) const { return detail::node_of(static_cast<const Self&>(*this), where); }
};

/// @name Free functions of the same names
/// @{
template <lazy X>
auto rechunk(const X& x, const ashlar::chunks& wanted, const rechunk_options& options = {},
             std::source_location where = std::source_location::current()) {
  return x.rechunk(wanted, options, where);
}
template <lazy X>
auto reshape(const X& x, const new_shape& wanted, std::source_location where = std::source_location::current()) {
  return x.reshape(wanted, where);
}
template <lazy X>
auto ravel(const X& x, std::source_location where = std::source_location::current()) {
  return x.ravel(where);
}
template <lazy X>
auto repeat(const X& x, std::int64_t times, std::int64_t axis,
            std::source_location where = std::source_location::current()) {
  return x.repeat(times, axis, where);
}
/// @}

/// Elements moved on by `shift` along an axis; what leaves at the end comes in at the beginning. Without axes the
/// flattened array rolls. The blocks stay as they are. Cost: a copy of the elements when it is made; each block is put
/// together from two an axis. @throws axis_error; chunk_error for unknown block lengths
template <lazy X>
auto roll(const X& x, std::int64_t shift, const axes& which = all_axes,
          std::source_location where = std::source_location::current()) {
  return array<value_type_t<X>>(detail::make_rolled(detail::node_of(x, where), {&shift, 1}, which, where));
}
/// A shift for each of several axes: `roll(x, {1, -2}, {0, 1})`. An axis that stands twice rolls twice.
/// @throws axis_error; shape_error unless there are as many shifts as axes
template <lazy X>
auto roll(const X& x, std::initializer_list<detail::extent> shifts, const axes& which,
          std::source_location where = std::source_location::current()) {
  std::vector<std::int64_t> list;
  for (const detail::extent& s : shifts) list.push_back(s.value);
  return array<value_type_t<X>>(detail::make_rolled(detail::node_of(x, where), list, which, where));
}

/// The array repeated as a whole, times[k] times along axis k; axes are matched from the right.
/// Cost: a copy of the elements when it is made; one for each axis that repeats where those and the axes of the result
/// are more than 32. @throws value_error for a negative number; shape_error for more than 32 axes; chunk_error for
/// unknown block lengths
/// @{
template <lazy X>
auto tile(const X& x, std::span<const std::int64_t> times,
          std::source_location where = std::source_location::current()) {
  return array<value_type_t<X>>(
      detail::make_tiled(detail::node_of(x, where), std::vector<std::int64_t>(times.begin(), times.end()), where));
}
template <lazy X>
auto tile(const X& x, std::initializer_list<detail::extent> times,
          std::source_location where = std::source_location::current()) {
  std::vector<std::int64_t> list;
  for (const detail::extent& t : times) list.push_back(t.value);
  return tile(x, std::span<const std::int64_t>(list), where);
}
/// @}

/// A copy with a part replaced; the member of the same name.
template <lazy X, class V, index_entry... I>
auto set(const X& x, const V& value, const I&... entries) {
  return x.set(value, entries...);
}

}  // namespace ashlar
