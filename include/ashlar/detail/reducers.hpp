/// \file
/// The library's reducers: what each does to one element and to two states, and how a state becomes a result.
///
/// Accumulators are separate from results: float32 and float64 accumulate in float64 and round once, bool and signed
/// integers in int64, unsigned ones in uint64 (both wrap, as NumPy does), complex in complex128.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include <ashlar/complex.hpp>
#include <ashlar/detail/reduce_kernels.hpp>
#include <ashlar/detail/tile_kernel.hpp>

namespace ashlar::detail {

template <class T>
inline constexpr bool is_complex = false;
template <class T>
inline constexpr bool is_complex<complex<T>> = true;

// NaN tests that survive in integer types too.
template <class T>
ASHLAR_DETAIL_INLINE bool is_nan(T x) {
  if constexpr (std::is_floating_point_v<T>) {
    return x != x;
  } else {
    return false;
  }
}

template <class T>
ASHLAR_DETAIL_INLINE bool is_nonzero(T x) {
  if constexpr (is_complex<T>) {
    return x.real() != 0 || x.imag() != 0;
  } else {
    return x != T{};
  }
}

/// The type in which sums and products of T accumulate.
template <class T>
using accumulator_t =
    std::conditional_t<is_complex<T>, complex<double>,
                       std::conditional_t<std::is_floating_point_v<T>, double,
                                          std::conditional_t<std::is_unsigned_v<T> && !std::is_same_v<T, bool>,
                                                             std::uint64_t, std::int64_t>>>;

template <class A, class T>
ASHLAR_DETAIL_INLINE A accumulate_cast(T x) {
  if constexpr (is_complex<A>) {
    return A(static_cast<double>(x.real()), static_cast<double>(x.imag()));
  } else {
    return static_cast<A>(x);
  }
}

/// A policy whose state is one value of type A.
template <class In, class A>
struct plain_policy {
  using in_type = In;
  using state = A;
  static constexpr bool plain = true;
  static constexpr bool needs_index = false;
  static constexpr int fields = 1;
  ASHLAR_DETAIL_INLINE static A load(state_ref s, std::int64_t i) { return static_cast<const A*>(s.field[0])[i]; }
  ASHLAR_DETAIL_INLINE static void store(state_ref s, std::int64_t i, A v) { static_cast<A*>(s.field[0])[i] = v; }
  static constexpr dtype field_type(int) { return dtype_of<user_type_t<A>>; }
};

template <class In, class A>
struct sum_policy : plain_policy<In, A> {
  static constexpr const char* name = "sum";
  ASHLAR_DETAIL_INLINE static A identity() {
    if constexpr (is_complex<A>) {
      return A(-0.0, -0.0);
    } else if constexpr (std::is_floating_point_v<A>) {
      return -0.0;  // the true identity: -0.0 + -0.0 stays -0.0
    } else {
      return A{};
    }
  }
  ASHLAR_DETAIL_INLINE static A lift(In x, std::int64_t) { return accumulate_cast<A>(x); }
  ASHLAR_DETAIL_INLINE static A combine(A a, A b) {
    if constexpr (std::is_integral_v<A>) {
      return static_cast<A>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
    } else {
      return a + b;
    }
  }
};

template <class In, class A>
struct product_policy : plain_policy<In, A> {
  static constexpr const char* name = "prod";
  ASHLAR_DETAIL_INLINE static A identity() { return A(1); }
  ASHLAR_DETAIL_INLINE static A lift(In x, std::int64_t) { return accumulate_cast<A>(x); }
  ASHLAR_DETAIL_INLINE static A combine(A a, A b) {
    if constexpr (std::is_integral_v<A>) {
      return static_cast<A>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
    } else {
      return a * b;
    }
  }
};

template <class T>
constexpr T lowest_value() {
  if constexpr (std::is_floating_point_v<T>) {
    return -std::numeric_limits<T>::infinity();
  } else {
    return std::numeric_limits<T>::lowest();
  }
}
template <class T>
constexpr T highest_value() {
  if constexpr (std::is_floating_point_v<T>) {
    return std::numeric_limits<T>::infinity();
  } else {
    return std::numeric_limits<T>::max();
  }
}

/// What extrema of In are compared by: floating-point numbers as integers in the order -inf … -0.0, 0.0 … inf, others
/// as they are. Integer comparisons vectorise in every compiler, and their order is total, so the answer is free of the
/// order of combination even among zeros and NaNs.
template <class In>
using extremum_key_t = std::conditional_t<std::is_same_v<In, float>, std::int32_t,
                                          std::conditional_t<std::is_same_v<In, double>, std::int64_t, In>>;

/// The integers of negative numbers run the wrong way; turns them around, and back.
template <class K>
ASHLAR_DETAIL_INLINE K turn_negative(K k) {
  return static_cast<K>(k ^ ((k >> (8 * static_cast<int>(sizeof(K)) - 1)) & std::numeric_limits<K>::max()));
}

/// `nan` is the key of every NaN.
template <class In>
ASHLAR_DETAIL_INLINE extremum_key_t<In> extremum_key(In x, extremum_key_t<In> nan) {
  if constexpr (std::is_floating_point_v<In>) {
    using key = extremum_key_t<In>;
    const key k = std::bit_cast<key>(x);
    const key magnitude = k & std::numeric_limits<key>::max();
    return magnitude > std::bit_cast<key>(std::numeric_limits<In>::infinity()) ? nan : turn_negative(k);
  } else {
    static_cast<void>(nan);
    return x;
  }
}

/// What marks a policy of floating-point extrema, whose loops may take the shortcut of reduce_kernels.hpp.
template <class In, bool Floating = std::is_floating_point_v<In>>
struct extremum_shortcut {};
template <class In>
struct extremum_shortcut<In, true> {
  using shortcut = void;
};

/// NaN wins, and 0.0 is above -0.0.
template <class In>
struct max_policy : plain_policy<In, extremum_key_t<In>>, extremum_shortcut<In> {
  ASHLAR_DETAIL_INLINE static In accumulate(In a, In b) { return a > b ? a : b; }
  using key = extremum_key_t<In>;
  static constexpr const char* name = "max";
  ASHLAR_DETAIL_INLINE static key identity() { return std::numeric_limits<key>::lowest(); }
  ASHLAR_DETAIL_INLINE static key lift(In x, std::int64_t) {
    return extremum_key<In>(x, std::numeric_limits<key>::max());
  }
  ASHLAR_DETAIL_INLINE static key combine(key a, key b) { return a >= b ? a : b; }
};

template <class In>
struct min_policy : plain_policy<In, extremum_key_t<In>>, extremum_shortcut<In> {
  ASHLAR_DETAIL_INLINE static In accumulate(In a, In b) { return a < b ? a : b; }
  using key = extremum_key_t<In>;
  static constexpr const char* name = "min";
  ASHLAR_DETAIL_INLINE static key identity() { return std::numeric_limits<key>::max(); }
  ASHLAR_DETAIL_INLINE static key lift(In x, std::int64_t) {
    return extremum_key<In>(x, std::numeric_limits<key>::lowest());
  }
  ASHLAR_DETAIL_INLINE static key combine(key a, key b) { return a <= b ? a : b; }
};

template <class In>
struct any_policy : plain_policy<In, bool> {
  static constexpr const char* name = "any";
  ASHLAR_DETAIL_INLINE static bool identity() { return false; }
  ASHLAR_DETAIL_INLINE static bool lift(In x, std::int64_t) { return is_nonzero(x); }
  ASHLAR_DETAIL_INLINE static bool combine(bool a, bool b) { return a | b; }
};

template <class In>
struct all_policy : plain_policy<In, bool> {
  static constexpr const char* name = "all";
  ASHLAR_DETAIL_INLINE static bool identity() { return true; }
  ASHLAR_DETAIL_INLINE static bool lift(In x, std::int64_t) { return is_nonzero(x); }
  ASHLAR_DETAIL_INLINE static bool combine(bool a, bool b) { return a & b; }
};

template <class In>
struct count_policy : plain_policy<In, std::int64_t> {
  static constexpr const char* name = "count_nonzero";
  ASHLAR_DETAIL_INLINE static std::int64_t identity() { return 0; }
  ASHLAR_DETAIL_INLINE static std::int64_t lift(In x, std::int64_t) { return is_nonzero(x) ? 1 : 0; }
  ASHLAR_DETAIL_INLINE static std::int64_t combine(std::int64_t a, std::int64_t b) { return a + b; }
};

/// argmin and argmax: lexicographic on (value, index), NaN before everything, the smaller index on ties. That is
/// associative and commutative, so the answer is NumPy's for every chunking.
template <class In, bool Max>
struct arg_policy {
  using in_type = In;
  struct state {
    In value;
    std::int64_t index;
  };
  static constexpr bool plain = false;
  static constexpr bool needs_index = true;
  static constexpr int fields = 2;
  static constexpr const char* name = Max ? "argmax" : "argmin";
  static constexpr dtype field_type(int f) { return f == 0 ? dtype_of<In> : dtype::int64; }
  ASHLAR_DETAIL_INLINE static state identity() {
    return {Max ? lowest_value<In>() : highest_value<In>(), std::numeric_limits<std::int64_t>::max()};
  }
  ASHLAR_DETAIL_INLINE static state lift(In x, std::int64_t i) { return {x, i}; }
  ASHLAR_DETAIL_INLINE static state combine(state a, state b) {
    const bool better = Max ? b.value > a.value : b.value < a.value;
    const bool worse = Max ? a.value > b.value : a.value < b.value;
    const bool nan_a = is_nan(a.value);
    const bool nan_b = is_nan(b.value);
    const bool tie = (nan_a & nan_b) | (!nan_a & !nan_b & !better & !worse);
    const bool take = (nan_b & !nan_a) | (better & !nan_a) | (tie & (b.index < a.index));
    return {take ? b.value : a.value, take ? b.index : a.index};
  }
  ASHLAR_DETAIL_INLINE static state load(state_ref s, std::int64_t i) {
    return {static_cast<const In*>(s.field[0])[i], static_cast<const std::int64_t*>(s.field[1])[i]};
  }
  ASHLAR_DETAIL_INLINE static void store(state_ref s, std::int64_t i, state v) {
    static_cast<In*>(s.field[0])[i] = v.value;
    static_cast<std::int64_t*>(s.field[1])[i] = v.index;
  }
};

template <class In>
struct moments_policy {
  using in_type = In;
  using value = std::conditional_t<is_complex<In>, complex<double>, double>;
  ASHLAR_DETAIL_INLINE static value identity() {
    if constexpr (is_complex<In>) {
      return value(-0.0, -0.0);
    } else {
      return -0.0;
    }
  }
  ASHLAR_DETAIL_INLINE static value lift(In x) { return accumulate_cast<value>(x); }
  /// Divides, and does not multiply by a reciprocal: the mean of n equal numbers is that number wherever their sum is
  /// exact.
  ASHLAR_DETAIL_INLINE static value divide(value sum, double n) {
    if constexpr (is_complex<In>) {
      return value(sum.real() / n, sum.imag() / n);
    } else {
      return sum / n;
    }
  }
  ASHLAR_DETAIL_INLINE static value scale(value sum, double by) {
    if constexpr (is_complex<In>) {
      return value(sum.real() * by, sum.imag() * by);
    } else {
      return sum * by;
    }
  }
  /// to + |d|^2 * weight. No sum of two products, so that contraction gives every copy of the code the same bits.
  ASHLAR_DETAIL_INLINE static double add_square(double to, value d, double weight) {
    if constexpr (is_complex<In>) {
      return (to + d.real() * d.real() * weight) + d.imag() * d.imag() * weight;
    } else {
      return to + d * d * weight;
    }
  }
  ASHLAR_DETAIL_INLINE static double add_square(double to, value d) {
    if constexpr (is_complex<In>) {
      return (to + d.real() * d.real()) + d.imag() * d.imag();
    } else {
      return to + d * d;
    }
  }
};

// --- descriptors ---

template <class P, class Tag>
constexpr reducer_descriptor make_fold_descriptor() {
  using loops = fold_loops<P>;
  reducer_descriptor d{};
  d.magic = reducer_magic;
  d.type_hash = type_hash<P>();
  d.name = P::name;
  d.input = dtype_of<user_type_t<typename P::in_type>>;
  d.fields = P::fields;
  for (int f = 0; f < P::fields; ++f) d.field[f] = P::field_type(f);
  d.row_state_bytes = sizeof(typename loops::counter);
  d.needs_index = P::needs_index;
  set_entries<loops, Tag>(d);
  d.identity = &loops::identity;
  d.prefix = nullptr;
  return d;
}

template <class P, class Tag>
inline constexpr reducer_descriptor fold_reducer = make_fold_descriptor<P, Tag>();

/// The sum that mean() uses: in float64 for integers too, so that 64-bit integers cannot overflow.
template <class In>
using mean_sum_policy = sum_policy<In, std::conditional_t<is_complex<In>, complex<double>, double>>;

template <class In, class Tag>
constexpr reducer_descriptor make_moments_descriptor() {
  using loops = moments_loops<moments_policy<In>>;
  reducer_descriptor d{};
  d.magic = reducer_magic;
  d.type_hash = type_hash<moments_policy<In>>();
  d.name = "moments";
  d.input = dtype_of<user_type_t<In>>;
  d.fields = 2;
  d.field[0] = dtype_of<user_type_t<typename moments_policy<In>::value>>;
  d.field[1] = dtype::float64;
  d.row_state_bytes = sizeof(typename loops::counter);
  d.needs_index = false;
  set_entries<loops, Tag>(d);
  d.identity = &loops::identity;
  d.prefix = &fold_reducer<mean_sum_policy<In>, Tag>;
  return d;
}

template <class In, class Tag>
inline constexpr reducer_descriptor moments_reducer = make_moments_descriptor<In, Tag>();

// --- finishers ---

template <class A, class Out>
void finish_value(state_ref s, std::int64_t n, std::int64_t count, double, void* out) {
  const auto* a = static_cast<const A*>(s.field[0]);
  auto* o = static_cast<Out*>(out);
  for (std::int64_t i = 0; i < n; ++i) o[i] = static_cast<Out>(count == 0 ? A{} : a[i]);
}

template <class A, class Out>
void finish_as_is(state_ref s, std::int64_t n, std::int64_t, double, void* out) {
  const auto* a = static_cast<const A*>(s.field[0]);
  auto* o = static_cast<Out*>(out);
  for (std::int64_t i = 0; i < n; ++i) o[i] = static_cast<Out>(a[i]);
}

template <class In>
void finish_extremum(state_ref s, std::int64_t n, std::int64_t, double, void* out) {
  const auto* a = static_cast<const extremum_key_t<In>*>(s.field[0]);
  auto* o = static_cast<In*>(out);
  for (std::int64_t i = 0; i < n; ++i) {
    if constexpr (std::is_floating_point_v<In>) {
      o[i] = std::bit_cast<In>(turn_negative(a[i]));
    } else {
      o[i] = a[i];
    }
  }
}

inline void finish_index(state_ref s, std::int64_t n, std::int64_t, double, void* out) {
  std::memcpy(out, s.field[1], static_cast<std::size_t>(n) * sizeof(std::int64_t));
}

template <class A, class Out>
void finish_mean(state_ref s, std::int64_t n, std::int64_t count, double, void* out) {
  const auto* a = static_cast<const A*>(s.field[0]);
  auto* o = static_cast<Out*>(out);
  const auto divisor = static_cast<double>(count);
  for (std::int64_t i = 0; i < n; ++i) {
    if constexpr (is_complex<A>) {
      o[i] = static_cast<Out>(A(a[i].real() / divisor, a[i].imag() / divisor));
    } else {
      o[i] = static_cast<Out>(a[i] / divisor);
    }
  }
}

template <class Out, bool Root>
void finish_variance(state_ref s, std::int64_t n, std::int64_t count, double ddof, void* out) {
  const auto* m2 = static_cast<const double*>(s.field[1]);
  auto* o = static_cast<Out*>(out);
  const double divisor = static_cast<double>(count) - ddof;
  for (std::int64_t i = 0; i < n; ++i) {
    const double v = divisor < 0 ? std::numeric_limits<double>::quiet_NaN() : m2[i] / divisor;
    o[i] = static_cast<Out>(Root ? std::sqrt(v) : v);
  }
}

template <class A, class Out>
inline constexpr finisher_descriptor sum_finisher = {"sum", dtype_of<user_type_t<Out>>, &finish_value<A, Out>};
template <class A, class Out>
inline constexpr finisher_descriptor product_finisher = {"prod", dtype_of<user_type_t<Out>>, &finish_as_is<A, Out>};
template <class P>
inline constexpr finisher_descriptor plain_finisher = {P::name, dtype_of<user_type_t<typename P::state>>,
                                                       &finish_as_is<typename P::state, typename P::state>};
template <class P>
inline constexpr finisher_descriptor extremum_finisher = {P::name, dtype_of<typename P::in_type>,
                                                          &finish_extremum<typename P::in_type>};
template <bool Max>
inline constexpr finisher_descriptor arg_finisher = {Max ? "argmax" : "argmin", dtype::int64, &finish_index};
template <class A, class Out>
inline constexpr finisher_descriptor mean_finisher = {"mean", dtype_of<user_type_t<Out>>, &finish_mean<A, Out>};
template <class Out>
inline constexpr finisher_descriptor var_finisher = {"var", dtype_of<Out>, &finish_variance<Out, false>};
template <class Out>
inline constexpr finisher_descriptor std_finisher = {"std", dtype_of<Out>, &finish_variance<Out, true>};

}  // namespace ashlar::detail
