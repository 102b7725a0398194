#include <ashlar/map_overlap.hpp>

#include <atomic>
#include <complex>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <ashlar/ashlar.hpp>
#include <ashlar/delayed_arrays.hpp>

#include "support/counted_array.hpp"
#include "support/lazy_check.hpp"

namespace ash = ashlar;
using ash::array;
using ash::axes;
using ash::block_info;
using ash::boundary;
using ash::halo_block;
using ash::map_overlap;
using ash::ndarray;
using ash::shape;

namespace {

const auto padded = [](const auto& u) { return u.padded().copy(); };

/// What a function sees of 1 2 3 in one block with two elements around it.
template <class T = double>
std::vector<T> seen(boundary beyond, std::int64_t depth = 2, std::vector<T> x = {1, 2, 3}) {
  const auto n = static_cast<std::int64_t>(x.size()) + 2 * depth;
  const auto whole = ash::from(ndarray<T>::from(std::move(x)), {.chunks = ash::full});
  return values(map_overlap(padded, whole, {.depth = depth, .boundary = beyond, .chunks = {n}}));
}

void sum_of_five(halo_block<double> u, ndarray<double> out) {
  const std::int64_t columns = out.shape()[1];
  for (std::int64_t i = 0; i < out.shape()[0]; ++i) {
    const double* const middle = u.row(i);
    for (std::int64_t j = 0; j < columns; ++j) {
      out.data()[i * columns + j] = middle[j] + middle[j - 1] + middle[j + 1] + u(i - 1, j) + u(i + 1, j);
    }
  }
}

}  // namespace

TEST_CASE("map_overlap: each boundary is that of NumPy's pad") {
  using list = std::vector<double>;
  CHECK(seen(boundary::constant(7)) == list{7, 7, 1, 2, 3, 7, 7});
  CHECK(seen(boundary::edge) == list{1, 1, 1, 2, 3, 3, 3});
  CHECK(seen(boundary::reflect) == list{3, 2, 1, 2, 3, 2, 1});
  CHECK(seen(boundary::symmetric) == list{2, 1, 1, 2, 3, 3, 2});
  CHECK(seen(boundary::wrap) == list{2, 3, 1, 2, 3, 1, 2});
  CHECK(seen(boundary::nearest) == seen(boundary::edge));
  CHECK(seen(boundary::periodic) == seen(boundary::wrap));
}

TEST_CASE("map_overlap: a depth longer than the axis repeats as NumPy's pad does") {
  using list = std::vector<double>;
  CHECK(seen(boundary::edge, 4) == list{1, 1, 1, 1, 1, 2, 3, 3, 3, 3, 3});
  CHECK(seen(boundary::reflect, 5) == list{2, 1, 2, 3, 2, 1, 2, 3, 2, 1, 2, 3, 2});
  CHECK(seen(boundary::symmetric, 5) == list{2, 3, 3, 2, 1, 1, 2, 3, 3, 2, 1, 1, 2});
  CHECK(seen(boundary::wrap, 5) == list{2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2});
  for (const boundary& b : {boundary::edge, boundary::reflect, boundary::symmetric, boundary::wrap}) {
    CHECK(seen(b, 2, {5}) == list{5, 5, 5, 5, 5});
  }
}

TEST_CASE("map_overlap: of two boundaries the later axis has the corner") {
  const auto x = counted({1, 1}, {1});
  const auto corner = [&](const ash::boundaries& beyond) {
    return values(map_overlap(padded, x, {.depth = 1, .boundary = beyond, .chunks = {3}}));
  };
  using list = std::vector<double>;
  CHECK(corner({boundary::constant(1), boundary::constant(2)}) == list{2, 1, 2, 2, 0, 2, 2, 1, 2});
  CHECK(corner({boundary::constant(1), boundary::edge}) == list{1, 1, 1, 0, 0, 0, 1, 1, 1});
  CHECK(corner({boundary::wrap, boundary::constant(2)}) == list{2, 0, 2, 2, 0, 2, 2, 0, 2});
}

TEST_CASE("map_overlap: without padding the blocks at the ends have less around them") {
  const auto x = counted({7}, {3});
  const auto sizes = [](halo_block<double> u, ndarray<double> out) {
    out.fill(static_cast<double>(100 * u.before(0) + u.after(0)));
    CHECK(u.padded().size() == out.size() + u.before(0) + u.after(0));
  };
  CHECK(values(map_overlap(sizes, x, {.depth = {{2, 1}}, .boundary = boundary::none})) ==
        std::vector<double>{1, 1, 1, 201, 201, 201, 200});
  CHECK(values(map_overlap(sizes, x, {.depth = 4, .boundary = boundary::none})) ==
        std::vector<double>{4, 4, 4, 301, 301, 301, 400});
}

TEST_CASE("map_overlap: indices count from the block") {
  const auto x = counted({4, 6}, {{1, 3}, 2});
  const auto y = map_overlap(sum_of_five, x, {.depth = 1, .boundary = boundary::constant(0.0)});
  CHECK(y.shape() == x.shape());
  CHECK(y.chunks() == x.chunks());
  CHECK(values(y) == std::vector<double>{7,  10, 14, 18, 22, 20, 25, 35, 40, 45, 50, 43,
                                         49, 65, 70, 75, 80, 67, 49, 70, 74, 78, 82, 62});
  const auto three = [](halo_block<double> u, ndarray<double> out) {
    CHECK(u.ndim() == 3);
    CHECK(u.shape() == out.shape());
    CHECK(u.block().shape() == out.shape());
    CHECK(u.strides()[2] == 1);
    out.fill(u(-1, 0, 1) - u.row(-1, 0)[1]);
  };
  const auto cube = counted({2, 2, 2}, {1});
  CHECK(values(map_overlap(three, cube, {.depth = 1, .boundary = boundary::wrap})) == std::vector<double>(8, 0.0));
}

TEST_CASE("map_overlap: without depth it is map_blocks") {
  const auto x = counted({4, 6}, {2, 3});
  const auto same = [](const auto& u) { return u.block(); };
  CHECK(values(map_overlap(same, x, {})) == values(x));
  CHECK(values(map_overlap(same, x, {.depth = {0, 0}, .boundary = boundary::wrap, .trim = true})) == values(x));
  const auto twice = map_overlap(
      [](const halo_block<double>& u) {
        CHECK(u.padded().is_c_contiguous());
        return ash::ndarray<double>::full({2 * u.shape()[0], u.shape()[1]}, u(0, 0));
      },
      x, {.chunks = {4, ash::keep}});
  CHECK(twice.shape() == shape{8, 6});
  CHECK(twice.sum().compute().item() == 24 * (0 + 3 + 12 + 15) / 2);
}

TEST_CASE("map_overlap: what is returned with a halo may be trimmed") {
  const auto x = counted({5, 4}, {{2, 3}, 3});
  const auto negative = [](const auto& u) {
    auto out = u.padded().copy();
    for (double& v : out) v = -v;
    return out;
  };
  for (const boundary& b : {boundary::none, boundary::edge, boundary::wrap, boundary::constant(9)}) {
    const auto y = map_overlap(negative, x, {.depth = {{2, 1}, {0, 3}}, .boundary = b, .trim = true});
    CHECK(values(y) == values(-x));
  }
  const auto one = counted({2, 3}, {ash::full});
  CHECK_THROWS_WITH_AS(
      map_overlap([](const auto& u) { return u.block(); }, one, {.depth = 1, .boundary = boundary::edge, .trim = true})
          .compute(),
      doctest::Contains("gave a block of shape (2, 3), and it has shape (4, 5) with the halo"), ash::task_error);
  CHECK_THROWS_WITH_AS(map_overlap(sum_of_five, x, {.depth = 1, .boundary = boundary::edge, .trim = true}),
                       doctest::Contains("nothing to trim"), ash::value_error);
  CHECK_THROWS_WITH_AS(map_overlap(padded, one, {.depth = 1, .boundary = boundary::edge}).compute(),
                       doctest::Contains("gave a block of shape (4, 5), and it has shape (2, 3)"), ash::task_error);
}

TEST_CASE("map_overlap: a new axis, and dropped ones") {
  // a new first axis beside axes with a halo
  const auto ones = ash::ones<double>({4, 20, 20}, {.chunks = {4, 10, 10}});
  const auto stacked = map_overlap(
      [](halo_block<double> u) {
        const auto block = u.padded();
        ndarray<double> out({2, block.shape()[0], block.shape()[1], block.shape()[2]});
        out.fill(block(0, 0, 0));
        return out;
      },
      ones,
      {.depth = {0, 2, 2},
       .boundary = boundary::none,
       .trim = true,
       .chunks = {2, ash::keep, ash::keep, ash::keep},
       .new_axis = 0});
  CHECK(stacked.shape() == shape{2, 4, 20, 20});
  CHECK(stacked.compute().shape() == shape{2, 4, 20, 20});
  CHECK(stacked.sum().compute().item() == 2 * 4 * 20 * 20);
  // a mean over an axis that goes away
  const auto mean = map_overlap(
      [](halo_block<double> u, ndarray<double> out) {
        CHECK(u.shape()[0] == 5);
        for (std::int64_t j = 0; j < out.size(); ++j) {
          double sum = 0;
          for (std::int64_t i = 0; i < 5; ++i) sum += u(i, j - 2) + u(i, j + 2);
          out.data()[j] = sum / 10;
        }
      },
      ash::ones<double>({5, 10}, {.chunks = {2, 4}}), {.depth = {0, 2}, .boundary = boundary::edge, .drop_axis = 0});
  CHECK(values(mean) == std::vector<double>(10, 1.0));
  // with something around the whole of it
  const auto ends = map_overlap(
      [](halo_block<double> u, ndarray<double> out) {
        for (std::int64_t j = 0; j < out.size(); ++j) out.data()[j] = u(-1, j) + 100 * u(3, j);
      },
      counted({3, 2}, {1}), {.depth = {1, 0}, .boundary = boundary::wrap, .drop_axis = 0});
  CHECK(values(ends) == std::vector<double>{4, 105});
}

TEST_CASE("map_overlap: two depths of one array in one run") {
  const auto x = ash::ones<double>({12}, {.chunks = {4}});
  const auto same = [](const auto& u) { return u.block(); };
  const auto [one, two] = ash::compute(ash::serial{}, map_overlap(same, x, {.depth = 1, .boundary = boundary::none}),
                                       map_overlap(same, x, {.depth = 2, .boundary = boundary::none}));
  CHECK(one.shape() == shape{12});
  CHECK(two.shape() == shape{12});
}

TEST_CASE("map_overlap: a convolution whose halo is wider than blocks, in the last blocks too") {
  const auto x = counted({10, 10, 10}, {{1, 1, 7, 1}, {4, 5, 1}, {9, 1}});
  const auto weight = [](std::int64_t i, std::int64_t j, std::int64_t k) {
    return static_cast<double>(1 + 7 * i + 3 * j + k);
  };
  const auto convolve = [&](halo_block<double> u, ndarray<double> out) {
    for (std::int64_t i = 0; i < u.shape()[0]; ++i) {
      for (std::int64_t j = 0; j < u.shape()[1]; ++j) {
        for (std::int64_t k = 0; k < u.shape()[2]; ++k) {
          double sum = 0;
          for (std::int64_t a = -1; a <= 1; ++a) {
            for (std::int64_t b = -2; b <= 2; ++b) {
              for (std::int64_t c = -1; c <= 1; ++c) sum += weight(a, b, c) * u(i - a, j - b, k - c);
            }
          }
          out(i, j, k) = sum;
        }
      }
    }
  };
  const auto y = map_overlap(convolve, x, {.depth = {1, 2, 1}, .boundary = boundary::constant(0)}).compute();
  const ndarray<double> data = x.compute();
  const auto inside = [](std::int64_t i) { return i >= 0 && i < 10; };
  for (std::int64_t i = 0; i < 10; ++i) {
    for (std::int64_t j = 0; j < 10; ++j) {
      for (std::int64_t k = 0; k < 10; ++k) {
        double sum = 0;
        for (std::int64_t a = -1; a <= 1; ++a) {
          for (std::int64_t b = -2; b <= 2; ++b) {
            for (std::int64_t c = -1; c <= 1; ++c) {
              if (inside(i - a) && inside(j - b) && inside(k - c)) sum += weight(a, b, c) * data(i - a, j - b, k - c);
            }
          }
        }
        REQUIRE(y(i, j, k) == sum);
      }
    }
  }
}

TEST_CASE("map_overlap: several arrays, each with a halo, are cut alike and broadcast") {
  const auto x = counted({4, 6}, {2, 3});
  const auto row = counted({6}, {{1, 5}});
  const auto column = counted({4, 1}, {{3, 1}, 1});
  const auto f = [](halo_block<double> a, halo_block<double> b, halo_block<double> c, ndarray<double> out) {
    CHECK(c.before(0) == 1);
    CHECK(c.before(1) == 0);  // stretched: nothing is around it
    CHECK(c.shape()[1] == 1);
    for (std::int64_t i = 0; i < out.shape()[0]; ++i) {
      for (std::int64_t j = 0; j < out.shape()[1]; ++j) {
        out.data()[i * out.shape()[1] + j] = a(i, j - 1) + 100 * b(j + 1) + 10000 * c(i - 1, 0);
      }
    }
  };
  const auto y = map_overlap(f, x, row, column, {.depth = 1, .boundary = boundary::wrap}).compute();
  for (std::int64_t i = 0; i < 4; ++i) {
    for (std::int64_t j = 0; j < 6; ++j) {
      CHECK(y(i, j) == static_cast<double>(6 * i + (j + 5) % 6 + 100 * ((j + 1) % 6) + 10000 * ((i + 3) % 4)));
    }
  }
  const auto four = [](const auto& a, const auto& b, const auto& c, const auto& d) {
    return ndarray<double>::full(a.shape(), a(0, 0) + b(0, 0) + c(0, 0) + d(0, 0));
  };
  CHECK(values(map_overlap(four, x, x, x, x, {.depth = 1, .boundary = boundary::edge}).sum()) ==
        std::vector<double>{4 * 6 * (0 + 3 + 12 + 15)});
  CHECK_THROWS_AS(map_overlap([](const auto& a, const auto&) { return a.block(); }, x, counted({5}, {5}), {}),
                  ash::shape_error);
}

TEST_CASE("map_overlap: types of elements, results and constants") {
  using list = std::vector<std::int16_t>;
  CHECK(seen<std::int16_t>(boundary::constant(-3), 1, {1, 2}) == list{-3, 1, 2, -3});
  CHECK(seen<std::int16_t>(boundary::constant(4.0), 1, {1, 2}) == list{4, 1, 2, 4});
  CHECK(seen<float>(boundary::constant(2.5), 1, {1}) == std::vector<float>{2.5F, 1, 2.5F});
  CHECK(seen<bool>(boundary::constant(true), 1, {false}) == std::vector<bool>{true, false, true});
  CHECK(seen<std::uint64_t>(boundary::constant(~std::uint64_t{0}), 1, {1}).front() == ~std::uint64_t{0});
  using complex = std::complex<double>;
  CHECK(seen<complex>(boundary::constant(complex(1, 2)), 1, {{3, 4}}).back() == complex(1, 2));
  CHECK(seen<complex>(boundary::reflect, 1, {{3, 4}, {5, 6}}).front() == complex(5, 6));
  CHECK_THROWS_WITH_AS(seen<std::uint8_t>(boundary::constant(256), 1), doctest::Contains("256 is no value of uint8"),
                       ash::dtype_error);
  CHECK_THROWS_WITH_AS(seen<std::uint8_t>(boundary::constant(-1), 1), doctest::Contains("-1 is no value of uint8"),
                       ash::dtype_error);
  CHECK_THROWS_AS(seen<std::int64_t>(boundary::constant(0.5), 1), ash::dtype_error);
  CHECK_THROWS_AS(seen<std::int64_t>(boundary::constant(1e19), 1), ash::dtype_error);
  CHECK_THROWS_AS(seen<bool>(boundary::constant(2), 1, {true}), ash::dtype_error);
  CHECK_THROWS_AS(seen<double>(boundary::constant(complex(1, 2)), 1), ash::dtype_error);
  const auto positive = map_overlap(
      [](halo_block<double> u, ndarray<bool> out, const block_info& at) {
        CHECK(at.inputs[0].shape == u.shape());
        CHECK(at.inputs[0].offset == at.result.offset);
        for (std::int64_t i = 0; i < out.size(); ++i) out.data()[i] = u(i + 1) > u(i - 1);
      },
      counted({4}, {3}), {.depth = 1, .boundary = boundary::wrap});
  static_assert(std::is_same_v<decltype(positive)::value_type, bool>);
  CHECK(values(positive) == std::vector<bool>{false, true, true, false});
}

TEST_CASE("map_overlap: what cannot be is refused before the run") {
  const auto x = counted({4, 6}, {2, 3});
  const auto same = [](const auto& u) { return u.block(); };
  CHECK_THROWS_WITH_AS(map_overlap(same, x, {.depth = 1}), doctest::Contains("add .boundary"), ash::value_error);
  CHECK_THROWS_WITH_AS(map_overlap(same, x, {.depth = {1, -1}, .boundary = boundary::edge}),
                       doctest::Contains("axis 1 is -1 before and -1 after"), ash::value_error);
  CHECK_THROWS_WITH_AS(map_overlap(same, x, {.depth = {1, 1, 1}, .boundary = boundary::edge}),
                       doctest::Contains("depth has 3 entries for arrays of 2 axes"), ash::value_error);
  CHECK_THROWS_WITH_AS(map_overlap(same, x, {.depth = 1, .boundary = {boundary::edge, boundary::wrap, boundary::edge}}),
                       doctest::Contains("boundary has 3 entries"), ash::value_error);
  CHECK_THROWS_AS(map_overlap(same, x, {.depth = std::int64_t{1} << 62, .boundary = boundary::edge}), ash::shape_error);
  CHECK_THROWS_AS(map_overlap(same, x, {.drop_axis = 2}), ash::axis_error);
  CHECK_THROWS_AS(map_overlap(same, x, {.chunks = {{1, 1, 1}, 3}}), ash::chunk_error);
}

TEST_CASE("map_overlap: empty arrays and blocks") {
  std::atomic<int> calls{0};
  const auto count = [&](const auto& u) {
    ++calls;
    return u.block();
  };
  CHECK(
      map_overlap(count, counted({0, 3}, {ash::full, 1}), {.depth = 1, .boundary = boundary::wrap}).compute().shape() ==
      shape{0, 3});
  CHECK(calls == 0);
  CHECK(values(map_overlap(count, counted({3}, {{0, 2, 0, 1}}), {.depth = 2, .boundary = boundary::reflect})) ==
        std::vector<double>{0, 1, 2});
  CHECK(calls == 2);
  const auto nothing = counted({0}, {ash::full});
  CHECK_THROWS_WITH_AS(map_overlap(padded, nothing, {.depth = 1, .boundary = boundary::edge, .chunks = {2}}),
                       doctest::Contains("axis 0 of array 0, of shape (0,), is empty"), ash::shape_error);
  CHECK(values(map_overlap(padded, nothing, {.depth = 1, .boundary = boundary::constant(4), .chunks = {2}})) ==
        std::vector<double>{4, 4});
  const auto number = ash::from(ndarray<double>::from(3.0));
  CHECK(map_overlap(count, number, {.depth = 1, .boundary = boundary::edge}).compute().item() == 3);
  // around an empty block lie elements too
  const auto around = [](halo_block<double> u) { return u(-1) + 10 * u(0); };
  CHECK(values(map_overlap(around, counted({3}, {{1, 0, 2}}),
                           {.depth = 1, .boundary = boundary::wrap, .chunks = {1}})) == std::vector<double>{2, 10, 10});
}

TEST_CASE("map_overlap: of what delayed calls give, and over memory that it reads") {
  const ash::delayed make([](double v) { return ndarray<double>::full({2}, v); });
  const auto d = ash::from_delayed(std::vector{make(1.0), make(2.0), make(3.0)}, {6}, {.chunks = {2}});
  const auto next = [](halo_block<double> u, ndarray<double> out) {
    for (std::int64_t i = 0; i < out.size(); ++i) out(i) = u(i + 1);
  };
  const ash::map_overlap_options options{.depth = {{0, 1}}, .boundary = boundary::wrap};
  CHECK(values(map_overlap(next, d, options)) == std::vector<double>{1, 2, 2, 3, 3, 1});
  const ndarray<double> data = ndarray<double>::from({1, 2, 3, 4, 5});
  map_overlap(next, ash::from(data, {.chunks = {2}}), options).compute_into(data);
  CHECK(values(ash::from(data)) == std::vector<double>{2, 3, 4, 5, 1});
}

TEST_CASE("map_overlap: an error names the function, the block and the line") {
  const auto x = counted({4, 6}, {2, 3});
  const auto fails = [](halo_block<double> u, ndarray<double> out) {
    if (u(0, 0) == 15) throw std::runtime_error("fifteen");
    out.fill(0);
  };
  const auto y = map_overlap(fails, x, {.depth = 1, .boundary = boundary::edge, .name = "blur"});
  const int line = __LINE__ - 1;
  const std::size_t before = ash::host_memory().allocated();
  for (const int workers : {1, 2, 3}) {
    try {
      static_cast<void>(y.compute(ash::std_threads{.workers = workers}));
      FAIL("it did not throw");
    } catch (const ash::task_error& e) {
      const std::string text = e.what();
      CAPTURE(text);
      CHECK(contains(text, "blur, block (1, 1) of (2, 2)"));
      CHECK(contains(text, "map_overlap_test.cpp:" + std::to_string(line)));
      CHECK(contains(text, "fifteen"));
    }
  }
  CHECK(ash::host_memory().allocated() == before);
}
