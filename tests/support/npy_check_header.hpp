#pragma once

#include <ashlar/io/npy_format.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace testing_support {

/// What any bytes at all must satisfy: they are a header whose promises hold and that survives being written and read
/// again, or a file_error or dtype_error with a printable text. Anything else, another exception too, is a fault.
/// @returns an empty string, or what is wrong. `accepted` tells whether it was a header.
inline std::string check_header(std::span<const std::byte> bytes, bool& accepted) {
  accepted = false;
  std::string text;
  try {
    const ashlar::npy_header h = ashlar::parse_npy_header(bytes);
    accepted = true;
    if (h.major < 1 || h.major > 3 || h.minor != 0) return "version";
    if (h.data_offset < 10 || h.data_offset > static_cast<std::int64_t>(bytes.size())) return "data_offset";
    if (h.data_offset > ashlar::max_npy_header_bytes + 12) return "header too long";
    if (h.shape.ndim() > ashlar::max_ndim) return "ndim";
    for (const std::int64_t extent : h.shape) {
      if (extent < 0) return "negative extent";
    }
    if (h.data_bytes() < 0 || h.data_bytes() > INT64_MAX - h.data_offset) return "data_bytes";
    if (h.strides().ndim() != h.shape.ndim()) return "strides";
    if (h.big_endian && ashlar::itemsize(h.dtype) == 1) return "byte order of single bytes";
    const std::string again = ashlar::npy_header_bytes(h.dtype, h.shape, h.fortran_order);
    const ashlar::npy_header g =
        ashlar::parse_npy_header({reinterpret_cast<const std::byte*>(again.data()), again.size()});
    if (g.dtype != h.dtype || !(g.shape == h.shape) || g.fortran_order != h.fortran_order) return "round trip";
    return {};
  } catch (const ashlar::file_error& e) {
    text = e.what();
  } catch (const ashlar::dtype_error& e) {
    text = e.what();
  }
  if (text.size() < 20 || text.size() > 1000) return "length of the error text: " + text;
  for (const char c : text) {
    if (c < ' ' || c > '~') return "error text is not printable: " + text;
  }
  return {};
}

}  // namespace testing_support
