/// \file
/// How users say into which blocks an array is cut, and what becomes of it.
///
/// A `chunks` is a list with one entry per axis, or one entry that holds for all:
///
///     {.chunks = {1000, 1000}}       blocks of 1000 x 1000
///     {.chunks = {4}}                4 along every axis
///     {.chunks = {{2, 3, 5}, 4}}     blocks of 2, 3 and 5 along axis 0, of 4 along axis 1
///     {.chunks = {{2, 3, 5}}}        the same for a 1-d array; the inner braces are what makes it a list of blocks
///     {.chunks = {automatic, full}}  axis 1 in one piece, axis 0 such that a block has at most 128 MiB
///     {.chunks = block_bytes(64_MiB)}
///
/// normalize_chunks turns it into a block_grid for one shape. Left out, chunks are automatic.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <ashlar/block_grid.hpp>
#include <ashlar/detail/checked.hpp>
#include <ashlar/detail/config.hpp>
#include <ashlar/error.hpp>
#include <ashlar/graph/kernel.hpp>
#include <ashlar/shape.hpp>

namespace ashlar {

/// What a chunk_spec says.
enum class chunk_kind : std::uint8_t { length, automatic, full, keep, bytes, lengths };

/// The words that may stand for a block length.
enum class chunk_word : std::uint8_t { automatic, full, keep };

/// Blocks of such a length that a block has at most 128 MiB, or the limit of a block_bytes of the same list.
inline constexpr chunk_word automatic = chunk_word::automatic;
struct creation_options;
template <class T>
class array;

/// The type of ashlar::full, which is a word for chunks and also, called, the array of one value.
struct full_word {
  constexpr operator chunk_word() const noexcept { return chunk_word::full; }

  /// An array filled with `value`; see creation.hpp, which must be included to call it.
  template <class T, class Tag = detail::backend_tag>
  array<T> operator()(const shape& extents, T value) const;
  template <class T, class Tag = detail::backend_tag>
  array<T> operator()(const shape& extents, T value, const creation_options& options) const;
};

/// The whole axis in one block; as a function, `full(shape, value)`, an array filled with one value.
inline constexpr full_word full{};
/// The blocks that the axis has; in a new array, the whole axis.
inline constexpr chunk_word keep = chunk_word::keep;

/// Automatic block lengths with this limit for the bytes of a block: `block_bytes(64_MiB)`.
struct block_bytes {
  template <detail::integer I>
  explicit constexpr block_bytes(I limit) : bytes(detail::narrow<std::int64_t>(limit, "block_bytes")) {}

  std::int64_t bytes;
};

/// What the user asks for along one axis: a block length, a word, a limit in bytes, or all block lengths.
class chunk_spec {
 public:
  /// Blocks of `length` elements.
  template <detail::integer I>
  chunk_spec(I length) : kind_(chunk_kind::length), value_(detail::narrow<std::int64_t>(length, "chunk length")) {}

  chunk_spec(chunk_word word)
      : kind_(word == chunk_word::full   ? chunk_kind::full
              : word == chunk_word::keep ? chunk_kind::keep
                                         : chunk_kind::automatic) {}
  chunk_spec(full_word) : kind_(chunk_kind::full) {}
  chunk_spec(block_bytes limit) : kind_(chunk_kind::bytes), value_(limit.bytes) {}

  /// Blocks of just these lengths, in order.
  chunk_spec(std::initializer_list<detail::extent> lengths) : kind_(chunk_kind::lengths) {
    for (const detail::extent& length : lengths) lengths_.push_back(length.value);
  }
  chunk_spec(std::vector<std::int64_t> lengths) : kind_(chunk_kind::lengths), lengths_(std::move(lengths)) {}

  chunk_kind kind() const noexcept { return kind_; }
  /// The block length, or the limit in bytes.
  std::int64_t value() const noexcept { return value_; }
  const std::vector<std::int64_t>& lengths() const noexcept { return lengths_; }

 private:
  chunk_kind kind_;
  std::int64_t value_ = 0;
  std::vector<std::int64_t> lengths_;
};

/// What the user asks for: one chunk_spec per axis, or one for all axes. Checked when it meets a shape.
class chunks {
 public:
  /// Automatic for every axis.
  chunks() = default;

  chunks(std::initializer_list<chunk_spec> per_axis) : specs_(per_axis) {}
  chunks(std::vector<chunk_spec> per_axis) : specs_(std::move(per_axis)) {}

  // One for all axes, without braces.
  template <detail::integer I>
  chunks(I length) : specs_{chunk_spec(length)} {}
  chunks(chunk_word word) : specs_{chunk_spec(word)} {}
  chunks(full_word word) : specs_{chunk_spec(word)} {}
  chunks(block_bytes limit) : specs_{chunk_spec(limit)} {}

  /// The blocks of another array: `y.rechunk(x.chunks())`. @throws chunk_error for unknown block lengths.
  chunks(const block_grid& grid) {
    grid.require_known("chunks");
    for (int i = 0; i < grid.ndim(); ++i) {
      const axis_blocks& blocks = grid.axis(i);
      if (!blocks.uniform()) {
        specs_.push_back(chunk_spec(blocks.lengths()));
      } else if (blocks.count() == 1) {
        specs_.push_back(chunk_spec(std::vector<std::int64_t>{blocks.total()}));
      } else {
        specs_.push_back(chunk_spec(blocks.max_length()));
      }
    }
  }

  /// No entry means automatic for every axis.
  const std::vector<chunk_spec>& specs() const noexcept { return specs_; }

 private:
  std::vector<chunk_spec> specs_;
};

/// The grid that `wanted` means for an array of the given shape and bytes per element. `previous` is the grid that the
/// array has now, if any; `keep` takes its cuts and automatic lengths respect them. `call` begins the text of errors.
///
/// A block longer than its axis is clipped; an empty axis has one block of 0. Cost: O(1) memory per evenly cut axis.
/// @throws chunk_error for a wrong number of entries, lengths that do not add up, a length of 0 or below, or two
/// limits; shape_error when the array has more elements than 64 bits count.
block_grid normalize_chunks(const chunks& wanted, const shape& extents, std::int64_t itemsize,
                            const block_grid* previous = nullptr, std::string_view call = "chunks");

}  // namespace ashlar

#if !defined(ASHLAR_SEPARATE)
#include <ashlar/detail/normalize_chunks.hpp>
#endif
