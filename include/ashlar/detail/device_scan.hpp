/// \file
/// Scans of blocks in device memory: one pass, with the bits of the host (graph/scanner.hpp has the order).
///
/// All lines of a layer are one launch. Along the last axis tiles lie in shared memory (device_scan_rows.hpp), along
/// any other one in registers (device_scan_columns.hpp); tiles hand on what runs through slots in global memory
/// (device_scan_chain.hpp). Tiles are counted from the start of the axis and not of a block, so blocks of any length
/// give the same bits.
///
/// Cost: each element is read once and written once. Memory: 16 or 32 bytes a line, or a leaf where there are only a
/// few long lines, and tables of addresses.
#pragma once

#if defined(__CUDACC__)

#include <cstdint>
#include <type_traits>
#include <vector>

#include <ashlar/detail/device_scan_columns.hpp>
#include <ashlar/detail/device_scan_rows.hpp>

namespace ashlar::detail {

/// Whether parts of a line can be combined with each other before they are with what comes before: leaves are, and
/// what is the same in any order.
template <class P>
inline constexpr bool scan_by_leaves = P::in_leaves || std::is_integral_v<typename P::state>;

/// Uploads the tables and fills in what both directions need; slots for `chains` carries of `words` words.
template <class P>
scan_work begin_scan(device_queue& q, const device_scan& w) {
  std::vector<std::int64_t> start{0};
  for (std::int64_t b = 0; b < w.blocks; ++b) start.push_back(start.back() + w.length[b]);
  const auto pointers = static_cast<std::int64_t>(sizeof(void*)) * w.lines * w.blocks;
  scan_work p{};
  p.length = start.back();
  p.blocks = w.blocks;
  p.outer = w.outer;
  p.columns = w.columns;
  p.leaf = w.leaf;
  if (p.length == 0 || w.lines == 0 || w.outer == 0 || w.columns == 0) return p;
  p.in = static_cast<const void* const*>(q.upload(w.in, pointers));
  p.out = static_cast<void* const*>(q.upload(w.out, pointers));
  p.start = static_cast<const std::int64_t*>(
      q.upload(start.data(), static_cast<std::int64_t>(start.size() * sizeof(std::int64_t))));
  return p;
}

/// The counter of tickets and the slots, all zero.
inline void begin_chains(device_queue& q, scan_work& p, std::int64_t slots) {
  const std::int64_t bytes = 256 + slots * static_cast<std::int64_t>(sizeof(ulonglong2));
  auto* const memory = static_cast<unsigned char*>(q.room(bytes));
  if (cudaMemsetAsync(memory, 0, static_cast<std::size_t>(bytes), stream_of(q)) != cudaSuccess) {
    static_cast<void>(cudaGetLastError());
    throw device_error("scan: the device did not clear " + std::to_string(bytes) + " bytes");
  }
  p.ticket = reinterpret_cast<std::uint32_t*>(memory);
  p.slots = reinterpret_cast<ulonglong2*>(memory + 256);
}

/// @throws device_error for more tiles than a launch has
inline void check_tiles(const char* name, std::int64_t tiles) {
  if (tiles < most_thread_blocks) return;
  throw device_error(std::string(name) + ": a scan of " + std::to_string(tiles) +
                     " tiles is more than one launch on a device takes; scan parts of the array");
}

/// A type of its own for each kernel, so that all are started in one way.
template <class P, int Rows, bool Leaves>
void scan_columns_on_device(device_queue& q, const device_scan& w, scan_work p) {
  using state = typename P::state;
  using carry = std::conditional_t<!Leaves && P::in_leaves, leaf_carry<state>, state>;
  const std::int64_t tiles = (p.length + Rows - 1) / Rows;
  const std::int64_t groups = (p.outer * p.columns + 31) / 32;
  const std::int64_t chains = groups * w.lines;
  check_tiles(P::name, tiles);
  check_tiles(P::name, chains);
  check_tiles(P::name, tiles * chains);
  p.tiles = static_cast<std::uint32_t>(tiles);
  p.groups = static_cast<std::uint32_t>(groups);
  p.chains = static_cast<std::uint32_t>(chains);
  begin_chains(q, p, tiles > 1 ? chains * 32 * slot_words<carry> : 0);
  const auto blocks = static_cast<unsigned>((tiles * chains + scan_warps - 1) / scan_warps);
  if constexpr (Leaves) {
    scan_down_leaves<P, Rows><<<blocks, 32 * scan_warps, 0, stream_of(q)>>>(p);
  } else {
    scan_down_serial<P, Rows><<<blocks, 32 * scan_warps, 0, stream_of(q)>>>(p);
  }
  check_launch(P::name, w.lines * w.blocks);
}

/// Tiles of a row from which on a warp that only adds their sums up pays.
inline constexpr std::int64_t carried_tiles = 4;

template <class P, bool Leaves>
void scan_rows_on_device(device_queue& q, const device_scan& w, scan_work p, std::int64_t segment) {
  using state = typename P::state;
  constexpr auto size = static_cast<std::int64_t>(sizeof(scan_cell<state>));
  constexpr std::int64_t cells = along_bytes / (size < 8 ? 8 : size);
  std::int64_t lane_count = cells / segment;
  lane_count = lane_count < 1 ? 1 : lane_count > along_threads ? along_threads : lane_count;
  p.rows = w.lines * w.outer;
  // several segments of a row only where there are not enough rows
  std::int64_t leaves = 1;
  while (lane_count % (leaves * 2) == 0 && p.rows * leaves * 2 <= lane_count && segment * leaves < p.length)
    leaves *= 2;
  const std::int64_t rows = lane_count / leaves;
  const std::int64_t tiles = (p.length + segment * leaves - 1) / (segment * leaves);
  const std::int64_t chains = (p.rows + rows - 1) / rows;
  check_tiles(P::name, tiles);
  check_tiles(P::name, chains);
  check_tiles(P::name, tiles * chains);
  p.segment = fast_divisor(segment);
  p.lanes = static_cast<std::uint32_t>(lane_count);
  p.leaves = static_cast<std::uint32_t>(leaves);
  p.tiles = static_cast<std::uint32_t>(tiles);
  p.chains = static_cast<std::uint32_t>(chains);
  constexpr std::int64_t words = slot_words<state>;
  const bool carrier = Leaves && leaves > 1 && tiles >= carried_tiles && p.rows <= along_threads / 32;
  if (carrier) {
    begin_chains(q, p, p.rows * tiles * (leaves + 1) * words);
    p.sums = p.slots + p.rows * tiles * words;
  } else {
    begin_chains(q, p, tiles > 1 ? p.rows * words : 0);
  }
  const std::int64_t memory = along_memory<P>(lane_count, segment);
  static_cast<void>(cudaFuncSetAttribute(scan_along<P, Leaves>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                         static_cast<int>(memory)));
  scan_along<P, Leaves><<<static_cast<unsigned>(tiles * chains + (carrier ? 1 : 0)), along_threads,
                          static_cast<std::size_t>(memory), stream_of(q)>>>(p);
  check_launch(P::name, w.lines * w.blocks);
}

/// A leaf of the longest rows that a tile takes whole.
inline constexpr std::int64_t most_segment = 512;

/// The scan P of blocks in device memory. @throws device_error when the launch is refused
template <class P>
void scan_on_device(device_queue& q, const device_scan& w) {
  const scan_work p = begin_scan<P>(q, w);
  if (p.in == nullptr) return;
  constexpr bool leaves = scan_by_leaves<P>;
  constexpr bool wide = sizeof(typename P::in_type) > 8;
  const std::int64_t leaf = P::in_leaves ? p.leaf : most_segment;
  if (p.columns == 1) {
    // one leaf, or none: any segment that holds the row
    std::int64_t segment = most_segment;
    if (p.length <= leaf) {
      while (segment > 8 && segment / 2 >= p.length) segment /= 2;
    } else {
      segment = leaf;
    }
    if constexpr (leaves) {
      if (segment <= most_segment && (p.length <= segment || segment == leaf)) {
        return scan_rows_on_device<P, true>(q, w, p, segment);
      }
    }
    if constexpr (!std::is_integral_v<typename P::state>) {
      if (!P::in_leaves || p.length <= p.leaf) {
        return scan_rows_on_device<P, false>(q, w, p, segment < most_segment ? segment : most_segment);
      }
    }
  }
  constexpr int leaf_rows = 64;
  if constexpr (leaves && !wide) {
    if (!P::in_leaves || p.leaf == leaf_rows || (p.length <= leaf_rows && p.length <= p.leaf)) {
      return scan_columns_on_device<P, leaf_rows, true>(q, w, p);
    }
  }
  if constexpr (!std::is_integral_v<typename P::state>) scan_columns_on_device<P, wide ? 16 : 32, false>(q, w, p);
}

}  // namespace ashlar::detail

#endif
