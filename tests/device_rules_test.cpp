// The simulated device finds what it is there for: reads of what was never written or was given back, places outside of
// memory, races within one launch, host memory that changes too early.
#include <doctest/doctest.h>

#include <support/simulated_device.hpp>
#include <support/text.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace dt = ashlar::detail;
using simulated_device::pace;
using simulated_device::queued_device;
using simulated_device::simulated;
using simulated_device::violation;
using testing_support::contains;
using testing_support::message_of;

namespace {

/// A queue whose room is never given back.
struct test_queue final : dt::device_queue {
  explicit test_queue(queued_device& d) : device(d) {}
  void* stream() const noexcept override { return nullptr; }
  void* room(std::int64_t bytes) override { return device.allocate(bytes); }
  void* upload(const void* from, std::int64_t bytes) override {
    void* const to = room(bytes);
    device.upload(to, from, bytes);
    return to;
  }
  queued_device& device;
};

struct fixture {
  explicit fixture(pace when) : executor({.when = when}, 2), device(executor.on()), queue(device) {}

  /// `n` doubles each from from[k] to to[k].
  void copy(std::vector<const void*> from, std::vector<void*> to, std::int64_t n) {
    dt::device_copy w;
    w.ndim = 1;
    w.extent[0] = n;
    w.from_stride[0] = 1;
    w.to_stride[0] = 1;
    w.items = static_cast<std::int64_t>(to.size());
    w.from = static_cast<const void* const*>(queue.upload(from.data(), w.items * 8));
    w.to = static_cast<void* const*>(queue.upload(to.data(), w.items * 8));
    device.copy(queue, w);
  }
  double* filled(std::int64_t n) {
    const std::vector<double> values(static_cast<std::size_t>(n), 1.5);
    return static_cast<double*>(queue.upload(values.data(), n * 8));
  }
  double* empty(std::int64_t n) { return static_cast<double*>(device.allocate(n * 8)); }
  std::string fault() {
    return message_of<violation>([&] { device.wait(); });
  }

  simulated executor;
  queued_device device;
  test_queue queue;
};

}  // namespace

TEST_CASE("breaches of the rules are found, and named") {
  {
    fixture f(pace::late);
    f.copy({f.empty(4)}, {f.empty(4)}, 4);
    CHECK(contains(f.fault(),
                   "simulated cuda:2: 'copy' reads 8 bytes from byte 0 of a piece of 32, of which byte 0 was "
                   "never written"));
    CHECK(contains(f.executor.on().fault(), "never written"));
  }
  {
    fixture f(pace::late);
    double* const gone = f.filled(4);
    f.device.release(gone, 32);
    f.copy({gone}, {f.empty(4)}, 4);
    CHECK(contains(f.fault(), "reads 8 bytes where no memory of the device is"));
  }
  {
    fixture f(pace::late);
    f.copy({f.filled(8)}, {f.empty(4)}, 5);
    CHECK(contains(f.fault(), "writes 8 bytes where no memory of the device is"));
  }
  {
    fixture f(pace::late);
    f.device.copy_in(reinterpret_cast<char*>(f.empty(1)) + 4, "12345678", {8, 1, 8, 8});
    CHECK(contains(f.fault(), "writes 8 bytes from byte 4 of a piece of 8, past its end"));
  }
  {
    fixture f(pace::late);
    double* const gone = f.filled(4);
    f.device.release(gone, 32);
    f.device.release(gone, 32);
    CHECK(contains(f.executor.on().fault(), "given back twice"));
  }
  {
    fixture f(pace::late);
    double* const to = f.empty(6);
    f.copy({f.filled(4), f.filled(4)}, {to, to + 2}, 4);
    CHECK(contains(f.fault(), "twice in one launch"));
  }
  {
    fixture f(pace::late);
    double* const x = f.filled(6);
    f.copy({x}, {x + 1}, 4);
    CHECK(contains(f.fault(), "which the same launch"));
  }
}

TEST_CASE("what keeps to the rules is done, in order and late") {
  for (const pace when : {pace::at_once, pace::random, pace::late, pace::own_thread}) {
    fixture f(when);
    double now = 1;
    auto* const x = f.empty(1);
    f.device.upload(x, &now, 8);
    now = 2;
    auto* const y = f.empty(1);
    f.copy({x}, {y}, 1);
    f.copy({y}, {x}, 1);
    double got = 0;
    f.device.copy_out(&got, x, {8, 1, 8, 8});
    CHECK(f.fault() == "");
    CHECK(got == 1);
  }
  fixture f(pace::late);
  double value = 1;
  auto* const x = f.empty(1);
  f.device.copy_in(x, &value, {8, 1, 8, 8});
  value = 2;  // too early
  double got = 0;
  f.device.copy_out(&got, x, {8, 1, 8, 8});
  f.device.wait();
  CHECK(got == 2);
}
