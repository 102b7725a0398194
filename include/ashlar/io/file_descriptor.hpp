/// \file
/// The one owner of an open file, and the one place that turns errno into text.
#pragma once

#include <ashlar/error.hpp>

#include <cerrno>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <unistd.h>

namespace ashlar::detail {

/// Throws "CALL: cannot DO 'PATH': REASON". `code` is a value of errno.
[[noreturn]] inline void throw_file_error(std::string_view call, std::string_view what, const std::string& path,
                                          int code) {
  throw file_error(std::string(call) + ": cannot " + std::string(what) + " '" + path +
                   "': " + std::generic_category().message(code));
}

/// An open file that closes itself. Move-only.
class file_descriptor {
 public:
  file_descriptor() = default;
  explicit file_descriptor(int descriptor) noexcept : descriptor_(descriptor) {}
  file_descriptor(file_descriptor&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  file_descriptor& operator=(file_descriptor&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  ~file_descriptor() { close(); }

  explicit operator bool() const noexcept { return descriptor_ >= 0; }
  int get() const noexcept { return descriptor_; }

  /// Closes now. Gives 0 or an errno: network file systems report a failed write here.
  int close() noexcept {
    const int descriptor = std::exchange(descriptor_, -1);
    return descriptor < 0 || ::close(descriptor) == 0 || errno == EINTR ? 0 : errno;
  }

 private:
  int descriptor_ = -1;
};

}  // namespace ashlar::detail
