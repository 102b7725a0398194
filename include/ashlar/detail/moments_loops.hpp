/// \file
/// Loops of moments, (sum, M2): each leaf is passed over twice while it is in the first-level cache (sum, then squared
/// deviations from the leaf's mean), leaves merge by Chan, Golub and LeVeque (1979). The sum inside moments is the sum
/// reducer's, so mean() and the mean inside std() agree to the bit; E[x^2]-E[x]^2 is never formed.
#pragma once

#include <cstring>
#include <type_traits>

#include <ashlar/detail/fold_loops.hpp>

#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wpass-failed"  // loops over pairs and complex numbers stay scalar, and right
#endif

namespace ashlar::detail {

/// `M` gives: in_type, value (double, or complex<double>), lift(in) -> value, scale and divide(value, n),
/// add_square(to, value).
template <class M>
struct moments_loops {
  using in_type = typename M::in_type;
  using value = typename M::value;
  struct state {
    value sum;
    double m2;
  };
  using counter = tree_counter<state>;

  struct sum_policy {
    using state = value;
    ASHLAR_DETAIL_INLINE static value identity() { return M::identity(); }
    ASHLAR_DETAIL_INLINE static value lift(in_type x, std::int64_t) { return M::lift(x); }
    ASHLAR_DETAIL_INLINE static value combine(value a, value b) { return a + b; }
  };

  static ASHLAR_DETAIL_INLINE value load_sum(state_ref s, std::int64_t i) {
    return static_cast<const value*>(s.field[0])[i];
  }
  static ASHLAR_DETAIL_INLINE double load_m2(state_ref s, std::int64_t i) {
    return static_cast<const double*>(s.field[1])[i];
  }
  static ASHLAR_DETAIL_INLINE void store(state_ref s, std::int64_t i, const state& v) {
    static_cast<value*>(s.field[0])[i] = v.sum;
    static_cast<double*>(s.field[1])[i] = v.m2;
  }

  struct chan {
    double n_a;
    double n_b;
    double weight;  // n_a * n_b / (n_a + n_b)
    chan(std::int64_t na, std::int64_t nb)
        : n_a(static_cast<double>(na)),
          n_b(static_cast<double>(nb)),
          weight(n_a * (n_b / static_cast<double>(na + nb))) {}
    ASHLAR_DETAIL_INLINE double m2(value mean_a, double m2_a, value mean_b, double m2_b) const {
      return M::add_square(m2_a + m2_b, mean_b - mean_a, weight);
    }
  };

  static constexpr auto merge_states = [](const state& a, const state& b, std::int64_t na, std::int64_t nb) {
    if (na == 0) return b;
    if (nb == 0) return a;
    const chan c(na, nb);
    return state{a.sum + b.sum, c.m2(M::divide(a.sum, c.n_a), a.m2, M::divide(b.sum, c.n_b), b.m2)};
  };

  ASHLAR_DETAIL_INLINE static state leaf(const in_type* p, int n, std::int64_t, std::int64_t, bool more) {
    const value sum = fold_leaf<sum_policy>(p, n, 0, 0, more);
    const value mean = M::divide(sum, static_cast<double>(n));
    alignas(64) double lane[row_lanes];
    const int full = n / row_lanes;
    const int rest = n - full * row_lanes;
    if (full == row_leaf / row_lanes) {
      ASHLAR_DETAIL_IVDEP
      for (int l = 0; l < row_lanes; ++l) {
        double v = M::add_square(0.0, M::lift(p[l]) - mean);
        ASHLAR_DETAIL_UNROLL_16
        for (int s = 1; s < row_leaf / row_lanes; ++s) v = M::add_square(v, M::lift(p[s * row_lanes + l]) - mean);
        lane[l] = v;
      }
    } else {
      for (double& v : lane) v = 0.0;
      lane_steps(0, full, [&](auto count, int s0) {
        const in_type* const q = p + s0 * row_lanes;
        ASHLAR_DETAIL_IVDEP
        for (int l = 0; l < row_lanes; ++l) {
          double v = lane[l];
          ASHLAR_DETAIL_UNROLL_16
          for (int s = 0; s < decltype(count)::value; ++s) v = M::add_square(v, M::lift(q[s * row_lanes + l]) - mean);
          lane[l] = v;
        }
      });
      if (rest > 0) {
        alignas(64) in_type padded[row_lanes];
        const in_type* const tail = tail_of_leaf(p + full * row_lanes, rest, more, padded);
        ASHLAR_DETAIL_IVDEP
        for (int l = 0; l < row_lanes; ++l) {
          const double v = M::add_square(lane[l], M::lift(tail[l]) - mean);
          lane[l] = l < rest ? v : lane[l];
        }
      }
    }
    for (int w = row_lanes / 2; w >= 1; w /= 2) {
      for (int l = 0; l < w; ++l) lane[l] += lane[l + w];
    }
    return {sum, lane[0]};
  }

  template <auto Leaf>
  ASHLAR_DETAIL_INLINE static void feed(void* running, const void* in, std::int64_t n, index_map) {
    auto* const t = static_cast<counter*>(running);
    const auto* const p = static_cast<const in_type*>(in);
    for (std::int64_t i = 0; i < n; i += row_leaf) {
      const int m = n - i < row_leaf ? static_cast<int>(n - i) : row_leaf;
      t->push(Leaf(p + i, m, 0, 0, false), m, merge_states);
    }
  }

  ASHLAR_DETAIL_INLINE static void end(void* running, state_ref out) {
    auto* const t = static_cast<counter*>(running);
    store(out, 0, t->leaves == 0 ? state{M::identity(), 0.0} : t->total(merge_states));
    t->leaves = 0;
  }

  template <auto Leaf>
  ASHLAR_DETAIL_INLINE static void rows(const void* in, std::int64_t row_stride, std::int64_t count, std::int64_t n,
                                        index_map, state_ref out) {
    counter t;
    t.leaves = 0;
    const auto* p = static_cast<const unsigned char*>(in);
    const std::int64_t bytes = n * static_cast<std::int64_t>(sizeof(in_type));
    for (std::int64_t r = 0; r < count; ++r, p += row_stride) {
      const bool more = more_follows(r, count, n, bytes, row_stride);
      if (n > 0 && n <= row_leaf) {  // one leaf: no tree
        fetch_rows(p, 0, bytes, bytes, row_stride);
        store(out, r, Leaf(reinterpret_cast<const in_type*>(p), static_cast<int>(n), 0, 0, more));
        continue;
      }
      for (std::int64_t i = 0; i < n; i += row_leaf) {
        const int m = n - i < row_leaf ? static_cast<int>(n - i) : row_leaf;
        constexpr auto size = static_cast<std::int64_t>(sizeof(in_type));
        fetch_rows(p, i * size, m * size, bytes, row_stride);
        t.push(Leaf(reinterpret_cast<const in_type*>(p) + i, m, 0, 0, more), m, merge_states);
      }
      store(out, r, t.leaves == 0 ? state{M::identity(), 0.0} : t.total(merge_states));
      t.leaves = 0;
    }
  }

  ASHLAR_DETAIL_INLINE static void columns(const void* in, std::int64_t row_stride, int rows_, std::int64_t n,
                                           index_map, state_ref out) {
    for_column_tiles<in_type>(in, row_stride, rows_, n, [&](const in_type* const* row, int width, std::int64_t c) {
      alignas(64) value sum[column_width];
      alignas(64) double m2[column_width];
      if (rows_ == column_leaf) {
        ASHLAR_DETAIL_IVDEP
        for (int k = 0; k < column_width; ++k) {
          value s = M::lift(row[0][k]);
          ASHLAR_DETAIL_UNROLL_16
          for (int r = 1; r < column_leaf; ++r) s = s + M::lift(row[r][k]);
          sum[k] = s;
        }
        ASHLAR_DETAIL_IVDEP
        for (int k = 0; k < column_width; ++k) {
          const value s = sum[k];
          const value mean = M::scale(s, 1.0 / column_leaf);  // exact
          double q = M::add_square(0.0, M::lift(row[0][k]) - mean);
          ASHLAR_DETAIL_UNROLL_16
          for (int r = 1; r < column_leaf; ++r) q = M::add_square(q, M::lift(row[r][k]) - mean);
          m2[k] = q;
        }
      } else {
        ASHLAR_DETAIL_IVDEP
        for (int k = 0; k < column_width; ++k) sum[k] = M::lift(row[0][k]);
        for (int r = 1; r < rows_; ++r) {
          const in_type* const p = row[r];
          ASHLAR_DETAIL_IVDEP
          for (int k = 0; k < column_width; ++k) sum[k] = sum[k] + M::lift(p[k]);
        }
        alignas(64) value mean[column_width];
        ASHLAR_DETAIL_IVDEP
        for (int k = 0; k < column_width; ++k) {
          mean[k] = M::divide(sum[k], static_cast<double>(rows_));
          m2[k] = 0.0;
        }
        for (int r = 0; r < rows_; ++r) {
          const in_type* const p = row[r];
          ASHLAR_DETAIL_IVDEP
          for (int k = 0; k < column_width; ++k) m2[k] = M::add_square(m2[k], M::lift(p[k]) - mean[k]);
        }
      }
      std::memcpy(static_cast<void*>(static_cast<value*>(out.field[0]) + c), sum,
                  static_cast<std::size_t>(width) * sizeof(value));
      std::memcpy(static_cast<double*>(out.field[1]) + c, m2, static_cast<std::size_t>(width) * sizeof(double));
    });
  }

  ASHLAR_DETAIL_INLINE static void merge(state_ref out, state_ref a, state_ref b, std::int64_t n, std::int64_t na,
                                         std::int64_t nb) {
    if (na == 0 || nb == 0) {
      const state_ref from = na == 0 ? b : a;
      for (std::int64_t c = 0; c < n; ++c) store(out, c, {load_sum(from, c), load_m2(from, c)});
      return;
    }
    const chan weights(na, nb);
    // Leaves are powers of two, whose reciprocals are exact: most merges need no division.
    const bool exact = (na & (na - 1)) == 0 && (nb & (nb - 1)) == 0;
    const double inverse_a = 1.0 / weights.n_a;
    const double inverse_b = 1.0 / weights.n_b;
    alignas(64) value padded_sum[2][column_width];
    alignas(64) double padded_m2[2][column_width];
    for (std::int64_t c = 0; c < n; c += column_width) {
      const int width = n - c < column_width ? static_cast<int>(n - c) : column_width;
      const value* sa = static_cast<const value*>(a.field[0]) + c;
      const value* sb = static_cast<const value*>(b.field[0]) + c;
      const double* qa = static_cast<const double*>(a.field[1]) + c;
      const double* qb = static_cast<const double*>(b.field[1]) + c;
      value* so = static_cast<value*>(out.field[0]) + c;
      double* qo = static_cast<double*>(out.field[1]) + c;
      if (width < column_width) {  // through the same loop: a column's bits do not depend on its place
        for (int k = 0; k < column_width; ++k) {
          const int i = k < width ? k : 0;
          padded_sum[0][k] = sa[i];
          padded_sum[1][k] = sb[i];
          padded_m2[0][k] = qa[i];
          padded_m2[1][k] = qb[i];
        }
        sa = so = padded_sum[0];
        sb = padded_sum[1];
        qa = qo = padded_m2[0];
        qb = padded_m2[1];
      }
      if (exact) {
        ASHLAR_DETAIL_IVDEP
        for (int k = 0; k < column_width; ++k) {
          qo[k] = weights.m2(M::scale(sa[k], inverse_a), qa[k], M::scale(sb[k], inverse_b), qb[k]);
          so[k] = sa[k] + sb[k];
        }
      } else {
        ASHLAR_DETAIL_IVDEP
        for (int k = 0; k < column_width; ++k) {
          qo[k] = weights.m2(M::divide(sa[k], weights.n_a), qa[k], M::divide(sb[k], weights.n_b), qb[k]);
          so[k] = sa[k] + sb[k];
        }
      }
      if (width < column_width) {
        std::memcpy(static_cast<void*>(static_cast<value*>(out.field[0]) + c), padded_sum[0],
                    static_cast<std::size_t>(width) * sizeof(value));
        std::memcpy(static_cast<double*>(out.field[1]) + c, padded_m2[0],
                    static_cast<std::size_t>(width) * sizeof(double));
      }
    }
  }

  static void identity(state_ref out, std::int64_t n) {
    for (std::int64_t c = 0; c < n; ++c) store(out, c, {M::identity(), 0.0});
  }
};

}  // namespace ashlar::detail

#if defined(__clang__)
#pragma clang diagnostic pop
#endif
