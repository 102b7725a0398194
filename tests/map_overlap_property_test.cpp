// What a function of blocks sees around its block, for every boundary, against an oracle that walks from the array to
// each position; for many shapes, chunks, depths and kinds of arrays.
#include <ashlar/map_overlap.hpp>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <ashlar/ashlar.hpp>

#include "support/lazy_check.hpp"
#include "support/padded.hpp"

namespace ash = ashlar;
using ash::array;
using ash::block_info;
using ash::boundary;
using ash::halo_block;
using ash::ndarray;
using ash::shape;

namespace {

struct dice {
  std::mt19937 engine;
  std::int64_t operator()(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(engine() % static_cast<std::uint32_t>(high - low + 1));
  }
};

struct request {
  shape extents;
  std::vector<ash::axis_depth> depth;
  std::vector<boundary> beyond;
  std::vector<float> constants;  // by axis

  ash::map_overlap_options options() const { return {.depth = depth, .boundary = beyond}; }
};

ash::chunk_spec random_lengths(dice& d, std::int64_t n) {
  if (d(0, 2) == 0) return ash::chunk_spec(d(1, n));
  std::vector<std::int64_t> lengths;
  for (std::int64_t left = n; left > 0; left -= lengths.back()) lengths.push_back(d(0, left < 5 ? left : 5));
  return ash::chunk_spec(lengths);
}

request random_request(dice& d) {
  request r;
  const std::int64_t ndim = d(1, 3);
  for (std::int64_t a = 0; a < ndim; ++a) {
    r.extents.push_back(d(0, 3) == 0 ? d(1, 3) : d(4, 9));
    const auto most = d(0, 4) == 0 ? 2 * r.extents[static_cast<int>(a)] + 1 : 2;
    r.depth.push_back(ash::axis_depth(d(0, most), d(0, most)));
    r.constants.push_back(static_cast<float>(-1 - a));
    const boundary kinds[] = {boundary::none,      boundary::constant(r.constants.back()),
                              boundary::edge,      boundary::reflect,
                              boundary::symmetric, boundary::wrap};
    r.beyond.push_back(kinds[d(0, 5)]);
  }
  return r;
}

/// Sums over all that lies around an element, each neighbour with a weight of its own, of a function that also looks at
/// what it is told of its block.
struct weighted_sum {
  request r;

  void operator()(halo_block<float> u, ndarray<double> out, const block_info& at) const {
    const int nd = u.ndim();
    const ash::block_place& place = at.inputs[0];
    std::int64_t before[3] = {};
    std::int64_t count[3] = {1, 1, 1};
    for (int a = 0; a < nd; ++a) {
      const auto k = static_cast<std::size_t>(a);
      const bool cut = r.beyond[k].kind() == ash::boundary_kind::none;
      const std::int64_t behind = place.whole[a] - place.offset[a] - place.shape[a];
      CHECK(u.before(a) == (cut && place.offset[a] < r.depth[k].before ? place.offset[a] : r.depth[k].before));
      CHECK(u.after(a) == (cut && behind < r.depth[k].after ? behind : r.depth[k].after));
      before[3 - nd + a] = u.before(a);
      count[3 - nd + a] = u.before(a) + u.shape()[a] + u.after(a);
    }
    const ndarray<const float> around = u.padded();
    std::int64_t element[3];
    std::int64_t k = 0;
    double sum = 0;
    for (element[0] = 0; element[0] < count[0]; ++element[0]) {
      for (element[1] = 0; element[1] < count[1]; ++element[1]) {
        for (element[2] = 0; element[2] < count[2]; ++element[2]) {
          const std::int64_t* const e = element;
          const std::int64_t* const b = before;
          const float value = nd == 1   ? u(e[2] - b[2])
                              : nd == 2 ? u(e[1] - b[1], e[2] - b[2])
                                        : u.row(e[0] - b[0], e[1] - b[1])[e[2] - b[2]];
          if (value != (nd == 1 ? around(e[2]) : nd == 2 ? around(e[1], e[2]) : around(e[0], e[1], e[2])))
            return out.fill(-1);
          sum += static_cast<double>(++k) * static_cast<double>(value);
        }
      }
    }
    out.fill(sum);
  }
};

/// The same from the whole array.
ndarray<double> expected(const request& r, const ndarray<float>& x, const ash::block_grid& grid) {
  ndarray<double> result(r.extents);
  const int nd = r.extents.ndim();
  for (std::int64_t block = 0; block < grid.count(); ++block) {
    const shape offset = grid.block_offset(block);
    const shape length = grid.block_shape(block);
    if (length.size() == 0) continue;
    std::int64_t first[3] = {};
    std::int64_t end[3] = {1, 1, 1};
    for (int a = 0; a < nd; ++a) {
      const auto k = static_cast<std::size_t>(a);
      first[a] = offset[a] - r.depth[k].before;
      end[a] = offset[a] + length[a] + r.depth[k].after;
      if (r.beyond[k].kind() != ash::boundary_kind::none) continue;
      first[a] = first[a] < 0 ? 0 : first[a];
      end[a] = end[a] > r.extents[a] ? r.extents[a] : end[a];
    }
    double sum = 0;
    std::int64_t k = 0;
    std::int64_t at[3];
    for (at[0] = first[0]; at[0] < end[0]; ++at[0]) {
      for (at[1] = first[1]; at[1] < end[1]; ++at[1]) {
        for (at[2] = first[2]; at[2] < end[2]; ++at[2]) {
          sum += static_cast<double>(++k) *
                 static_cast<double>(testing_support::beyond(x, r.beyond.data(), r.constants.data(), at));
        }
      }
    }
    ndarray<double> part = result;
    for (int a = 0; a < nd; ++a) part = part.slice(a, offset[a], offset[a] + length[a]);
    part.fill(sum);
  }
  return result;
}

}  // namespace

TEST_CASE("map_overlap: every boundary, depth and chunking, in memory, blocks, results and generators") {
  dice d{std::mt19937{20261130}};
#if defined(ASHLAR_TEST_SHORT)
  const int cases = 60;
#else
  const int cases = 400;
#endif
  for (int k = 0; k < cases; ++k) {
    const request r = random_request(d);
    std::vector<ash::chunk_spec> specs;
    for (const std::int64_t n : r.extents) specs.push_back(random_lengths(d, n));
    const ash::chunks chunks(specs);
    const array<float> made = ash::arange<float>(static_cast<float>(r.extents.size()));
    const ndarray<float> data = made.compute(ash::serial{}).reshape(r.extents);
    const array<float> x = ash::from(data, {.chunks = chunks});
    CAPTURE(k);
    CAPTURE(r.extents.to_string());
    CAPTURE(x.chunks().to_string());
    const auto right = expected(r, data, x.chunks());
    const weighted_sum f{r};
    CHECK(same_bits(map_overlap(f, x, r.options()).compute(ash::serial{}), right));
    CHECK(same_bits(map_overlap(f, x.persist(ash::serial{}), r.options()).compute(ash::serial{}), right));
    CHECK(same_bits(map_overlap(f, x + 0.0F, r.options()).compute(ash::std_threads{.workers = 3}), right));
    // transposed in memory
    ndarray<float> turned = ndarray<float>(data.transpose().shape()).transpose();
    turned.assign(data);
    CHECK(same_bits(map_overlap(f, ash::from(turned, {.chunks = chunks}), r.options()).compute(ash::serial{}), right));
    // views, of memory and of blocks that are made
    const ndarray<float> reversed = ash::flip(x).compute(ash::serial{});
    const array<float> stored = ash::from(reversed, {.chunks = chunks});
    for (const array<float>& y : {stored, array<float>(stored + 0.0F)}) {
      const auto view = map_overlap(f, ash::flip(y), r.options());
      CHECK(same_bits(view.compute(ash::serial{}), expected(r, data, view.chunks())));
    }
    // generated
    if (r.extents.ndim() == 1) {
      const auto g = ash::arange<float>(static_cast<float>(r.extents[0]), {.chunks = chunks});
      CHECK(same_bits(map_overlap(f, g, r.options()).compute(ash::serial{}), right));
    }
    // of blocks that are cut otherwise, and that are a result as well
    std::vector<ash::chunk_spec> others;
    for (const std::int64_t n : r.extents) others.push_back(random_lengths(d, n));
    const array<float> y = ash::from(data, {.chunks = ash::chunks(others)}) + 0.0F;
    const auto g = [&f](halo_block<float> u, const auto&, ndarray<double> out, const block_info& at) { f(u, out, at); };
    const auto two = map_overlap(g, y, x, r.options());
    const auto [a, b] = ash::compute(ash::serial{}, y, two);
    CHECK(same_bits(b, expected(r, data, two.chunks())));
    CHECK(same_bits(a, data));
  }
}

TEST_CASE("map_overlap: the same bits for every number of workers, with and without a limit for memory") {
  const auto x = ash::random::uniform<double>({300, 200}, {.seed = 5, .chunks = {40, 30}}).persist(ash::serial{});
  const auto step = [](const array<double>& u) {
    return map_overlap(
        [](halo_block<double> v, ndarray<double> out) {
          const std::int64_t columns = out.shape()[1];
          for (std::int64_t i = 0; i < out.shape()[0]; ++i) {
            for (std::int64_t j = 0; j < columns; ++j) {
              out.data()[i * columns + j] = (v(i - 1, j) + v(i + 2, j) + v(i, j - 1) + v(i, j)) / 4;
            }
          }
        },
        u, {.depth = {{1, 2}, {1, 0}}, .boundary = {boundary::wrap, boundary::reflect}});
  };
  array<double> y = x;
  ndarray<double> right = x.compute();
  for (int k = 0; k < 5; ++k) {
    y = step(y);
    ndarray<double> next(right.shape());
    for (std::int64_t i = 0; i < 300; ++i) {
      for (std::int64_t j = 0; j < 200; ++j) {
        next(i, j) =
            (right((i + 299) % 300, j) + right((i + 2) % 300, j) + right(i, j == 0 ? 1 : j - 1) + right(i, j)) / 4;
      }
    }
    right = next;
  }
  for (const int workers : {1, 2, 3, 8}) {
    CHECK(same_bits(y.compute(ash::std_threads{.workers = workers}), right));
    CHECK(same_bits(y.compute(ash::std_threads{.workers = workers, .memory_limit = 2 << 20}), right));
  }
  CHECK(same_bits(y.compute(ash::serial{}, {.optimize = false}), right));
}
