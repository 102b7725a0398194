// Thousands of random expressions on a simulated device, in any blocks and at any pace, have the bits of the host, and
// keep to the rules of memory.
#include <doctest/doctest.h>

#include <support/lazy_check.hpp>
#include <support/random_expressions.hpp>
#include <support/simulated_device.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include <ashlar/several.hpp>

namespace ash = ashlar;
using random_expressions::generator;
using random_expressions::real;
using simulated_device::pace;
using simulated_device::simulated;

namespace {

#if defined(ASHLAR_TEST_SHORT)
constexpr std::uint64_t programs = 400;
#else
constexpr std::uint64_t programs = 3000;
#endif

void run_program(std::uint64_t seed, const simulated& device) {
  generator g(seed, [&](const real& x) {
    // on the device, on the host, or brought there from the other place
    return (seed + static_cast<std::uint64_t>(x.size())) % 3 == 0 ? x.persist(ash::serial{}) : x.persist(device);
  });
  const std::vector<real> results = g.results();
  INFO(g.trail());
  const bool optimize = seed % 7 != 0;
  std::vector<ash::ndarray<double>> got;
  if (results.size() == 3) {
    auto [a, b, c] = ash::compute(device, {.optimize = optimize}, results[0], results[1], results[2]);
    got = {a, b, c};
  } else {
    for (const real& x : results) {
      got.push_back(seed % 2 == 0 ? x.compute(device, {.optimize = optimize}) : x.persist(device).compute(device));
    }
  }
  for (std::size_t k = 0; k < results.size(); ++k) {
    const auto expected = results[k].compute(ash::serial{});
    REQUIRE(same_bits(expected, got[k]));
  }
}

}  // namespace

TEST_CASE("random expressions have the bits of the host") {
  const auto try_seed = [](std::uint64_t seed) {
    CAPTURE(seed);
    const simulated device(
        {.when = static_cast<pace>(seed % 3), .seed = seed, .fills = seed % 5 != 0, .fused = seed % 4 != 0});
    REQUIRE_NOTHROW(run_program(seed, device));
    REQUIRE(device.on().fault() == "");
    REQUIRE(device.on().live_bytes() == 0);
  };
  for (std::uint64_t seed = 1; seed <= programs; ++seed) try_seed(seed);
  try_seed(11895);  // blocks of nothing beside others in the strips of a reduction
}

TEST_CASE(
    "random expressions on a device that is too small, or fails, are right or end in an error, and leave nothing") {
  int failed = 0;
  for (std::uint64_t seed = 1; seed <= programs / 3; ++seed) {
    CAPTURE(seed);
    const auto some = static_cast<std::int64_t>(seed * 7919 % 200);
    const bool small = seed % 2 == 0;
    const simulated device({.bytes = small ? 1000 + 150 * some : 1 << 20,
                            .when = static_cast<pace>(seed % 3),
                            .seed = seed,
                            .fail_at = small ? 0 : 1 + some,
                            .lost = seed % 3 == 0});
    device.on().count_anew();
    try {
      run_program(seed, device);
    } catch (const ash::memory_error&) {
      ++failed;
      CHECK((small || device.on().calls() >= some));
    } catch (const ash::error& e) {
      ++failed;
      CHECK(!small);
      CHECK(contains(e.what(), "cuda:0"));
    }
    REQUIRE(device.on().fault() == "");
    REQUIRE(device.on().live_bytes() == 0);
  }
  CHECK(failed > static_cast<int>(programs / 30));
}
