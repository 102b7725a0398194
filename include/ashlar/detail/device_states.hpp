/// \file
/// States on a device: where they lie, and the canonical tree over them.
///
/// Only nvcc sees this file. A pass over states takes *units*: 8 states that pair as a tree, or, for a further axis, 16
/// that are added in order. A thread makes up to 4 units one after the other; where there are too few columns for that,
/// a thread makes one unit, and a thread block pairs 128 of them in shared memory. The tree of a pass's results is the
/// rest of the canonical one, so passes follow until one state is left. Each pass shrinks its states 32 to 2048 times:
/// what matters is the first one, which runs at the speed of memory, and the launches, a few microseconds each.
#pragma once

#if defined(__CUDACC__)

#include <cstdint>

#include <ashlar/detail/device_places.hpp>
#include <ashlar/detail/device_rules.hpp>

namespace ashlar::detail {

/// Addresses of states: by item from a table, or one item behind the other.
struct state_memory {
  void* const* table = nullptr;
  unsigned char* first = nullptr;
  std::int64_t item_bytes = 0;
  device_fields fields;

  __device__ __forceinline__ state_ref at(std::int64_t item) const {
    unsigned char* const base = table != nullptr ? static_cast<unsigned char*>(table[item]) : first + item * item_bytes;
    state_ref r;
    for (int f = 0; f < max_fields; ++f) r.field[f] = base + fields.offset[f];
    return r;
  }
};

/// Room for `columns` states of each of `items` items.
template <class D>
state_memory state_room(device_queue& q, std::int64_t items, std::int64_t columns) {
  state_memory m;
  for (int f = 0; f < D::fields; ++f) {
    m.fields.offset[f] = m.item_bytes;
    m.item_bytes += (columns * itemsize(D::field_type(f)) + 15) / 16 * 16;
  }
  m.first = static_cast<unsigned char*>(q.room(items * m.item_bytes));
  return m;
}

/// States along an axis, `n` of them for each of items x outer x columns, and what becomes of them.
struct state_pass {
  std::int64_t items = 0;
  std::int64_t outer = 1;
  std::int64_t n = 0;
  std::int64_t columns = 1;
  bool in_order = false;                 // units of 16 states added in order, and not of 8 that pair
  state_memory in;                       // [outer][n][columns]; or, by item and state, [columns]
  bool apart = false;                    // the latter
  const std::int64_t* counts = nullptr;  // by item and state; or each state is of `count`, the last of what is left
  std::int64_t count = 1;
  std::int64_t total = 0;
  state_memory out;                    // [outer][runs][columns]
  std::int64_t* out_counts = nullptr;  // by item and run
  std::int64_t runs = 1;
};

inline constexpr int tree_unit = 8;
inline constexpr int run_units = 4;
inline constexpr int wide_threads = 128;
inline constexpr int narrow_threads = 128;

template <class State>
struct counted_state {
  State value;
  std::int64_t count;
};

template <class D>
__device__ __forceinline__ counted_state<typename D::state> merge_counted(const counted_state<typename D::state>& a,
                                                                          const counted_state<typename D::state>& b) {
  return {small_merge<D>(a.value, b.value, a.count, b.count), D::counted ? a.count + b.count : 0};
}

/// State j of column c at outer position o.
template <class D>
__device__ __forceinline__ counted_state<typename D::state> state_at(const state_pass& p, const state_ref& in,
                                                                     std::int64_t item, std::int64_t o, std::int64_t j,
                                                                     std::int64_t c) {
  std::int64_t count = 0;
  if constexpr (D::counted) {
    if (p.counts != nullptr) {
      count = p.counts[item * p.n + j];
    } else {
      const std::int64_t left = p.total - j * p.count;
      count = left < p.count ? left : p.count;
    }
  }
  if (p.apart) return {D::load(p.in.at(item * p.n + j), c), count};
  return {D::load(in, (o * p.n + j) * p.columns + c), count};
}

/// `left` <= 2 * W states pair level by level, an odd last one passing up.
template <class D, int W>
__device__ __forceinline__ void pair_states(counted_state<typename D::state> (&s)[tree_unit], int left) {
#pragma unroll
  for (int k = 0; k < W; ++k) s[k] = 2 * k + 1 < left ? merge_counted<D>(s[2 * k], s[2 * k + 1]) : s[2 * k];
  if constexpr (W > 1) pair_states<D, W / 2>(s, (left + 1) / 2);
}

/// Unit u: at least one state.
template <class D>
__device__ __forceinline__ counted_state<typename D::state> make_unit(const state_pass& p, const state_ref& in,
                                                                      std::int64_t item, std::int64_t o, std::int64_t u,
                                                                      std::int64_t c) {
  using counted = counted_state<typename D::state>;
  const std::int64_t size = p.in_order ? column_leaf : tree_unit;
  const std::int64_t first = u * size;
  const int n = static_cast<int>(p.n - first < size ? p.n - first : size);
  counted s[tree_unit];
  counted sum{};
#pragma unroll 1
  for (int h = 0; h < n; h += tree_unit) {
#pragma unroll
    for (int k = 0; k < tree_unit; ++k) s[k] = state_at<D>(p, in, item, o, first + h + (h + k < n ? k : 0), c);
    if (!p.in_order) break;
#pragma unroll
    for (int k = 0; k < tree_unit; ++k) {
      if (h + k < n) sum = h + k == 0 ? s[0] : merge_counted<D>(sum, s[k]);
    }
  }
  if (p.in_order) return sum;
  pair_states<D, tree_unit / 2>(s, n);
  return s[0];
}

template <class D>
__device__ __forceinline__ void keep_state(const state_pass& p, std::int64_t item, std::int64_t o, std::int64_t run,
                                           std::int64_t c, const counted_state<typename D::state>& s) {
  D::store(p.out.at(item), (o * p.runs + run) * p.columns + c, s.value);
  if constexpr (D::counted) {
    if (p.out_counts != nullptr && o == 0 && c == 0) p.out_counts[item * p.runs + run] = s.count;
  }
}

/// A thread takes a column and a run of run_units units.
template <class D>
__global__ void __launch_bounds__(wide_threads) wide_states(const __grid_constant__ state_pass p, std::int64_t units) {
  using counted = counted_state<typename D::state>;
  std::int64_t t = static_cast<std::int64_t>(blockIdx.x) * wide_threads + threadIdx.x;
  if (t >= p.items * p.outer * p.runs * p.columns) return;
  const std::int64_t c = take_index(t, p.columns);
  const std::int64_t run = take_index(t, p.runs);
  const std::int64_t o = take_index(t, p.outer);
  if (units == 0) return keep_state<D>(p, t, o, run, c, counted{D::identity(), 0});
  const state_ref in = p.apart ? state_ref{} : p.in.at(t);
  const std::int64_t first = run * run_units;
  const int m = static_cast<int>(units - first < run_units ? units - first : run_units);
  counted sum{};
  counted left{};
#pragma unroll 1
  for (int k = 0; k < m; ++k) {
    const counted next = make_unit<D>(p, in, t, o, first + k, c);
    sum = (k & 1) != 0 ? merge_counted<D>(sum, next) : next;
    if (k == 1) left = sum;
  }
  keep_state<D>(p, t, o, run, c, m > 2 ? merge_counted<D>(left, sum) : sum);
}

/// A thread block takes a column and a run of narrow_threads units.
template <class D>
__global__ void __launch_bounds__(narrow_threads)
    narrow_states(const __grid_constant__ state_pass p, std::int64_t units) {
  using counted = counted_state<typename D::state>;
  __shared__ alignas(16) unsigned char memory[narrow_threads * sizeof(counted)];
  auto* const shared = reinterpret_cast<counted*>(memory);
  std::int64_t t = blockIdx.x;
  const std::int64_t c = take_index(t, p.columns);
  const std::int64_t run = take_index(t, p.runs);
  const std::int64_t o = take_index(t, p.outer);
  const std::int64_t first = run * narrow_threads;
  int left = static_cast<int>(units - first < narrow_threads ? units - first : narrow_threads);
  const int k = static_cast<int>(threadIdx.x);
  if (k < left) shared[k] = make_unit<D>(p, p.apart ? state_ref{} : p.in.at(t), t, o, first + k, c);
  for (; left > 1; left = (left + 1) / 2) {
    __syncthreads();
    const bool pair = 2 * k + 1 < left;
    counted s;
    if (2 * k < left) s = pair ? merge_counted<D>(shared[2 * k], shared[2 * k + 1]) : shared[2 * k];
    __syncthreads();
    if (2 * k < left) shared[k] = s;
  }
  if (k == 0) keep_state<D>(p, t, o, run, c, shared[0]);
}

/// Runs passes until every column has one state, which goes to p.out.
template <class D>
void reduce_states(device_queue& q, state_pass p) {
  constexpr std::int64_t enough_threads = 8192;
  const state_memory out = p.out;
  const auto stream = stream_of(q);
  if (p.items * p.outer * p.columns == 0) return;
  for (;;) {
    const std::int64_t size = p.in_order ? column_leaf : tree_unit;
    const std::int64_t units = (p.n + size - 1) / size;
    const std::int64_t width = p.items * p.outer * p.columns;
    const std::int64_t wide_runs = (units + run_units - 1) / run_units;
    const bool wide =
        units <= run_units || width >= enough_threads || (p.columns >= 32 && width * wide_runs >= enough_threads);
    const std::int64_t run_size = wide ? run_units : narrow_threads;
    p.runs = units <= run_size ? 1 : (units + run_size - 1) / run_size;
    p.out = p.runs == 1 ? out : state_room<D>(q, p.items, p.outer * p.runs * p.columns);
    p.out_counts = nullptr;
    if (D::counted && p.runs > 1 && p.counts != nullptr) {
      p.out_counts =
          static_cast<std::int64_t*>(q.room(p.items * p.runs * static_cast<std::int64_t>(sizeof(std::int64_t))));
    }
    if (wide) {
      wide_states<D><<<launch_blocks(width * p.runs, wide_threads), wide_threads, 0, stream>>>(p, units);
    } else {
      narrow_states<D><<<static_cast<unsigned>(width * p.runs), narrow_threads, 0, stream>>>(p, units);
    }
    check_launch(D::name, p.items);
    if (p.runs == 1) return;
    p.in = p.out;
    p.apart = false;
    p.in_order = false;
    p.n = p.runs;
    p.counts = p.out_counts;
    p.count *= size * run_size;
  }
}

// --- the passes that are asked for ---

template <class D>
void fold_pass(device_queue& q, const device_fold& w) {
  state_pass p;
  p.items = w.items;
  p.outer = w.outer;
  p.n = w.n;
  p.columns = w.columns;
  p.in_order = true;
  p.in.table = const_cast<void* const*>(w.in);
  p.in.fields = w.in_fields;
  p.count = w.count;
  p.total = w.n * w.count;
  p.out.table = w.out;
  p.out.fields = w.fields;
  reduce_states<D>(q, p);
}

template <class D>
void tree_pass(device_queue& q, const device_tree& w) {
  state_pass p;
  p.items = w.items;
  p.n = w.leaves;
  p.columns = w.columns;
  p.apart = true;
  p.in.table = const_cast<void* const*>(w.in);
  p.in.fields = w.in_fields;
  p.counts = w.counts;
  p.total = w.leaves;
  p.out.table = w.out;
  p.out.fields = w.fields;
  reduce_states<D>(q, p);
}

}  // namespace ashlar::detail

#endif
