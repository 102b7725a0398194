/// \file
/// How many threads a run gets when nobody says: no more than this process may use.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <thread>

#if defined(__linux__)
#include <fcntl.h>
#include <sched.h>
#include <unistd.h>
#endif

namespace ashlar::detail {

#if defined(__linux__)
/// The first bytes of a small file as text; empty when it cannot be read.
template <std::size_t N>
inline void read_small_file(const char* path, char (&text)[N]) noexcept {
  text[0] = '\0';
  const int fd = ::open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return;
  const ::ssize_t n = ::read(fd, text, N - 1);
  ::close(fd);
  text[n > 0 ? n : 0] = '\0';
}
#endif

/// The CPU quota of the control group in whole processors, rounded up; 0 when there is none.
inline int cgroup_quota() noexcept {
#if defined(__linux__)
  char text[64];
  read_small_file("/sys/fs/cgroup/cpu.max", text);  // version 2: "max 100000" or "150000 100000"
  if (text[0] >= '0' && text[0] <= '9') {
    char* end = nullptr;
    const double quota = std::strtod(text, &end);
    const double period = std::strtod(end, nullptr);
    if (quota > 0 && period > 0) return static_cast<int>((quota + period - 1) / period);
  }
  read_small_file("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", text);
  const double quota = std::strtod(text, nullptr);
  read_small_file("/sys/fs/cgroup/cpu/cpu.cfs_period_us", text);
  const double period = std::strtod(text, nullptr);
  if (quota > 0 && period > 0) return static_cast<int>((quota + period - 1) / period);
#endif
  return 0;
}

/// min(processors in the affinity mask, quota of the control group), at least 1. Cost: a system call and a file.
inline int available_concurrency() noexcept {
  int n = static_cast<int>(std::thread::hardware_concurrency());
#if defined(__linux__)
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0) n = CPU_COUNT(&set);
#endif
  const int quota = cgroup_quota();
  if (quota > 0 && quota < n) n = quota;
  return n < 1 ? 1 : n;
}

}  // namespace ashlar::detail
