#include <ashlar/memory.hpp>

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "support/counting_resource.hpp"
#include "support/failing_resource.hpp"

using ashlar::buffer;
using ashlar::host_memory;
using ashlar::host_memory_resource;
using ashlar::memory_error;
using ashlar::place;
using ashlar::to_string;

namespace {

constexpr std::size_t mebibyte = std::size_t{1} << 20;

static_assert(std::is_nothrow_move_constructible_v<buffer> && std::is_nothrow_move_assignable_v<buffer> &&
              std::is_nothrow_copy_constructible_v<buffer>);
static_assert(std::is_trivially_copyable_v<place>);

/// Sets the process's cache limit for one test.
class cache_limit_guard {
 public:
  explicit cache_limit_guard(std::size_t bytes) : before_(host_memory().cache_limit()) {
    host_memory().trim();
    host_memory().set_cache_limit(bytes);
  }
  ~cache_limit_guard() { host_memory().set_cache_limit(before_); }

 private:
  std::size_t before_;
};

}  // namespace

TEST_CASE("places compare by value and have names") {
  CHECK(place{} == place::host());
  CHECK(place::device(0) != place::device(1));
  CHECK(place::device(1) != place::rank(1));
  CHECK(to_string(place::host()) == "host");
  CHECK(to_string(place::shared()) == "shared");
  CHECK(to_string(place::pinned()) == "pinned");
  CHECK(to_string(place::device(2)) == "cuda:2");
  CHECK(to_string(place::rank(3)) == "rank 3");
  CHECK(place::pinned().on_host());
  CHECK_FALSE(place::device(0).on_host());
}

TEST_CASE("host memory is aligned and writable for every size") {
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, std::size_t{65}, std::size_t{32767},
                                  std::size_t{32768}, mebibyte + 1, 2 * mebibyte, 3 * mebibyte + 7, 40 * mebibyte}) {
    CAPTURE(bytes);
    void* const data = host_memory().allocate(bytes);
    REQUIRE(data != nullptr);
    CHECK(reinterpret_cast<std::uintptr_t>(data) % (bytes < 2 * mebibyte ? 64 : 2 * mebibyte) == 0);
    std::memset(data, 1, bytes);
    host_memory().release(data, bytes);
  }
}

TEST_CASE("counters hold exactly the bytes that were asked for") {
  ashlar::test::counting_resource resource;
  const std::size_t host_before = host_memory().allocated();
  {
    const buffer a = buffer::allocate(100, resource);
    const buffer b = buffer::allocate(3 * mebibyte + 1, resource);
    CHECK(resource.allocated() == 3 * mebibyte + 101);
    CHECK(host_memory().allocated() - host_before == 3 * mebibyte + 101);
  }
  CHECK(resource.allocated() == 0);
  CHECK(host_memory().allocated() == host_before);
  CHECK(resource.peak() == 3 * mebibyte + 101);
  resource.reset_peak();
  CHECK(resource.peak() == 0);
  CHECK(resource.allocations() == 2);
  CHECK(resource.releases() == 2);
}

TEST_CASE("counters stay exact under threads") {
  ashlar::test::counting_resource resource;
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < 4; ++t) {
    threads.emplace_back([&resource, t] {
      for (std::size_t i = 0; i < 500; ++i) {
        const std::size_t bytes = 20000 * (1 + (i + t) % 5);
        const buffer a = buffer::allocate(bytes, resource);
        std::memset(a.data(), static_cast<int>(t), 64);
        buffer b = a;
        b.reset();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(resource.allocated() == 0);
  CHECK(resource.allocations() == 2000);
  CHECK(resource.releases() == 2000);
  CHECK(resource.peak() >= 20000);
  CHECK(resource.peak() <= 4 * 100000);
}

TEST_CASE("a released block serves the next request of its size") {
  const cache_limit_guard guard(64 * mebibyte);
  host_memory_resource& memory = host_memory();
  for (const std::size_t bytes : {std::size_t{100000}, 5 * mebibyte}) {
    CAPTURE(bytes);
    void* const first = memory.allocate(bytes);
    memory.release(first, bytes);
    CHECK(memory.cached() >= bytes);
    void* const second = memory.allocate(bytes - 1);
    CHECK(second == first);
    CHECK(memory.cached() == 0);
    memory.release(second, bytes - 1);
    memory.trim();
    CHECK(memory.cached() == 0);
  }
}

TEST_CASE("the cache keeps within its limit and drops the longest unused first") {
  const cache_limit_guard guard(8 * mebibyte);
  host_memory_resource& memory = host_memory();
  void* const a = memory.allocate(3 * mebibyte);
  void* const b = memory.allocate(4 * mebibyte);
  void* const c = memory.allocate(5 * mebibyte);
  memory.release(a, 3 * mebibyte);
  memory.release(b, 4 * mebibyte);
  CHECK(memory.cached() == 7 * mebibyte);
  memory.release(c, 5 * mebibyte);
  CHECK(memory.cached() == 5 * mebibyte);
  void* const again = memory.allocate(5 * mebibyte);
  CHECK(again == c);
  memory.release(again, 5 * mebibyte);
  memory.set_cache_limit(0);
  CHECK(memory.cached() == 0);
  memory.release(memory.allocate(5 * mebibyte), 5 * mebibyte);
  CHECK(memory.cached() == 0);
}

TEST_CASE("an impossible request names its bytes and leaves the counters") {
  const std::size_t before = host_memory().allocated();
  CHECK_THROWS_WITH_AS(host_memory().allocate(std::size_t{1} << 60),
                       "host_memory: the system cannot give 1152921504606846976 bytes; use smaller chunks, fewer "
                       "workers or a lower memory_limit",
                       memory_error);
  CHECK_THROWS_AS(host_memory().allocate(SIZE_MAX), memory_error);
  CHECK(host_memory().allocated() == before);
}

TEST_CASE("a buffer whose allocation fails leaves nothing behind") {
  ashlar::test::failing_resource resource(1);
  const buffer first = buffer::allocate(64, resource);
  CHECK_THROWS_AS(buffer::allocate(64, resource), memory_error);
  CHECK(resource.allocated() == 64);
}

TEST_CASE("buffer handles share bytes, and the last one gives them back") {
  ashlar::test::counting_resource resource;
  buffer a = buffer::allocate(64, resource);
  CHECK(a.bytes() == 64);
  CHECK(a.where() == place::host());
  CHECK(a.use_count() == 1);
  buffer b = a;
  CHECK(b.data() == a.data());
  CHECK(a.use_count() == 2);
  const buffer c = std::move(a);
  CHECK_FALSE(a);
  CHECK(b.use_count() == 2);
  b = buffer::allocate(32, resource);
  CHECK(c.use_count() == 1);
  CHECK(resource.allocated() == 96);
  buffer& same = b;
  b = same;
  CHECK(b.bytes() == 32);
  b.reset();
  CHECK(resource.allocated() == 64);
}

TEST_CASE("an empty buffer has no bytes, one of zero bytes is not empty") {
  const buffer none;
  CHECK_FALSE(none);
  CHECK(none.data() == nullptr);
  CHECK(none.bytes() == 0);
  CHECK(none.use_count() == 0);
  CHECK(none.where() == place::host());
  const buffer zero = buffer::allocate(0);
  CHECK(zero);
  CHECK(zero.bytes() == 0);
}

TEST_CASE("an adopted buffer keeps its owner alive, and drops it with the last handle") {
  auto owner = std::make_shared<std::vector<int>>(3, 7);
  const std::weak_ptr<std::vector<int>> alive = owner;
  int* const data = owner->data();
  buffer a = buffer::adopt(data, 12, std::move(owner), place::pinned());
  buffer b = a;
  CHECK(a.where() == place::pinned());
  a.reset();
  CHECK_FALSE(alive.expired());
  CHECK(static_cast<int*>(b.data())[2] == 7);
  b.reset();
  CHECK(alive.expired());
}
