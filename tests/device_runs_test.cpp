// Plans on a simulated device give the bits of the host: the arrays and chunkings that all lazy operations are tested
// with, several results, arrays that stay on the device.
#include <doctest/doctest.h>

#include <ashlar/ashlar.hpp>
#include <ashlar/npy.hpp>

#include <support/lazy_cases.hpp>
#include <support/lazy_check.hpp>
#include <support/simulated_device.hpp>
#include <support/temporary_directory.hpp>

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

TEST_CASE("blocks go to a file as they are finished on the device") {
  const testing_support::temporary_directory folder;
  const auto x = lazy_cases::arrays({{0, 3, 2}, 4, {3, 0, 4}})[4];
  for (const pace when : {pace::at_once, pace::random, pace::late, pace::own_thread}) {
    const simulated device({.when = when});
    ash::to_npy(device, x * 2.0, folder / "x.npy");
    CHECK(same_bits(ash::load_npy<double>(folder / "x.npy"), (x * 2.0).compute(ash::serial{})));
    ash::to_npy(device, ash::from_npy<double>(folder / "x.npy", {.chunks = {2, 6, 7}}).sum(1), folder / "y.npy");
    CHECK(same_bits(ash::load_npy<double>(folder / "y.npy"), (x * 2.0).sum(1).compute(ash::serial{})));
    CHECK(device.on().fault() == "");
  }
}

TEST_CASE("what one device holds is read by another, by the host, and beside arrays of the host") {
  const simulated first;
  const simulated second({.seed = 5}, 1);
  {
    const auto x = lazy_cases::arrays({2, 2, 3})[1];
    const ash::array<double> here = (x + 1.0).persist(first);
    const ash::array<double> there = (here * x).persist(second);
    CHECK(here.place() == first.place());
    CHECK(there.place() == second.place());
    const auto expected = ((x + 1.0) * x + (x + 1.0)).compute(ash::serial{});
    CHECK(same_bits((there + here).compute(first), expected));
    CHECK(same_bits((there + here).compute(second), expected));
    CHECK(same_bits((there + here).compute(ash::threads{.workers = 2}), expected));
    CHECK(same_bits(x.sum(0).persist(first).persist(second).compute(ash::serial{}), x.sum(0).compute(ash::serial{})));
  }
  CHECK(first.on().live_bytes() == 0);
  CHECK(second.on().live_bytes() == 0);
}

TEST_CASE("two results, one result twice, and a report of the device's times") {
  const simulated device;
  const auto x = lazy_cases::arrays({1, 6, 2})[3];
  ash::report report;
  const auto [mean, again, deviation] = ash::compute(device, {.report = &report}, x.mean(0), x.mean(0), x.std(0));
  CHECK(same_bits(mean, x.mean(0).compute(ash::serial{})));
  CHECK(same_bits(again, mean));
  CHECK(same_bits(deviation, x.std(0).compute(ash::serial{})));
  CHECK(report.tasks > 0);
}
