/// \file
/// Scans along rows: a thread block brings a tile of segments into shared memory, a thread runs through each segment,
/// and all write it back.
///
/// A segment is a leaf, since what is added in order cannot be spread over threads. Its neighbours in a tile are those
/// of other rows, as long as there are rows, so that chains are short beside the number of tiles that run. Rows of the
/// tile in shared memory are one cell longer than a segment, which puts the cells that threads work on at one time into
/// different banks.
#pragma once

#if defined(__CUDACC__)

#include <cstdint>
#include <type_traits>

#include <ashlar/detail/device_scan_chain.hpp>

namespace ashlar::detail {

inline constexpr int along_threads = 256;
inline constexpr std::int64_t along_bytes = 65536;  // of cells, so that three tiles fit a multiprocessor
inline constexpr int along_together = 8;            // elements that a thread has under way

/// What a cell in shared memory holds: a state, but not less than a word of a bank.
template <class A>
using scan_cell = std::conditional_t<(sizeof(A) < 4), std::int32_t, A>;

/// Where the elements of a segment are. Most lie in one block; others are looked for.
template <class In, class Out>
struct scan_lane {
  const In* in;
  Out* out;
  std::int64_t position;
  std::int64_t row;
  int limit;  // elements that `in` and `out` reach
  int count;
};

template <class In, class Out>
__device__ scan_lane<In, Out> find_lane(const scan_work& p, std::int64_t row, std::int64_t position, int segment) {
  scan_lane<In, Out> l{nullptr, nullptr, position, row, 0, 0};
  if (row >= p.rows || position >= p.length) return l;
  const std::int64_t line = row / p.outer;
  const std::int64_t outer = row - line * p.outer;
  const std::int64_t b = block_at(p, position);
  const std::int64_t begin = p.start[b];
  const std::int64_t end = p.start[b + 1];
  const std::int64_t at = outer * (end - begin) + position - begin;
  l.in = static_cast<const In*>(p.in[line * p.blocks + b]) + at;
  l.out = static_cast<Out*>(p.out[line * p.blocks + b]) + at;
  l.count = static_cast<int>(p.length - position < segment ? p.length - position : segment);
  l.limit = static_cast<int>(end - position < l.count ? end - position : l.count);
  return l;
}

/// Of element `j` of a lane, beyond its limit.
template <class In, class Out>
__device__ scan_lane<In, Out> find_beyond(const scan_work& p, const scan_lane<In, Out>& l, int j) {
  return find_lane<In, Out>(p, l.row, l.position + j, 1);
}

/// Runs through the cells of a segment and leaves the running values there.
template <class P>
__device__ typename P::state run_segment(scan_cell<typename P::state>* cell, int count, typename P::state running) {
  using state = typename P::state;
  constexpr int batch = 16;
  int j = 0;
  for (; j + batch <= count; j += batch) {
    state x[batch];
#pragma unroll
    for (int i = 0; i < batch; ++i) x[i] = static_cast<state>(cell[j + i]);
#pragma unroll
    for (int i = 0; i < batch; ++i) cell[j + i] = running = P::combine(running, x[i]);
  }
  for (; j < count; ++j) cell[j] = running = P::combine(running, static_cast<state>(cell[j]));
  return running;
}

/// Bytes of shared memory of a tile.
template <class P>
constexpr std::int64_t along_memory(std::int64_t lane_count, std::int64_t segment) {
  using lane = scan_lane<typename P::in_type, typename P::out_type>;
  const std::int64_t cells =
      lane_count * (segment + 1) * static_cast<std::int64_t>(sizeof(scan_cell<typename P::state>));
  return (cells + 15) / 16 * 16 + lane_count * static_cast<std::int64_t>(sizeof(typename P::state) + sizeof(lane));
}

/// `Leaves`: segments are combined before they are told what came before.
template <class P, bool Leaves>
__global__ void __launch_bounds__(along_threads, 3) scan_along(const scan_work p) {
  using in_type = typename P::in_type;
  using out_type = typename P::out_type;
  using state = typename P::state;
  using cell = scan_cell<state>;
  using lane = scan_lane<in_type, out_type>;
  extern __shared__ __align__(16) unsigned char scan_memory[];
  const auto segment = static_cast<int>(p.segment.divisor);
  const auto lane_count = static_cast<int>(p.lanes);
  const int width = segment + 1;
  auto* const cells = reinterpret_cast<cell*>(scan_memory);
  const int cell_bytes = lane_count * width * static_cast<int>(sizeof(cell));
  auto* const before = reinterpret_cast<state*>(scan_memory + (cell_bytes + 15) / 16 * 16);
  auto* const list = reinterpret_cast<lane*>(before + lane_count);
  __shared__ std::uint32_t shared_ticket;

  if (threadIdx.x == 0) shared_ticket = atomicAdd(p.ticket, 1u);
  __syncthreads();
  const std::uint32_t ticket = shared_ticket;
  const std::uint32_t number = ticket / p.chains;
  const std::uint32_t group = ticket - number * p.chains;
  const auto leaves = static_cast<int>(p.leaves);
  const int rows = lane_count / leaves;
  const auto me = static_cast<int>(threadIdx.x);
  const std::int64_t first_row = static_cast<std::int64_t>(group) * rows;
  if (me < lane_count) {
    list[me] = find_lane<in_type, out_type>(
        p, first_row + me / leaves, (static_cast<std::int64_t>(number) * leaves + me % leaves) * segment, segment);
  }
  __syncthreads();

  const int size = lane_count * segment;
  for (int e = me; e < size; e += along_threads * along_together) {
    in_type x[along_together];
#pragma unroll
    for (int i = 0; i < along_together; ++i) {
      auto j = static_cast<std::uint32_t>(e + i * along_threads);
      if (j >= static_cast<std::uint32_t>(size)) break;
      std::uint32_t l = j;
      j = p.segment.split(l);
      const lane& at = list[l];
      if (static_cast<int>(j) < at.limit) {
        x[i] = load_once(at.in + j);
      } else if (static_cast<int>(j) < at.count) {
        x[i] = load_once(find_beyond(p, at, static_cast<int>(j)).in);
      }
    }
#pragma unroll
    for (int i = 0; i < along_together; ++i) {
      auto j = static_cast<std::uint32_t>(e + i * along_threads);
      if (j >= static_cast<std::uint32_t>(size)) break;
      std::uint32_t l = j;
      j = p.segment.split(l);
      if (static_cast<int>(j) < list[l].count) cells[static_cast<int>(l) * width + static_cast<int>(j)] = P::lift(x[i]);
    }
  }
  __syncthreads();

  if constexpr (Leaves) {
    if (me < lane_count) before[me] = run_segment<P>(cells + me * width, list[me].count, P::identity());
    __syncthreads();
  }
  if (me < rows && first_row + me < p.rows) {
    ulonglong2* const slot = p.slots + (first_row + me) * slot_words<state>;
    state carry = P::identity();
    if (number > 0) carry = await_carry<state>(slot, number);
    for (int g = 0; g < leaves; ++g) {
      const int l = me * leaves + g;
      if constexpr (Leaves) {
        const state sum = before[l];
        before[l] = carry;
        carry = P::combine(carry, sum);
      } else {
        carry = run_segment<P>(cells + l * width, list[l].count, carry);
      }
    }
    if (number + 1 < p.tiles) publish_carry<state>(slot, carry, number + 1);
  }
  __syncthreads();

  for (int e = me; e < size; e += along_threads) {
    auto l = static_cast<std::uint32_t>(e);
    const auto j = static_cast<int>(p.segment.split(l));
    const lane& at = list[l];
    if (j >= at.count) continue;
    auto value = static_cast<state>(cells[static_cast<int>(l) * width + j]);
    if constexpr (Leaves) value = P::combine(before[l], value);
    out_type* const to = j < at.limit ? at.out + j : find_beyond(p, at, j).out;
    store_once(to, static_cast<out_type>(P::result(value)));
  }
}

}  // namespace ashlar::detail

#endif
