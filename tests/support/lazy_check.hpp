/// \file
/// What the tests of lazy arrays share: comparison of bits, values as vectors, and the chunk lengths that every
/// operation must not notice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include <ashlar/array.hpp>
#include <ashlar/creation.hpp>
#include <ashlar/ndarray.hpp>
#include <ashlar/std_threads.hpp>

#include "text.hpp"

/// Equal shapes and equal bits of every element: NaN equals a NaN of the same bits, 0.0 differs from -0.0.
template <class T>
bool same_bits(const ashlar::ndarray<T>& a, const ashlar::ndarray<T>& b) {
  if (a.shape() != b.shape()) return false;
  const ashlar::ndarray<T> x = a.copy();
  const ashlar::ndarray<T> y = b.copy();
  return x.size() == 0 || std::memcmp(x.data(), y.data(), static_cast<std::size_t>(x.size()) * sizeof(T)) == 0;
}

/// The elements in C order.
template <class T>
std::vector<T> values(const ashlar::ndarray<T>& a) {
  return std::vector<T>(a.begin(), a.end());
}

template <ashlar::lazy X>
auto values(const X& x) {
  return values(x.compute(ashlar::serial{}));
}

/// Lengths that put tile ends, block ends and the array's end in every relation to each other.
inline const std::vector<std::int64_t>& chunk_lengths() {
  static const std::vector<std::int64_t> lengths{1, 7, 128, 129};
  return lengths;
}

/// True when `f`, which makes an array from one over `input`, gives the same bits for every chunk length as for one
/// block, on both executors, and with fusion off.
template <class T, class F>
bool independent_of_chunks(const ashlar::ndarray<T>& input, F f) {
  const auto whole = f(ashlar::from(input, {.chunks = {ashlar::full}})).compute(ashlar::serial{});
  for (const std::int64_t length : chunk_lengths()) {
    const auto x = f(ashlar::from(input, {.chunks = {length}}));
    if (!same_bits(whole, x.compute(ashlar::serial{}))) return false;
    if (!same_bits(whole, x.compute(ashlar::serial{}, {.optimize = false}))) return false;
    if (!same_bits(whole, x.compute(ashlar::std_threads{.workers = 3}))) return false;
  }
  return true;
}

using testing_support::contains;
using testing_support::message_of;
