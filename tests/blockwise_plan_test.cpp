// What a plan says of functions of blocks: bytes that they read, and scratch that bounds what they take.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include <ashlar/ashlar.hpp>
#include <ashlar/graph/layer_traffic.hpp>
#include <ashlar/graph/lower.hpp>

namespace ash = ashlar;
using ash::array;
using ash::ndarray;

namespace {

array<double> kept(const ash::shape& extents, const ash::chunks& chunks) {
  return ash::ones<double>(extents, {.chunks = chunks}).persist(ash::serial{});
}

void add(ndarray<const double> a, ndarray<const double> b, ndarray<double> out) {
  for (std::int64_t i = 0; i < out.size(); ++i) out.data()[i] = a.data()[i] + b.data()[i];
}

void nothing(ndarray<const double>, ndarray<const double>, ndarray<double> out) { out.fill(0); }

template <class X>
std::int64_t lane_scratch(const X& x) {
  return ash::detail::make_plan({x.node()}, 1)->stats.lane_scratch;
}

template <class X>
std::int64_t read_by(const X& x) {
  const auto p = ash::detail::make_plan({x.node()}, 1);
  return ash::detail::traffic_of(*p, p->layers.back()).read;
}

}  // namespace

TEST_CASE("columns of one kept block are copied, and the copy is part of the predicted peak") {
  const auto x = kept({2000, 2000}, {2000, 2000});
  const auto y = kept({2000, 2000}, {2000, 500});
  const auto z = ash::map_blocks(add, x, y);
  const std::int64_t copied = ash::detail::has_red_zones ? 0 : 2000 * 500 * 8;
  CHECK(lane_scratch(z) >= lane_scratch(ash::map_blocks(add, y, y)) + copied);
  ash::report r;
  CHECK(z.compute(ash::std_threads{.workers = 2}, {.report = &r})(1999, 1999) == 2);
  CHECK(r.peak_bytes <= r.predicted_peak_bytes);
}

TEST_CASE("rows of one kept block, and blocks that fit, are read where they lie") {
  const auto x = kept({2000, 200}, {2000, 200});
  const auto y = kept({2000, 200}, {500, 200});
  CHECK(lane_scratch(ash::map_blocks(add, x, y)) == lane_scratch(ash::map_blocks(add, y, y)));
}

TEST_CASE("bytes read by a function of blocks follow its letters") {
  const auto a = kept({60, 40}, {20, 10});   // 3 rows of blocks
  const auto b = kept({40, 100}, {10, 50});  // 2 columns of blocks
  CHECK(read_by(ash::blockwise(nothing, "ij,jk->ik", a, b)) == (60 * 40 * 2 + 40 * 100 * 3) * 8);
  CHECK(read_by(ash::blockwise(nothing, "ji,jk->ik", kept({40, 60}, {10, 20}), b)) == (60 * 40 * 2 + 40 * 100 * 3) * 8);
  CHECK(read_by(ash::blockwise(nothing, "i,j->ij", kept({6}, {2}), kept({8}, {2}))) == (6 * 4 + 8 * 3) * 8);
  CHECK(read_by(ash::map_blocks(add, a, a)) == 2 * 60 * 40 * 8);
  CHECK(read_by(ash::blockwise(nothing, "ij,j->ij", kept({1, 40}, {1, 10}), kept({40}, {10}))) == 2 * 40 * 8);
  const auto square = kept({5, 5}, {2, 2});  // on the diagonal 2 x 2, 2 x 2, 1 x 1
  CHECK(read_by(ash::blockwise(nothing, "ii,i->i", square, kept({5}, {2}))) == (4 + 4 + 1 + 5) * 8);
}

TEST_CASE("a reduction merges as many blocks along each of several axes as the root of split_every") {
  const auto x = ash::ones<double>({64, 64}, {.chunks = {1, 1}});
  const auto widest = [&](int split_every) {
    std::int64_t most = 0;
    const auto biggest = [](ndarray<const double> s) {
      return std::max<double>(*std::max_element(s.begin(), s.end()), static_cast<double>(s.size()));
    };
    const auto first = [](ndarray<const double>) { return 1.0; };
    most = static_cast<std::int64_t>(
        ash::reduction(x, first, biggest, biggest, ash::all_axes, {.split_every = split_every})
            .compute(ash::serial{})
            .item());
    return most;
  };
  for (const int split_every : {2, 3, 4, 8}) CHECK(widest(split_every) == 4);
  CHECK(widest(9) == 9);
  CHECK(widest(15) == 9);
  CHECK(widest(16) == 16);
  CHECK(widest(4095) == 63 * 63);
  CHECK(widest(4096) == 4096);
  CHECK(widest(std::numeric_limits<int>::max()) == 4096);
}
