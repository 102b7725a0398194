/// \file
/// Random arrays by Philox4x32-10 (Salmon, Moraes, Dror, Shaw, SC 2011). The key is (seed, distribution), the counter
/// the element's global C-order index: the same call gives the same values for every chunking, number of workers and
/// executor, and two equal calls give equal arrays. Change the seed to get other numbers; the default seed is 0. Values
/// are made inside the loop of whoever reads them and cost no memory. See docs/random-numbers.md.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <source_location>
#include <string>
#include <type_traits>

#include <ashlar/creation.hpp>
#include <ashlar/detail/random_tiles.hpp>

namespace ashlar {
namespace detail {

template <class T>
struct normal_values {
  std::uint64_t seed;
  T mean;
  T stddev;
  void operator()(std::int64_t first, std::int64_t n, T* out) const { fill_normal(out, first, n, seed, mean, stddev); }
  bool operator==(const normal_values&) const = default;
  std::size_t hash() const noexcept { return type_hash<normal_values>() ^ static_cast<std::size_t>(seed); }
};

template <class T>
struct uniform_values {
  std::uint64_t seed;
  T low;
  T high;
  void operator()(std::int64_t first, std::int64_t n, T* out) const { fill_uniform(out, first, n, seed, low, high); }
  bool operator==(const uniform_values&) const = default;
  std::size_t hash() const noexcept { return type_hash<uniform_values>() ^ static_cast<std::size_t>(seed); }
};

template <class T>
struct integer_values {
  std::uint64_t seed;
  T low;
  std::uint64_t range;
  void operator()(std::int64_t first, std::int64_t n, T* out) const { fill_integers(out, first, n, seed, low, range); }
  bool operator==(const integer_values&) const = default;
  std::size_t hash() const noexcept { return type_hash<integer_values>() ^ static_cast<std::size_t>(seed); }
};

}  // namespace detail

namespace random {

/// Options of random::normal.
struct normal_options {
  double mean = 0.0;
  double stddev = 1.0;
  std::uint64_t seed = 0;
  ashlar::chunks chunks = {};
};

/// Normally distributed numbers. @throws value_error for a negative or NaN standard deviation
template <element T, class Tag = detail::backend_tag>
  requires std::is_floating_point_v<T>
array<T> normal(const shape& extents, const normal_options& options = {},
                std::source_location where = std::source_location::current()) {
  if (!(options.stddev >= 0)) {
    throw value_error("random::normal: the standard deviation is " + detail::digits(options.stddev) +
                      "; it must be 0 or more");
  }
  return detail::make_generator<T, Tag>(
      detail::normal_values<T>{options.seed, static_cast<T>(options.mean), static_cast<T>(options.stddev)}, "normal",
      extents, options.chunks, where);
}

/// Options of random::uniform.
struct uniform_options {
  double low = 0.0;
  double high = 1.0;
  std::uint64_t seed = 0;
  ashlar::chunks chunks = {};
};

/// Numbers uniform in [low, high). @throws value_error unless low < high and their difference is finite, as T
template <element T, class Tag = detail::backend_tag>
  requires std::is_floating_point_v<T>
array<T> uniform(const shape& extents, const uniform_options& options = {},
                 std::source_location where = std::source_location::current()) {
  const T range = static_cast<T>(options.high) - static_cast<T>(options.low);
  if (!(range > 0) || !std::isfinite(range)) {
    throw value_error("random::uniform: low is " + detail::digits(options.low) + " and high is " +
                      detail::digits(options.high) + "; low must be less than high, and the difference finite, as " +
                      std::string(name(dtype_of<T>)));
  }
  return detail::make_generator<T, Tag>(
      detail::uniform_values<T>{options.seed, static_cast<T>(options.low), static_cast<T>(options.high)}, "uniform",
      extents, options.chunks, where);
}

/// Options of random::integers.
template <class T>
struct integer_options {
  T low = 0;
  /// One past the largest value.
  T high = std::numeric_limits<T>::max();
  std::uint64_t seed = 0;
  ashlar::chunks chunks = {};
};

/// Integers uniform in [low, high). @throws value_error unless low < high
template <element T, class Tag = detail::backend_tag>
  requires(std::is_integral_v<T> && !std::is_same_v<T, bool>)
array<T> integers(const shape& extents, const integer_options<std::type_identity_t<T>>& options = {},
                  std::source_location where = std::source_location::current()) {
  if (!(options.low < options.high)) {
    throw value_error("random::integers: low is " + detail::digits(options.low) + " and high is " +
                      detail::digits(options.high) + "; low must be less than high, which is left out");
  }
  const std::uint64_t range = static_cast<std::uint64_t>(options.high) - static_cast<std::uint64_t>(options.low);
  return detail::make_generator<T, Tag>(detail::integer_values<T>{options.seed, options.low, range}, "integers",
                                        extents, options.chunks, where);
}

}  // namespace random
}  // namespace ashlar
