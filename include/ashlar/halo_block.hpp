/// \file
/// A block with what lies around it: what a function given to map_overlap() reads.
///
/// Indices count from the block, not from its surroundings: u(i, j) is the element that belongs to element (i, j) of
/// the block to be made, u(i - 1, j) its neighbour above, and u(-1, -1) lies before both ends. Rows are contiguous; how
/// far apart they are is strides(). Elements are read where they lie whenever that is possible.
#pragma once

#include <cstdint>
#include <type_traits>

#include <ashlar/detail/block_kernel.hpp>
#include <ashlar/detail/checked.hpp>
#include <ashlar/graph/block_function.hpp>
#include <ashlar/ndarray.hpp>
#include <ashlar/shape.hpp>

namespace ashlar {

/// Elements of type T that can only be read, valid during the call. A handle: copies refer to the same elements.
template <class T>
class halo_block {
  static_assert(!std::is_const_v<T>, "ashlar: elements of a halo_block are read-only as they are: halo_block<double>");

 public:
  using value_type = T;

  explicit halo_block(const detail::block_part& part)
      : data_(static_cast<const T*>(part.data)),
        shape_(detail::shape_of_box(part.where)),
        strides_(row_major_strides(shape_)),
        before_(shape::filled(part.where.ndim, 0)),
        after_(before_) {
    if (part.around == nullptr) return;
    for (int a = 0; a < part.where.ndim; ++a) {
      strides_[a] = part.around[a].stride;
      before_[a] = part.around[a].before;
      after_[a] = part.around[a].after;
    }
  }

  /// Of the block, without what is around it.
  const ashlar::shape& shape() const noexcept { return shape_; }
  int ndim() const noexcept { return shape_.ndim(); }
  /// Elements from one to the next along each axis; 1 along the last.
  const ashlar::strides& strides() const noexcept { return strides_; }

  /// Elements that are there before and after the block, along an axis: the depth, or less at the end of an array with
  /// boundary::none.
  std::int64_t before(int axis) const noexcept { return before_[axis]; }
  std::int64_t after(int axis) const noexcept { return after_[axis]; }

  /// The element at these indices, one per axis, each from -before(axis) to below shape()[axis] + after(axis). Not
  /// checked, so that loops become vector code; padded() is checked.
  template <detail::integer... I>
  const T& operator()(I... indices) const noexcept {
    static_assert(sizeof...(I) > 0, "ashlar: a halo_block is read with one index for each axis");
    return data_[offset(indices...)];
  }

  /// Address of the first element of the block in the row at these indices, one for each axis but the last: row(i)[j]
  /// is
  /// (*this)(i, j), and row(i)[-1] is the element before it. Not checked.
  template <detail::integer... I>
  const T* row(I... indices) const noexcept {
    return data_ + offset(indices..., 0);
  }

  /// The block without what is around it, as an array.
  ndarray<const T> block() const { return ndarray<const T>(buffer{}, data_, shape_, strides_); }

  /// The block and what is around it, as an array whose indices count from 0: what NumPy's pad gives.
  ndarray<const T> padded() const {
    ashlar::shape extents = shape_;
    const T* first = data_;
    for (int a = 0; a < ndim(); ++a) {
      extents[a] += before_[a] + after_[a];
      first -= before_[a] * strides_[a];
    }
    return ndarray<const T>(buffer{}, first, extents, strides_);
  }

 private:
  template <class... I>
  std::int64_t offset(I... indices) const noexcept {
    std::int64_t sum = 0;
    [[maybe_unused]] int axis = 0;
    const auto add = [&](std::int64_t index) {
      sum += axis + 1 == static_cast<int>(sizeof...(I)) ? index : index * strides_[axis];
      ++axis;
    };
    (add(static_cast<std::int64_t>(indices)), ...);
    return sum;
  }

  const T* data_;
  ashlar::shape shape_;
  ashlar::strides strides_;
  ashlar::shape before_;
  ashlar::shape after_;
};

namespace detail {

template <class T>
halo_block<T> view_of_part(std::type_identity<halo_block<T>>, const block_part& part) {
  return halo_block<T>(part);
}

}  // namespace detail

}  // namespace ashlar
