/// \file
/// How nodes are made whose elements are those of other arrays at other places.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <source_location>
#include <span>
#include <vector>

#include <ashlar/chunks.hpp>
#include <ashlar/detail/checked.hpp>
#include <ashlar/detail/config.hpp>
#include <ashlar/graph/make_view.hpp>
#include <ashlar/graph/node.hpp>

namespace ashlar {

/// The shape that reshape() is asked for: lengths, of which one may be -1, "what is left".
class new_shape {
 public:
  /// @throws shape_error for more than max_ndim lengths
  new_shape(std::initializer_list<detail::extent> lengths) {
    if (lengths.size() > max_ndim) detail::throw_too_many_axes(static_cast<std::int64_t>(lengths.size()));
    for (const detail::extent& n : lengths) length_.push_back(n.value);
  }
  new_shape(const shape& lengths) {
    for (const std::int64_t n : lengths) length_.push_back(n);
  }
  template <detail::integer I>
  new_shape(I length) : new_shape({detail::extent{length}}) {}

  /// The shape for `size` elements. @throws shape_error when the lengths do not hold that many
  shape resolve(std::int64_t size, const shape& from, const char* call) const;

 private:
  strides length_;
};

namespace detail {

/// The same elements in other blocks. @throws chunk_error
node_ptr make_rechunked(node_ptr input, const ashlar::chunks& wanted, bool balance, std::source_location where);

/// The operands one behind the other along `axis`. @throws axis_error; shape_error when there are none or other lengths
/// differ; chunk_error for unknown block lengths
node_ptr make_concatenated(std::vector<node_ptr> inputs, std::int64_t axis, const char* name,
                           std::source_location where);

/// The operands along a new axis. @throws as make_concatenated
node_ptr make_stacked(std::vector<node_ptr> inputs, std::int64_t axis, const char* name, std::source_location where);

/// The same elements in C order. @throws shape_error when the numbers of elements differ
node_ptr make_reshaped(node_ptr input, const new_shape& wanted, const char* name, std::source_location where);

/// A stretch of one axis of a result that is put together from one input: `count` elements of it from `first` on, one
/// step apart (0: the same one again).
struct stretch {
  std::int64_t first = 0;
  std::int64_t count = 0;
  std::int64_t step = 1;
};

/// Along each axis the stretches one behind the other, in the blocks `grid`. Every element of the result is one of the
/// input.
node_ptr make_patchwork(const node_ptr& input, const std::vector<std::vector<stretch>>& axes, block_grid grid,
                        const char* name, std::source_location where);

/// Rolled by `shift` along each of `which`, or as a flat array when `which` is all. @throws axis_error, shape_error
node_ptr make_rolled(node_ptr input, std::span<const std::int64_t> shift, const axes& which,
                     std::source_location where);

/// The stretches of an axis of n > 0 elements, padded by elements of the array.
std::vector<stretch> padded_stretches(std::int64_t n, std::int64_t before, std::int64_t after, boundary_kind beyond);

/// `input` with numbers around: `around` has an array of no axes for each end of each axis, in the blocks `grid`. Of
/// the numbers of two axes the later one has the corner.
node_ptr make_framed(node_ptr input, const std::vector<std::int64_t>& before, const std::vector<node_ptr>& around,
                     block_grid grid, std::source_location where);

/// Blocks of an axis that has got `before` and `after` more elements: the outer ones grow.
axis_blocks padded_cuts(const axis_blocks& cuts, std::int64_t before, std::int64_t after);

/// A copy of `base` with the elements that `items` picks replaced by `value`, broadcast. @throws index_error,
/// value_error; shape_error when the value does not broadcast to them
node_ptr make_assigned(node_ptr base, std::span<const index_item> items, node_ptr value, std::source_location where);

/// Without the elements of a run, forwards, along `axis`. Parts: as many as there are gaps, or as the step is long,
/// whichever is less; where both are many the elements are copied twice more instead.
node_ptr make_deleted(const node_ptr& input, int axis, const index_run& gone, std::source_location where);

/// Each element repeated `times` along `axis`. @throws axis_error; value_error for a negative number
node_ptr make_repeated(node_ptr input, std::int64_t times, std::int64_t axis, std::source_location where);

/// The array `times[k]` times along axis k, axes matched from the right. @throws value_error for a negative number
node_ptr make_tiled(node_ptr input, const std::vector<std::int64_t>& times, std::source_location where);

/// Indices of the parts that `sections` equal pieces, or cuts at `positions`, make of an axis of n elements.
std::vector<std::int64_t> split_positions(std::int64_t n, std::int64_t sections, bool equal, const char* call);

}  // namespace detail
}  // namespace ashlar

#if !defined(ASHLAR_SEPARATE)
#include <ashlar/graph/make_movement_impl.hpp>
#include <ashlar/graph/make_patchwork_impl.hpp>
#include <ashlar/graph/make_repeated_impl.hpp>
#endif
