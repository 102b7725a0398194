/// \file
/// Nanoseconds per element of the candidates for the vector math behind tile_math: glibc's libmvec, SLEEF and the
/// scalar math library. Candidates take turns within a round, so that a slow moment of the machine meets all of them;
/// printed are the median and, in brackets, the range over the rounds. All data stay in the first-level cache.
///
///     g++ -std=c++20 -O2 -Iinclude -DASHLAR_BENCH_SLEEF bench/vector_math.cpp -lsleef -o vector_math && ./vector_math
///
/// Without ASHLAR_BENCH_SLEEF (Debian: libsleef-dev) the SLEEF columns are left out.
#include <ashlar/detail/tile_math.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

#if defined(ASHLAR_DETAIL_HAVE_LIBMVEC)

using namespace ashlar::detail;

#if defined(ASHLAR_BENCH_SLEEF)
// Declared here, because sleef.h declares the wide versions only when the whole file is compiled for them.
namespace sleef {
#define SLEEF_1(name, bound)                                                                                        \
  ASHLAR_DETAIL_TARGET_AVX2 simd_32_f64 name##_##bound(simd_32_f64) noexcept __asm__("Sleef_" #name "d4_" #bound    \
                                                                                     "avx2");                       \
  ASHLAR_DETAIL_TARGET_AVX2 simd_32_f32 name##_##bound(simd_32_f32) noexcept __asm__("Sleef_" #name "f8_" #bound    \
                                                                                     "avx2");                       \
  ASHLAR_DETAIL_TARGET_AVX512 simd_64_f64 name##_##bound(simd_64_f64) noexcept __asm__("Sleef_" #name "d8_" #bound  \
                                                                                       "avx512f");                  \
  ASHLAR_DETAIL_TARGET_AVX512 simd_64_f32 name##_##bound(simd_64_f32) noexcept __asm__("Sleef_" #name "f16_" #bound \
                                                                                       "avx512f")
#define SLEEF_2(name, bound)                                                             \
  ASHLAR_DETAIL_TARGET_AVX2 simd_32_f64 name##_##bound(                                  \
      simd_32_f64, simd_32_f64) noexcept __asm__("Sleef_" #name "d4_" #bound "avx2");    \
  ASHLAR_DETAIL_TARGET_AVX2 simd_32_f32 name##_##bound(                                  \
      simd_32_f32, simd_32_f32) noexcept __asm__("Sleef_" #name "f8_" #bound "avx2");    \
  ASHLAR_DETAIL_TARGET_AVX512 simd_64_f64 name##_##bound(                                \
      simd_64_f64, simd_64_f64) noexcept __asm__("Sleef_" #name "d8_" #bound "avx512f"); \
  ASHLAR_DETAIL_TARGET_AVX512 simd_64_f32 name##_##bound(                                \
      simd_64_f32, simd_64_f32) noexcept __asm__("Sleef_" #name "f16_" #bound "avx512f")
SLEEF_1(sin, u35);
SLEEF_1(sin, u10);
SLEEF_1(exp, u10);
SLEEF_1(log, u35);
SLEEF_1(log, u10);
SLEEF_1(tanh, u35);
SLEEF_1(tanh, u10);
SLEEF_2(pow, u10);
}  // namespace sleef
#endif

namespace {

constexpr int tiles = 4;
constexpr int rounds = 31;
constexpr int repetitions = 200;

template <class T>
using kernel = void (*)(const T*, const T*, T*);

template <class T>
struct candidate {
  const char* name;
  kernel<T> run;
  std::vector<double> nanoseconds;
};

template <class T>
struct range {
  T low, high;
};

template <class T>
void fill(std::array<T, tiles * lanes>& data, range<T> limits) {
  std::mt19937 generator(1);
  std::uniform_real_distribution<T> uniform(limits.low, limits.high);
  for (T& x : data) x = uniform(generator);
}

template <class T>
void compare(const char* function, const char* isa, range<T> first, range<T> second,
             std::vector<candidate<T>> candidates) {
  alignas(64) std::array<T, tiles * lanes> a;
  alignas(64) std::array<T, tiles * lanes> b;
  alignas(64) std::array<T, tiles * lanes> out{};
  fill(a, first);
  fill(b, second);
  double sum = 0;
  for (int round = 0; round < rounds; ++round) {
    for (auto& c : candidates) {
      const auto start = std::chrono::steady_clock::now();
      for (int r = 0; r < repetitions; ++r) {
        for (std::size_t t = 0; t < tiles; ++t) {
          c.run(a.data() + t * lanes, b.data() + t * lanes, out.data() + t * lanes);
        }
      }
      const std::chrono::duration<double, std::nano> spent = std::chrono::steady_clock::now() - start;
      c.nanoseconds.push_back(spent.count() / (double{repetitions} * tiles * lanes));
      sum += static_cast<double>(out[0]);
    }
  }
  std::printf("| %s | %s | %s |", function, sizeof(T) == 8 ? "double" : "float", isa);
  for (auto& c : candidates) {
    std::sort(c.nanoseconds.begin(), c.nanoseconds.end());
    std::printf(" %s %.2f (%.2f-%.2f) |", c.name, c.nanoseconds[rounds / 2], c.nanoseconds.front(),
                c.nanoseconds.back());
  }
  std::printf("%s\n", std::isnan(sum) ? " nan" : "");
}

template <class T, T (*F)(T)>
void scalar_1(const T* a, const T*, T* out) {
  for (int i = 0; i < lanes; ++i) out[i] = F(a[i]);
}

template <class T, T (*F)(T, T)>
void scalar_2(const T* a, const T* b, T* out) {
  for (int i = 0; i < lanes; ++i) out[i] = F(a[i], b[i]);
}

#define TILE_1(function) [](const T* a, const T*, T* out) { tile_math<Isa>::function(a, out); }
#define TILE_2(function) [](const T* a, const T* b, T* out) { tile_math<Isa>::function(a, b, out); }
#define SLEEF_TILE_1(function) \
  [](const T* a, const T*, T* out) { simd_loop<Isa>::template map<T, sleef::function>(a, out); }
#define SLEEF_TILE_2(function) \
  [](const T* a, const T* b, T* out) { simd_loop<Isa>::template map<T, sleef::function>(a, b, out); }

template <class T, class Isa>
void compare_all(const char* isa) {
  constexpr range<T> none{1, 2};
  std::vector<candidate<T>> sin{{"scalar", scalar_1<T, std::sin>, {}}, {"libmvec", TILE_1(sin), {}}};
  std::vector<candidate<T>> exp{{"scalar", scalar_1<T, std::exp>, {}}, {"libmvec", TILE_1(exp), {}}};
  std::vector<candidate<T>> log{{"scalar", scalar_1<T, std::log>, {}}, {"libmvec", TILE_1(log), {}}};
  std::vector<candidate<T>> tanh{{"scalar", scalar_1<T, std::tanh>, {}}, {"libmvec", TILE_1(tanh), {}}};
  std::vector<candidate<T>> pow{{"scalar", scalar_2<T, std::pow>, {}}, {"libmvec", TILE_2(pow), {}}};
#if defined(ASHLAR_BENCH_SLEEF)
  sin.push_back({"sleef u35", SLEEF_TILE_1(sin_u35), {}});
  sin.push_back({"sleef u10", SLEEF_TILE_1(sin_u10), {}});
  exp.push_back({"sleef u10", SLEEF_TILE_1(exp_u10), {}});
  log.push_back({"sleef u35", SLEEF_TILE_1(log_u35), {}});
  log.push_back({"sleef u10", SLEEF_TILE_1(log_u10), {}});
  tanh.push_back({"sleef u35", SLEEF_TILE_1(tanh_u35), {}});
  tanh.push_back({"sleef u10", SLEEF_TILE_1(tanh_u10), {}});
  pow.push_back({"sleef u10", SLEEF_TILE_2(pow_u10), {}});
#endif
  compare<T>("sin", isa, {-100, 100}, none, sin);
  compare<T>("exp", isa, {-10, 10}, none, exp);
  compare<T>("log", isa, {T(1e-3), 100}, none, log);
  compare<T>("tanh", isa, {-3, 3}, none, tanh);
  compare<T>("pow", isa, {T(1e-3), 10}, {-5, 5}, pow);
}

}  // namespace

int main() {
  std::printf("ns per element, median (least-most) of %d rounds\n", rounds);
  if (current_isa() >= isa_level::avx2) {
    compare_all<double, isa_avx2>("AVX2");
    compare_all<float, isa_avx2>("AVX2");
  }
  if (current_isa() >= isa_level::avx512) {
    compare_all<double, isa_avx512>("AVX-512");
    compare_all<float, isa_avx512>("AVX-512");
  }
}

#else

int main() { std::puts("no libmvec on this platform: nothing to compare"); }

#endif
