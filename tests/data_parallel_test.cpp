// One function on several executors: the same results as on one, in the same bits, and errors that name the part.
#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include <ashlar/ashlar.hpp>
#include <ashlar/data_parallel.hpp>

namespace ash = ashlar;

namespace {

template <class T>
bool same_bits(const ash::ndarray<T>& a, const ash::ndarray<T>& b) {
  return a.shape() == b.shape() &&
         (a.size() == 0 || std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.size()) * sizeof(T)) == 0);
}

template <class E, class F>
std::string message(F f) {
  try {
    f();
  } catch (const E& e) {
    return e.what();
  }
  return "nothing was thrown";
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

ash::array<double> numbers(const ash::shape& s, const ash::chunks& c) {
  return ash::random::normal<double>(s, {.mean = 1, .stddev = 3, .seed = 5, .chunks = c});
}

template <class D, class F>
void same_as_one(const D& devices, F f) {
  for (const std::int64_t n : {1, 2, 3, 7, 64}) {
    for (const std::int64_t cut : {1, 3, 64}) {
      CAPTURE(n);
      CAPTURE(cut);
      const auto x = numbers({n, 33}, {cut, 10});
      CHECK(same_bits(ash::data_parallel(f, x, devices).compute(), ash::array<double>(f(x)).compute()));
      const auto t = x.transpose();
      const auto g = [&](const auto& part) { return f(part.transpose()).transpose(); };
      CHECK(same_bits(ash::data_parallel(g, t, devices, 1).compute(), ash::array<double>(g(t)).compute()));
      CHECK(same_bits(ash::data_parallel(g, t, devices, -1).compute(), ash::array<double>(g(t)).compute()));
    }
  }
}

}  // namespace

TEST_CASE("data_parallel gives the bits of f(x), element by element and for reductions over the other axis") {
  const auto affine = [](const auto& part) { return ash::sqrt(ash::abs(part * 3.0 + 0.1)); };
  const auto rows = [](const auto& part) { return part.mean(1, {.keepdims = true}) + part; };
  for (const int count : {1, 2, 3, 8}) {
    CAPTURE(count);
    const auto n = static_cast<std::size_t>(count);
    same_as_one(std::vector<ash::threads>(n, ash::threads{.workers = 2}), affine);
    same_as_one(std::vector<ash::serial>(n), rows);
  }
  same_as_one(std::array<ash::std_threads, 2>{ash::std_threads{.workers = 1}, ash::std_threads{.workers = 3}}, rows);
}

TEST_CASE("parts are as even as can be, and none is empty") {
  const std::vector<ash::serial> devices(3);
  const auto lengths = [&](std::int64_t n) {
    std::vector<std::int64_t> all;
    for (const auto& p : ash::scatter(ash::zeros<float>({n, 2}), devices)) all.push_back(p.shape()[0]);
    return all;
  };
  CHECK(lengths(7) == std::vector<std::int64_t>{3, 2, 2});
  CHECK(lengths(8) == std::vector<std::int64_t>{3, 3, 2});
  CHECK(lengths(3) == std::vector<std::int64_t>{1, 1, 1});
  CHECK(lengths(2) == std::vector<std::int64_t>{1, 1});
  CHECK(lengths(0) == std::vector<std::int64_t>{0});
  CHECK(ash::scatter(ash::zeros<float>({2, 5}), devices, 1)[0].shape() == ash::shape{2, 2});
  CHECK(ash::scatter(ash::zeros<float>({4, 0}), devices)[0].shape() == ash::shape{2, 0});
}

TEST_CASE("arrays without elements keep their shape") {
  const std::vector<ash::threads> devices(2);
  const auto twice = [](const auto& part) { return 2.0 * part; };
  CHECK(ash::data_parallel(twice, ash::zeros<double>({0, 3}), devices).shape() == ash::shape{0, 3});
  CHECK(ash::data_parallel(twice, ash::zeros<double>({3, 0}), devices).compute().shape() == ash::shape{3, 0});
}

TEST_CASE("copies for each executor: of an array, a tuple, a vector") {
  const std::vector<ash::serial> devices(2);
  const auto x = numbers({5, 4}, {2, 2});
  const auto copies = ash::replicate(x + 1, devices);
  REQUIRE(copies.size() == 2);
  CHECK(copies[0].node() != copies[1].node());
  CHECK(same_bits(copies[1].compute(), (x + 1).compute()));
  const auto tuples = ash::replicate(std::tuple{x, ash::arange<int>(0, 3, 1)}, devices);
  CHECK(same_bits(std::get<1>(tuples[1]).compute(), ash::arange<int>(0, 3, 1).compute()));
  const auto vectors = ash::replicate(std::vector{x, x.transpose()}, devices);
  CHECK(vectors[1][1].shape() == ash::shape{4, 5});
  CHECK(ash::replicate(ash::full({}, 2.5), devices)[1].compute().item() == 2.5);
}

TEST_CASE("functions: one for all, one for each; parts that are tuples are arguments") {
  const std::vector<ash::serial> devices(3);
  const auto x = numbers({4, 6}, {2, 4});
  const auto parts = ash::scatter(x, devices);
  std::vector<double> factors{2, 3, 4};
  const auto multiply = [](double by) { return [by](const ash::array<double>& part) { return part * by; }; };
  const std::vector fs{multiply(2), multiply(3), multiply(4)};
  const auto results = ash::parallel_apply(fs, parts, devices);
  CHECK(same_bits(results[2].compute(), (x(ash::slice{3}) * 4.0).compute()));
  const auto two = ash::scatter(x(ash::slice{0, 2}), devices);  // fewer parts than functions
  CHECK(ash::parallel_apply(fs, two, devices).size() == 2);

  const auto w = ash::replicate(numbers({6}, {6}), devices);
  std::vector<std::tuple<ash::array<double>, ash::array<double>>> both;
  for (std::size_t k = 0; k < parts.size(); ++k) both.emplace_back(parts[k], w[k]);
  const auto product = [](const ash::array<double>& part, const ash::array<double>& weights) {
    return (part * weights).sum(1);
  };
  const auto sums = ash::parallel_apply(product, both, devices);
  CHECK(same_bits(ash::gather(sums, ash::place::host()).compute(), (x * w[0]).sum(1).compute()));
  CHECK(ash::parallel_apply(product, std::vector<decltype(both)::value_type>{}, devices).empty());
}

TEST_CASE("tuples of arrays are cut together, and tuples of results put together") {
  const std::vector<ash::threads> devices(3);
  const auto x = numbers({7, 5}, {2, 5});
  const auto y = ash::arange<int>(0, 7, 1);
  const auto f = [](const auto& a, const auto& b) { return std::tuple{a + b(ash::all, ash::newaxis), b * 2}; };
  const auto [sum, twice] = ash::data_parallel(f, std::tuple{x, y}, devices);
  CHECK(same_bits(sum.compute(), (x + y(ash::all, ash::newaxis)).compute()));
  CHECK(same_bits(twice.compute(), (y * 2).compute()));
}

TEST_CASE("the first error is thrown, with its part, when all parts have ended") {
  const std::vector<ash::serial> devices(4);
  const auto x = ash::arange<double>(0, 8, 1);
  const auto f = [](const auto& part) {
    const double first = part.compute(ash::serial{})(0);
    if (first == 2 || first == 6) throw std::domain_error("no rows from " + std::to_string(static_cast<int>(first)));
    return part * 2.0;
  };
  CHECK(message<ash::task_error>([&] { ash::data_parallel(f, x, devices); }) ==
        "data_parallel: part 1 of 4 failed: no rows from 2; of the parts behind it failed 1");
  try {
    ash::parallel_apply(f, ash::scatter(x, devices), devices);
    CHECK(false);
  } catch (const ash::task_error& e) {
    CHECK(has(e.what(), "parallel_apply: part 1 of 4 failed: no rows from 2"));
    CHECK_THROWS_AS(std::rethrow_if_nested(e), std::domain_error);
  }
  const auto other = [](const auto& part) {
    if (part.shape()[0] > 0) throw 3;
    return part * 2.0;
  };
  CHECK(message<ash::task_error>([&] { ash::data_parallel(other, x, std::vector<ash::serial>(1)); }) ==
        "data_parallel: part 0 of 1 failed: an exception that is not a std::exception");
  const auto bad = [](double v) { return v < 5 ? v : throw std::domain_error("too large"); };
  const auto in_run = [&](const auto& part) { return ash::map(bad, part); };
  CHECK(
      has(message<ash::task_error>([&] { ash::data_parallel(in_run, x, devices); }), "part 2 of 4 failed: map, block"));
}

TEST_CASE("what cannot be is refused, with what was given") {
  const std::vector<ash::serial> none;
  const std::vector<ash::serial> devices(2);
  const auto x = numbers({4, 6}, {2, 4});
  const auto same = [](const auto& part) { return part; };
  CHECK(has(message<ash::value_error>([&] { ash::scatter(x, none); }), "scatter: no executors"));
  CHECK(has(message<ash::value_error>([&] { ash::replicate(x, none); }), "replicate: no executors"));
  CHECK(has(message<ash::value_error>([&] { ash::data_parallel(same, x, none); }), "data_parallel: no executors"));
  CHECK(has(message<ash::shape_error>([&] { ash::scatter(x.sum(), devices); }), "shape () has no axis to be cut"));
  CHECK(has(message<ash::axis_error>([&] { ash::scatter(x, devices, 2); }), "scatter"));
  CHECK(has(message<ash::shape_error>([&] {
              ash::scatter(std::tuple{x, x.transpose()}, devices);
            }),
            "scatter: arrays of shapes (4, 6) and (6, 4) are cut together along axis 0"));
  CHECK(has(message<ash::value_error>([&] {
              ash::parallel_apply(same, std::vector{x, x, x}, devices);
            }),
            "parallel_apply: 3 parts for 2 executors"));
  CHECK(has(message<ash::value_error>([&] {
              ash::parallel_apply(std::vector{same, same, same}, std::vector{x, x}, devices);
            }),
            "3 functions, 2 parts and 2 executors"));
  CHECK(has(message<ash::shape_error>([&] {
              ash::gather(std::vector{x, x.transpose().persist()}, devices[0]);
            }),
            "gather along axis 0: part 1 has shape (6, 4) and part 0 (4, 6)"));
  CHECK(has(message<ash::shape_error>([&] { ash::gather(std::vector<ash::array<double>>{}, devices[0]); }),
            "gather: no parts"));
  CHECK(has(message<ash::axis_error>([&] { ash::gather(std::vector{x, x}, devices[0], 2); }), "gather"));
  const auto total = [](const auto& part) { return part.sum(); };
  CHECK(has(message<ash::shape_error>([&] { ash::data_parallel(total, x, devices); }), "part 0 has shape ()"));
}
