/// \file
/// ashlar-stats: statistics of a .npy file, all in one pass over it.
#include <complex>
#include <cstdint>
#include <exception>
#include <iostream>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include <tbb/global_control.h>

#include <ashlar/io/npy_file.hpp>
#include <ashlar/print.hpp>
#include <ashlar/progress.hpp>
#include <ashlar/threads.hpp>

#include "ashlar_stats/statistics.hpp"
#include "stats_options.hpp"

namespace {

using ashlar::dtype;
using ashlar_stats::nodes;
using ashlar_stats::stats_options;

/// An array whose element type is known at run time only.
struct result {
  dtype type = dtype::float64;
  ashlar::shape shape;
  ashlar::buffer bytes;

  result(dtype t, const ashlar::shape& s)
      : type(t),
        shape(s),
        bytes(ashlar::buffer::allocate(static_cast<std::size_t>(s.size() * ashlar::itemsize(t)), ashlar::host_memory())) {}
};

/// Calls f with a value of the C++ type of a tag.
template <class F>
auto with_type(dtype type, F f) {
  switch (type) {
    case dtype::boolean: return f(bool{});
    case dtype::int8: return f(std::int8_t{});
    case dtype::int16: return f(std::int16_t{});
    case dtype::int32: return f(std::int32_t{});
    case dtype::int64: return f(std::int64_t{});
    case dtype::uint8: return f(std::uint8_t{});
    case dtype::uint16: return f(std::uint16_t{});
    case dtype::uint32: return f(std::uint32_t{});
    case dtype::uint64: return f(std::uint64_t{});
    case dtype::float32: return f(float{});
    case dtype::float64: return f(double{});
    case dtype::complex64: return f(std::complex<float>{});
    case dtype::complex128: break;
  }
  return f(std::complex<double>{});
}

std::vector<result> compute(const nodes& roots, const stats_options& options) {
  std::vector<result> results;
  std::vector<ashlar::detail::result_target> targets;
  for (const ashlar::detail::node_ptr& n : roots) {
    results.emplace_back(n->type, n->shape);
    targets.push_back({results.back().bytes.data(), ashlar::row_major_strides(n->shape)});
  }
  ashlar::run_options run;
  if (options.progress) run.progress = ashlar::progress_bar("ashlar-stats");
  const ashlar::threads on{.workers = options.workers};
  ashlar::detail::compute_into_targets(ashlar::detail::ref(on), roots, targets, run);
  return results;
}

/// A value of any type on its way into one that holds it.
struct number {
  std::int64_t integer = 0;  // modulo 2^64
  std::complex<double> value;
};

template <class T>
number read(T x) {
  if constexpr (ashlar::kind(ashlar::dtype_of<T>) == ashlar::dtype_kind::complex) {
    return {0, {x.real(), x.imag()}};
  } else {
    return {std::is_integral_v<T> ? static_cast<std::int64_t>(x) : 0, static_cast<double>(x)};
  }
}

template <class T>
T number_as(const number& x) {
  if constexpr (std::is_same_v<T, bool>) {
    return x.integer != 0;
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(x.integer);
  } else if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(x.value.real());
  } else {
    return T(x.value);
  }
}

/// One result as it is; several along a new first axis, in the type that holds them all.
void write(const std::vector<result>& results, const std::string& path) {
  dtype common = results[0].type;
  ashlar::shape shape = results[0].shape;
  for (const result& r : results) common = ashlar::promote(common, r.type);
  if (results.size() > 1) shape.insert(0, static_cast<std::int64_t>(results.size()));
  ashlar::npy_output file(path, common, shape);
  std::vector<number> numbers;
  for (const result& r : results) {
    with_type(r.type, [&]<class T>(T) {
      const T* const values = static_cast<const T*>(r.bytes.data());
      for (std::int64_t i = 0; i < r.shape.size(); ++i) numbers.push_back(read(values[i]));
    });
  }
  const result all(common, shape);
  with_type(common, [&]<class T>(T) {
    T* out = static_cast<T*>(all.bytes.data());
    for (const number& x : numbers) *out++ = number_as<T>(x);
  });
  const auto ndim = static_cast<std::size_t>(shape.ndim());
  const std::int64_t origin[ashlar::max_ndim] = {};
  const ashlar::strides steps = ashlar::row_major_strides(shape);
  file.write_block({origin, ndim}, {shape.data(), ndim}, all.bytes.data(), {steps.data(), ndim});
  file.finish();
}

void print(const std::vector<result>& results, const stats_options& options) {
  for (std::size_t i = 0; i < results.size(); ++i) {
    std::cout << name(options.ops[i]) << ':' << (results[i].shape.ndim() == 0 ? ' ' : '\n');
    const result& r = results[i];
    with_type(r.type, [&]<class T>(T) {
      std::cout << ashlar::ndarray<T>(r.bytes, static_cast<T*>(r.bytes.data()), r.shape, ashlar::row_major_strides(r.shape)) << '\n';
    });
  }
}

void run(const stats_options& options) {
  // oneTBB lends no more threads than there are cores unless it is told so.
  std::optional<tbb::global_control> allowed;
  if (options.workers > 0) {
    allowed.emplace(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(options.workers));
  }
  const nodes roots = ashlar_stats::make_statistics(ashlar::open_npy(options.file), options);
  if (options.explain) {
    std::cout << ashlar::detail::explain_nodes(roots, ashlar::threads{.workers = options.workers}.lanes());
  } else {
    const std::vector<result> results = compute(roots, options);
    options.out ? write(results, *options.out) : print(results, options);
  }
  if (!std::cout.flush()) throw ashlar::file_error("cannot write to the standard output");
}

}  // namespace

int main(int argc, char** argv) {
  stats_options options;
  try {
    if (const std::optional<int> code = ashlar_stats::parse_command_line(argc, argv, options, std::cout, std::cerr)) return *code;
    run(options);
    return 0;
  } catch (const std::exception& e) {
    std::cerr << "ashlar-stats: " << e.what() << '\n';
    return 1;
  }
}
