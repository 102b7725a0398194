/// \file
/// Columns on a device: a thread takes one column and a run of up to 32 leaves of 16 rows.
///
/// Only nvcc sees this file. All 16 rows of a leaf are in flight at once, the tree over the leaves of a run stands in
/// registers, and neighbouring threads read neighbouring columns. Threads are numbered over columns, runs, outer axes
/// and items alike, so narrow blocks do not leave lanes idle. Runs are as long as leaves enough threads for the device
/// to be filled several times over, since the last of them would otherwise run alone; their states, a few bytes for 512
/// elements, are paired by a second launch. One run needs none.
#pragma once

#if defined(__CUDACC__)

#include <cstdint>

#include <ashlar/detail/device_states.hpp>

namespace ashlar::detail {

inline constexpr int run_levels = 6;  // so at most 63 leaves in a run; 32 are taken
inline constexpr int most_run_leaves = 32;

/// The tree over the leaves of a run: level l holds 2^l leaves. Recursion and not loops, so that the compiler sees
/// fixed places from the start: it keeps a tree of a thread's own in registers, and knows all numbers of elements.
template <class D, std::int64_t LeafSize>
struct run_tree {
  using state = typename D::state;
  state* level;  // run_levels of them

  /// Leaf number k, of LeafSize elements.
  template <int L = 0>
  __device__ __forceinline__ void push(const state& s, int k) {
    if constexpr (L < run_levels) {
      if (((k >> L) & 1) == 0) {
        level[L] = s;
      } else {
        push<L + 1>(D::merge_equal(level[L], s, LeafSize << L), k);
      }
    }
  }

  /// Of `leaves` leaves and, when n is not 0, a last one `s` of n elements.
  template <int L = 0>
  __device__ __forceinline__ state total(int leaves, const state& s, std::int64_t n) const {
    if constexpr (L < run_levels) {
      state sum = s;
      if (((leaves >> L) & 1) != 0) {
        sum = n != 0 ? D::merge(level[L], s, LeafSize << L, n) : level[L];
        n += LeafSize << L;
      }
      return total<L + 1>(leaves, sum, n);
    } else {
      return s;
    }
  }
};

/// Leaves in a run, a power of two: as many as leave `enough` runs, and no more than there are.
inline int choose_run(std::int64_t lines, std::int64_t leaves, std::int64_t enough) {
  int run = 1;
  while (run < most_run_leaves && run < leaves) run *= 2;
  while (run > 1 && lines * ((leaves + run - 1) / run) < enough) run /= 2;
  return run;
}

/// Thread blocks that a multiprocessor, with 65536 registers, is to hold: a thread needs those of a leaf's elements, of
/// the tree, and some for addresses. Left alone, the compiler takes more for addresses and has fewer loads in flight.
template <class D>
constexpr int resident_blocks(int threads, int levels_kept) {
  const int elements = column_leaf * static_cast<int>(sizeof(typename D::in_type)) / 4;
  const int levels = levels_kept * static_cast<int>(sizeof(typename D::state)) / 4;
  const int blocks = 65536 / (threads * (elements + levels + 24));
  return blocks < 1 ? 1 : blocks > 8 ? 8 : blocks;
}

inline constexpr int column_threads = 128;

// Elements are loaded first and made values then: what is computed as it is read has branches in between.

template <class T>
__device__ __forceinline__ T load_element(const T* p, std::int64_t i) {
  return p[i];
}
template <class T>
__device__ __forceinline__ T value_of(const T*, const T& loaded) {
  return loaded;
}

/// Values that are computed need registers of their own: then the compiler decides how many blocks are resident.
template <class D, class Elements>
constexpr int resident_blocks_over(int threads, int levels_kept) {
  return Elements::in_memory ? resident_blocks<D>(threads, levels_kept) : 1;
}

/// Elements that lie in memory. `at` gives what can be indexed, and moved on, like a pointer to an item's first
/// element.
template <class T>
struct memory_elements {
  static constexpr bool in_memory = true;
  const void* const* table;
  __device__ __forceinline__ const T* at(std::int64_t item) const { return static_cast<const T*>(table[item]); }
};

template <class D, class Elements>
__global__ void __launch_bounds__(column_threads, resident_blocks_over<D, Elements>(column_threads, run_levels))
    column_states(const __grid_constant__ device_columns w, const __grid_constant__ Elements elements,
                  const __grid_constant__ state_memory out, std::int64_t outer, std::int64_t runs, int run_leaves) {
  using in_type = typename D::in_type;
  using state = typename D::state;
  std::int64_t item = static_cast<std::int64_t>(blockIdx.x) * column_threads + threadIdx.x;
  if (item >= w.items * outer * runs * w.columns) return;
  const std::int64_t c = take_index(item, w.columns);
  const std::int64_t run = take_index(item, runs);
  const std::int64_t o = take_index(item, outer);
  const loop_place place = place_in(w.outer, w.index_stride, o);
  const std::int64_t first = run * run_leaves * column_leaf;
  const std::int64_t stride = w.row_stride;
  auto p = elements.at(item);
  p += place.offset + c * w.column_stride + first * stride;
  std::int64_t index = place.index + c * w.index_column_step + first * w.index_row_step;
  if (w.first_index != nullptr) index += w.first_index[item];
  const std::int64_t left = w.rows - first;
  const int rows = static_cast<int>(left < run_leaves * column_leaf ? left : run_leaves * column_leaf);
  const int leaves = rows / column_leaf;
  state level[run_levels];
  run_tree<D, column_leaf> tree{level};
  in_type x[column_leaf];
#pragma unroll 1
  for (int k = 0; k < leaves; ++k) {
    if constexpr (Elements::in_memory) {
#pragma unroll
      for (int r = 0; r < column_leaf; ++r) x[r] = p[r * stride];
    } else {
      constexpr int at_once = 4;
#pragma unroll
      for (int first_row = 0; first_row < column_leaf; first_row += at_once) {
        decltype(load_element(p, 0)) loaded[at_once];
#pragma unroll
        for (int r = 0; r < at_once; ++r) loaded[r] = load_element(p, (first_row + r) * stride);
#pragma unroll
        for (int r = 0; r < at_once; ++r) x[first_row + r] = value_of(p, loaded[r]);
      }
    }
    tree.push(D::template column<true>(x, column_leaf, index, w.index_row_step), k);
    p += column_leaf * stride;
    index += column_leaf * w.index_row_step;
  }
  const int rest = rows - leaves * column_leaf;
  state last = D::identity();
  if (rest > 0) {
#pragma unroll
    for (int r = 0; r < column_leaf; ++r) x[r] = r < rest ? value_of(p, load_element(p, r * stride)) : in_type{};
    last = D::template column<false>(x, rest, index, w.index_row_step);
  }
  D::store(out.at(item), (o * runs + run) * w.columns + c, tree.total(leaves, last, rest));
}

/// Pairs the states of runs, which lie in `part`, into those of `out`.
template <class D>
void join_runs(device_queue& q, const state_memory& part, const state_memory& out, std::int64_t items,
               std::int64_t outer, std::int64_t runs, std::int64_t columns, std::int64_t run_size, std::int64_t total) {
  state_pass p;
  p.items = items;
  p.outer = outer;
  p.n = runs;
  p.columns = columns;
  p.in = part;
  p.count = run_size;
  p.total = total;
  p.out = out;
  reduce_states<D>(q, p);
}

template <class D, class Elements>
void columns_pass_over(device_queue& q, const device_columns& w, const Elements& elements) {
  const std::int64_t outer = w.outer.size();
  const std::int64_t lines = w.items * outer * w.columns;
  if (lines == 0) return;
  constexpr std::int64_t enough_threads = std::int64_t{1} << 19;
  const std::int64_t leaves = w.rows == 0 ? 1 : (w.rows + column_leaf - 1) / column_leaf;
  const int run_leaves = choose_run(lines, leaves, enough_threads);
  const std::int64_t runs = (leaves + run_leaves - 1) / run_leaves;
  state_memory out;
  out.table = w.out;
  out.fields = w.fields;
  const state_memory to = runs == 1 ? out : state_room<D>(q, w.items, outer * runs * w.columns);
  column_states<D><<<launch_blocks(lines * runs, column_threads), column_threads, 0, stream_of(q)>>>(
      w, elements, to, outer, runs, run_leaves);
  check_launch(D::name, w.items);
  if (runs > 1) {
    join_runs<D>(q, to, out, w.items, outer, runs, w.columns, std::int64_t{run_leaves} * column_leaf, w.rows);
  }
}

template <class D>
void columns_pass(device_queue& q, const device_columns& w) {
  columns_pass_over<D>(q, w, memory_elements<typename D::in_type>{w.in});
}

/// States of one are columns of one row; the last axis becomes the columns.
template <class D>
void lift_pass(device_queue& q, const device_lift& w) {
  device_columns c;
  c.outer = w.loops;
  c.rows = 1;
  c.columns = 1;
  if (w.loops.ndim > 0) {
    const int last = --c.outer.ndim;
    c.columns = w.loops.extent[last];
    c.column_stride = w.loops.stride[last];
    c.index_column_step = w.index_stride[last];
  }
  for (int a = 0; a < device_axes; ++a) c.index_stride[a] = w.index_stride[a];
  c.in = w.in;
  c.out = w.out;
  c.fields = w.fields;
  c.first_index = w.first_index;
  c.items = w.items;
  columns_pass<D>(q, c);
}

}  // namespace ashlar::detail

#endif
