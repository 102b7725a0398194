/// \file
/// How many threads a run gets when nobody says: no more than this process may use.
#pragma once

#include <cmath>
#include <cstdlib>
#include <string>
#include <thread>

#if defined(__linux__)
#include <sched.h>
#endif

#include <ashlar/execution/system_files.hpp>

namespace ashlar::detail {

/// The least CPU quota of the control groups that this process is in, version 2 or 1, in whole processors, rounded up;
/// 0 when there is none.
inline int cgroup_quota(const system_files& files = {}) {
  int least = 0;
#if defined(__linux__)
  const auto count = [&least](double quota, double period) {
    if (!(quota > 0) || !(period > 0)) return;
    const double processors = std::ceil(quota / period);
    if (processors < 1e6 && (least == 0 || processors < least)) least = static_cast<int>(processors);
  };
  char groups[4096];
  read_small_file((files.root + "/proc/self/cgroup").c_str(), groups);
  const std::string base = files.root + "/sys/fs/cgroup";
  for_each_group(base, own_group(groups, "0::"), [&](const std::string& folder) {
    char text[64];  // "max 100000" or "150000 100000"
    read_small_file((folder + "/cpu.max").c_str(), text);
    char* end = nullptr;
    const double quota = std::strtod(text, &end);
    if (text[0] >= '0' && text[0] <= '9') count(quota, std::strtod(end, nullptr));
  });
  const std::string alone = own_group(groups, ":cpu:");
  const std::string version1 = !alone.empty() ? alone : own_group(groups, ":cpu,cpuacct:");
  for_each_group(base + "/cpu", version1, [&](const std::string& folder) {
    count(static_cast<double>(number_in(folder + "/cpu.cfs_quota_us", 0)),
          static_cast<double>(number_in(folder + "/cpu.cfs_period_us", 0)));
  });
#else
  static_cast<void>(files);
#endif
  return least;
}

/// min(processors in the affinity mask, quota), at least 1; a quota of 0 is none. Cost: a system call.
inline int available_concurrency(int quota) {
  int n = static_cast<int>(std::thread::hardware_concurrency());
#if defined(__linux__)
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0) n = CPU_COUNT(&set);
#endif
  if (quota > 0 && quota < n) n = quota;
  return n < 1 ? 1 : n;
}

/// With the quota of this process, which is read once: it takes several files.
inline int available_concurrency() {
  static const int quota = cgroup_quota();
  return available_concurrency(quota);
}

}  // namespace ashlar::detail
