/// \file
/// The blocks of an element-wise result whose operands are cut differently.
///
/// Dask always takes every cut of every operand. For x + transpose(x) with x in 100 columns of 1000 x 10 that gives
/// 10000 blocks of 10 x 10, each with the cost of a task. Here tasks read regions of blocks, so the result need not be
/// cut where an operand is cut; the rule is:
///
///  1. Axes where an operand has length 1 are broadcast; the operand has no say there.
///  2. The common refinement (all cuts of all operands) is taken when its largest block has at least 1 MiB, or when it
///     has no more blocks than the most finely cut operand. The second covers equal grids, and one operand that is cut
///     while the others are whole.
///  3. Otherwise one operand lends its whole layout and the others are read by regions of their blocks. The one with
///     the most bytes does, since reading across blocks costs most for it; of equal ones that with fewer blocks, then
///     the first. Where it is broadcast, the refinement of the others' cuts holds.
///  4. No layout is lent whose largest block has more elements than the largest block of any operand: a result never
///     needs bigger blocks than the user made. The next operand is asked then; when none is left, the refinement holds.
///
/// Cost: O(blocks per axis) for uneven axes, O(1) for even ones that divide each other.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <ashlar/block_grid.hpp>
#include <ashlar/error.hpp>
#include <ashlar/shape.hpp>

namespace ashlar {

/// One operand of an element-wise operation: how it is cut, and bytes per element.
struct unify_operand {
  const block_grid* grid;
  std::int64_t itemsize;
};

/// Blocks of an axis whose lengths may have to be listed one by one; no run could have as many tasks.
inline constexpr std::int64_t most_listed_blocks = std::int64_t{1} << 28;

/// All cuts of both axes: (1, 2) with (2, 1) gives (1, 1, 1). An axis in one block adds no cut and leaves the other as
/// it is; of two different ones, empty blocks are dropped. Both axes have the same, known total.
/// @throws chunk_error when the totals differ or are not known, or there are too many uneven blocks to list.
inline axis_blocks common_refinement(const axis_blocks& a, const axis_blocks& b,
                                     std::string_view call = "common_refinement") {
  if (a.total() != b.total()) {
    throw chunk_error(std::string(call) + ": blocks " + a.to_string() + " and " + b.to_string() + " have totals " +
                      std::to_string(a.total()) + " and " + std::to_string(b.total()) + "; they must agree");
  }
  if (a == b || b.count() == 1) return a;
  if (a.count() == 1) return b;
  if (a.uniform() && b.uniform()) {
    const bool a_finer = a.max_length() < b.max_length();
    const axis_blocks& finer = a_finer ? a : b;
    const axis_blocks& coarser = a_finer ? b : a;
    if (coarser.max_length() % finer.max_length() == 0) return finer;
  }
  if (a.count() > most_listed_blocks || b.count() > most_listed_blocks) {
    throw chunk_error(std::string(call) + ": blocks " + a.to_string() + " and " + b.to_string() +
                      " have no even refinement, and a list of that many lengths is too long; use larger chunks, or "
                      "such that one divides the other");
  }
  std::vector<std::int64_t> lengths;
  std::int64_t position = 0;
  for (std::int64_t i = 0, j = 0; i < a.count() && j < b.count();) {
    const std::int64_t end_a = a.offset(i + 1);
    const std::int64_t end_b = b.offset(j + 1);
    const std::int64_t next = end_a < end_b ? end_a : end_b;
    if (next > position) lengths.push_back(next - position);
    position = next;
    if (end_a == next) ++i;
    if (end_b == next) ++j;
  }
  if (lengths.empty()) return axis_blocks::single(0);
  return axis_blocks::explicit_lengths(lengths);
}

namespace detail {

/// Bytes below which a block is not worth a task of its own.
inline constexpr double smallest_refined_block = 1 << 20;

/// The blocks of an operand along an axis of the result, or null where it is broadcast or has no such axis.
inline const axis_blocks* operand_axis(const block_grid& grid, const shape& result, int axis) {
  const int own = axis - (result.ndim() - grid.ndim());
  if (own < 0) return nullptr;
  const axis_blocks& blocks = grid.axis(own);
  if (blocks.known() && blocks.total() == 1 && result[axis] != 1) return nullptr;
  return &blocks;
}

/// Elements of the largest block; in floating point, since only the order of magnitude counts and it cannot overflow.
inline double largest_block(const block_grid& grid) {
  double elements = 1;
  for (int i = 0; i < grid.ndim(); ++i) elements *= static_cast<double>(grid.axis(i).max_capacity());
  return elements;
}

inline double block_count(const block_grid& grid) {
  double blocks = 1;
  for (int i = 0; i < grid.ndim(); ++i) blocks *= static_cast<double>(grid.axis(i).count());
  return blocks;
}

inline double total_bytes(const unify_operand& operand) {
  double bytes = static_cast<double>(operand.itemsize);
  for (int i = 0; i < operand.grid->ndim(); ++i) bytes *= static_cast<double>(operand.grid->axis(i).total_capacity());
  return bytes;
}

/// All cuts of the operands along one axis of the result.
inline axis_blocks refine_axis(std::span<const unify_operand> operands, const shape& result, int axis,
                               std::string_view call) {
  const axis_blocks* first = nullptr;
  axis_blocks refined;
  for (const unify_operand& operand : operands) {
    const axis_blocks* blocks = operand_axis(*operand.grid, result, axis);
    if (blocks == nullptr) continue;
    if (first == nullptr) {
      first = blocks;
      refined = *blocks;
    } else if (!(refined == *blocks)) {
      refined.require_known(call);
      blocks->require_known(call);
      if (refined.total() != blocks->total()) {
        throw chunk_error(std::string(call) + ": along axis " + std::to_string(axis) + " of shape " +
                          result.to_string() + " the operands have blocks " + refined.to_string() + " and " +
                          blocks->to_string() + ", which add up to different lengths");
      }
      refined = common_refinement(refined, *blocks, call);
    }
  }
  return first == nullptr ? axis_blocks::single(result[axis]) : refined;
}

}  // namespace detail

/// The blocks of an element-wise result of shape `result`; the rule stands at the top of this file. Operands have at
/// most result.ndim() axes, matched from the right. The result's grid is equal to an operand's where they agree.
/// An axis of unknown block lengths passes through when all operands that are not broadcast there share it.
/// @throws chunk_error that names `call` when unknown block lengths meet other ones.
inline block_grid unify_grids(std::span<const unify_operand> operands, const shape& result, std::string_view call) {
  block_grid refined;
  for (int axis = 0; axis < result.ndim(); ++axis) {
    refined.push_back(detail::refine_axis(operands, result, axis, call));
  }
  double most_blocks = 1;
  double largest_operand_block = 0;
  std::int64_t itemsize = 1;
  for (const unify_operand& operand : operands) {
    const double blocks = detail::block_count(*operand.grid);
    const double block = detail::largest_block(*operand.grid);
    if (blocks > most_blocks) most_blocks = blocks;
    if (block > largest_operand_block) largest_operand_block = block;
    if (operand.itemsize > itemsize) itemsize = operand.itemsize;
  }
  if (detail::block_count(refined) <= most_blocks ||
      detail::largest_block(refined) * static_cast<double>(itemsize) >= detail::smallest_refined_block) {
    return refined;
  }

  std::vector<bool> asked(operands.size(), false);
  for (std::size_t round = 0; round < operands.size(); ++round) {
    std::size_t lender = operands.size();
    for (std::size_t i = 0; i < operands.size(); ++i) {
      if (asked[i]) continue;
      if (lender == operands.size()) {
        lender = i;
        continue;
      }
      const double bytes = detail::total_bytes(operands[i]);
      const double most = detail::total_bytes(operands[lender]);
      if (bytes < most) continue;
      if (bytes > most || detail::block_count(*operands[i].grid) < detail::block_count(*operands[lender].grid)) {
        lender = i;
      }
    }
    asked[lender] = true;
    block_grid lent;
    for (int axis = 0; axis < result.ndim(); ++axis) {
      const axis_blocks* blocks = detail::operand_axis(*operands[lender].grid, result, axis);
      lent.push_back(blocks != nullptr ? *blocks : refined.axis(axis));
    }
    if (detail::largest_block(lent) <= largest_operand_block) return lent;
  }
  return refined;
}

}  // namespace ashlar
