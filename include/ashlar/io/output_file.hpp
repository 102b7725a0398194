/// \file
/// A file of known size that several threads fill in any order, and that appears under its name only when it is whole.
///
/// Bytes go into a temporary file beside the target; finish() renames it over the target, which is atomic: a reader
/// sees the old file or the new one, never a half. A run that fails or throws removes the temporary file. A process
/// that is killed leaves it behind, under the target's name with ".part" and a number. Room is reserved at once where
/// the file system can, so a full disk is an error at the start and not after an hour.
#pragma once

#include <ashlar/error.hpp>
#include <ashlar/io/file_descriptor.hpp>
#include <ashlar/io/write_all.hpp>

#include <atomic>
#include <cerrno>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace ashlar {

/// How output_file::finish() and npy_output::finish() end.
struct finish_options {
  bool sync =
      false;  ///< wait until the bytes are on the disk; survives a power failure, costs the disk's full write time
};

/// Neither copied nor moved, as threads hold references to it.
class output_file {
 public:
  /// Creates the temporary file, `bytes` long. A symbolic link is followed; an existing target lends its permissions
  /// and stays as it is until finish().
  /// @throws file_error with the path and the system's reason: no such directory, no permission, not enough room, or
  /// the
  ///         target is a directory or device
  output_file(std::string path, std::int64_t bytes) : path_(std::move(path)), size_(bytes) {
    if (path_.empty() || path_.find('\0') != std::string::npos) {
      throw file_error("create: the path '" + path_.substr(0, path_.find('\0')) +
                       "' is empty or holds a null character");
    }
    if (bytes < 0) throw file_error("create: '" + path_ + "' cannot have " + std::to_string(bytes) + " bytes");
    struct ::stat status = {};
    const bool exists = ::stat(path_.c_str(), &status) == 0;
    if (exists && S_ISDIR(status.st_mode)) throw file_error("create: '" + path_ + "' is a directory, expected a file");
    if (exists && !S_ISREG(status.st_mode)) {
      throw file_error("create: '" + path_ + "' is a pipe, socket or device, expected a regular file or a new name");
    }
    target_ = path_;
    if (exists) {
      if (char* resolved = ::realpath(path_.c_str(), nullptr)) {
        target_ = resolved;
        std::free(resolved);
      }
    }
    create_temporary();
    if (exists) static_cast<void>(::fchmod(file_.get(), status.st_mode & 07777));
    try {
      reserve();
    } catch (...) {
      discard();
      throw;
    }
  }

  output_file(const output_file&) = delete;
  output_file& operator=(const output_file&) = delete;

  /// Removes the temporary file unless finish() succeeded.
  ~output_file() { discard(); }

  const std::string& path() const noexcept { return path_; }
  std::int64_t size() const noexcept { return size_; }

  /// Where the bytes are until finish().
  const std::string& temporary_path() const noexcept { return temporary_; }

  /// Writes `count` bytes at `offset`. Several threads may write at once, to ranges that do not overlap.
  /// @throws file_error a range outside the file, or the system's reason
  void write_at(std::int64_t offset, const void* data, std::int64_t count) {
    if (offset < 0 || count < 0 || count > size_ - offset) {
      throw file_error("write: " + std::to_string(count) + " bytes at " + std::to_string(offset) +
                       " do not lie inside '" + path_ + "', which has " + std::to_string(size_));
    }
    if (const int code = detail::write_all(file_.get(), data, static_cast<std::size_t>(count), offset); code != 0) {
      detail::throw_file_error("write", "write " + std::to_string(count) + " bytes to", path_, code);
    }
  }

  /// Gives the file its name. Call it once, after all writes returned.
  /// @throws file_error the system's reason; the temporary file is removed then
  void finish(finish_options options = {}) {
    if (!file_) throw file_error("finish: '" + path_ + "' is finished already");
    int code = options.sync && ::fsync(file_.get()) != 0 ? errno : 0;
    const int closed = file_.close();
    if (code == 0) code = closed;
    if (code == 0 && ::rename(temporary_.c_str(), target_.c_str()) != 0) code = errno;
    if (code != 0) {
      ::unlink(temporary_.c_str());
      temporary_.clear();
      detail::throw_file_error("finish", "write", path_, code);
    }
    temporary_.clear();
    if (options.sync) sync_directory();
  }

 private:
  std::string directory() const {
    const std::size_t slash = target_.rfind('/');
    return slash == std::string::npos ? std::string() : target_.substr(0, slash + 1);
  }

  void create_temporary() {
    static std::atomic<std::uint64_t> counter{0};
    const std::string directory_part = directory();
    // Names may have 255 bytes; the suffix needs at most 45 of them.
    const std::string stem = directory_part + target_.substr(directory_part.size(), 200) + ".part" +
                             std::to_string(static_cast<std::int64_t>(::getpid())) + "-";
    for (int attempt = 0; attempt < 1000; ++attempt) {
      temporary_ = stem + std::to_string(counter.fetch_add(1, std::memory_order_relaxed));
      file_ = detail::file_descriptor(::open(temporary_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
      if (file_) return;
      if (errno != EEXIST) break;
    }
    const int code = errno;
    temporary_.clear();
    detail::throw_file_error("create", "create", path_, code);
  }

  void reserve() {
    if (::ftruncate(file_.get(), size_) != 0) {
      detail::throw_file_error("create", "give " + std::to_string(size_) + " bytes to", path_, errno);
    }
#if defined(__linux__)
    // Not posix_fallocate: where the file system cannot reserve, the C library would write to every block instead.
    int code = size_ == 0 ? 0 : EINTR;
    while (code == EINTR) code = ::fallocate(file_.get(), 0, 0, size_) == 0 ? 0 : errno;
    if (code != 0 && code != EOPNOTSUPP && code != ENOSYS && code != EINVAL) {
      detail::throw_file_error("create", "reserve " + std::to_string(size_) + " bytes for", path_, code);
    }
#endif
  }

  void sync_directory() const {
    const std::string name = directory();
    const detail::file_descriptor folder(::open(name.empty() ? "." : name.c_str(), O_RDONLY | O_CLOEXEC | O_DIRECTORY));
    if (folder) static_cast<void>(::fsync(folder.get()));
  }

  void discard() noexcept {
    file_.close();
    if (!temporary_.empty()) ::unlink(temporary_.c_str());
  }

  std::string path_;       // as the caller wrote it, for messages
  std::string target_;     // with symbolic links followed
  std::string temporary_;  // empty once it is gone
  std::int64_t size_ = 0;
  detail::file_descriptor file_;
};

}  // namespace ashlar
