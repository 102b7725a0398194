// Scans by plain loops, for comparison: one element after the other, floating-point sums in leaves counted from the
// start of the axis.
#pragma once

#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include <ashlar/complex.hpp>
#include <ashlar/ndarray.hpp>
#include <ashlar/reductions.hpp>

namespace ashlar::test {

enum class scan_kind { sum, product, least, greatest };

inline constexpr scan_kind scan_kinds[] = {scan_kind::sum, scan_kind::product, scan_kind::least, scan_kind::greatest};

template <class T>
bool is_nan_value(T x) {
  return x != x;
}

template <class T>
bool below(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (a == b) return std::signbit(a) && !std::signbit(b);
  }
  return a < b;
}

/// What NumPy's accumulate would give for a whole line, adding and multiplying in A; `leaf` 0 is one for all.
template <class A, class Out, class T>
std::vector<Out> scan_line(const std::vector<T>& line, scan_kind kind, std::int64_t leaf) {
  std::vector<Out> out;
  const auto wide = [](T x) {
    if constexpr (std::is_arithmetic_v<T>) {
      return static_cast<A>(x);
    } else {
      return A(static_cast<typename A::value_type>(x.real()), static_cast<typename A::value_type>(x.imag()));
    }
  };
  const auto narrow = [](A x) {
    if constexpr (std::is_arithmetic_v<A>) {
      return static_cast<Out>(x);
    } else {
      using part = typename Out::value_type;
      return Out(static_cast<part>(x.real()), static_cast<part>(x.imag()));
    }
  };
  const auto add = [](A a, A b) {
    if constexpr (std::is_integral_v<A>) {
      return static_cast<A>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
    } else {
      return a + b;
    }
  };
  const auto multiply = [](A a, A b) {
    if constexpr (std::is_integral_v<A>) {
      return static_cast<A>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
    } else {
      return a * b;
    }
  };
  A before{};
  A run{};
  for (std::size_t i = 0; i < line.size(); ++i) {
    const auto at = static_cast<std::int64_t>(i);
    if (kind == scan_kind::sum) {
      if (i > 0 && leaf > 0 && at % leaf == 0) {
        before = at == leaf ? run : add(before, run);
        run = wide(line[i]);
      } else {
        run = i == 0 ? wide(line[i]) : add(run, wide(line[i]));
      }
      out.push_back(narrow(leaf > 0 && at >= leaf ? add(before, run) : run));
    } else if (kind == scan_kind::product) {
      run = i == 0 ? wide(line[i]) : multiply(run, wide(line[i]));
      out.push_back(narrow(run));
    } else if constexpr (std::is_arithmetic_v<T>) {
      const T x = line[i];
      if (i == 0) {
        run = wide(x);
      } else if (!is_nan_value(run)) {
        const T had = static_cast<T>(run);
        if (is_nan_value(x) || (kind == scan_kind::least ? below(x, had) : below(had, x))) run = wide(x);
      }
      out.push_back(narrow(run));
    }
  }
  return out;
}

/// The same along an axis of an array.
template <class A, class Out, class T>
ndarray<Out> scan_plainly(const ndarray<T>& x, int axis, scan_kind kind, std::int64_t leaf) {
  ndarray<Out> out(x.shape());
  const std::int64_t n = x.shape()[axis];
  shape others = x.shape();
  others[axis] = 1;
  const std::int64_t lines = n == 0 ? 0 : others.size();
  std::vector<std::int64_t> at(static_cast<std::size_t>(x.ndim()), 0);
  for (std::int64_t l = 0; l < lines; ++l) {
    std::int64_t in = 0;
    std::int64_t to = 0;
    for (int a = 0; a < x.ndim(); ++a) {
      in += at[static_cast<std::size_t>(a)] * x.strides()[a];
      to += at[static_cast<std::size_t>(a)] * out.strides()[a];
    }
    std::vector<T> line;
    for (std::int64_t i = 0; i < n; ++i) line.push_back(x.data()[in + i * x.strides()[axis]]);
    const std::vector<Out> scanned = scan_line<A, Out>(line, kind, leaf);
    for (std::int64_t i = 0; i < n; ++i)
      out.data()[to + i * out.strides()[axis]] = scanned[static_cast<std::size_t>(i)];
    for (int a = x.ndim(); a-- > 0;) {
      if (++at[static_cast<std::size_t>(a)] < others[a]) break;
      at[static_cast<std::size_t>(a)] = 0;
    }
  }
  return out;
}

/// Bit by bit, but for NaN, which may have any.
template <class T>
bool same_bits(const ndarray<T>& a, const ndarray<T>& b) {
  if (a.shape() != b.shape()) return false;
  const ndarray<T> x = a.contiguous();
  const ndarray<T> y = b.contiguous();
  for (std::int64_t i = 0; i < x.size(); ++i) {
    if (std::memcmp(x.data() + i, y.data() + i, sizeof(T)) == 0) continue;
    if (!is_nan_value(x.data()[i]) || !is_nan_value(y.data()[i])) return false;
  }
  return true;
}

}  // namespace ashlar::test
