/// \file
/// ashlar-stats: statistics of a .npy file, all in one pass over it.
#include <complex>
#include <cstdint>
#include <exception>
#include <iostream>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <tbb/global_control.h>

#include <ashlar/npy.hpp>
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
        bytes(ashlar::buffer::allocate(static_cast<std::size_t>(s.size() * ashlar::itemsize(t)),
                                       ashlar::host_memory())) {}
};

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

/// Element type and shape of the file: one result is written as it is, several along a new first axis, in the type that
/// holds them all.
std::pair<dtype, ashlar::shape> stacked(const nodes& roots) {
  dtype type = roots[0]->type;
  ashlar::shape shape = roots[0]->shape;
  for (const ashlar::detail::node_ptr& n : roots) type = ashlar::promote(type, n->type);
  if (roots.size() > 1) shape.insert(0, static_cast<std::int64_t>(roots.size()));
  return {type, shape};
}

void write(const std::vector<result>& results, ashlar::npy_output& file) {
  std::vector<number> numbers;
  for (const result& r : results) {
    ashlar::detail::visit_dtype(r.type, [&]<class T>(std::type_identity<T>) {
      const T* const values = static_cast<const T*>(r.bytes.data());
      for (std::int64_t i = 0; i < r.shape.size(); ++i) numbers.push_back(read(values[i]));
    });
  }
  const ashlar::shape& shape = file.shape();
  const result all(file.element_type(), shape);
  ashlar::detail::visit_dtype(all.type, [&]<class T>(std::type_identity<T>) {
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
    ashlar::detail::visit_dtype(r.type, [&]<class T>(std::type_identity<T>) {
      std::cout << ashlar::ndarray<T>(r.bytes, static_cast<T*>(r.bytes.data()), r.shape,
                                      ashlar::row_major_strides(r.shape))
                << '\n';
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
    const ashlar::threads where{.workers = options.workers};
    std::cout << ashlar::detail::explain_nodes(ashlar::detail::ref(where), roots, {});
  } else if (options.out) {
    const auto [type, shape] = stacked(roots);
    ashlar::npy_output file(*options.out, type, shape);  // before the pass: what is wrong with it is told at once
    write(compute(roots, options), file);
  } else {
    print(compute(roots, options), options);
  }
  if (!std::cout.flush()) throw ashlar::file_error("cannot write to the standard output");
}

}  // namespace

int main(int argc, char** argv) {
  stats_options options;
  try {
    if (const std::optional<int> code = ashlar_stats::parse_command_line(argc, argv, options, std::cout, std::cerr))
      return *code;
    run(options);
    return 0;
  } catch (const std::exception& e) {
    std::cerr << "ashlar-stats: " << e.what() << '\n';
    return 1;
  }
}
