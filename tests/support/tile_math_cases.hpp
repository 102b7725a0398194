/// \file
/// What the tests of the tile functions share: a table of all functions with their scalar and long double counterparts,
/// the error measure, and hard arguments.
#pragma once

#include <ashlar/detail/tile_math.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

namespace tile_math_cases {

using namespace ashlar::detail;

template <class T>
using tile = std::array<T, lanes>;
template <class T>
using unary_tile_function = void (*)(const T*, T*) noexcept;
template <class T>
using binary_tile_function = void (*)(const T*, const T*, T*) noexcept;

template <class T>
struct unary_case {
  const char* name;
  std::array<unary_tile_function<T>, 3> versions;  // in the order of isa_level
  T (*scalar)(T);
  long double (*reference)(long double);
};

template <class T>
struct binary_case {
  const char* name;
  std::array<binary_tile_function<T>, 3> versions;
  T (*scalar)(T, T);
  long double (*reference)(long double, long double);
};

#define UNARY(f)                                                                                 \
  unary_case<T> {                                                                                \
    #f, {tile_math<isa_baseline>::f<T>, tile_math<isa_avx2>::f<T>, tile_math<isa_avx512>::f<T>}, \
        [](T x) -> T { return std::f(x); }, [](long double x) { return std::f(x); }              \
  }
#define BINARY(f)                                                                                             \
  binary_case<T> {                                                                                            \
    #f, {tile_math<isa_baseline>::f<T>, tile_math<isa_avx2>::f<T>, tile_math<isa_avx512>::f<T>},              \
        [](T x, T y) -> T { return std::f(x, y); }, [](long double x, long double y) { return std::f(x, y); } \
  }

template <class T>
std::vector<unary_case<T>> exact_functions() {
  return {UNARY(sqrt), UNARY(rint), UNARY(floor), UNARY(ceil), UNARY(trunc)};
}

template <class T>
std::vector<unary_case<T>> unary_functions() {
  return {UNARY(exp),  UNARY(exp2), UNARY(expm1), UNARY(log),   UNARY(log2),  UNARY(log10), UNARY(log1p),
          UNARY(sin),  UNARY(cos),  UNARY(tan),   UNARY(asin),  UNARY(acos),  UNARY(atan),  UNARY(sinh),
          UNARY(cosh), UNARY(tanh), UNARY(asinh), UNARY(acosh), UNARY(atanh), UNARY(cbrt)};
}

template <class T>
std::vector<binary_case<T>> binary_functions() {
  return {BINARY(atan2), BINARY(hypot), BINARY(pow)};
}

inline int usable_versions() { return static_cast<int>(current_isa()) + 1; }

// Distance of `got` from the exact value in units of T's last place there; infinity when they differ in kind (one is
// NaN, or zeros differ in sign). Overflow counts as 2^max_exponent, so that rounding to infinity is no error.
template <class T>
double ulp_error(T got, long double exact) {
  using limits = std::numeric_limits<T>;
  constexpr double wrong = std::numeric_limits<double>::infinity();
  if (std::isnan(got) || std::isnan(exact)) return std::isnan(got) && std::isnan(exact) ? 0 : wrong;
  if (got == 0 && std::signbit(got) != std::signbit(exact)) return wrong;
  const long double top = std::ldexp(1.0L, limits::max_exponent);
  const long double a = std::isinf(got) ? std::copysign(top, static_cast<long double>(got)) : got;
  const long double b = std::fabs(exact) > top ? std::copysign(top, exact) : exact;
  if (a == b) return 0;
  int exponent = limits::min_exponent;
  if (b != 0) std::frexp(b, &exponent);
  exponent = std::clamp(exponent, limits::min_exponent, limits::max_exponent);
  return static_cast<double>(std::fabs(a - b) / std::ldexp(1.0L, exponent - limits::digits));
}

#undef UNARY
#undef BINARY

template <class T>
bool same_bits(T a, T b) {
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}

template <class T>
class values {
 public:
  explicit values(std::uint64_t seed) : bits_(seed) {}

  // One of nine families: any bit pattern, dense ranges, all magnitudes, neighbourhoods of 1 and of multiples of pi/2,
  // subnormals.
  T any() {
    constexpr T epsilon = std::numeric_limits<T>::epsilon();
    switch (bits_() % 9) {
      case 0:
        return pattern();
      case 1:
        return uniform(-1, 1);
      case 2:
        return uniform(-10, 10);
      case 3:
        return uniform(-110, 110);
      case 4:
        return uniform(-800, 800);
      case 5:
        return sign() * std::exp2(uniform(-40, 40));
      case 6:
        return 1 + sign() * std::exp2(uniform(sizeof(T) == 8 ? -52 : -23, 0));
      case 7: {
        const long double quarter_turns = static_cast<long double>(bits_() >> (30 + bits_() % 34));
        const T near = static_cast<T>(quarter_turns * 1.57079632679489661923132169163975144L);
        return sign() * near * (1 + static_cast<T>(static_cast<int>(bits_() % 5) - 2) * epsilon);
      }
      default:
        return std::numeric_limits<T>::min() * uniform(-4, 4);
    }
  }

  T uniform(double low, double high) {
    return static_cast<T>(low + (high - low) * static_cast<double>(bits_() >> 11) * 0x1p-53);
  }
  T sign() { return bits_() % 2 == 0 ? T(1) : T(-1); }
  T special() { return table_[static_cast<std::size_t>(bits_() % table_.size())]; }
  const std::vector<T>& table() const { return table_; }
  std::mt19937_64& generator() { return bits_; }

 private:
  T pattern() {
    const std::uint64_t word = bits_();
    T x;
    std::memcpy(&x, &word, sizeof x);
    return x;
  }

  static std::vector<T> make_table() {
    using limits = std::numeric_limits<T>;
    std::vector<T> positive{0,
                            limits::denorm_min(),
                            limits::min() / 2,
                            limits::min(),
                            limits::epsilon() / 4,
                            T(0.25),
                            T(1) / 3,
                            T(0.5),
                            std::nextafter(T(1), T(0)),
                            1,
                            std::nextafter(T(1), T(2)),
                            1.5,
                            2,
                            2.5,
                            3,
                            88,
                            89,
                            103,
                            104,
                            127,
                            128,
                            149,
                            150,
                            709,
                            710,
                            745,
                            746,
                            1023,
                            1024,
                            1074,
                            1075,
                            T(0x1p23),
                            T(0x1p23) + 1,
                            T(0x1p24),
                            T(0x1p31),
                            T(0x1p52),
                            T(0x1p52) + 1,
                            T(0x1p53),
                            T(0x1p63),
                            T(1e19),
                            T(1e30),
                            limits::max() / 2,
                            std::sqrt(limits::max()),
                            limits::max(),
                            limits::infinity(),
                            limits::quiet_NaN()};
    if constexpr (sizeof(T) == 8) positive.insert(positive.end(), {1e200, 1e300, 1e-200, 4503599627370495.5});
    std::vector<T> both = positive;
    for (const T x : positive) both.push_back(-x);
    return both;
  }

  std::mt19937_64 bits_;
  std::vector<T> table_ = make_table();
};

// The worst of many errors and where it was, for one assertion instead of a million.
template <class T>
struct worst_error {
  double ulps = 0;
  T x{};
  T y{};
  void add(double error, T a, T b = T{}) {
    if (error > ulps) ulps = error, x = a, y = b;
  }
};

constexpr double ulp_limit = 4;

}  // namespace tile_math_cases
