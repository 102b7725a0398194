/// \file
/// How much memory a run may take when nobody says: a part of what this process may use.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

#include <ashlar/execution/system_files.hpp>

namespace ashlar::detail {

#if defined(__linux__)

/// The number behind `key` in a file of lines "key: number", or -1.
inline std::int64_t number_after(const char* text, const char* key) noexcept {
  const char* const at = std::strstr(text, key);
  if (at == nullptr) return -1;
  const char* const digits = at + std::strlen(key) + std::strspn(at + std::strlen(key), ": \t");
  return *digits >= '0' && *digits <= '9' ? static_cast<std::int64_t>(std::strtoll(digits, nullptr, 10)) : -1;
}

/// The least of the limits of a control group and of those that it lies in.
inline std::int64_t group_limit(const std::string& base, const std::string& group, const char* file,
                                std::int64_t limit) {
  for_each_group(base, group, [&](const std::string& folder) {
    const std::int64_t here = number_in(folder + "/" + file, limit);
    if (here > 0 && here < limit) limit = here;
  });
  return limit;
}

#endif

/// min(memory of the machine, limits of the control groups, version 2 or 1), in bytes; 0 when nothing can be read.
inline std::int64_t memory_of_this_process(const system_files& files = {}) {
#if defined(__linux__)
  char text[4096];
  read_small_file((files.root + "/proc/meminfo").c_str(), text);
  std::int64_t limit = number_after(text, "MemTotal");
  limit = limit < 0 ? std::int64_t{1} << 62 : limit * 1024;
  read_small_file((files.root + "/proc/self/cgroup").c_str(), text);
  const std::string base = files.root + "/sys/fs/cgroup";
  limit = group_limit(base, own_group(text, "0::"), "memory.max", limit);
  limit = group_limit(base + "/memory", own_group(text, ":memory:"), "memory.limit_in_bytes", limit);
  return limit == std::int64_t{1} << 62 ? 0 : limit;
#else
  static_cast<void>(files);
  return 0;
#endif
}

/// Bytes of memory that the process has for itself, shared pages and mapped files apart; 0 when it cannot be read.
inline std::int64_t memory_in_use(const system_files& files = {}) {
#if defined(__linux__)
  char text[256];
  read_small_file((files.root + "/proc/self/statm").c_str(), text);  // pages: size, resident, shared
  char* at = nullptr;
  static_cast<void>(std::strtoll(text, &at, 10));
  const std::int64_t resident = std::strtoll(at, &at, 10);
  const std::int64_t shared = std::strtoll(at, &at, 10);
  return (resident - shared) * static_cast<std::int64_t>(::sysconf(_SC_PAGESIZE));
#else
  static_cast<void>(files);
  return 0;
#endif
}

/// 70 % of what this process may use, less what it holds; `reusable` bytes of that are free for the run. 0 when the
/// system does not tell; negative when the process holds more already.
inline std::int64_t default_memory_limit(std::int64_t reusable, const system_files& files = {}) {
  const std::int64_t all = memory_of_this_process(files);
  if (all <= 0) return 0;
  const std::int64_t left = all / 10 * 7 - (memory_in_use(files) - reusable);
  return left == 0 ? -1 : left;
}

}  // namespace ashlar::detail
