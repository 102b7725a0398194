#include <cstdint>
#include <vector>

#include <doctest/doctest.h>

#include <ashlar/array.hpp>
#include <ashlar/blockwise.hpp>
#include <ashlar/creation.hpp>
#include <ashlar/custom_reduction.hpp>
#include <ashlar/delayed_arrays.hpp>
#include <ashlar/functions.hpp>
#include <ashlar/std_threads.hpp>

namespace ash = ashlar;
using ash::ndarray;

TEST_CASE("functions of blocks on several threads") {
  const auto x = ash::arange<double>(0, 4000, 1, {.chunks = {16}});
  const auto half = [](ndarray<const double> in, ndarray<double> out, const ash::block_info& at) {
    for (std::int64_t i = 0; i < in.size(); ++i) out.data()[i] = in.data()[i] / 2 + static_cast<double>(at.number % 1);
  };
  const auto add = [](ndarray<const double> b) {
    double sum = 0;
    for (const double v : b) sum += v;
    return sum;
  };
  const auto y = ash::map_blocks(half, x + 1.0);
  const auto s = ash::reduction(y, add, add, add, ash::all_axes, {.split_every = 3});
  const ash::delayed make([](double v) { return ndarray<double>::full({16}, v); });
  std::vector<ash::delayed<ndarray<double>>> blocks;
  for (int k = 0; k < 250; ++k) blocks.push_back(make(static_cast<double>(k)));
  const auto d = ash::from_delayed(blocks, {4000}, {.chunks = {16}});
  const auto [a, b, c] = ash::compute(ash::std_threads{.workers = 4}, s, (y - x).max(), (d + y).sum());
  CHECK(a.item() == 4001000);
  CHECK(b.item() == 0.5);
  CHECK(c.item() == 4001000 + 16 * 31125);
}
