/// \file
/// A file as read-only memory.
///
/// A mapping reads only the pages that are touched, shares them with every other process, and costs no anonymous
/// memory: that is why arrays larger than memory can stand on it. The price: an input error, or a file that somebody
/// cuts shorter while it is mapped, arrives as the signal SIGBUS at the load that touches the page and ends the
/// program. Do not truncate a file that is being read; replace it by renaming another one over it, as output_file does.
#pragma once

#include <ashlar/error.hpp>
#include <ashlar/io/file_descriptor.hpp>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace ashlar {

/// A whole regular file mapped for reading. Move-only; the mapping ends with the object.
/// Threads: every const member may be called from several threads at once.
class mapped_file {
 public:
  /// Maps all of the file.
  /// @throws file_error with the path and the system's reason: the file does not exist or may not be read, is empty, is
  /// a
  ///         directory, pipe or device, or cannot be mapped
  /// Cost: three system calls, whatever the size.
  explicit mapped_file(std::string path) : path_(std::move(path)) {
    if (path_.find('\0') != std::string::npos) throw file_error("open: the path holds a null character");
    // Without O_NONBLOCK, opening a pipe would wait for a writer.
    const detail::file_descriptor file(::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (!file) detail::throw_file_error("open", "read", path_, errno);
    struct ::stat status = {};
    if (::fstat(file.get(), &status) != 0) detail::throw_file_error("open", "read", path_, errno);
    if (S_ISDIR(status.st_mode)) throw file_error("open: '" + path_ + "' is a directory, expected a file");
    if (!S_ISREG(status.st_mode)) {
      throw file_error("open: '" + path_ +
                       "' is a pipe, socket or device, expected a regular file, which can be mapped");
    }
    if (status.st_size == 0) throw file_error("open: '" + path_ + "' is empty");
    size_ = static_cast<std::int64_t>(status.st_size);
    void* start = ::mmap(nullptr, static_cast<std::size_t>(size_), PROT_READ, MAP_SHARED, file.get(), 0);
    if (start == MAP_FAILED) detail::throw_file_error("open", "map", path_, errno);
    data_ = static_cast<const std::byte*>(start);
  }

  mapped_file(mapped_file&& other) noexcept
      : path_(std::move(other.path_)),
        data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)) {}

  mapped_file& operator=(mapped_file&& other) noexcept {
    std::swap(path_, other.path_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }

  ~mapped_file() {
    if (data_ != nullptr) ::munmap(const_cast<std::byte*>(data_), static_cast<std::size_t>(size_));
  }

  const std::string& path() const noexcept { return path_; }
  const std::byte* data() const noexcept { return data_; }
  std::int64_t size() const noexcept { return size_; }
  std::span<const std::byte> bytes() const noexcept { return {data_, static_cast<std::size_t>(size_)}; }

  /// Hints about bytes [offset, offset + count), cut to the file; they change speed, never values, and never fail.
  /// "sequential" reads further ahead, "random" not at all, "will_need" starts reading now, "dont_need" gives the pages
  /// of a range that is done back to the system.
  void advise_sequential(std::int64_t offset, std::int64_t count) const noexcept {
    advise(offset, count, MADV_SEQUENTIAL);
  }
  void advise_random(std::int64_t offset, std::int64_t count) const noexcept { advise(offset, count, MADV_RANDOM); }
  void will_need(std::int64_t offset, std::int64_t count) const noexcept { advise(offset, count, MADV_WILLNEED); }
  void dont_need(std::int64_t offset, std::int64_t count) const noexcept { advise(offset, count, MADV_DONTNEED); }

  /// Reads bytes [offset, offset + count), cut to the file, into the page cache and enters them into this process's
  /// page tables with one system call instead of one fault per 64 KiB. Where the system cannot (Linux before 5.14), it
  /// is will_need().
  /// @throws file_error the bytes cannot be read: an input error, or the file was cut shorter in the meantime
  void populate(std::int64_t offset, std::int64_t count) const {
#if defined(MADV_POPULATE_READ)
    constexpr int populate_read = MADV_POPULATE_READ;
#else
    constexpr int populate_read = 22;  // Linux's number; C libraries from before 2021 do not name it
#endif
#if defined(__linux__)
    int code = EINTR;
    while (code == EINTR || code == EAGAIN) code = advise(offset, count, populate_read);
    if (code == 0) return;
    if (code == EFAULT || code == EIO) {
      throw file_error("read: cannot read " + std::to_string(count) + " bytes at " + std::to_string(offset) + " of '" +
                       path_ + "': an input error, or the file was cut shorter while it was in use");
    }
#endif
    will_need(offset, count);
  }

 private:
  // Gives 0 or an errno. Advice is for whole pages: the range grows to them.
  int advise(std::int64_t offset, std::int64_t count, int advice) const noexcept {
    if (offset < 0) {
      count += offset;
      offset = 0;
    }
    if (offset >= size_ || count <= 0) return 0;
    if (count > size_ - offset) count = size_ - offset;
    const std::int64_t page = ::sysconf(_SC_PAGESIZE);
    const std::int64_t start = offset / page * page;
    void* address = const_cast<std::byte*>(data_ + start);
    return ::madvise(address, static_cast<std::size_t>(offset - start + count), advice) == 0 ? 0 : errno;
  }

  std::string path_;
  const std::byte* data_ = nullptr;
  std::int64_t size_ = 0;
};

}  // namespace ashlar
