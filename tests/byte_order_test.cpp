#include <ashlar/io/byte_order.hpp>

#include <doctest/doctest.h>

#include <cstring>
#include <string>

using ashlar::dtype;

namespace {

// Bytes 1, 2, 3, ... as elements of `type`, swapped.
std::string swapped(dtype type, std::int64_t n, std::int64_t stride, std::int64_t first = 0) {
  std::string in(static_cast<std::size_t>(200), '\0');
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<char>(i + 1);
  std::string out(static_cast<std::size_t>(n * itemsize(type)), '\0');
  ashlar::copy_swapped(in.data() + first, stride, out.data(), n, type);
  return out;
}

}  // namespace

TEST_CASE("byte order: every width is reversed, complex numbers part by part") {
  CHECK(swapped(dtype::uint8, 3, 1) == "\1\2\3");
  CHECK(swapped(dtype::int16, 2, 2) == "\2\1\4\3");
  CHECK(swapped(dtype::float32, 2, 4) == "\4\3\2\1\x8\7\6\5");
  CHECK(swapped(dtype::float64, 1, 8) == "\x8\7\6\5\4\3\2\1");
  CHECK(swapped(dtype::complex64, 1, 8) == "\4\3\2\1\x8\7\6\5");
  CHECK(swapped(dtype::complex128, 1, 16) == "\x8\7\6\5\4\3\2\1\x10\xf\xe\xd\xc\xb\xa\x9");
}

TEST_CASE("byte order: strides of either sign, unaligned") {
  CHECK(swapped(dtype::int16, 3, 4, 1) == "\3\2\7\6\xb\xa");
  CHECK(swapped(dtype::int16, 3, -4, 9) == "\xb\xa\7\6\3\2");
  CHECK(swapped(dtype::int16, 2, 0, 1) == "\3\2\3\2");
  CHECK(swapped(dtype::complex64, 2, 9, 0) == "\4\3\2\1\x8\7\6\5\xd\xc\xb\xa\x11\x10\xf\xe");
  CHECK(swapped(dtype::float64, 0, 8).empty());
}

TEST_CASE("byte order: swapping twice in place gives the same bytes") {
  double values[3] = {1.5, -2.25, 1e300};
  const double want[3] = {1.5, -2.25, 1e300};
  ashlar::copy_swapped(values, 8, values, 3, dtype::float64);
  CHECK(std::memcmp(values, want, sizeof want) != 0);
  ashlar::copy_swapped(values, 8, values, 3, dtype::float64);
  CHECK(std::memcmp(values, want, sizeof want) == 0);
}

TEST_CASE("byte order: stored elements become valid objects") {
  const unsigned char stored[4] = {0, 1, 2, 255};
  bool flags[4];
  ashlar::copy_stored(stored, 1, flags, 4, dtype::boolean, false);
  CHECK_FALSE(flags[0]);
  CHECK(flags[2]);
  CHECK(std::memcmp(flags, "\0\1\1\1", 4) == 0);
  const double values[4] = {1, 2, 3, 4};
  double out[2];
  ashlar::copy_stored(values + 3, -16, out, 2, dtype::float64, false);
  CHECK(out[0] == 4);
  CHECK(out[1] == 2);
}
