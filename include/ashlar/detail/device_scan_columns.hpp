/// \file
/// Scans down columns: a warp takes a tile of 32 columns and up to 64 rows, a column a thread, rows in registers.
///
/// Where the rows of a tile can be combined before what came before them is known (sums in leaves, integers, extrema),
/// a tile is one leaf; only one operation of a tile then lies on the chain. What runs from left to right through all
/// elements (products, sums without leaves) waits first.
#pragma once

#if defined(__CUDACC__)

#include <cstdint>
#include <type_traits>

#include <ashlar/detail/device_scan_chain.hpp>

namespace ashlar::detail {

inline constexpr int scan_warps = 2;  // of a thread block; they do not wait for each other

/// Where row r of a tile is, in the first of the outer blocks.
template <class In, class Out>
struct scan_row {
  const In* in;
  Out* out;
  std::int64_t outer_stride;
};

template <class A>
struct leaf_carry {
  A running;
  A before;
};

/// A warp's tile: what all lanes know, and the column of this lane.
template <class In, class Out, int Rows>
struct scan_tile {
  std::uint32_t number;  // along the axis
  std::int64_t position;
  int rows;
  bool whole;  // in one block, and all rows there
  bool live;   // this lane has a column
  ulonglong2* slot;
  std::int64_t outer;
  std::int64_t column;
  const In* in;  // whole: of row 0, this column
  Out* out;
  std::int64_t step;
  const scan_row<In, Out>* row;
};

template <class In, class Out, int Rows>
__device__ scan_tile<In, Out, Rows> find_tile(const scan_work& p, std::uint32_t ticket, int words,
                                              scan_row<In, Out>* row) {
  const std::uint32_t lane = threadIdx.x % 32;
  scan_tile<In, Out, Rows> t;
  t.number = ticket / p.chains;
  const std::uint32_t chain = ticket - t.number * p.chains;
  const std::uint32_t line = chain / p.groups;
  t.position = static_cast<std::int64_t>(t.number) * Rows;
  t.rows = static_cast<int>(p.length - t.position < Rows ? p.length - t.position : Rows);
  const std::int64_t columns = p.outer * p.columns;
  const std::int64_t k = static_cast<std::int64_t>(chain - line * p.groups) * 32 + lane;
  t.live = k < columns;
  t.slot = p.slots + (static_cast<std::int64_t>(chain) * 32 + lane) * words;
  t.outer = (t.live ? k : columns - 1) / p.columns;
  t.column = (t.live ? k : columns - 1) - t.outer * p.columns;
  t.step = p.columns;
  t.row = row;
  const std::int64_t b = block_at(p, t.position);
  const std::int64_t begin = p.start[b];
  const std::int64_t end = p.start[b + 1];
  const void* const* const in = p.in + line * p.blocks;
  void* const* const out = p.out + line * p.blocks;
  t.whole = t.rows == Rows && t.position + Rows <= end;
  if (t.whole) {
    const std::int64_t at = (t.outer * (end - begin) + t.position - begin) * p.columns + t.column;
    t.in = static_cast<const In*>(in[b]) + at;
    t.out = static_cast<Out*>(out[b]) + at;
    return t;
  }
  for (int r = static_cast<int>(lane); r < t.rows; r += 32) {
    const std::int64_t block = block_at(p, t.position + r);
    const std::int64_t at = (t.position + r - p.start[block]) * p.columns;
    row[r] = {static_cast<const In*>(in[block]) + at, static_cast<Out*>(out[block]) + at,
              (p.start[block + 1] - p.start[block]) * p.columns};
  }
  __syncwarp();
  return t;
}

template <class In, class Out, int Rows>
__device__ void load_tile(const scan_tile<In, Out, Rows>& t, In (&x)[Rows]) {
  if (t.whole) {
    const In* at = t.in;
#pragma unroll
    for (int r = 0; r < Rows; ++r, at += t.step) x[r] = load_once(at);
    return;
  }
#pragma unroll
  for (int r = 0; r < Rows; ++r) {
    const scan_row<In, Out>& row = t.row[r < t.rows ? r : 0];
    x[r] = load_once(row.in + (t.outer * row.outer_stride + t.column));
  }
}

/// Calls make(r) for each row in order and stores what it gives.
template <class In, class Out, int Rows, class F>
__device__ void store_tile(const scan_tile<In, Out, Rows>& t, const F& make) {
  if (t.whole) {
    Out* at = t.out;
#pragma unroll
    for (int r = 0; r < Rows; ++r, at += t.step) {
      const Out y = make(r);
      if (t.live) store_once(at, y);
    }
    return;
  }
#pragma unroll
  for (int r = 0; r < Rows; ++r) {
    if (r >= t.rows) break;
    const Out y = make(r);
    const scan_row<In, Out>& row = t.row[r];
    if (t.live) store_once(row.out + (t.outer * row.outer_stride + t.column), y);
  }
}

inline __device__ std::uint32_t warp_ticket(const scan_work& p) {
  std::uint32_t ticket = 0;
  if (threadIdx.x % 32 == 0) ticket = atomicAdd(p.ticket, 1u);
  return __shfl_sync(0xFFFFFFFFu, ticket, 0);
}

/// Tiles that are combined before they are told what came before.
template <class P, int Rows>
__global__ void __launch_bounds__(32 * scan_warps) scan_down_leaves(const scan_work p) {
  using in_type = typename P::in_type;
  using out_type = typename P::out_type;
  using state = typename P::state;
  __shared__ scan_row<in_type, out_type> rows[scan_warps][Rows];
  const std::uint32_t ticket = warp_ticket(p);
  if (ticket >= p.tiles * p.chains) return;
  const auto t = find_tile<in_type, out_type, Rows>(p, ticket, slot_words<state>, rows[threadIdx.x / 32]);
  in_type x[Rows];
  load_tile(t, x);
  // running values take the place of elements of their own type, others are made twice
  constexpr bool in_place = std::is_same_v<in_type, state>;
  state sum = P::identity();
#pragma unroll
  for (int r = 0; r < Rows; ++r) {
    if (r < t.rows) sum = P::combine(sum, P::lift(x[r]));
    if constexpr (in_place) x[r] = sum;
  }
  state before = P::identity();
  if (t.live) {
    if (t.number > 0) before = await_carry<state>(t.slot, t.number);
    if (t.number + 1 < p.tiles) publish_carry<state>(t.slot, P::combine(before, sum), t.number + 1);
  }
  state running = P::identity();
  store_tile(t, [&](int r) {
    if constexpr (in_place) {
      return P::result(P::combine(before, x[r]));
    } else {
      running = P::combine(running, P::lift(x[r]));
      return P::result(P::combine(before, running));
    }
  });
}

/// Tiles that go on where the one before ended; leaves of any length.
template <class P, int Rows>
__global__ void __launch_bounds__(32 * scan_warps) scan_down_serial(const scan_work p) {
  using in_type = typename P::in_type;
  using out_type = typename P::out_type;
  using state = typename P::state;
  using carry = std::conditional_t<P::in_leaves, leaf_carry<state>, state>;
  __shared__ scan_row<in_type, out_type> rows[scan_warps][Rows];
  const std::uint32_t ticket = warp_ticket(p);
  if (ticket >= p.tiles * p.chains) return;
  const auto t = find_tile<in_type, out_type, Rows>(p, ticket, slot_words<carry>, rows[threadIdx.x / 32]);
  in_type x[Rows];
  load_tile(t, x);
  const bool first = t.number == 0 || !t.live;
  if constexpr (P::in_leaves) {
    leaf_carry<state> c{P::identity(), P::identity()};
    if (!first) c = await_carry<carry>(t.slot, t.number);
    std::int64_t within = t.position % p.leaf;
    store_tile(t, [&](int r) {
      if (within == 0) c = {P::identity(), P::combine(c.before, c.running)};
      within = within + 1 == p.leaf ? 0 : within + 1;
      c.running = P::combine(c.running, P::lift(x[r]));
      return P::result(P::combine(c.before, c.running));
    });
    if (t.live && t.number + 1 < p.tiles) publish_carry<carry>(t.slot, c, t.number + 1);
  } else {
    state running = P::identity();
    if (!first) running = await_carry<carry>(t.slot, t.number);
    store_tile(t, [&](int r) {
      running = P::combine(running, P::lift(x[r]));
      return P::result(running);
    });
    if (t.live && t.number + 1 < p.tiles) publish_carry<carry>(t.slot, running, t.number + 1);
  }
}

}  // namespace ashlar::detail

#endif
