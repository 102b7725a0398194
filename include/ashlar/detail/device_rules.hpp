/// \file
/// What a reducer does on a device: leaves from elements that lie in registers, and merges of states.
///
/// Only nvcc sees this file. Rules are made from the policy that the loops of the host are made from, and spell out
/// the same operations in the same order: the bits of a state are the host's wherever both contract products and sums
/// alike, as under the target ashlar::reproducible. (A NaN is a NaN on both sides; its sign and payload are not kept.)
///
/// A row leaf is the work of a warp, of which lane l holds elements l, l+32, …; rows of at most 16 elements share a
/// warp, `width` lanes each, and fold with identities what the missing lanes would have held.
#pragma once

#if defined(__CUDACC__)

#include <cstdint>
#include <cstring>

#include <cuda_runtime.h>

#include <ashlar/detail/extrema.hpp>
#include <ashlar/detail/fold_loops.hpp>
#include <ashlar/detail/moments_loops.hpp>

namespace ashlar::detail {

template <class In>
struct nan_moments_policy;

inline constexpr int row_steps = row_leaf / row_lanes;
inline constexpr unsigned all_lanes = 0xffffffffu;

/// The value of the lane `by` lanes further on, of any type.
template <class T>
__device__ __forceinline__ T from_lane_behind(const T& v, int by, int width) {
  constexpr int words = (static_cast<int>(sizeof(T)) + 3) / 4;
  unsigned word[words] = {};
  memcpy(word, &v, sizeof(T));
#pragma unroll
  for (int k = 0; k < words; ++k) word[k] = __shfl_down_sync(all_lanes, word[k], static_cast<unsigned>(by), width);
  T out;
  memcpy(&out, word, sizeof(T));
  return out;
}

/// The value of the first lane of `width`.
template <class T>
__device__ __forceinline__ T from_first_lane(const T& v, int width) {
  constexpr int words = (static_cast<int>(sizeof(T)) + 3) / 4;
  unsigned word[words] = {};
  memcpy(word, &v, sizeof(T));
#pragma unroll
  for (int k = 0; k < words; ++k) word[k] = __shfl_sync(all_lanes, word[k], 0, width);
  T out;
  memcpy(&out, word, sizeof(T));
  return out;
}

/// The fixed tree over 32 lanes. The first lane of `width` gets the result.
template <class T, class Combine>
__device__ __forceinline__ T fold_lanes(T v, int width, T identity, Combine combine) {
#pragma unroll
  for (int w = row_lanes / 2; w >= 1; w /= 2) {
    const T other = from_lane_behind(v, w, width);
    v = combine(v, w < width ? other : identity);
  }
  return v;
}

/// Rules of a policy that folds.
template <class P>
struct device_rules {
  using in_type = typename P::in_type;
  using state = typename P::state;
  static constexpr const char* name = P::name;
  static constexpr int fields = P::fields;
  static constexpr bool counted = false;  // merges look at the numbers of elements
  static constexpr bool divides = false;  // and divide, which is a function of its own where speed is not at stake
  static constexpr bool packs = false;    // row leaves move elements to other lanes, through shared memory
  static constexpr dtype field_type(int f) { return P::field_type(f); }

  __device__ __forceinline__ static state identity() { return P::identity(); }
  __device__ __forceinline__ static state load(const state_ref& s, std::int64_t i) { return P::load(s, i); }
  __device__ __forceinline__ static void store(const state_ref& s, std::int64_t i, const state& v) {
    P::store(s, i, v);
  }
  __device__ __forceinline__ static state merge(const state& a, const state& b, std::int64_t, std::int64_t) {
    return P::combine(a, b);
  }
  /// Of n elements each, a power of two.
  __device__ __forceinline__ static state merge_equal(const state& a, const state& b, std::int64_t) {
    return P::combine(a, b);
  }

  template <bool Full>
  __device__ __forceinline__ static state column(const in_type (&x)[column_leaf], int rows, std::int64_t index,
                                                 std::int64_t step) {
    state v = P::lift(x[0], index);
#pragma unroll
    for (int r = 1; r < column_leaf; ++r) {
      if (Full || r < rows) v = P::combine(v, P::lift(x[r], index + r * step));
    }
    return v;
  }

  /// x[s] is element lane + 32 * s of the n of a leaf; `index` that of the leaf's first element.
  template <bool Full, int Steps>
  __device__ __forceinline__ static state row(const in_type (&x)[Steps], int n, int lane, int width, std::int64_t index,
                                              std::int64_t step, in_type*) {
    state v = Full ? P::lift(x[0], index + lane * step) : P::identity();
#pragma unroll
    for (int s = Full ? 1 : 0; s < Steps; ++s) {
      const int i = lane + s * row_lanes;
      if (Full || i < n) v = P::combine(v, P::lift(x[s], index + i * step));
    }
    return fold_lanes(v, width, P::identity(), [](const state& a, const state& b) { return P::combine(a, b); });
  }
};

template <class In>
struct device_rules<moments_policy<In>> {
  using M = moments_policy<In>;
  using in_type = In;
  using value = typename M::value;
  struct state {
    value sum;
    double m2;
  };
  static constexpr const char* name = "moments";
  static constexpr int fields = 2;
  static constexpr bool counted = true;
  static constexpr bool divides = true;
  static constexpr bool packs = false;
  static constexpr dtype field_type(int f) { return f == 0 ? dtype_of<user_type_t<value>> : dtype::float64; }

  __device__ __forceinline__ static state identity() { return {M::identity(), 0.0}; }
  __device__ __forceinline__ static state load(const state_ref& s, std::int64_t i) {
    return {static_cast<const value*>(s.field[0])[i], static_cast<const double*>(s.field[1])[i]};
  }
  __device__ __forceinline__ static void store(const state_ref& s, std::int64_t i, const state& v) {
    static_cast<value*>(s.field[0])[i] = v.sum;
    static_cast<double*>(s.field[1])[i] = v.m2;
  }

  /// By Chan, Golub and LeVeque, as in moments_loops.hpp; a mean of 2^k elements is the same by either operation.
  __device__ __forceinline__ static state merge(const state& a, const state& b, std::int64_t na, std::int64_t nb) {
    if (na == 0) return b;
    if (nb == 0) return a;
    const auto n_a = static_cast<double>(na);
    const auto n_b = static_cast<double>(nb);
    const double weight = n_a * (n_b / static_cast<double>(na + nb));
    const value apart = M::divide(b.sum, n_b) - M::divide(a.sum, n_a);
    return {a.sum + b.sum, M::add_square(a.m2 + b.m2, apart, weight)};
  }
  __device__ __forceinline__ static state merge_equal(const state& a, const state& b, std::int64_t n) {
    const double inverse = 1.0 / static_cast<double>(n);
    const value apart = M::scale(b.sum, inverse) - M::scale(a.sum, inverse);
    return {a.sum + b.sum, M::add_square(a.m2 + b.m2, apart, static_cast<double>(n) * 0.5)};
  }

  template <bool Full>
  __device__ __forceinline__ static state column(const in_type (&x)[column_leaf], int rows, std::int64_t,
                                                 std::int64_t) {
    value sum = M::lift(x[0]);
#pragma unroll
    for (int r = 1; r < column_leaf; ++r) {
      if (Full || r < rows) sum = sum + M::lift(x[r]);
    }
    const value mean = Full ? M::scale(sum, 1.0 / column_leaf) : M::divide(sum, static_cast<double>(rows));
    double m2 = 0.0;
#pragma unroll
    for (int r = 0; r < column_leaf; ++r) {
      if (Full || r < rows) m2 = M::add_square(m2, M::lift(x[r]) - mean);
    }
    return {sum, m2};
  }

  template <bool Full, int Steps>
  __device__ __forceinline__ static state row(const in_type (&x)[Steps], int n, int lane, int width, std::int64_t,
                                              std::int64_t, in_type*) {
    value sum = M::identity();
#pragma unroll
    for (int s = 0; s < Steps; ++s) {
      if (Full || lane + s * row_lanes < n) sum = sum + M::lift(x[s]);
    }
    sum = fold_lanes(sum, width, M::identity(), [](value a, value b) { return a + b; });
    const value all = from_first_lane(sum, width);
    const value mean = Full ? M::scale(all, 1.0 / row_leaf) : M::divide(all, static_cast<double>(n));
    double m2 = 0.0;
#pragma unroll
    for (int s = 0; s < Steps; ++s) {
      if (Full || lane + s * row_lanes < n) m2 = M::add_square(m2, M::lift(x[s]) - mean);
    }
    m2 = fold_lanes(m2, width, 0.0, [](double a, double b) { return a + b; });
    return {sum, m2};
  }
};

/// Numbers move to the front of a leaf, past the NaN, before it is folded.
template <class In>
struct device_rules<nan_moments_policy<In>> {
  using P = nan_moments_policy<In>;
  using M = moments_policy<In>;
  using in_type = In;
  using value = typename M::value;
  using state = typename P::state;
  static constexpr const char* name = P::name;
  static constexpr int fields = 3;
  static constexpr bool counted = false;
  static constexpr bool divides = true;
  static constexpr bool packs = true;
  static constexpr dtype field_type(int f) { return P::field_type(f); }

  __device__ __forceinline__ static state identity() { return P::identity(); }
  __device__ __forceinline__ static state load(const state_ref& s, std::int64_t i) { return P::load(s, i); }
  __device__ __forceinline__ static void store(const state_ref& s, std::int64_t i, const state& v) {
    P::store(s, i, v);
  }
  __device__ __forceinline__ static state merge(const state& a, const state& b, std::int64_t, std::int64_t) {
    return P::combine(a, b);
  }
  __device__ __forceinline__ static state merge_equal(const state& a, const state& b, std::int64_t) {
    return P::combine(a, b);
  }

  template <bool Full>
  __device__ __forceinline__ static state column(const in_type (&x)[column_leaf], int rows, std::int64_t,
                                                 std::int64_t) {
    value sum = M::identity();
    double count = 0;
#pragma unroll
    for (int r = 0; r < column_leaf; ++r) {
      if ((Full || r < rows) && !P::is_missing(x[r])) {
        sum = sum + M::lift(x[r]);
        count += 1.0;
      }
    }
    const value mean = M::divide(sum, count > 0 ? count : 1.0);
    double m2 = 0.0;
#pragma unroll
    for (int r = 0; r < column_leaf; ++r) {
      if ((Full || r < rows) && !P::is_missing(x[r])) m2 = M::add_square(m2, M::lift(x[r]) - mean);
    }
    return {sum, m2, count};
  }

  template <bool Full, int Steps>
  __device__ __forceinline__ static state row(const in_type (&x)[Steps], int n, int lane, int width, std::int64_t,
                                              std::int64_t, in_type* shared) {
    const int group = static_cast<int>(threadIdx.x) % row_lanes - lane;  // the first lane of this row
    const unsigned before = (1u << lane) - 1u;
    const unsigned mine = all_lanes >> (row_lanes - width);
    int count = 0;
    __syncwarp();
#pragma unroll
    for (int s = 0; s < Steps; ++s) {
      const bool number = (Full || lane + s * row_lanes < n) && !P::is_missing(x[s]);
      const unsigned numbers = (__ballot_sync(all_lanes, number) >> group) & mine;
      if (number) shared[group + count + __popc(numbers & before)] = x[s];
      count += __popc(numbers);
    }
    __syncwarp();
    in_type kept[Steps];
#pragma unroll
    for (int s = 0; s < Steps; ++s) {
      const int i = lane + s * row_lanes;
      kept[s] = i < count ? shared[group + i] : in_type{};
    }
    const auto moments = device_rules<M>::template row<false, Steps>(kept, count, lane, width, 0, 0, nullptr);
    return count == 0 ? P::identity() : state{moments.sum, moments.m2, static_cast<double>(count)};
  }
};

template <class D>
__device__ __noinline__ typename D::state called_merge(typename D::state a, typename D::state b, std::int64_t na,
                                                       std::int64_t nb) {
  return D::merge(a, b, na, nb);
}

/// D::merge where code should be small: divisions are long.
template <class D>
__device__ __forceinline__ typename D::state small_merge(const typename D::state& a, const typename D::state& b,
                                                         std::int64_t na, std::int64_t nb) {
  if constexpr (D::divides) {
    return called_merge<D>(a, b, na, nb);
  } else {
    return D::merge(a, b, na, nb);
  }
}

}  // namespace ashlar::detail

#endif
