#include <ashlar/complex.hpp>

#include <complex>
#include <cstring>
#include <limits>
#include <type_traits>

#include <doctest/doctest.h>

using ashlar::complex;

namespace {

using z = complex<double>;

static_assert(std::is_same_v<ashlar::device_type_t<std::complex<float>>, complex<float>>);
static_assert(std::is_same_v<ashlar::device_type_t<double>, double>);
static_assert(std::is_same_v<ashlar::host_type_t<complex<double>>, std::complex<double>>);
static_assert(std::is_same_v<ashlar::host_type_t<bool>, bool>);
static_assert(std::is_trivially_default_constructible_v<z>);
static_assert(z(1, 2) + z(3, 4) == z(4, 6) && z(1, 2) - z(3, 5) == z(-2, -3) && -z(1, 2) == z(-1, -2));
static_assert(z(1, 2) * z(3, 4) == z(-5, 10) && z(-5, 10) / z(3, 4) == z(1, 2));
static_assert(z(1, 2) * 2.0 == z(2, 4) && 1.0 + z(1, 2) == z(2, 2) && z(3) == 3.0);

}  // namespace

TEST_CASE("complex has the bytes of std::complex") {
  const std::complex<double> from[2] = {{1, 2}, {3, 4}};
  z to[2];
  static_assert(sizeof to == sizeof from);
  std::memcpy(to, from, sizeof from);
  CHECK(to[0] == z(1, 2));
  CHECK(to[1] == z(3, 4));
}

TEST_CASE("complex converts from and to std::complex by itself") {
  const z a = std::complex<double>(1, 2);
  const std::complex<double> b = a;
  CHECK(b == std::complex<double>(1, 2));
  CHECK(complex<float>(a) == complex<float>(1, 2));
}

TEST_CASE("parts, conjugate, norm and magnitude") {
  constexpr z a(3, -4);
  CHECK(real(a) == 3);
  CHECK(imag(a) == -4);
  CHECK(conj(a) == z(3, 4));
  CHECK(norm(a) == 25);
  CHECK(abs(a) == 5);
  CHECK(abs(z(3e200, 4e200)) == doctest::Approx(5e200));
}

TEST_CASE("compound assignment equals the operator") {
  z a(1, 2);
  a += z(1, 1);
  CHECK(a == z(2, 3));
  a -= z(1, 1);
  a *= z(0, 1);
  CHECK(a == z(-2, 1));
  a /= z(0, 1);
  CHECK(a == z(1, 2));
}

TEST_CASE("a quotient of large or small numbers neither overflows nor vanishes") {
  CHECK(z(1e200, 1e200) / z(1e200, 1e200) == z(1, 0));
  CHECK(z(1e-200, 0) / z(0, 1e-200) == z(0, -1));
  CHECK(z(4, 2) / z(2, 0) == z(2, 1));
}

TEST_CASE("division by zero gives infinities, and NaN for zero over zero") {
  const z quotient = z(1, -1) / z(0, 0);
  CHECK(quotient.real() == std::numeric_limits<double>::infinity());
  CHECK(quotient.imag() == -std::numeric_limits<double>::infinity());
  const z nothing = z(0, 0) / z(0, 0);
  CHECK(nothing.real() != nothing.real());
}

TEST_CASE("a NaN is unequal to itself") {
  const z a(std::numeric_limits<double>::quiet_NaN(), 0);
  CHECK_FALSE(a == a);
  CHECK(a != a);
}
