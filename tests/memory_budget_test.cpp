// The default limit, from files as the system has them.
#include <doctest/doctest.h>

#include <cstdint>
#include <string>

#include <unistd.h>

#include <ashlar/execution/memory_budget.hpp>
#include <support/fake_system.hpp>

namespace {

using testing_support::fake_system;

constexpr std::int64_t mebibyte = std::int64_t{1} << 20;

std::int64_t memory(const fake_system& system) { return ashlar::detail::memory_of_this_process(system.files()); }

}  // namespace

TEST_CASE("without control groups it is the memory of the machine") {
  fake_system system;
  CHECK(memory(system) == 0);
  system.set("/proc/meminfo", "MemTotal:       16384000 kB\nMemFree:        1000 kB\n");
  CHECK(memory(system) == std::int64_t{16384000} * 1024);
  system.set("/sys/fs/cgroup/memory.max", "max\n");
  CHECK(memory(system) == std::int64_t{16384000} * 1024);
}

TEST_CASE("a limit of control groups version 2 counts, of the group or of one that it lies in") {
  fake_system system;
  system.set("/proc/meminfo", "MemTotal:       16384000 kB\n");
  system.set("/sys/fs/cgroup/memory.max", "4294967296\n");
  CHECK(memory(system) == 4096 * mebibyte);
  system.set("/proc/self/cgroup", "0::/\n");
  CHECK(memory(system) == 4096 * mebibyte);
  system.set("/proc/self/cgroup", "0::/user.slice/job\n");
  CHECK(memory(system) == 4096 * mebibyte);
  system.set("/sys/fs/cgroup/user.slice/memory.max", "2147483648\n");
  system.set("/sys/fs/cgroup/user.slice/job/memory.max", "max\n");
  CHECK(memory(system) == 2048 * mebibyte);
  system.set("/sys/fs/cgroup/user.slice/job/memory.max", "1073741824\n");
  CHECK(memory(system) == 1024 * mebibyte);
}

TEST_CASE("a limit of control groups version 1 counts") {
  fake_system system;
  system.set("/proc/meminfo", "MemTotal:       16384000 kB\n");
  system.set("/proc/self/cgroup", "12:cpu,cpuacct:/docker/1\n7:memory:/docker/1\n0::/system.slice\n");
  system.set("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  CHECK(memory(system) == std::int64_t{16384000} * 1024);
  system.set("/sys/fs/cgroup/memory/docker/1/memory.limit_in_bytes", "536870912\n");
  CHECK(memory(system) == 512 * mebibyte);
}

TEST_CASE("the limit is 70 % of it, less what the process holds") {
  fake_system system;
  CHECK(ashlar::detail::default_memory_limit(0, system.files()) == 0);
  system.set("/proc/meminfo", "MemTotal:       1024000 kB\n");
  const std::int64_t page = ::sysconf(_SC_PAGESIZE);
  system.set("/proc/self/statm", "100000 5000 1000 10 0 20000 0\n");
  const std::int64_t seven_tenths = std::int64_t{1024000} * 1024 / 10 * 7;
  CHECK(ashlar::detail::memory_in_use(system.files()) == 4000 * page);
  CHECK(ashlar::detail::default_memory_limit(0, system.files()) == seven_tenths - 4000 * page);
  CHECK(ashlar::detail::default_memory_limit(1000 * page, system.files()) == seven_tenths - 3000 * page);
  system.set("/proc/self/statm", "900000 900000 0 10 0 20000 0\n");
  CHECK(ashlar::detail::default_memory_limit(0, system.files()) < 0);
}

TEST_CASE("this process has some memory, and holds less than all of it") {
  const std::int64_t all = ashlar::detail::memory_of_this_process();
  const std::int64_t used = ashlar::detail::memory_in_use();
  CHECK(all > 64 * mebibyte);
  CHECK(used > 0);
  CHECK(used < all);
}
