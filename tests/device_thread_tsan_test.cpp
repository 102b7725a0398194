// A simulated device that works on a thread of its own, at its own pace, while the dispatcher goes on: several runs at
// once on devices of their own and on one, results, stops and failing calls.
#include <doctest/doctest.h>

#include <ashlar/array.hpp>
#include <ashlar/creation.hpp>
#include <ashlar/functions.hpp>
#include <ashlar/movement.hpp>
#include <ashlar/reductions.hpp>

#include <support/lazy_check.hpp>
#include <support/simulated_device.hpp>

#include <atomic>
#include <stop_token>
#include <thread>
#include <vector>

namespace ash = ashlar;
using simulated_device::pace;
using simulated_device::simulated;

namespace {

ash::array<double> program(std::uint64_t seed) {
  const auto length = static_cast<std::int64_t>(3 + seed % 5);
  const ash::array<double> x =
      ash::from(ash::arange<double>(0, 20 * 15, 1).compute(ash::serial{}).reshape({20, 15}), {.chunks = {length, 8}});
  const ash::array<double> y = ash::sqrt(x) * 0.5 + ash::roll(x, 3, 1);
  return (y - y.mean(0)) * y.max() + ash::arange<double>(0, 15, 1, {.chunks = {4}});
}

}  // namespace

TEST_CASE("several host threads, devices of their own and one that they share") {
  std::vector<ash::ndarray<double>> expected;
  for (std::uint64_t seed = 0; seed < 5; ++seed) expected.push_back(program(seed).compute(ash::serial{}));
  std::vector<simulated> devices;
  for (int k = 0; k < 2; ++k) devices.emplace_back(simulated_device::settings{.when = pace::own_thread}, 3 + k);
  std::atomic<int> wrong = 0;
  {
    std::vector<std::jthread> hosts;
    for (std::uint64_t host = 0; host < 3; ++host) {
      hosts.emplace_back([&, host] {
        const simulated& device = devices[host % 2];
        for (std::uint64_t k = 0; k < 6; ++k) {
          const std::uint64_t seed = (host + k) % 5;
          const ash::array<double> there = program(seed).persist(device);
          if (!same_bits(there.compute(device), expected[seed])) ++wrong;
          if (!same_bits(there.compute(ash::serial{}), expected[seed])) ++wrong;
        }
      });
    }
  }
  CHECK(wrong == 0);
  for (const simulated& device : devices) {
    CHECK(device.on().fault() == "");
    CHECK(device.on().live_bytes() == 0);
  }
}

TEST_CASE("a stop, and calls that fail, while the device works") {
  const ash::array<double> y = program(1);
  const auto expected = y.compute(ash::serial{});
  {
    const simulated device({.when = pace::own_thread}, 5);
    std::stop_source stop;
    const std::jthread other([&] { stop.request_stop(); });
    try {
      const auto got = y.compute(device, {.stop = stop.get_token()});
      CHECK(same_bits(got, expected));
    } catch (const ash::cancelled&) {
      CHECK(stop.stop_requested());
    }
    CHECK(device.on().live_bytes() == 0);
  }
  for (std::int64_t n = 1; n < 120; n += 3) {
    const simulated device(
        {.when = pace::own_thread, .seed = static_cast<std::uint64_t>(n), .fail_at = n, .lost = n % 2 == 0}, 5);
    device.on().count_anew();
    try {
      const auto got = y.compute(device);
      CHECK(device.on().calls() < n);
      CHECK(same_bits(got, expected));
    } catch (const ash::error& e) {
      CHECK(contains(e.what(), "cuda:5"));
    }
    REQUIRE(device.on().live_bytes() == 0);
    CHECK(device.on().fault() == "");
  }
}
