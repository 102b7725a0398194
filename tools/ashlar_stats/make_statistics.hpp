/// \file
/// The body of make_statistics, for the files that instantiate it.
#pragma once

#include <string>
#include <type_traits>

#include <ashlar/functions.hpp>

#include "statistics.hpp"

namespace ashlar_stats {

using ashlar::dtype;
using ashlar::detail::node_ptr;

/// x, converted to the type that the statistic of the file's own type has.
template <class T>
node_ptr result_as(const ashlar::array<T>& x, dtype wanted) {
  if (wanted == ashlar::dtype_of<T>) return x.node();
  const auto here = std::source_location::current();
  if constexpr (std::is_same_v<T, std::int64_t>) {
    switch (wanted) {
      case dtype::boolean:
        return x.template astype<bool>().node(here);
      case dtype::int8:
        return x.template astype<std::int8_t>().node(here);
      case dtype::int16:
        return x.template astype<std::int16_t>().node(here);
      case dtype::int32:
        return x.template astype<std::int32_t>().node(here);
      case dtype::uint8:
        return x.template astype<std::uint8_t>().node(here);
      case dtype::uint16:
        return x.template astype<std::uint16_t>().node(here);
      case dtype::uint32:
        return x.template astype<std::uint32_t>().node(here);
      default:
        return x.template astype<std::uint64_t>().node(here);
    }
  } else if constexpr (std::is_same_v<T, std::complex<double>>) {
    return x.template astype<std::complex<float>>().node(here);
  } else if constexpr (std::is_same_v<T, double>) {
    return x.template astype<float>().node(here);  // variance of complex64
  }
  return x.node();
}

/// The type of a sum or product: as ashlar::sum.
inline dtype total_type(dtype held) {
  if (ashlar::kind(held) > ashlar::dtype_kind::integer) return held;
  return held >= dtype::uint8 && held <= dtype::uint64 ? dtype::uint64 : dtype::int64;
}

/// Minima and maxima, and where they are. @throws dtype_error complex numbers
template <class T>
node_ptr extremum(const ashlar::array<T>& x, dtype held, statistic op, const ashlar::axes& which) {
  if constexpr (ashlar::kind(ashlar::dtype_of<T>) == ashlar::dtype_kind::complex) {
    throw ashlar::dtype_error("--ops: complex numbers have no order, so there is no " + std::string(name(op)) + " of " +
                              std::string(ashlar::name(held)) +
                              "; expected some of sum, prod, mean, var, std, any, all, count_nonzero");
  } else {
    switch (op) {
      case statistic::min:
        return result_as(x.min(which), held);
      case statistic::max:
        return result_as(x.max(which), held);
      case statistic::argmin:
        return x.argmin(which).node();
      default:
        return x.argmax(which).node();
    }
  }
}

template <class T>
node_ptr reduction(const ashlar::array<T>& x, dtype held, statistic op, const ashlar::axes& which) {
  const bool integer = ashlar::kind(held) <= ashlar::dtype_kind::integer;
  const dtype real_type = held == dtype::complex64 || held == dtype::float32 ? dtype::float32 : dtype::float64;
  switch (op) {
    case statistic::sum:
      return result_as(x.sum(which), total_type(held));
    case statistic::prod:
      return result_as(x.prod(which), total_type(held));
    case statistic::mean:
      return result_as(x.mean(which), integer ? dtype::float64 : held);
    case statistic::var:
      return result_as(x.var(which), real_type);
    case statistic::std:
      return result_as(x.std(which), real_type);
    case statistic::any:
      return x.any(which).node();
    case statistic::all:
      return x.all(which).node();
    case statistic::count_nonzero:
      return x.count_nonzero(which).node();
    default:
      return extremum(x, held, op, which);
  }
}

template <class T>
nodes make_statistics(const ashlar::array<T>& x, dtype held, const stats_options& options) {
  const ashlar::axes which = options.axes.empty() ? ashlar::axes() : ashlar::axes(options.axes);
  nodes result;
  for (const statistic op : options.ops) result.push_back(reduction(x, held, op, which));
  return result;
}

}  // namespace ashlar_stats
