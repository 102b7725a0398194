#include <doctest/doctest.h>

#include <complex>
#include <type_traits>

#include <ashlar/ashlar.hpp>

#include "support/item.hpp"

namespace ash = ashlar;
using testing_support::item;

namespace {

template <class X, class T>
constexpr bool gives = std::is_same_v<typename X::value_type, T>;

template <class T>
bool equal(const ash::array<T>& x, const ash::ndarray<T>& expected) {
  return ash::array_equal(x.compute(ash::serial{}), expected);
}

template <class T>
ash::array<T> table() {  // 0 … 23 as (2, 3, 4)
  return ash::from(ash::arange<T>(24).compute(ash::serial{}).reshape({2, 3, 4}), {.chunks = {1, 2, 3}});
}

}  // namespace

TEST_CASE("the type of each reduction follows from the element type alone") {
  const auto bytes = ash::zeros<std::uint8_t>({2});
  const auto small = ash::zeros<std::int16_t>({2});
  const auto flags = ash::zeros<bool>({2});
  const auto singles = ash::zeros<float>({2});
  const auto doubles = ash::zeros<double>({2});
  const auto waves = ash::zeros<std::complex<float>>({2});
  CHECK(gives<decltype(bytes.sum()), std::uint64_t>);
  CHECK(gives<decltype(small.sum()), std::int64_t>);
  CHECK(gives<decltype(flags.sum()), std::int64_t>);
  CHECK(gives<decltype(flags.prod()), std::int64_t>);
  CHECK(gives<decltype(singles.sum()), float>);
  CHECK(gives<decltype(doubles.sum()), double>);
  CHECK(gives<decltype(waves.sum()), std::complex<float>>);
  CHECK(gives<decltype(bytes.mean()), double>);
  CHECK(gives<decltype(flags.mean()), double>);
  CHECK(gives<decltype(singles.mean()), float>);
  CHECK(gives<decltype(waves.mean()), std::complex<float>>);
  CHECK(gives<decltype(small.var()), double>);
  CHECK(gives<decltype(singles.std()), float>);
  CHECK(gives<decltype(waves.std()), float>);
  CHECK(gives<decltype(small.min()), std::int16_t>);
  CHECK(gives<decltype(flags.max()), bool>);
  CHECK(gives<decltype(doubles.any()), bool>);
  CHECK(gives<decltype(waves.all()), bool>);
  CHECK(gives<decltype(waves.count_nonzero()), std::int64_t>);
  CHECK(gives<decltype(bytes.argmin()), std::int64_t>);
  CHECK(ash::sum(bytes).compute(ash::serial{}).dtype() == ash::dtype::uint64);
}

TEST_CASE("members and free functions are the same") {
  const auto x = table<double>();
  CHECK(equal(ash::sum(x, 0), x.sum(0).compute(ash::serial{})));
  CHECK(item(ash::mean(x)) == item(x.mean()));
  CHECK(item(ash::prod(x + 1.0)) == 620448401733239439360000.0);
  CHECK(item(ash::min(x)) == 0);
  CHECK(item(ash::max(x)) == 23);
  CHECK(item(ash::var(x)) == doctest::Approx(47.916666666666664));
  CHECK(item(ash::std(x)) == doctest::Approx(6.922186552431729));
  CHECK(item(ash::any(x)));
  CHECK(!item(ash::all(x)));
  CHECK(item(ash::count_nonzero(x)) == 23);
  CHECK(item(ash::argmin(x)) == 0);
  CHECK(item(ash::argmax(x)) == 23);
}

TEST_CASE("one axis, several, all, none, and negative ones") {
  const auto x = table<std::int64_t>();
  CHECK(equal(x.sum(0), ash::ndarray<std::int64_t>::from({{12, 14, 16, 18}, {20, 22, 24, 26}, {28, 30, 32, 34}})));
  CHECK(equal(x.sum(1), ash::ndarray<std::int64_t>::from({{12, 15, 18, 21}, {48, 51, 54, 57}})));
  CHECK(equal(x.sum(2), ash::ndarray<std::int64_t>::from({{6, 22, 38}, {54, 70, 86}})));
  CHECK(equal(x.sum(-1), x.sum(2).compute(ash::serial{})));
  CHECK(equal(x.sum({0, 2}), ash::ndarray<std::int64_t>::from({60, 92, 124})));
  CHECK(equal(x.sum({-1, 0}), ash::ndarray<std::int64_t>::from({60, 92, 124})));
  CHECK(item(x.sum()) == 276);
  CHECK(item(x.sum({0, 1, 2})) == 276);
  CHECK(x.sum().shape() == ash::shape{});
  CHECK(equal(x.sum(ash::axes::none()), x.compute(ash::serial{})));
}

TEST_CASE("keepdims leaves the reduced axes with extent 1") {
  const auto x = table<std::int64_t>();
  CHECK(x.sum(1, {.keepdims = true}).shape() == ash::shape{2, 1, 4});
  CHECK(x.sum(ash::all_axes, {.keepdims = true}).shape() == ash::shape{1, 1, 1});
  CHECK(x.argmax(ash::all_axes, {.keepdims = true}).shape() == ash::shape{1, 1, 1});
  CHECK(item(x.sum(ash::all_axes, {.keepdims = true})) == 276);
  CHECK(item((x - x.mean(1, {.keepdims = true})).sum()) == 0);
  CHECK(equal(x.max({0, 2}, {.keepdims = true}), ash::ndarray<std::int64_t>::from({{{15}, {19}, {23}}})));
}

TEST_CASE("a reduction over an axis of length 1 takes its elements") {
  const auto x = ash::from(ash::ndarray<int>::from({{1}, {2}}));
  CHECK(equal(x.sum(1), ash::ndarray<std::int64_t>::from({1, 2})));
  CHECK(equal(x.prod(1), ash::ndarray<std::int64_t>::from({1, 2})));
  const auto ones = ash::ones<double>({3, 3, 1}, {.chunks = {2, 2, 1}});
  CHECK(equal(ones.max({-2, 0}), ash::ndarray<double>::from({1.0})));
}

TEST_CASE("integers accumulate in 64 bits and wrap there") {
  CHECK(item(ash::full(ash::shape{300}, std::int8_t{100}, {.chunks = 7}).sum()) == 30000);
  CHECK(item(ash::ones<std::uint8_t>({5000}, {.chunks = 1000}).sum()) == 5000);
  CHECK(item(ash::full(ash::shape{1000}, std::uint8_t{255}, {.chunks = 100}).mean()) == 255.0);
  const std::int32_t most = std::numeric_limits<std::int32_t>::max();
  CHECK(item(ash::full(ash::shape{2}, most).mean()) == 2147483647.0);
  const std::int64_t top = std::numeric_limits<std::int64_t>::max();
  CHECK(item(ash::full(ash::shape{2}, top, {.chunks = 1}).sum()) == -2);
  CHECK(item(ash::full(ash::shape{4}, top, {.chunks = 1}).mean()) == 9223372036854775808.0);
  CHECK(item(ash::full(ash::shape{65}, std::int64_t{2}).prod()) == 0);
  CHECK(item(ash::full(ash::shape{64}, std::uint64_t{3}, {.chunks = 5}).prod()) == 8733086111712066817u);
  CHECK(item(ash::ones<bool>({70}, {.chunks = 9}).sum()) == 70);
  CHECK(item(ash::full(ash::shape{2}, std::uint64_t{1} << 63).sum()) == 0);
}

TEST_CASE("float32 accumulates in float64 and rounds once") {
  const auto many = ash::full(ash::shape{30'000'000}, 1.0f, {.chunks = 1 << 20});
  const auto [sum, mean, deviation] =
      ash::compute(ash::threads{.workers = 2}, many.sum(ash::all_axes, {.keepdims = true}), many.mean(), many.std());
  CHECK(sum.shape() == ash::shape{1});
  CHECK(sum.item() == 30'000'000.0f);  // a float accumulator stops at 2^24
  CHECK(mean.item() == 1.0f);
  CHECK(deviation.item() == 0.0f);
  CHECK(item(ash::full(ash::shape{3}, 3e38f).mean()) == 3e38f);
  CHECK(std::isinf(item(ash::full(ash::shape{3}, 3e38f).sum())));
}

TEST_CASE("complex sums and products go by parts") {
  using c = std::complex<double>;
  const auto x = ash::from(ash::ndarray<c>::from({c{1, 2}, c{3, -1}, c{0, 1}}), {.chunks = 2});
  CHECK(item(x.sum()) == c{4, 2});
  CHECK(item(x.prod()) == c{-5, 5});
  CHECK(item(x.mean()) == c{4.0 / 3, 2.0 / 3});
  CHECK(item(x.count_nonzero()) == 3);
  CHECK(item(x.all()));
}

TEST_CASE("the value does not depend on the chunks, exactly for integers") {
  const auto values = ash::arange<std::int32_t>(1000).compute(ash::serial{}).reshape({20, 50});
  for (const int block : {1, 3, 7, 16, 50}) {
    CHECK(item(ash::from(values, {.chunks = block}).sum()) == 499500);
    CHECK(item(ash::from(values, {.chunks = block}).std()) == doctest::Approx(288.6749902572095).epsilon(1e-14));
  }
}

TEST_CASE("split_every changes no value, and must be a power of two") {
  const auto x = ash::arange<double>(0, 100, 1, {.chunks = 3});
  for (const int split : {2, 4, 8, 16, 1024}) CHECK(item(x.sum(0, {.split_every = split})) == 4950);
  for (const int split : {-2, 0, 1, 3, 12}) {
    CHECK_THROWS_WITH_AS(x.sum(0, {.split_every = split}), doctest::Contains("power of two"), ash::value_error);
  }
}

TEST_CASE("an axis that is not there, or named twice, is an error that names the call and the shape") {
  const auto x = ash::zeros<double>({3, 3, 1});
  CHECK_THROWS_WITH_AS(x.max(3), doctest::Contains("(3, 3, 1)"), ash::axis_error);
  CHECK_THROWS_WITH_AS(x.max({0, 0}), doctest::Contains("max"), ash::axis_error);
  CHECK_THROWS_WITH_AS(x.mean(-4), doctest::Contains("mean"), ash::axis_error);
  CHECK_THROWS_WITH_AS(x.argmin({0, 1}), doctest::Contains("argmin"), ash::axis_error);
}

TEST_CASE("a 0-d array reduces to itself") {
  const auto x = ash::full(ash::shape{}, 7.0);
  CHECK(item(x.sum()) == 7);
  CHECK(item(x.max()) == 7);
  CHECK(item(x.argmax()) == 0);
  CHECK(item(x.var()) == 0);
  CHECK(item(x.count_nonzero()) == 1);
}

TEST_CASE("results are written through any strides") {
  const auto x = table<double>();
  ash::ndarray<double> columns(ash::shape{4, 2});
  ash::ndarray<double> out = columns.transpose();
  x.sum(1).compute_into(ash::std_threads{.workers = 2}, out);
  CHECK(ash::array_equal(out, x.sum(1).compute(ash::serial{})));
  ash::ndarray<std::int8_t> reversed(ash::shape{3});
  ash::ndarray<std::int8_t> view = reversed.slice(0, 2, -1, -1);
  ash::from(ash::ndarray<std::int8_t>::from({{1, 2, 3}, {6, 5, 4}}), {.chunks = 2})
      .max(0)
      .compute_into(ash::serial{}, view);
  CHECK(ash::array_equal(reversed, ash::ndarray<std::int8_t>::from({4, 5, 6})));
}

TEST_CASE("a reduction of a reduction, and of what was made from one") {
  const auto x = table<double>();
  CHECK(item(x.sum(0).sum(0).sum(0)) == 276);
  CHECK(item(x.max(2).min()) == 3);
  CHECK(item(((x - x.mean(0)) / x.std(0)).sum()) == doctest::Approx(0).epsilon(1e-12));
  CHECK(item((x - x.mean()).var()) == doctest::Approx(47.916666666666664));
}
