// The property test of reductions for one element type: shapes x chunkings x views x axes x executors against plain
// loops. A header, so that the element types can be spread over several files, which compile side by side.
#pragma once

#include <doctest/doctest.h>

#include <ashlar/chunks.hpp>
#include <ashlar/creation.hpp>
#include <ashlar/reductions.hpp>
#include <ashlar/std_threads.hpp>
#include <ashlar/threads.hpp>

#include "reduction_oracle.hpp"

namespace ashlar::test {

inline constexpr const char* view_names[] = {"plain", "transposed", "reversed", "step 2", "broadcast"};

/// Small numbers around 1, all exact in float32, with ties and some zeros; products stay small.
template <class T>
T sample(std::uint64_t& state) {
  state = state * 6364136223846793005ull + 1442695040888963407ull;
  const auto k = static_cast<int>(state >> 58);  // 0 … 63
  if constexpr (std::is_same_v<T, bool>) {
    return k > 3;
  } else if constexpr (std::is_integral_v<T>) {
    if constexpr (std::is_unsigned_v<T>) return static_cast<T>(k * 4);
    return static_cast<T>((k - 32) * (sizeof(T) > 1 ? 30011 : 3));
  } else if constexpr (std::is_floating_point_v<T>) {
    return k == 0 ? T(0) : static_cast<T>((k % 3 == 0 ? -1.0 : 1.0) * (1.0 + (k - 32) / 128.0));
  } else {
    using R = typename T::value_type;
    return T(sample<R>(state), static_cast<R>(k - 30) / 64);
  }
}

/// An ndarray of the given shape whose memory is laid out as `view` says.
template <class T>
ndarray<T> make_view(const shape& extents, int view) {
  shape stored = extents;
  const int nd = extents.ndim();
  if (view == 1) {
    for (int a = 0; a < nd; ++a) stored[a] = extents[nd - 1 - a];
  } else if (view == 3) {
    for (int a = 0; a < nd; ++a) stored[a] = 2 * extents[a];
  } else if (view == 4) {
    for (int a = nd % 2; a < nd; a += 2) stored[a] = extents[a] == 0 ? 0 : 1;
  }
  ndarray<T> base(stored);
  std::uint64_t state = 99 + static_cast<std::uint64_t>(view);
  for (T& x : base) x = sample<T>(state);
  switch (view) {
    case 1:
      return base.transpose();
    case 2:
      for (int a = 0; a < nd; ++a) base = base.slice(a, extents[a] - 1, -1, -1);
      return base;
    case 3:
      for (int a = 0; a < nd; ++a) base = base.slice(a, 0, 2 * extents[a], 2);
      return base;
    case 4:
      return base.broadcast_to(extents);
    default:
      return base;
  }
}

inline std::vector<std::int64_t> explicit_lengths(std::int64_t total) {
  const std::int64_t third = total / 3;
  return {0, third, 0, total - third, 0};
}

/// Block lengths 1, 7, 16, 33, the whole, uneven lists, lists with zeros.
inline chunks make_chunks(const shape& extents, int kind) {
  constexpr std::int64_t lengths[] = {1, 7, 16, 33};
  std::vector<chunk_spec> specs;
  for (int a = 0; a < extents.ndim(); ++a) {
    const std::int64_t n = extents[a];
    if (kind < 4) {
      specs.emplace_back(lengths[kind]);
    } else if (kind == 4) {
      specs.emplace_back(full);
    } else if (kind == 5) {
      specs.emplace_back(std::vector<std::int64_t>{n - n / 4 - n / 3, n / 3, n / 4});
    } else {
      specs.emplace_back(explicit_lengths(n));
    }
  }
  return chunks(std::move(specs));
}

/// The set bits of `mask`, of the lowest four.
inline axes make_axes(unsigned mask) {
  int list[4] = {};
  int n = 0;
  for (int a = 0; a < 4; ++a) {
    if ((mask >> a & 1u) != 0) list[n++] = a;
  }
  switch (n) {
    case 0:
      return axes::none();
    case 1:
      return axes{list[0]};
    case 2:
      return axes{list[1], list[0]};  // the order does not matter
    case 3:
      return axes{list[0], list[1], list[2]};
    default:
      return axes{0, 1, 2, 3};
  }
}

struct reduction_context {
  std::string text;
  const std::vector<reduced>& expected;
  std::int64_t kept;
  long double unit;  // rounding of the result type
};

template <class R, class F>
void compare(const reduction_context& c, const std::string& name, const ndarray<R>& got, F expected_and_tolerance) {
  REQUIRE_MESSAGE(got.size() == c.kept, name, " ", c.text);
  const std::vector<number> values = to_numbers(got);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto [expected, tolerance] = expected_and_tolerance(c.expected[i]);
    const long double slack = tolerance + c.unit * std::hypot(expected.re, expected.im);
    if (!std::is_floating_point_v<R> && std::hypot(expected.re, expected.im) > 1e37L)
      continue;  // may overflow in parts
    if (!near(values[i].re, expected.re, slack) ||
        (!std::is_floating_point_v<R> && !near(values[i].im, expected.im, slack))) {
      FAIL_CHECK(name, " ", c.text, " at ", i, ": ", static_cast<double>(values[i].re), " ",
                 static_cast<double>(values[i].im), " and not ", static_cast<double>(expected.re), " ",
                 static_cast<double>(expected.im));
      return;
    }
  }
}

template <class R, class F>
void compare_exactly(const reduction_context& c, const std::string& name, const ndarray<R>& got, F expected) {
  REQUIRE_MESSAGE(got.size() == c.kept, name, " ", c.text);
  std::size_t i = 0;
  for (const R& x : got) {
    if (x != static_cast<R>(expected(c.expected[i]))) {
      FAIL_CHECK(name, " ", c.text, " at ", i, ": ", +x, " and not ", +static_cast<R>(expected(c.expected[i])));
      return;
    }
    ++i;
  }
}

template <class T, class Where>
void check_reductions(const Where& on, const ndarray<T>& values, const chunks& cut, unsigned mask, bool keepdims,
                      const std::string& text) {
  const array<T> x = from(values, {.chunks = cut});
  bool empty = false;
  for (int a = 0; a < values.ndim(); ++a) empty = empty || ((mask >> a & 1u) != 0 && values.shape()[a] == 0);
  const axes which = make_axes(mask);
  const std::vector<reduced> expected = reduce_plainly(to_numbers(values), values.shape(), mask);
  constexpr bool exact = std::is_integral_v<T>;
  constexpr long double eps = std::numeric_limits<double>::epsilon();
  const reduction_context c{
      text, expected, static_cast<std::int64_t>(expected.size()),
      !exact && sizeof(T) < (std::is_floating_point_v<T> ? 8 : 16) ? std::numeric_limits<float>::epsilon() : eps};
  const reduce_options o{.keepdims = keepdims, .split_every = keepdims ? 2 : 8};
  const moment_options m{.ddof = 1, .keepdims = keepdims, .split_every = o.split_every};

  const auto [sum, prod, mean, var, deviation, any, all, count] =
      compute(on, x.sum(which, o), x.prod(which, o), x.mean(which, o), x.var(which, m), x.std(which, m),
              x.any(which, o), x.all(which, o), x.count_nonzero(which, o));
  if constexpr (exact) {
    compare_exactly(c, "sum", sum, [](const reduced& r) { return r.sum.bits; });
    compare_exactly(c, "prod", prod, [](const reduced& r) { return r.product.bits; });
  } else {
    compare(c, "sum", sum, [](const reduced& r) { return std::pair{r.sum, 64 * eps * r.magnitude}; });
    compare(c, "prod", prod, [](reduced r) {
      if constexpr (std::is_floating_point_v<T>) r.product.re = static_cast<T>(r.product.re);  // may be 0 or inf
      return std::pair{r.product,
                       static_cast<long double>(r.count) * 4 * eps * std::hypot(r.product.re, r.product.im) + 1e-45L};
    });
  }
  compare(c, "mean", mean, [](const reduced& r) {
    return std::pair{r.mean, r.count == 0 ? 0 : 64 * eps * r.magnitude / static_cast<long double>(r.count)};
  });
  const auto variance = [](const reduced& r) {
    const long double divisor = static_cast<long double>(r.count) - 1;
    return divisor < 0 ? std::numeric_limits<long double>::quiet_NaN() : r.m2 / divisor;
  };
  compare(c, "var", var, [&](const reduced& r) {
    return std::pair{number{variance(r), 0, 0},
                     r.count < 2 ? 0 : 256 * eps * variance(r) + 1e-25L * r.magnitude * r.magnitude};
  });
  compare(c, "std", deviation, [&](const reduced& r) {
    const long double v = std::sqrt(variance(r));
    return std::pair{number{v, 0, 0}, r.count < 2 ? 0 : 256 * eps * v + 1e-12L * r.magnitude};
  });
  compare_exactly(c, "any", any, [](const reduced& r) { return r.nonzero > 0; });
  compare_exactly(c, "all", all, [](const reduced& r) { return r.nonzero == r.count; });
  compare_exactly(c, "count_nonzero", count, [](const reduced& r) { return r.nonzero; });
  if (!keepdims) {
    CHECK(sum.ndim() == values.ndim() - which.count());
  } else {
    CHECK(sum.ndim() == values.ndim());
  }

  if constexpr (std::is_arithmetic_v<T>) {
    if (empty && !expected.empty()) {
      CHECK_THROWS_AS(x.min(which, o), shape_error);
      CHECK_THROWS_AS(x.max(which, o), shape_error);
      return;
    }
    const auto [min, max] = compute(on, x.min(which, o), x.max(which, o));
    compare_exactly(c, "min", min, [](const reduced& r) { return r.min; });
    compare_exactly(c, "max", max, [](const reduced& r) { return r.max; });
    if (which.count() == 1 || which.count() == values.ndim()) {
      const auto [argmin, argmax] = compute(on, x.argmin(which, o), x.argmax(which, o));
      compare_exactly(c, "argmin", argmin, [](const reduced& r) { return r.argmin; });
      compare_exactly(c, "argmax", argmax, [](const reduced& r) { return r.argmax; });
    }
  }
}

/// Runs every combination for one element type.
template <class T>
void check_all_reductions() {
  const shape shapes[] = {{},           {0},      {1},       {5},       {3, 0, 2},   {7, 5},
                          {2, 3, 4, 5}, {40, 33}, {1000, 3}, {3, 1000}, {17, 700, 2}};
  int turn = 0;
  for (const shape& s : shapes) {
    const bool large = s.size() > 1000;
    for (int view = 0; view < 5; ++view) {
      const ndarray<T> values = make_view<T>(s, view);
      for (int kind = 0; kind < 7; ++kind) {
        if (large && (view + kind) % 2 != 0) continue;
        const chunks cut = make_chunks(s, kind);
        for (unsigned mask = 0; mask < 1u << s.ndim(); ++mask) {
          ++turn;
          if (s.ndim() == 4 && turn % 3 != 0) continue;
#if defined(ASHLAR_TEST_SHORT)
          if (turn % 5 != 0) continue;  // every chunking, view and mask in turn, but not every product of them
#endif
          const std::string text = std::string(name(dtype_of<T>)) + " " + s.to_string() + ", " + view_names[view] +
                                   ", chunking " + std::to_string(kind) + ", axes mask " + std::to_string(mask);
          const bool keepdims = turn % 2 == 0;
          switch (turn % 3) {
            case 0:
              check_reductions<T>(serial{}, values, cut, mask, keepdims, text + ", serial");
              break;
            case 1:
              check_reductions<T>(std_threads{.workers = 3}, values, cut, mask, keepdims, text + ", std_threads");
              break;
            default:
              check_reductions<T>(threads{.workers = 2}, values, cut, mask, keepdims, text + ", threads");
              break;
          }
        }
      }
    }
  }
}

}  // namespace ashlar::test
