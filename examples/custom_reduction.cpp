// A reduction of your own: the geometric mean, from logarithms and counts.
#include <algorithm>
#include <ashlar/ashlar.hpp>
#include <cmath>
#include <cstdint>
#include <iostream>

namespace ash = ashlar;

// A state may be anything trivially copyable.
struct log_sum {
  double sum;
  std::int64_t count;
};

// What to make of a block.
log_sum of_block(ash::ndarray<const double> block) {
  log_sum s{0, block.size()};
  for (const double v : block) s.sum += std::log(v);
  return s;
}

// How states are merged.
log_sum merge(ash::ndarray<const log_sum> states) {
  log_sum all{0, 0};
  for (const log_sum& s : states) all = {all.sum + s.sum, all.count + s.count};
  return all;
}

// And what becomes of them.
double to_mean(ash::ndarray<const log_sum> states) {
  const log_sum all = merge(states);
  return std::exp(all.sum / static_cast<double>(all.count));
}

int main() {
  const auto x = ash::arange<double>(1, 1001, 1, {.chunks = {64}});
  std::cout << ash::reduction(x, of_block, merge, to_mean).compute() << '\n';

  // Along one axis the functions give arrays, in which that axis has length 1.
  const auto table = ash::fromfunction([](auto i, auto j) { return 10 * i + j; }, {6, 4}, {.chunks = {2, 4}});
  const auto last_row = [](ash::ndarray<const int> rows, const ash::axes& over) {
    const int axis = static_cast<int>(over[0]);
    return rows.slice(axis, rows.shape()[axis] - 1, rows.shape()[axis]);
  };
  std::cout << ash::reduction(table.astype<int>(), last_row, last_row, last_row, 0).compute() << '\n';

  // Element by element, from an initial state: how far the elements of a row reach.
  struct range {
    std::int64_t low, high;
  };
  const auto reach = ash::reduction(
      table, range{1000, -1000},
      [](range r, std::int64_t v) {
        return range{std::min(r.low, v), std::max(r.high, v)};
      },
      [](range a, range b) {
        return range{std::min(a.low, b.low), std::max(a.high, b.high)};
      },
      [](range r) { return r.high - r.low; }, 1);
  std::cout << reach.compute() << '\n';
}

// Output:
// 369.491...
// [50 51 52 53]
// [3 3 3 3 3 3]
