/// \file
/// The parts of complex numbers.
#pragma once

#include <ashlar/array.hpp>
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

}  // namespace ashlar
