/// \file
/// Reducers that look for the smallest and the largest element: what each does to one element and to two states.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#include <ashlar/detail/accumulators.hpp>

namespace ashlar::detail {

// Variables, since device code may not call numeric_limits.
template <class T>
inline constexpr T lowest = std::numeric_limits<T>::lowest();
template <class T>
inline constexpr T highest = std::numeric_limits<T>::max();
template <class T>
inline constexpr T not_a_number = std::numeric_limits<T>::quiet_NaN();

/// What is below or equal to every number of T, and what is above.
template <class T>
inline constexpr T lowest_value = std::is_floating_point_v<T> ? -std::numeric_limits<T>::infinity() : lowest<T>;
template <class T>
inline constexpr T highest_value = std::is_floating_point_v<T> ? std::numeric_limits<T>::infinity() : highest<T>;

/// What extrema of In are compared by: floating-point numbers as integers in the order -inf … -0.0, 0.0 … inf, others
/// as they are. Integer comparisons vectorise in every compiler, and their order is total, so the answer is free of the
/// order of combination even among zeros and NaNs.
template <class In>
using extremum_key_t = std::conditional_t<std::is_same_v<In, float>, std::int32_t,
                                          std::conditional_t<std::is_same_v<In, double>, std::int64_t, In>>;

/// The integers of negative numbers run the wrong way; turns them around, and back.
template <class K>
ASHLAR_HD ASHLAR_DETAIL_INLINE K turn_negative(K k) {
  return static_cast<K>(k ^ ((k >> (8 * static_cast<int>(sizeof(K)) - 1)) & highest<K>));
}

/// `nan` is the key of every NaN.
template <class In>
ASHLAR_HD ASHLAR_DETAIL_INLINE extremum_key_t<In> extremum_key(In x, extremum_key_t<In> nan) {
  if constexpr (std::is_floating_point_v<In>) {
    using key = extremum_key_t<In>;
    const key k = __builtin_bit_cast(key, x);
    const key magnitude = k & highest<key>;
    return magnitude > __builtin_bit_cast(key, highest_value<In>) ? nan : turn_negative(k);
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
  ASHLAR_HD ASHLAR_DETAIL_INLINE static In accumulate(In a, In b) { return a > b ? a : b; }
  using key = extremum_key_t<In>;
  static constexpr const char* name = "max";
  ASHLAR_HD ASHLAR_DETAIL_INLINE static key identity() { return lowest<key>; }
  ASHLAR_HD ASHLAR_DETAIL_INLINE static key lift(In x, std::int64_t) { return extremum_key<In>(x, highest<key>); }
  ASHLAR_HD ASHLAR_DETAIL_INLINE static key combine(key a, key b) { return a >= b ? a : b; }
};

template <class In>
struct min_policy : plain_policy<In, extremum_key_t<In>>, extremum_shortcut<In> {
  ASHLAR_HD ASHLAR_DETAIL_INLINE static In accumulate(In a, In b) { return a < b ? a : b; }
  using key = extremum_key_t<In>;
  static constexpr const char* name = "min";
  ASHLAR_HD ASHLAR_DETAIL_INLINE static key identity() { return highest<key>; }
  ASHLAR_HD ASHLAR_DETAIL_INLINE static key lift(In x, std::int64_t) { return extremum_key<In>(x, lowest<key>); }
  ASHLAR_HD ASHLAR_DETAIL_INLINE static key combine(key a, key b) { return a <= b ? a : b; }
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
  ASHLAR_HD ASHLAR_DETAIL_INLINE static state identity() {
    return {Max ? lowest_value<In> : highest_value<In>, highest<std::int64_t>};
  }
  ASHLAR_HD ASHLAR_DETAIL_INLINE static state lift(In x, std::int64_t i) { return {x, i}; }
  ASHLAR_HD ASHLAR_DETAIL_INLINE static bool better(In a, In b) { return Max ? a > b : a < b; }
  ASHLAR_HD ASHLAR_DETAIL_INLINE static state combine(state a, state b) {
    const bool better = arg_policy::better(b.value, a.value);
    const bool worse = arg_policy::better(a.value, b.value);
    const bool nan_a = is_nan(a.value);
    const bool nan_b = is_nan(b.value);
    const bool tie = (nan_a & nan_b) | (!nan_a & !nan_b & !better & !worse);
    const bool take = (nan_b & !nan_a) | (better & !nan_a) | (tie & (b.index < a.index));
    return {take ? b.value : a.value, take ? b.index : a.index};
  }
  ASHLAR_HD ASHLAR_DETAIL_INLINE static state load(state_ref s, std::int64_t i) {
    return {static_cast<const In*>(s.field[0])[i], static_cast<const std::int64_t*>(s.field[1])[i]};
  }
  ASHLAR_HD ASHLAR_DETAIL_INLINE static void store(state_ref s, std::int64_t i, state v) {
    static_cast<In*>(s.field[0])[i] = v.value;
    static_cast<std::int64_t*>(s.field[1])[i] = v.index;
  }
};

}  // namespace ashlar::detail
