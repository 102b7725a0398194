// What goes wrong says what was asked, with which shapes, and what would be right. Most of it at the line that is
// wrong.
#include <ashlar/ashlar.hpp>
#include <exception>
#include <iostream>
#include <stdexcept>

namespace ash = ashlar;

template <class Error, class F>
void expect(F f) {
  try {
    f();
  } catch (const Error& e) {  // each is an ash::error, and that a std::runtime_error
    std::cout << "- " << e.what() << '\n';
  }
}

int main() {
  const auto x = ash::ones<double>({4, 6}, {.chunks = {2, 3}});

  expect<ash::shape_error>([&] { x + ash::ones<double>({4, 5}); });
  expect<ash::axis_error>([&] { x.mean(2); });
  expect<ash::chunk_error>([&] { ash::zeros<double>({4, 6}, {.chunks = {{2, 3}, 6}}); });
  expect<ash::value_error>([&] { ash::arange<double>(0, 1, 0); });
  expect<ash::dtype_error>([&] { ash::ones<std::int8_t>({3}) + 1000; });
  expect<ash::shape_error>([&] { ash::ones<double>({0, 3}).max(0); });
  expect<ash::index_error>([&] { x.compute()(4, 0); });
  expect<ash::error>([&] { x.mean(0, {.split_every = 3}); });  // the root catches all

  // A failure inside the run is a task_error; what the function threw is nested in it.
  const ash::array<double> y =
      ash::map([](double v) -> double { throw std::domain_error("no logarithm of " + std::to_string(v)); }, x);
  try {
    y.compute(ash::serial{});
  } catch (const ash::task_error& e) {
    std::cout << "- " << e.what() << '\n';
    try {
      std::rethrow_if_nested(e);
    } catch (const std::domain_error& cause) {
      std::cout << "  because: " << cause.what() << '\n';
    }
  }
}

// clang-format off
// Output:
// - add: shapes (4, 6) and (4, 5) do not broadcast: axis -1 has length 6 in one and 5 in the other; lengths must agree or be 1
// - mean: axis 2 is out of range for an array of 2 axes with shape (4, 6): axes go from -2 to 1
// - zeros: the block lengths of axis 0 add up to 5, but the axis has length 4 (shape (4, 6))
// - arange: the step is 0; it must be a number other than 0
// - add: the value 1000 does not fit int8, which holds -128 to 127; cast the array to a wider type first
// - max: an array of shape (0, 3) has no elements along axis 0, so it has no max; every reduced axis needs at least one element
// - ndarray: index 4 is outside axis 0 of shape (4, 6); indices count from 0 and must be below 4
// - mean: split_every is 3; it is a power of two, 2 or more, so that every value walks the same tree
// - map, block (0, 0) of (2, 2), on host, from ...errors.cpp:33: no logarithm of 1.000000
//   because: no logarithm of 1.000000
