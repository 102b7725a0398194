/// \file
/// The one loop that writes: a system call may take less than it was given, or nothing when a signal came.
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>

#include <unistd.h>

namespace ashlar::detail {

/// Writes all of the bytes at `offset` or, when that is negative, where the file stands. With an offset several threads
/// may write at once. @returns 0 or an errno
inline int write_all(int file, const void* data, std::size_t bytes, std::int64_t offset = -1) noexcept {
  const char* from = static_cast<const char*>(data);
  while (bytes > 0) {
    const ::ssize_t n = offset < 0 ? ::write(file, from, bytes) : ::pwrite(file, from, bytes, offset);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return n == 0 ? ENOSPC : errno;
    from += n;
    bytes -= static_cast<std::size_t>(n);
    if (offset >= 0) offset += n;
  }
  return 0;
}

}  // namespace ashlar::detail
