/// \file
/// Rows on a device: a warp takes a run of up to 32 leaves of one row.
///
/// Only nvcc sees this file. All 512 elements of a leaf are in flight at once, 32 neighbours an instruction; lanes fold
/// by shuffles, and the first lane keeps the tree over the leaves of a run. Long rows
/// are cut into runs when there are too few rows to fill the device, and a second launch pairs the runs' states. Rows
/// of at most 16 elements share a warp.
#pragma once

#if defined(__CUDACC__)

#include <cstdint>

#include <ashlar/detail/device_columns.hpp>

namespace ashlar::detail {

inline constexpr int row_threads = 128;
inline constexpr int row_warps = row_threads / row_lanes;

template <class D, class Elements, bool Full, int Steps, class Cursor>
__device__ __forceinline__ typename D::state row_leaf_at(const Cursor& p, std::int64_t step, int n, int lane, int width,
                                                         std::int64_t index, std::int64_t index_step,
                                                         typename D::in_type* shared) {
  typename D::in_type x[Steps];
  if constexpr (!Elements::in_memory) {
    constexpr int at_once = Steps < 4 ? Steps : 4;
#pragma unroll
    for (int first = 0; first < Steps; first += at_once) {
      decltype(load_element(p, 0)) loaded[at_once];
#pragma unroll
      for (int s = 0; s < at_once; ++s) {
        const int i = lane + (first + s) * row_lanes;
        if (Full || i < n) loaded[s] = load_element(p, i * step);
      }
#pragma unroll
      for (int s = 0; s < at_once; ++s) {
        x[first + s] = Full || lane + (first + s) * row_lanes < n ? value_of(p, loaded[s]) : typename D::in_type{};
      }
    }
  } else if (step == 1) {
#pragma unroll
    for (int s = 0; s < Steps; ++s) {
      const int i = lane + s * row_lanes;
      x[s] = Full || i < n ? p[i] : typename D::in_type{};
    }
  } else {
    Cursor q = p;
    q += lane * step;
#pragma unroll
    for (int s = 0; s < Steps; ++s, q += row_lanes * step) {
      x[s] = Full || lane + s * row_lanes < n ? *q : typename D::in_type{};
    }
  }
  return D::template row<Full, Steps>(x, n, lane, width, index, index_step, shared);
}

/// Where a warp, or part of one, works.
struct row_place {
  std::int64_t item;
  std::int64_t run;
  std::int64_t o;
  loop_place at;
};
__device__ __forceinline__ row_place find_row(const device_rows& w, std::int64_t i, std::int64_t outer,
                                              std::int64_t runs) {
  row_place p{};
  p.run = take_index(i, runs);
  p.o = take_index(i, outer);
  p.item = i;
  p.at = place_in(w.outer, w.index_stride, p.o);
  if (w.first_index != nullptr) p.at.index += w.first_index[i];
  return p;
}

__device__ __forceinline__ row_place next_row(const device_rows& w, row_place p, std::int64_t outer) {
  if (++p.o == outer) {
    p.o = 0;
    ++p.item;
  }
  p.at = place_in(w.outer, w.index_stride, p.o);
  if (w.first_index != nullptr) p.at.index += w.first_index[p.item];
  return p;
}

/// Rows of at most 32 * Steps elements, `width` lanes each: `together` rows one after the other, as it takes longer to
/// find a short row than to read it.
template <class D, int Steps, class Elements>
__global__ void __launch_bounds__(row_threads)
    short_row_states(const __grid_constant__ device_rows w, const __grid_constant__ Elements elements,
                     const __grid_constant__ state_memory out, std::int64_t outer, int width, int together) {
  using in_type = typename D::in_type;
  constexpr int kept = D::packs ? Steps * row_lanes : 1;
  __shared__ alignas(16) unsigned char room[row_warps * sizeof(in_type) * kept];
  auto* const shared =
      reinterpret_cast<in_type*>(room) + (D::packs ? static_cast<int>(threadIdx.x) / row_lanes * kept : 0);
  const int lane = static_cast<int>(threadIdx.x) % width;
  std::int64_t i = (static_cast<std::int64_t>(blockIdx.x) * row_threads + threadIdx.x) / width * together;
  const std::int64_t rows = w.items * outer;
  row_place at = find_row(w, i < rows ? i : 0, outer, 1);
#pragma unroll 1
  for (int k = 0; k < together; ++k, ++i) {
    auto p = elements.at(at.item);
    p += at.at.offset;
    const int n = i < rows ? static_cast<int>(w.n) : 0;
    const auto s = row_leaf_at<D, Elements, false, Steps>(p, w.step, n, lane, width, at.at.index, w.index_step, shared);
    if (i < rows && lane == 0) D::store(out.at(at.item), at.o, n == 0 ? D::identity() : s);
    if (i + 1 < rows) at = next_row(w, at, outer);
  }
}

template <class D, class Elements>
__global__ void __launch_bounds__(row_threads, resident_blocks_over<D, Elements>(row_threads, 0))
    row_states(const __grid_constant__ device_rows w, const __grid_constant__ Elements elements,
               const __grid_constant__ state_memory out, std::int64_t outer, std::int64_t runs, int run_leaves) {
  using in_type = typename D::in_type;
  using state = typename D::state;
  __shared__ alignas(16) unsigned char room[row_warps * sizeof(in_type) * (D::packs ? row_leaf : 1)];
  const int warp = static_cast<int>(threadIdx.x) / row_lanes;
  auto* const shared = reinterpret_cast<in_type*>(room) + (D::packs ? warp * row_leaf : 0);
  const int lane = static_cast<int>(threadIdx.x) % row_lanes;
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * row_warps + warp;
  if (i >= w.items * outer * runs) return;
  const row_place at = find_row(w, i, outer, runs);
  const std::int64_t first = at.run * run_leaves * row_leaf;
  auto p = elements.at(at.item);
  p += at.at.offset + first * w.step;
  std::int64_t index = at.at.index + first * w.index_step;
  const std::int64_t left = w.n - first;
  const int n = static_cast<int>(left < run_leaves * row_leaf ? left : run_leaves * row_leaf);
  const int leaves = n / row_leaf;
  __shared__ alignas(16) unsigned char levels[row_warps * run_levels * sizeof(state)];
  run_tree<D, row_leaf> tree{reinterpret_cast<state*>(levels) + warp * run_levels};
#pragma unroll 1
  for (int k = 0; k < leaves; ++k) {
    const state s =
        row_leaf_at<D, Elements, true, row_steps>(p, w.step, row_leaf, lane, row_lanes, index, w.index_step, shared);
    if (lane == 0) tree.push(s, k);
    p += row_leaf * w.step;
    index += row_leaf * w.index_step;
  }
  const int rest = n - leaves * row_leaf;
  state last = D::identity();
  if (rest > 0) {
    last = row_leaf_at<D, Elements, false, row_steps>(p, w.step, rest, lane, row_lanes, index, w.index_step, shared);
  }
  if (lane == 0) D::store(out.at(at.item), at.o * runs + at.run, tree.total(leaves, last, rest));
}

template <class D, class Elements>
void rows_pass_over(device_queue& q, const device_rows& w, const Elements& elements) {
  const std::int64_t outer = w.outer.size();
  const std::int64_t lines = w.items * outer;
  if (lines == 0) return;
  const auto stream = stream_of(q);
  state_memory out;
  out.table = w.out;
  out.fields = w.fields;
  constexpr int short_steps = 4;
  if (w.n <= short_steps * row_lanes) {
    int width = 1;
    while (width < w.n && width < row_lanes) width *= 2;
    int together = 1;
    while (together < 8 && lines * width / together > (std::int64_t{1} << 20)) together *= 2;
    const unsigned blocks = launch_blocks((lines + together - 1) / together * width, row_threads);
    if (w.n <= row_lanes) {
      short_row_states<D, 1><<<blocks, row_threads, 0, stream>>>(w, elements, out, outer, width, together);
    } else {
      short_row_states<D, short_steps><<<blocks, row_threads, 0, stream>>>(w, elements, out, outer, width, together);
    }
    return check_launch(D::name, w.items);
  }
  constexpr std::int64_t enough_warps = std::int64_t{1} << 15;
  const std::int64_t leaves = (w.n + row_leaf - 1) / row_leaf;
  const int run_leaves = choose_run(lines, leaves, enough_warps);
  const std::int64_t runs = (leaves + run_leaves - 1) / run_leaves;
  const state_memory to = runs == 1 ? out : state_room<D>(q, w.items, outer * runs);
  row_states<D>
      <<<launch_blocks(lines * runs, row_warps), row_threads, 0, stream>>>(w, elements, to, outer, runs, run_leaves);
  check_launch(D::name, w.items);
  if (runs > 1) {
    join_runs<D>(q, to, out, w.items, outer, runs, 1, std::int64_t{run_leaves} * row_leaf, w.n);
  }
}

template <class D>
void rows_pass(device_queue& q, const device_rows& w) {
  rows_pass_over<D>(q, w, memory_elements<typename D::in_type>{w.in});
}

}  // namespace ashlar::detail

#endif
