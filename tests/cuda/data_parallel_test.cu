// One function on all devices, and on one device several times: the bits of the host, each result where its part was.
// Compiled without contraction. Returns 77 (skipped) where there is no device.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <iostream>
#include <string>
#include <tuple>
#include <vector>

#include <ashlar/ashlar.hpp>
#include <ashlar/cuda.hpp>
#include <ashlar/data_parallel.hpp>

namespace ash = ashlar;

namespace {

int failures = 0;

void expect(bool holds, const std::string& what) {
  if (holds) return;
  std::cerr << "failed: " << what << '\n';
  ++failures;
}

template <class T>
bool same_bits(const ash::ndarray<T>& a, const ash::ndarray<T>& b) {
  return a.shape() == b.shape() && std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.size()) * sizeof(T)) == 0;
}

void check(const std::vector<ash::cuda::device>& devices) {
  const std::string on = " on " + std::to_string(devices.size()) + " devices";
  const auto x = ash::from(ash::random::normal<double>({1003, 517}, {.seed = 3}).compute(), {.chunks = {100, 200}});
  const auto w = ash::from(ash::random::normal<double>({517}, {.seed = 4}).compute());
  const ash::place first = ash::place::device(devices[0].index());

  const auto affine = [](const auto& part) { return ash::sqrt(ash::abs(part * 3.0 + 0.25)); };
  for (const std::int64_t axis : {0, 1}) {
    const auto y = ash::data_parallel(affine, x, devices, axis);
    expect(y.place() == first, "the result is on the first device," + on);
    expect(same_bits(y.compute(ash::threads{}), affine(x).compute(ash::threads{})), "element-wise," + on);
  }

  const auto parts = ash::scatter(x, devices);
  const auto weights = ash::replicate(w, devices);
  std::vector<std::tuple<ash::array<double>, ash::array<double>>> inputs;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    const ash::place there = ash::place::device(devices[k].index());
    expect(parts[k].place() == there && weights[k].place() == there, "parts are where they were sent," + on);
    inputs.emplace_back(parts[k], weights[k]);
  }
  const auto model = [](const auto& rows, const auto& by) { return (rows * by).sum(1) + 0.5; };
  const auto results = ash::parallel_apply(model, inputs, devices);
  for (std::size_t k = 0; k < results.size(); ++k) {
    expect(results[k].place() == ash::place::device(devices[k].index()), "results stay," + on);
  }
  const auto expected = model(x, w).compute(ash::threads{});
  const auto host = ash::gather(results, ash::place::host());
  expect(host.place().on_host(), "gathered on the host," + on);
  expect(same_bits(host.compute(), expected), "rows times weights, on the host," + on);
  const auto last = ash::gather(results, devices.back());
  expect(last.place() == ash::place::device(devices.back().index()), "gathered on the last device," + on);
  expect(same_bits(last.compute(ash::threads{}), expected), "rows times weights, on the last device," + on);

  try {
    ash::data_parallel([](const auto& part) { return ash::map([](double v) { return v; }, part); }, x, devices);
    expect(false, "a function of the host was not refused," + on);
  } catch (const ash::task_error& e) {
    expect(std::string(e.what()).find("data_parallel: part 0 of") == 0, e.what());
  }
}

}  // namespace

int main() {
  if (!ash::cuda::is_available()) {
    std::cout << "SKIPPED: " << ash::cuda::device_summary();
    return 77;
  }
  try {
    std::vector<ash::cuda::device> all;
    for (int i = 0; i < ash::cuda::device_count(); ++i) all.emplace_back(i);
    check(all);
    check(std::vector<ash::cuda::device>(1, ash::cuda::device(0)));
    check(std::vector<ash::cuda::device>(3, ash::cuda::device(0)));
  } catch (const std::exception& e) {
    expect(false, e.what());
  }
  return failures == 0 ? 0 : 1;
}
