// Plans on a simulated device give the bits of the host: the arrays and chunkings that all lazy operations are tested
// with, several results, arrays that stay on the device.
#include <doctest/doctest.h>

#include <ashlar/ashlar.hpp>

#include <support/lazy_cases.hpp>
#include <support/lazy_check.hpp>
#include <support/simulated_device.hpp>

#include <string>
#include <vector>

namespace ash = ashlar;
using simulated_device::pace;
using simulated_device::simulated;

namespace {

void same(const ash::array<double>& x, const simulated& device) {
  const auto expected = x.compute(ash::serial{});
  REQUIRE(same_bits(expected, x.compute(device)));
  const ash::array<double> there = x.persist(device);
  REQUIRE(there.place() == device.place());
  REQUIRE(same_bits(expected, there.compute(device)));
  REQUIRE(same_bits(expected, there.compute(ash::serial{})));
}

using operation = ash::array<double> (*)(const ash::array<double>&);

const std::vector<operation>& operations() {
  static const std::vector<operation> all = {
      [](const ash::array<double>& x) -> ash::array<double> { return x; },
      [](const ash::array<double>& x) -> ash::array<double> { return ash::sqrt(ash::abs(x - 10.0)) / 3.0; },
      [](const ash::array<double>& x) -> ash::array<double> { return x.transpose()(ash::slice{.step = -2}); },
      [](const ash::array<double>& x) -> ash::array<double> {
        return x - x(ash::slice{2, 3});
      },
      [](const ash::array<double>& x) -> ash::array<double> { return ash::flip(x, 1) * x; },
      [](const ash::array<double>& x) -> ash::array<double> {
        return x.sum({0, 2});
      },
      [](const ash::array<double>& x) -> ash::array<double> { return (x + 0.5).mean(1); },
      [](const ash::array<double>& x) -> ash::array<double> {
        return x.var({1, 2});
      },
      [](const ash::array<double>& x) -> ash::array<double> { return x.argmax(0).astype<double>(); },
      [](const ash::array<double>& x) -> ash::array<double> { return (x - x.mean(0)) / x.std(0); },
      [](const ash::array<double>& x) -> ash::array<double> { return x.sum(); },
      [](const ash::array<double>& x) -> ash::array<double> { return ash::pad(x, 2); },
      [](const ash::array<double>& x) -> ash::array<double> {
        return ash::pad(x, {{1, 2}, {0, 1}, {2, 0}}, {.value = {{1, 2}, {3, 4}, {5, 6}}});
      },
      [](const ash::array<double>& x) -> ash::array<double> { return ash::pad(x, 4, {.mode = ash::pad_mode::wrap}); },
      [](const ash::array<double>& x) -> ash::array<double> { return ash::delete_(x, ash::slice{.step = 2}, 2); },
      [](const ash::array<double>& x) -> ash::array<double> { return ash::roll(x, 3, 1); },
      [](const ash::array<double>& x) -> ash::array<double> {
        return ash::reshape(x, {14, 15});
      },
      [](const ash::array<double>& x) -> ash::array<double> {
        return ash::concatenate({x, x}, 1);
      },
      [](const ash::array<double>& x) -> ash::array<double> { return ash::cumsum(x, 1); },
      [](const ash::array<double>& x) -> ash::array<double> {
        return x.rechunk({3, 2, 7}) + x;
      },
  };
  return all;
}

}  // namespace

TEST_CASE("what the operations give on a device has the bits of the host") {
  std::uint64_t seed = 1;
  for (const ash::chunks& chunks : lazy_cases::many_chunks()) {
    for (const ash::array<double>& x : lazy_cases::arrays(chunks)) {
      for (const operation f : operations()) {
        const simulated device({.when = static_cast<pace>(seed % 3), .seed = seed, .fills = seed % 2 == 0});
        same(f(x), device);
        ++seed;
        CHECK(device.on().fault() == "");
        REQUIRE(device.on().live_bytes() == 0);
      }
    }
  }
}
