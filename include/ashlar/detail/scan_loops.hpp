/// \file
/// Loops of scans: cumsum, cumprod, cummin, cummax. A fold (accumulators.hpp, extrema.hpp) says what two values make;
/// the loops keep the order of graph/scanner.hpp.
#pragma once

#include <cstdint>
#include <type_traits>

#include <ashlar/detail/accumulators.hpp>
#include <ashlar/detail/config.hpp>
#include <ashlar/detail/extrema.hpp>
#include <ashlar/graph/scanner.hpp>

#if defined(__CUDACC__)
#include <ashlar/detail/device_scan.hpp>
#endif

#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wpass-failed"  // loops over complex numbers stay scalar, and right
#endif

namespace ashlar::detail {

template <class To, class From>
ASHLAR_HD ASHLAR_DETAIL_INLINE To scan_cast(From x) {
  if constexpr (is_complex<To>) {
    using part = typename To::value_type;
    return To(static_cast<part>(x.real()), static_cast<part>(x.imag()));
  } else {
    return static_cast<To>(x);
  }
}

/// Running sums in A of elements In, given as Result; in leaves where A rounds.
template <class In, class A, class Result>
struct running_sum {
  using in_type = In;
  using state = A;
  using out_type = Result;
  static constexpr const char* name = "cumsum";
  static constexpr bool in_leaves = !std::is_integral_v<A>;
  static constexpr dtype field_type = dtype_of<user_type_t<A>>;
  ASHLAR_HD ASHLAR_DETAIL_INLINE static A identity() { return sum_policy<In, A>::identity(); }
  ASHLAR_HD ASHLAR_DETAIL_INLINE static A lift(In x) { return scan_cast<A>(x); }
  ASHLAR_HD ASHLAR_DETAIL_INLINE static A combine(A a, A b) { return sum_policy<In, A>::combine(a, b); }
  ASHLAR_HD ASHLAR_DETAIL_INLINE static Result result(A a) { return scan_cast<Result>(a); }
};

template <class In, class A, class Result>
struct running_product {
  using in_type = In;
  using state = A;
  using out_type = Result;
  static constexpr const char* name = "cumprod";
  static constexpr bool in_leaves = false;
  static constexpr dtype field_type = dtype_of<user_type_t<A>>;
  ASHLAR_HD ASHLAR_DETAIL_INLINE static A identity() { return A(1); }
  ASHLAR_HD ASHLAR_DETAIL_INLINE static A lift(In x) { return scan_cast<A>(x); }
  ASHLAR_HD ASHLAR_DETAIL_INLINE static A combine(A a, A b) { return product_policy<In, A>::combine(a, b); }
  ASHLAR_HD ASHLAR_DETAIL_INLINE static Result result(A a) { return scan_cast<Result>(a); }
};

/// Fold is min_policy or max_policy.
template <class Fold>
struct running_extremum {
  using in_type = typename Fold::in_type;
  using state = typename Fold::state;
  using out_type = in_type;
  static constexpr const char* name = Fold::name[1] == 'i' ? "cummin" : "cummax";
  static constexpr bool in_leaves = false;
  static constexpr dtype field_type = Fold::field_type(0);
  ASHLAR_HD ASHLAR_DETAIL_INLINE static state identity() { return Fold::identity(); }
  ASHLAR_HD ASHLAR_DETAIL_INLINE static state lift(in_type x) { return Fold::lift(x, 0); }
  ASHLAR_HD ASHLAR_DETAIL_INLINE static state combine(state a, state b) { return Fold::combine(a, b); }
  ASHLAR_HD ASHLAR_DETAIL_INLINE static in_type result(state a) {
    if constexpr (std::is_floating_point_v<in_type>) {
      return __builtin_bit_cast(in_type, turn_negative(a));
    } else {
      return a;
    }
  }
};

/// Field 0 holds what runs; where it runs in leaves, field 1 what the leaves before gave.
template <class P>
struct scan_loops {
  using in_type = typename P::in_type;
  using state = typename P::state;
  using out_type = typename P::out_type;

  static constexpr int fields = P::in_leaves ? 2 : 1;

  static void begin(state_ref s, std::int64_t lines) {
    for (int f = 0; f < fields; ++f) {
      auto* const to = static_cast<state*>(s.field[f]);
      for (std::int64_t i = 0; i < lines; ++i) to[i] = P::identity();
    }
  }

  ASHLAR_DETAIL_INLINE static void rows(const scan_piece& p, state_ref s) {
    constexpr int together = 4;  // chains of additions that keep the adders busy
    std::int64_t r = 0;
    for (; r + together <= p.rows; r += together) row_group<together>(p, r, s);
    for (; r < p.rows; ++r) row_group<1>(p, r, s);
  }

  ASHLAR_DETAIL_INLINE static void columns(const scan_piece& p, state_ref s) {
    // rows together, so that states are loaded and stored less often
    constexpr int many = 16;
    constexpr int some = 8;
    for (std::int64_t r = 0; r < p.rows;) {
      std::int64_t left = p.rows - r;
      if constexpr (P::in_leaves) {
        const std::int64_t within = (p.position + r) % p.leaf;
        if (within == 0) end_leaf(s, p.n);
        if (p.leaf - within < left) left = p.leaf - within;
      }
      const std::int64_t rows_now = left >= many ? many : left >= some ? some : 1;
      if (rows_now == many) {
        column_group<many>(p, r, s);
      } else if (rows_now == some) {
        column_group<some>(p, r, s);
      } else {
        column_group<1>(p, r, s);
      }
      r += rows_now;
    }
  }

 private:
  ASHLAR_DETAIL_INLINE static const in_type* in_row(const scan_piece& p, std::int64_t r) {
    return reinterpret_cast<const in_type*>(static_cast<const unsigned char*>(p.in) + r * p.in_stride);
  }
  ASHLAR_DETAIL_INLINE static out_type* out_row(const scan_piece& p, std::int64_t r) {
    return reinterpret_cast<out_type*>(static_cast<unsigned char*>(p.out) + r * p.out_stride);
  }

  /// What runs is added to what the leaves before gave, and begins again.
  ASHLAR_DETAIL_INLINE static void end_leaf(state_ref s, std::int64_t n) {
    auto* const running = static_cast<state*>(s.field[0]);
    auto* const before = static_cast<state*>(s.field[1]);
    ASHLAR_DETAIL_IVDEP
    for (std::int64_t c = 0; c < n; ++c) {
      before[c] = P::combine(before[c], running[c]);
      running[c] = P::identity();
    }
  }

  template <int R>
  ASHLAR_DETAIL_INLINE static void column_group(const scan_piece& p, std::int64_t first, state_ref s) {
    const in_type* in[R];
    out_type* out[R];
    for (int r = 0; r < R; ++r) {
      in[r] = in_row(p, first + r);
      out[r] = out_row(p, first + r);
    }
    auto* const running = static_cast<state*>(s.field[0]);
    const auto* const before = static_cast<const state*>(s.field[P::in_leaves ? 1 : 0]);
    ASHLAR_DETAIL_IVDEP
    for (std::int64_t c = 0; c < p.n; ++c) {
      state a = running[c];
      state b{};
      if constexpr (P::in_leaves) b = before[c];
      ASHLAR_DETAIL_UNROLL_16
      for (int r = 0; r < R; ++r) {
        a = P::combine(a, P::lift(in[r][c]));
        if constexpr (P::in_leaves) {
          out[r][c] = P::result(P::combine(b, a));
        } else {
          out[r][c] = P::result(a);
        }
      }
      running[c] = a;
    }
  }

  template <int R>
  ASHLAR_DETAIL_INLINE static void row_group(const scan_piece& p, std::int64_t first, state_ref s) {
    const in_type* in[R];
    out_type* out[R];
    state a[R];
    state b[R];
    for (int r = 0; r < R; ++r) {
      in[r] = in_row(p, first + r);
      out[r] = out_row(p, first + r);
      a[r] = static_cast<state*>(s.field[0])[first + r];
      if constexpr (P::in_leaves) b[r] = static_cast<state*>(s.field[1])[first + r];
    }
    for (std::int64_t i = 0; i < p.n;) {
      std::int64_t end = p.n;
      if constexpr (P::in_leaves) {
        const std::int64_t within = (p.position + i) % p.leaf;
        if (within == 0) {
          for (int r = 0; r < R; ++r) {
            b[r] = P::combine(b[r], a[r]);
            a[r] = P::identity();
          }
        }
        if (p.leaf - within < end - i) end = i + p.leaf - within;
      }
      for (; i < end; ++i) {
        ASHLAR_DETAIL_UNROLL_16
        for (int r = 0; r < R; ++r) {
          a[r] = P::combine(a[r], P::lift(in[r][i]));
          if constexpr (P::in_leaves) {
            out[r][i] = P::result(P::combine(b[r], a[r]));
          } else {
            out[r][i] = P::result(a[r]);
          }
        }
      }
    }
    for (int r = 0; r < R; ++r) {
      static_cast<state*>(s.field[0])[first + r] = a[r];
      if constexpr (P::in_leaves) static_cast<state*>(s.field[1])[first + r] = b[r];
    }
  }
};

#define ASHLAR_DETAIL_SCAN_ENTRIES(suffix, target)                          \
  template <class P, class Tag>                                             \
  target void scan_rows_##suffix(const scan_piece& p, state_ref state) {    \
    scan_loops<P>::rows(p, state);                                          \
  }                                                                         \
  template <class P, class Tag>                                             \
  target void scan_columns_##suffix(const scan_piece& p, state_ref state) { \
    scan_loops<P>::columns(p, state);                                       \
  }                                                                         \
  template <class P, class Tag>                                             \
  constexpr scan_entries scan_entries_##suffix() {                          \
    return {&scan_rows_##suffix<P, Tag>, &scan_columns_##suffix<P, Tag>};   \
  }

ASHLAR_DETAIL_SCAN_ENTRIES(baseline, )
ASHLAR_DETAIL_SCAN_ENTRIES(avx2, ASHLAR_DETAIL_TARGET_AVX2)
ASHLAR_DETAIL_SCAN_ENTRIES(avx512, ASHLAR_DETAIL_TARGET_AVX512)
#undef ASHLAR_DETAIL_SCAN_ENTRIES

template <class P, class Tag>
constexpr scan_descriptor make_scan_descriptor() {
  scan_descriptor d{};
  d.magic = scan_magic;
  d.type_hash = type_hash<P>();
  d.name = P::name;
  d.input = dtype_of<user_type_t<typename P::in_type>>;
  d.output = dtype_of<user_type_t<typename P::out_type>>;
  d.fields = scan_loops<P>::fields;
  for (int f = 0; f < d.fields; ++f) d.field[f] = P::field_type;
#if defined(ASHLAR_DETAIL_BASELINE_ONLY) || !ASHLAR_DETAIL_X86
  d.host[0] = d.host[1] = d.host[2] = scan_entries_baseline<P, Tag>();
#elif defined(__AVX512F__) && defined(__AVX512DQ__) && defined(__AVX512VL__) && defined(__AVX512BW__)
  d.host[0] = d.host[1] = d.host[2] = scan_entries_avx512<P, Tag>();
#else
  d.host[0] = scan_entries_baseline<P, Tag>();
  d.host[1] = scan_entries_avx2<P, Tag>();
  d.host[2] = scan_entries_avx512<P, Tag>();
#endif
  d.begin = &scan_loops<P>::begin;
#if defined(__CUDACC__)
  d.device = &scan_on_device<P>;
#endif
  return d;
}

template <class P, class Tag>
inline constexpr scan_descriptor scan_of = make_scan_descriptor<P, Tag>();

}  // namespace ashlar::detail

#if defined(__clang__)
#pragma clang diagnostic pop
#endif
