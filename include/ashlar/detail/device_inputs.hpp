/// \file
/// Expressions on a device: the tree of calls in its device form (detail/device_entry.hpp), the inputs of one element,
/// and its value.
///
/// Only nvcc sees this file. Inputs are loaded before anything is computed: functions have branches, over which no
/// compiler moves a load, so a thread loads the inputs of several elements and then computes one after the other.
#pragma once

#if defined(__CUDACC__)

#include <cstdint>
#include <cstring>
#include <utility>

#include <ashlar/detail/tile_kernel.hpp>

namespace ashlar::detail {

template <class R, class Op, class... K>
struct device_call {
  Op op;
  pack<K...> args;
};

// --- inputs ---

/// Bytes of an element of each slot of a form.
struct slot_sizes {
  int of[max_kernel_inputs] = {};
};
template <int I, class T>
constexpr void add_slots(slot_sizes& s, const slot<I, T>*) {
  s.of[I] = static_cast<int>(sizeof(T));
}
template <class T>
constexpr void add_slots(slot_sizes&, const constant<T>*) {}
template <class R, class Op, class... K>
constexpr void add_slots(slot_sizes& s, const device_call<R, Op, K...>*) {
  (add_slots(s, static_cast<const K*>(nullptr)), ...);
}
template <class Form>
inline constexpr slot_sizes slot_sizes_of = [] {
  slot_sizes s;
  add_slots(s, static_cast<const Form*>(nullptr));
  return s;
}();

/// The inputs of one element, in registers; 16 bytes take two.
template <int Inputs>
struct loaded_inputs {
  unsigned long long low[Inputs + 1];
  unsigned long long high[Inputs + 1];
};

template <int Bytes>
__device__ __forceinline__ void load_bytes(const void* data, std::int64_t at, unsigned long long& low,
                                           unsigned long long& high) {
  if constexpr (Bytes == 1) {
    low = static_cast<const unsigned char*>(data)[at];
  } else if constexpr (Bytes == 2) {
    low = static_cast<const unsigned short*>(data)[at];
  } else if constexpr (Bytes == 4) {
    low = static_cast<const unsigned int*>(data)[at];
  } else if constexpr (Bytes == 8) {
    low = static_cast<const unsigned long long*>(data)[at];
  } else if constexpr (Bytes == 16) {
    low = static_cast<const unsigned long long*>(data)[2 * at];
    high = static_cast<const unsigned long long*>(data)[2 * at + 1];
  }
}

/// `at(k)` is where input k is, in elements from its address.
template <class Form, int Inputs, class At, std::size_t... I>
__device__ __forceinline__ void load_inputs(loaded_inputs<Inputs>& to, const void* const* address, At at,
                                            std::index_sequence<I...>) {
  (load_bytes<slot_sizes_of<Form>.of[I]>(address[I], at(static_cast<int>(I)), to.low[I], to.high[I]), ...);
}

template <int Inputs, int I, class T>
__device__ __forceinline__ T value_at(const slot<I, T>&, const loaded_inputs<Inputs>& in) {
  T value;
  if constexpr (sizeof(T) == 16) {
    const unsigned long long both[2] = {in.low[I], in.high[I]};
    memcpy(static_cast<void*>(&value), both, sizeof(T));
  } else {
    memcpy(static_cast<void*>(&value), &in.low[I], sizeof(T));
  }
  return value;
}

// --- evaluation of one element ---

template <class Inputs, class T>
__device__ T value_at(const constant<T>& k, const Inputs&) {
  return k.value;
}
template <class Inputs, class R, class Op, class... K>
__device__ R value_at(const device_call<R, Op, K...>& k, const Inputs& in);

template <class Inputs, class R, class Op, class... K, std::size_t... J>
__device__ R call_at(const device_call<R, Op, K...>& k, const Inputs& in, std::index_sequence<J...>) {
  return static_cast<R>(k.op(value_at(get<static_cast<int>(J)>(k.args), in)...));
}
template <class Inputs, class R, class Op, class... K>
__device__ R value_at(const device_call<R, Op, K...>& k, const Inputs& in) {
  return call_at(k, in, std::make_index_sequence<sizeof...(K)>{});
}

}  // namespace ashlar::detail

#endif
