/// \file
/// Reductions of expressions on a device: the passes of the reducer over elements that are computed as they are read,
/// so that an expression costs one read of its inputs and nothing is stored.
///
/// Only nvcc sees this file. The inputs of an item must have equal strides; where they do not, or something else reads
/// the expression's values too, the dispatcher computes these first. Cost in the object file: three kernels for each
/// expression and reducer.
#pragma once

#if defined(__CUDACC__)

#include <cstdint>

#include <ashlar/detail/device_entry.hpp>
#include <ashlar/detail/device_reduce.hpp>

namespace ashlar::detail {

/// What can be moved on like a pointer, over values of an expression.
template <class Form, int Inputs>
struct computed_cursor {
  const Form* form;
  const void* address[Inputs];
  std::int64_t offset;

  __device__ __forceinline__ computed_cursor& operator+=(std::int64_t by) {
    offset += by;
    return *this;
  }
  __device__ __forceinline__ loaded_inputs<Inputs> load(std::int64_t i) const {
    loaded_inputs<Inputs> in;
    load_inputs<Form>(
        in, address, [&](int) { return offset + i; }, std::make_index_sequence<Inputs>{});
    return in;
  }
  __device__ __forceinline__ auto value(const loaded_inputs<Inputs>& in) const { return value_at(*form, in); }
};

template <class Form, int Inputs>
__device__ __forceinline__ loaded_inputs<Inputs> load_element(const computed_cursor<Form, Inputs>& p, std::int64_t i) {
  return p.load(i);
}
template <class Form, int Inputs>
__device__ __forceinline__ auto value_of(const computed_cursor<Form, Inputs>& p, const loaded_inputs<Inputs>& in) {
  return p.value(in);
}

/// Values of an expression; the table has the addresses of its inputs by item.
template <class Form, int Inputs>
struct computed_elements {
  static constexpr bool in_memory = false;
  Form form;
  const void* const* table;

  __device__ __forceinline__ computed_cursor<Form, Inputs> at(std::int64_t item) const {
    computed_cursor<Form, Inputs> c;
    c.form = &form;
    c.offset = 0;
#pragma unroll
    for (int k = 0; k < Inputs; ++k) c.address[k] = table[item * Inputs + k];
    return c;
  }
};

// R, Op and K are deduced from the form's type: nvcc may not name it through the host's kernel
// (detail/device_entry.hpp).

template <class P, int Inputs, class R, class Op, class... K>
void start_fused_rows(const device_call<R, Op, K...>& form, device_queue& q, const device_rows& w) {
  rows_pass_over<device_rules<P>>(q, w, computed_elements<device_call<R, Op, K...>, Inputs>{form, w.in});
}
template <class P, int Inputs, class R, class Op, class... K>
void start_fused_columns(const device_call<R, Op, K...>& form, device_queue& q, const device_columns& w) {
  columns_pass_over<device_rules<P>>(q, w, computed_elements<device_call<R, Op, K...>, Inputs>{form, w.in});
}

/// Whether K is made of plain arithmetic. Functions such as sin need so many registers that threads are too few to keep
/// the memory busy: storing their values and reading them again is quicker (3.2 ms against 3.8 for a sine and a root of
/// 3.2 GB on an H200).
template <class K>
struct is_cheap : std::true_type {};
template <class Op, class... K>
struct is_cheap<call<Op, K...>> : std::bool_constant<!tile_operation<Op> && (is_cheap<K>::value && ...)> {};

template <class K, class P>
void fused_rows(device_queue& q, const void* parameters, const device_rows& w) {
  start_fused_rows<P, device_inputs<K>>(device_form<K>::of(*static_cast<const K*>(parameters)), q, w);
}
template <class K, class P>
void fused_columns(device_queue& q, const void* parameters, const device_columns& w) {
  start_fused_columns<P, device_inputs<K>>(device_form<K>::of(*static_cast<const K*>(parameters)), q, w);
}

template <class K, class P, class Tag>
inline constexpr device_fused fused_passes = {&fused_rows<K, P>, &fused_columns<K, P>};

}  // namespace ashlar::detail

#endif
