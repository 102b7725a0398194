/// \file
/// The parts of complex numbers.
#pragma once

#include <ashlar/array.hpp>
#include <ashlar/detail/test_ops.hpp>
#include <ashlar/expression.hpp>

namespace ashlar {

/// Parts of complex numbers; of real ones `real` and `conj` are the number itself and `imag` is 0.
template <lazy A, class Tag = detail::backend_tag>
auto real(const A& a) {
  return detail::make_expression<Tag>(detail::real_op{}, a);
}
template <lazy A, class Tag = detail::backend_tag>
auto imag(const A& a) {
  return detail::make_expression<Tag>(detail::imag_op{}, a);
}
template <lazy A, class Tag = detail::backend_tag>
auto conj(const A& a) {
  return detail::make_expression<Tag>(detail::conj_op{}, a);
}
template <lazy A, class Tag = detail::backend_tag>
auto conjugate(const A& a) {
  return conj<A, Tag>(a);
}

/// Options of angle.
struct angle_options {
  /// In degrees instead of radians.
  bool degrees = false;
};

/// The angle in the plane, in [-pi, pi]; of real numbers 0 or, where they are negative, pi.
template <lazy A, class Tag = detail::backend_tag>
auto angle(const A& a, const angle_options& options = {}) {
  return detail::make_expression<Tag>(detail::angle_op{}, a,
                                      detail::scalar_operand<double>{options.degrees ? 57.2957795130823208768 : 1.0});
}

/// Whether the imaginary part is 0; true for every real number.
template <lazy A, class Tag = detail::backend_tag>
auto isreal(const A& a) {
  return detail::make_expression<Tag>(detail::isreal_op{}, a);
}
/// Whether the imaginary part is not 0.
template <lazy A, class Tag = detail::backend_tag>
auto iscomplex(const A& a) {
  return detail::make_expression<Tag>(detail::iscomplex_op{}, a);
}

}  // namespace ashlar
