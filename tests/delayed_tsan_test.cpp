// Lazy calls on std::jthread; runs under the thread sanitizer too.
#include <doctest/doctest.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include <ashlar/delayed.hpp>
#include <ashlar/std_threads.hpp>
#include <support/counted.hpp>
#include <support/random_calls.hpp>

namespace ash = ashlar;

TEST_CASE("random graphs on several threads") {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    counted::reset();
    {
      const random_calls calls(seed, 40);
      CHECK(calls.root().compute(ash::std_threads{.workers = 1 + static_cast<int>(seed % 5)}).value ==
            calls.expected().back());
    }
    CHECK(counted::live == 0);
  }
}

TEST_CASE("several threads compute one graph at once, and make graphs over it") {
  const random_calls calls(3, 50);
  const int expected = calls.expected().back();
  const auto shared = calls.root();
  std::atomic<int> right{0};
  {
    std::vector<std::jthread> users;
    for (int u = 0; u < 4; ++u) {
      users.emplace_back([&, u] {
        for (int round = 0; round < 15; ++round) {
          const auto more = ash::delayed([](counted c) { return c.value + 1; })(shared);
          const int value = u % 2 == 0 ? more.compute(ash::serial{}) : more.compute(ash::std_threads{.workers = 2});
          if (value == expected + 1) ++right;
        }
      });
    }
  }
  CHECK(right == 60);
}

TEST_CASE("nodes made on one thread are released on another") {
  for (int round = 0; round < 20; ++round) {
    std::vector<ash::delayed<int>> all;
    std::jthread([&all] {
      const auto make = ash::delayed([](int x) { return x; });
      for (int k = 0; k < 3000; ++k) all.push_back(make(k));
    }).join();
    std::vector<ash::delayed<int>> half(all.begin() + 1500, all.end());
    std::jthread other([half = std::move(half)]() mutable { half.clear(); });
    all.erase(all.begin() + 1, all.end());
    CHECK(all[0].compute() == 0);
  }
}
