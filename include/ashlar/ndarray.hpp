/// \file
/// The eager array: what compute() returns, what blocks are handed to user functions as, and the way in and out for
/// memory that exists already. A shape, strides in elements, and a share of a buffer.
///
/// As in NumPy a copy of the handle, and every view made from it, refers to the same elements; copy() makes new ones.
/// Constness is that of a pointer: a const ndarray<T> still gives T&, an ndarray<const T> gives const T&.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <ashlar/detail/checked.hpp>
#include <ashlar/detail/nested_list.hpp>
#include <ashlar/detail/strided.hpp>
#include <ashlar/dtype.hpp>
#include <ashlar/error.hpp>
#include <ashlar/memory.hpp>
#include <ashlar/shape.hpp>

namespace ashlar {

/// A strided n-dimensional array in memory of this process. T is trivially copyable; bool takes one byte. An
/// ndarray<const T> can be read only; an ndarray<T> converts to it.
template <class T>
class ndarray {
  static_assert(std::is_trivially_copyable_v<T>, "ashlar: elements of ndarray are trivially copyable");

 public:
  using value_type = std::remove_const_t<T>;
  class iterator;

  /// Shape (0,), no memory.
  ndarray() : shape_{0}, strides_{1} {}

  /// Row major, uninitialised.
  /// @throws memory_error when the resource cannot give that much, shape_error when the bytes overflow 64 bits
  explicit ndarray(const ashlar::shape& shape, memory_resource& resource = host_memory())
    requires(!std::is_const_v<T>)
      : shape_(shape), strides_(row_major_strides(shape)), size_(shape.size()) {
    const std::int64_t bytes = detail::checked_mul(size_, static_cast<std::int64_t>(sizeof(T)), "ndarray");
    buffer_ = ashlar::buffer::allocate(static_cast<std::size_t>(bytes), resource);
    data_ = static_cast<T*>(buffer_.data());
  }

  /// A view of elements inside `owner`, or of memory that it keeps alive: element (i, j) is data[i * strides[0] +
  /// j * strides[1]]. Nothing is copied, and the addresses are not checked.
  /// @throws shape_error when shape and strides differ in their number of axes
  ndarray(ashlar::buffer owner, T* data, const ashlar::shape& shape, const ashlar::strides& strides)
      : buffer_(std::move(owner)), data_(data), shape_(shape), strides_(strides), size_(shape.size()) {
    if (shape.ndim() != strides.ndim()) {
      throw shape_error("ndarray: shape " + shape.to_string() + " and strides " + strides.to_string() +
                        " differ in their number of axes");
    }
  }

  /// A view of the same elements that cannot write to them.
  template <class U>
    requires(std::is_same_v<const U, T> && !std::is_const_v<U>)
  ndarray(const ndarray<U>& other) : ndarray(other.owner(), other.data(), other.shape(), other.strides()) {}

  /// An array of braced values, `from({{1, 2}, {3, 4}})`; a lone number gives a 0-d array.
  /// @throws shape_error when the lists are ragged, dtype_error when T cannot hold an integer
  static ndarray from(detail::nested_list<T> values) {
    const ashlar::shape shape = values.shape();
    ndarray result(shape);
    values.write(result.data_, shape);
    return result;
  }

  /// A 1-d array of the vector's elements. The vector's memory is taken over, without a copy (not so for bool).
  template <class U>
    requires std::is_same_v<U, T>
  static ndarray from(std::vector<U> values) {
    const std::int64_t size = static_cast<std::int64_t>(values.size());
    if constexpr (std::is_same_v<T, bool>) {
      ndarray result(ashlar::shape{size});
      for (std::int64_t i = 0; i < size; ++i) result.data_[i] = values[static_cast<std::size_t>(i)];
      return result;
    } else {
      auto owner = std::make_shared<std::vector<T>>(std::move(values));
      T* const data = owner->data();
      const std::size_t bytes = owner->size() * sizeof(T);
      return ndarray(buffer::adopt(data, bytes, std::move(owner)), data, {size}, {1});
    }
  }

  /// Every element equal to `value`.
  static ndarray full(const ashlar::shape& shape, T value)
    requires(!std::is_const_v<T>)
  {
    ndarray result(shape);
    result.fill(value);
    return result;
  }

  /// Refers to the caller's memory, row major. The caller keeps it valid while this array, a copy of the handle, or a
  /// view of it is in use.
  static ndarray view(T* data, const ashlar::shape& shape) { return view(data, shape, row_major_strides(shape)); }

  /// As above, with strides in elements.
  static ndarray view(T* data, const ashlar::shape& shape, const ashlar::strides& strides) {
    return ndarray({}, data, shape, strides);
  }

  const ashlar::shape& shape() const noexcept { return shape_; }
  const ashlar::strides& strides() const noexcept { return strides_; }
  int ndim() const noexcept { return shape_.ndim(); }

  /// Number of elements; 1 for 0-d.
  std::int64_t size() const noexcept { return size_; }

  /// size() times the bytes of an element, as if dense.
  std::int64_t nbytes() const noexcept { return size_ * static_cast<std::int64_t>(sizeof(T)); }

  static constexpr ashlar::dtype dtype() noexcept
    requires element<value_type>
  {
    return dtype_of<value_type>;
  }

  /// Element (0, 0, …). With a negative stride it is not the lowest address. May be null for an empty array.
  T* data() const noexcept { return data_; }

  /// What keeps the elements alive; empty for a view of the caller's memory.
  const ashlar::buffer& owner() const noexcept { return buffer_; }

  bool is_c_contiguous() const noexcept { return detail::is_row_major(shape_, strides_); }
  bool is_f_contiguous() const noexcept { return detail::is_column_major(shape_, strides_); }

  /// Element at 0-based indices, one per axis; negative ones do not wrap.
  /// @throws index_error when an index is outside its axis, shape_error when the number of indices is not ndim()
  template <detail::integer... I>
  T& operator()(I... indices) const {
    if (static_cast<int>(sizeof...(I)) != ndim()) throw_index_count(static_cast<int>(sizeof...(I)));
    std::int64_t offset = 0;
    [[maybe_unused]] int axis = 0;
    ((offset += step_to(axis++, indices)), ...);
    return data_[offset];
  }

  /// The element of an array of size 1, with any number of axes.
  /// @throws shape_error when the size is not 1
  value_type item() const {
    if (size_ != 1) {
      throw shape_error("item: an array of shape " + shape_.to_string() + " has " + std::to_string(size_) +
                        " elements; item() needs exactly one");
    }
    return *data_;
  }

  /// Elements in C order, for any strides. Iterators refer to this handle, which must outlive them.
  iterator begin() const { return iterator(this, 0); }
  iterator end() const { return iterator(this, size_); }

  /// A dense row-major copy with memory of its own.
  ndarray<value_type> copy() const {
    ndarray<value_type> result(shape_);
    detail::copy_strided(shape_, data_, strides_, result.data(), result.strides());
    return result;
  }

  /// This handle when is_c_contiguous(), else copy().
  ndarray contiguous() const { return is_c_contiguous() ? *this : ndarray(copy()); }

  /// Sets every element.
  void fill(T value) const
    requires(!std::is_const_v<T>)
  {
    if (size_ == 0) return;
    const auto loop = detail::merge_axes<1>(shape_, {&strides_});
    detail::for_each_row(loop, 1, [&](const std::int64_t(&offset)[1]) {
      T* const row = data_ + offset[0];
      if (loop.row_step(0) == 1) {
        for (std::int64_t i = 0; i < loop.row_length(); ++i) row[i] = value;
      } else {
        for (std::int64_t i = 0; i < loop.row_length(); ++i) row[i * loop.row_step(0)] = value;
      }
      return true;
    });
  }

  /// Copies the elements of `other` into this array's memory. The two must not overlap.
  /// @throws shape_error when the shapes differ; nothing is broadcast
  template <class U>
    requires(std::is_same_v<std::remove_const_t<U>, T>)
  void assign(const ndarray<U>& other) const {
    if (!(shape_ == other.shape())) {
      throw shape_error("assign: elements of shape " + other.shape().to_string() + " do not fill an array of shape " +
                        shape_.to_string() + "; use broadcast_to first");
    }
    detail::copy_strided(shape_, other.data(), other.strides(), data_, strides_);
  }

  /// A view with the axes in reverse order.
  ndarray transpose() const {
    ndarray result(*this);
    for (int axis = 0; axis < ndim(); ++axis) {
      result.shape_[axis] = shape_[ndim() - 1 - axis];
      result.strides_[axis] = strides_[ndim() - 1 - axis];
    }
    return result;
  }

  /// A view whose axis i is axis order[i] of this array; negative axes count from the last.
  /// @throws axis_error unless `order` names every axis once
  ndarray transpose(const ashlar::axes& order) const {
    if (order.all()) return transpose();
    if (order.count() != ndim() || normalize_axes(order, ndim(), "transpose").count() != ndim()) {
      throw axis_error("transpose: " + order.to_string() + " does not name each of the " + std::to_string(ndim()) +
                       " axes of shape " + shape_.to_string() + " once");
    }
    ndarray result(*this);
    for (int i = 0; i < ndim(); ++i) {
      const int axis = normalize_axis(order[i], ndim(), "transpose");
      result.shape_[i] = shape_[axis];
      result.strides_[i] = strides_[axis];
    }
    return result;
  }

  /// A view of start, start + step, … before stop along one axis of length n: 0 <= start <= n and stop <= n going up,
  /// start < n and -1 <= stop going down. The integers are taken as they are: negative ones do not wrap.
  /// @throws index_error when an element outside the axis would be reached, value_error for a step of 0
  ndarray slice(std::int64_t axis, std::int64_t start, std::int64_t stop, std::int64_t step = 1) const {
    const int where = normalize_axis(axis, ndim(), "slice");
    const std::int64_t length = shape_[where];
    if (step == 0) throw value_error("slice: the step is 0; it must be positive or negative");
    if (start < -1 || start > length || stop < -1 || stop > length) throw_slice(start, stop, step, where);
    const std::int64_t distance = step > 0 ? stop - start : start - stop;
    const std::int64_t stride = step > length ? length + 1 : step < -length ? -length - 1 : step;
    const std::int64_t count = distance <= 0 ? 0 : detail::ceil_div(distance, stride > 0 ? stride : -stride);
    if (count > 0 && (start < 0 || start >= length)) throw_slice(start, stop, step, where);
    ndarray result(*this);
    result.shape_[where] = count;
    if (count > 0) result.data_ += start * strides_[where];
    if (count > 1) result.strides_[where] *= stride;
    result.size_ = result.shape_.size();
    return result;
  }

  /// The elements in C order under another shape: a view when is_c_contiguous(), else a view of a copy().
  /// @throws shape_error when the sizes differ
  ndarray reshape(const ashlar::shape& shape) const {
    if (shape.size() != size_) {
      throw shape_error("reshape: shape " + shape_.to_string() + " has " + std::to_string(size_) +
                        " elements and shape " + shape.to_string() + " has " + std::to_string(shape.size()));
    }
    const ndarray dense = contiguous();
    return ndarray(dense.buffer_, dense.data_, shape, row_major_strides(shape));
  }

  /// A view without the named axes, which must have length 1; without arguments, without every axis of length 1.
  /// @throws shape_error for a longer axis, axis_error for one that does not exist
  ndarray squeeze(const ashlar::axes& which = {}) const {
    const axis_set dropped = normalize_axes(which, ndim(), "squeeze");
    ashlar::shape shape;
    ashlar::strides strides;
    for (int axis = 0; axis < ndim(); ++axis) {
      const bool named = dropped.contains(axis);
      if (named && shape_[axis] == 1) continue;
      if (named && !which.all()) {
        throw shape_error("squeeze: axis " + std::to_string(axis) + " of shape " + shape_.to_string() + " has length " +
                          std::to_string(shape_[axis]) + ", not 1");
      }
      shape.push_back(shape_[axis]);
      strides.push_back(strides_[axis]);
    }
    return ndarray(buffer_, data_, shape, strides);
  }

  /// A view in which axes of length 1, and new first axes, are repeated with stride 0. Write to it with care: several
  /// indices name one element.
  /// @throws shape_error when the shapes do not fit
  ndarray broadcast_to(const ashlar::shape& shape) const {
    const int added = shape.ndim() - ndim();
    if (added < 0 || !(broadcast_shapes(shape_, shape, "broadcast_to") == shape)) {
      throw shape_error("broadcast_to: shape " + shape_.to_string() + " cannot be stretched to " + shape.to_string() +
                        "; axes are matched from the right and only length 1 stretches");
    }
    ashlar::strides strides = ashlar::strides::filled(shape.ndim(), 0);
    for (int axis = 0; axis < ndim(); ++axis) {
      if (shape_[axis] == shape[added + axis]) strides[added + axis] = strides_[axis];
    }
    return ndarray(buffer_, data_, shape, strides);
  }

 private:
  template <class I>
  std::int64_t step_to(int axis, I index) const {
    if (!std::in_range<std::int64_t>(index) ||
        static_cast<std::uint64_t>(index) >= static_cast<std::uint64_t>(shape_[axis])) {
      throw_index(axis, std::to_string(index));
    }
    return static_cast<std::int64_t>(index) * strides_[axis];
  }

  T* address_of(std::int64_t position) const noexcept {
    T* at = data_;
    for (int axis = ndim() - 1; axis >= 0; --axis) {
      at += position % shape_[axis] * strides_[axis];
      position /= shape_[axis];
    }
    return at;
  }

  [[noreturn]] void throw_index_count(int count) const {
    throw shape_error("ndarray: " + std::to_string(count) + " indices for an array of shape " + shape_.to_string() +
                      ", which takes " + std::to_string(ndim()));
  }

  [[noreturn]] void throw_index(int axis, const std::string& index) const {
    throw index_error("ndarray: index " + index + " is outside axis " + std::to_string(axis) + " of shape " +
                      shape_.to_string() + "; indices count from 0 and must be below " + std::to_string(shape_[axis]));
  }

  [[noreturn]] void throw_slice(std::int64_t start, std::int64_t stop, std::int64_t step, int axis) const {
    throw index_error("slice: start " + std::to_string(start) + ", stop " + std::to_string(stop) + ", step " +
                      std::to_string(step) + " leaves axis " + std::to_string(axis) + " of shape " +
                      shape_.to_string());
  }

  ashlar::buffer buffer_;
  T* data_ = nullptr;
  ashlar::shape shape_;
  ashlar::strides strides_;
  std::int64_t size_ = 0;
};

/// Walks an ndarray in C order. Cost: one addition within a row, one division per axis at each row's end.
template <class T>
class ndarray<T>::iterator {
 public:
  using value_type = std::remove_const_t<T>;
  using difference_type = std::ptrdiff_t;
  using reference = T&;
  using pointer = T*;
  using iterator_category = std::forward_iterator_tag;

  iterator() = default;

  T& operator*() const noexcept { return *at_; }
  T* operator->() const noexcept { return at_; }

  iterator& operator++() noexcept {
    ++position_;
    if (--left_ > 0) {
      at_ += array_->strides_[array_->ndim() - 1];
    } else {
      start_row();
    }
    return *this;
  }
  iterator operator++(int) noexcept {
    const iterator before = *this;
    ++*this;
    return before;
  }

  friend bool operator==(const iterator& a, const iterator& b) noexcept { return a.position_ == b.position_; }

 private:
  friend class ndarray;

  iterator(const ndarray* array, std::int64_t position) noexcept : array_(array), position_(position) { start_row(); }

  void start_row() noexcept {
    if (position_ >= array_->size_) return;
    at_ = array_->address_of(position_);
    left_ = array_->ndim() == 0 ? 1 : array_->shape_[array_->ndim() - 1];
  }

  const ndarray* array_ = nullptr;
  T* at_ = nullptr;
  std::int64_t position_ = 0;
  std::int64_t left_ = 0;
};

/// True when shapes and all elements are equal, whatever the strides. A NaN equals nothing, itself included.
template <class T>
bool array_equal(const ndarray<T>& a, const ndarray<T>& b) {
  if (!(a.shape() == b.shape())) return false;
  if (a.size() == 0) return true;
  const auto loop = detail::merge_axes<2>(a.shape(), {&a.strides(), &b.strides()});
  return detail::for_each_row(loop, 1, [&](const std::int64_t(&offset)[2]) {
    for (std::int64_t i = 0; i < loop.row_length(); ++i) {
      if (!(a.data()[offset[0] + i * loop.row_step(0)] == b.data()[offset[1] + i * loop.row_step(1)])) return false;
    }
    return true;
  });
}

}  // namespace ashlar
