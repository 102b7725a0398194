// Tasks that begin at once, on a pool of threads: futures, what follows on them, and what goes wrong with them.
#include <ashlar/ashlar.hpp>
#include <ashlar/compute_async.hpp>
#include <ashlar/future.hpp>
#include <chrono>
#include <iostream>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

namespace ash = ashlar;

int fibonacci(int n) {
  if (n < 2) return n;
  const ash::future<int> a = ash::submit(fibonacci, n - 1);  // a task may submit tasks and wait for them
  const ash::future<int> b = ash::submit(fibonacci, n - 2);
  return a.get() + b.get();
}

int main() {
  // A future is an argument of further tasks, which begin when it is ready.
  const ash::future<int> six = ash::submit([](int x, int y) { return x * y; }, 2, 3);
  const ash::future<std::string> text = ash::submit([](int x) { return "six is " + std::to_string(x); }, six);
  std::cout << text.get() << '\n';
  std::cout << six.then([](int x) { return x + 1; }).get() << " follows\n";
  std::cout << "fibonacci(12) is " << fibonacci(12) << '\n';

  // Many tasks: all of them, or each when it is ready.
  const auto square = [](int x) { return x * x; };
  std::vector<ash::future<int>> squares = ash::map(square, std::vector{1, 2, 3, 4});
  int sum = 0;
  for (const ash::future<int>& f : ash::as_completed(squares)) sum += f.get();
  std::cout << sum << " by completion, " << ash::when_all(squares).get().size() << " in order\n";

  // Retries, time-outs, cancellation.
  int calls = 0;
  const auto unreliable = [&calls] {
    if (++calls < 3) throw std::runtime_error("not yet");
    return calls;
  };
  std::cout << ash::submit({.name = "connect", .retries = 5}, unreliable).get() << " attempts\n";
  const auto endless = [](std::stop_token stop) {
    while (!stop.stop_requested()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  };
  try {
    ash::submit({.name = "endless", .timeout = std::chrono::milliseconds(20)}, endless).get();
  } catch (const ash::timeout_error& e) {
    std::cout << e.what() << '\n';
  }
  const ash::future<void> unwanted = ash::submit(endless);
  std::cout << "cancelled: " << unwanted.cancel() << '\n';

  // A pool of one's own. Errors of futures that were thrown away are not lost.
  ash::task_pool pool({.workers = 2});
  ash::submit(pool, {.name = "save"}, [] { throw std::runtime_error("the disk is full"); });
  try {
    pool.wait_all();
  } catch (const ash::task_error& e) {
    std::cout << e.what() << '\n';
  }

  // Arrays: compute() that does not wait.
  const auto x = ash::arange<double>(0, 1'000'000, 1, {.chunks = 100'000});
  const ash::future<ash::ndarray<double>> mean = ash::compute_async(x.mean());
  std::cout << "the mean is " << mean.get() << '\n';
  ash::default_pool().wait_all();
}

// clang-format off
// Output:
// six is 6
// 7 follows
// fibonacci(12) is 144
// 30 by completion, 4 in order
// 3 attempts
// endless, from ...futures.cpp:48: not done within 0.020000 s
// cancelled: 1
// save, on host, from ...futures.cpp:57: the disk is full
// the mean is 499999.5
