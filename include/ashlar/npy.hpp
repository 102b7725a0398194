/// \file
/// .npy files as arrays: from_npy() reads one lazily, to_npy() writes one block by block, load_npy() reads all of it
/// now.
///
/// A file is mapped, never loaded: a run reads the pages under its blocks, so a file may be larger than memory. Where
/// the bytes are an array as they lie (native byte order, aligned, any order of axes) kernels read them in place;
/// elements that are swapped or unaligned, and booleans, are put right tile by tile inside the loop of whoever consumes
/// them, and cost no memory either. See io/npy_file.hpp for the level below arrays, and docs/npy.md.
#pragma once

#include <complex>
#include <cstdint>
#include <memory>
#include <source_location>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <ashlar/array.hpp>
#include <ashlar/chunks.hpp>
#include <ashlar/creation.hpp>
#include <ashlar/graph/region.hpp>
#include <ashlar/io/npy_file.hpp>

namespace ashlar {

namespace detail {

/// Elements of a mapped file that are not C++ objects as they lie.
class npy_source final : public source {
 public:
  explicit npy_source(npy_input input)
      : input_(std::move(input)), steps_(input_.header.strides()), packed_(is_row_major(input_.header.shape, steps_)) {}

  const char* name() const noexcept override { return "npy"; }

  /// In Fortran order the elements of a row lie far apart: one division per axis and row, one cache line an element.
  void fill(std::int64_t first, std::int64_t n, void* out) const override {
    const ashlar::shape& shape = input_.header.shape;
    const std::int64_t size = itemsize(input_.header.dtype);
    if (packed_) {
      copy(first, 1, static_cast<std::byte*>(out), n);
      return;
    }
    const int last = shape.ndim() - 1;
    for (auto* to = static_cast<std::byte*>(out); n > 0;) {
      const std::int64_t column = first % shape[last];
      const std::int64_t m = n < shape[last] - column ? n : shape[last] - column;
      std::int64_t at = column * steps_[last];
      std::int64_t rest = first / shape[last];
      for (int a = last - 1; a >= 0; --a) {
        at += rest % shape[a] * steps_[a];
        rest /= shape[a];
      }
      copy(at, steps_[last], to, m);
      first += m;
      n -= m;
      to += m * size;
    }
  }

  bool same_as(const source& other) const noexcept override {
    const auto* o = dynamic_cast<const npy_source*>(&other);
    return o != nullptr && o->input_.data == input_.data;
  }
  std::size_t hash() const noexcept override { return reinterpret_cast<std::size_t>(input_.data); }

 private:
  void copy(std::int64_t at, std::int64_t step, std::byte* out, std::int64_t n) const {
    const dtype type = input_.header.dtype;
    const std::int64_t size = itemsize(type);
    const std::byte* in = input_.data + at * size;
    if (type == dtype::boolean && step == 1) {
      // copy_stored() takes a stride at run time, which keeps compilers from vectorising it: 1 GB/s instead of 10.
      for (; n >= lanes; n -= lanes, in += lanes, out += lanes) {
        ASHLAR_DETAIL_IVDEP
        for (int i = 0; i < lanes; ++i) out[i] = std::byte{in[i] != std::byte{0}};
      }
    }
    copy_stored(in, step * size, out, n, type, input_.header.needs_swap());
  }

  npy_input input_;
  ashlar::strides steps_;
  bool packed_;
};

/// Calls f with the std::type_identity of a tag's C++ type.
template <class F>
auto visit_dtype(dtype type, F&& f) {
  switch (type) {
    case dtype::boolean:
      return f(std::type_identity<bool>{});
    case dtype::int8:
      return f(std::type_identity<std::int8_t>{});
    case dtype::int16:
      return f(std::type_identity<std::int16_t>{});
    case dtype::int32:
      return f(std::type_identity<std::int32_t>{});
    case dtype::int64:
      return f(std::type_identity<std::int64_t>{});
    case dtype::uint8:
      return f(std::type_identity<std::uint8_t>{});
    case dtype::uint16:
      return f(std::type_identity<std::uint16_t>{});
    case dtype::uint32:
      return f(std::type_identity<std::uint32_t>{});
    case dtype::uint64:
      return f(std::type_identity<std::uint64_t>{});
    case dtype::float32:
      return f(std::type_identity<float>{});
    case dtype::float64:
      return f(std::type_identity<double>{});
    case dtype::complex64:
      return f(std::type_identity<std::complex<float>>{});
    case dtype::complex128:
      break;
  }
  return f(std::type_identity<std::complex<double>>{});
}

/// "float64" → "double", as a program spells it.
constexpr const char* cpp_name(dtype type) noexcept {
  constexpr const char* names[] = {
      "bool",         "std::int8_t",         "std::int16_t",        "std::int32_t",  "std::int64_t",
      "std::uint8_t", "std::uint16_t",       "std::uint32_t",       "std::uint64_t", "float",
      "double",       "std::complex<float>", "std::complex<double>"};
  return names[static_cast<int>(type)];
}

/// @throws dtype_error unless the file holds `wanted`
inline void require_npy_dtype(const npy_input& input, dtype wanted, const char* call) {
  const dtype held = input.header.dtype;
  if (held == wanted) return;
  const std::string right = std::string(call) + "<" + cpp_name(held) + ">";
  std::string text = std::string(call) + "<" + cpp_name(wanted) + ">: '" + input.file->path() + "' holds " +
                     std::string(ashlar::name(held)) + ", not " + std::string(ashlar::name(wanted)) + "; call " +
                     right + "(path)";
  if (kind(held) != dtype_kind::complex || kind(wanted) == dtype_kind::complex) {
    text += std::string(" and convert with astype<") + cpp_name(wanted) + ">()";
  }
  throw dtype_error(text);
}

/// Hands finished blocks to the file.
class npy_sink final : public block_sink {
 public:
  explicit npy_sink(npy_output& out) : out_(out) {}

  void write(const box& where, const void* data) override {
    const auto n = static_cast<std::size_t>(where.ndim);
    std::int64_t steps[max_ndim];
    std::int64_t step = 1;
    for (int a = where.ndim - 1; a >= 0; --a) {
      steps[a] = step;
      step *= where.length[a];
    }
    out_.write_block({where.offset, n}, {where.length, n}, data, {steps, n});
  }

 private:
  npy_output& out_;
};

inline void to_npy_on(const executor_ref& on, const node_ptr& n, std::string path, const run_options& options) {
  npy_output file(std::move(path), n->type, n->shape);
  npy_sink sink(file);
  compute_into_sink(on, n, sink, options);
  file.finish();
}

}  // namespace detail

/// The element type of a .npy file. Cost: opening it. @throws file_error, dtype_error (see open_npy)
inline dtype npy_dtype(std::string path) { return open_npy(std::move(path)).header.dtype; }

/// A lazy array over a file that is open already; shares the mapping. T must be the file's element type.
/// @throws dtype_error another type; chunk_error chunks that do not fit
template <element T>
array<T> from_npy(const npy_input& input, const creation_options& options = {},
                  std::source_location where = std::source_location::current()) {
  detail::require_npy_dtype(input, dtype_of<T>, "from_npy");
  const npy_header& header = input.header;
  block_grid grid =
      normalize_chunks(options.chunks, header.shape, static_cast<std::int64_t>(sizeof(T)), nullptr, "from_npy");
  detail::source_ptr source;
  if (input.usable_in_place()) {
    source =
        std::make_shared<detail::memory_source>(detail::memory_view{input.data, header.strides()}, input.file, "npy");
  } else {
    source = std::make_shared<detail::npy_source>(input);
  }
  return array<T>(detail::make_source(std::move(source), dtype_of<T>, header.shape, std::move(grid), where));
}

/// A lazy array over a .npy file; no element is read. T must be the file's element type: `npy_dtype(path)` tells it,
/// visit_npy() takes any. The mapping lives as long as an array over it; the file must not be cut shorter meanwhile
/// (renaming another over it is safe).
/// @throws file_error, dtype_error (see open_npy); dtype_error when T is not the file's type
template <element T>
array<T> from_npy(std::string path, const creation_options& options = {},
                  std::source_location where = std::source_location::current()) {
  return from_npy<T>(open_npy(std::move(path)), options, where);
}

/// Calls `f` with the array<T> of whatever element type the file has, and returns what f returns (one type for all).
/// `f` is compiled for all 13 types.
/// @throws file_error, dtype_error (see open_npy)
template <class F>
auto visit_npy(const npy_input& input, F&& f, const creation_options& options = {},
               std::source_location where = std::source_location::current()) {
  return detail::visit_dtype(input.header.dtype,
                             [&]<class T>(std::type_identity<T>) { return f(from_npy<T>(input, options, where)); });
}

template <class F>
auto visit_npy(std::string path, F&& f, const creation_options& options = {},
               std::source_location where = std::source_location::current()) {
  return visit_npy(open_npy(std::move(path)), std::forward<F>(f), options, where);
}

/// All of a .npy file, now, in memory of its own. A file in Fortran order gives an array in that order, as numpy.load.
/// @throws file_error, dtype_error (as from_npy), memory_error. Cost: one copy, by one thread.
template <element T>
ndarray<T> load_npy(std::string path) {
  const npy_input input = open_npy(std::move(path));
  detail::require_npy_dtype(input, dtype_of<T>, "load_npy");
  const npy_header& header = input.header;
  ndarray<T> dense(header.shape);
  constexpr auto size = static_cast<std::int64_t>(sizeof(T));
  constexpr std::int64_t piece = (std::int64_t{4} << 20) / size;  // entered into the page table by one system call each
  for (std::int64_t i = 0; i < dense.size(); i += piece) {
    const std::int64_t n = piece < dense.size() - i ? piece : dense.size() - i;
    input.file->populate(input.file_offset(i), n * size);
    copy_stored(input.data + i * size, size, dense.data() + i, n, header.dtype, header.needs_swap());
  }
  return ndarray<T>(dense.owner(), dense.data(), header.shape, header.strides());
}

/// Computes x on `on` and writes each block into the file as it is finished; all of x is never in memory. The file
/// takes its name when it is complete: until then, and after an error, a file of that name stays as it was. The bytes
/// are those of numpy.save. Blocks of whole rows are written fastest: one system call a block instead of one a row.
/// @throws file_error the file cannot be made; task_error for a failure inside the run, a full disk too; cancelled
template <executor Where, lazy X>
void to_npy(const Where& on, const X& x, std::string path, const run_options& options = {},
            std::source_location where = std::source_location::current()) {
  detail::to_npy_on(detail::ref(on), detail::node_of(x, where), std::move(path), options);
}

/// The same on the default executor.
template <lazy X>
void to_npy(const X& x, std::string path, const run_options& options = {},
            std::source_location where = std::source_location::current()) {
  detail::to_npy_on(detail::default_ref(), detail::node_of(x, where), std::move(path), options);
}

/// Writes an ndarray of any strides, in C order. @throws file_error
template <element T>
void to_npy(const ndarray<T>& values, std::string path) {
  npy_output file(std::move(path), dtype_of<T>, values.shape());
  const auto n = static_cast<std::size_t>(values.ndim());
  const std::int64_t offset[max_ndim] = {};
  file.write_block({offset, n}, {values.shape().data(), n}, values.data(), {values.strides().data(), n});
  file.finish();
}

}  // namespace ashlar
