/// \file
/// Printing lazy arrays: what they are, not what they hold. Nothing is computed; print `x.compute()` for the elements.
#pragma once

#include <ostream>
#include <source_location>
#include <string>

#include <ashlar/array.hpp>
#include <ashlar/print.hpp>

namespace ashlar {

/// "array(float64, shape (20000, 20000), 400 blocks of (1000, 1000))"; blocks that differ in length "of up to". An
/// expression says so: "expression(…)". Cost: for an expression, that of making its node.
template <lazy X>
std::string to_string(const X& x) {
  const detail::node_ptr node = detail::node_of(x, std::source_location{});
  const block_grid& grid = node->grid;
  std::string text = detail::is_array<X> ? "array(" : "expression(";
  text += name(dtype_of<value_type_t<X>>);
  text += ", shape " + x.shape().to_string() + ", " + std::to_string(grid.count());
  text += grid.count() == 1 ? " block of " : " blocks of ";
  shape longest;
  bool equal = true;
  for (int a = 0; a < grid.ndim(); ++a) {
    longest.push_back(grid.axis(a).max_capacity());
    equal = equal && grid.axis(a).count() * longest[a] == grid.axis(a).total_capacity();
  }
  return text + (equal ? "" : "up to ") + longest.to_string() + ")";
}

template <lazy X>
std::ostream& operator<<(std::ostream& out, const X& x) {
  return out << to_string(x);
}

}  // namespace ashlar
