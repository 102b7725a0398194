/// \file
/// How the state of a reducer becomes a result.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <ashlar/detail/extrema.hpp>

#if defined(__CUDACC__)
#include <ashlar/detail/device_finish.hpp>
#endif

namespace ashlar::detail {

// A finisher F gives one result: `out`, its type, and at(states, column, elements behind each state, parameter).

template <class A, class Out>
struct finish_value {
  using out = Out;
  ASHLAR_HD ASHLAR_DETAIL_INLINE static Out at(state_ref s, std::int64_t i, std::int64_t count, double) {
    return static_cast<Out>(count == 0 ? A{} : static_cast<const A*>(s.field[0])[i]);
  }
};

template <class A, class Out>
struct finish_as_is {
  using out = Out;
  ASHLAR_HD ASHLAR_DETAIL_INLINE static Out at(state_ref s, std::int64_t i, std::int64_t, double) {
    return static_cast<Out>(static_cast<const A*>(s.field[0])[i]);
  }
};

template <class In>
struct finish_extremum {
  using out = In;
  ASHLAR_HD ASHLAR_DETAIL_INLINE static In at(state_ref s, std::int64_t i, std::int64_t, double) {
    const auto key = static_cast<const extremum_key_t<In>*>(s.field[0])[i];
    if constexpr (std::is_floating_point_v<In>) {
      return __builtin_bit_cast(In, turn_negative(key));
    } else {
      return key;
    }
  }
};

struct finish_index {
  using out = std::int64_t;
  ASHLAR_HD ASHLAR_DETAIL_INLINE static std::int64_t at(state_ref s, std::int64_t i, std::int64_t, double) {
    return static_cast<const std::int64_t*>(s.field[1])[i];
  }
};

template <class A, class Out>
struct finish_mean {
  using out = Out;
  ASHLAR_HD ASHLAR_DETAIL_INLINE static Out at(state_ref s, std::int64_t i, std::int64_t count, double) {
    const A sum = static_cast<const A*>(s.field[0])[i];
    const auto divisor = static_cast<double>(count);
    if constexpr (is_complex<A>) {
      return static_cast<Out>(A(sum.real() / divisor, sum.imag() / divisor));
    } else {
      return static_cast<Out>(sum / divisor);
    }
  }
};

template <class Out, bool Root>
struct finish_variance {
  using out = Out;
  ASHLAR_HD ASHLAR_DETAIL_INLINE static Out at(state_ref s, std::int64_t i, std::int64_t count, double ddof) {
    const double divisor = static_cast<double>(count) - ddof;
    const double m2 = static_cast<const double*>(s.field[1])[i];
    const double v = divisor < 0 ? not_a_number<double> : m2 / divisor;
    return static_cast<Out>(Root ? std::sqrt(v) : v);
  }
};

template <class F>
void finish_on_host(state_ref s, std::int64_t n, std::int64_t count, double parameter, void* out) {
  auto* const o = static_cast<typename F::out*>(out);
  for (std::int64_t i = 0; i < n; ++i) o[i] = F::at(s, i, count, parameter);
}

template <class F, class Tag>
constexpr finisher_descriptor make_finisher(const char* name) {
  finisher_descriptor d{};
  d.name = name;
  d.output = dtype_of<user_type_t<typename F::out>>;
  d.apply = &finish_on_host<F>;
#if defined(__CUDACC__)
  d.device = &finish_pass<F>;
#endif
  return d;
}

template <class A, class Out, class Tag>
inline constexpr finisher_descriptor sum_finisher = make_finisher<finish_value<A, Out>, Tag>("sum");
template <class A, class Out, class Tag>
inline constexpr finisher_descriptor product_finisher = make_finisher<finish_as_is<A, Out>, Tag>("prod");
template <class P, class Tag>
inline constexpr finisher_descriptor plain_finisher =
    make_finisher<finish_as_is<typename P::state, typename P::state>, Tag>(P::name);
template <class P, class Tag>
inline constexpr finisher_descriptor extremum_finisher =
    make_finisher<finish_extremum<typename P::in_type>, Tag>(P::name);
template <bool Max, class Tag>
inline constexpr finisher_descriptor arg_finisher = make_finisher<finish_index, Tag>(Max ? "argmax" : "argmin");
template <class A, class Out, class Tag>
inline constexpr finisher_descriptor mean_finisher = make_finisher<finish_mean<A, Out>, Tag>("mean");
template <class Out, class Tag>
inline constexpr finisher_descriptor var_finisher = make_finisher<finish_variance<Out, false>, Tag>("var");
template <class Out, class Tag>
inline constexpr finisher_descriptor std_finisher = make_finisher<finish_variance<Out, true>, Tag>("std");

}  // namespace ashlar::detail
