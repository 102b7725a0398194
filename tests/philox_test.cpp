#include <ashlar/detail/philox.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstdint>

namespace {

using ashlar::detail::philox_key;
using words = std::array<std::uint32_t, 4>;

words philox(words counter, philox_key key) {
  words out;
  ashlar::detail::philox4x32_10(counter[0] | std::uint64_t{counter[1]} << 32,
                                counter[2] | std::uint64_t{counter[3]} << 32, key, out.data());
  return out;
}

}  // namespace

// The lines `philox4x32 10` of kat_vectors, the known answers that the authors publish with Random123.
TEST_CASE("Philox4x32-10 gives the published answers") {
  CHECK(philox({0, 0, 0, 0}, {0, 0}) == words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  constexpr std::uint32_t ones = 0xffffffff;
  CHECK(philox({ones, ones, ones, ones}, {ones, ones}) == words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
  CHECK(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}) ==
        words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

TEST_CASE("both halves of the seed reach the key") {
  const philox_key key = ashlar::detail::key_of_seed(0x0123456789abcdef);
  CHECK(key.k0 == 0x89abcdef);
  CHECK(key.k1 == 0x01234567);
}
