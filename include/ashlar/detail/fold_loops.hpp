/// \file
/// Loops of reducers that fold: sum, prod, min, max, any, all, count, argmin, argmax. A policy has `lift` and `combine`
/// and an identity; the loops keep the canonical order (graph/reducer.hpp).
#pragma once

#include <ashlar/detail/config.hpp>
#include <ashlar/graph/reducer.hpp>
#include <cstring>
#include <type_traits>

#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wpass-failed"  // loops over pairs and complex numbers stay scalar, and right
#endif

namespace ashlar::detail {

inline constexpr int row_lanes = 32;

/// A binary counter over leaf states: pushes walk the canonical tree in O(log n) space. Zero-initialised memory is an
/// empty one.
template <class State>
struct tree_counter {
  std::int64_t leaves;
  State level[48];
  std::int64_t count[48];

  template <class Merge>
  ASHLAR_DETAIL_INLINE void push(State s, std::int64_t n, Merge merge) {
    int l = 0;
    for (std::int64_t bits = leaves; (bits & 1) != 0; bits >>= 1, ++l) {
      s = merge(level[l], s, count[l], n);
      n += count[l];
    }
    level[l] = s;
    count[l] = n;
    ++leaves;
  }

  /// At least one leaf must have been pushed.
  template <class Merge>
  ASHLAR_DETAIL_INLINE State total(Merge merge) const {
    int l = 0;
    std::int64_t bits = leaves;
    for (; (bits & 1) == 0; bits >>= 1) ++l;
    State s = level[l];
    std::int64_t n = count[l];
    for (bits >>= 1, ++l; bits != 0; bits >>= 1, ++l) {
      if ((bits & 1) != 0) {
        s = merge(level[l], s, count[l], n);
        n += count[l];
      }
    }
    return s;
  }
};

/// Rows in memory are fetched this far ahead of the arithmetic: the folds between leaves would otherwise let the memory
/// idle, which costs a quarter of the bandwidth of a core.
inline constexpr std::int64_t fetch_ahead = 8 << 10;

/// Starts fetching what lies fetch_ahead bytes behind `at`, of a row of `row` bytes after which the next one follows at
/// `stride` from its start; `bytes` are about to be read. Behind packed rows lies the next row, or what follows the
/// block: a fetch that goes too far costs little.
ASHLAR_DETAIL_INLINE void fetch_rows(const unsigned char* row_start, std::int64_t at, std::int64_t bytes,
                                     std::int64_t row, std::int64_t stride) {
  std::int64_t ahead = at + fetch_ahead;
  if (ahead >= row && stride != row) {
    ahead -= row;
    row_start += stride;
    if (ahead >= row) return;
  }
  for (std::int64_t k = 0; k < bytes; k += 64) __builtin_prefetch(row_start + ahead + k, 0, 2);
}

// --- fold policies ---
// A policy P
// has: In, State (a struct of one or two fields, or one value), static State identity(); static State lift(In x, int64
// index); static State combine(State a, State b); and load/store of fields.

/// Calls body(constant number of steps, first step) until `steps` are done. Within one call the lanes stay in
/// registers; a loop over single steps would carry them through memory.
template <class Body>
ASHLAR_DETAIL_INLINE void lane_steps(int first, int steps, Body body) {
  int s = first;
  for (; steps - s >= 8; s += 8) body(std::integral_constant<int, 8>{}, s);
  if (((steps - s) & 4) != 0) {
    body(std::integral_constant<int, 4>{}, s);
    s += 4;
  }
  if (((steps - s) & 2) != 0) {
    body(std::integral_constant<int, 2>{}, s);
    s += 2;
  }
  if (((steps - s) & 1) != 0) body(std::integral_constant<int, 1>{}, s);
}

/// Policies with `shortcut` (extrema of floating-point numbers) have a faster form that is right unless NaN, an
/// infinity, or a result of zero is met; it then says so, and the form below is taken. `accumulate` is the extremum of
/// two numbers without regard to those, `suspect` a sum that is not 0 once one was seen.
template <class P>
concept has_shortcut = requires { typename P::shortcut; };

/// The last elements of a leaf, fewer than there are lanes, at an address from which every lane can be read; what lanes
/// from `rest` on read is of no account. In place when other rows follow (`more`), else copied to `padded`: a copy of
/// variable length costs more than the whole fold of a short row.
template <class In>
ASHLAR_DETAIL_INLINE const In* tail_of_leaf(const In* tail, int rest, bool more, In* padded) {
  if (more) return tail;
  std::memcpy(static_cast<void*>(padded), tail, static_cast<std::size_t>(rest) * sizeof(In));
  for (int l = rest; l < row_lanes; ++l) padded[l] = padded[0];
  return padded;
}

/// True when row_lanes elements can be read from anywhere in row `r` of `count` rows: the next row follows at once.
ASHLAR_DETAIL_INLINE bool more_follows(std::int64_t r, std::int64_t count, std::int64_t n, std::int64_t row_bytes,
                                       std::int64_t row_stride) {
  return r + 1 < count && n >= row_lanes && row_stride == row_bytes;
}

template <class P, class In>
ASHLAR_DETAIL_INLINE typename P::state fold_leaf(const In* p, int n, std::int64_t index, std::int64_t step, bool more) {
  using state = typename P::state;
  if constexpr (has_shortcut<P>) {
    if (n >= row_lanes) {
      alignas(64) In best[row_lanes];
      alignas(64) In suspect[row_lanes];
      ASHLAR_DETAIL_IVDEP
      for (int l = 0; l < row_lanes; ++l) {
        best[l] = p[l];
        suspect[l] = p[l] * In{0};
      }
      const int steps = n / row_lanes;
      lane_steps(1, steps, [&](auto count, int s0) {
        const In* const q = p + s0 * row_lanes;
        ASHLAR_DETAIL_IVDEP
        for (int l = 0; l < row_lanes; ++l) {
          In v = best[l];
          In f = suspect[l];
          ASHLAR_DETAIL_UNROLL_16
          for (int s = 0; s < decltype(count)::value; ++s) {
            const In x = q[s * row_lanes + l];
            v = P::accumulate(v, x);
            f += x * In{0};
          }
          best[l] = v;
          suspect[l] = f;
        }
      });
      for (int l = 0; l < n - steps * row_lanes; ++l) {
        const In x = p[steps * row_lanes + l];
        best[l] = P::accumulate(best[l], x);
        suspect[l] += x * In{0};
      }
      for (int w = row_lanes / 2; w >= 1; w /= 2) {
        ASHLAR_DETAIL_IVDEP
        for (int l = 0; l < w; ++l) {
          best[l] = P::accumulate(best[l], best[l + w]);
          suspect[l] += suspect[l + w];
        }
      }
      if (suspect[0] == In{0} && best[0] != In{0}) return P::lift(best[0], index);
    }
  }
  alignas(64) state lane[row_lanes];
  const int full = n / row_lanes;
  const int rest = n - full * row_lanes;
  if (full == row_leaf / row_lanes) {
    ASHLAR_DETAIL_IVDEP
    for (int l = 0; l < row_lanes; ++l) {
      state v = P::lift(p[l], index + l * step);
      ASHLAR_DETAIL_UNROLL_16
      for (int s = 1; s < row_leaf / row_lanes; ++s) {
        v = P::combine(v, P::lift(p[s * row_lanes + l], index + (s * row_lanes + l) * step));
      }
      lane[l] = v;
    }
  } else {
    ASHLAR_DETAIL_IVDEP
    for (int l = 0; l < row_lanes; ++l) lane[l] = P::identity();
    lane_steps(0, full, [&](auto count, int s0) {
      const In* const q = p + s0 * row_lanes;
      const std::int64_t first = index + s0 * row_lanes * step;
      ASHLAR_DETAIL_IVDEP
      for (int l = 0; l < row_lanes; ++l) {
        state v = lane[l];
        ASHLAR_DETAIL_UNROLL_16
        for (int s = 0; s < decltype(count)::value; ++s) {
          v = P::combine(v, P::lift(q[s * row_lanes + l], first + (s * row_lanes + l) * step));
        }
        lane[l] = v;
      }
    });
    if constexpr (!std::is_arithmetic_v<state>) {  // selecting between structs does not vectorise
      for (int l = 0; l < rest; ++l) {
        lane[l] = P::combine(lane[l], P::lift(p[full * row_lanes + l], index + (full * row_lanes + l) * step));
      }
    } else if (rest > 0) {
      alignas(64) In padded[row_lanes];
      const In* const tail = tail_of_leaf(p + full * row_lanes, rest, more, padded);
      ASHLAR_DETAIL_IVDEP
      for (int l = 0; l < row_lanes; ++l) {
        const state v = P::combine(lane[l], P::lift(tail[l], index + (full * row_lanes + l) * step));
        lane[l] = l < rest ? v : lane[l];
      }
    }
  }
  for (int w = row_lanes / 2; w >= 1; w /= 2) {
    ASHLAR_DETAIL_IVDEP
    for (int l = 0; l < w; ++l) lane[l] = P::combine(lane[l], lane[l + w]);
  }
  return lane[0];
}

/// One leaf of `rows` <= 16 rows over `width` = 64 columns.
inline constexpr int column_width = 64;

template <class P, class In>
ASHLAR_DETAIL_INLINE void fold_columns_tile(const In* const* row, int rows, index_map index, typename P::state* out) {
  using state = typename P::state;
  if constexpr (has_shortcut<P>) {
    if (rows == column_leaf) {
      alignas(64) In best[column_width];
      alignas(64) In suspect[column_width];
      ASHLAR_DETAIL_IVDEP
      for (int c = 0; c < column_width; ++c) {
        In v = row[0][c];
        In f = v * In{0};
        ASHLAR_DETAIL_UNROLL_16
        for (int r = 1; r < column_leaf; ++r) {
          const In x = row[r][c];
          v = P::accumulate(v, x);
          f += x * In{0};
        }
        best[c] = v;
        suspect[c] = v == In{0} ? In{1} : f;  // NaN stays NaN
      }
      for (int w = column_width / 2; w >= 1; w /= 2) {
        ASHLAR_DETAIL_IVDEP
        for (int c = 0; c < w; ++c) suspect[c] += suspect[c + w];
      }
      if (suspect[0] == In{0}) {
        ASHLAR_DETAIL_IVDEP
        for (int c = 0; c < column_width; ++c) out[c] = P::lift(best[c], 0);
        return;
      }
    }
  }
  if (rows == column_leaf) {
    ASHLAR_DETAIL_IVDEP
    for (int c = 0; c < column_width; ++c) {
      state v = P::lift(row[0][c], index.first + c * index.step);
      ASHLAR_DETAIL_UNROLL_16
      for (int r = 1; r < column_leaf; ++r) {
        v = P::combine(v, P::lift(row[r][c], index.first + r * index.row_step + c * index.step));
      }
      out[c] = v;
    }
  } else {
    ASHLAR_DETAIL_IVDEP
    for (int c = 0; c < column_width; ++c) out[c] = P::lift(row[0][c], index.first + c * index.step);
    for (int r = 1; r < rows; ++r) {
      const In* const p = row[r];
      const std::int64_t base = index.first + r * index.row_step;
      ASHLAR_DETAIL_IVDEP
      for (int c = 0; c < column_width; ++c) out[c] = P::combine(out[c], P::lift(p[c], base + c * index.step));
    }
  }
}

/// Calls `tile(rows, columns_in_tile, first_column)` for tiles of 64 columns; fewer columns than that are padded.
template <class In, class F>
ASHLAR_DETAIL_INLINE void for_column_tiles(const void* in, std::int64_t row_stride, int rows, std::int64_t columns,
                                           F tile) {
  const auto* const base = static_cast<const unsigned char*>(in);
  const In* row[column_leaf] = {};
  if (columns < column_width) {
    alignas(64) In padded[column_leaf][column_width];
    const auto bytes = static_cast<std::size_t>(columns) * sizeof(In);
    for (int r = 0; r < rows; ++r) {
      std::memcpy(static_cast<void*>(padded[r]), base + r * row_stride, bytes);
      for (std::int64_t i = columns; i < column_width; ++i) padded[r][i] = padded[r][0];
      row[r] = padded[r];
    }
    tile(row, static_cast<int>(columns), std::int64_t{0});
    return;
  }
  for (std::int64_t c = 0;; c += column_width) {
    if (c + column_width > columns) {
      if (c == columns) return;
      c = columns - column_width;  // the last tile does some columns again, to the same bits
    }
    for (int r = 0; r < rows; ++r) row[r] = reinterpret_cast<const In*>(base + r * row_stride) + c;
    tile(row, column_width, c);
  }
}

template <class P>
struct fold_loops {
  using in_type = typename P::in_type;
  using state = typename P::state;
  using counter = tree_counter<state>;

  static constexpr auto merge_states = [](const state& a, const state& b, std::int64_t, std::int64_t) {
    return P::combine(a, b);
  };

  ASHLAR_DETAIL_INLINE static state leaf(const in_type* p, int n, std::int64_t index, std::int64_t step, bool more) {
    return fold_leaf<P>(p, n, index, step, more);
  }

  /// `Leaf` is leaf() as a function of its own, one for each instruction set: compiled once, same bits everywhere.
  template <auto Leaf>
  ASHLAR_DETAIL_INLINE static void feed(void* running, const void* in, std::int64_t n, index_map index) {
    auto* const t = static_cast<counter*>(running);
    const auto* const p = static_cast<const in_type*>(in);
    for (std::int64_t i = 0; i < n; i += row_leaf) {
      const int m = n - i < row_leaf ? static_cast<int>(n - i) : row_leaf;
      t->push(Leaf(p + i, m, index.first + i * index.step, index.step, false), m, merge_states);
    }
  }

  ASHLAR_DETAIL_INLINE static void end(void* running, state_ref out) {
    auto* const t = static_cast<counter*>(running);
    P::store(out, 0, t->leaves == 0 ? P::identity() : t->total(merge_states));
    t->leaves = 0;
  }

  template <auto Leaf>
  ASHLAR_DETAIL_INLINE static void rows(const void* in, std::int64_t row_stride, std::int64_t count, std::int64_t n,
                                        index_map index, state_ref out) {
    counter t;
    t.leaves = 0;
    const auto* p = static_cast<const unsigned char*>(in);
    const std::int64_t bytes = n * static_cast<std::int64_t>(sizeof(in_type));
    for (std::int64_t r = 0; r < count; ++r, p += row_stride, index.first += index.row_step) {
      const bool more = more_follows(r, count, n, bytes, row_stride);
      if (n > 0 && n <= row_leaf) {  // one leaf: no tree
        fetch_rows(p, 0, bytes, bytes, row_stride);
        P::store(out, r, Leaf(reinterpret_cast<const in_type*>(p), static_cast<int>(n), index.first, index.step, more));
        continue;
      }
      for (std::int64_t i = 0; i < n; i += row_leaf) {
        const int m = n - i < row_leaf ? static_cast<int>(n - i) : row_leaf;
        const auto* const from = reinterpret_cast<const in_type*>(p) + i;
        constexpr auto size = static_cast<std::int64_t>(sizeof(in_type));
        fetch_rows(p, i * size, m * size, bytes, row_stride);
        t.push(Leaf(from, m, index.first + i * index.step, index.step, more), m, merge_states);
      }
      P::store(out, r, t.leaves == 0 ? P::identity() : t.total(merge_states));
      t.leaves = 0;
    }
  }

  ASHLAR_DETAIL_INLINE static void columns(const void* in, std::int64_t row_stride, int rows_, std::int64_t n,
                                           index_map index, state_ref out) {
    for_column_tiles<in_type>(in, row_stride, rows_, n, [&](const in_type* const* row, int width, std::int64_t c) {
      index_map i = index;
      i.first += c * index.step;
      if constexpr (P::plain) {
        if (width == column_width) {
          fold_columns_tile<P>(row, rows_, i, static_cast<state*>(out.field[0]) + c);
          return;
        }
      }
      alignas(64) state s[column_width];
      fold_columns_tile<P>(row, rows_, i, s);
      for (int k = 0; k < width; ++k) P::store(out, c + k, s[k]);
    });
  }

  ASHLAR_DETAIL_INLINE static void merge(state_ref out, state_ref a, state_ref b, std::int64_t n, std::int64_t,
                                         std::int64_t) {
    std::int64_t c = 0;
    for (; c + column_width <= n; c += column_width) {
      ASHLAR_DETAIL_IVDEP
      for (int k = 0; k < column_width; ++k) P::store(out, c + k, P::combine(P::load(a, c + k), P::load(b, c + k)));
    }
    for (; c + 8 <= n; c += 8) {
      ASHLAR_DETAIL_IVDEP
      for (int k = 0; k < 8; ++k) P::store(out, c + k, P::combine(P::load(a, c + k), P::load(b, c + k)));
    }
    for (; c < n; ++c) P::store(out, c, P::combine(P::load(a, c), P::load(b, c)));
  }

  static void identity(state_ref out, std::int64_t n) {
    for (std::int64_t c = 0; c < n; ++c) P::store(out, c, P::identity());
  }
};

}  // namespace ashlar::detail

#if defined(__clang__)
#pragma clang diagnostic pop
#endif
