#include <ashlar/functions.hpp>
#include <ashlar/random.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "support/lazy_check.hpp"

using ashlar::array;
using ashlar::full;
using ashlar::ndarray;
using ashlar::serial;
using ashlar::value_error;
namespace random_arrays = ashlar::random;

namespace {

template <class Make>
void check_chunkings(Make make) {
  const auto whole = make(ashlar::chunks{full}).compute(serial{});
  for (const std::int64_t c : chunk_lengths()) {
    const auto x = make(ashlar::chunks{c});
    CHECK(same_bits(whole, x.compute(serial{})));
    CHECK(same_bits(whole, x.compute(ashlar::std_threads{.workers = 3})));
    CHECK(same_bits(whole, x.persist(serial{}).compute(serial{})));
  }
  CHECK(same_bits(whole, make(ashlar::chunks{full}).compute(serial{})));
}

}  // namespace

TEST_CASE("random: numbers do not depend on chunks, workers or the call") {
  check_chunkings([](const ashlar::chunks& c) {
    return random_arrays::normal<double>({300}, {.mean = 10, .stddev = 0.1, .chunks = c});
  });
  check_chunkings(
      [](const ashlar::chunks& c) { return random_arrays::normal<float>({300}, {.seed = 3, .chunks = c}); });
  check_chunkings([](const ashlar::chunks& c) {
    return random_arrays::uniform<double>({17, 19}, {.low = -1, .high = 2, .chunks = c});
  });
  check_chunkings([](const ashlar::chunks& c) { return random_arrays::uniform<float>({300}, {.chunks = c}); });
  check_chunkings([](const ashlar::chunks& c) {
    return random_arrays::integers<std::int32_t>({300}, {.low = -5, .high = 7, .chunks = c});
  });
  check_chunkings([](const ashlar::chunks& c) {
    return random_arrays::integers<std::uint64_t>({3, 5, 20}, {.chunks = c});
  });
}

TEST_CASE("random: equal calls give equal numbers, other seeds, parameters and distributions do not") {
  const auto base = random_arrays::normal<double>({50}).compute();
  CHECK(same_bits(base, random_arrays::normal<double>({50}, {.seed = 0}).compute()));
  CHECK_FALSE(same_bits(base, random_arrays::normal<double>({50}, {.seed = 1}).compute()));
  const auto [a, b, c] = ashlar::compute(random_arrays::normal<double>({50}, {.seed = 1}) * 1.0,
                                         random_arrays::normal<double>({50}, {.seed = 2}) * 1.0,
                                         random_arrays::normal<double>({50}, {.mean = 1, .seed = 1}) * 1.0);
  CHECK_FALSE(same_bits(a, b));
  CHECK_FALSE(same_bits(a, c));
  CHECK(same_bits(a, random_arrays::normal<double>({50}, {.seed = 1}).compute()));
  // one lazy array read twice is one array
  const array<double> x = random_arrays::uniform<double>({50}, {.chunks = {7}});
  CHECK(values(x - x) == std::vector<double>(50, 0));
  CHECK(x.compute()(0) == x.compute()(0));
  // a prefix stays when the array grows
  const auto longer = random_arrays::normal<double>({90}).compute();
  for (std::int64_t i = 0; i < 50; ++i) CHECK(longer(i) == base(i));
}

TEST_CASE("random: ranges and moments") {
  const auto u = random_arrays::uniform<double>({100000}, {.low = -1, .high = 3});
  CHECK(u.min().compute().item() >= -1);
  CHECK(u.max().compute().item() < 3);
  CHECK(u.mean().compute().item() == doctest::Approx(1).epsilon(0.02));
  const auto n = random_arrays::normal<double>({100000}, {.mean = 10, .stddev = 0.1});
  CHECK(n.mean().compute().item() == doctest::Approx(10).epsilon(0.001));
  CHECK(n.std().compute().item() == doctest::Approx(0.1).epsilon(0.02));
  const auto k = random_arrays::integers<std::int8_t>({10000}, {.low = -3, .high = 4});
  CHECK(k.min().compute().item() == -3);
  CHECK(k.max().compute().item() == 3);
  CHECK(values(random_arrays::normal<double>({3}, {.mean = 5, .stddev = 0})) == std::vector<double>{5, 5, 5});
  CHECK(values(random_arrays::integers<int>({3}, {.low = 4, .high = 5})) == std::vector<int>{4, 4, 4});
  const auto whole = random_arrays::integers<std::int64_t>({1000}, {.low = std::numeric_limits<std::int64_t>::min()});
  CHECK(whole.min().compute().item() < -(std::int64_t{1} << 60));
  CHECK(whole.max().compute().item() > (std::int64_t{1} << 60));
  CHECK(random_arrays::normal<double>({0, 3}).compute().size() == 0);
  CHECK(std::isfinite(random_arrays::uniform<double>({}).compute().item()));
}

TEST_CASE("random: parameters outside the domain are refused") {
  const double inf = std::numeric_limits<double>::infinity();
  CHECK(contains(message_of<value_error>([] { random_arrays::normal<double>({2}, {.stddev = -1}); }),
                 "random::normal: the standard deviation is -1"));
  CHECK_THROWS_AS(random_arrays::normal<double>({2}, {.stddev = std::nan("")}), value_error);
  CHECK(contains(message_of<value_error>([] { random_arrays::normal<float>({2}, {.stddev = -1e-9}); }), "-1e-09"));
  CHECK(contains(message_of<value_error>([] { random_arrays::uniform<double>({2}, {.low = 2, .high = 1}); }),
                 "low is 2 and high is 1; low must be less than high"));
  CHECK_THROWS_AS(random_arrays::uniform<double>({2}, {.low = 1, .high = 1}), value_error);
  CHECK_THROWS_AS(random_arrays::uniform<double>({2}, {.low = 0, .high = inf}), value_error);
  CHECK_THROWS_AS(random_arrays::uniform<float>({2}, {.low = 0, .high = 1e300}), value_error);
  CHECK_THROWS_AS(random_arrays::uniform<double>({2}, {.low = -1.7e308, .high = 1.7e308}), value_error);
  CHECK(contains(message_of<value_error>([] { random_arrays::integers<int>({2}, {.low = 3, .high = 3}); }),
                 "random::integers"));
}
