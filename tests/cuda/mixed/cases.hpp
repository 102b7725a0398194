/// \file
/// What both halves of the mixed program build: every public way that leads from a type to a kernel. All functions here
/// have internal linkage, so that each half has its own; the library's templates are what the two share, or must not.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <ashlar/ashlar.hpp>

#include "report.hpp"

/// A user's function as a struct; both halves know the same type.
struct scaled {
  using device_callable = void;
  double factor;
  ASHLAR_HD double operator()(double x) const { return factor * x; }
};

/// A user's function that only the host can call.
struct shifted {
  double by;
  double operator()(double x) const { return x + by; }
};

namespace {

template <class T>
void check(report& r, const std::string& name, const ashlar::array<T>& a, double expected, bool device = true) {
  r.entries.push_back(
      {name, a.node()->kernel.descriptor->device != nullptr, device, static_cast<double>(a.compute()(2)), expected});
}

/// The generator that `a` is: a device can fill it where nvcc compiled the call that made it.
template <class T>
void check_generator(report& r, const std::string& name, const ashlar::array<T>& a, double expected,
                     bool device = true) {
  r.entries.push_back(
      {name, a.node()->from->device().fill != nullptr, device, static_cast<double>(a.compute().data()[2]), expected});
}

/// The scan that `a` is.
template <class T>
void check_scan(report& r, const std::string& name, const ashlar::array<T>& a, double expected) {
  r.entries.push_back({name, a.node()->scan->device != nullptr, true, static_cast<double>(a.compute()(2)), expected});
}

/// The reduction that `a` is: its passes over elements and states, and its end.
template <class T>
void check_reduction(report& r, const std::string& name, const ashlar::array<T>& a, double expected,
                     bool device = true) {
  const auto& n = *a.node();
  r.entries.push_back({name, n.reducer->device != nullptr && n.finisher->device != nullptr, device,
                       static_cast<double>(a.compute(ashlar::serial{}).item()), expected});
}

ashlar::array<double> map_with_macro(const ashlar::array<double>& x, double limit) {
  return ashlar::map(ASHLAR_FN((double v) { return v > limit ? v : limit; }), x);
}

report make_report() {
  namespace ash = ashlar;
  report r;
  const ash::array<double> x = ash::from(std::vector<double>{1, 4, 9, 16, 25}, {.chunks = {2}});
  const ash::array<double> y = ash::arange<double>(1, 6, 1, {.chunks = {3}});
  const ash::array<std::int32_t> k = ash::arange<std::int32_t>(0, 5);
  const ash::array<float> h = x.astype<float>();

  // The constructor from an expression, through operators, functions and map.
  check<double>(r, "add", x + y, 12);
  check<double>(r, "arithmetic", (x - y) * 2.0 / y % 7.0, 4);
  check<double>(r, "negative", -x, -9);
  check<bool>(r, "compare", (x > 3.0 && !(y == 2.0)) || x < y, 1);
  check<bool>(r, "compare the others", (x >= 9.0) == ((x <= 9.0) != (k == k)), 0);
  check<double>(r, "functions", ash::sqrt(x) + ash::abs(y) + ash::floor(y) + ash::square(y), 18);
  check<double>(r, "where", ash::where(k, x, 0.5), 9);
  check<double>(r, "clip", ash::clip(x, 2.0, 8.0), 8);
  check<double>(r, "pow", ash::pow(ash::maximum(x, 1.0), ash::minimum(y, 2.0)), 81);
  check<std::int32_t>(r, "integer pow", ash::pow(k, 3), 8);
  check<std::int32_t>(r, "integer pow of an array", ash::pow(k, k), 4, false);  // may have to throw
  check<float>(r, "astype, the member", x.astype<float>(), 9);
  check<float>(r, "astype, the function", ash::astype<float>(x), 9);
  check<double>(r, "promotion", h + k + x, 20);
  check<bool>(r, "logical", ash::logical_xor(ash::isnan(x), ash::isfinite(h)), 1);
  check<double>(r, "map of a struct", ash::map(scaled{0.5}, x), 4.5);
  check<double>(r, "map of a host struct", ash::map(shifted{0.5}, x), 9.5, false);
  check<double>(r, "map of a lambda", ash::map([](double v) { return v + 1; }, x), 10, false);
  check<double>(r, "map of ASHLAR_FN", map_with_macro(x, 12), 12);
  check<double>(r, "a host function within", ash::sqrt(ash::map(shifted{0}, x)) + y, 6, false);
  check<double>(r, "abs of complex", ash::abs(x * std::complex<double>(0, 1)), 9);
  check<double>(r, "exp of complex", ash::abs(ash::exp(x * std::complex<double>(0, 1))), 1, false);
  ash::array<double> z = x;
  z += y;
  check(r, "+=", z, 12);
  z -= y;
  check(r, "-=", z, 9);
  z *= 3;
  check(r, "*=", z, 27);
  z /= y;
  check(r, "/=", z, 9);

  // Generators, by every call that makes one.
  check_generator<double>(r, "zeros", ash::zeros<double>({5}), 0);
  check_generator<float>(r, "ones", ash::ones<float>({5}), 1);
  check_generator<double>(r, "full", ash::full({5}, 2.5), 2.5);
  check_generator<double>(r, "zeros_like", ash::zeros_like(x), 0);
  check_generator<double>(r, "ones_like", ash::ones_like(x + y), 1);
  check_generator<double>(r, "full_like", ash::full_like(x, 4), 4);
  check_generator<double>(r, "arange", y, 3);
  check_generator<std::int32_t>(r, "arange of integers", k, 2);
  check_generator<double>(r, "linspace", ash::linspace<double>(0, 1, 5), 0.5);
  check_generator<double>(r, "eye", ash::eye<double>(3), 0);
  check_generator<double>(r, "tri", ash::tri<double>(3, {.diagonal = 2}), 1);
  check_generator<double>(r, "fromfunction of a host lambda",
                          ash::fromfunction([](std::int64_t i) { return 2.0 * static_cast<double>(i); }, {5}), 4,
                          false);
  check_generator<double>(r, "uniform", ash::random::uniform<double>({5}, {.low = 1, .high = 1.0 + 1e-15}), 1);
  check_generator<double>(r, "normal", ash::random::normal<double>({5}, {.mean = 3, .stddev = 0}), 3);
  check_generator<int>(r, "integers", ash::random::integers<int>({5}, {.low = 6, .high = 7}), 6);

  // Scans: members and functions.
  check_scan<double>(r, "cumsum", x.cumsum(0), 14);
  check_scan<double>(r, "cumprod", ash::cumprod(y, 0), 6);
  check_scan<double>(r, "cummin", ash::cummin(x, 0), 1);
  check_scan<double>(r, "cummax", y.cummax(0), 3);
  check_scan<double>(r, "nancumsum", ash::nancumsum(x, 0), 14);
  check_scan<double>(r, "cumulative_sum", ash::cumulative_sum(x, 0), 14);

  // Reductions: of an array, of an expression, members and functions.
  check_reduction<double>(r, "sum", x.sum(), 55);
  check_reduction<double>(r, "prod", ash::prod(y), 120);
  check_reduction<double>(r, "mean", (x - y).mean(), 8);
  check_reduction<double>(r, "var", ash::var(y), 2);
  check_reduction<double>(r, "std", (y * 2.0).std(), 2.8284271247461903);
  check_reduction<double>(r, "min", ash::sqrt(x).min(), 1);
  check_reduction<double>(r, "max", ash::max(x), 25);
  check_reduction<bool>(r, "any", (x > 20.0).any(), 1);
  check_reduction<bool>(r, "all", ash::all(x > 20.0), 0);
  check_reduction<std::int64_t>(r, "argmin", x.argmin(), 0);
  check_reduction<std::int64_t>(r, "argmax", ash::argmax(x), 4);
  check_reduction<std::int64_t>(r, "count_nonzero", k.count_nonzero(), 4);
  check_reduction<double>(r, "nanmax", ash::nanmax(x), 25);
  check_reduction<double>(r, "nanvar", ash::nanvar(y), 2);
  check_reduction<std::int64_t>(r, "nanargmin, which may throw", ash::nanargmin(x), 0, false);
  const auto [low, mean] = ash::compute(y.min(), (y + 1.0).mean());
  r.entries.push_back({"compute of two", false, false, low.item() + mean.item(), 5});

  r.sizes = {
      sizeof(ash::array<double>),
      sizeof(x + y),
      sizeof(ash::ndarray<float>),
      sizeof(ash::detail::node),
      sizeof(ash::detail::kernel_descriptor),
      sizeof(ash::detail::reducer_descriptor),
      sizeof(ash::detail::kernel),
      sizeof(ash::shape),
      sizeof(ash::block_grid),
      sizeof(ash::detail::user_op<scaled>),
      sizeof(ash::detail::call<ash::detail::add_op, ash::detail::slot<0, double>, ash::detail::constant<double>>),
      sizeof(std::complex<double>),
      sizeof(ash::complex<float>),
      offsetof(ash::detail::kernel_descriptor, device),
      alignof(ash::detail::kernel_descriptor)};
  return r;
}

}  // namespace
