#include <doctest/doctest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <ashlar/ashlar.hpp>
#include <ashlar/graph/lower.hpp>

namespace ash = ashlar;

namespace {

using array = ash::array<double>;

// A node that is made once and kept in blocks as soon as two passes read it: a user's function is never merged.
array heavy(const array& x) {
  return ash::map([](double v) { return v + 1; }, x);
}

std::int64_t peak_with(const ash::detail::plan& made, ash::detail::order_options options) {
  ash::detail::plan p = made;
  ash::detail::make_order(p, options);
  return ash::detail::simulate_peak(p);
}

// The peak of one lane in blocks of `block_bytes`, small states counted as what they are; and that of the plain
// depth-first order.
struct peaks {
  double now;
  double plain;
};

peaks peak_in_blocks(std::vector<ash::detail::node_ptr> roots, double block_bytes, bool fuse = true) {
  const auto p = ash::detail::make_plan(std::move(roots), 1, fuse);
  const std::int64_t plain = peak_with(*p, {.by_weight = false, .pull_forward = false});
  const peaks result{static_cast<double>(p->stats.serial_bytes) / block_bytes,
                     static_cast<double>(plain) / block_bytes};
  std::vector<char> placed(p->tasks(), 0);
  bool right = p->order.size() == p->tasks();
  for (std::size_t k = 0; k < p->order.size(); ++k) {
    const std::uint32_t t = p->order[k];
    right = right && p->rank[t] == k && placed[t] == 0;
    placed[t] = 1;
    for (std::int64_t e = p->pred_begin[t]; e < p->pred_begin[t + 1]; ++e) {
      right = right && placed[p->pred[static_cast<std::size_t>(e)]] != 0;
    }
  }
  CHECK(right);
  CHECK(result.now <= result.plain);
  return result;
}

// Blocks large enough that no task takes several of them; nothing is computed here.
constexpr int side = 1000;
constexpr double block = 8.0 * side * side;

array blocks(int rows, int columns) {
  return ash::zeros<double>({rows * side, columns * side}, {.chunks = {side, side}});
}

}  // namespace

TEST_CASE("means of u*u, v*v and u*v together hold a block of each input") {
  const array u = heavy(blocks(20, 1));
  const array v = heavy(blocks(20, 1) + 1.0);
  const std::vector<ash::detail::node_ptr> roots = {(u * u).mean(0).node(), (v * v).mean(0).node(),
                                                    (u * v).mean(0).node()};
  CHECK(peak_in_blocks(roots, block).now < 1);         // one pass, nothing kept
  CHECK(peak_in_blocks(roots, block, false).now < 5);  // every node kept: two inputs, three products
}

TEST_CASE("means of products over different axes hold a block of each input") {
  const array u = heavy(blocks(10, 10));
  const array v = heavy(blocks(10, 10) + 1.0);
  CHECK(peak_in_blocks({(u * u).mean(0).node(), (v * v).mean(1).node(), (u * v).mean().node()}, block).now < 2.5);
  CHECK(peak_in_blocks({u.mean(1).node(), (u * v).mean(0).node()}, block).now < 2);  // v is made in its pass
  // joined again in one result
  const array both = (u * u).sum(1).sum() + (u * v).sum(0).sum();
  CHECK(peak_in_blocks({both.node()}, block).now < 2);
}

TEST_CASE("an anomaly holds one column of blocks, not the array") {
  const array x = heavy(blocks(10, 10));
  const array z = x - x.mean(0);
  CHECK(peak_in_blocks({z.std(0).node()}, block).now < 11);
  CHECK(peak_in_blocks({z.sum().node()}, block).now < 11);
  CHECK(peak_in_blocks({z.std(0).node(), z.max(1).node()}, block).now < 12.5);
  CHECK(peak_in_blocks({z.node()}, block).now < 11);
  CHECK(peak_in_blocks({z.node(), z.max(1).node(), x.mean(0).node()}, block).now < 12.5);
  const array standard = z / z.std(0);
  CHECK(peak_in_blocks({standard.max(1).node(), standard.min(0).node()}, block).now < 13);
}

TEST_CASE("x minus its mean needs all of x, and not more") {
  const array x = heavy(blocks(10, 1));
  CHECK(peak_in_blocks({(x - x.mean()).sum().node()}, block).now < 10.5);
}

TEST_CASE("argmax and max together do not hold the product") {
  const array x = heavy(ash::zeros<double>({600, 1, 500}, {.chunks = {200, 1, 100}}));
  const array y = heavy(ash::zeros<double>({1, 600, 500}, {.chunks = {1, 200, 100}}));
  const array product = x * y;  // blocks of 200 x 200 x 100
  constexpr double product_block = 200 * 200 * 100 * 8;
  CHECK(peak_in_blocks({product.argmax(2).node(), product.max(2).node()}, product_block).now < 1);
  CHECK(peak_in_blocks({product.argmax(2).node(), product.max(2).node()}, product_block, false).now < 2);
  CHECK(peak_in_blocks({product.max(0).node(), product.max(2).node()}, product_block).now < 2);
}

TEST_CASE("a result that shares its input with a whole reduction streams") {
  const array u = heavy(blocks(20, 1));
  const array other = heavy(ash::ones<double>({20 * side, side}, {.chunks = {side, side}}));
  // the difference needs a mean over all of `other`, which is best made before the first block of u
  const array difference = u - other.mean(0);
  CHECK(peak_in_blocks({u.mean(0).node(), difference.node()}, block).now < 2);
  CHECK(peak_in_blocks({difference.node(), u.mean(0).node()}, block).now < 2);
  CHECK(peak_in_blocks({u.mean(0).node(), difference.max(1).node()}, block).now < 2);
  const array joined = u.sum(0).sum() + difference.sum(1).sum();
  CHECK(peak_in_blocks({joined.node()}, block).now < 2);
}

TEST_CASE("results of one source advance together") {
  const array u = heavy(blocks(10, 10));
  const array v = heavy(u * 2.0);
  const array w = heavy(v + u);
  CHECK(peak_in_blocks({u.node(), v.node(), w.node()}, block).now == 0);  // written where results go
  CHECK(peak_in_blocks({w.sum(0).node(), v.sum(1).node(), u.max().node()}, block).now < 2.5);
}

TEST_CASE("many results are ordered in linear time") {
  std::vector<array> results;
  std::vector<ash::detail::node_ptr> roots;
  const array x = heavy(ash::zeros<double>({10, 10}));
  for (int k = 0; k < 20'000; ++k) {
    results.push_back(heavy(x));
    roots.push_back(results.back().node());
  }
  const auto p = ash::detail::make_plan(roots, 1);
  CHECK(p->tasks() == 20'001);
  CHECK(p->stats.serial_bytes == 832);  // 800 in whole lines
}

TEST_CASE("the order of hundreds of thousands of tasks has each once, behind what it waits for") {
#if defined(ASHLAR_TEST_SHORT)
  const array x = heavy(ash::zeros<double>({100, 100}, {.chunks = {2, 2}}));
#else
  const array x = heavy(ash::zeros<double>({1000, 1000}, {.chunks = {2, 2}}));
#endif
  const array z = x - x.mean(0);
  const auto p = ash::detail::make_plan({z.std(0).node(), z.max(1).node()}, 1);
  std::int64_t wrong = 0;
  for (std::uint32_t t = 0; t < p->tasks(); ++t) {
    wrong += p->order[p->rank[t]] != t ? 1 : 0;
    for (std::int64_t e = p->pred_begin[t]; e < p->pred_begin[t + 1]; ++e) {
      wrong += p->rank[p->pred[static_cast<std::size_t>(e)]] >= p->rank[t] ? 1 : 0;
    }
  }
  CHECK(p->order.size() == p->tasks());
  CHECK(wrong == 0);
}
