#include <ashlar/custom_reduction.hpp>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <ashlar/ashlar.hpp>

#include "support/counted_array.hpp"
#include "support/lazy_check.hpp"

namespace ash = ashlar;
using ash::array;
using ash::axes;
using ash::block_place;
using ash::ndarray;
using ash::reduction;
using ash::shape;

namespace {

shape reduced(shape extents, const axes& over) {
  for (const std::int64_t a : over) extents[static_cast<int>(a)] = 1;
  return extents;
}

/// Adds along the axes, which stay with length 1.
template <class T>
ndarray<T> add(ndarray<const T> x, const axes& over) {
  ndarray<T> out(reduced(x.shape(), over));
  out.fill(T{});
  const auto target = out.broadcast_to(x.shape());
  auto to = target.begin();
  for (const T& v : x) *to++ += v;
  return out;
}

struct mean_state {
  double sum;
  std::int64_t count;
  mean_state& operator+=(const mean_state& o) {
    sum += o.sum;
    count += o.count;
    return *this;
  }
};

template <class T, class F>
auto mapped(ndarray<const T> x, F f) {
  ndarray<decltype(f(T{}))> out(x.shape());
  auto to = out.begin();
  for (const T& v : x) *to++ = f(v);
  return out;
}

array<double> mean_of(const array<double>& x, const axes& over, const ash::reduce_options& options = {}) {
  return reduction(
      x,
      [](ndarray<const double> b, const axes& a) {
        return add<mean_state>(mapped(b, [](double v) { return mean_state{v, 1}; }), a);
      },
      add<mean_state>,
      [](ndarray<const mean_state> s, const axes& a) {
        return mapped(ndarray<const mean_state>(add(s, a)),
                      [](mean_state m) { return m.sum / static_cast<double>(m.count); });
      },
      over, options);
}

}  // namespace

TEST_CASE("reduction: a sum by hand is the sum") {
  const auto x = counted({7, 10}, {2, 3});
  for (const int split_every : {2, 3, 4, 16}) {
    for (const axes& over : {axes{0}, axes{1}, axes{0, 1}, axes{-1}}) {
      for (const bool keepdims : {false, true}) {
        const auto mine = reduction(x, add<double>, add<double>, add<double>, over,
                                    {.keepdims = keepdims, .split_every = split_every});
        const auto ours = x.sum(over, {.keepdims = keepdims});
        CHECK(mine.shape() == ours.shape());
        CHECK(mine.chunks() == ours.chunks());
        CHECK(values(mine) == values(ours));
      }
    }
  }
}

TEST_CASE("reduction: states may be structs") {
  const auto x = counted({40, 6}, {1, 4});
  CHECK(values(mean_of(x, 0)) == values(x.mean(0)));
  CHECK(values(mean_of(x, 1)) == values(x.mean(1)));
  CHECK(mean_of(x, ash::all_axes, {.split_every = 2}).compute().item() == 119.5);
  CHECK(values(mean_of(x + 1.0, 0, {.keepdims = true}) * 2.0) == values(x.mean(0) * 2.0 + 2.0));
}

TEST_CASE("reduction: functions may return one value where nothing is kept, and types may differ") {
  const auto x = counted({30}, {4});
  const auto longest = reduction(
      x,
      [](ndarray<const double> b) {
        float most = 0;
        for (const double v : b) most = v > most ? static_cast<float>(v) : most;
        return most;
      },
      [](ndarray<const float> s) {
        float most = 0;
        for (const float v : s) most = v > most ? v : most;
        return most;
      },
      [](ndarray<const float> s) { return static_cast<std::int32_t>(s.size()); }, ash::all_axes, {.split_every = 4});
  static_assert(std::is_same_v<decltype(longest), const array<std::int32_t>>);
  CHECK(longest.compute().item() == 2);  // 8 blocks, merged 4 by 4
}

TEST_CASE("reduction: chunk may ask where its block lies") {
  struct extremum {
    double value;
    std::int64_t at;
  };
  const auto best = [](ndarray<const extremum> s) {
    extremum e{-std::numeric_limits<double>::infinity(), -1};
    for (const extremum& o : s) e = o.value > e.value ? o : e;
    return e;
  };
  ndarray<double> data({50});
  data.fill(1);
  data(33) = 7;
  const auto at = reduction(
      ash::from(data, {.chunks = {8}}),
      [](ndarray<const double> b, const axes&, const block_place& place) {
        extremum e{b(0), place.offset[0]};
        for (std::int64_t i = 1; i < b.size(); ++i) e = b(i) > e.value ? extremum{b(i), place.offset[0] + i} : e;
        return e;
      },
      best, [=](ndarray<const extremum> s) { return best(s).at; });
  CHECK(at.compute().item() == 33);
}

TEST_CASE("reduction: the same bits for any number of workers") {
  ndarray<double> data({1000, 3});
  double v = 1;
  for (double& e : data) e = v = v * 1.37 > 1e6 ? v * 1e-9 : v * 1.37;
  const auto x = ash::from(data, {.chunks = {7, 2}});
  const auto y = mean_of(x, 0, {.split_every = 3});
  const auto serial = y.compute(ash::serial{});
  for (int workers = 2; workers < 6; ++workers)
    CHECK(same_bits(serial, y.compute(ash::std_threads{.workers = workers})));
  const auto [a, b, c] = ash::compute(ash::std_threads{.workers = 3}, y, x.sum(0), mean_of(x - y, ash::all_axes));
  CHECK(same_bits(serial, a));
  CHECK(same_bits(b, x.sum(0).compute()));
}

TEST_CASE("reduction: 0-d and empty arrays") {
  const auto plus = add<double>;
  CHECK(reduction(ash::from(ndarray<double>::from(3.0)), plus, plus, plus).compute().item() == 3);
  CHECK(values(reduction(counted({0, 2}, {1, 1}), plus, plus, plus, 0)) == std::vector<double>{0, 0});
  CHECK(reduction(counted({2, 0}, {1, 1}), plus, plus, plus, 0).compute().shape() == shape{0});
  CHECK(values(reduction(counted({3, 2}, {1, 1}), plus, plus, plus, axes::none())) ==
        std::vector<double>{0, 1, 2, 3, 4, 5});
}

TEST_CASE("reduction: mistakes are errors that say what would be right") {
  const auto x = counted({6, 4}, {2, 2});
  const auto plus = add<double>;
  CHECK_THROWS_AS(reduction(x, plus, plus, plus, 2), ash::axis_error);
  CHECK_THROWS_WITH_AS(reduction(x, plus, plus, plus, 0, {.split_every = 1}), doctest::Contains("2 or more"),
                       ash::value_error);
  const auto wrong = reduction(
      x, [](ndarray<const double> b) { return b; }, plus, plus, 0);
  CHECK_THROWS_WITH_AS(wrong.compute(), doctest::Contains("gave a block of shape (2, 2), and it has shape (1, 2)"),
                       ash::task_error);
  const auto number = reduction(
      x, [](ndarray<const double>) { return 1.0; }, plus, plus, 0);
  CHECK_THROWS_WITH_AS(number.compute(), doctest::Contains("custom_reduction_test.cpp"), ash::task_error);
}
