// Scans of blocks in device memory, held against the host's entries of the same scan run through the whole line: bit
// for bit, for blocks of any length along the axis.
#include <complex>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include <ashlar/scans.hpp>

#include "device_check.hpp"

namespace ash = ashlar;
using device_check::expect;

namespace {

struct layout {
  std::string name;
  std::int64_t lines;
  std::int64_t outer;
  std::int64_t columns;
  std::vector<std::int64_t> length;
};

template <class T>
T number(std::uint64_t i) {
  std::uint64_t x = i * 0x9E3779B97F4A7C15ull + 0x632BE59BD9B4E019ull;
  x ^= x >> 29;
  x *= 0xBF58476D1CE4E5B9ull;
  x ^= x >> 32;
  if constexpr (ash::detail::is_complex<T>) {
    using part = typename T::value_type;
    return T(number<part>(2 * i), number<part>(2 * i + 1));
  } else if constexpr (std::is_floating_point_v<T>) {
    const double v = static_cast<double>(x >> 11) * 0x1p-53 * 2 - 1;
    return static_cast<T>(x % 97 == 0 ? 0.0 : x % 89 == 0 ? -0.0 : v * 1.3);
  } else if constexpr (std::is_same_v<T, bool>) {
    return x % 3 != 0;
  } else {
    return static_cast<T>(x);
  }
}

/// So that a vector of bool is one of bytes.
template <class T>
struct plain {
  T value;
};

template <class P>
void check(const std::string& name, const layout& l, std::int64_t leaf) {
  using in_type = plain<typename P::in_type>;
  using out_type = plain<typename P::out_type>;
  using state = plain<typename P::state>;
  device_check::queue q;
  const auto blocks = static_cast<std::int64_t>(l.length.size());
  std::int64_t total = 0;
  for (const std::int64_t n : l.length) total += n;
  const std::int64_t plane = l.outer * l.columns;

  // the host: the lines of all blocks, first element to last, a row of `plane` at a time
  std::vector<std::vector<in_type>> in;
  std::vector<std::vector<out_type>> expected;
  std::vector<const void*> in_table;
  std::vector<void*> out_table;
  std::vector<out_type*> out;
  std::uint64_t seed = 1;
  for (std::int64_t line = 0; line < l.lines; ++line) {
    std::vector<state> fields[2] = {std::vector<state>(static_cast<std::size_t>(plane)),
                                    std::vector<state>(static_cast<std::size_t>(plane))};
    ash::detail::state_ref states{};
    for (int f = 0; f < 2; ++f) states.field[f] = fields[f].data();
    ash::detail::scan_loops<P>::begin(states, plane);
    std::int64_t position = 0;
    for (std::int64_t b = 0; b < blocks; ++b) {
      const std::int64_t n = l.length[static_cast<std::size_t>(b)];
      std::vector<in_type> values(static_cast<std::size_t>(plane * n));
      for (in_type& v : values) v.value = number<typename P::in_type>(seed++);
      std::vector<out_type> results(values.size());
      for (std::int64_t o = 0; o < l.outer; ++o) {
        ash::detail::scan_piece piece{};
        const auto columns_in = l.columns * static_cast<std::int64_t>(sizeof(in_type));
        const auto columns_out = l.columns * static_cast<std::int64_t>(sizeof(out_type));
        piece.in = values.data() + o * n * l.columns;
        piece.in_stride = columns_in;
        piece.out = results.data() + o * n * l.columns;
        piece.out_stride = columns_out;
        piece.rows = n;
        piece.n = l.columns;
        piece.position = position;
        piece.leaf = leaf;
        ash::detail::state_ref at{};
        for (int f = 0; f < 2; ++f) at.field[f] = fields[f].data() + o * l.columns;
        if (n > 0) ash::detail::scan_loops<P>::columns(piece, at);
      }
      position += n;
      in_table.push_back(q.put(values));
      out.push_back(q.put(std::vector<out_type>(results.size(), out_type{})));
      out_table.push_back(out.back());
      in.push_back(std::move(values));
      expected.push_back(std::move(results));
    }
  }

  ash::detail::device_scan work;
  work.lines = l.lines;
  work.blocks = blocks;
  work.outer = l.outer;
  work.columns = l.columns;
  work.length = l.length.data();
  work.leaf = leaf;
  work.in = in_table.data();
  work.out = out_table.data();
  ash::detail::scan_of<P, ash::detail::backend_tag>.device(q, work);
  for (std::size_t k = 0; k < out.size(); ++k) {
    const std::int64_t at = device_check::first_difference(q.get(out[k], expected[k].size()), expected[k]);
    expect(at < 0, name + ", " + l.name + ", leaves of " + std::to_string(leaf) + ": block " + std::to_string(k) +
                       ", element " + std::to_string(at / static_cast<std::int64_t>(sizeof(out_type))) + " differs");
    if (at >= 0) return;
  }
}

template <class P>
void check_all(const std::string& name) {
  const layout down[] = {
      {"one element", 1, 1, 2, {1}},
      {"one tile", 1, 1, 32, {64}},
      {"a block", 1, 1, 100, {200}},
      {"blocks that tiles straddle", 2, 1, 70, {100, 33, 0, 167}},
      {"blocks shorter than a tile", 1, 1, 40, {3, 5, 1, 0, 60, 2, 90, 7}},
      {"outer axes, few columns", 3, 20, 3, {50, 90}},
      {"outer axes, many columns", 2, 3, 130, {65, 64, 63}},
      {"many tiles", 1, 1, 33, {3000, 1500, 777}},
  };
  const layout along[] = {
      {"one element", 1, 1, 1, {1}},
      {"a short row", 1, 1, 1, {7}},
      {"short rows", 1, 1000, 1, {5, 6}},
      {"a row", 1, 1, 1, {20000}},
      {"a row in blocks", 1, 1, 1, {1000, 1, 0, 2222, 511, 5000}},
      {"a long row", 1, 1, 1, {90001, 1, 60000}},
      {"a few long rows", 2, 3, 1, {30000, 25000}},
      {"rows", 1, 37, 1, {1300}},
      {"rows in blocks", 3, 11, 1, {600, 512, 3, 1000}},
      {"many rows", 2, 500, 1, {1024, 700}},
  };
  for (const layout& l : down) {
    check<P>(name + " down", l, ash::detail::column_scan_leaf);
    check<P>(name + " down", l, ash::detail::endless_scan_leaf);
    check<P>(name + " down", l, 512);
  }
  for (const layout& l : along) {
    check<P>(name + " along", l, ash::detail::row_scan_leaf);
    check<P>(name + " along", l, ash::detail::column_scan_leaf);
    check<P>(name + " along", l, ash::detail::endless_scan_leaf);
  }
  check<P>(name + " of nothing", {"no rows", 1, 4, 5, {0, 0}}, 64);
}

template <class T>
void sums(const std::string& type) {
  using A = ash::detail::accumulator_t<T>;
  using Out = ash::device_type_t<ash::detail::total_t<ash::host_type_t<T>>>;
  check_all<ash::detail::running_sum<T, A, Out>>("cumsum of " + type);
  if constexpr (!std::is_same_v<A, Out>) check_all<ash::detail::running_sum<T, Out, Out>>("cumsum in type of " + type);
}

template <class T>
void products(const std::string& type) {
  using A = ash::detail::accumulator_t<T>;
  using Out = ash::device_type_t<ash::detail::total_t<ash::host_type_t<T>>>;
  check_all<ash::detail::running_product<T, A, Out>>("cumprod of " + type);
}

template <class T>
void extrema(const std::string& type) {
  check_all<ash::detail::running_extremum<ash::detail::min_policy<T>>>("cummin of " + type);
  check_all<ash::detail::running_extremum<ash::detail::max_policy<T>>>("cummax of " + type);
}

}  // namespace

int main() {
  return device_check::run([] {
    sums<double>("float64");
    sums<float>("float32");
    sums<ash::complex<double>>("complex128");
    sums<ash::complex<float>>("complex64");
    sums<std::int8_t>("int8");
    sums<std::uint64_t>("uint64");
    sums<bool>("bool");
    products<double>("float64");
    products<float>("float32");
    products<std::int32_t>("int32");
    extrema<double>("float64");
    extrema<float>("float32");
    extrema<std::int16_t>("int16");
    extrema<bool>("bool");
  });
}
