/// \file
/// A temporary file without a name, in which a run puts blocks that do not fit in memory.
///
/// The file loses its name as it is made, so nothing is left behind, however the program ends. Room is used again:
/// blocks of a run have few sizes. Pages that were written stay in the system's cache as long as there is memory for
/// it, and are the system's to take.
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <sys/resource.h>
#include <unistd.h>

#include <ashlar/error.hpp>
#include <ashlar/io/file_descriptor.hpp>
#include <ashlar/io/unnamed_file.hpp>
#include <ashlar/io/write_all.hpp>

namespace ashlar::detail {

/// Not thread safe: one lane at a time puts blocks away or brings them back.
class spill_file {
 public:
  /// The file is made by the first write.
  explicit spill_file(std::string directory) : directory_(std::move(directory)) {}

  /// On a file that is open already; `name` is for messages.
  spill_file(file_descriptor file, std::string name) : directory_(std::move(name)), file_(std::move(file)) {}

  /// @returns where the bytes are @throws file_error naming bytes, directory and the system's reason
  std::int64_t write(const void* data, std::int64_t bytes) {
    if (!file_) create();
    const std::int64_t offset = take(bytes);
    if (const int code = write_all(file_.get(), data, static_cast<std::size_t>(bytes), offset); code != 0) {
      free(offset, bytes);
      fail("write", bytes, code);
    }
    written_ += bytes;
    return offset;
  }

  /// @throws file_error as write() does
  void read(std::int64_t offset, void* data, std::int64_t bytes) {
    auto* to = static_cast<char*>(data);
    for (std::int64_t left = bytes; left > 0;) {
      const ::ssize_t n = ::pread(file_.get(), to, static_cast<std::size_t>(left), offset);
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) fail("read", bytes, n == 0 ? EIO : errno);
      to += n;
      offset += n;
      left -= n;
    }
    read_ += bytes;
  }

  /// The room of a block that is needed no more.
  void free(std::int64_t offset, std::int64_t bytes) {
    for (bin& b : bins_) {
      if (b.bytes != bytes) continue;
      b.offsets.push_back(offset);
      return;
    }
    bins_.push_back({bytes, {offset}});
  }

  std::int64_t written() const noexcept { return written_; }
  std::int64_t read_back() const noexcept { return read_; }

  /// The most bytes that the file had.
  std::int64_t size() const noexcept { return size_; }

 private:
  struct bin {
    std::int64_t bytes;
    std::vector<std::int64_t> offsets;
  };

  [[noreturn]] void fail(const char* verb, std::int64_t bytes, int code) const {
    throw file_error("spill: cannot " + std::string(verb) + " a block of " + std::to_string(bytes) + " bytes " +
                     (*verb == 'r' ? "from" : "to") + " a temporary file in '" + directory_ +
                     "': " + std::generic_category().message(code) + " (the file has " + std::to_string(size_) +
                     " bytes); make room, set TMPDIR to a directory on a larger disk, or raise memory_limit");
  }

  void create() {
    file_ = unnamed_file(directory_);
    if (!file_) {
      throw_file_error("spill", "make a temporary file for blocks that do not fit in memory_limit in", directory_,
                       errno);
    }
  }

  std::int64_t take(std::int64_t bytes) {
    for (bin& b : bins_) {
      if (b.bytes != bytes || b.offsets.empty()) continue;
      const std::int64_t offset = b.offsets.back();
      b.offsets.pop_back();
      return offset;
    }
    // past the limit of a file's size the system would end the program by a signal
    struct ::rlimit limit = {};
    if (::getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
        static_cast<std::uint64_t>(size_ + bytes) > limit.rlim_cur) {
      fail("write", bytes, EFBIG);
    }
    const std::int64_t offset = size_;
    size_ += bytes;
    return offset;
  }

  std::string directory_;
  file_descriptor file_;
  std::vector<bin> bins_;
  std::int64_t size_ = 0;
  std::int64_t written_ = 0;
  std::int64_t read_ = 0;
};

}  // namespace ashlar::detail
