/// \file
/// The library's reducers as the planner and the executors see them: one descriptor each, made from a policy
/// (accumulators.hpp, extrema.hpp) and the loops over it.
#pragma once

#include <type_traits>

#include <ashlar/detail/accumulators.hpp>
#include <ashlar/detail/arg_loops.hpp>
#include <ashlar/detail/extrema.hpp>
#include <ashlar/detail/finishers.hpp>
#include <ashlar/detail/reduce_kernels.hpp>
#include <ashlar/detail/tile_kernel.hpp>

#if defined(__CUDACC__)
#include <ashlar/detail/device_reduce.hpp>
#endif

namespace ashlar::detail {

/// The device passes of policy P, null where nvcc does not compile them; so it must be called with a compiler's tag.
template <class P, class Tag>
constexpr const device_reducer* device_passes_of() {
#if defined(__CUDACC__)
  return &device_passes<P>;
#else
  return nullptr;
#endif
}

template <class P, class Tag, class loops = std::conditional_t<P::needs_index, arg_loops<P>, fold_loops<P>>>
constexpr reducer_descriptor make_fold_descriptor() {
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
  d.device = device_passes_of<P, Tag>();
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
  d.device = device_passes_of<moments_policy<In>, Tag>();
  return d;
}

template <class In, class Tag>
inline constexpr reducer_descriptor moments_reducer = make_moments_descriptor<In, Tag>();

}  // namespace ashlar::detail
