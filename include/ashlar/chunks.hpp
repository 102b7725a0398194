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
#include <ashlar/detail/auto_chunks.hpp>
#include <ashlar/detail/checked.hpp>
#include <ashlar/detail/unify_chunks.hpp>
#include <ashlar/error.hpp>
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
  template <class T>
  array<T> operator()(const shape& extents, T value) const;
  template <class T>
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

namespace detail {

[[noreturn]] inline void throw_chunks(std::string_view call, const std::string& what, const shape& extents) {
  throw chunk_error(std::string(call) + ": " + what + " (shape " + extents.to_string() + ")");
}

/// The blocks that one spec other than automatic and keep gives on one axis.
inline axis_blocks blocks_of(const chunk_spec& spec, const shape& extents, int axis, std::string_view call) {
  const std::int64_t total = extents[axis];
  const std::string where = "axis " + std::to_string(axis);
  if (spec.kind() == chunk_kind::full) return axis_blocks::single(total);
  if (spec.kind() == chunk_kind::length) {
    const std::int64_t length = spec.value();
    if (length < 0) {
      throw_chunks(call,
                   "chunk length " + std::to_string(length) + " of " + where +
                       " is negative; for the whole axis in one block write ashlar::full",
                   extents);
    }
    if (length == 0 && total > 0) {
      throw_chunks(call, "chunk length 0 of " + where + " is too small; a block holds at least 1 element", extents);
    }
    return axis_blocks::regular(total, length);
  }
  std::int64_t sum = 0;
  for (const std::int64_t length : spec.lengths()) {
    if (length < 0) {
      throw_chunks(call,
                   "block length " + std::to_string(length) + " of " + where +
                       " is negative; for the whole axis in one block write ashlar::full",
                   extents);
    }
    sum = checked_add(sum, length, call);
  }
  if (spec.lengths().empty() && total == 0) return axis_blocks::single(0);
  if (spec.lengths().empty() || sum != total) {
    throw_chunks(call,
                 "the block lengths of " + where + " add up to " + std::to_string(sum) + ", but the axis has length " +
                     std::to_string(total),
                 extents);
  }
  return axis_blocks::explicit_lengths(spec.lengths());
}

/// Previous blocks must be those of an array of this shape; an axis of unknown lengths fits any.
inline void check_previous(const block_grid& previous, const shape& extents, std::string_view call) {
  bool fits = previous.ndim() == extents.ndim();
  for (int axis = 0; fits && axis < extents.ndim(); ++axis) {
    const axis_blocks& blocks = previous.axis(axis);
    fits = !blocks.known() || blocks.total() == extents[axis];
  }
  if (!fits) throw_chunks(call, "the previous blocks " + previous.to_string() + " are not those of the array", extents);
}

/// The one limit in bytes that the list names, or the default. @throws chunk_error when it names two.
inline std::int64_t block_limit(const std::vector<chunk_spec>& specs, const shape& extents, std::string_view call) {
  std::int64_t limit = 0;
  for (const chunk_spec& spec : specs) {
    if (spec.kind() != chunk_kind::bytes) continue;
    if (spec.value() < 1) {
      throw_chunks(call, "block_bytes(" + std::to_string(spec.value()) + ") leaves no room for an element", extents);
    }
    if (limit != 0 && limit != spec.value()) {
      throw_chunks(call,
                   "block_bytes(" + std::to_string(limit) + ") and block_bytes(" + std::to_string(spec.value()) +
                       ") contradict each other; a block has one limit",
                   extents);
    }
    limit = spec.value();
  }
  return limit == 0 ? default_block_bytes : limit;
}

}  // namespace detail

/// The grid that `wanted` means for an array of the given shape and bytes per element. `previous` is the grid that the
/// array has now, if any; `keep` takes its cuts and automatic lengths respect them. `call` begins the text of errors.
///
/// A block longer than its axis is clipped; an empty axis has one block of 0. Cost: O(1) memory per evenly cut axis.
/// @throws chunk_error for a wrong number of entries, lengths that do not add up, a length of 0 or below, or two
/// limits; shape_error when the array has more elements than 64 bits count.
inline block_grid normalize_chunks(const chunks& wanted, const shape& extents, std::int64_t itemsize,
                                   const block_grid* previous = nullptr, std::string_view call = "chunks") {
  static_cast<void>(extents.size());  // refuses what cannot be counted before anything is planned for it
  const int ndim = extents.ndim();
  std::vector<chunk_spec> specs = wanted.specs();
  if (specs.empty()) specs.push_back(automatic);
  if (specs.size() != 1 && specs.size() != static_cast<std::size_t>(ndim)) {
    detail::throw_chunks(call,
                         std::to_string(specs.size()) + " chunk entries for an array of " + std::to_string(ndim) +
                             (ndim == 1 ? " axis; to list the lengths of its blocks write {{2, 3, 5}}"
                                        : " axes; give one entry per axis, or one for all"),
                         extents);
  }
  if (previous != nullptr) detail::check_previous(*previous, extents, call);
  const auto spec = [&](int axis) -> const chunk_spec& {
    return specs[specs.size() == 1 ? 0 : static_cast<std::size_t>(axis)];
  };

  std::vector<axis_blocks> result(static_cast<std::size_t>(ndim));
  axis_set automatic_axes;
  for (int axis = 0; axis < ndim; ++axis) {
    axis_blocks& blocks = result[static_cast<std::size_t>(axis)];
    switch (spec(axis).kind()) {
      case chunk_kind::automatic:
      case chunk_kind::bytes:
        automatic_axes.insert(axis);
        break;
      case chunk_kind::keep:
        blocks = previous == nullptr ? axis_blocks::single(extents[axis]) : previous->axis(axis);
        break;
      default:
        blocks = detail::blocks_of(spec(axis), extents, axis, call);
    }
  }
  if (!automatic_axes.empty()) {
    detail::fill_automatic(result, automatic_axes, extents, itemsize, detail::block_limit(specs, extents, call),
                           previous, call);
  }
  return block_grid(std::move(result));
}

}  // namespace ashlar
