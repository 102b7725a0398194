/// \file
/// The library's generators in their device forms: the values are the host's, bit for bit.
///
/// Constants and ones on a diagonal are words of the elements' size, so that all types of one size share a kernel.
/// `start + i * step` is rounded twice, as the host's baseline does; what random_block.hpp computes is contracted
/// wherever it is contracted on a host with fused multiply-add, unless `--fmad=false` says not to.
#pragma once

#if defined(__CUDACC__)

#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include <ashlar/detail/device_copy_kernels.hpp>
#include <ashlar/detail/device_entry.hpp>
#include <ashlar/detail/device_fill.hpp>
#include <ashlar/detail/random_block.hpp>

namespace ashlar::detail {

template <class T>
struct constant_values;
template <class T>
struct arange_values;
template <class T>
struct linspace_values;
template <class T>
struct eye_values;
template <class T>
struct triangle_values;
template <class T, class F, std::size_t N>
struct function_values;
template <class T>
struct normal_values;
template <class T>
struct uniform_values;
template <class T>
struct integer_values;

template <class Word, class T>
Word word_of(const T& value) {
  static_assert(sizeof(Word) == sizeof(T));
  Word w;
  std::memcpy(&w, &value, sizeof w);
  return w;
}

// --- element by element ---

template <class Word>
struct constant_form {
  using value = Word;
  Word word;
  __device__ Word at(std::int64_t) const { return word; }
};

template <class T>
struct device_generator<constant_values<T>> {
  static constexpr bool available = true;
  using word = copy_word_t<static_cast<int>(sizeof(T))>;
  static constant_form<word> of(const constant_values<T>& g) { return {word_of<word>(g.value)}; }
};

/// `Word` is an unsigned integer, which wraps to the bits of the signed one.
template <class Word>
struct counting_form {
  using value = Word;
  std::uint64_t start;
  std::uint64_t step;
  __device__ Word at(std::int64_t i) const { return static_cast<Word>(start + static_cast<std::uint64_t>(i) * step); }
};

template <class T>
struct stepping_form {
  using value = T;
  double start;
  double stop;
  double step;
  std::int64_t last;  // index whose value is exactly stop, or -1
  __device__ T at(std::int64_t i) const {
    return static_cast<T>(i == last ? stop : __dadd_rn(start, __dmul_rn(static_cast<double>(i), step)));
  }
};

template <class T>
struct device_generator<arange_values<T>> {
  static constexpr bool available = true;
  static auto of(const arange_values<T>& g) {
    if constexpr (std::is_integral_v<T>) {
      using word = copy_word_t<static_cast<int>(sizeof(T))>;
      return counting_form<word>{static_cast<std::uint64_t>(g.start), static_cast<std::uint64_t>(g.step)};
    } else {
      return stepping_form<T>{g.start, 0, g.step, -1};
    }
  }
};
template <>
struct device_generator<arange_values<bool>> {
  static constexpr bool available = false;
};

template <class T>
struct device_generator<linspace_values<T>> {
  static constexpr bool available = true;
  static stepping_form<T> of(const linspace_values<T>& g) { return {g.start, g.stop, g.step, g.last}; }
};

/// `on` where column - row is between two numbers, `off` elsewhere.
template <class Word>
struct band_form {
  using value = Word;
  std::int64_t columns;
  std::int64_t lowest;
  std::int64_t highest;
  Word on;
  Word off;
  __device__ Word at(std::int64_t i) const {
    const std::int64_t row = i / columns;
    const std::int64_t diagonal = i - row * columns - row;
    return diagonal >= lowest && diagonal <= highest ? on : off;
  }
};

template <class T>
band_form<copy_word_t<static_cast<int>(sizeof(T))>> band_of(std::int64_t columns, std::int64_t lowest,
                                                            std::int64_t highest) {
  using word = copy_word_t<static_cast<int>(sizeof(T))>;
  return {columns > 0 ? columns : 1, lowest, highest, word_of<word>(T(1)), word_of<word>(T(0))};
}

template <class T>
struct device_generator<eye_values<T>> {
  static constexpr bool available = true;
  static auto of(const eye_values<T>& g) { return band_of<T>(g.columns, g.diagonal, g.diagonal); }
};
template <class T>
struct device_generator<triangle_values<T>> {
  static constexpr bool available = true;
  static auto of(const triangle_values<T>& g) {
    return band_of<T>(g.columns, std::numeric_limits<std::int64_t>::min(), g.offset);
  }
};

template <class T, class F, std::size_t N>
struct function_form {
  using value = T;
  F f;
  std::int64_t extent[N];
  __device__ T at(std::int64_t i) const {
    std::int64_t index[N];
#pragma unroll
    for (int a = static_cast<int>(N) - 1; a > 0; --a) {
      const std::int64_t rest = i / extent[a];
      index[a] = i - rest * extent[a];
      i = rest;
    }
    index[0] = i;
    return call(index, std::make_index_sequence<N>{});
  }

 private:
  template <std::size_t... A>
  __device__ T call(const std::int64_t* index, std::index_sequence<A...>) const {
    return static_cast<T>(f(index[A]...));
  }
};

template <class T, class F, std::size_t N>
  requires(N > 0 && device_function<F>::available && std::is_trivially_copyable_v<F> && std::is_arithmetic_v<T>)
struct device_generator<function_values<T, F, N>> {
  static constexpr bool available = true;
  using function = typename device_function<F>::type;
  static function_form<T, function, N> of(const function_values<T, F, N>& g) {
    return of(device_function<F>::of(g.f), g.extent);
  }

 private:
  template <class D>
  static function_form<T, D, N> of(const D& f, const std::int64_t (&extent)[N]) {
    function_form<T, D, N> form{f, {}};
    for (std::size_t a = 0; a < N; ++a) form.extent[a] = extent[a];
    return form;
  }
};

// --- in groups ---

/// `Value` elements of groups of `Made`, with parameters P.
template <class Value, class Made, class P>
struct random_form {
  using value = Value;
  static constexpr int together = sizeof(Made) == 8 ? 2 : 4;
  round_keys keys;
  P parameters;
  __device__ void make(Value* out, std::uint64_t number) const {
    Made made[together];
    random_block(made, number, keys, parameters);
#pragma unroll
    for (int k = 0; k < together; ++k) out[k] = static_cast<Value>(made[k]);
  }
};

template <class T>
struct device_generator<normal_values<T>> {
  static constexpr bool available = true;
  static random_form<T, T, normal_parameters<T>> of(const normal_values<T>& g) {
    constexpr random_stream stream = sizeof(T) == 8 ? random_stream::normal_double : random_stream::normal_float;
    return {round_keys(g.seed, stream), {g.mean, g.stddev}};
  }
};
template <class T>
struct device_generator<uniform_values<T>> {
  static constexpr bool available = true;
  static random_form<T, T, uniform_parameters<T>> of(const uniform_values<T>& g) {
    constexpr random_stream stream = sizeof(T) == 8 ? random_stream::uniform_double : random_stream::uniform_float;
    return {round_keys(g.seed, stream), uniform_parameters<T>(g.low, g.high)};
  }
};
template <class T>
struct device_generator<integer_values<T>> {
  static constexpr bool available = true;
  using word = copy_word_t<static_cast<int>(sizeof(T))>;
  static random_form<word, std::uint64_t, integer_parameters> of(const integer_values<T>& g) {
    return {round_keys(g.seed, random_stream::integers), {static_cast<std::uint64_t>(g.low), g.range}};
  }
};

}  // namespace ashlar::detail

#endif
