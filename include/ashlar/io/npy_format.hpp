/// \file
/// The .npy format on bytes: parse the header, write the header. No input or output happens here, so that files,
/// archive members and messages share it.
///
/// A .npy file is a magic string, a version, the length of a text, the text, and the raw elements. The text is a Python
/// dictionary literal, and files in the wild differ in everything that Python's grammar leaves open: order of keys,
/// quotes, spaces, trailing commas, "L" behind integers (Python 2), no alignment. All that is read. Whatever NumPy
/// would refuse is refused here too, with a text that quotes what stood there. What it writes is what numpy.save
/// writes, byte for byte. Source: NumPy's NEP 1 and the documentation of numpy.lib.format.
#pragma once

#include <ashlar/dtype.hpp>
#include <ashlar/error.hpp>
#include <ashlar/io/npy_literal.hpp>
#include <ashlar/shape.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

namespace ashlar {

/// What stands in front of the elements of a .npy file.
struct npy_header {
  int major = 1;  ///< version of the format: 1.0, 2.0 or 3.0
  int minor = 0;
  ashlar::dtype dtype = ashlar::dtype::float64;
  bool big_endian = false;     ///< byte order of the elements; false where an element is a single byte
  bool fortran_order = false;  ///< elements lie in column-major order
  ashlar::shape shape;
  std::int64_t data_offset = 0;  ///< bytes in front of the first element

  /// Whether elements must be byte-swapped on this machine.
  bool needs_swap() const noexcept {
    return big_endian != (std::endian::native == std::endian::big) && itemsize(dtype) > 1;
  }

  /// Bytes of all elements. Cannot overflow for a header that parse_npy_header returned.
  std::int64_t data_bytes() const { return shape.size() * itemsize(dtype); }

  /// Strides in elements of the logical array over the elements in the file.
  ashlar::strides strides() const { return fortran_order ? column_major_strides(shape) : row_major_strides(shape); }
};

/// Longest header text that is read, in bytes. NumPy stops at 10 000 characters unless told otherwise; every array that
/// has one of our element types needs less than 1000.
inline constexpr std::int64_t max_npy_header_bytes = std::int64_t{1} << 20;

/// Bytes from the start of the file that hold magic, version, length and header text, told from the first 12 bytes.
/// @param bytes the start of the file; 12 bytes suffice, 10 for version 1.0
/// @param path  for the error text only
/// @throws file_error no .npy file, an unknown version, fewer bytes than needed, a text longer than
///         max_npy_header_bytes
inline std::int64_t npy_header_size(std::span<const std::byte> bytes, std::string_view path = {}) {
  using detail::npy_fail;
  static constexpr char magic[] = "\x93NUMPY";
  const auto have = static_cast<std::int64_t>(bytes.size());
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const std::string_view start = text.substr(0, 6);
  if (start != std::string_view(magic, start.size())) {
    npy_fail(path,
             "the file starts with " + detail::npy_quoted(text.substr(0, 8)) + ", expected '\\x93NUMPY'" +
                 (text.substr(0, 2) == "PK" ? " (this looks like a zip archive: an .npz file holds several .npy files)"
                                            : ""));
  }
  if (have < 8) {
    npy_fail(path, "truncated: " + std::to_string(have) +
                       " bytes, expected at least 10 for magic string, version and length");
  }
  const int major = static_cast<unsigned char>(text[6]);
  const int minor = static_cast<unsigned char>(text[7]);
  if (major < 1 || major > 3 || minor != 0) {
    npy_fail(path, "unknown format version " + std::to_string(major) + "." + std::to_string(minor) +
                       ", expected 1.0, 2.0 or 3.0");
  }
  const int length_bytes = major == 1 ? 2 : 4;
  const int prefix = 8 + length_bytes;
  if (have < prefix) {
    npy_fail(path, "truncated: " + std::to_string(have) + " bytes, expected at least " + std::to_string(prefix) +
                       " for magic string, version and length");
  }
  std::int64_t length = 0;
  for (int i = length_bytes - 1; i >= 0; --i)
    length = length * 256 + static_cast<unsigned char>(text[8u + static_cast<unsigned>(i)]);
  if (length > max_npy_header_bytes) {
    npy_fail(path, "the header text is said to be " + std::to_string(length) + " bytes long, expected at most " +
                       std::to_string(max_npy_header_bytes));
  }
  return prefix + length;
}

namespace detail {

/// What a `descr` string stands for.
struct npy_descr {
  ashlar::dtype dtype;
  bool big_endian;
};

// Single-character codes have the sizes of Linux and macOS on 64-bit machines, where NumPy gives 8 bytes to 'l'.
inline bool npy_known_descr(std::string_view code, ashlar::dtype& out) {
  struct entry {
    std::string_view code;
    ashlar::dtype type;
  };
  static constexpr entry table[] = {
      {"b1", dtype::boolean},     {"i1", dtype::int8},    {"i2", dtype::int16},    {"i4", dtype::int32},
      {"i8", dtype::int64},       {"u1", dtype::uint8},   {"u2", dtype::uint16},   {"u4", dtype::uint32},
      {"u8", dtype::uint64},      {"f4", dtype::float32}, {"f8", dtype::float64},  {"c8", dtype::complex64},
      {"c16", dtype::complex128}, {"?", dtype::boolean},  {"b", dtype::int8},      {"B", dtype::uint8},
      {"h", dtype::int16},        {"H", dtype::uint16},   {"i", dtype::int32},     {"I", dtype::uint32},
      {"l", dtype::int64},        {"L", dtype::uint64},   {"q", dtype::int64},     {"Q", dtype::uint64},
      {"f", dtype::float32},      {"d", dtype::float64},  {"F", dtype::complex64}, {"D", dtype::complex128}};
  for (const entry& e : table) {
    if (e.code == code) {
      out = e.type;
      return true;
    }
  }
  return false;
}

/// Reads '<f8', '>c16', '|b1', '=i4', 'f8', 'd', '?', 'float64'.
/// @param source the value as it stands in the header, for the error text
/// @throws dtype_error anything else, naming it and what is supported
inline npy_descr parse_npy_descr(std::string_view code, std::string_view source, std::string_view path) {
  constexpr bool native_big = std::endian::native == std::endian::big;
  bool big = native_big;
  std::string_view rest = code;
  bool prefixed = false;
  if (!rest.empty() && (rest[0] == '<' || rest[0] == '>' || rest[0] == '=' || rest[0] == '|')) {
    if (rest[0] == '<') big = false;
    if (rest[0] == '>') big = true;
    rest.remove_prefix(1);
    prefixed = true;
  }
  ashlar::dtype type{};
  bool known = npy_known_descr(rest, type);
  if (!known && !prefixed) {
    for (int i = 0; i <= static_cast<int>(dtype::complex128); ++i) {
      if (name(static_cast<ashlar::dtype>(i)) == rest) {
        type = static_cast<ashlar::dtype>(i);
        known = true;
      }
    }
  }
  if (known) return {type, big && itemsize(type) > 1};

  std::string what = "element type " + npy_quoted(source);
  const auto is = [&](std::string_view a) { return rest.substr(0, a.size()) == a; };
  if (rest == "f2" || rest == "e" || rest == "float16") {
    what += " is half precision";
  } else if (rest == "f16" || rest == "f12" || rest == "g" || rest == "c32" || rest == "c24" || rest == "G") {
    what += " is extended precision";
  } else if (is("O")) {
    what += " holds pickled Python objects";
  } else if (is("S") || is("U") || is("a") || is("T")) {
    what += " holds text";
  } else if (is("M8") || is("m8")) {
    what += " holds dates or time differences";
  } else if (is("V")) {
    what += " holds raw records";
  } else {
    what += " is unknown";
  }
  npy_throw_dtype(path, what);
}

}  // namespace detail

/// Parses the header of a .npy file.
/// @param bytes the start of the file, the whole header at least (npy_header_size() tells how much that is)
/// @param path  for the error text only
/// @throws file_error  anything that is not a valid header; a shape with a negative extent, more than max_ndim axes, or
///         more than 2^63 - 1 bytes
/// @throws dtype_error an element type that is none of ours: records, text, objects, dates, half and extended precision
/// Cost: linear in the header's length, no recursion.
inline npy_header parse_npy_header(std::span<const std::byte> bytes, std::string_view path = {}) {
  const std::int64_t total = npy_header_size(bytes, path);
  if (static_cast<std::int64_t>(bytes.size()) < total) {
    detail::npy_fail(path, "truncated: the header ends at byte " + std::to_string(total) + ", only " +
                               std::to_string(bytes.size()) + " bytes are there");
  }
  npy_header header;
  header.major = static_cast<int>(bytes[6]);
  header.minor = static_cast<int>(bytes[7]);
  header.data_offset = total;
  const std::size_t prefix = header.major == 1 ? 10 : 12;
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()) + prefix,
                              static_cast<std::size_t>(total) - prefix);

  detail::npy_literal_reader reader(text, path);
  bool seen_descr = false;
  bool seen_order = false;
  bool seen_shape = false;
  const auto once = [&](bool& seen, std::string_view key) {
    if (seen) reader.fail("key " + detail::npy_quoted(key) + " appears twice");
    seen = true;
  };
  reader.expect('{', "a dictionary that starts with '{'");
  while (!reader.accept('}')) {
    const std::string key = reader.read_string("a key in quotes, or '}'");
    reader.expect(':', "':' behind key " + detail::npy_quoted(key));
    if (key == "descr") {
      once(seen_descr, key);
      std::string_view source;
      const std::string code = reader.read_descr(source);
      const detail::npy_descr descr = detail::parse_npy_descr(code, source, path);
      header.dtype = descr.dtype;
      header.big_endian = descr.big_endian;
    } else if (key == "fortran_order") {
      once(seen_order, key);
      header.fortran_order = reader.read_bool("True or False behind 'fortran_order'");
    } else if (key == "shape") {
      once(seen_shape, key);
      header.shape = reader.read_shape();
    } else {
      reader.fail("unknown key " + detail::npy_quoted(key) + ", expected only 'descr', 'fortran_order' and 'shape'");
    }
    if (reader.accept('}')) break;
    reader.expect(',', "',' or '}' behind the value of " + detail::npy_quoted(key));
  }
  reader.expect_end();
  if (!seen_descr) reader.fail("key 'descr' is missing");
  if (!seen_order) reader.fail("key 'fortran_order' is missing");
  if (!seen_shape) reader.fail("key 'shape' is missing");

  // Extents of zero are left out, as NumPy does: strides of an empty array must not overflow either.
  std::int64_t size = itemsize(header.dtype);
  for (const std::int64_t extent : header.shape) {
    if (extent != 0 && __builtin_mul_overflow(size, extent, &size)) {
      detail::npy_fail(path, "shape " + header.shape.to_string() + " of " + std::string(name(header.dtype)) +
                                 " has more bytes than 64 bits can count, expected at most 2**63 - 1");
    }
  }
  if (size > INT64_MAX - header.data_offset) {
    detail::npy_fail(path, "shape " + header.shape.to_string() + " of " + std::string(name(header.dtype)) +
                               " ends beyond byte 2**63 - 1");
  }
  return header;
}

/// The `descr` string that NumPy writes for an element type in this machine's byte order: "<f8", "|b1".
inline std::string npy_descr_of(dtype type) {
  static constexpr std::string_view codes[] = {"b1", "i1", "i2", "i4", "i8", "u1", "u2",
                                               "u4", "u8", "f4", "f8", "c8", "c16"};
  const char order = itemsize(type) == 1 ? '|' : std::endian::native == std::endian::big ? '>' : '<';
  return order + std::string(codes[static_cast<int>(type)]);
}

namespace detail {

/// Magic, version, length, text, padding: version 1.0 as long as the text fits, 2.0 otherwise. The whole is a multiple
/// of 64 bytes, with 1 to 64 spaces of padding, as NumPy pads.
/// @throws file_error a text longer than max_npy_header_bytes
inline std::string npy_wrap_header(std::string_view text) {
  const auto wrap = [&](int major, std::size_t length_bytes) {
    const std::size_t used = 8 + length_bytes + text.size() + 1;
    const std::size_t length = text.size() + 1 + (64 - used % 64);
    std::string out("\x93NUMPY", 6);
    out.push_back(static_cast<char>(major));
    out.push_back('\0');
    for (std::size_t i = 0; i < length_bytes; ++i) out.push_back(static_cast<char>(length >> (8 * i) & 255));
    out.append(text);
    out.append(64 - used % 64, ' ');
    out.push_back('\n');
    return out;
  };
  if (static_cast<std::int64_t>(text.size()) > max_npy_header_bytes - 80) {
    throw file_error("npy header: the text has " + std::to_string(text.size()) + " bytes, expected at most " +
                     std::to_string(max_npy_header_bytes - 80));
  }
  std::string first = wrap(1, 2);
  return first.size() - 10 <= 65535 ? first : wrap(2, 4);
}

}  // namespace detail

/// The bytes that numpy.save writes in front of the elements: version 1.0, sorted keys, a length that is a multiple of
/// 64, with NumPy's spare room for the growing axis. Elements follow in this machine's byte order.
inline std::string npy_header_bytes(dtype type, const shape& extents, bool fortran_order = false) {
  std::string text = "{'descr': '" + npy_descr_of(type) + "', 'fortran_order': " + (fortran_order ? "True" : "False") +
                     ", 'shape': " + extents.to_string() + ", }";
  if (extents.ndim() > 0) {
    const std::size_t digits = std::to_string(extents[fortran_order ? extents.ndim() - 1 : 0]).size();
    text.append(21 - digits, ' ');
  }
  return detail::npy_wrap_header(text);
}

}  // namespace ashlar
