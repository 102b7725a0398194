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

/// A few long rows: one warp for each does nothing but run through the sums of its leaves, which tiles publish, and
/// tells each tile what came before it. So an addition, and not a way through memory, is what a leaf costs the chain.
template <class P>
__device__ void carry_row(const scan_work& p, std::int64_t row) {
  using state = typename P::state;
  constexpr int words = slot_words<state>;
  constexpr int depth = words == 1 ? 4 : 2;  // groups of 32 sums that are fetched while those before are added
  const std::int64_t segment = p.segment.divisor;
  const std::int64_t count = (p.length + segment - 1) / segment;
  const auto leaves = static_cast<int>(p.leaves);  // a power of two
  const ulonglong2* const sums = p.sums + row * p.tiles * leaves * words;
  ulonglong2* const slots = p.slots + row * p.tiles * words;
  const auto lane = static_cast<int>(threadIdx.x % 32);
  const auto sum_at = [&](std::int64_t first, int w) { return sums + (first + lane) * words + w; };
  ulonglong2 fetched[depth][words];
  const auto fetch = [&](std::int64_t group) {
#pragma unroll
    for (int d = 0; d < depth; ++d) {
      const std::int64_t first = group + d * 32;
#pragma unroll
      for (int w = 0; w < words; ++w) {
        fetched[d][w] = first + lane < count ? peek_word(sum_at(first, w)) : make_ulonglong2(0, 1);
      }
    }
  };
  fetch(0);
  state running = P::identity();
  for (std::int64_t group = 0; group < count; group += 32 * depth) {
    ulonglong2 sum[depth][words];
#pragma unroll
    for (int d = 0; d < depth; ++d) {
#pragma unroll
      for (int w = 0; w < words; ++w) sum[d][w] = fetched[d][w];
    }
    fetch(group + 32 * depth);
#pragma unroll
    for (int d = 0; d < depth; ++d) {
      const std::int64_t first = group + d * 32;
#pragma unroll 8
      for (int i = 0; i < 32; ++i) {
        if (first + i >= count) break;
        const bool begins = ((first + i) & (leaves - 1)) == 0;
        if (begins && lane == 0) publish_carry<state>(slots + (first + i) / leaves * words, running, 1);
        // only now: a tile may have to end before the next one can run
        if (begins || i == 0) {
          if (lane >= i && lane < i + leaves) {
#pragma unroll
            for (int w = 0; w < words; ++w) {
              if (sum[d][w].y != 1) sum[d][w].x = await_word(sum_at(first, w), 1);
            }
          }
          __syncwarp();
        }
        unsigned long long one[words];
#pragma unroll
        for (int w = 0; w < words; ++w) one[w] = __shfl_sync(0xFFFFFFFFu, sum[d][w].x, i);
        state next;
        memcpy(&next, one, sizeof next);
        running = P::combine(running, next);
      }
    }
  }
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
  std::uint32_t ticket = shared_ticket;
  if constexpr (Leaves) {
    if (p.sums != nullptr && ticket-- == 0) {
      if (threadIdx.x / 32 < p.rows) carry_row<P>(p, threadIdx.x / 32);
      return;
    }
  }
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
    if (me < lane_count) {
      before[me] = run_segment<P>(cells + me * width, list[me].count, P::identity());
      if (p.sums != nullptr && list[me].count > 0) {
        const std::int64_t leaf = (list[me].row * p.tiles + number) * leaves + me % leaves;
        publish_carry<state>(p.sums + leaf * slot_words<state>, before[me], 1);
      }
    }
    __syncthreads();
  }
  if (me < rows && first_row + me < p.rows) {
    const bool carried = p.sums != nullptr;
    const std::int64_t place = carried ? (first_row + me) * p.tiles + number : first_row + me;
    ulonglong2* const slot = p.slots + place * slot_words<state>;
    state carry = P::identity();
    if (carried || number > 0) carry = await_carry<state>(slot, carried ? 1 : number);
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
    if (!carried && number + 1 < p.tiles) publish_carry<state>(slot, carry, number + 1);
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
