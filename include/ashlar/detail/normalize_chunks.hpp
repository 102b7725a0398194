/// \file
/// From what the user asks for to a grid of blocks.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <ashlar/chunks.hpp>
#include <ashlar/detail/auto_chunks.hpp>
#include <ashlar/detail/unify_chunks.hpp>
#include <ashlar/error.hpp>

namespace ashlar {

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

ASHLAR_DETAIL_SEPARATE block_grid normalize_chunks(const chunks& wanted, const shape& extents, std::int64_t itemsize,
                                                   const block_grid* previous, std::string_view call) {
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
