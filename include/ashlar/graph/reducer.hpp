/// \file
/// Reducers as values: init, accumulate, merge, finish, behind plain pointers.
///
/// A reducer turns elements into *states* of up to three fields (sum; sum and M2; value and index). States live in
/// arrays, one array a field, so that kept columns vectorise. The canonical order is fixed by logical index alone:
///
/// - along the last axis, leaves of 512 elements: lane l of 32 takes elements l, l+32, …; lanes fold by a fixed tree;
/// - along any other axis, leaves of 16 rows, added in order;
/// - leaves, and then blocks, pair with their neighbour level by level, an odd last one passing up unchanged;
/// - several axes reduce one after the other, the last one first.
///
/// Any fan-in of 2^k over aligned groups walks the same tree, so neither workers nor `split_every` change a bit.
#pragma once

#include <cstdint>

#include <ashlar/dtype.hpp>

namespace ashlar::detail {

class device_queue;     // graph/device_work.hpp
struct device_reducer;  // there, too
struct device_fused;
struct device_finish;

inline constexpr int max_fields = 3;
inline constexpr int row_leaf = 512;    // elements in a leaf along the last axis
inline constexpr int column_leaf = 16;  // rows in a leaf along any other axis

/// State arrays, one pointer a field.
struct state_ref {
  void* field[max_fields];
};

/// The linear index (or index along the reduced axis) that an argmin reports: first + row * row_step + column * step.
struct index_map {
  std::int64_t first = 0;
  std::int64_t row_step = 0;
  std::int64_t step = 0;
};

struct reducer_entries {
  /// `rows` independent rows of `n` packed elements, `row_stride` bytes apart: one state each, at state[row].
  void (*rows)(const void* in, std::int64_t row_stride, std::int64_t rows, std::int64_t n, index_map index,
               state_ref state);
  /// A row that arrives in pieces, each but the last a multiple of 512; `running` is row_state_bytes of zeroed memory.
  void (*feed)(void* running, const void* in, std::int64_t n, index_map index);
  void (*end)(void* running, state_ref state);
  /// One leaf of at most 16 rows: a state for each of `columns` packed columns.
  void (*columns)(const void* in, std::int64_t row_stride, int rows, std::int64_t columns, index_map index,
                  state_ref state);
  /// out[c] = a[c] followed by b[c]; out may be a. Counts are the numbers of elements behind each state.
  void (*merge)(state_ref out, state_ref a, state_ref b, std::int64_t columns, std::int64_t count_a,
                std::int64_t count_b);
};

inline constexpr std::uint32_t reducer_magic = 0x41534832;  // "ASH2"

/// What is constant about one reducer; found by another process in the way of a kernel's descriptor.
struct reducer_descriptor {
  std::uint32_t magic;
  std::uint64_t type_hash;
  const char* name;
  dtype input;
  int fields;
  dtype field[max_fields];
  std::int64_t row_state_bytes;
  bool needs_index;
  reducer_entries host[3];  // by isa_level
  /// States of nothing.
  void (*identity)(state_ref state, std::int64_t columns);
  /// The reducer whose first field is this one's, bit for bit (sum for moments), or null.
  const reducer_descriptor* prefix;
  /// The same passes on a device, to the same bits; null in what nvcc did not compile.
  const device_reducer* device;
};

struct finisher_descriptor {
  const char* name;
  dtype output;
  /// Turns states over `count` elements each into `columns` results.
  void (*apply)(state_ref state, std::int64_t columns, std::int64_t count, double parameter, void* out);
  /// The same on a device; null in what nvcc did not compile, and where apply() may throw.
  void (*device)(device_queue& q, const device_finish& work);
};

}  // namespace ashlar::detail
