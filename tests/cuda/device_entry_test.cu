// Runs the device entries of kernels on a GPU and compares with the host entries of the same kernels, element by
// element: equal bits for + - * / sqrt, comparisons, selections, conversions and integers, at most 4 ulp apart for the
// others. Returns 77 (skipped) where there is no device. By hand:
//
//   nvcc -std=c++20 --extended-lambda -O2 -arch=native -Iinclude tests/gpu/device_entry_test.cu -o device_entry_test &&
//   ./device_entry_test
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <limits>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "device_check.hpp"

#include <ashlar/array.hpp>
#include <ashlar/creation.hpp>
#include <ashlar/functions.hpp>

namespace ash = ashlar;

struct scaled {
  using device_callable = void;
  double factor;
  ASHLAR_HD double operator()(double x) const { return factor * x; }
};

namespace {

using device_check::expect;
using device_check::must;

class device_memory {
 public:
  explicit device_memory(std::size_t bytes) { must(cudaMalloc(&data_, bytes == 0 ? 1 : bytes), "cudaMalloc"); }
  device_memory(const device_memory&) = delete;
  device_memory(device_memory&& other) noexcept : data_(other.data_) { other.data_ = nullptr; }
  ~device_memory() { static_cast<void>(cudaFree(data_)); }
  void* get() const { return data_; }

 private:
  void* data_ = nullptr;
};

/// Distance in representable numbers; the same for both zeros and any two NaN.
template <class T>
double distance(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(a) || std::isnan(b))
      return std::isnan(a) && std::isnan(b) ? 0 : std::numeric_limits<double>::infinity();
    using bits = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
    const auto place = [](T v) {
      bits i;
      std::memcpy(&i, &v, sizeof v);
      return i < 0 ? std::numeric_limits<bits>::min() - i : i;
    };
    if (std::isinf(a) != std::isinf(b)) return std::numeric_limits<double>::infinity();
    const bits pa = place(a);
    const bits pb = place(b);
    if ((pa < 0) != (pb < 0)) return std::fabs(static_cast<double>(pa) - static_cast<double>(pb));
    return std::fabs(static_cast<double>(pa - pb));
  } else {
    return std::memcmp(&a, &b, sizeof a) == 0 ? 0 : 1;
  }
}

/// What the device and the host made of an element.
template <class T>
std::string values_text(T on_device, T on_host) {
  if constexpr (std::is_floating_point_v<T>) {
    char text[96];
    std::snprintf(text, sizeof text, "; device %a, host %a", static_cast<double>(on_device),
                  static_cast<double>(on_host));
    return text;
  } else {
    return "";
  }
}

/// The float64 inputs of an element, exactly.
std::string inputs_at(const ash::detail::node& node, std::int64_t at) {
  std::string text;
  for (const ash::detail::node_ptr& input : node.inputs) {
    if (at < 0 || input->type != ash::dtype::float64) continue;
    char digits[40];
    std::snprintf(digits, sizeof digits, " %a", static_cast<const double*>(input->from->memory()->data)[at]);
    text += digits;
  }
  return text.empty() ? text : "; inputs" + text;
}

/// Runs the kernel of `a`, whose inputs are views of memory, in both places.
template <class T>
void check(const std::string& name, const ash::array<T>& a, double ulps) {
  const ash::detail::node& node = *a.node();
  const ash::detail::kernel_descriptor& d = *node.kernel.descriptor;
  expect(d.device != nullptr,
         name + " has a device entry" + (d.obstacle != nullptr ? std::string(", but: ") + d.obstacle : ""));
  if (d.device == nullptr) return;
  const std::int64_t n = a.size();
  const auto count = static_cast<std::size_t>(n);
  std::vector<const void*> on_host;
  std::vector<const void*> on_device;
  std::vector<device_memory> owners;
  for (const ash::detail::node_ptr& input : node.inputs) {
    const void* data = input->from->memory()->data;
    const std::size_t bytes = count * static_cast<std::size_t>(ash::itemsize(input->type));
    owners.emplace_back(bytes);
    must(cudaMemcpy(owners.back().get(), data, bytes, cudaMemcpyHostToDevice), "cudaMemcpy");
    on_host.push_back(data);
    on_device.push_back(owners.back().get());
  }
  ash::ndarray<T> expected(a.shape());
  ash::ndarray<T> got(a.shape());
  node.kernel(on_host.data(), expected.data(), n);

  cudaStream_t stream{};
  must(cudaStreamCreate(&stream), "cudaStreamCreate");
  const device_memory out(count * sizeof(T));
  std::vector<void*> table{out.get()};
  for (const void* in : on_device) table.push_back(const_cast<void*>(in));
  std::int64_t stride[ash::detail::max_kernel_inputs][ash::detail::device_axes] = {};
  for (auto& s : stride) s[0] = 1;
  ash::detail::device_elementwise work;
  work.ndim = 1;
  work.extent[0] = n;
  work.out_stride[0] = 1;
  work.in_stride = stride;
  work.table = table.data();
  work.items = 1;
  d.device(node.kernel.parameters.get(), work, stream);
  must(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  must(cudaMemcpy(got.data(), out.get(), count * sizeof(T), cudaMemcpyDeviceToHost), "cudaMemcpy");
  must(cudaStreamDestroy(stream), "cudaStreamDestroy");

  double worst = 0;
  std::int64_t at = -1;
  for (std::int64_t i = 0; i < n; ++i) {
    const double off = distance(got.data()[i], expected.data()[i]);
    if (off > worst) {
      worst = off;
      at = i;
    }
  }
  expect(worst <= ulps, name + ": device and host are " + std::to_string(worst) + " ulp apart at element " +
                            std::to_string(at) + ", allowed " + std::to_string(ulps) + inputs_at(node, at) +
                            (at < 0 ? std::string() : values_text(got.data()[at], expected.data()[at])));
}

template <class T>
ash::array<T> view(const std::vector<T>& v) {
  return ash::from(std::span<const T>(v));
}

/// Spread over (-limit, limit), with the values that go wrong first at the front.
template <class T>
std::vector<T> numbers(std::size_t n, std::uint64_t seed, double limit, bool special) {
  std::vector<T> v(n);
  std::uint64_t state = seed;
  for (T& x : v) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    x = static_cast<T>((static_cast<double>(state >> 11) * 0x1p-53 * 2 - 1) * limit);
  }
  if (special) {
    using limits = std::numeric_limits<T>;
    const T first[] = {T(0),
                       -T(0),
                       limits::infinity(),
                       -limits::infinity(),
                       limits::quiet_NaN(),
                       limits::denorm_min(),
                       limits::max(),
                       limits::lowest(),
                       limits::min(),
                       T(1),
                       T(-1)};
    for (std::size_t i = 0; i < std::size(first) && i < n; ++i) v[(i * (seed + 2)) % n] = first[i];
  }
  return v;
}

template <class T>
void floating(const std::string& type, std::size_t n) {
  const std::vector<T> a = numbers<T>(n, 1, 100, true);
  const std::vector<T> b = numbers<T>(n, 5, 3, true);
  const std::vector<T> c = numbers<T>(n, 9, 20, false);
  const ash::array<T> x = view(a);
  const ash::array<T> y = view(b);
  const ash::array<T> z = view(c);
  const std::string of = " of " + std::to_string(n) + " " + type;
  check<T>("add" + of, x + y, 0);
  check<T>("subtract" + of, x - y, 0);
  check<T>("multiply" + of, x * y, 0);
  check<T>("divide" + of, x / y, 0);
  check<T>("(x + y) / (x - y)" + of, (x + y) / (x - y), 0);
  check<T>("remainder" + of, x % y, 0);
  check<T>("negative, abs, sign" + of, ash::abs(-x) + ash::sign(y), 0);
  check<T>("sqrt" + of, ash::sqrt(ash::abs(x)), 0);
  check<T>("floor, ceil, rint" + of, ash::floor(x) + ash::ceil(y) + ash::rint(x), 0);
  check<bool>("compare" + of, x < y, 0);
  check<bool>("logic" + of, (x >= y && !(x == y)) || ash::isnan(y) || !ash::isfinite(x), 0);
  check<T>("where" + of, ash::where(x > y, x, ash::where(y > 0, y, 0)), 0);
  check<T>("clip, maximum" + of, ash::maximum(ash::clip(x, -3, 3), y), 0);
  check<float>("astype" + of, ash::astype<float>(z), 0);
  check<std::int32_t>("astype to integers" + of, ash::astype<std::int32_t>(z), 0);
  check<T>("sin" + of, ash::sin(z), 4);
  check<T>("cos" + of, ash::cos(z), 4);
  check<T>("exp" + of, ash::exp(z), 4);
  check<T>("log" + of, ash::log(ash::abs(z)), 4);
  check<T>("log1p, expm1" + of, ash::log1p(ash::abs(z)), 4);
  check<T>("tanh" + of, ash::tanh(z), 4);
  check<T>("asin, acos" + of, ash::arcsin(z / T{20}) + ash::arccos(z / T{20}), 4);
  check<T>("atan" + of, ash::arctan(z), 4);
  check<T>("sinh" + of, ash::sinh(z), 4);
  check<T>("cosh" + of, ash::cosh(z), 4);
  check<T>("asinh" + of, ash::arcsinh(z), 4);
  check<T>("acosh" + of, ash::arccosh(z), 4);
  check<T>("atanh" + of, ash::arctanh(z / T{20}), 4);
  check<T>("cbrt" + of, ash::cbrt(z), 4);
  check<T>("exp2" + of, ash::exp2(z), 4);
  check<T>("log2" + of, ash::log2(ash::abs(z)), 4);
  check<T>("log10" + of, ash::log10(ash::abs(z)), 4);
  check<T>("logaddexp" + of, ash::logaddexp(ash::abs(z), ash::abs(x)), 8);
  check<T>("sinc" + of, ash::sinc(z), 8);
  check<T>("trunc, round" + of, ash::trunc(x) + ash::round(z, 2), 0);
  check<T>("copysign, nextafter" + of, ash::copysign(x, y) + ash::nextafter(z, x), 0);
  check<T>("spacing, fmod" + of, ash::spacing(z) + ash::fmod(z, 0.75), 0);
  check<T>("ldexp" + of, ash::ldexp(z, 5), 0);
  check<T>("frexp" + of, ash::frexp(x).first, 0);
  check<std::int32_t>("exponents" + of, ash::frexp(x).second, 0);
  check<T>("modf" + of, ash::modf(x).first, 0);
  check<T>("fmin, fmax, nan_to_num" + of, ash::fmin(x, y) + ash::fmax(x, y) + ash::nan_to_num(y), 0);
  check<bool>("isclose, signs" + of, ash::isclose(x, y, {.rtol = 0.5}) ^ ash::isposinf(x) ^ ash::signbit(y), 0);
  check<T>("atan2" + of, ash::atan2(z, x), 4);
  check<T>("hypot" + of, ash::hypot(z * T{0.5}, y * T{0.5}), 4);  // CUDA's overflows just below the largest number
}

void user_functions(std::size_t n) {
  const std::vector<double> a = numbers<double>(n, 3, 100, true);
  const ash::array<double> x = view(a);
  const double limit = 12;
  check<double>("map of ASHLAR_FN", ash::map(ASHLAR_FN((double v) { return v > limit ? limit : v; }), x), 0);
  check<double>("map of ASHLAR_FN of two",
                ash::map(ASHLAR_FN((double v, double w) { return v < w ? w : v; }), x, 1.5) + x, 0);
  check<double>("map of a struct", ash::map(scaled{0.3}, x), 0);
  // nvcc wraps a marked lambda in an owner of memory on the host, which cannot be sent as bytes
  const auto marked = ash::map([limit] __host__ __device__(double v) { return v + limit; }, x);
  const ash::array<double> wrapped = marked;
  const ash::detail::kernel_descriptor& d = *wrapped.node()->kernel.descriptor;
  expect(d.device == nullptr && d.obstacle != nullptr,
         "a marked lambda has no device entry, and the obstacle is named");
  check<double>("functions within functions", ash::sqrt(ash::abs(ash::map(scaled{3}, ash::map(scaled{0.3}, x)))), 0);
  const ash::array<double> host_only = ash::map([](double v) { return v; }, x);
  expect(host_only.node()->kernel.descriptor->device == nullptr, "a plain lambda has no device entry");
}

void others() {
  std::vector<std::int32_t> i(1000);
  std::vector<std::uint64_t> u(1000);
  std::vector<std::complex<double>> c(1000);
  for (std::size_t k = 0; k < i.size(); ++k) {
    i[k] = static_cast<std::int32_t>(k * 2654435761u);
    u[k] = k * 0x9E3779B97F4A7C15ull;
    c[k] = {static_cast<double>(k), -1.5};
  }
  const ash::array<std::int32_t> x = view(i);
  const ash::array<std::uint64_t> w = view(u);
  check<std::int32_t>("wrapping integers", (x * x + x) % 7 - x, 0);
  check<double>("true division of integers", x / 3, 0);
  check<bool>("compare of both signs", x < w, 0);
  check<std::int32_t>("bits", ((x & 255) | (x ^ 7)) + (~x << 3) + (x >> 40), 0);
  check<std::uint64_t>("shifts", (w << (w & 127)) ^ (w >> (w & 127)), 0);
  check<std::int32_t>("round to hundreds", ash::round(x, -2), 0);
  check<bool>("isin", ash::isin(x, {0, 5, 7}), 0);
  check<std::uint64_t>("integer pow", ash::pow(w, 5), 0);
  check<double>("integers in functions", ash::sqrt(w), 0);
  check<std::complex<double>>("complex", view(c) + x, 0);
  // More elements than one launch has threads.
  std::vector<std::int8_t> many((std::size_t{1} << 24) + 12345);
  for (std::size_t k = 0; k < many.size(); ++k) many[k] = static_cast<std::int8_t>(k * 37);
  check<std::int8_t>("17 million bytes", view(many) + view(many), 0);
}

}  // namespace

int main() {
  return device_check::run([] {
    for (const std::size_t n : {std::size_t{1}, std::size_t{255}, std::size_t{100003}}) {
      floating<double>("double", n);
      floating<float>("float", n);
      user_functions(n);
    }
    others();
  });
}
