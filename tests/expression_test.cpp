#include <ashlar/ashlar.hpp>

#include <cstdint>
#include <type_traits>
#include <vector>

#include <doctest/doctest.h>

#include "support/counting.hpp"
#include "support/lazy_check.hpp"

using ashlar::array;
using ashlar::from;
using ashlar::full;
using ashlar::ndarray;
using ashlar::serial;
using ashlar::shape;
using ashlar::std_threads;
using ashlar::threads;
using testing_support::counting;

namespace {

/// Plain loops over the broadcast of two eager arrays.
ndarray<double> plain_sum(const ndarray<double>& a, const ndarray<double>& b) {
  const shape all = ashlar::broadcast_shapes(a.shape(), b.shape());
  const ndarray<double> x = a.broadcast_to(all).copy();
  const ndarray<double> y = b.broadcast_to(all).copy();
  ndarray<double> out(all);
  for (std::int64_t i = 0; i < all.size(); ++i) out.data()[i] = x.data()[i] + y.data()[i];
  return out;
}

// Everything that the expression needs is local: it must own its operands.
auto log_softmax_of_locals() {
  const array<double> x = from(ndarray<double>::from({1.0, 2.0, 3.0}), {.chunks = {2}});
  auto shifted = x - x.max();
  return shifted - log(exp(shifted).sum());
}

template <class X>
auto one_more(X x) {
  return x + 1.0;
}

}  // namespace

TEST_CASE("expression: shapes broadcast as NumPy's do") {
  const std::vector<std::pair<shape, shape>> pairs{{{}, {}},         {{}, {3}},           {{4}, {}},
                                                   {{3}, {1}},       {{2, 3}, {3}},       {{2, 3}, {2, 1}},
                                                   {{2, 1}, {1, 3}}, {{5, 1, 4}, {3, 1}}, {{0, 3}, {1, 3}},
                                                   {{2, 1}, {2, 0}}, {{0}, {1}},          {{1, 0, 2}, {3, 1, 1}},
                                                   {{1, 1, 1}, {}},  {{2, 3, 4}, {4}},    {{1, 3, 4}, {2, 1, 1}}};
  for (const auto& [a, b] : pairs) {
    CAPTURE(a.to_string());
    CAPTURE(b.to_string());
    const ndarray<double> x = counting(a);
    const ndarray<double> y = counting(b);
    const ndarray<double> want = plain_sum(x, y);
    for (const ashlar::chunks& cx : {ashlar::chunks{1}, ashlar::chunks{2}, ashlar::chunks{full}}) {
      for (const ashlar::chunks& cy : {ashlar::chunks{1}, ashlar::chunks{3}, ashlar::chunks{full}}) {
        const array<double> lx = a.ndim() == 0 ? from(x) : from(x, {.chunks = cx});
        const array<double> ly = b.ndim() == 0 ? from(y) : from(y, {.chunks = cy});
        const auto sum = lx + ly;
        CHECK(sum.shape() == want.shape());
        CHECK(same_bits(sum.compute(serial{}), want));
        CHECK(same_bits((ly + lx).compute(std_threads{.workers = 3}), want));
        CHECK(same_bits(array<double>(sum).persist(serial{}).compute(serial{}), want));
      }
    }
  }
}

TEST_CASE("expression: broadcasting of more than one tile, from memory, blocks and generators") {
  const ndarray<double> column = counting({3, 1});
  const ndarray<double> row = counting({2500});
  const ndarray<double> want = plain_sum(column, row);
  for (const std::int64_t c : {2500, 1025, 1000, 7}) {
    const array<double> r = from(row, {.chunks = {c}});
    const array<double> k = from(column, {.chunks = {2, 1}});
    const auto generated =
        ashlar::fromfunction([](std::int64_t i, std::int64_t) { return static_cast<double>(i); }, {3, 1});
    CHECK(same_bits((k + r).compute(serial{}), want));
    CHECK(same_bits((k.persist(serial{}) + r.persist(serial{})).compute(serial{}), want));
    CHECK(same_bits((generated + ashlar::arange<double>(2500, {.chunks = {c}})).compute(std_threads{.workers = 2}),
                    want));
  }
}

TEST_CASE("expression: operands cut in other places give the values of one block") {
  const ndarray<double> x = counting({12, 10});
  const ndarray<double> y = counting({12, 10});
  const ndarray<double> want = plain_sum(x, y);
  const std::vector<ashlar::chunks> cuts{{full, full},
                                         {5, 10},
                                         {12, 3},
                                         {4, 3},
                                         {ashlar::chunk_spec{1, 2, 9}, 7},
                                         {1, 1},
                                         {ashlar::chunk_spec{0, 12}, ashlar::chunk_spec{10, 0}}};
  for (const ashlar::chunks& a : cuts) {
    for (const ashlar::chunks& b : cuts) {
      const array<double> lx = from(x, {.chunks = a});
      const array<double> ly = from(y, {.chunks = b});
      const array<double> sum = lx + ly;
      CAPTURE(sum.chunks().to_string());
      CHECK(sum.chunks().count() <= 120);
      CHECK(same_bits(sum.compute(serial{}), want));
      CHECK(same_bits((lx.persist(serial{}) + ly.persist(serial{})).compute(std_threads{.workers = 3}), want));
    }
  }
}

TEST_CASE("expression: deeper than a kernel, and with more arrays than a kernel takes") {
  const array<double> x = from(counting({300}), {.chunks = {100}});
  const auto deep =
      ((((((((((((((((x + 1.0) * 2.0) - 3.0) / 4.0) + x) * x) - x) / 2.0) + 1.0) * 3.0) - x) + 5.0) * 0.5) + x) * 2.0) -
       1.0);
  const auto got = deep.compute(serial{});
  for (std::int64_t i = 0; i < 300; ++i) {
    const double v = static_cast<double>(i);
    const double want =
        ((((((((((((((((v + 1.0) * 2.0) - 3.0) / 4.0) + v) * v) - v) / 2.0) + 1.0) * 3.0) - v) + 5.0) * 0.5) + v) *
          2.0) -
         1.0);
    CHECK(got(i) == doctest::Approx(want).epsilon(1e-14));
  }
  const auto leaf = [&](int k) { return from(ndarray<double>::full({300}, k), {.chunks = {64 + k}}); };
  const auto wide = leaf(1) + leaf(2) + leaf(3) + leaf(4) + leaf(5) + leaf(6) + leaf(7) + leaf(8) + leaf(9) + leaf(10) +
                    leaf(11) + leaf(12) + leaf(13) + leaf(14) + leaf(15);
  CHECK(same_bits(wide.compute(serial{}), ndarray<double>::full({300}, 120)));
  CHECK(same_bits(wide.compute(serial{}, {.optimize = false}), ndarray<double>::full({300}, 120)));
  CHECK(same_bits(wide.compute(threads{.workers = 3}), ndarray<double>::full({300}, 120)));
}

TEST_CASE("expression: one built from locals outlives them") {
  const auto e = log_softmax_of_locals();
  const auto got = e.compute(serial{});
  CHECK(got(0) == doctest::Approx(-2.4076059644443806));
  CHECK(got(2) == doctest::Approx(-0.4076059644443806));
  CHECK(values(one_more(one_more(from(std::vector<double>{1, 2})))) == std::vector<double>{3, 4});
  auto moved = log_softmax_of_locals();
  auto kept = std::move(moved);
  CHECK(same_bits(kept.compute(serial{}), got));
}

TEST_CASE("expression: the same on every executor") {
  const array<double> x = from(counting({1000, 7}), {.chunks = {33, 4}});
  const auto e = sqrt(abs(x - 10.0)) + sin(x) * 0.25;
  const auto want = e.compute(serial{});
  CHECK(same_bits(e.compute(), want));
  CHECK(same_bits(e.compute(std_threads{.workers = 3}), want));
  CHECK(same_bits(e.compute(threads{}), want));
  CHECK(same_bits(e.compute(threads{.workers = 5}), want));
  CHECK(same_bits(array<double>(e).compute(threads{.workers = 2}), want));
  CHECK(same_bits(e.compute(serial{}, {.optimize = false}), want));
}

TEST_CASE("expression: several results that depend on each other") {
  const array<int> a = from(std::vector<int>{2, 2});
  const array<int> b = from(std::vector<int>{6, 6});
  const array<int> c = from(std::vector<int>{3, 3});
  const array<int> d = a + b;
  const array<int> e = a + c;
  CHECK(values(d * e - e) == std::vector<int>{35, 35});
  CHECK(values(d * e - d) == std::vector<int>{32, 32});
  const auto [first, second, third] = ashlar::compute(serial{}, d * e - e, d * e - d, d);
  CHECK(values(first) == std::vector<int>{35, 35});
  CHECK(values(second) == std::vector<int>{32, 32});
  CHECK(values(third) == std::vector<int>{8, 8});
  const array<int> three = from(std::vector<int>{3});
  const array<int> one = from(std::vector<int>{1});
  CHECK(values(three - one) == std::vector<int>{2});
  CHECK(values(one - three) == std::vector<int>{-2});
}

TEST_CASE("expression: one array asked for twice, 0-d and empty ones") {
  const array<double> x = from(counting({5}), {.chunks = {2}});
  const array<double> y = x + 1.0;
  const auto [p, q, r] = ashlar::compute(y, y, x + 1.0);
  CHECK(values(p) == std::vector<double>{1, 2, 3, 4, 5});
  CHECK(same_bits(p, q));
  CHECK(same_bits(p, r));
  CHECK(p.data() != q.data());

  const array<double> zero_d = from(ndarray<double>::from(4.0));
  CHECK((zero_d * zero_d).compute().item() == 16.0);
  CHECK((zero_d + 1.0).compute(std_threads{.workers = 2}).shape() == shape{});
  const auto [z, w] = ashlar::compute(zero_d, zero_d);
  CHECK(z.item() == 4.0);
  CHECK(w.item() == 4.0);

  const array<double> none = from(ndarray<double>(shape{0, 4}));
  CHECK((none + 1.0).compute().shape() == shape{0, 4});
  CHECK((none + from(counting({4}))).compute(threads{.workers = 2}).size() == 0);
  CHECK(sqrt(none).persist().compute().shape() == shape{0, 4});
  const auto [m, n] = ashlar::compute(none, none);
  CHECK(m.size() + n.size() == 0);
}

TEST_CASE("expression: views of eager arrays are read as they lie") {
  const ndarray<double> base = counting({6, 8});
  const std::vector<ndarray<double>> views{base.slice(0, 5, -1, -1),
                                           base.slice(1, 0, 8, 3),
                                           base.transpose(),
                                           base.slice(1, 7, -1, -2).slice(0, 1, 6, 2),
                                           base.slice(0, 2, 3, 1).broadcast_to({5, 8}),
                                           base.slice(1, 3, 4, 1)};
  for (const ndarray<double>& v : views) {
    const ndarray<double> dense = v.copy();
    const ndarray<double> want = plain_sum(dense, dense);
    for (const ashlar::chunks& c : {ashlar::chunks{1}, ashlar::chunks{2, 3}, ashlar::chunks{full}}) {
      const array<double> x = from(v, {.chunks = c});
      CHECK(same_bits(x.compute(serial{}), dense));
      CHECK(same_bits((x + x).compute(serial{}), want));
      CHECK(same_bits((x + from(dense, {.chunks = {3, 2}})).compute(std_threads{.workers = 2}), want));
    }
  }
  // bytes: an address one below the first element is no mark of anything
  ndarray<std::int8_t> bytes({300});
  for (std::int64_t i = 0; i < 300; ++i) bytes(i) = static_cast<std::int8_t>(i % 100);
  const ndarray<std::int8_t> reversed = bytes.slice(0, 299, -1, -1);
  CHECK(same_bits((from(reversed, {.chunks = {64}}) + std::int8_t{0}).compute(serial{}), reversed));
}

TEST_CASE("expression: a reversed three-dimensional view in a fused loop") {
  ndarray<double> base({30, 100, 2});
  double next = 0;
  for (double& v : base) v = next++ / 7;
  const ndarray<double> reversed = base.slice(0, 29, -1, -1).slice(2, 0, 1, 1).squeeze(2);
  ndarray<double> want({30, 100});
  for (std::int64_t i = 0; i < 30; ++i) {
    for (std::int64_t j = 0; j < 100; ++j) want(i, j) = base(29 - i, j, 0) - 0.25;
  }
  for (int run = 0; run < 3; ++run) {
    CHECK(same_bits((from(reversed, {.chunks = {7, 33}}) - 0.25).compute(threads{.workers = 3}), want));
  }
}

TEST_CASE("expression: fortran order in and out") {
  const ndarray<double> c = counting({5, 7});
  const shape extents{5, 7};
  ndarray<double> memory(extents);
  const ndarray<double> f(memory.owner(), memory.data(), extents, ashlar::column_major_strides(extents));
  for (std::int64_t i = 0; i < 5; ++i) {
    for (std::int64_t j = 0; j < 7; ++j) f(i, j) = c(i, j);
  }
  CHECK(same_bits((from(f, {.chunks = {2, 3}}) * 1.0).compute(), c));
  ndarray<double> target_memory(extents);
  ndarray<double> out(target_memory.owner(), target_memory.data(), extents, ashlar::column_major_strides(extents));
  (from(c, {.chunks = {2, 3}}) + 0.0).compute_into(std_threads{.workers = 2}, out);
  CHECK(same_bits(out, c));
  CHECK(target_memory.data()[1] == c(1, 0));
}
