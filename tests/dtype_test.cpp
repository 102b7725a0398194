#include <ashlar/dtype.hpp>

#include <complex>
#include <cstdint>
#include <limits>
#include <string_view>
#include <type_traits>

#include <doctest/doctest.h>

using ashlar::dtype;
using ashlar::dtype_error;
using ashlar::dtype_kind;
using ashlar::dtype_of;
using ashlar::element;
using ashlar::itemsize;
using ashlar::kind;
using ashlar::name;
using ashlar::promote;
using ashlar::promote_t;
using ashlar::promote_weak;
using ashlar::type_of;
using ashlar::weak_cast;
using ashlar::weak_t;

namespace {

using c64 = std::complex<float>;
using c128 = std::complex<double>;

// One letter per type: bool, int8 to int64, uint8 to uint64, float32, float64, complex64, complex128.
constexpr std::string_view letters = "?1248WXYZfdFD";

constexpr dtype type_at(std::size_t i) { return static_cast<dtype>(i); }

// np.promote_types(row, column) of NumPy 2.4.
constexpr std::string_view numpy_promotion[] = {
    "?1248WXYZfdFD",  // bool
    "11248248dfdFD",  // int8
    "22248248dfdFD",  // int16
    "44448448dddDD",  // int32
    "88888888dddDD",  // int64
    "W2248WXYZfdFD",  // uint8
    "X4448XXYZfdFD",  // uint16
    "Y8888YYYZddDD",  // uint32
    "ZddddZZZZddDD",  // uint64
    "fffddffddfdFD",  // float32
    "dddddddddddDD",  // float64
    "FFFDDFFDDFDFD",  // complex64
    "DDDDDDDDDDDDD",  // complex128
};

// (np.ones(1, row) + scalar).dtype for True, 1, 2.5, 1j.
constexpr std::string_view numpy_weak[] = {
    "?8dD", "11dD", "22dD", "44dD", "88dD", "WWdD", "XXdD", "YYdD", "ZZdD", "fffF", "dddD", "FFFF", "DDDD",
};

constexpr bool promotion_is_numpys() {
  for (std::size_t row = 0; row < letters.size(); ++row) {
    for (std::size_t column = 0; column < letters.size(); ++column) {
      const dtype expected = type_at(letters.find(numpy_promotion[row][column]));
      if (promote(type_at(row), type_at(column)) != expected) return false;
    }
    for (std::size_t scalar = 0; scalar < 4; ++scalar) {
      const dtype expected = type_at(letters.find(numpy_weak[row][scalar]));
      if (promote_weak(type_at(row), static_cast<dtype_kind>(scalar)) != expected) return false;
    }
  }
  return true;
}
static_assert(promotion_is_numpys());

template <class A, class B, class Expected>
constexpr bool promotes = std::is_same_v<promote_t<A, B>, Expected> && std::is_same_v<promote_t<B, A>, Expected>;

static_assert(promotes<std::uint64_t, std::int64_t, double>);
static_assert(promotes<std::int64_t, float, double>);
static_assert(promotes<std::int16_t, float, float>);
static_assert(promotes<std::int32_t, float, double>);
static_assert(promotes<bool, std::uint8_t, std::uint8_t>);
static_assert(promotes<c64, double, c128>);
static_assert(promotes<c64, std::int32_t, c128>);
static_assert(promotes<std::int8_t, std::uint32_t, std::int64_t>);
static_assert(std::is_same_v<promote_t<long long, long long>, long long>);
static_assert(std::is_same_v<promote_t<long long, int>, long long>);

template <class Array, class Scalar, class Expected>
constexpr bool weakly = std::is_same_v<weak_t<Array, Scalar>, Expected>;

static_assert(weakly<float, double, float> && weakly<float, int, float> && weakly<float, c128, c64>);
static_assert(weakly<int, double, double> && weakly<std::int8_t, int, std::int8_t> && weakly<int, float, double>);
static_assert(weakly<bool, int, std::int64_t> && weakly<bool, bool, bool> && weakly<bool, float, double>);
static_assert(weakly<int, c64, c128> && weakly<double, c64, c128> && weakly<c64, double, c64>);
static_assert(weakly<std::uint8_t, long long, std::uint8_t> && weakly<long long, int, long long>);
static_assert(weakly<float, char, float> && weakly<double, long double, double>);

static_assert(element<bool> && element<signed char> && element<unsigned char> && element<long> && element<long long> &&
              element<unsigned long long> && element<float> && element<c64>);
static_assert(!element<char> && !element<long double> && !element<const int> && !element<int&> && !element<int*> &&
              !element<char16_t> && !element<std::complex<int>>);

static_assert(dtype_of<long> == dtype::int64 && dtype_of<long long> == dtype::int64);
static_assert(dtype_of<unsigned long> == dtype::uint64 && dtype_of<unsigned long long> == dtype::uint64);
static_assert(dtype_of<bool> == dtype::boolean && dtype_of<unsigned char> == dtype::uint8);

// A fraction or an imaginary part is never dropped silently.
template <class To, class From>
concept weakly_castable = requires(From value) { weak_cast<To>(value, "call"); };
static_assert(!weakly_castable<int, double> && !weakly_castable<double, c64> && !weakly_castable<bool, int>);
static_assert(weakly_castable<float, double> && weakly_castable<c64, int> && weakly_castable<int, bool>);

template <class T>
void check_type(std::string_view expected_name) {
  CAPTURE(expected_name);
  CHECK(name(dtype_of<T>) == expected_name);
  CHECK(itemsize(dtype_of<T>) == static_cast<std::int64_t>(sizeof(T)));
  CHECK(std::is_same_v<type_of<dtype_of<T>>, T>);
}

}  // namespace

TEST_CASE("every element type has NumPy's name, its size, and a way back") {
  check_type<bool>("bool");
  check_type<std::int8_t>("int8");
  check_type<std::int16_t>("int16");
  check_type<std::int32_t>("int32");
  check_type<std::int64_t>("int64");
  check_type<std::uint8_t>("uint8");
  check_type<std::uint16_t>("uint16");
  check_type<std::uint32_t>("uint32");
  check_type<std::uint64_t>("uint64");
  check_type<float>("float32");
  check_type<double>("float64");
  check_type<c64>("complex64");
  check_type<c128>("complex128");
}

TEST_CASE("kinds are ordered as promotion needs them") {
  CHECK(kind(dtype::boolean) == dtype_kind::boolean);
  CHECK(kind(dtype::int8) == dtype_kind::integer);
  CHECK(kind(dtype::uint64) == dtype_kind::integer);
  CHECK(kind(dtype::float32) == dtype_kind::floating);
  CHECK(kind(dtype::complex64) == dtype_kind::complex);
  CHECK(dtype_kind::integer < dtype_kind::floating);
}

TEST_CASE("weak_cast keeps values that fit") {
  CHECK(weak_cast<std::int8_t>(-128, "add") == -128);
  CHECK(weak_cast<std::uint8_t>(255L, "add") == 255);
  CHECK(weak_cast<std::uint64_t>(std::numeric_limits<unsigned long long>::max(), "add") ==
        std::numeric_limits<std::uint64_t>::max());
  CHECK(weak_cast<int>(true, "add") == 1);
  CHECK(weak_cast<float>(0.1, "add") == 0.1f);
  CHECK(weak_cast<float>(16777217, "add") == 16777216.0f);
  CHECK(weak_cast<c64>(c128(1.5, -2), "add") == c64(1.5f, -2.0f));
  CHECK(weak_cast<c128>(3, "add") == c128(3, 0));
}

TEST_CASE("weak_cast names the value and the range that it does not fit") {
  CHECK_THROWS_WITH_AS(weak_cast<std::int8_t>(128, "add"),
                       "add: the value 128 does not fit int8, which holds -128 to 127; cast the array to a wider type "
                       "first",
                       dtype_error);
  CHECK_THROWS_WITH_AS(weak_cast<std::uint64_t>(-1, "multiply"),
                       "multiply: the value -1 does not fit uint64, which holds 0 to 18446744073709551615; cast the "
                       "array to a wider type first",
                       dtype_error);
  CHECK_THROWS_AS(weak_cast<std::int64_t>(std::numeric_limits<std::uint64_t>::max(), "add"), dtype_error);
  CHECK_THROWS_AS(weak_cast<std::uint32_t>(std::int64_t{1} << 32, "add"), dtype_error);
  CHECK_THROWS_AS(weak_cast<std::int32_t>(std::int64_t{1} << 31, "add"), dtype_error);
}
