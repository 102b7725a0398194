#pragma once

#include <ashlar/complex.hpp>
#include <ashlar/dtype.hpp>
#include <ashlar/shape.hpp>

#include <algorithm>
#include <complex>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

namespace testing_support {

/// How the bytes of a .npy file lie.
struct npy_layout {
  int version = 1;
  bool fortran = false;
  bool big_endian = false;
  int shift = 0;  ///< bytes by which the elements miss a multiple of 64
};

/// The element at a C-order index of the files made here.
template <class T>
T npy_value(std::int64_t i) {
  if constexpr (std::is_same_v<T, bool>) {
    return i % 3 == 1;
  } else if constexpr (ashlar::kind(ashlar::dtype_of<T>) == ashlar::dtype_kind::complex) {
    using part = typename T::value_type;
    return T(static_cast<part>(i) + part(0.5), static_cast<part>(-3 * i));
  } else {
    return static_cast<T>(7 * i - 20);
  }
}

inline std::string npy_prefix(std::string_view code, const ashlar::shape& shape, const npy_layout& how) {
  std::string text = "{'shape': " + shape.to_string() + ", 'fortran_order': " + (how.fortran ? "True" : "False") +
                     ", 'descr': '" + (how.big_endian ? ">" : "<") + std::string(code) + "'}";
  const std::size_t length_bytes = how.version == 1 ? 2 : 4;
  const std::size_t used = 8 + length_bytes + text.size() + 1;
  text.append((64 - used % 64) % 64 + static_cast<std::size_t>(how.shift), ' ');
  text += '\n';
  std::string out("\x93NUMPY", 6);
  out += static_cast<char>(how.version);
  out += '\0';
  for (std::size_t k = 0; k < length_bytes; ++k) out += static_cast<char>(text.size() >> (8 * k) & 255);
  return out + text;
}

/// A .npy file with npy_value<T>(i) everywhere, made without the library's writer.
template <class T>
std::string npy_bytes(const ashlar::shape& shape, const npy_layout& how = {}) {
  static constexpr std::string_view codes[] = {"b1", "i1", "i2", "i4", "i8", "u1", "u2",
                                               "u4", "u8", "f4", "f8", "c8", "c16"};
  std::string out = npy_prefix(codes[static_cast<int>(ashlar::dtype_of<T>)], shape, how);
  const std::size_t start = out.size();
  const std::int64_t size = shape.size();
  out.resize(start + static_cast<std::size_t>(size) * sizeof(T));
  const ashlar::strides steps = how.fortran ? ashlar::column_major_strides(shape) : ashlar::row_major_strides(shape);
  constexpr bool complex = ashlar::kind(ashlar::dtype_of<T>) == ashlar::dtype_kind::complex;
  constexpr std::size_t word = complex ? sizeof(T) / 2 : sizeof(T);
  for (std::int64_t i = 0; i < size; ++i) {
    std::int64_t at = 0;
    std::int64_t rest = i;
    for (int a = shape.ndim() - 1; a >= 0; --a) {
      at += rest % shape[a] * steps[a];
      rest /= shape[a];
    }
    const T value = npy_value<T>(i);
    char* const to = out.data() + start + static_cast<std::size_t>(at) * sizeof(T);
    std::memcpy(to, &value, sizeof(T));
    if (how.big_endian) {
      for (std::size_t w = 0; w < sizeof(T); w += word) std::reverse(to + w, to + w + word);
    }
  }
  return out;
}

}  // namespace testing_support
