/// \file
/// Eigen matrices as arrays and back, without copying. Row and column-major, Matrix and Array, Map, Ref and Block
/// alike: storage order is strides, which both libraries have. A type that Eigen knows to be a vector gives a 1-d
/// array.
#pragma once

#include <memory>
#include <type_traits>
#include <utility>

#include <Eigen/Core>

#include <ashlar/error.hpp>
#include <ashlar/ndarray.hpp>

namespace ashlar {

namespace detail {

template <class M>
concept eigen_dense = std::is_base_of_v<Eigen::DenseBase<M>, M>;

/// Has an address and strides; a sum or a product has not.
template <class M>
concept eigen_in_memory =
    eigen_dense<M> && (static_cast<int>(M::Flags) & static_cast<int>(Eigen::DirectAccessBit)) != 0;

/// Matrix or Array: owns its elements.
template <class M>
concept eigen_plain = eigen_dense<M> && std::is_base_of_v<Eigen::PlainObjectBase<M>, M>;

template <class M>
shape eigen_shape(const M& matrix) {
  if constexpr (M::IsVectorAtCompileTime) {
    return {matrix.size()};
  } else {
    return {matrix.rows(), matrix.cols()};
  }
}

template <class M>
strides eigen_strides(const M& matrix) {
  if constexpr (M::IsVectorAtCompileTime) {
    return {matrix.innerStride()};
  } else if constexpr (M::IsRowMajor) {
    return {matrix.outerStride(), matrix.innerStride()};
  } else {
    return {matrix.innerStride(), matrix.outerStride()};
  }
}

template <class M>
ndarray<typename M::Scalar> view_eigen(const M& matrix, buffer owner) {
  // An ndarray, being a handle, has no read-only form.
  auto* const data = const_cast<typename M::Scalar*>(matrix.derived().data());
  return ndarray<typename M::Scalar>(std::move(owner), data, eigen_shape(matrix), eigen_strides(matrix));
}

}  // namespace detail

/// A view of a named Eigen object's elements, or of those behind a Map or Ref. The caller keeps the matrix alive, and
/// does not resize it, while the array or a view of it is in use. Elements of a const matrix must not be written.
template <class M>
  requires detail::eigen_in_memory<M>
ndarray<typename M::Scalar> from_eigen(const M& matrix) {
  return detail::view_eigen(matrix, {});
}

/// An array that takes over a temporary or moved-from Matrix or Array. Nothing is copied when its size is dynamic.
template <class M>
  requires(detail::eigen_plain<M> && !std::is_const_v<M>)
ndarray<typename M::Scalar> from_eigen(M&& matrix) {
  const auto bytes = static_cast<std::size_t>(matrix.size()) * sizeof(typename M::Scalar);
  const auto owner = std::make_shared<M>(std::forward<M>(matrix));
  return detail::view_eigen(*owner, buffer::adopt(owner->data(), bytes, owner));
}

/// Other temporaries would leave the array without memory: give the expression a name, or use copy_from_eigen.
template <class M>
  requires(detail::eigen_dense<std::remove_cv_t<M>> && !std::is_lvalue_reference_v<M> &&
           !(detail::eigen_plain<M> && !std::is_const_v<M>))
void from_eigen(M&& expression) = delete;

/// A row-major array of its own memory, from any Eigen matrix, array or expression.
template <class Derived>
ndarray<typename Derived::Scalar> copy_from_eigen(const Eigen::DenseBase<Derived>& expression) {
  using matrix = Eigen::Matrix<typename Derived::Scalar, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  ndarray<typename Derived::Scalar> result(detail::eigen_shape(expression.derived()));
  Eigen::Map<matrix>(result.data(), expression.rows(), expression.cols()) = expression.derived().matrix();
  return result;
}

/// What as_eigen gives: a row-major map with both strides known at run time.
template <class T>
using eigen_map = Eigen::Map<Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>, Eigen::Unaligned,
                             Eigen::Stride<Eigen::Dynamic, Eigen::Dynamic>>;

/// The elements of a 2-d array as an Eigen matrix, those of a 1-d array as one column (take .col(0) where Eigen wants a
/// vector type). The array, or another handle of its memory, outlives the map.
/// @throws shape_error for another number of axes, value_error for a negative stride, which Eigen has not
template <class T>
eigen_map<T> as_eigen(const ndarray<T>& array) {
  if (array.ndim() != 1 && array.ndim() != 2) {
    throw shape_error("as_eigen: an array of shape " + array.shape().to_string() + " has " +
                      std::to_string(array.ndim()) + " axes; Eigen holds 1 or 2");
  }
  const bool matrix = array.ndim() == 2;
  const std::int64_t row_step = array.strides()[0];
  const std::int64_t column_step = matrix ? array.strides()[1] : 1;
  if (row_step < 0 || column_step < 0) {
    throw value_error("as_eigen: strides " + array.strides().to_string() +
                      " run backwards, which Eigen cannot map; use copy() first");
  }
  return eigen_map<T>(array.data(), array.shape()[0], matrix ? array.shape()[1] : 1,
                      Eigen::Stride<Eigen::Dynamic, Eigen::Dynamic>(row_step, column_step));
}

}  // namespace ashlar
