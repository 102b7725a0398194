/// \file
/// How the state of a reducer becomes a result.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include <ashlar/detail/extrema.hpp>

namespace ashlar::detail {

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
