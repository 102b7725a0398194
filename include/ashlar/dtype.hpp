/// \file
/// Element types: the closed list of C++ types that arrays hold, their names, and NumPy 2's promotion rules.
///
/// Promotion is computed on the run-time tag `dtype` by constexpr functions and mapped back to a type, so one table
/// serves compile time, file headers and messages, and a new pair of types costs the compiler one small evaluation
/// instead of a lattice of specialisations.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>

#include <ashlar/error.hpp>

namespace ashlar {

/// Tag of an element type.
enum class dtype : std::uint8_t {
  boolean,
  int8,
  int16,
  int32,
  int64,
  uint8,
  uint16,
  uint32,
  uint64,
  float32,
  float64,
  complex64,
  complex128
};

/// What a value is, in the order in which a weak scalar may lift an array's type.
enum class dtype_kind : std::uint8_t { boolean, integer, floating, complex };

namespace detail {

template <class T, class... Us>
inline constexpr bool is_one_of = (std::is_same_v<T, Us> || ...);

template <class T>
inline constexpr bool is_signed_element = is_one_of<T, signed char, short, int, long, long long>;

template <class T>
inline constexpr bool is_unsigned_element =
    is_one_of<T, unsigned char, unsigned short, unsigned int, unsigned long, unsigned long long>;

template <class T>
inline constexpr bool is_std_complex = false;
template <class T>
inline constexpr bool is_std_complex<std::complex<T>> = true;

template <class T>
inline constexpr bool is_element = is_signed_element<T> || is_unsigned_element<T> ||
                                   is_one_of<T, bool, float, double, std::complex<float>, std::complex<double>>;

/// Integer tags lie in order of width: base + log2(bytes).
constexpr dtype integer_dtype(dtype base, std::size_t bytes) noexcept {
  const int log2 = bytes == 1 ? 0 : bytes == 2 ? 1 : bytes == 4 ? 2 : 3;
  return static_cast<dtype>(static_cast<int>(base) + log2);
}

template <class T>
constexpr dtype find_dtype() noexcept {
  static_assert(is_element<T>,
                "ashlar: not an element type; elements are bool, the signed and unsigned integers of 8 "
                "to 64 bits (not plain char), float, double, std::complex<float>, std::complex<double>");
  if constexpr (is_signed_element<T>) {
    return integer_dtype(dtype::int8, sizeof(T));
  } else if constexpr (is_unsigned_element<T>) {
    return integer_dtype(dtype::uint8, sizeof(T));
  } else if constexpr (std::is_same_v<T, float>) {
    return dtype::float32;
  } else if constexpr (std::is_same_v<T, double>) {
    return dtype::float64;
  } else if constexpr (std::is_same_v<T, std::complex<float>>) {
    return dtype::complex64;
  } else if constexpr (std::is_same_v<T, std::complex<double>>) {
    return dtype::complex128;
  } else {
    return dtype::boolean;
  }
}

}  // namespace detail

/// A type that arrays may hold: bool, 8 to 64-bit integers (long and long long are both int64), float, double,
/// std::complex<float>, std::complex<double>. Plain char is text and is not an element.
template <class T>
concept element = detail::is_element<T>;

/// The tag of T.
template <class T>
inline constexpr dtype dtype_of = detail::find_dtype<T>();

/// Bytes of one element.
constexpr std::int64_t itemsize(dtype type) noexcept {
  constexpr std::int64_t bytes[] = {1, 1, 2, 4, 8, 1, 2, 4, 8, 4, 8, 8, 16};
  return bytes[static_cast<int>(type)];
}

/// NumPy's name of the type: "bool", "int8", ..., "float64", "complex128".
constexpr std::string_view name(dtype type) noexcept {
  constexpr std::string_view names[] = {"bool",   "int8",   "int16",   "int32",   "int64",     "uint8",     "uint16",
                                        "uint32", "uint64", "float32", "float64", "complex64", "complex128"};
  return names[static_cast<int>(type)];
}

/// The kind of the type: boolean < integer < floating < complex.
constexpr dtype_kind kind(dtype type) noexcept {
  if (type == dtype::boolean) return dtype_kind::boolean;
  if (type < dtype::float32) return dtype_kind::integer;
  return type < dtype::complex64 ? dtype_kind::floating : dtype_kind::complex;
}

/// True for int8 to int64.
constexpr bool is_signed_integer(dtype type) noexcept { return type >= dtype::int8 && type <= dtype::int64; }

/// The type of `a op b` for arrays of both types, as in NumPy 2: the smallest type that holds both, where 8 and 16-bit
/// integers fit float32, wider ones need float64, and uint64 with a signed integer gives float64.
constexpr dtype promote(dtype a, dtype b) noexcept {
  if (a == b) return a;
  if (kind(a) > kind(b)) return promote(b, a);
  if (kind(a) == dtype_kind::boolean) return b;
  if (kind(b) == dtype_kind::integer) {
    if (is_signed_integer(a) == is_signed_integer(b)) return a > b ? a : b;
    const std::int64_t s = is_signed_integer(a) ? itemsize(a) : itemsize(b);
    const std::int64_t u = is_signed_integer(a) ? itemsize(b) : itemsize(a);
    if (s > u) return detail::integer_dtype(dtype::int8, static_cast<std::size_t>(s));
    return u == 8 ? dtype::float64 : detail::integer_dtype(dtype::int8, static_cast<std::size_t>(2 * u));
  }
  const bool a_wide = kind(a) == dtype_kind::integer ? itemsize(a) > 2 : a == dtype::float64 || a == dtype::complex128;
  const bool wide = a_wide || b == dtype::float64 || b == dtype::complex128;
  if (kind(b) == dtype_kind::floating) return wide ? dtype::float64 : dtype::float32;
  return wide ? dtype::complex128 : dtype::complex64;
}

/// The type of `array op scalar` for a C++ scalar of the given kind. The scalar is weak: it lifts the kind, never the
/// width, of the array's type; lifted out of bool or the integers it brings int64, float64 or complex128.
constexpr dtype promote_weak(dtype array, dtype_kind scalar) noexcept {
  if (scalar <= kind(array)) return array;
  if (scalar == dtype_kind::integer) return dtype::int64;
  if (scalar == dtype_kind::floating) return dtype::float64;
  return array == dtype::float32 ? dtype::complex64 : dtype::complex128;
}

namespace detail {

template <int I, class First, class... Rest>
struct nth_type : nth_type<I - 1, Rest...> {};
template <class First, class... Rest>
struct nth_type<0, First, Rest...> {
  using type = First;
};

// In the order of the tags.
template <dtype D>
struct dtype_type
    : nth_type<static_cast<int>(D), bool, std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t,
               std::uint16_t, std::uint32_t, std::uint64_t, float, double, std::complex<float>, std::complex<double>> {
};

}  // namespace detail

/// The C++ type of a tag; int64 is std::int64_t.
template <dtype D>
using type_of = typename detail::dtype_type<D>::type;

namespace detail {

/// Keeps `Like` (say long long) when the tag did not change, so that no operation swaps long long for long.
template <class Like, dtype D>
using type_of_like = typename std::conditional_t<dtype_of<Like> == D, std::type_identity<Like>, dtype_type<D>>::type;

}  // namespace detail

/// The element type of `A op B` for two arrays (see promote).
template <class A, class B>
using promote_t = detail::type_of_like<A, promote(dtype_of<A>, dtype_of<B>)>;

/// A C++ number that may stand beside an array: any arithmetic type, or std::complex.
template <class T>
concept weak_scalar = std::is_arithmetic_v<T> || detail::is_std_complex<T>;

/// The kind of a C++ number.
template <weak_scalar S>
inline constexpr dtype_kind weak_kind = detail::is_std_complex<S>     ? dtype_kind::complex
                                        : std::is_floating_point_v<S> ? dtype_kind::floating
                                        : std::is_same_v<S, bool>     ? dtype_kind::boolean
                                                                      : dtype_kind::integer;

/// The element type of `array op scalar` (see promote_weak).
template <class Array, weak_scalar Scalar>
using weak_t = detail::type_of_like<Array, promote_weak(dtype_of<Array>, weak_kind<Scalar>)>;

namespace detail {

template <class To, class Scalar>
[[noreturn]] inline void throw_does_not_fit(Scalar value, std::string_view call) {
  std::string text(call);
  text += ": the value " + std::to_string(value) + " does not fit " + std::string(name(dtype_of<To>));
  text += ", which holds " + std::to_string(std::numeric_limits<To>::min());
  text += " to " + std::to_string(std::numeric_limits<To>::max());
  throw dtype_error(text + "; cast the array to a wider type first");
}

template <class T>
constexpr bool is_negative(T value) noexcept {
  if constexpr (std::is_signed_v<T>) {
    return value < T{};
  } else {
    return false;
  }
}

}  // namespace detail

/// Converts a C++ scalar to the element type that an operation runs in. An integer must fit an integer type exactly;
/// floating types round, as arrays do. A conversion that would drop the fraction or the imaginary part does not
/// compile.
/// @throws dtype_error that names the call, the value and the range of the type
template <element To, weak_scalar Scalar>
  requires(weak_kind<Scalar> <= kind(dtype_of<To>))
constexpr To weak_cast(Scalar value, std::string_view call) {
  if constexpr (detail::is_std_complex<To>) {
    using part = typename To::value_type;
    if constexpr (detail::is_std_complex<Scalar>) {
      return To(static_cast<part>(value.real()), static_cast<part>(value.imag()));
    } else {
      return To(static_cast<part>(value));
    }
  } else if constexpr (std::is_integral_v<To> && weak_kind<Scalar> == dtype_kind::integer) {
    // Equal sign and an exact way back is the same as being in range, for every pair of integer types.
    const To converted = static_cast<To>(value);
    if (static_cast<Scalar>(converted) != value || detail::is_negative(converted) != detail::is_negative(value)) {
      detail::throw_does_not_fit<To>(value, call);
    }
    return converted;
  } else {
    return static_cast<To>(value);
  }
}

}  // namespace ashlar
