/// \file
/// How much scratch a user's function of blocks needs beside its blocks.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ashlar/detail/config.hpp>
#include <ashlar/graph/plan.hpp>
#include <ashlar/graph/region.hpp>

namespace ashlar::detail {

/// Bytes that a view may put together in scratch for a task of at most `length` elements along each axis: the region
/// that it reads, when that lies in several blocks or has to be generated.
inline std::int64_t viewed_scratch(const leaf& f, const ashlar::shape& length) {
  const bool in_memory = f.from != nullptr && f.from->memory() != nullptr;
  if (f.view == nullptr || in_memory) return 0;
  const bool in_blocks = f.from == nullptr || f.from->blocks() != nullptr;
  if (in_blocks && f.grid.count() == 1) return 0;
  std::int64_t part = 1;
  for (int a = 0; a < f.shape.ndim(); ++a) {
    const std::int64_t n = length[a + length.ndim() - f.shape.ndim()];
    part *= n < f.shape[a] ? n : f.shape[a];
  }
  const std::int64_t whole = largest_stored_box(f, length);
  const std::int64_t most = sparse_view * (part + 1);  // beyond that only the elements that are read are taken
  return round_up((whole < most ? whole : most) * itemsize(f.type), 64);
}

/// Whether every part of operand `k` of a blockwise layer lies packed in memory.
inline bool operand_is_packed(const layer& l, std::size_t k) {
  const leaf& f = l.tape.leaves[k];
  if (l.rule->halo_of(k) != nullptr) return false;
  const bool in_blocks = f.from == nullptr ? !f.in_result : f.from->blocks() != nullptr;
  const memory_view* const m = f.from == nullptr ? nullptr : f.from->memory();
  if (has_red_zones || f.view != nullptr || (!in_blocks && (m == nullptr || m->strides != row_major_strides(f.shape))))
    return false;
  bool rows = true;  // the axes behind are read whole
  for (int a = f.shape.ndim() - 1; a >= 0; --a) {
    const int axis = l.rule->follows[k][static_cast<std::size_t>(a)];
    const bool cut = axis != block_rule::whole && f.shape[a] == l.rule->loop.axis(axis).total();
    const std::int64_t length = cut ? l.rule->loop.axis(axis).max_length() : f.shape[a];
    bool whole = length == f.shape[a];
    if (in_blocks && f.grid.axis(a).count() != 1) {
      if (!cut || !(f.grid.axis(a) == l.rule->loop.axis(axis))) return false;
      whole = true;  // of the block in which it lies
    }
    if (!rows && length != 1) return false;
    rows = rows && whole;
  }
  return true;
}

/// Elements of the largest piece around a part of operand `k` that may have to be put together before it is copied.
inline std::int64_t largest_halo_piece(const layer& l, std::size_t k) {
  const halo* const h = l.rule->halo_of(k);
  const ashlar::shape& extents = l.tape.leaves[k].shape;
  if (h == nullptr) return 0;
  const std::int64_t elements = largest_part(*l.rule, k, extents);
  std::int64_t most = 0;
  for (int a = 0; a < extents.ndim(); ++a) {
    const std::int64_t depth = h[a].before > h[a].after ? h[a].before : h[a].after;
    const std::int64_t length = largest_length(*l.rule, k, extents, a);
    if (length == 0) return 0;
    if (elements / length * depth > most) most = elements / length * depth;
  }
  return most;
}

/// Bytes of scratch that a task of a movement layer takes: for the part of one operand at a time, and for a reshaped
/// block that does not lie in runs where it belongs.
inline std::int64_t movement_scratch(const layer& l) {
  std::int64_t bytes = 0;
  const std::int64_t size = itemsize(l.outputs[0].type);
  for (const leaf& f : l.tape.leaves) {
    ashlar::shape length;
    for (int a = 0; a < f.shape.ndim(); ++a) {
      length.push_back(l.movement->reshapes() ? f.shape[a] : l.grid.axis(a).max_length());
    }
    followed_axis unused[max_ndim];  // pieces of one block each are read where they are
    const bool in_blocks = f.from == nullptr || f.from->blocks() != nullptr;
    const std::int64_t part = in_blocks && follows_one_each(f, unused) ? 0 : viewed_scratch(f, length);
    if (part > bytes) bytes = part;
  }
  if (l.movement->reshapes()) {
    std::int64_t block = size;
    for (int a = 0; a < l.grid.ndim(); ++a) block *= l.grid.axis(a).max_length();
    bytes = (bytes < sparse_view * block ? bytes : sparse_view * block) + block;
  }
  return bytes + tile_elements * size + 4096;
}

/// Bytes of scratch that a task of a blockwise layer takes, with the block that its function may return.
inline std::int64_t blockwise_scratch(const layer& l) {
  std::int64_t bytes = 4096;
  for (std::size_t k = 0; k < l.tape.leaves.size(); ++k) {
    const leaf& f = l.tape.leaves[k];
    bytes += static_cast<std::int64_t>(sizeof(block_part));
    if (f.view != nullptr) {
      ashlar::shape length;
      for (int a = 0; a < f.shape.ndim(); ++a) length.push_back(largest_length(*l.rule, k, f.shape, a));
      bytes += viewed_scratch(f, length);
    }
    if (const halo* const h = l.rule->halo_of(k); h != nullptr) {
      bytes += round_up(largest_halo_piece(l, k) * itemsize(f.type), 64) + 1024;
      for (int a = 0; a < f.shape.ndim(); ++a) {
        bytes += (h[a].before + h[a].after + 1) * static_cast<std::int64_t>(sizeof(halo_piece)) + 64;
      }
    }
    if (!operand_is_packed(l, k)) bytes += round_up(largest_part(*l.rule, k, f.shape) * itemsize(f.type), 64) + 1024;
  }
  std::int64_t made = itemsize(l.outputs[0].type);
  for (int a = 0; a < l.grid.ndim(); ++a) made *= l.grid.axis(a).max_length();
  return bytes + 2 * round_up(made, 64) + 1024;
}

}  // namespace ashlar::detail
