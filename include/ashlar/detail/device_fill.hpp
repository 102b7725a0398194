/// \file
/// Generators on a device: one launch fills many boxes of a generator's elements.
///
/// A generator comes in a *device form* (device_generators.hpp), in one of two kinds:
///
/// - `at(i)` gives element i. A thread makes 16 bytes of the output at a time;
/// - `make(out, b)` gives the elements b * together … (b + 1) * together - 1 at once, as random numbers do. A thread
///   takes one such group of a row and stores what of it lies in the row. Rows whose elements are not consecutive make
///   a whole group for each element.
///
/// Cost: every element is written once, nothing is read but two addresses an item.
#pragma once

#if defined(__CUDACC__)

#include <cstdint>

#include <ashlar/detail/device_launch.hpp>

namespace ashlar::detail {

/// Whether and in which form a device makes the elements of F: `available`, `type`, `type of(const F&)`.
template <class F>
struct device_generator {
  static constexpr bool available = false;
};

/// Where the elements of a launch are; axes innermost first.
struct fill_boxes {
  int ndim = 1;
  fast_divisor extent[device_axes];
  std::int64_t stride[device_axes] = {};
  const std::int64_t* first = nullptr;
  void* const* out = nullptr;
  std::int64_t first_offset = 0;
  std::int64_t out_offset = 0;  // elements
  std::uint32_t size = 0;       // elements an item
  fast_divisor pieces;          // thread blocks an item
  fast_divisor groups;          // groups that a row can meet
};

/// The one parameter of a kernel; why, says device_entry.hpp.
template <class Form>
struct fill_arguments {
  Form form;
  fill_boxes boxes;
};

inline constexpr int fill_threads = 256;
inline constexpr int fill_rounds = 4;  // what each thread makes, so that addresses are read less often

/// The linear index of output element n of an item, less that of its first one.
inline __device__ std::int64_t fill_index(const fill_boxes& b, std::uint32_t n, int begin) {
  std::int64_t i = 0;
  for (int a = begin; a < b.ndim - 1; ++a) i += b.extent[a].split(n) * b.stride[a];
  return i + n * b.stride[b.ndim - 1];
}

template <class Form>
struct alignas(16) fill_word {
  static constexpr int count = 16 / static_cast<int>(sizeof(typename Form::value));
  typename Form::value value[count];
};

template <class Form>
__global__ void __launch_bounds__(fill_threads) fill_elements(const fill_arguments<Form> p) {
  using word = fill_word<Form>;
  constexpr std::uint32_t count = word::count;
  std::uint32_t item = blockIdx.x;
  const std::uint32_t piece = p.boxes.pieces.split(item);
  const std::int64_t first = p.boxes.first[item] + p.boxes.first_offset;
  auto* const out = static_cast<typename Form::value*>(p.boxes.out[item]) + p.boxes.out_offset;
  const bool whole = (reinterpret_cast<std::uintptr_t>(out) & 15) == 0;
#pragma unroll
  for (int r = 0; r < fill_rounds; ++r) {
    const std::uint32_t n = ((piece * fill_rounds + r) * fill_threads + threadIdx.x) * count;
    if (n >= p.boxes.size) return;
    word w;
#pragma unroll
    for (std::uint32_t k = 0; k < count; ++k) {
      // a function of the user's is not called with an index beyond the end
      const std::uint32_t within = n + k < p.boxes.size ? n + k : p.boxes.size - 1;
      w.value[k] = p.form.at(first + fill_index(p.boxes, within, 0));
    }
    if (whole && n + count <= p.boxes.size) {
      *reinterpret_cast<word*>(out + n) = w;
    } else {
#pragma unroll
      for (std::uint32_t k = 0; k < count; ++k) {
        if (n + k < p.boxes.size) out[n + k] = w.value[k];
      }
    }
  }
}

/// Rows of consecutive elements: groups j of each row.
template <class Form>
__global__ void __launch_bounds__(fill_threads) fill_groups(const fill_arguments<Form> p) {
  using value = typename Form::value;
  constexpr int together = Form::together;
  std::uint32_t item = blockIdx.x;
  const std::uint32_t piece = p.boxes.pieces.split(item);
  const std::int64_t first = p.boxes.first[item] + p.boxes.first_offset;
  auto* const out = static_cast<value*>(p.boxes.out[item]) + p.boxes.out_offset;
  const std::uint32_t length = p.boxes.extent[0].divisor;
#pragma unroll 1
  for (int r = 0; r < fill_rounds; ++r) {
    std::uint32_t row = (piece * fill_rounds + r) * fill_threads + threadIdx.x;
    if (row >= p.boxes.size) return;
    const std::uint32_t group = p.boxes.groups.split(row);
    const std::int64_t begin = first + (p.boxes.ndim > 1 ? fill_index(p.boxes, row, 1) : 0);
    const std::int64_t number = begin / together + group;
    const std::int64_t at = number * together - begin;  // in the row, of the first element of the group
    if (at >= static_cast<std::int64_t>(length)) continue;
    alignas(16) value made[together];
    p.form.make(made, static_cast<std::uint64_t>(number));
    value* const to = out + static_cast<std::int64_t>(row) * length + at;
    constexpr std::uintptr_t bytes = together * sizeof(value);
    if (at >= 0 && at + together <= static_cast<std::int64_t>(length) &&
        (reinterpret_cast<std::uintptr_t>(to) & (bytes - 1)) == 0) {
      struct alignas(bytes) word {
        value v[together];
      };
      word w;
#pragma unroll
      for (int k = 0; k < together; ++k) w.v[k] = made[k];
      *reinterpret_cast<word*>(to) = w;
    } else {
#pragma unroll
      for (int k = 0; k < together; ++k) {
        if (at + k >= 0 && at + k < static_cast<std::int64_t>(length)) to[k] = made[k];
      }
    }
  }
}

/// Element by element from a form that makes groups.
template <class Form>
struct single_form {
  using value = typename Form::value;
  Form form;
  __device__ value at(std::int64_t i) const {
    value made[Form::together];
    form.make(made, static_cast<std::uint64_t>(i / Form::together));
    const auto k = static_cast<int>(i % Form::together);
    value v = made[0];
#pragma unroll
    for (int j = 1; j < Form::together; ++j) v = j == k ? made[j] : v;
    return v;
  }
};

template <class Form>
inline constexpr bool makes_groups = requires { Form::together; };

template <class Form>
void launch_fill(device_queue& q, fill_arguments<Form> p, std::int64_t items, std::int64_t of_thread,
                 void (*kernel)(fill_arguments<Form>)) {
  const std::int64_t of_block = of_thread * fill_rounds * fill_threads;
  const std::int64_t pieces = (p.boxes.size + of_block - 1) / of_block;
  p.boxes.pieces = fast_divisor(pieces);
  const std::int64_t together = most_thread_blocks / pieces;
  for (std::int64_t i = 0; i < items; i += together) {
    const std::int64_t now = items - i < together ? items - i : together;
    kernel<<<static_cast<unsigned>(now * pieces), fill_threads, 0, stream_of(q)>>>(p);
    check_launch("fill", now);
    p.boxes.first += now;
    p.boxes.out += now;
  }
}

/// Items of fewer than 2^30 elements, so that numbers of elements are of 32 bits; larger ones in parts.
template <class Form>
void fill_part(device_queue& q, const Form& form, const device_loops& l, fill_boxes b, std::int64_t items) {
  const std::int64_t n = l.size();
  if (n >= most_thread_blocks) {
    int outermost = 0;
    while (l.extent[outermost] == 1) ++outermost;
    const std::int64_t half = l.extent[outermost] / 2;
    device_loops part = l;
    part.extent[outermost] = half;
    fill_part(q, form, part, b, items);
    b.first_offset += half * l.stride[outermost];
    b.out_offset += part.size();
    part.extent[outermost] = l.extent[outermost] - half;
    return fill_part(q, form, part, b, items);
  }
  b.ndim = l.ndim > 0 ? l.ndim : 1;
  for (int a = 0; a < l.ndim; ++a) {
    b.extent[a] = fast_divisor(l.extent[l.ndim - 1 - a]);
    b.stride[a] = l.stride[l.ndim - 1 - a];
  }
  if constexpr (makes_groups<Form>) {
    const std::int64_t length = b.extent[0].divisor;
    if (length == 1 || b.stride[0] == 1) {
      const std::int64_t groups = (length + Form::together - 2) / Form::together + 1;
      b.groups = fast_divisor(groups);
      b.size = static_cast<std::uint32_t>(n / length * groups);
      launch_fill(q, fill_arguments<Form>{form, b}, items, 1, &fill_groups<Form>);
    } else {
      b.size = static_cast<std::uint32_t>(n);
      using single = single_form<Form>;
      launch_fill(q, fill_arguments<single>{{form}, b}, items, fill_word<single>::count, &fill_elements<single>);
    }
  } else {
    b.size = static_cast<std::uint32_t>(n);
    launch_fill(q, fill_arguments<Form>{form, b}, items, fill_word<Form>::count, &fill_elements<Form>);
  }
}

template <class Form>
void fill_boxes_of(device_queue& q, const Form& form, const device_fill& work) {
  for (int a = 0; a < work.loops.ndim; ++a) {
    if (work.loops.extent[a] <= 0) return;
  }
  if (work.items <= 0) return;
  fill_boxes b;
  b.first = work.first;
  b.out = work.out;
  fill_part(q, form, work.loops, b, work.items);
}

/// @throws device_error when the launch is refused
template <class F>
void fill_on_device(const void* generator, device_queue& q, const device_fill& work) {
  fill_boxes_of(q, device_generator<F>::of(*static_cast<const F*>(generator)), work);
}

/// The filler of F, or null when only the host can run it.
template <class F>
constexpr device_filler device_filler_of() {
  if constexpr (device_generator<F>::available) {
    return &fill_on_device<F>;
  } else {
    return nullptr;
  }
}

}  // namespace ashlar::detail

#endif
