// Without contraction every instruction set makes the same bits of every distribution, and these bits stay what they
// are from release to release. A program of its own, because contraction is switched off for the whole file.
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <type_traits>
#include <vector>

#if defined(__clang__)
#pragma clang fp contract(off)
#else
#pragma GCC optimize("fp-contract=off")
#endif
#include <ashlar/detail/random_tiles.hpp>

using namespace ashlar::detail;

namespace {

int failures = 0;

// FNV-1a, 64 bits.
template <class T>
std::uint64_t hash_of(const std::vector<T>& x) {
  std::uint64_t h = 0xCBF29CE484222325;
  for (const T& v : x) {
    unsigned char bytes[sizeof(T)];
    std::memcpy(bytes, &v, sizeof(T));
    for (const unsigned char b : bytes) h = (h ^ b) * 0x100000001B3;
  }
  return h;
}

template <class P>
void check(const char* name, random_stream stream, const P& p, std::uint64_t expected) {
  using T = typename P::element;
  constexpr std::int64_t n = 200001, first = 12345;
  for (int level = 0; level <= static_cast<int>(current_isa()); ++level) {
    std::vector<T> x(n);
    fill_run_with(static_cast<isa_level>(level), x.data(), first, n, 42, stream, p);
    const std::uint64_t hash = hash_of(x);
    if (hash == expected) continue;
    failures += 1;
    std::printf("%s, instruction set %d: hash %016llx instead of %016llx\n", name, level,
                static_cast<unsigned long long>(hash), static_cast<unsigned long long>(expected));
  }
  std::vector<T> plain;
  constexpr std::uint64_t per_block = 16 / sizeof(T);
  const round_keys keys(42, stream);
  for (std::uint64_t block = first / per_block; plain.size() < n + per_block; ++block) {
    T values[per_block];
    random_block(values, block, keys, p);
    plain.insert(plain.end(), values, values + per_block);
  }
  plain.erase(plain.begin(), plain.begin() + static_cast<std::ptrdiff_t>(first % per_block));
  plain.resize(n);
  if (hash_of(plain) != expected) {
    failures += 1;
    std::printf("%s, plain blocks: hash %016llx\n", name, static_cast<unsigned long long>(hash_of(plain)));
  }
}

}  // namespace

int main() {
  check("uniform double", random_stream::uniform_double, uniform_parameters<double>(-1.3, 2.9), 0x68123c8986a04c16);
  check("uniform float", random_stream::uniform_float, uniform_parameters<float>(-1.3f, 2.9f), 0x763eeb3ba9281959);
  check("normal double", random_stream::normal_double, normal_parameters<double>{10, 0.1}, 0xe3feb9f4c7d9b0d2);
  check("normal float", random_stream::normal_float, normal_parameters<float>{10, 0.1f}, 0xb3cafda4602f0712);
  check("integers below 1000", random_stream::integers, integer_parameters{0, 1000}, 0x4ad93cb4860a7303);
  check("integers below 10^12", random_stream::integers, integer_parameters{0, 1000000000000}, 0xa81233031807b20c);
  return failures;
}
