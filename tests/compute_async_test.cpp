// compute() that does not wait.
#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <stop_token>
#include <thread>

#include <ashlar/array.hpp>
#include <ashlar/compute_async.hpp>
#include <ashlar/creation.hpp>
#include <ashlar/delayed.hpp>
#include <ashlar/functions.hpp>
#include <ashlar/reductions.hpp>
#include <ashlar/threads.hpp>

namespace ash = ashlar;

TEST_CASE("arrays and expressions") {
  const auto x = ash::arange<double>(0, 100, 1, {.chunks = 7});
  const ash::future<ash::ndarray<double>> sum = ash::compute_async(x.sum());
  const auto squares = ash::compute_async(ash::threads{.workers = 2}, x * x);
  CHECK(sum.get().item() == 4950);
  CHECK(squares.get()(9) == 81);
  const auto [low, high] = ash::compute_async(x.min(), x.max()).get();
  CHECK(low.item() == 0);
  CHECK(high.item() == 99);
  CHECK(std::get<1>(ash::compute_async(ash::serial{}, {}, x.min(), x.max()).get()).item() == 99);
}

TEST_CASE("delayed calls, and tasks that go on with the result") {
  const auto two = ash::delayed([](int v) { return v + 1; })(1);
  const auto text = ash::compute_async(two).then([](int v) { return std::to_string(v); });
  CHECK(text.get() == "2");
  CHECK(std::get<0>(ash::compute_async(two, two).get()) == 2);
  const auto nothing = ash::delayed([] {})();
  ash::compute_async(ash::threads{.workers = 2}, nothing).get();
}

TEST_CASE("get() throws what compute() throws") {
  const ash::array<double> broken =
      ash::map([](double) -> double { throw std::domain_error("unlucky"); }, ash::ones<double>({4}, {.chunks = 2}));
  CHECK_THROWS_WITH_AS(ash::compute_async(broken).get(), doctest::Contains("map, block"), ash::task_error);
  const auto slow = ash::delayed([] { std::this_thread::sleep_for(std::chrono::milliseconds(20)); })();
  CHECK_THROWS_AS(
      ash::compute_async(ash::delayed([] {}).after(slow)(), {.timeout = std::chrono::milliseconds(1)}).get(),
      ash::timeout_error);
  ash::default_pool().wait_all();
}

TEST_CASE("cancel() and a stop token end the run") {
  std::atomic<int> blocks{0};
  const ash::array<double> x = ash::fromfunction(
      [&blocks](std::int64_t) {
        ++blocks;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        return 1.0;
      },
      {5'000}, {.chunks = 1});
  const auto cancelled = ash::compute_async(x.sum());
  while (blocks == 0) std::this_thread::yield();
  CHECK(cancelled.cancel());
  CHECK_THROWS_AS(cancelled.get(), ash::cancelled);
  std::stop_source stop;
  const auto stopped = ash::compute_async(x.sum(), {.stop = stop.get_token()});
  stop.request_stop();
  CHECK_THROWS_AS(stopped.get(), ash::cancelled);
  ash::default_pool().wait_all();
  CHECK(blocks < 5'000);
}

TEST_CASE("a cancelled run may report progress until wait_all") {
  int calls = 0;
  std::atomic<int> blocks{0};
  {
    const auto run = ash::compute_async(ash::fromfunction(
                                            [&blocks](std::int64_t) {
                                              ++blocks;
                                              std::this_thread::sleep_for(std::chrono::milliseconds(2));
                                              return 1.0;
                                            },
                                            {5'000}, {.chunks = 1}),
                                        {.progress = [&calls](const ash::progress_info&) { ++calls; }});
    while (blocks == 0) std::this_thread::yield();
    CHECK(run.cancel());
    CHECK_THROWS_AS(run.get(), ash::cancelled);
  }
  ash::default_pool().wait_all();
  const int before = calls;  // nobody writes it any more
  std::this_thread::sleep_for(std::chrono::milliseconds(10));
  CHECK(calls == before);
}

TEST_CASE("many at once, from one another") {
  const auto x = ash::arange<double>(0, 1000, 1, {.chunks = 100});
  std::vector<ash::future<ash::ndarray<double>>> all;
  for (int k = 0; k < 20; ++k) all.push_back(ash::compute_async((x + k).sum()));
  for (int k = 0; k < 20; ++k) CHECK(all[static_cast<std::size_t>(k)].get().item() == 499500 + 1000 * k);
  const auto outer = ash::submit([x] { return ash::compute_async(x.sum()).get().item(); });
  CHECK(outer.get() == 499500);
}
