/// \file
/// A number as the user wrote it, where the element type that it is to have is not known yet: what lies beyond an
/// array, what is put around it. Integers of 64 bits stay exact.
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>

#include <ashlar/dtype.hpp>
#include <ashlar/error.hpp>

namespace ashlar::detail {

struct any_number {
  constexpr any_number() = default;

  template <weak_scalar S>
  constexpr any_number(S value) noexcept : kind(weak_kind<S>) {
    if constexpr (is_std_complex<S>) {
      real = static_cast<double>(value.real());
      imag = static_cast<double>(value.imag());
    } else if constexpr (std::is_floating_point_v<S>) {
      real = static_cast<double>(value);
    } else {
      negative = is_negative(value);
      integer = static_cast<std::uint64_t>(value);
    }
  }

  friend constexpr bool operator==(const any_number&, const any_number&) = default;

  dtype_kind kind = dtype_kind::integer;
  bool negative = false;      // an integer below zero
  std::uint64_t integer = 0;  // its bits
  double real = 0;
  double imag = 0;
};

inline std::string number_text(const any_number& n) {
  if (n.kind == dtype_kind::boolean) return n.integer != 0 ? "true" : "false";
  if (n.kind == dtype_kind::integer) {
    return n.negative ? std::to_string(static_cast<std::int64_t>(n.integer)) : std::to_string(n.integer);
  }
  std::string text = std::to_string(n.real);
  if (n.kind == dtype_kind::complex) {
    text += " + ";
    text += std::to_string(n.imag);
    text += "i";
  }
  return text;
}

/// Whether `n` is the value `out` of an integer type, or rounds to it as floating types do.
template <class T>
bool convert_number(const any_number& n, T& out) {
  const bool whole = n.kind <= dtype_kind::integer;
  if constexpr (is_std_complex<T>) {
    typename T::value_type real{};
    any_number of_real = n;
    of_real.imag = 0;
    if (!whole) of_real.kind = dtype_kind::floating;
    static_cast<void>(convert_number(of_real, real));
    out = T(real, static_cast<typename T::value_type>(n.imag));
    return true;
  } else if (!whole && n.imag != 0) {
    return false;
  } else if constexpr (std::is_floating_point_v<T>) {
    out = !whole       ? static_cast<T>(n.real)
          : n.negative ? static_cast<T>(static_cast<std::int64_t>(n.integer))
                       : static_cast<T>(n.integer);
    return true;
  } else {
    std::uint64_t bits = n.integer;
    bool negative = n.negative;
    if (!whole) {
      if (!(n.real >= -9223372036854775808.0 && n.real < 18446744073709551616.0)) return false;
      negative = n.real < 0;
      bits =
          negative ? static_cast<std::uint64_t>(static_cast<std::int64_t>(n.real)) : static_cast<std::uint64_t>(n.real);
      if ((negative ? static_cast<double>(static_cast<std::int64_t>(bits)) : static_cast<double>(bits)) != n.real) {
        return false;
      }
    }
    out = static_cast<T>(bits);
    return static_cast<std::uint64_t>(out) == bits && is_negative(out) == negative;
  }
}

}  // namespace ashlar::detail
