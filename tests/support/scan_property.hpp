// The property test of scans for one element type: shapes x chunkings x views x axes x executors against plain loops,
// bit by bit. A header, so that the element types can be spread over several files, which compile side by side.
#pragma once

#include <doctest/doctest.h>

#include <ashlar/scans.hpp>

#include "reduction_property.hpp"
#include "scan_oracle.hpp"

namespace ashlar::test {

/// Numbers of different sizes, with zeros of both signs, so that other orders give other bits.
template <class T>
void make_wild(ndarray<T>& a) {
  std::uint64_t state = 11;
  for (T& x : a) {
    x = sample<T>(state);
    if constexpr (!std::is_integral_v<T>) {
      const T scale = static_cast<T>(std::ldexp(1.0F, static_cast<int>(state >> 40 & 15) - 7));
      x = (state >> 50 & 31) == 0 ? T(-0.0f) : x * scale;
    }
  }
}

template <class T>
void check_scans(const ndarray<T>& data, const array<T>& x, int axis) {
  using wide = detail::user_type_t<detail::accumulator_t<detail::kernel_type_t<T>>>;
  using total = detail::total_t<T>;
  const std::int64_t leaf = std::is_integral_v<T> ? 0 : axis == data.ndim() - 1 ? 512 : 64;
  const auto check = [&](const auto& lazy, const auto& expected) {
    CHECK(same_bits(lazy.compute(serial{}), expected));
    for (const int workers : {2, 3, 8}) CHECK(same_bits(lazy.compute(std_threads{.workers = workers}), expected));
  };
  const scan_options sequential{.method = scan_method::sequential};
  check(x.cumsum(axis), scan_plainly<wide, total>(data, axis, scan_kind::sum, leaf));
  check(cumsum(x, axis, sequential), scan_plainly<total, total>(data, axis, scan_kind::sum, 0));
  if constexpr (std::is_arithmetic_v<T>) {
    check(x.cumprod(axis), scan_plainly<wide, total>(data, axis, scan_kind::product, 0));
    check(cumprod(x, axis, sequential), scan_plainly<total, total>(data, axis, scan_kind::product, 0));
    check(x.cummin(axis), scan_plainly<T, T>(data, axis, scan_kind::least, 0));
    check(cummax(x, axis), scan_plainly<T, T>(data, axis, scan_kind::greatest, 0));
  }
}

template <class T>
void check_all_scans() {
  const std::vector<shape> shapes = {{0},       {1},         {1300},    {37, 41},   {150, 3},
                                     {2, 1100}, {5, 130, 6}, {3, 0, 2}, {1, 70, 1}, {2, 3, 2, 70}};
  for (const shape& extents : shapes) {
    for (int view = 0; view < (extents.size() > 1000 ? 2 : 5); ++view) {
      ndarray<T> data = make_view<T>(extents, view);
      if (view < 4) make_wild(data);
      for (int kind = extents.size() > 1000 ? 1 : 0; kind < 7; ++kind) {
        const array<T> x = from(data, {.chunks = make_chunks(extents, kind)});
        for (int axis = 0; axis < extents.ndim(); ++axis) {
          CAPTURE(extents.to_string());
          CAPTURE(view_names[view]);
          CAPTURE(x.chunks().to_string());
          CAPTURE(axis);
          check_scans(data, x, axis);
        }
      }
    }
  }
}

}  // namespace ashlar::test
