/// \file
/// Scans as values: begin, go on over rows or columns, behind plain pointers.
///
/// A scan keeps a *running state* of one or two fields for each line along its axis, in arrays, one array a field. Its
/// order is fixed by the position along the axis alone, counted from the start of the axis, not of the block:
///
/// - what can be combined in any order without changing a bit (integers, extrema), and products, are combined from left
///   to right;
/// - floating-point sums are made in leaves of 512 elements along the last axis, 64 along any other one; one leaf
///   without an end is NumPy's order. Within a leaf
///   elements are added from left to right, what the leaves before it gave is added to each of these sums, and the last
///   of them is what the next leaf gets. So leaves can be summed side by side (within a core, and by threads of a
///   device), and sums of non-negative numbers never decrease.
///
/// The state goes from block to block, in the middle of a leaf too, so no cut changes a bit. A product gets all that
/// came before as its first factor: products of leaves could overflow where the whole product is 0.
#pragma once

#include <cstdint>
#include <limits>

#include <ashlar/dtype.hpp>
#include <ashlar/graph/reducer.hpp>

namespace ashlar::detail {

struct device_scan;  // graph/device_work.hpp

inline constexpr std::int64_t row_scan_leaf = 512;    // elements in a leaf along the last axis
inline constexpr std::int64_t column_scan_leaf = 64;  // rows in a leaf along any other axis
inline constexpr std::int64_t endless_scan_leaf = std::numeric_limits<std::int64_t>::max();

/// `rows` rows of `n` elements, packed within a row, rows so many bytes apart.
struct scan_piece {
  const void* in;
  std::int64_t in_stride;
  void* out;
  std::int64_t out_stride;
  std::int64_t rows;
  std::int64_t n;
  std::int64_t position;  // along the axis, of the first element of each line
  std::int64_t leaf;      // elements in a leaf
};

struct scan_entries {
  /// Each row is a line along the axis; line r goes on from state[r].
  void (*rows)(const scan_piece& p, state_ref state);
  /// Each column is a line along the axis; line c goes on from state[c].
  void (*columns)(const scan_piece& p, state_ref state);
};

inline constexpr std::uint32_t scan_magic = 0x41534833;  // "ASH3"

/// What is constant about one scan; found by another process in the way of a kernel's descriptor.
struct scan_descriptor {
  std::uint32_t magic;
  std::uint64_t type_hash;
  const char* name;
  dtype input;
  dtype output;
  int fields;
  dtype field[max_fields];
  scan_entries host[3];  // by isa_level
  /// States of lines that have not begun.
  void (*begin)(state_ref state, std::int64_t lines);
  /// All lines of a scan on a device, to the same bits; null in what nvcc did not compile.
  void (*device)(device_queue& q, const device_scan& work);
};

}  // namespace ashlar::detail
