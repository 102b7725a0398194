// The n-th thread cannot be had, for every n: data_parallel says so, calls the function for no part, and works as
// before afterwards. This program's pthread_create stands in front of the system's.
#include <dlfcn.h>
#include <pthread.h>

#include <atomic>
#include <cerrno>
#include <iostream>
#include <string>
#include <vector>

#include <ashlar/array.hpp>
#include <ashlar/creation.hpp>
#include <ashlar/data_parallel.hpp>
#include <ashlar/functions.hpp>

namespace ash = ashlar;

#if defined(__SANITIZE_ADDRESS__)
#define ASHLAR_TEST_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ASHLAR_TEST_SANITIZED 1
#endif
#endif

#if defined(ASHLAR_TEST_SANITIZED)

// Sanitizers stand in front of pthread_create themselves.
int main() { return 0; }

#else

namespace {
std::atomic<int> threads_left{1 << 20};
}  // namespace

extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*start)(void*),
                              void* argument) noexcept {
  using function = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  static const auto real = reinterpret_cast<function>(dlsym(RTLD_NEXT, "pthread_create"));
  return threads_left-- > 0 ? real(thread, attributes, start, argument) : EAGAIN;
}

int main() {
  const std::vector<ash::serial> devices(5);
  const auto x = ash::arange<double>(0, 10, 1);
  std::atomic<int> calls{0};
  const auto f = [&](const ash::array<double>& part) {
    ++calls;
    return part * 2.0;
  };
  int failures = 0;
  const auto expect = [&](bool holds, const std::string& what) {
    if (holds) return;
    std::cerr << "failed: " << what << '\n';
    ++failures;
  };
  for (int n = 0; n < 5; ++n) {
    calls = 0;
    std::string text = "nothing was thrown";
    threads_left = n;
    try {
      ash::data_parallel(f, x, devices);
    } catch (const ash::error& e) {
      text = e.what();
    }
    threads_left = 1 << 20;
    const std::string expected = "data_parallel: the system gives no thread for part " + std::to_string(n) + " of 5 (";
    expect(text.compare(0, expected.size(), expected) == 0, text);
    expect(calls == 0, std::to_string(calls) + " calls with " + std::to_string(n) + " threads");
    expect(ash::data_parallel(f, x, devices).sum().compute().item() == 90, "a run afterwards");
    expect(calls == 5, "the calls of a run afterwards");
  }
  threads_left = 0;
  expect(ash::data_parallel(f, x, std::vector<ash::serial>(1)).sum().compute().item() == 90, "one needs no thread");
  return failures == 0 ? 0 : 1;
}

#endif
