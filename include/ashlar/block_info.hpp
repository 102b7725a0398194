/// \file
/// Where a block lies: what a function of blocks may ask for.
#pragma once

#include <cstdint>
#include <vector>

#include <ashlar/shape.hpp>

namespace ashlar {

/// A box of elements in an array.
struct block_place {
  ashlar::shape offset;  ///< Indices of the first element of the block.
  ashlar::shape shape;   ///< Lengths of the block.
  ashlar::shape whole;   ///< Shape of the array.
};

/// What map_blocks() and blockwise() tell a function whose last parameter is a `const block_info&`.
struct block_info {
  std::int64_t number = 0;  ///< Of the block of the result, in C order.
  ashlar::shape block;      ///< Its position among the blocks of the result.
  ashlar::shape blocks;     ///< Blocks of the result along each axis.
  block_place result;
  std::vector<block_place> inputs;  ///< By array; after the parts that the function is given.
};

}  // namespace ashlar
