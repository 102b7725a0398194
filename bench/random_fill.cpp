/// \file
/// Nanoseconds per random number of one thread: `fill_normal`, `fill_uniform` and `fill_integers` against loops by hand
/// (Philox4x32-10 on eight counters, libmvec's log, sin and cos, AVX-512 intrinsics) and the standard library's
/// generator. Candidates take turns within a round; printed are the smallest time, the median, and the ratio of the
/// smallest to the loop by hand. Each call fills a block that stays in the first-level cache, as the library's blocks
/// do.
///
///     g++ -std=c++20 -O2 -Iinclude bench/random_fill.cpp -o random_fill && ./random_fill
#include <ashlar/detail/random_tiles.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <random>
#include <string>
#include <vector>

#if defined(__x86_64__) && defined(__GLIBC__)
#define RANDOM_FILL_BY_HAND 1
#include <immintrin.h>
// g++ 12 warns of its own intrinsics when they are inlined (GCC bug 105593).
#pragma GCC diagnostic ignored "-Wuninitialized"
#if !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#else
#define RANDOM_FILL_BY_HAND 0
#endif

#if RANDOM_FILL_BY_HAND
#define BY_HAND ASHLAR_DETAIL_TARGET_AVX512
namespace libmvec {
BY_HAND __m512d vector_log(__m512d) noexcept __asm__("_ZGVeN8v_log");
BY_HAND __m512d vector_sin(__m512d) noexcept __asm__("_ZGVeN8v_sin");
BY_HAND __m512d vector_cos(__m512d) noexcept __asm__("_ZGVeN8v_cos");
}  // namespace libmvec
#endif

using namespace ashlar::detail;

namespace {

constexpr std::int64_t block = 2048;
constexpr int rounds = 41;
constexpr int repetitions = 100;

#if RANDOM_FILL_BY_HAND
struct two_words {
  __m512i first, second;
};

BY_HAND inline two_words philox_by_hand(std::uint64_t counter, std::uint32_t k0, std::uint32_t k1) {
  const __m512i m0 = _mm512_set1_epi64(philox_multiplier_0), m1 = _mm512_set1_epi64(philox_multiplier_1);
  const __m512i low = _mm512_set1_epi64(0xFFFFFFFF);
  const __m512i c =
      _mm512_add_epi64(_mm512_set1_epi64(static_cast<long long>(counter)), _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0));
  __m512i x0 = _mm512_and_si512(c, low), x1 = _mm512_srli_epi64(c, 32);
  __m512i x2 = _mm512_setzero_si512(), x3 = x2;
  for (int r = 0; r < philox_rounds; ++r) {
    const __m512i p0 = _mm512_mul_epu32(x0, m0), p1 = _mm512_mul_epu32(x2, m1);
    x0 = _mm512_xor_si512(_mm512_xor_si512(_mm512_srli_epi64(p1, 32), x1), _mm512_set1_epi64(k0));
    x2 = _mm512_xor_si512(_mm512_xor_si512(_mm512_srli_epi64(p0, 32), x3), _mm512_set1_epi64(k1));
    x1 = _mm512_and_si512(p1, low);
    x3 = _mm512_and_si512(p0, low);
    k0 += philox_weyl_0;
    k1 += philox_weyl_1;
  }
  return {_mm512_or_si512(_mm512_slli_epi64(x1, 32), x0), _mm512_or_si512(_mm512_slli_epi64(x3, 32), x2)};
}

BY_HAND inline __m512d unit_interval(__m512i word) {
  const __m512d k = _mm512_cvtepi64_pd(_mm512_srli_epi64(word, 11));
  return _mm512_mul_pd(_mm512_add_pd(k, _mm512_set1_pd(0.5)), _mm512_set1_pd(0x1p-53));
}

BY_HAND void uniform_by_hand(double* out) {
  for (std::int64_t i = 0; i < block; i += 16) {
    const two_words w = philox_by_hand(static_cast<std::uint64_t>(i) / 2, 1, 0);
    _mm512_storeu_pd(out + i, unit_interval(w.first));
    _mm512_storeu_pd(out + i + 8, unit_interval(w.second));
  }
}

BY_HAND void normal_by_hand(double* out) {
  const __m512d mean = _mm512_set1_pd(10), stddev = _mm512_set1_pd(0.1);
  for (std::int64_t i = 0; i < block; i += 16) {
    const two_words w = philox_by_hand(static_cast<std::uint64_t>(i) / 2, 1, 0);
    const __m512d r = _mm512_sqrt_pd(_mm512_mul_pd(_mm512_set1_pd(-2), libmvec::vector_log(unit_interval(w.first))));
    const __m512d t = _mm512_mul_pd(unit_interval(w.second), _mm512_set1_pd(6.283185307179586));
    _mm512_storeu_pd(out + i, _mm512_fmadd_pd(_mm512_mul_pd(r, libmvec::vector_cos(t)), stddev, mean));
    _mm512_storeu_pd(out + i + 8, _mm512_fmadd_pd(_mm512_mul_pd(r, libmvec::vector_sin(t)), stddev, mean));
  }
}
#endif

struct candidate {
  std::string name;
  std::function<void()> run;
  std::vector<double> nanoseconds;
};

void compare(const char* what, std::vector<candidate> candidates) {
  for (int round = 0; round < rounds; ++round) {
    for (candidate& c : candidates) {
      const auto start = std::chrono::steady_clock::now();
      for (int r = 0; r < repetitions; ++r) c.run();
      const std::chrono::duration<double, std::nano> spent = std::chrono::steady_clock::now() - start;
      c.nanoseconds.push_back(spent.count() / (double{repetitions} * block));
    }
  }
  std::printf("%s\n", what);
  for (candidate& c : candidates) std::sort(c.nanoseconds.begin(), c.nanoseconds.end());
  for (const candidate& c : candidates) {
    std::printf("  %-34s %6.3f  median %6.3f  %5.2f x\n", c.name.c_str(), c.nanoseconds[0], c.nanoseconds[rounds / 2],
                c.nanoseconds[0] / candidates[0].nanoseconds[0]);
  }
}

/// The block in runs of `length` from element `first` on.
template <class F>
std::function<void()> in_runs(std::int64_t length, std::int64_t first, F fill) {
  return [=] {
    for (std::int64_t i = 0; i < block; i += length) fill(i, first + i, std::min(length, block - i));
  };
}

}  // namespace

int main() {
  std::vector<double> out(block);
  std::vector<float> narrow(block);
  std::vector<std::uint64_t> words(block);
  double* const d = out.data();
  float* const f = narrow.data();
  std::uint64_t* const w = words.data();
  constexpr const char* level_names[] = {"baseline", "AVX2", "AVX-512"};

  std::vector<candidate> normal, uniform;
#if RANDOM_FILL_BY_HAND
  if (current_isa() == isa_level::avx512) {
    normal.push_back({"by hand, AVX-512 and libmvec", [=] { normal_by_hand(d); }, {}});
    uniform.push_back({"by hand, AVX-512", [=] { uniform_by_hand(d); }, {}});
  }
#endif
  // A program built for AVX-512 has no narrower loops.
  const int narrowest = ASHLAR_DETAIL_RANDOM_NARROW ? 0 : static_cast<int>(current_isa());
  for (int level = static_cast<int>(current_isa()); level >= narrowest; --level) {
    const auto isa = static_cast<isa_level>(level);
    normal.push_back(
        {std::string("fill_normal<double>, ") + level_names[level],
         [=] {
           fill_run_with(isa, d, 0, block, 1, random_stream::normal_double, normal_parameters<double>{10, 0.1});
         },
         {}});
    uniform.push_back(
        {std::string("fill_uniform<double>, ") + level_names[level],
         [=] { fill_run_with(isa, d, 0, block, 1, random_stream::uniform_double, uniform_parameters<double>(0, 1)); },
         {}});
  }
  const auto part = [=](std::int64_t at, std::int64_t first, std::int64_t n) {
    fill_normal(d + at, first, n, 1, 10.0, 0.1);
  };
  normal.push_back({"  runs of 128, even start", in_runs(128, 0, part), {}});
  normal.push_back({"  runs of 128, odd start", in_runs(128, 1, part), {}});
  normal.push_back({"  runs of 1000, odd start", in_runs(1000, 1, part), {}});
  normal.push_back({"fill_normal<float>", [=] { fill_normal(f, 0, block, 1, 10.0f, 0.1f); }, {}});
  std::mt19937_64 engine(1);
  normal.push_back({"mt19937_64, normal_distribution",
                    [&engine, d] {
                      std::normal_distribution<double> distribution(10, 0.1);
                      for (std::int64_t i = 0; i < block; ++i) d[i] = distribution(engine);
                    },
                    {}});
  uniform.push_back({"fill_uniform<float>", [=] { fill_uniform(f, 0, block, 1, 0.0f, 1.0f); }, {}});
  uniform.push_back({"fill_integers, below 1000", [=] { fill_integers(w, 0, block, 1, std::uint64_t{0}, 1000); }, {}});
  uniform.push_back(
      {"fill_integers, below 10^12", [=] { fill_integers(w, 0, block, 1, std::uint64_t{0}, 1000000000000); }, {}});
  compare("normal numbers, ns each", normal);
  compare("uniform numbers, ns each", uniform);
}
