/// \file
/// The small files in which Linux tells what a process may use: /proc and the control groups.
///
/// A process in a group is held to the least of the limits of that group and of those that it lies in; inside a
/// container the files of the group itself are usually at the root. Tests give a directory of their own in place of /.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

#if defined(__linux__)
#include <fcntl.h>
#include <unistd.h>
#endif

namespace ashlar::detail {

/// Where the files are.
struct system_files {
  std::string root;  // in front of /proc and /sys
};

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

/// The number in a file, or `none` when there is no file or no number ("max").
inline std::int64_t number_in(const std::string& path, std::int64_t none) noexcept {
  char text[64];
  read_small_file(path.c_str(), text);
  if (text[0] < '0' || text[0] > '9') return none;
  return static_cast<std::int64_t>(std::strtoll(text, nullptr, 10));
}

/// The group in the line of /proc/self/cgroup that has `mark`; empty for "/", that is in a container that sees only its
/// own.
inline std::string own_group(const char* text, const char* mark) {
  const char* const at = std::strstr(text, mark);
  if (at == nullptr) return {};
  const char* const begin = at + std::strlen(mark);
  std::string group(begin, std::strcspn(begin, "\n"));
  return group == "/" || group.find("..") != std::string::npos ? std::string() : group;
}

/// Calls visit(directory) for the group and for each that it lies in, up to `base`.
template <class F>
void for_each_group(const std::string& base, std::string group, F visit) {
  for (;;) {
    visit(base + group);
    const std::size_t slash = group.rfind('/');
    if (slash == std::string::npos) return;
    group.resize(slash);
  }
}

#endif

}  // namespace ashlar::detail
