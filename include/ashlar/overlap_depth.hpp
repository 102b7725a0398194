/// \file
/// How far operations that look at neighbours look: elements before and after, one entry per axis or one for all.
///
///     {.depth = 1}                  one element on each side, along every axis
///     {.depth = {1, 0}}             along axis 0 only
///     {.depth = {{2, 0}, 1}}        two before and none after along axis 0, one on each side along axis 1
///     {.depth = {{2, 0}}}           two before and none after along every axis; the inner braces are what says so
#pragma once

#include <cstdint>
#include <initializer_list>
#include <utility>
#include <vector>

#include <ashlar/detail/checked.hpp>

namespace ashlar {

/// Elements before and after a block along one axis, zero or more.
struct axis_depth {
  /// As many on each side.
  template <detail::integer I>
  constexpr axis_depth(I depth) : axis_depth(depth, depth) {}

  template <detail::integer I, detail::integer J>
  constexpr axis_depth(I first, J second)
      : before(detail::narrow<std::int64_t>(first, "depth")), after(detail::narrow<std::int64_t>(second, "depth")) {}

  std::int64_t before;
  std::int64_t after;
};

/// One axis_depth per axis, or one for all axes. Checked when it meets arrays.
class overlap_depth {
 public:
  template <detail::integer I>
  overlap_depth(I depth) : list_{axis_depth(depth)} {}
  overlap_depth(std::initializer_list<axis_depth> per_axis) : list_(per_axis) {}
  overlap_depth(std::vector<axis_depth> per_axis) : list_(std::move(per_axis)) {}

  const std::vector<axis_depth>& list() const noexcept { return list_; }

 private:
  std::vector<axis_depth> list_;
};

}  // namespace ashlar
