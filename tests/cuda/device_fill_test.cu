// What generators make on a device, held against what they make on the host: bit for bit, whole, in rows of a wider
// array, in boxes with gaps, transposed, and from odd elements on.
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <iostream>
#include <limits>
#include <string>
#include <vector>

#include <ashlar/creation.hpp>
#include <ashlar/diagonals.hpp>
#include <ashlar/random.hpp>

#include "device_check.hpp"

namespace ash = ashlar;
using device_check::expect;

struct index_product {
  using device_callable = void;
  std::int64_t by;
  ASHLAR_HD std::int64_t operator()(std::int64_t i, std::int64_t j) const { return i * by - j; }
};

namespace {

struct region {
  std::string name;
  std::vector<std::int64_t> extent;
  std::vector<std::int64_t> stride;
  std::vector<std::int64_t> first;  // by item
};

std::int64_t elements(const region& r) {
  std::int64_t n = 1;
  for (const std::int64_t e : r.extent) n *= e;
  return n;
}

template <class T>
struct bits_of {
  unsigned char byte[sizeof(T)];
};

/// What the host makes of the elements of an item, one by one where they are not consecutive.
template <class T>
void on_host(const ash::detail::source& s, const region& r, std::int64_t first, bits_of<T>* out) {
  std::vector<std::int64_t> at(r.extent.size(), 0);
  const std::int64_t n = elements(r);
  for (std::int64_t i = 0; i < n; ++i) {
    std::int64_t index = first;
    for (std::size_t a = 0; a < at.size(); ++a) index += at[a] * r.stride[a];
    alignas(16) T value;
    s.fill(index, 1, &value);
    std::memcpy(out + i, &value, sizeof value);
    for (std::size_t a = at.size(); a-- > 0 && ++at[a] == r.extent[a];) at[a] = 0;
  }
}

template <class T>
void check(const std::string& name, const ash::array<T>& a, const region& r) {
  device_check::queue q;
  const ash::detail::source& s = *a.node()->from;
  const ash::detail::device_source d = s.device();
  expect(d.fill != nullptr, name + " can be filled by a device");
  if (d.fill == nullptr) return;
  const auto n = static_cast<std::size_t>(elements(r));
  const std::size_t gap = 1;  // so that every other item is not aligned to 16 bytes
  const std::size_t items = r.first.size();
  std::vector<bits_of<T>> expected(items * (n + gap));
  std::memset(expected.data(), 0xEE, expected.size() * sizeof(T));
  bits_of<T>* const out = q.put(expected);
  std::vector<void*> table;
  for (std::size_t i = 0; i < items; ++i) {
    table.push_back(out + i * (n + gap));
    if (n > 0) on_host<T>(s, r, r.first[i], expected.data() + i * (n + gap));
  }
  ash::detail::device_fill work;
  work.loops.ndim = static_cast<int>(r.extent.size());
  for (std::size_t k = 0; k < r.extent.size(); ++k) {
    work.loops.extent[k] = r.extent[k];
    work.loops.stride[k] = r.stride[k];
  }
  work.first = q.put(r.first);
  work.out = q.put(table);
  work.items = static_cast<std::int64_t>(items);
  d.fill(d.generator, q, work);
  const std::int64_t at = device_check::first_difference(q.get(out, expected.size()), expected);
  expect(at < 0, name + ", " + r.name + ": element " + std::to_string(at / static_cast<std::int64_t>(sizeof(T))) +
                     " of " + std::to_string(items) + " boxes of " + std::to_string(n) + " differs");
}

/// Regions of an array of 40 x 50.
template <class T>
void check_all(const std::string& name, const ash::array<T>& a) {
  const region regions[] = {
      {"whole", {2000}, {1}, {0}},
      {"one element each", {}, {}, {0, 7, 1998}},
      {"rows of blocks", {20, 25}, {50, 1}, {0, 25, 1000, 1025}},
      {"short rows from odd elements", {7, 3}, {50, 1}, {1, 2, 53}},
      {"transposed", {50, 40}, {1, 50}, {0}},
      {"every second column", {40, 25}, {50, 2}, {0, 1}},
      {"backwards", {40, 50}, {-50, -1}, {1999}},
      {"three loops", {2, 5, 10}, {1000, 50, 1}, {0, 10, 11}},
      {"one row many times", {3, 50}, {0, 1}, {100, 150}},
      {"nothing", {3, 0}, {50, 1}, {0}},
  };
  for (const region& r : regions) check(name, a, r);
}

template <class T>
void integers(const std::string& type) {
  check_all<T>("arange of " + type, ash::arange<T>(T(3), T(14003), T(7)));
  check_all<T>("integers of " + type, ash::random::integers<T>({40, 50}, {.seed = 5}));
  check_all<T>("a few integers of " + type, ash::random::integers<T>({40, 50}, {.low = 2, .high = 9, .seed = 6}));
}

template <class T>
void floating(const std::string& type) {
  check_all<T>("arange of " + type, ash::arange<T>(T(0.1), T(1000), T(0.3)));
  check_all<T>("linspace of " + type, ash::linspace<T>(-1.1, 7.3, 2000));
  check_all<T>("uniform of " + type, ash::random::uniform<T>({40, 50}, {.seed = 11}));
}

template <class T>
void any(const std::string& type) {
  check_all<T>("zeros of " + type, ash::zeros<T>({40, 50}));
  check_all<T>("ones of " + type, ash::ones<T>({40, 50}));
  check_all<T>("full of " + type, ash::full({40, 50}, T(7)));
  check_all<T>("eye of " + type, ash::eye<T>(40, {.columns = 50, .diagonal = 3}));
  check_all<T>("tri of " + type, ash::tri<T>(40, {.columns = 50, .diagonal = -3}));
}

/// Products that are added to something are rounded once or twice on either side, as the program was built.
template <class T>
void close(const std::string& name, const ash::array<T>& a) {
  device_check::queue q;
  const ash::detail::device_source d = a.node()->from->device();
  expect(d.fill != nullptr, name + " can be filled by a device");
  const auto n = static_cast<std::size_t>(a.size());
  std::vector<T> expected(n);
  a.node()->from->fill(0, a.size(), expected.data());
  auto* const out = static_cast<T*>(q.room(a.size() * static_cast<std::int64_t>(sizeof(T))));
  ash::detail::device_fill work;
  work.loops.ndim = 1;
  work.loops.extent[0] = a.size();
  work.loops.stride[0] = 1;
  work.first = q.put(std::vector<std::int64_t>{0});
  work.out = q.put(std::vector<void*>{out});
  work.items = 1;
  d.fill(d.generator, q, work);
  const std::vector<T> got = q.get(out, n);
  std::size_t different = 0;
  double worst = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double size = std::fabs(static_cast<double>(expected[i]));
    const double ulp = static_cast<double>(std::numeric_limits<T>::epsilon()) * (size > 1 ? size : 1);
    const double off = std::fabs(static_cast<double>(got[i]) - static_cast<double>(expected[i]));
    different += off != 0 ? 1 : 0;
    worst = off > worst * ulp ? off / ulp : worst;
  }
  std::cout << name << ": " << different << " of " << n << " differ, by " << worst << " units at most\n";
#if defined(ASHLAR_TEST_SAME_BITS)
  expect(different == 0, name + " has the bits of the host");
#endif
  expect(worst < 8, name + " is close to the host's");
}

ash::array<double> function_pair() {
  const double by = 0.5;
  return ash::fromfunction(
      ASHLAR_FN((std::int64_t i, std::int64_t j) { return static_cast<double>(i) * by + static_cast<double>(j); }),
      {40, 50});
}

}  // namespace

int main() {
  return device_check::run([] {
    any<bool>("bool");
    any<std::int8_t>("int8");
    any<std::uint16_t>("uint16");
    any<float>("float32");
    any<double>("float64");
    any<std::complex<float>>("complex64");
    any<std::complex<double>>("complex128");
    integers<std::int16_t>("int16");
    integers<std::uint16_t>("uint16");
    integers<std::int32_t>("int32");
    integers<std::uint32_t>("uint32");
    integers<std::int64_t>("int64");
    integers<std::uint64_t>("uint64");
    check_all<std::int8_t>("integers of int8", ash::random::integers<std::int8_t>({40, 50}, {.low = -5, .high = 99}));
    check_all<std::uint8_t>("integers of uint8", ash::random::integers<std::uint8_t>({40, 50}, {.seed = 1}));
    floating<float>("float32");
    floating<double>("float64");
    check_all("fromfunction of a struct", ash::fromfunction(index_product{7}, {40, 50}));
    check_all("fromfunction of ASHLAR_FN", function_pair());
    expect(ash::fromfunction([](std::int64_t i) { return i; }, {5}).node()->from->device().fill == nullptr,
           "a plain lambda runs on the host only");
    close("uniform float64 of [-2, 5)", ash::random::uniform<double>({1000003}, {.low = -2, .high = 5}));
    close("uniform float32 of [-2, 5)", ash::random::uniform<float>({1000003}, {.low = -2, .high = 5}));
    close("normal float64", ash::random::normal<double>({1000003}, {.mean = 1, .stddev = 3, .seed = 9}));
    close("normal float32", ash::random::normal<float>({1000003}, {.mean = 1, .stddev = 3, .seed = 9}));
  });
}
