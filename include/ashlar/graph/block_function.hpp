/// \file
/// A user's function of whole blocks, behind one virtual call, and the rule that says which part of each operand it
/// gets for which block of the result.
///
/// The rule is data, not code: every axis of an operand is either cut together with one axis of the result, or read
/// whole; with a halo it gets what lies around that too. That covers blocks one by one, stencils, contractions (tensor
/// products), outer products, dropped and new axes, and each level of a reduction by the user's functions. What a block
/// reads and gives is known without a call of the function.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <ashlar/block_grid.hpp>
#include <ashlar/graph/box.hpp>
#include <ashlar/graph/halo.hpp>
#include <ashlar/shape.hpp>

namespace ashlar::detail {

/// Elements that lie around a block along one axis.
struct surroundings {
  std::int64_t before = 0;
  std::int64_t after = 0;
  std::int64_t stride = 0;  // elements from one to the next
};

/// A block as the function sees it: packed, row-major. One with a halo has strides, of which the last is 1; `data` and
/// `where` are then without the halo.
struct block_part {
  void* data = nullptr;
  box where;                             // in its array
  const shape* whole = nullptr;          // shape of that array
  const surroundings* around = nullptr;  // by axis; null: packed, and nothing
};

/// One call: the parts of the operands, and room for the block of the result.
struct block_call {
  const block_part* in = nullptr;
  int inputs = 0;
  block_part out;
  const surroundings* trim = nullptr;  // by axis of the result: what a block that is returned has more; null: nothing
  const std::int64_t* position = nullptr;  // of the block in the grid of the result
  const block_grid* grid = nullptr;        // of the result
};

class block_function {
 public:
  block_function() = default;
  block_function(const block_function&) = delete;
  block_function& operator=(const block_function&) = delete;
  virtual ~block_function() = default;

  /// One word for messages: "map_blocks", or what the user called it.
  virtual const char* name() const noexcept = 0;

  /// Writes every element of c.out. Called on any thread, on several at once, never for a result without elements.
  virtual void call(const block_call& c) const = 0;
};

struct block_rule {
  static constexpr int whole = -1;

  std::shared_ptr<const block_function> function;
  block_grid loop;                        // the result's blocks in the operands' coordinates; as many as the result has
  std::vector<std::vector<int>> follows;  // by operand and axis: the axis of `loop` that cuts it, or `whole`
  std::vector<std::vector<halo>> halos;   // by operand and axis; empty: no operand has one
  bool trimmed = false;                   // the function gives its block with a halo, which is cut off

  /// By axis, or null.
  const halo* halo_of(std::size_t operand) const noexcept { return halos.empty() ? nullptr : halos[operand].data(); }
};

/// The part of an operand that the block at `position` is made from, without a halo. An extent of 1 beside a longer one
/// is read as it is.
inline box operand_part(const block_rule& r, std::size_t operand, const shape& extents, const std::int64_t* position) {
  box b;
  b.ndim = extents.ndim();
  for (int a = 0; a < b.ndim; ++a) {
    const int axis = r.follows[operand][static_cast<std::size_t>(a)];
    if (axis == block_rule::whole || extents[a] != r.loop.axis(axis).total()) {
      b.offset[a] = 0;
      b.length[a] = extents[a];
    } else {
      b.offset[a] = r.loop.axis(axis).offset(position[axis]);
      b.length[a] = r.loop.axis(axis).length(position[axis]);
    }
  }
  return b;
}

/// Length of the longest such part along one of the operand's axes, with its halo.
inline std::int64_t largest_length(const block_rule& r, std::size_t operand, const shape& extents, int a) {
  const int axis = r.follows[operand][static_cast<std::size_t>(a)];
  const halo* const h = r.halo_of(operand);
  return (axis == block_rule::whole || extents[a] != r.loop.axis(axis).total() ? extents[a]
                                                                               : r.loop.axis(axis).max_length()) +
         (h != nullptr ? h[a].before + h[a].after : 0);
}

/// Elements of the largest such part, with its halo.
inline std::int64_t largest_part(const block_rule& r, std::size_t operand, const shape& extents) {
  std::int64_t n = 1;
  for (int a = 0; a < extents.ndim(); ++a) n *= largest_length(r, operand, extents, a);
  return n;
}

}  // namespace ashlar::detail
