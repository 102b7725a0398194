/// \file
/// How an array is cut into blocks: each axis on its own (axis_blocks), and all axes together (block_grid).
///
/// Most axes are cut evenly, and such an axis is two numbers however many blocks it has; other cuts are a shared list
/// of offsets. Both are values that compare equal exactly when the cuts are the same. An axis whose block lengths come
/// out of the computation (a boolean mask) is held as a bound for each block; what needs the lengths refuses it by
/// name.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <ashlar/detail/checked.hpp>
#include <ashlar/error.hpp>
#include <ashlar/shape.hpp>

namespace ashlar {

/// The blocks of one axis. There is always at least one; blocks may be empty.
/// Copying shares the list of offsets of an uneven axis. Safe to read from several threads.
class axis_blocks {
 public:
  /// One empty block.
  axis_blocks() = default;

  /// Blocks of `block` elements and a smaller last one. A block longer than the axis is clipped to it; an empty axis
  /// has one block of 0. @throws chunk_error for block < 1 (unless the axis is empty) or total < 0.
  static axis_blocks regular(std::int64_t total, std::int64_t block) {
    if (total < 0 || block < 0 || (block == 0 && total > 0)) {
      throw chunk_error("an axis of length " + std::to_string(total) + " cannot be cut into blocks of " +
                        std::to_string(block) + "; a block holds at least 1 element");
    }
    axis_blocks result;
    result.block_ = block < total ? block : total;
    result.end_ = total;
    result.count_ = total == 0 ? 1 : detail::ceil_div(total, block);
    return result;
  }

  /// The whole axis in one block.
  static axis_blocks single(std::int64_t total) { return regular(total, total); }

  /// Blocks of the given lengths, in order; zeros are kept. Even lengths are recognised and stored as regular().
  /// @throws chunk_error for no length at all or a negative one.
  static axis_blocks explicit_lengths(std::span<const std::int64_t> lengths) {
    check_lengths(lengths, "block lengths");
    if (even(lengths)) {
      axis_blocks result = regular(lengths.front(), lengths.front());
      std::int64_t total = 0;
      for (const std::int64_t length : lengths) total = detail::checked_add(total, length, "block lengths");
      result.end_ = total;
      result.count_ = static_cast<std::int64_t>(lengths.size());
      return result;
    }
    return with_offsets(lengths, true);
  }
  static axis_blocks explicit_lengths(std::initializer_list<std::int64_t> lengths) {
    return explicit_lengths(std::span<const std::int64_t>(lengths.begin(), lengths.size()));
  }

  /// Blocks whose lengths are not known yet, only that block i has at most capacities[i] elements.
  /// @throws chunk_error for no capacity at all or a negative one.
  static axis_blocks bounded(std::span<const std::int64_t> capacities) {
    check_lengths(capacities, "block capacities");
    return with_offsets(capacities, false);
  }
  static axis_blocks bounded(std::initializer_list<std::int64_t> capacities) {
    return bounded(std::span<const std::int64_t>(capacities.begin(), capacities.size()));
  }

  /// Number of blocks, at least 1.
  std::int64_t count() const noexcept { return count_; }

  /// Whether the lengths are known. Where they are not, offset, length, total, max_length and find throw.
  bool known() const noexcept { return known_; }

  /// Whether all blocks but a smaller last one have one length. Cost of every query is then O(1).
  bool uniform() const noexcept { return known_ && offsets_ == nullptr; }

  /// First position of block i; offset(count()) is the length of the axis. Unchecked, 0 <= i <= count().
  std::int64_t offset(std::int64_t i) const {
    require_known("axis_blocks::offset");
    return bound_offset(i);
  }

  /// Elements in block i, 0 <= i < count(). Unchecked.
  std::int64_t length(std::int64_t i) const {
    require_known("axis_blocks::length");
    return bound_offset(i + 1) - bound_offset(i);
  }

  /// Most elements that block i can have: its length where that is known.
  std::int64_t capacity(std::int64_t i) const noexcept { return bound_offset(i + 1) - bound_offset(i); }

  /// Length of the axis.
  std::int64_t total() const {
    require_known("axis_blocks::total");
    return end_;
  }

  /// Most elements that the axis can have: its length where that is known.
  std::int64_t total_capacity() const noexcept { return end_; }

  /// Length of the longest block. O(1) for a uniform axis, else O(count()).
  std::int64_t max_length() const {
    require_known("axis_blocks::max_length");
    return max_capacity();
  }

  /// Most elements that any block can have. Cost as max_length.
  std::int64_t max_capacity() const noexcept {
    if (offsets_ == nullptr) return block_;
    std::int64_t longest = 0;
    for (std::int64_t i = 0; i < count_; ++i) {
      if (capacity(i) > longest) longest = capacity(i);
    }
    return longest;
  }

  /// The block that holds a position, 0 <= position < total(). One division, or O(log count()) for an uneven axis.
  std::int64_t find(std::int64_t position) const {
    require_known("axis_blocks::find");
    if (offsets_ == nullptr) return block_ == 0 ? 0 : position / block_;
    std::int64_t low = 0;
    std::int64_t high = count_;
    while (high - low > 1) {
      const std::int64_t middle = low + (high - low) / 2;
      (bound_offset(middle) <= position ? low : high) = middle;
    }
    return low;
  }

  /// All lengths, in order. O(count()) memory.
  std::vector<std::int64_t> lengths() const {
    std::vector<std::int64_t> result;
    result.reserve(static_cast<std::size_t>(count_));
    for (std::int64_t i = 0; i < count_; ++i) result.push_back(length(i));
    return result;
  }

  /// @throws chunk_error that names `call` when the lengths are not known.
  void require_known(std::string_view call) const {
    if (!known_) throw_unknown(call);
  }

  /// The lengths as Dask prints them, "(4096, 4096, 1808)"; from 17 blocks on the first three, the last and the count.
  /// Bounds of an unknown axis print as "<=5".
  std::string to_string() const {
    std::string text = "(";
    const bool shortened = count_ > 16;
    for (std::int64_t i = 0; i < count_; ++i) {
      if (i > 0) text += ", ";
      if (shortened && i == 3) {
        text += "..., ";
        i = count_ - 1;
      }
      text += (known_ ? "" : "<=") + std::to_string(capacity(i));
    }
    if (count_ == 1) text += ',';
    if (shortened) text += "; " + std::to_string(count_) + " blocks";
    return text + ')';
  }

  /// Same cuts. Axes of unknown lengths are equal only when one is a copy of the other: equal bounds prove nothing.
  friend bool operator==(const axis_blocks& a, const axis_blocks& b) noexcept {
    if (a.count_ != b.count_ || a.end_ != b.end_ || a.known_ != b.known_ || a.block_ != b.block_) return false;
    if (a.offsets_ == b.offsets_) return true;
    return a.known_ && a.offsets_ != nullptr && b.offsets_ != nullptr && *a.offsets_ == *b.offsets_;
  }

 private:
  std::int64_t bound_offset(std::int64_t i) const noexcept {
    if (offsets_ != nullptr) return (*offsets_)[static_cast<std::size_t>(i)];
    return i == count_ ? end_ : i * block_;
  }

  static void check_lengths(std::span<const std::int64_t> lengths, std::string_view what) {
    if (lengths.empty()) throw chunk_error(std::string(what) + ": the list is empty; an axis has at least one block");
    for (const std::int64_t length : lengths) {
      if (length < 0) {
        throw chunk_error(std::string(what) + ": " + std::to_string(length) +
                          " is negative; for the whole axis in one block write ashlar::full");
      }
    }
  }

  static bool even(std::span<const std::int64_t> lengths) {
    const std::int64_t first = lengths.front();
    if (lengths.size() > 1 && first == 0) return false;
    for (std::size_t i = 1; i < lengths.size(); ++i) {
      const bool last = i + 1 == lengths.size();
      if (last ? lengths[i] > first || lengths[i] == 0 : lengths[i] != first) return false;
    }
    return true;
  }

  static axis_blocks with_offsets(std::span<const std::int64_t> lengths, bool known) {
    auto offsets = std::make_shared<std::vector<std::int64_t>>();
    offsets->reserve(lengths.size() + 1);
    offsets->push_back(0);
    for (const std::int64_t length : lengths) {
      offsets->push_back(detail::checked_add(offsets->back(), length, "block lengths"));
    }
    axis_blocks result;
    result.end_ = offsets->back();
    result.count_ = static_cast<std::int64_t>(lengths.size());
    result.known_ = known;
    result.offsets_ = std::move(offsets);
    return result;
  }

  [[noreturn]] void throw_unknown(std::string_view call) const {
    throw chunk_error(std::string(call) + " needs known block lengths; those of " + to_string() +
                      " come out of the computation: compute() or persist() the array first");
  }

  std::int64_t end_ = 0;
  std::int64_t block_ = 0;
  std::int64_t count_ = 1;
  bool known_ = true;
  std::shared_ptr<const std::vector<std::int64_t>> offsets_;
};

/// The blocks of an array: the product of the cuts of its axes. Blocks are numbered in C order (last axis fastest).
class block_grid {
 public:
  /// That of a 0-d array: no axes, one block.
  block_grid() = default;

  /// @throws shape_error for more than max_ndim axes.
  explicit block_grid(std::vector<axis_blocks> per_axis) : axes_(std::move(per_axis)) {
    if (axes_.size() > max_ndim) detail::throw_too_many_axes(static_cast<std::int64_t>(axes_.size()));
  }

  /// The whole array in one block.
  static block_grid single(const shape& extents) { return regular(extents, extents); }

  /// Blocks of one shape, with smaller ones at the far ends. @throws chunk_error as axis_blocks::regular does.
  static block_grid regular(const shape& extents, const shape& block) {
    block_grid result;
    for (int i = 0; i < extents.ndim(); ++i) result.push_back(axis_blocks::regular(extents[i], block[i]));
    return result;
  }

  /// Adds a last axis. @throws shape_error for one axis too many.
  void push_back(axis_blocks blocks) {
    if (axes_.size() == max_ndim) detail::throw_too_many_axes(max_ndim + 1);
    axes_.push_back(std::move(blocks));
  }

  int ndim() const noexcept { return static_cast<int>(axes_.size()); }

  /// The blocks of an axis, 0 <= i < ndim(). Unchecked.
  const axis_blocks& axis(int i) const noexcept { return axes_[static_cast<std::size_t>(i)]; }

  /// Number of blocks. @throws shape_error when that is more than 64 bits hold.
  std::int64_t count() const {
    std::int64_t product = 1;
    for (const axis_blocks& blocks : axes_) product = detail::checked_mul(product, blocks.count(), "number of blocks");
    return product;
  }

  /// Blocks along each axis.
  shape counts() const {
    return collect([](const axis_blocks& blocks) { return blocks.count(); });
  }

  /// Whether all block lengths are known.
  bool known() const noexcept {
    for (const axis_blocks& blocks : axes_) {
      if (!blocks.known()) return false;
    }
    return true;
  }

  /// @throws chunk_error that names `call` when some block lengths are not known.
  void require_known(std::string_view call) const {
    for (const axis_blocks& blocks : axes_) blocks.require_known(call);
  }

  /// Shape of the array. @throws chunk_error when some block lengths are not known.
  shape full_shape() const {
    require_known("block_grid::full_shape");
    return capacity_shape();
  }

  /// Largest shape that the array can have: its shape where that is known.
  shape capacity_shape() const {
    return collect([](const axis_blocks& blocks) { return blocks.total_capacity(); });
  }

  /// Longest block of each axis, which bounds every block. @throws chunk_error when some lengths are not known.
  shape max_block_shape() const {
    return collect([](const axis_blocks& blocks) { return blocks.max_length(); });
  }

  /// Writes the position of a block in the grid to out[0..ndim), 0 <= block < count(). Unchecked.
  void coords(std::int64_t block, std::int64_t* out) const noexcept {
    for (int i = ndim() - 1; i >= 0; --i) {
      const std::int64_t n = axis(i).count();
      out[i] = block % n;
      block /= n;
    }
  }

  /// The number of the block at a position in the grid; the inverse of coords.
  std::int64_t linear(const std::int64_t* position) const noexcept {
    std::int64_t block = 0;
    for (int i = 0; i < ndim(); ++i) block = block * axis(i).count() + position[i];
    return block;
  }

  /// Shape of one block, 0 <= block < count(). @throws chunk_error when some block lengths are not known.
  shape block_shape(std::int64_t block) const {
    shape result = shape::filled(ndim(), 0);
    coords(block, result.data());
    for (int i = 0; i < ndim(); ++i) result[i] = axis(i).length(result[i]);
    return result;
  }

  /// Index of the first element of one block. @throws chunk_error when some block lengths are not known.
  shape block_offset(std::int64_t block) const {
    shape result = shape::filled(ndim(), 0);
    coords(block, result.data());
    for (int i = 0; i < ndim(); ++i) result[i] = axis(i).offset(result[i]);
    return result;
  }

  /// As Dask prints it: "((4096, 4096, 1808), (5,))". Long axes are shortened as in axis_blocks::to_string.
  std::string to_string() const {
    std::string text = "(";
    for (int i = 0; i < ndim(); ++i) {
      if (i > 0) text += ", ";
      text += axis(i).to_string();
    }
    if (ndim() == 1) text += ',';
    return text + ')';
  }

  /// Same cuts on every axis; for unknown lengths see axis_blocks.
  friend bool operator==(const block_grid& a, const block_grid& b) noexcept { return a.axes_ == b.axes_; }

 private:
  template <class Get>
  shape collect(Get get) const {
    shape result;
    for (const axis_blocks& blocks : axes_) result.push_back(get(blocks));
    return result;
  }

  std::vector<axis_blocks> axes_;
};

}  // namespace ashlar
