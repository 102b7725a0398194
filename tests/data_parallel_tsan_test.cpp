// Parts on threads of their own: all at once, errors, several callers; runs under the thread sanitizer too.
#include <doctest/doctest.h>

#include <atomic>
#include <barrier>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <ashlar/array.hpp>
#include <ashlar/creation.hpp>
#include <ashlar/data_parallel.hpp>
#include <ashlar/functions.hpp>
#include <ashlar/std_threads.hpp>

namespace ash = ashlar;

TEST_CASE("all parts are worked on at once: they may wait for each other") {
  const std::vector<ash::serial> devices(4);
  std::barrier meet(4);
  const auto f = [&](const ash::array<double>& part) {
    meet.arrive_and_wait();
    return part + 1.0;
  };
  const auto x = ash::arange<double>(0, 9, 1);
  for (int round = 0; round < 20; ++round) {
    CHECK(ash::data_parallel(f, x, devices).sum().compute(ash::serial{}).item() == 45);
  }
}

TEST_CASE("one part stays on the thread of the caller") {
  std::thread::id used;
  const auto f = [&](const ash::array<double>& part) {
    used = std::this_thread::get_id();
    return part;
  };
  ash::data_parallel(f, ash::zeros<double>({3}), std::vector<ash::serial>(1));
  CHECK(used == std::this_thread::get_id());
  ash::data_parallel(f, ash::zeros<double>({1}), std::vector<ash::serial>(5));
  CHECK(used == std::this_thread::get_id());
}

TEST_CASE("an error waits for the other parts") {
  const std::vector<ash::std_threads> devices(3, ash::std_threads{.workers = 2});
  const auto x = ash::arange<double>(0, 6, 1, {.chunks = {1}});
  for (int round = 0; round < 20; ++round) {
    std::atomic<int> ended{0};
    const auto f = [&](const ash::array<double>& part) {
      const double first = part.compute(ash::serial{})(0);
      ++ended;
      if (first < 4) throw std::domain_error("from " + std::to_string(static_cast<int>(first)));
      return part * 2.0;
    };
    std::string text;
    try {
      ash::data_parallel(f, x, devices);
    } catch (const ash::task_error& e) {
      text = e.what();
    }
    CHECK(ended == 3);
    CHECK(text == "data_parallel: part 0 of 3 failed: from 0; of the parts behind it failed 1");
  }
}

TEST_CASE("several callers at once share the array") {
  const auto x = ash::arange<double>(0, 1000, 1, {.chunks = {100}});
  const std::vector<ash::std_threads> devices(2, ash::std_threads{.workers = 2});
  std::vector<double> sums(3);
  {
    std::vector<std::jthread> callers;
    for (std::size_t k = 0; k < sums.size(); ++k) {
      callers.emplace_back([&, k] {
        const auto f = [&](const ash::array<double>& part) { return part * static_cast<double>(k + 1); };
        sums[k] = ash::data_parallel(f, x, devices).sum().compute(ash::serial{}).item();
      });
    }
  }
  CHECK(sums == std::vector<double>{499500, 999000, 1498500});
}
