/// \file
/// Arrays from nothing (zeros, ones, full, arange, linspace, eye, fromfunction) and from memory (from).
///
/// Generators are evaluated inside the loop of whoever consumes them and cost no memory, however large they are.
#pragma once

#include <charconv>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <source_location>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <ashlar/array.hpp>
#include <ashlar/chunks.hpp>
#include <ashlar/detail/checked.hpp>

namespace ashlar {

namespace detail {

template <class T, class Tag = backend_tag, class F>
array<T> make_generator(F f, const char* name, const ashlar::shape& shape, const ashlar::chunks& wanted,
                        std::source_location where) {
  block_grid grid = normalize_chunks(wanted, shape, static_cast<std::int64_t>(sizeof(T)), nullptr, name);
  return array<T>(make_source(std::make_shared<generator_source<T, F, Tag>>(std::move(f), name), dtype_of<T>, shape,
                              std::move(grid), where));
}

template <class T>
struct constant_values {
  T value;
  void operator()(std::int64_t, std::int64_t n, T* out) const {
    for (std::int64_t i = 0; i < n; ++i) out[i] = value;
  }
  bool operator==(const constant_values& o) const noexcept { return same_bits(value, o.value); }
  std::size_t hash() const noexcept { return type_hash<constant_values>(); }
};

/// start + i * step, in T for integers, in double for floating types, so that values do not drift.
template <class T>
struct arange_values {
  using step_type = std::conditional_t<std::is_integral_v<T>, T, double>;
  step_type start;
  step_type step;
  void operator()(std::int64_t first, std::int64_t n, T* out) const {
    for (std::int64_t i = 0; i < n; ++i) {
      if constexpr (std::is_integral_v<T>) {
        out[i] = static_cast<T>(static_cast<std::uint64_t>(start) +
                                static_cast<std::uint64_t>(first + i) * static_cast<std::uint64_t>(step));
      } else {
        out[i] = static_cast<T>(start + static_cast<double>(first + i) * step);
      }
    }
  }
  bool operator==(const arange_values& o) const noexcept { return same_bits(*this, o); }
  std::size_t hash() const noexcept { return type_hash<arange_values>() ^ std::hash<step_type>{}(start); }
};

template <class T>
struct linspace_values {
  double start;
  double stop;
  double step;
  std::int64_t last;  // index whose value is exactly stop, or -1
  void operator()(std::int64_t first, std::int64_t n, T* out) const {
    for (std::int64_t i = 0; i < n; ++i) {
      const std::int64_t k = first + i;
      out[i] = static_cast<T>(k == last ? stop : start + static_cast<double>(k) * step);
    }
  }
  bool operator==(const linspace_values& o) const noexcept {
    return same_bits(start, o.start) && same_bits(stop, o.stop) && same_bits(step, o.step) && last == o.last;
  }
  std::size_t hash() const noexcept { return type_hash<linspace_values>() ^ static_cast<std::size_t>(last); }
};

template <class T>
struct eye_values {
  std::int64_t columns;
  std::int64_t diagonal;
  void operator()(std::int64_t first, std::int64_t n, T* out) const {
    std::int64_t row = columns == 0 ? 0 : first / columns;
    std::int64_t column = columns == 0 ? 0 : first % columns;
    for (std::int64_t i = 0; i < n; ++i) {
      out[i] = T(column - row == diagonal ? 1 : 0);
      if (++column == columns) {
        column = 0;
        ++row;
      }
    }
  }
  bool operator==(const eye_values&) const = default;
  std::size_t hash() const noexcept { return type_hash<eye_values>() ^ static_cast<std::size_t>(columns); }
};

template <class T, class F, std::size_t N>
struct function_values {
  F f;
  std::int64_t extent[N];
  void operator()(std::int64_t first, std::int64_t n, T* out) const {
    std::int64_t at[N];
    for (std::size_t a = N; a-- > 0;) {
      at[a] = first % extent[a];
      first /= extent[a];
    }
    for (std::int64_t i = 0; i < n; ++i) {
      out[i] = call(at, std::make_index_sequence<N>{});
      for (std::size_t a = N; a-- > 0 && ++at[a] == extent[a];) at[a] = 0;
    }
  }

 private:
  template <std::size_t... A>
  T call(const std::int64_t* at, std::index_sequence<A...>) const {
    return f(at[A]...);
  }
};

template <std::size_t>
struct index_argument {
  using type = std::int64_t;
};

template <class F, class Indices>
struct indexed_result;
template <class F, std::size_t... A>
struct indexed_result<F, std::index_sequence<A...>> {
  static constexpr bool callable = std::is_invocable_v<const F&, typename index_argument<A>::type...>;
  // double when it cannot be called, so that the message of whoever asks is the only one
  using type = std::remove_cvref_t<typename std::conditional_t<
      callable, std::invoke_result<const F&, typename index_argument<A>::type...>, std::type_identity<double>>::type>;
};

/// The shortest digits that give the number back, "1e-09" and not "0.000000".
template <class T>
std::string digits(T x) {
  char text[32];
  return std::string(text, std::to_chars(text, text + sizeof text, x).ptr);
}

/// ceil((stop - start) / step) values. @throws value_error
template <class T>
std::int64_t arange_length(T start, T stop, T step) {
  if (!(step != T{})) throw value_error("arange: the step is " + digits(step) + "; it must be a number other than 0");
  if constexpr (std::is_integral_v<T>) {
    if (step > 0 ? start >= stop : start <= stop) return 0;
    // unsigned differences do not overflow
    const auto distance = step > 0 ? static_cast<std::uint64_t>(stop) - static_cast<std::uint64_t>(start)
                                   : static_cast<std::uint64_t>(start) - static_cast<std::uint64_t>(stop);
    const auto stride =
        step > 0 ? static_cast<std::uint64_t>(step) : std::uint64_t{0} - static_cast<std::uint64_t>(step);
    return narrow<std::int64_t>((distance - 1) / stride + 1, "arange");
  } else {
    const double n = std::ceil((static_cast<double>(stop) - static_cast<double>(start)) / static_cast<double>(step));
    if (!(n < 9.0e18)) {
      throw value_error("arange: from " + digits(start) + " to " + digits(stop) + " by " + digits(step) +
                        " is not a number of elements that 64 bits hold");
    }
    return n > 0 ? static_cast<std::int64_t>(n) : 0;
  }
}

}  // namespace detail

/// An array of zeros.
template <element T, class Tag = detail::backend_tag>
array<T> zeros(const shape& extents, const creation_options& options = {},
               std::source_location where = std::source_location::current()) {
  return detail::make_generator<T, Tag>(detail::constant_values<T>{T{}}, "zeros", extents, options.chunks, where);
}

/// An array of ones.
template <element T, class Tag = detail::backend_tag>
array<T> ones(const shape& extents, const creation_options& options = {},
              std::source_location where = std::source_location::current()) {
  return detail::make_generator<T, Tag>(detail::constant_values<T>{T(1)}, "ones", extents, options.chunks, where);
}

template <class T, class Tag>
array<T> full_word::operator()(const shape& extents, T value) const {
  return operator()<T, Tag>(extents, value, creation_options{});
}
template <class T, class Tag>
array<T> full_word::operator()(const shape& extents, T value, const creation_options& options) const {
  return detail::make_generator<T, Tag>(detail::constant_values<T>{value}, "full", extents, options.chunks,
                                        std::source_location{});
}

/// start, start + step, … up to but without `stop`: ceil((stop - start) / step) elements, element i is start + i * step
/// without drift. @throws value_error for a step of 0 or NaN, or a length that 64 bits do not hold
template <element T, class Tag = detail::backend_tag>
  requires std::is_arithmetic_v<T>
array<T> arange(std::type_identity_t<T> start, std::type_identity_t<T> stop, std::type_identity_t<T> step = T(1),
                const creation_options& options = {}, std::source_location where = std::source_location::current()) {
  using step_type = typename detail::arange_values<T>::step_type;
  const std::int64_t n = detail::arange_length<T>(start, stop, step);
  return detail::make_generator<T, Tag>(
      detail::arange_values<T>{static_cast<step_type>(start), static_cast<step_type>(step)}, "arange", {n},
      options.chunks, where);
}

/// 0, 1, … stop - 1.
template <element T, class Tag = detail::backend_tag>
  requires std::is_arithmetic_v<T>
array<T> arange(std::type_identity_t<T> stop, const creation_options& options = {},
                std::source_location where = std::source_location::current()) {
  return arange<T, Tag>(T{}, stop, T(1), options, where);
}

/// Options of linspace.
struct linspace_options {
  /// Whether `stop` is the last element.
  bool endpoint = true;
  ashlar::chunks chunks = {};
};

/// `count` evenly spaced numbers from `start` to `stop`; the last one is exactly `stop`. @throws value_error for a
/// negative count
template <element T, class Tag = detail::backend_tag>
  requires std::is_floating_point_v<T>
array<T> linspace(double start, double stop, std::int64_t count, const linspace_options& options = {},
                  std::source_location where = std::source_location::current()) {
  if (count < 0) throw value_error("linspace: " + std::to_string(count) + " elements; give 0 or more");
  const std::int64_t parts = options.endpoint ? count - 1 : count;
  const double step = parts > 0 ? (stop - start) / static_cast<double>(parts) : 0.0;
  const std::int64_t end = options.endpoint && count > 1 ? count - 1 : -1;
  return detail::make_generator<T, Tag>(detail::linspace_values<T>{start, stop, step, end}, "linspace", {count},
                                        options.chunks, where);
}

/// Options of eye.
struct eye_options {
  /// Columns; as many as rows when negative.
  std::int64_t columns = -1;
  /// The diagonal that is 1: 0 the main one, above it positive.
  std::int64_t diagonal = 0;
  ashlar::chunks chunks = {};
};

/// Ones on a diagonal, zeros elsewhere.
template <element T, class Tag = detail::backend_tag>
array<T> eye(std::int64_t rows, const eye_options& options = {},
             std::source_location where = std::source_location::current()) {
  const std::int64_t columns = options.columns < 0 ? rows : options.columns;
  return detail::make_generator<T, Tag>(detail::eye_values<T>{columns, options.diagonal}, "eye", {rows, columns},
                                        options.chunks, where);
}

/// The array whose element at (i, j, …) is f(i, j, …); f takes as many std::int64_t as there are extents. It is called
/// in the run, on any thread, in any order, possibly more than once for an element.
template <class Tag = detail::backend_tag, class F, std::size_t N>
auto fromfunction(F f, const detail::extent (&extents)[N], const creation_options& options = {},
                  std::source_location where = std::source_location::current()) {
  using result = detail::indexed_result<F, std::make_index_sequence<N>>;
  static_assert(result::callable, "ashlar: fromfunction(f, {extents}) calls f with one std::int64_t for each extent");
  using T = typename result::type;
  static_assert(element<T>, "ashlar: the function given to fromfunction must return an element type");
  detail::function_values<T, F, N> values{std::move(f), {}};
  ashlar::shape shape;
  for (std::size_t a = 0; a < N; ++a) {
    shape.push_back(extents[a].value);
    values.extent[a] = extents[a].value;
  }
  return detail::make_generator<T, Tag>(std::move(values), "fromfunction", shape, options.chunks, where);
}

/// Arrays of the shape, element type and chunks of `x`.
template <lazy X, class Tag = detail::backend_tag>
auto zeros_like(const X& x, std::source_location where = std::source_location::current()) {
  return zeros<value_type_t<X>, Tag>(x.shape(), {.chunks = x.chunks()}, where);
}
template <lazy X, class Tag = detail::backend_tag>
auto ones_like(const X& x, std::source_location where = std::source_location::current()) {
  return ones<value_type_t<X>, Tag>(x.shape(), {.chunks = x.chunks()}, where);
}
template <lazy X, class Tag = detail::backend_tag>
auto full_like(const X& x, value_type_t<X> value) {
  return full.operator()<value_type_t<X>, Tag>(x.shape(), value, {.chunks = x.chunks()});
}

/// A lazy array over an ndarray of any strides, without a copy; it shares the ndarray's memory and keeps it alive, and
/// sees what is written there before a run.
template <element T>
array<T> from(const ndarray<T>& values, const creation_options& options = {},
              std::source_location where = std::source_location::current()) {
  block_grid grid =
      normalize_chunks(options.chunks, values.shape(), static_cast<std::int64_t>(sizeof(T)), nullptr, "from");
  auto source = std::make_shared<detail::memory_source>(detail::memory_view{values.data(), values.strides()},
                                                        std::make_shared<const buffer>(values.owner()));
  return array<T>(detail::make_source(std::move(source), dtype_of<T>, values.shape(), std::move(grid), where));
}

/// A 1-d array that owns its elements: the vector is moved in when it is an rvalue, copied when not. For a view of a
/// vector without a copy pass std::span(v).
template <element T>
array<T> from(std::vector<T> values, const creation_options& options = {},
              std::source_location where = std::source_location::current()) {
  return from(ndarray<T>::from(std::move(values)), options, where);
}

/// A 1-d view of memory of the caller, without a copy. The memory must stay valid, and unchanged during a run, until
/// the last run of an array that uses it has ended.
template <class T, std::size_t N>
  requires element<std::remove_const_t<T>>
array<std::remove_const_t<T>> from(std::span<T, N> values, const creation_options& options = {},
                                   std::source_location where = std::source_location::current()) {
  using E = std::remove_const_t<T>;
  const ashlar::shape shape{static_cast<std::int64_t>(values.size())};
  block_grid grid = normalize_chunks(options.chunks, shape, static_cast<std::int64_t>(sizeof(E)), nullptr, "from");
  auto source =
      std::make_shared<detail::memory_source>(detail::memory_view{values.data(), row_major_strides(shape)}, nullptr);
  return array<E>(detail::make_source(std::move(source), dtype_of<E>, shape, std::move(grid), where));
}

template <class T>
array<T> array<T>::from(detail::nested_list<T> values, const creation_options& options, std::source_location where) {
  return ashlar::from(ndarray<T>::from(std::move(values)), options, where);
}

}  // namespace ashlar
