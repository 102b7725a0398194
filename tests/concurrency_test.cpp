// How many lanes a run gets by default, from files as the system has them.
#include <doctest/doctest.h>

#include <ashlar/execution/concurrency.hpp>
#include <support/fake_system.hpp>

using ashlar::detail::available_concurrency;
using ashlar::detail::cgroup_quota;
using testing_support::fake_system;

TEST_CASE("without control groups there is no quota") {
  fake_system system;
  CHECK(cgroup_quota(system.files()) == 0);
  CHECK(available_concurrency(cgroup_quota(system.files())) >= 1);
  CHECK(available_concurrency() >= 1);
  system.set("/sys/fs/cgroup/cpu.max", "max 100000\n");
  CHECK(cgroup_quota(system.files()) == 0);
}

TEST_CASE("a quota of version 2 is rounded up to whole processors") {
  fake_system system;
  system.set("/sys/fs/cgroup/cpu.max", "150000 100000\n");
  CHECK(cgroup_quota(system.files()) == 2);
  system.set("/sys/fs/cgroup/cpu.max", "20000 100000\n");
  CHECK(cgroup_quota(system.files()) == 1);
  CHECK(available_concurrency(1) == 1);
  system.set("/sys/fs/cgroup/cpu.max", "400000 100000\n");
  CHECK(cgroup_quota(system.files()) == 4);
}

TEST_CASE("the least quota of the groups that hold the process counts") {
  fake_system system;
  system.set("/proc/self/cgroup", "0::/user.slice/job\n");
  system.set("/sys/fs/cgroup/cpu.max", "max 100000\n");
  system.set("/sys/fs/cgroup/user.slice/cpu.max", "300000 100000\n");
  system.set("/sys/fs/cgroup/user.slice/job/cpu.max", "800000 100000\n");
  CHECK(cgroup_quota(system.files()) == 3);
}

TEST_CASE("a quota of version 1, of its own group or with cpuacct") {
  fake_system system;
  system.set("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n");
  system.set("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  CHECK(cgroup_quota(system.files()) == 0);
  system.set("/proc/self/cgroup", "4:memory:/m\n1:cpu,cpuacct:/docker/abc\n");
  system.set("/sys/fs/cgroup/cpu/docker/abc/cpu.cfs_quota_us", "250000\n");
  system.set("/sys/fs/cgroup/cpu/docker/abc/cpu.cfs_period_us", "100000\n");
  CHECK(cgroup_quota(system.files()) == 3);
  system.set("/proc/self/cgroup", "1:cpu:/docker/abc\n");
  CHECK(cgroup_quota(system.files()) == 3);
}

TEST_CASE("files that make no sense are no quota") {
  fake_system system;
  for (const char* text : {"", "fast", "0 100000", "100000", "100000 0", "-5 100000"}) {
    CAPTURE(text);
    system.set("/sys/fs/cgroup/cpu.max", text);
    CHECK(cgroup_quota(system.files()) == 0);
  }
}
