/// \file
/// .npy files: the reader is a header and a mapping, the writer takes blocks of the array from any thread in any order.
///
/// Nothing here knows of lazy arrays. Reading costs nothing until an element is touched. Writing goes by pwrite in the
/// longest runs that are contiguous in the file: a block of whole rows is a single call, a narrow block one call a row.
#pragma once

#include <ashlar/dtype.hpp>
#include <ashlar/error.hpp>
#include <ashlar/io/byte_order.hpp>
#include <ashlar/io/mapped_file.hpp>
#include <ashlar/io/npy_format.hpp>
#include <ashlar/io/output_file.hpp>
#include <ashlar/shape.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>

namespace ashlar {

/// An open .npy file. Copies share the mapping, which lives as long as any of them.
struct npy_input {
  npy_header header;
  std::shared_ptr<const mapped_file> file;
  const std::byte* data = nullptr;  ///< first element as it is stored: maybe unaligned, maybe swapped

  /// Whether `data` can be used as an array of the header's element type just as it stands. Otherwise elements go
  /// through copy_stored(). Booleans never can: a byte of the file need not be 0 or 1, and C++ knows no other bool.
  bool usable_in_place() const noexcept {
    const std::int64_t size = itemsize(header.dtype);
    const std::int64_t alignment = kind(header.dtype) == dtype_kind::complex ? size / 2 : size;
    return header.dtype != dtype::boolean && !header.needs_swap() &&
           reinterpret_cast<std::uintptr_t>(data) % static_cast<std::uintptr_t>(alignment) == 0;
  }

  /// Where element `index` (in the order of the file) starts, in bytes from the start of the file: for mapped_file's
  /// hints, and for other processes that map the same file.
  std::int64_t file_offset(std::int64_t index) const noexcept {
    return header.data_offset + index * itemsize(header.dtype);
  }
};

/// Opens and checks a .npy file. No element is read. Bytes behind the last element are ignored, as NumPy does.
/// @throws file_error  the file cannot be read, has no valid header, or has fewer bytes than its shape needs
/// @throws dtype_error its element type is none of ours
inline npy_input open_npy(std::string path) {
  npy_input input;
  input.file = std::make_shared<const mapped_file>(std::move(path));
  const mapped_file& file = *input.file;
  input.header = parse_npy_header(file.bytes(), file.path());
  const npy_header& header = input.header;
  const std::int64_t have = file.size() - header.data_offset;
  if (have < header.data_bytes()) {
    detail::npy_fail(file.path(), "truncated: shape " + header.shape.to_string() + " of " +
                                      std::string(name(header.dtype)) + " needs " +
                                      std::to_string(header.data_bytes()) + " bytes behind the header of " +
                                      std::to_string(header.data_offset) + ", the file has " + std::to_string(have));
  }
  input.data = file.data() + header.data_offset;
  return input;
}

/// A .npy file under construction: row-major, this machine's byte order, the bytes that numpy.save would write. It
/// takes its name in finish(); before that, or when finish() is never reached, nothing of that name is touched.
/// Threads: write_block() may run in many threads on disjoint blocks; finish() alone.
class npy_output {
 public:
  /// Creates the file at full size.
  /// @throws file_error  see output_file; also more than 2^63 - 1 bytes
  npy_output(std::string path, dtype type, const shape& extents)
      : npy_output(std::move(path), type, extents, npy_header_bytes(type, extents)) {}

  dtype element_type() const noexcept { return type_; }
  const ashlar::shape& shape() const noexcept { return shape_; }
  const std::string& path() const noexcept { return file_.path(); }

  /// Bytes in front of the first element.
  std::int64_t data_offset() const noexcept { return data_offset_; }

  /// Elements written so far.
  std::int64_t written() const noexcept { return written_.load(std::memory_order_relaxed); }

  /// Writes the block that starts at element `offset` and has `extents` elements a side.
  /// @param data  first element of the block in memory, of type element_type()
  /// @param steps strides of the block in memory in elements, of either sign, 0 too
  /// @throws shape_error a wrong number of axes, or a block that leaves the array
  /// @throws file_error  the system's reason
  /// Cost: one pwrite per run of elements that is contiguous in the file; a copy through at most 256 KiB when the run
  /// is not contiguous in memory.
  void write_block(std::span<const std::int64_t> offset, std::span<const std::int64_t> extents, const void* data,
                   std::span<const std::int64_t> steps) {
    check_block(offset, extents, steps);
    const int ndim = shape_.ndim();
    std::int64_t count = 1;
    for (const std::int64_t n : extents) count *= n;
    if (count == 0) return;

    // Axes [first, ndim) form the run: full ones, behind one that may be partial.
    int first = ndim;
    std::int64_t run = 1;
    bool dense = true;
    while (first > 0) {
      --first;
      const auto axis = static_cast<std::size_t>(first);
      dense = dense && (extents[axis] == 1 || steps[axis] == run);
      run *= extents[axis];
      if (extents[axis] != shape_[first]) break;
    }
    const std::int64_t size = itemsize(type_);
    std::unique_ptr<std::byte[]> staging;
    if (!dense)
      staging = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(staging_bytes(run, size)));

    std::int64_t index[max_ndim] = {};
    std::int64_t position = 0;  // of the run's first element in the file, in elements
    for (int i = 0; i < ndim; ++i) position += offset[static_cast<std::size_t>(i)] * file_strides_[i];
    const auto* source = static_cast<const std::byte*>(data);
    while (true) {
      if (dense) {
        file_.write_at(data_offset_ + position * size, source, run * size);
      } else {
        write_gathered(data_offset_ + position * size, source, extents, steps, first, run, staging.get());
      }
      int axis = first - 1;
      for (; axis >= 0; --axis) {
        const auto a = static_cast<std::size_t>(axis);
        position += file_strides_[axis];
        source += steps[a] * size;
        if (++index[axis] < extents[a]) break;
        position -= extents[a] * file_strides_[axis];
        source -= extents[a] * steps[a] * size;
        index[axis] = 0;
      }
      if (axis < 0) break;
    }
    written_.fetch_add(count, std::memory_order_relaxed);
  }

  /// Gives the file its name.
  /// @throws file_error fewer elements were written than the array has, or the system's reason; the temporary file is
  ///         removed then
  void finish(finish_options options = {}) {
    if (written() < shape_.size()) {
      throw file_error("finish: '" + path() + "' got " + std::to_string(written()) + " of the " +
                       std::to_string(shape_.size()) + " elements of shape " + shape_.to_string() +
                       "; write every block before finish()");
    }
    file_.finish(options);
  }

 private:
  npy_output(std::string path, dtype type, const ashlar::shape& extents, const std::string& header)
      : type_(type),
        shape_(extents),
        file_strides_(row_major_strides(extents)),
        data_offset_(static_cast<std::int64_t>(header.size())),
        file_(std::move(path), total_bytes(type, extents, data_offset_)) {
    file_.write_at(0, header.data(), data_offset_);
  }

  static std::int64_t total_bytes(dtype type, const ashlar::shape& extents, std::int64_t header) {
    std::int64_t bytes = 0;
    if (__builtin_mul_overflow(extents.size(), itemsize(type), &bytes) ||
        __builtin_add_overflow(bytes, header, &bytes)) {
      throw file_error("npy_output: shape " + extents.to_string() + " of " + std::string(name(type)) +
                       " has more bytes than 64 bits can count");
    }
    return bytes;
  }

  static std::int64_t staging_bytes(std::int64_t run, std::int64_t size) {
    return std::min<std::int64_t>(run * size, std::int64_t{1} << 18);
  }

  void check_block(std::span<const std::int64_t> offset, std::span<const std::int64_t> extents,
                   std::span<const std::int64_t> steps) const {
    const auto ndim = static_cast<std::size_t>(shape_.ndim());
    bool fits = offset.size() == ndim && extents.size() == ndim && steps.size() == ndim;
    for (std::size_t i = 0; fits && i < ndim; ++i) {
      const std::int64_t length = shape_[static_cast<int>(i)];
      fits = offset[i] >= 0 && extents[i] >= 0 && offset[i] <= length && extents[i] <= length - offset[i];
    }
    if (!fits) {
      throw shape_error("write_block: a block of shape " + detail::tuple_text(extents) + " with " +
                        std::to_string(steps.size()) + " strides at " + detail::tuple_text(offset) +
                        " does not lie inside the array of shape " + shape_.to_string() + " of '" + path() + "'");
    }
  }

  // Copies a run row by row into the staging buffer and writes that whenever it is full.
  void write_gathered(std::int64_t at, const std::byte* source, std::span<const std::int64_t> extents,
                      std::span<const std::int64_t> steps, int first, std::int64_t run, std::byte* staging) {
    const std::int64_t size = itemsize(type_);
    const std::int64_t room = staging_bytes(run, size) / size;
    const int innermost = shape_.ndim() - 1;
    const std::int64_t row = extents[static_cast<std::size_t>(innermost)];
    const std::int64_t row_step = steps[static_cast<std::size_t>(innermost)] * size;
    std::int64_t index[max_ndim] = {};
    std::int64_t filled = 0;
    for (std::int64_t done = 0; done < run; done += row) {
      for (std::int64_t i = 0; i < row;) {
        const std::int64_t n = std::min(row - i, room - filled);
        copy_stored(source + i * row_step, row_step, staging + filled * size, n, type_, false);
        i += n;
        filled += n;
        if (filled == room) {
          file_.write_at(at, staging, filled * size);
          at += filled * size;
          filled = 0;
        }
      }
      for (int axis = innermost - 1; axis >= first; --axis) {
        const auto a = static_cast<std::size_t>(axis);
        source += steps[a] * size;
        if (++index[axis] < extents[a]) break;
        source -= extents[a] * steps[a] * size;
        index[axis] = 0;
      }
    }
    if (filled > 0) file_.write_at(at, staging, filled * size);
  }

  dtype type_;
  ashlar::shape shape_;
  strides file_strides_;
  std::int64_t data_offset_;
  output_file file_;
  std::atomic<std::int64_t> written_{0};
};

}  // namespace ashlar
