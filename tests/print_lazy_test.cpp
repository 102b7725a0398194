#include <ashlar/print_lazy.hpp>

#include <complex>
#include <sstream>
#include <stdexcept>
#include <string>

#include <doctest/doctest.h>

#include <ashlar/creation.hpp>
#include <ashlar/functions.hpp>

using ashlar::array;
using ashlar::zeros;

namespace {

template <class X>
std::string printed(const X& x) {
  std::ostringstream out;
  out << x;
  return out.str();
}

}  // namespace

TEST_CASE("print_lazy: type, shape and blocks") {
  CHECK(printed(zeros<double>({20000, 20000}, {.chunks = {1000, 1000}})) ==
        "array(float64, shape (20000, 20000), 400 blocks of (1000, 1000))");
  CHECK(printed(zeros<bool>({10}, {.chunks = {4}})) == "array(bool, shape (10,), 3 blocks of up to (4,))");
  CHECK(printed(zeros<std::complex<float>>({})) == "array(complex64, shape (), 1 block of ())");
  CHECK(printed(zeros<int>({0, 3})) == "array(int32, shape (0, 3), 1 block of (0, 3))");
  CHECK(printed(zeros<int>({6, 2}, {.chunks = {{1, 5}, 2}})) == "array(int32, shape (6, 2), 2 blocks of up to (5, 2))");
  const auto x = zeros<float>({4, 1}, {.chunks = {2, 1}});
  CHECK(printed(x + zeros<float>({3})) == "expression(float32, shape (4, 3), 2 blocks of (2, 3))");
  CHECK(to_string(x.sum(0)) == "array(float32, shape (1,), 1 block of (1,))");
}

TEST_CASE("print_lazy: computes nothing") {
  const array<double> bad = map([](double) -> double { throw std::runtime_error("computed"); }, zeros<double>({3}));
  CHECK(printed(bad) == "array(float64, shape (3,), 1 block of (3,))");
}
