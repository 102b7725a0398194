/// \file
/// Arithmetic on sizes that refuses to wrap. Sizes, offsets and indices are std::int64_t everywhere; the places where
/// they are multiplied, added or converted go through here, so a shape that overflows is an error, not a small array.
/// Cost: one comparison per operation; the texts are built out of line, only when something is wrong.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

#include <ashlar/error.hpp>

namespace ashlar::detail {

/// An integer type that may stand for a length, an index or an axis: every one but bool.
template <class T>
concept integer = std::integral<T> && !std::same_as<std::remove_cv_t<T>, bool>;

[[noreturn]] inline void throw_size_overflow(std::int64_t a, char operation, std::int64_t b, std::string_view what) {
  throw shape_error(std::string(what) + ": " + std::to_string(a) + ' ' + operation + ' ' + std::to_string(b) +
                    " is more than 64 bits hold (at most 9223372036854775807)");
}

[[noreturn]] inline void throw_out_of_range(std::string value, bool is_signed, std::size_t bytes,
                                            std::string_view what) {
  throw shape_error(std::string(what) + ": " + value + " does not fit in " + (is_signed ? "a signed" : "an unsigned") +
                    " integer of " + std::to_string(8 * bytes) + " bits");
}

// The builtins that report overflow are no constant expressions for nvcc's front end; 128-bit arithmetic is for all.
__extension__ typedef __int128 wide_integer;

constexpr bool fits_in_64_bits(wide_integer value) noexcept { return value == static_cast<std::int64_t>(value); }

/// a * b. @throws shape_error that names `what` and both factors when the product needs more than 64 bits.
constexpr std::int64_t checked_mul(std::int64_t a, std::int64_t b, std::string_view what) {
  const wide_integer result = static_cast<wide_integer>(a) * b;
  if (!fits_in_64_bits(result)) throw_size_overflow(a, '*', b, what);
  return static_cast<std::int64_t>(result);
}

/// a + b. @throws shape_error that names `what` and both terms when the sum needs more than 64 bits.
constexpr std::int64_t checked_add(std::int64_t a, std::int64_t b, std::string_view what) {
  const wide_integer result = static_cast<wide_integer>(a) + b;
  if (!fits_in_64_bits(result)) throw_size_overflow(a, '+', b, what);
  return static_cast<std::int64_t>(result);
}

/// `value` as a T. @throws shape_error that names `what` and the value when T cannot hold it.
template <integer T, integer From>
constexpr T narrow(From value, std::string_view what) {
  const T result = static_cast<T>(value);
  if (static_cast<wide_integer>(result) != static_cast<wide_integer>(value)) {
    throw_out_of_range(std::to_string(value), std::is_signed_v<T>, sizeof(T), what);
  }
  return result;
}

/// Smallest n with n * divisor >= value, for value >= 0 and divisor > 0.
constexpr std::int64_t ceil_div(std::int64_t value, std::int64_t divisor) noexcept {
  return value / divisor + (value % divisor != 0 ? 1 : 0);
}

}  // namespace ashlar::detail
