#include <ashlar/ndarray.hpp>

#include <algorithm>
#include <complex>
#include <cstdint>
#include <iterator>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "support/counting.hpp"
#include "support/counting_resource.hpp"
#include "support/failing_resource.hpp"

using ashlar::array_equal;
using ashlar::axis_error;
using ashlar::column_major_strides;
using ashlar::dtype;
using ashlar::dtype_error;
using ashlar::index_error;
using ashlar::memory_error;
using ashlar::ndarray;
using ashlar::shape;
using ashlar::shape_error;
using ashlar::strides;
using ashlar::value_error;
using testing_support::counting;

namespace {

static_assert(std::forward_iterator<ndarray<double>::iterator>);
static_assert(std::is_nothrow_move_constructible_v<ndarray<double>>);
static_assert(!std::is_convertible_v<shape, ndarray<double>>);
static_assert(!std::is_constructible_v<ashlar::detail::nested_list<int>, double>);

std::vector<int> listed(const ndarray<int>& a) { return {a.begin(), a.end()}; }

using ints = ndarray<int>;

}  // namespace

TEST_CASE("a default array is empty and one-dimensional") {
  const ints a;
  CHECK(a.shape() == shape{0});
  CHECK(a.size() == 0);
  CHECK(a.begin() == a.end());
  CHECK(a.copy().shape() == shape{0});
}

TEST_CASE("a new array is row major") {
  const ndarray<double> a(shape{2, 3, 4});
  CHECK(a.strides() == strides{12, 4, 1});
  CHECK(a.ndim() == 3);
  CHECK(a.size() == 24);
  CHECK(a.nbytes() == 192);
  CHECK(a.dtype() == dtype::float64);
  CHECK(a.is_c_contiguous());
  CHECK_FALSE(a.is_f_contiguous());
}

TEST_CASE("an array takes its memory from the given resource") {
  ashlar::test::counting_resource resource;
  {
    const ndarray<double> a(shape{10}, resource);
    CHECK(resource.allocated() == 80);
  }
  CHECK(resource.allocated() == 0);
  ashlar::test::failing_resource failing(0);
  CHECK_THROWS_AS(ndarray<double>(shape{10}, failing), memory_error);
}

TEST_CASE("bytes that overflow 64 bits are refused") {
  CHECK_THROWS_AS(ndarray<double>(shape{std::int64_t{1} << 61}), shape_error);
  CHECK_THROWS_AS(ndarray<double>(shape{std::int64_t{1} << 50}), memory_error);
}

TEST_CASE("from takes braced values of any depth") {
  CHECK(ints::from(5).ndim() == 0);
  CHECK(ints::from(5).item() == 5);
  CHECK(ints::from({}).shape() == shape{0});
  CHECK(ints::from({7}).shape() == shape{1});
  CHECK(ints::from({1, 2, 3}).shape() == shape{3});
  CHECK(ints::from({{1}, {2}}).shape() == shape{2, 1});
  CHECK(ints::from({{1, 2}}).shape() == shape{1, 2});
  CHECK(ints::from({{}, {}}).shape() == shape{2, 0});
  const auto a = ints::from({{{1, 2}, {3, 4}}, {{5, 6}, {7, 8}}});
  CHECK(a.shape() == shape{2, 2, 2});
  CHECK(a(1, 0, 1) == 6);
}

TEST_CASE("from converts numbers as weak scalars") {
  CHECK(ndarray<double>::from({1, 2.5f, true})(1) == 2.5);
  CHECK(ndarray<std::uint8_t>::from({255})(0) == 255);
  CHECK_THROWS_AS(ndarray<std::uint8_t>::from({1, 256}), dtype_error);
  const auto z = ndarray<std::complex<float>>::from({{1, 2}, {std::complex<float>(3, 4), 5}});
  CHECK(z.shape() == shape{2, 2});
  CHECK(z(1, 0) == std::complex<float>(3, 4));
}

TEST_CASE("ragged lists are refused") {
  CHECK_THROWS_WITH_AS(ints::from({{1, 2}, {3}}),
                       "from: the braced lists are ragged: at depth 1 there is a list of length 1 where the first item "
                       "has a list of length 2; the shape so far is (2, 2)",
                       shape_error);
  CHECK_THROWS_AS(ints::from({{1}, 2}), shape_error);
  CHECK_THROWS_AS(ints::from({1, {2}}), shape_error);
  CHECK_THROWS_AS(ints::from({{}, {1}}), shape_error);
}

TEST_CASE("from a vector takes its memory over") {
  std::vector<double> values = {1, 2, 3};
  const double* const data = values.data();
  const auto a = ndarray<double>::from(std::move(values));
  CHECK(a.data() == data);
  CHECK(a.shape() == shape{3});
  const auto flags = ndarray<bool>::from(std::vector<bool>{true, false});
  CHECK(flags(0));
  CHECK_FALSE(flags(1));
  CHECK(ndarray<int>::from(std::vector<int>{}).size() == 0);
}

TEST_CASE("a view refers to the caller's memory") {
  int values[6] = {0, 1, 2, 3, 4, 5};
  const auto a = ints::view(values, {2, 3});
  a(1, 2) = 9;
  CHECK(values[5] == 9);
  CHECK_FALSE(a.owner());
  CHECK(listed(ints::view(values, {3, 2}, {1, 3})) == std::vector{0, 3, 1, 4, 2, 9});
  CHECK_THROWS_AS(ints::view(values, {2, 3}, {1}), shape_error);
}

TEST_CASE("copies of the handle share elements, copy() does not") {
  const auto a = ints::from({1, 2, 3});
  auto b = ints();
  b = a;
  const auto c = a.copy();
  b(0) = 7;
  CHECK(a(0) == 7);
  CHECK(c(0) == 1);
}

TEST_CASE("indices are checked") {
  const auto a = ints::from({{1, 2, 3}, {4, 5, 6}});
  CHECK(a(1, 2) == 6);
  CHECK(a(std::size_t{1}, 0u) == 4);
  CHECK_THROWS_WITH_AS(a(0, 3),
                       "ndarray: index 3 is outside axis 1 of shape (2, 3); indices count from 0 and must be below 3",
                       index_error);
  CHECK_THROWS_AS(a(-1, 0), index_error);
  CHECK_THROWS_AS(a(std::numeric_limits<std::uint64_t>::max(), 0), index_error);
  CHECK_THROWS_WITH_AS(a(1), "ndarray: 1 indices for an array of shape (2, 3), which takes 2", shape_error);
  CHECK_THROWS_AS(a(1, 1, 0), shape_error);
  CHECK(ints::from(4)() == 4);
}

TEST_CASE("item needs exactly one element") {
  CHECK(ints::from({{3}}).item() == 3);
  CHECK_THROWS_WITH_AS(ints::from({1, 2}).item(),
                       "item: an array of shape (2,) has 2 elements; item() needs exactly one", shape_error);
  CHECK_THROWS_AS(ints().item(), shape_error);
}

TEST_CASE("iteration is in C order for any strides") {
  const auto a = counting<int>({2, 3});
  CHECK(listed(a.transpose()) == std::vector{0, 3, 1, 4, 2, 5});
  CHECK(std::count(a.begin(), a.end(), 4) == 1);
  CHECK(listed(ints::from(8)) == std::vector{8});
  CHECK(listed(counting<int>({2, 0, 3})).empty());
  CHECK(listed(counting<int>({2, 1, 2}).transpose()) == std::vector{0, 2, 1, 3});
}

TEST_CASE("transpose takes an order of axes") {
  const auto a = counting<int>({2, 3, 4});
  CHECK(a.transpose().shape() == shape{4, 3, 2});
  const auto b = a.transpose({1, 2, 0});
  CHECK(b.shape() == shape{3, 4, 2});
  CHECK(b(2, 1, 1) == a(1, 2, 1));
  CHECK(a.transpose({-1, 0, 1}).shape() == shape{4, 2, 3});
  CHECK_THROWS_AS(a.transpose({0, 1}), axis_error);
  CHECK_THROWS_AS(a.transpose({0, 1, 1}), axis_error);
  CHECK_THROWS_AS(a.transpose({0, 1, 3}), axis_error);
  CHECK(ints::from(5).transpose().item() == 5);
}

TEST_CASE("slices go up and down") {
  const auto a = counting<int>({10});
  CHECK(listed(a.slice(0, 2, 5)) == std::vector{2, 3, 4});
  CHECK(listed(a.slice(0, 0, 10, 4)) == std::vector{0, 4, 8});
  CHECK(listed(a.slice(0, 8, 1, -3)) == std::vector{8, 5, 2});
  CHECK(listed(a.slice(0, 9, -1, -1)) == std::vector{9, 8, 7, 6, 5, 4, 3, 2, 1, 0});
  CHECK(listed(a.slice(0, 7, 3)).empty());
  CHECK(listed(a.slice(0, 10, 10)).empty());
  CHECK(listed(a.slice(0, 3, 10, std::numeric_limits<std::int64_t>::max())) == std::vector{3});
  CHECK(listed(a.slice(0, 3, -1, std::numeric_limits<std::int64_t>::min())) == std::vector{3});
  CHECK(listed(a.slice(0, 9, -1, -2).slice(0, 4, -1, -2)) == std::vector{1, 5, 9});
  CHECK(listed(counting<int>({2, 3}).slice(-1, 2, -1, -2)) == std::vector{2, 0, 5, 3});
}

TEST_CASE("slices that leave the axis are refused") {
  const auto a = counting<int>({10});
  CHECK_THROWS_WITH_AS(a.slice(0, 5, 11), "slice: start 5, stop 11, step 1 leaves axis 0 of shape (10,)", index_error);
  CHECK_THROWS_AS(a.slice(0, -1, 5), index_error);
  CHECK_THROWS_AS(a.slice(0, 10, 5, -1), index_error);
  CHECK_THROWS_AS(a.slice(0, 0, 5, 0), value_error);
  CHECK_THROWS_AS(a.slice(1, 0, 5), axis_error);
}

TEST_CASE("reshape views contiguous elements and copies others") {
  const auto a = counting<int>({2, 3});
  const auto b = a.reshape({3, 2});
  CHECK(b.data() == a.data());
  CHECK(b(2, 1) == 5);
  const auto c = a.transpose().reshape({6});
  CHECK(c.data() != a.data());
  CHECK(listed(c) == std::vector{0, 3, 1, 4, 2, 5});
  CHECK(counting<int>({1}).reshape({}).item() == 0);
  CHECK(counting<int>({0, 3}).reshape({0}).shape() == shape{0});
  CHECK_THROWS_WITH_AS(a.reshape({4}), "reshape: shape (2, 3) has 6 elements and shape (4,) has 4", shape_error);
}

TEST_CASE("squeeze drops axes of length 1") {
  const auto a = counting<int>({1, 3, 1});
  CHECK(a.squeeze().shape() == shape{3});
  CHECK(a.squeeze(0).shape() == shape{3, 1});
  CHECK(a.squeeze({0, -1}).shape() == shape{3});
  CHECK_THROWS_AS(a.squeeze(1), shape_error);
  CHECK_THROWS_AS(a.squeeze(3), axis_error);
}

TEST_CASE("broadcast_to repeats with stride 0") {
  const auto a = ints::from({{1}, {2}});
  const auto b = a.broadcast_to({2, 2, 3});
  CHECK(b.strides() == strides{0, 1, 0});
  CHECK(listed(b) == std::vector{1, 1, 1, 2, 2, 2, 1, 1, 1, 2, 2, 2});
  CHECK(ints::from(3).broadcast_to({2}).copy().strides() == strides{1});
  CHECK(a.broadcast_to({2, 0}).size() == 0);
  CHECK_THROWS_AS(a.broadcast_to({3, 1}), shape_error);
  CHECK_THROWS_AS(a.broadcast_to({2}), shape_error);
  CHECK_THROWS_AS(ints::from({1, 2}).broadcast_to({1}), shape_error);
}

TEST_CASE("contiguity ignores axes of length 1, and empty arrays are contiguous") {
  const auto a = counting<int>({4, 6});
  CHECK(a.transpose().is_f_contiguous());
  CHECK_FALSE(a.transpose().is_c_contiguous());
  CHECK_FALSE(a.slice(1, 0, 6, 2).is_c_contiguous());
  CHECK(a.slice(0, 1, 3).is_c_contiguous());
  CHECK(a.slice(0, 1, 2).slice(1, 0, 3).is_c_contiguous());
  CHECK(a.slice(0, 2, 2).slice(1, 0, 6, 2).is_c_contiguous());
  CHECK(ints::from(1).is_f_contiguous());
  CHECK(a.contiguous().data() == a.data());
  CHECK(a.transpose().contiguous().is_c_contiguous());
}

TEST_CASE("copy and assign follow the strides of both sides") {
  for (const shape& extents :
       {shape{}, shape{1}, shape{7}, shape{50, 70}, shape{70, 3}, shape{5, 40, 33}, shape{2, 3, 4, 5}}) {
    const auto a = counting<int>(extents);
    CAPTURE(extents.to_string());
    const auto t = a.transpose();
    CHECK(array_equal(t.copy(), t));
    CHECK(t.copy().is_c_contiguous());
    const ndarray<int> backing(extents);
    const ndarray<int> target(backing.owner(), backing.data(), extents, column_major_strides(extents));
    target.assign(a);
    CHECK(array_equal(target, a));
    CHECK(listed(target) == listed(a));
    if (extents.ndim() == 0) continue;
    const auto backward = a.slice(0, extents[0] - 1, -1, -1);
    CHECK(listed(backward.copy()) == listed(backward));
    CHECK(listed(backward.transpose().copy()) == listed(backward.transpose()));
  }
  CHECK_THROWS_WITH_AS(counting<int>({3}).assign(counting<int>({1})),
                       "assign: elements of shape (1,) do not fill an array of shape (3,); use broadcast_to first",
                       shape_error);
}

TEST_CASE("every order of four axes copies right") {
  const auto a = counting<int>({3, 34, 2, 35});
  std::vector<int> order = {0, 1, 2, 3};
  do {
    const auto view = a.transpose({order[0], order[1], order[2], order[3]});
    CHECK(listed(view.copy()) == listed(view));
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST_CASE("fill sets exactly the elements of a view") {
  const auto a = ints::full({3, 4}, 1);
  a.slice(1, 3, -1, -2).fill(5);
  CHECK(listed(a) == std::vector{1, 5, 1, 5, 1, 5, 1, 5, 1, 5, 1, 5});
  counting<int>({0, 2}).fill(1);
  const auto scalar = ints::full({}, 3);
  scalar.fill(4);
  CHECK(scalar.item() == 4);
}

TEST_CASE("array_equal compares shapes and elements") {
  const auto a = counting<int>({2, 3});
  CHECK(array_equal(a, a.copy()));
  CHECK(array_equal(a, a.transpose().copy().transpose()));
  CHECK_FALSE(array_equal(a, counting<int>({3, 2})));
  CHECK_FALSE(array_equal(ints::from({1, 2}), ints::from({1, 3})));
  CHECK(array_equal(counting<int>({0, 3}), counting<int>({0, 3})));
  CHECK_FALSE(array_equal(counting<int>({0, 3}), counting<int>({3, 0})));
  const auto nan = ndarray<double>::from({std::numeric_limits<double>::quiet_NaN()});
  CHECK_FALSE(array_equal(nan, nan));
}

TEST_CASE("booleans take one byte each") {
  const auto a = ndarray<bool>::from({{true, false}, {false, true}});
  CHECK(a.nbytes() == 4);
  CHECK(a(1, 1));
  CHECK(reinterpret_cast<const std::uint8_t*>(a.data())[3] == 1);
}
