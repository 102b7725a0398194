#include <ashlar/array.hpp>
#include <ashlar/creation.hpp>
#include <ashlar/functions.hpp>

#include <complex>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include <doctest/doctest.h>

#include "support/lazy_check.hpp"

using ashlar::array;
using ashlar::from;
using ashlar::value_type_t;
using cf = std::complex<float>;
using cd = std::complex<double>;

namespace {

template <class T>
array<T> of(std::vector<T> v) {
  return from(std::move(v));
}

template <class A, class B>
using sum_t = value_type_t<decltype(std::declval<array<A>>() + std::declval<array<B>>())>;
template <class A, class S>
using weak_sum_t = value_type_t<decltype(std::declval<array<A>>() + std::declval<S>())>;
template <class A, class B>
using quotient_t = value_type_t<decltype(std::declval<array<A>>() / std::declval<array<B>>())>;

// arrays: NumPy 2's table
static_assert(std::is_same_v<sum_t<bool, bool>, bool>);
static_assert(std::is_same_v<sum_t<bool, std::int8_t>, std::int8_t>);
static_assert(std::is_same_v<sum_t<std::int8_t, std::uint8_t>, std::int16_t>);
static_assert(std::is_same_v<sum_t<std::int32_t, std::uint32_t>, std::int64_t>);
static_assert(std::is_same_v<sum_t<std::int64_t, std::uint64_t>, double>);
static_assert(std::is_same_v<sum_t<std::int16_t, float>, float>);
static_assert(std::is_same_v<sum_t<std::int32_t, float>, double>);
static_assert(std::is_same_v<sum_t<float, double>, double>);
static_assert(std::is_same_v<sum_t<float, cf>, cf>);
static_assert(std::is_same_v<sum_t<double, cf>, cd>);
static_assert(std::is_same_v<sum_t<std::int64_t, cf>, cd>);

// numbers are weak
static_assert(std::is_same_v<weak_sum_t<float, double>, float>);
static_assert(std::is_same_v<weak_sum_t<float, int>, float>);
static_assert(std::is_same_v<weak_sum_t<std::int8_t, int>, std::int8_t>);
static_assert(std::is_same_v<weak_sum_t<std::uint64_t, int>, std::uint64_t>);
static_assert(std::is_same_v<weak_sum_t<std::int8_t, double>, double>);
static_assert(std::is_same_v<weak_sum_t<bool, int>, std::int64_t>);
static_assert(std::is_same_v<weak_sum_t<float, cd>, cf>);
static_assert(std::is_same_v<weak_sum_t<int, cd>, cd>);

// functions
static_assert(std::is_same_v<quotient_t<int, int>, double>);
static_assert(std::is_same_v<quotient_t<float, float>, float>);
static_assert(std::is_same_v<quotient_t<bool, bool>, double>);
static_assert(std::is_same_v<value_type_t<decltype(sqrt(std::declval<array<int>>()))>, double>);
static_assert(std::is_same_v<value_type_t<decltype(sin(std::declval<array<float>>()))>, float>);
static_assert(std::is_same_v<value_type_t<decltype(exp(std::declval<array<cf>>()))>, cf>);
static_assert(std::is_same_v<value_type_t<decltype(abs(std::declval<array<cf>>()))>, float>);
static_assert(std::is_same_v<value_type_t<decltype(abs(std::declval<array<cd>>()))>, double>);
static_assert(std::is_same_v<value_type_t<decltype(floor(std::declval<array<int>>()))>, int>);
static_assert(std::is_same_v<value_type_t<decltype(std::declval<array<int>>() == 1)>, bool>);
static_assert(std::is_same_v<value_type_t<decltype(pow(std::declval<array<int>>(), 2))>, int>);
static_assert(std::is_same_v<value_type_t<decltype(pow(std::declval<array<int>>(), -2.0))>, double>);
static_assert(std::is_same_v<value_type_t<decltype(pow(std::declval<array<std::uint64_t>>(), 2))>, std::uint64_t>);
static_assert(std::is_same_v<
              value_type_t<decltype(pow(std::declval<array<std::uint64_t>>(), std::declval<array<std::int64_t>>()))>,
              double>);
static_assert(std::is_same_v<
              value_type_t<decltype(where(std::declval<array<bool>>(), std::declval<array<float>>(), 1.0))>, float>);
static_assert(std::is_same_v<value_type_t<decltype(where(std::declval<array<bool>>(), 1, 2.5))>, double>);
static_assert(std::is_same_v<value_type_t<decltype(clip(std::declval<array<int>>(), 0, 2.5))>, double>);
static_assert(std::is_same_v<value_type_t<decltype(std::declval<array<double>>().astype<std::int8_t>())>, std::int8_t>);
static_assert(std::is_same_v<array<long long>::value_type, long long>);
static_assert(std::is_same_v<weak_sum_t<long long, int>, long long>);

}  // namespace

TEST_CASE("promotion: values of mixed element types") {
  CHECK(values(of<std::int8_t>({-1}) + of<std::uint8_t>({255})) == std::vector<std::int16_t>{254});
  CHECK(values(of<std::int64_t>({-1}) + of<std::uint64_t>({1})) == std::vector<double>{0});
  CHECK(values(of<float>({0.5f}) * 2.0) == std::vector<float>{1});
  CHECK(values(of<float>({1}) + of<double>({1e-9})) == std::vector<double>{1 + 1e-9});
  CHECK(values(of<std::int32_t>({16777217}) + of<float>({0})) == std::vector<double>{16777217});
  CHECK(values(of<int>({1, 2}) + 0.5) == std::vector<double>{1.5, 2.5});
  CHECK(values(of<float>({1}) + cd{0, 1}) == std::vector<cf>{{1, 1}});
  CHECK(values(of<bool>({true, false}) * 3.0) == std::vector<double>{3, 0});
  CHECK(values(of<double>({1}) + of<cf>({{0, 1}})) == std::vector<cd>{{1, 1}});
  CHECK(values(of<std::int64_t>({3}) * of<cf>({{0, 1}})) == std::vector<cd>{{0, 3}});
}

TEST_CASE("promotion: a weak integer must fit") {
  const array<std::int8_t> small = of<std::int8_t>({1});
  const std::string text = message_of<ashlar::dtype_error>([&] { small + 300; });
  CHECK(contains(text, "add"));
  CHECK(contains(text, "300"));
  CHECK(contains(text, "int8"));
  CHECK(contains(text, "-128 to 127"));
  CHECK_THROWS_AS(300 * small, ashlar::dtype_error);
  CHECK_THROWS_AS(static_cast<void>(small == 300), ashlar::dtype_error);
  CHECK_THROWS_AS(of<std::uint8_t>({1}) - -1, ashlar::dtype_error);
  CHECK_THROWS_AS(maximum(of<std::uint64_t>({1}), -1), ashlar::dtype_error);
  CHECK_THROWS_AS(pow(small, 300), ashlar::dtype_error);
  CHECK_THROWS_AS(where(of<bool>({true}), small, 1000), ashlar::dtype_error);
  CHECK(values(small + 127) == std::vector<std::int8_t>{-128});
  CHECK(values(of<std::uint64_t>({1}) + 18446744073709551614u) == std::vector<std::uint64_t>{18446744073709551615u});
  CHECK(values(small + 300.0) == std::vector<double>{301});
}

TEST_CASE("promotion: astype converts as C++ does, and everything but zero is true") {
  CHECK(values(of<double>({1.9, -1.9}).astype<int>()) == std::vector<int>{1, -1});
  CHECK(values(astype<float>(of<double>({0.1}))) == std::vector<float>{0.1f});
  CHECK(values(of<double>({0, 0.5}).astype<bool>()) == std::vector<bool>{false, true});
  CHECK(values(of<cd>({{0, 0}, {0, 2}}).astype<bool>()) == std::vector<bool>{false, true});
  CHECK(values(of<int>({300}).astype<std::uint8_t>()) == std::vector<std::uint8_t>{44});
  CHECK(values(of<int>({2}).astype<cd>()) == std::vector<cd>{{2, 0}});
  CHECK(values(of<cd>({{1, 2}}).astype<cf>()) == std::vector<cf>{{1, 2}});
  CHECK(values((of<int>({1, 2}) + 1).astype<double>() / 2) == std::vector<double>{1, 1.5});
  CHECK(values(of<bool>({true}).astype<double>()) == std::vector<double>{1});
}

TEST_CASE("promotion: powers of integers by exponent") {
  const array<int> base = of<int>({1, 2, 3});
  CHECK(values(pow(base, -2.0)) == std::vector<double>{1, 0.25, 1.0 / 9});
  const std::string text = message_of<ashlar::value_error>([&] { pow(base, -2); });
  CHECK(contains(text, "pow"));
  CHECK(contains(text, "-2"));
  CHECK(contains(text, "astype<double>"));
  CHECK(values(pow(base, 3)) == std::vector<int>{1, 8, 27});
  CHECK(values(pow(2, base)) == std::vector<int>{2, 4, 8});
  CHECK(values(pow(base, 0)) == std::vector<int>{1, 1, 1});
  CHECK(values(pow(of<std::uint8_t>({2, 3}), of<std::uint8_t>({9, 5}))) == std::vector<std::uint8_t>{0, 243});
  CHECK(values(pow(of<int>({2}), of<std::uint8_t>({10}))) == std::vector<int>{1024});
  CHECK(values(pow(of<std::uint64_t>({2}), of<std::int64_t>({-1}))) == std::vector<double>{0.5});
  CHECK(values(pow(of<std::uint64_t>({3}), 2)) == std::vector<std::uint64_t>{9});
  CHECK(values(pow(of<bool>({true, false}), of<bool>({false, true}))) == std::vector<bool>{true, false});
  CHECK(values(pow(of<std::int64_t>({3}), of<float>({2}))) == std::vector<double>{9});
  CHECK(values(pow(of<cd>({{0, 1}}), of<std::int64_t>({2})))[0].real() == doctest::Approx(-1));
  CHECK(values(pow(of<cf>({{0, 1}}), 2.0))[0].real() == doctest::Approx(-1));
  CHECK(values(pow(of<std::int64_t>({4}), 0.5)) == std::vector<double>{2});
  try {
    (pow(base, base - 3)).compute();
    FAIL("a negative exponent passed");
  } catch (const ashlar::task_error& e) {
    CHECK(contains(e.what(), "pow"));
    CHECK_THROWS_AS(std::rethrow_if_nested(e), ashlar::value_error);
  }
}
