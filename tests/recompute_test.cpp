// Arrays that are made again in each pass: the same bits, without the memory.
#include <doctest/doctest.h>

#include <cstdint>
#include <cstring>

#include <ashlar/array.hpp>
#include <ashlar/blockwise.hpp>
#include <ashlar/creation.hpp>
#include <ashlar/functions.hpp>
#include <ashlar/graph/lower.hpp>
#include <ashlar/recompute.hpp>
#include <ashlar/reductions.hpp>
#include <ashlar/std_threads.hpp>

namespace ash = ashlar;

namespace {

ash::array<double> numbers() {
  return ash::fromfunction([](std::int64_t i, std::int64_t j) { return static_cast<double>((i * 7 + j * 3) % 23) / 4; },
                           {64, 40}, {.chunks = {8, 10}});
}

/// Bytes of blocks that one worker holds at most, by the plan.
template <class X>
std::int64_t peak(const X& x) {
  return ash::detail::make_plan({x.node()}, 1)->stats.serial_bytes;
}

template <class T>
bool same_bits(const ash::ndarray<T>& a, const ash::ndarray<T>& b) {
  return a.shape() == b.shape() && std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.nbytes())) == 0;
}

constexpr std::int64_t array_bytes = 64 * 40 * 8;

}  // namespace

TEST_CASE("what two passes read is kept, or made again: the same bits") {
  const ash::array<double> y = ash::sqrt(numbers());
  const ash::array<double> z = ash::recompute(y);
  const ash::array<double> kept = (y - y.mean()).max();
  const ash::array<double> anew = (z - z.mean()).max();
  CHECK(peak(kept) >= array_bytes);
  CHECK(peak(anew) < array_bytes / 4);
  CHECK(same_bits(kept.compute(ash::serial{}), anew.compute(ash::serial{})));
  CHECK(same_bits(kept.compute(ash::serial{}), anew.compute(ash::std_threads{.workers = 3})));
}

TEST_CASE("element-wise arrays below are made again with it, results of reductions are not") {
  const ash::array<double> x = numbers();
  const ash::array<double> a = x + 1.0;
  const ash::array<double> b = a * a.mean(0);
  const ash::array<double> y = ash::recompute(ash::sqrt(b));
  const ash::array<double> result = (y - y.mean()).sum();
  const ash::array<double> plain = [&] {
    const ash::array<double> s = ash::sqrt(b);
    return ash::array<double>((s - s.mean()).sum());
  }();
  CHECK(peak(result) < peak(plain));
  CHECK(same_bits(result.compute(ash::serial{}), plain.compute(ash::serial{})));
}

TEST_CASE("it is also a result, also an operand that is spread, also cut off by a function of blocks") {
  const ash::array<double> y = ash::recompute(ash::sqrt(numbers()));
  const auto [whole, mean] = ash::compute(ash::serial{}, y, y.mean(0));
  CHECK(same_bits(whole, ash::sqrt(numbers()).compute(ash::serial{})));
  CHECK(mean.shape() == ash::shape{40});
  const ash::array<double> row = ash::recompute(ash::exp(numbers().mean(0)));
  const ash::array<double> spread = (numbers() * row).sum() + (numbers() + row).sum() + row.sum();
  CHECK(spread.compute(ash::std_threads{.workers = 2}).item() ==
        spread.compute(ash::serial{}, {.optimize = false}).item());
  const auto doubled = ash::map_blocks(
      [](const ash::ndarray<const double>& b) {
        ash::ndarray<double> r(b.shape());
        for (std::int64_t i = 0; i < b.shape()[0]; ++i) {
          for (std::int64_t j = 0; j < b.shape()[1]; ++j) r(i, j) = 2 * b(i, j);
        }
        return r;
      },
      y);
  CHECK(ash::array<double>(doubled.sum() - 2.0 * y.sum()).compute(ash::serial{}).item() == doctest::Approx(0));
}

TEST_CASE("more passes and steps than one tape holds are kept again") {
  ash::array<double> y = numbers();
  for (int k = 0; k < 100; ++k) y = ash::recompute(ash::sqrt(y + 1.0));
  const ash::array<double> result = (y - y.mean()).max();
  const ash::array<double> plain = result;
  CHECK(result.compute(ash::serial{}).item() == plain.compute(ash::serial{}, {.optimize = false}).item());
}

TEST_CASE("sources stay as they are; other results are refused") {
  const ash::array<double> x = numbers();
  CHECK(ash::recompute(x).node() == x.node());
  CHECK_THROWS_WITH_AS(ash::recompute(x.mean(0)),
                       "recompute: the array comes from mean; only element-wise operations, and generators, are made "
                       "anew for each pass, so apply it to what is made of that array",
                       ash::value_error);
}
