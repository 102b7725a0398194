/// \file
/// Loops of argmin and argmax. Pairs of value and index do not vectorise, so a leaf is searched in two steps that do:
/// its extremum first, then the first place that equals it; down columns, rows are compared one by one and only the
/// number of the best row is kept. A leaf with a NaN goes element by element. The order of pairs is total, so this
/// gives the leaf's state however it is found.
#pragma once

#include <cstdint>
#include <type_traits>

#include <ashlar/detail/config.hpp>
#include <ashlar/detail/fold_loops.hpp>

#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wpass-failed"  // what clang leaves scalar is slower, and right
#endif

namespace ashlar::detail {

template <class P>
struct arg_loops : fold_loops<P> {
  using in_type = typename P::in_type;
  using state = typename P::state;
  /// As wide as an element, so that masks and row numbers lie in the same vectors.
  using place =
      std::conditional_t<sizeof(in_type) == 1, std::int8_t,
                         std::conditional_t<sizeof(in_type) == 2, std::int16_t,
                                            std::conditional_t<sizeof(in_type) == 4, std::int32_t, std::int64_t>>>;

  ASHLAR_DETAIL_INLINE static state leaf(const in_type* p, int n, std::int64_t index, std::int64_t step, bool) {
    if (n >= row_lanes) {
      const int at = find(p, n);
      if (at >= 0) return {p[at], index + at * step};
    }
    state s = P::identity();
    for (int i = 0; i < n; ++i) s = P::combine(s, P::lift(p[i], index + i * step));
    return s;
  }

  ASHLAR_DETAIL_INLINE static void columns(const void* in, std::int64_t row_stride, int rows, std::int64_t n,
                                           index_map index, state_ref out) {
    for_column_tiles<in_type>(in, row_stride, rows, n, [&](const in_type* const* row, int width, std::int64_t c) {
      alignas(64) in_type best[column_width];
      alignas(64) place which[column_width];
      const std::int64_t first = index.first + c * index.step;
      if (best_rows(row, rows, best, which)) {
        for (int k = 0; k < width; ++k) {
          P::store(out, c + k, {best[k], first + k * index.step + which[k] * index.row_step});
        }
        return;
      }
      for (int k = 0; k < width; ++k) {
        state s = P::identity();
        for (int r = 0; r < rows; ++r) {
          s = P::combine(s, P::lift(row[r][k], first + k * index.step + r * index.row_step));
        }
        P::store(out, c + k, s);
      }
    });
  }

 private:
  ASHLAR_DETAIL_INLINE static place not_a_number(in_type x) { return x != x ? place{1} : place{0}; }

  /// The first place of the extremum of n >= row_lanes elements, -1 when one of them is NaN.
  ASHLAR_DETAIL_INLINE static int find(const in_type* p, int n) {
    alignas(64) in_type best[row_lanes];
    alignas(64) place nan[row_lanes];
    ASHLAR_DETAIL_IVDEP
    for (int l = 0; l < row_lanes; ++l) {
      best[l] = p[l];
      nan[l] = not_a_number(p[l]);
    }
    const int steps = n / row_lanes;
    lane_steps(1, steps, [&](auto count, int s0) {
      const in_type* const q = p + s0 * row_lanes;
      ASHLAR_DETAIL_IVDEP
      for (int l = 0; l < row_lanes; ++l) {
        in_type v = best[l];
        place f = nan[l];
        ASHLAR_DETAIL_UNROLL_16
        for (int s = 0; s < decltype(count)::value; ++s) {
          const in_type x = q[s * row_lanes + l];
          v = P::better(x, v) ? x : v;
          f = static_cast<place>(f | not_a_number(x));
        }
        best[l] = v;
        nan[l] = f;
      }
    });
    for (int l = 0; l < n - steps * row_lanes; ++l) {
      const in_type x = p[steps * row_lanes + l];
      best[l] = P::better(x, best[l]) ? x : best[l];
      nan[l] = static_cast<place>(nan[l] | not_a_number(x));
    }
    for (int w = row_lanes / 2; w >= 1; w /= 2) {
      ASHLAR_DETAIL_IVDEP
      for (int l = 0; l < w; ++l) {
        best[l] = P::better(best[l + w], best[l]) ? best[l + w] : best[l];
        nan[l] = static_cast<place>(nan[l] | nan[l + w]);
      }
    }
    if (nan[0] != 0) return -1;
    const in_type value = best[0];
    int at = 0;
    for (; at + row_lanes <= n; at += row_lanes) {
      place hits = 0;
      ASHLAR_DETAIL_IVDEP
      for (int l = 0; l < row_lanes; ++l) hits = static_cast<place>(hits | (p[at + l] == value ? place{1} : place{0}));
      if (hits != 0) break;
    }
    while (p[at] != value) ++at;
    return at;
  }

  /// The best of each column and its row, the first of equal ones; false when one of the elements is NaN.
  ASHLAR_DETAIL_INLINE static bool best_rows(const in_type* const* row, int rows, in_type* best, place* which) {
    alignas(64) place nan[column_width];
    ASHLAR_DETAIL_IVDEP
    for (int c = 0; c < column_width; ++c) {
      best[c] = row[0][c];
      which[c] = 0;
      nan[c] = not_a_number(row[0][c]);
    }
    for (int r = 1; r < rows; ++r) {
      const in_type* const q = row[r];
      const auto number = static_cast<place>(r);
      ASHLAR_DETAIL_IVDEP
      for (int c = 0; c < column_width; ++c) {
        const in_type x = q[c];
        const bool take = P::better(x, best[c]);
        best[c] = take ? x : best[c];
        which[c] = take ? number : which[c];
        nan[c] = static_cast<place>(nan[c] | not_a_number(x));
      }
    }
    place any = 0;
    ASHLAR_DETAIL_IVDEP
    for (int c = 0; c < column_width; ++c) any = static_cast<place>(any | nan[c]);
    return any == 0;
  }
};

}  // namespace ashlar::detail

#if defined(__clang__)
#pragma clang diagnostic pop
#endif
