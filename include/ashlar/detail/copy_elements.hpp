/// \file
/// Strided copies of elements whose type is not known, only their size.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ashlar/detail/strided.hpp>
#include <ashlar/shape.hpp>

namespace ashlar::detail {

/// An element of any type; of bytes, which may alias everything and lie anywhere.
template <std::size_t Size>
struct element_bytes {
  unsigned char byte[Size];
};

template <std::size_t Size>
void copy_elements(const shape& extents, const void* from, const strides& from_steps, void* to,
                   const strides& to_steps) {
  using bytes = element_bytes<Size>;
  copy_strided(extents, static_cast<const bytes*>(from), from_steps, static_cast<bytes*>(to), to_steps);
}

/// As copy_strided(), for elements of `size` bytes: 1, 2, 4, 8 or 16.
inline void copy_elements(std::int64_t size, const shape& extents, const void* from, const strides& from_steps,
                          void* to, const strides& to_steps) {
  switch (size) {
    case 1:
      return copy_elements<1>(extents, from, from_steps, to, to_steps);
    case 2:
      return copy_elements<2>(extents, from, from_steps, to, to_steps);
    case 4:
      return copy_elements<4>(extents, from, from_steps, to, to_steps);
    case 8:
      return copy_elements<8>(extents, from, from_steps, to, to_steps);
    default:
      return copy_elements<16>(extents, from, from_steps, to, to_steps);
  }
}

}  // namespace ashlar::detail
