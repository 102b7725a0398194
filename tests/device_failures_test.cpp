// Every call of the device's interface fails once: compute() throws, its text says what was made where, nothing is held
// afterwards, and the next run is right. What cannot run there is refused before anything runs.
#include <doctest/doctest.h>

#include <ashlar/array.hpp>
#include <ashlar/blockwise.hpp>
#include <ashlar/creation.hpp>
#include <ashlar/functions.hpp>
#include <ashlar/movement.hpp>
#include <ashlar/reductions.hpp>
#include <ashlar/scans.hpp>

#include <support/lazy_check.hpp>
#include <support/simulated_device.hpp>

#include <functional>
#include <string>

namespace ash = ashlar;
using simulated_device::pace;
using simulated_device::settings;
using simulated_device::simulated;

namespace {

/// `run` with the n-th call failing, for every n of a run.
void fail_every_call(settings chosen, const std::function<void(const simulated&)>& run) {
  for (chosen.fail_at = 1;; ++chosen.fail_at) {
    REQUIRE(chosen.fail_at < 10000);
    chosen.seed = static_cast<std::uint64_t>(chosen.fail_at);
    const simulated device(chosen);
    device.on().count_anew();
    std::string text;
    try {
      run(device);
    } catch (const ash::error& e) {
      text = e.what();
    }
    REQUIRE(device.on().fault() == "");
    REQUIRE(device.on().live_bytes() == 0);
    const bool reached = device.on().calls() >= chosen.fail_at;
    CHECK((text != "") == reached);
    if (!reached) return;
    CAPTURE(text);
    CHECK(contains(text, "cuda:0"));
    CHECK((contains(text, "device_failures_test.cpp") || contains(text, "compute: the result: ")));
  }
}

void fail_in_all_ways(const std::function<void(const simulated&)>& run) {
  for (const pace when : {pace::at_once, pace::random, pace::late}) {
    fail_every_call({.when = when}, run);
    fail_every_call({.when = when, .allocate_throws = true}, run);
    fail_every_call({.when = when, .fills = false, .lost = true}, run);
  }
}

ash::array<double> ramp(const ash::chunks& chunks) {
  return ash::from(ash::arange<double>(0, 12 * 10, 1).compute(ash::serial{}).reshape({12, 10}), {.chunks = chunks});
}

}  // namespace

TEST_CASE("any call of compute() may fail") {
  const ash::array<double> x = ramp({5, 4});
  const ash::array<double> y = (x - x.mean(0)) / x.std(0) + ash::roll(x, 1, 0) + ash::arange<double>(0, 10, 1);
  const auto expected = y.compute(ash::serial{});
  fail_in_all_ways([&](const simulated& device) {
    const auto got = y.compute(device);
    REQUIRE(same_bits(got, expected));
  });
}

TEST_CASE("any call of persist() and of what reads it may fail") {
  const ash::array<double> x = ramp({5, 4});
  const auto expected = (ash::cumsum(x, 0) * 2.0).compute(ash::serial{});
  const auto sum = x.sum().compute(ash::serial{});
  fail_in_all_ways([&](const simulated& device) {
    const auto there = ash::cumsum(x, 0).persist(device);
    const auto got = (there * 2.0).compute(device);
    REQUIRE(same_bits(got, expected));
    const auto again = x.sum().persist(device).compute(device);
    REQUIRE(same_bits(again, sum));
  });
}

TEST_CASE("a run after a failed one is right") {
  const ash::array<double> y = ash::sqrt(ramp({5, 4})).sum(1);
  const auto expected = y.compute(ash::serial{});
  for (std::int64_t n = 1; n < 30; ++n) {
    simulated device({.seed = 3, .fail_at = n});
    device.on().count_anew();
    CHECK_THROWS_AS(y.compute(device), ash::error);
    CHECK(same_bits(y.compute(device), expected));
  }
}

TEST_CASE("plans larger than the device run in groups, or end in an error that tells the bytes") {
  const auto values = ash::arange<double>(0, 128 * 128, 1).compute(ash::serial{}).reshape({128, 128});
  const ash::array<double> x = ash::from(values, {.chunks = {4, 128}});
  const simulated small({.bytes = 100000});
  CHECK(same_bits((x * 2.0 + 1.0).sum(0).compute(small), (x * 2.0 + 1.0).sum(0).compute(ash::serial{})));
  CHECK(same_bits(x.var().compute(small), x.var().compute(ash::serial{})));
  const std::string text = message_of<ash::memory_error>([&] { (x + 1.0).compute(small); });
  CHECK(contains(text, "compute: the result: 131072 bytes are needed on cuda:0"));
  CHECK(contains(text, "0 of the 100000 bytes"));
  const ash::array<double> wide = ash::from(values, {.chunks = {128, 128}});
  const std::string task = message_of<ash::memory_error>([&] { wide.sum().compute(small); });
  CHECK(contains(task, "sum"));
  CHECK(contains(task, "block (0, 0) of (1, 1), on cuda:0, from "));
  CHECK(contains(task, "device_failures_test.cpp:"));
  simulated limited;
  limited.memory_limit = 90000;
  CHECK(same_bits(x.mean(1).compute(limited), x.mean(1).compute(ash::serial{})));
  CHECK(contains(message_of<ash::memory_error>([&] { (x + 1.0).compute(limited); }), "of the 90000 bytes"));
  CHECK(small.on().live_bytes() == 0);
  CHECK(small.on().fault() == "");
}

TEST_CASE("what only the host runs is refused, by name and line") {
  const ash::array<double> x = ramp({5, 4});
  const simulated device({.user_functions = false});
  const auto refused = [&](const ash::array<double>& y) {
    return message_of<ash::device_error>([&] { y.compute(device); });
  };
  const std::string lambda = refused(ash::map([](double v) { return v + 1; }, x));
  CHECK(contains(lambda,
                 "has no code for a device, so it cannot run on cuda:0; write functions of your own with ASHLAR_FN"));
  CHECK(contains(lambda, "device_failures_test.cpp:"));
  const std::string blocks = refused(ash::map_blocks([](const ash::ndarray<const double>& b) { return b.copy(); }, x));
  CHECK(contains(blocks, "a function of blocks is one of the host, so it cannot run on cuda:0"));
  CHECK(contains(blocks, "device_failures_test.cpp:"));
  CHECK(device.on().live_bytes() == 0);
}
