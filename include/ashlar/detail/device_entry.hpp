/// \file
/// The device entry of a kernel: one `__global__` function that evaluates the whole expression for one element.
///
/// Only nvcc sees this file. A kernel's tree of calls is rebuilt in its *device form*: library operations stay what
/// they are, an ASHLAR_FN pair is replaced by its device half (a plain lambda's type may not occur in a `__global__`
/// function's type), and every call states its result type, because the host cannot ask a device lambda for it. A
/// kernel that holds a function that is not device callable has no device form and a null entry, so nothing of it is
/// compiled for the device.
///
/// Cost: one kernel per expression in the object file. It reads its inputs where they lie, strided or broadcast, once,
/// and writes once; one launch serves many blocks (graph/device_work.hpp).
#pragma once

#if defined(__CUDACC__)

#include <string>

#include <cuda_runtime.h>

#include <ashlar/detail/device_inputs.hpp>
#include <ashlar/detail/device_launch.hpp>
#include <ashlar/detail/tile_kernel.hpp>
#include <ashlar/error.hpp>
#include <ashlar/function.hpp>
#include <ashlar/graph/device_work.hpp>

namespace ashlar::detail {

template <class F>
struct user_op;
struct integer_power_op;

// --- which functions a device can call ---

#if defined(__CUDACC_EXTENDED_LAMBDA__)
template <class F>
inline constexpr bool host_device_lambda = __nv_is_extended_host_device_lambda_closure_type(F);
#else
template <class F>
inline constexpr bool host_device_lambda = false;
#endif

template <class F>
struct device_function {
  static constexpr bool available = false;
};
template <class F>
  requires(host_device_lambda<F> || requires { typename F::device_callable; })
struct device_function<F> {
  static constexpr bool available = true;
  using type = F;
  static const F& of(const F& f) { return f; }
};
template <class Host, class Device>
struct device_function<function_pair<Host, Device>> {
  static constexpr bool available = true;
  using type = Device;
  static const Device& of(const function_pair<Host, Device>& f) { return f.device; }
};

/// What a device runs in place of Op; K are the arguments. Arithmetic works on ashlar::complex, the functions of
/// complex numbers are std::complex's and are not for devices.
template <class Op, class... K>
struct device_operation {
  static constexpr bool available = library_operation<Op> && !requires { typename Op::host_only; } &&
                                    !(tile_operation<Op> && (complex_value<typename K::value_type> || ...));
  using type = Op;
  static const Op& of(const Op& op) { return op; }
};
template <class F, class... K>
struct device_operation<user_op<F>, K...> : device_function<F> {
  static constexpr bool available = device_function<F>::available && !(complex_value<typename K::value_type> || ...) &&
                                    !complex_value<typename call<user_op<F>, K...>::value_type>;
  static decltype(auto) of(const user_op<F>& op) { return device_function<F>::of(op.f); }
};

/// An array of negative exponents throws in the run, which a device cannot; a number was checked when it was given.
template <class Base, class Exponent>
struct device_operation<integer_power_op, Base, Exponent> {
  static constexpr bool available = std::is_unsigned_v<typename Exponent::value_type>;
  using type = integer_power_op;
  static const integer_power_op& of(const integer_power_op& op) { return op; }
};
template <class Base, class T>
struct device_operation<integer_power_op, Base, constant<T>> {
  static constexpr bool available = true;
  using type = integer_power_op;
  static const integer_power_op& of(const integer_power_op& op) { return op; }
};

// --- the device form ---

template <class K>
struct device_form {  // slots and constants
  static constexpr bool available = true;
  using type = K;
  static const K& of(const K& k) { return k; }
};

template <class Op, class... K>
inline constexpr bool device_ready = device_operation<Op, K...>::available && (device_form<K>::available && ...);

template <class Op, class... K>
  requires(!device_ready<Op, K...>)
struct device_form<call<Op, K...>> {
  static constexpr bool available = false;
};

template <class Op, class... K>
  requires device_ready<Op, K...>
struct device_form<call<Op, K...>> {
  static constexpr bool available = true;
  using operation = device_operation<Op, K...>;
  using type =
      device_call<typename call<Op, K...>::value_type, typename operation::type, typename device_form<K>::type...>;
  static type of(const call<Op, K...>& k) { return of(k, std::make_index_sequence<sizeof...(K)>{}); }

 private:
  template <std::size_t... J>
  static type of(const call<Op, K...>& k, std::index_sequence<J...>) {
    return {operation::of(k.op), make_pack(device_form<K>::of(get<static_cast<int>(J)>(k.args))...)};
  }
};

// --- the kernel ---

/// Elements that each thread computes: so many loads of each input are under way at once.
template <int Inputs>
inline constexpr int device_unroll = Inputs <= 2 ? 8 : 4;
inline constexpr unsigned device_threads = 256;

/// The one parameter of the `__global__` function. A parameter whose type is a template argument would be named by nvcc
/// the way that it was written, through the type of the host's kernel and so through a closure that has no name.
/// Within a launch all distances fit 32 bits, which a device counts in at a fraction of the cost of 64.
template <class Form, int Inputs, class T>
struct fused_arguments {
  Form form;
  void* const* table;               // by item: output, inputs; null for one item
  void* only[Inputs + 1];           // the addresses of the one item
  std::int64_t offset[Inputs + 1];  // of the elements that this launch computes, in elements
  std::uint32_t tiles;              // of an item
  std::uint32_t n;                  // elements of an item
  int ndim;
  fast_divisor extent[device_axes];
  std::int32_t stride[Inputs + 1][device_axes];
};

template <int Inputs>
struct element_offsets {
  std::int32_t at[Inputs + 1];
};

/// Where element `i` of an item is, for each operand. One loop, Flat, needs no division.
template <bool Flat, int Inputs, class Arguments>
__device__ __forceinline__ element_offsets<Inputs> find_element(const Arguments& p, std::uint32_t i) {
  element_offsets<Inputs> e{};
  if constexpr (!Flat) {
    for (int a = p.ndim - 1; a > 0; --a) {
      const auto index = static_cast<std::int32_t>(p.extent[a].split(i));
#pragma unroll
      for (int k = 0; k <= Inputs; ++k) e.at[k] += index * p.stride[k][a];
    }
  }
#pragma unroll
  for (int k = 0; k <= Inputs; ++k) e.at[k] += static_cast<std::int32_t>(i) * p.stride[k][0];
  return e;
}

template <bool Flat, class Form, int Inputs, class T>
__global__ void __launch_bounds__(device_threads) fused(const __grid_constant__ fused_arguments<Form, Inputs, T> p) {
  constexpr int unroll = device_unroll<Inputs>;
  const std::uint32_t item = blockIdx.x / p.tiles;
  const std::uint32_t first = (blockIdx.x - item * p.tiles) * (device_threads * unroll) + threadIdx.x;
  const void* address[Inputs + 1];
#pragma unroll
  for (int k = 0; k <= Inputs; ++k) {
    address[k] = p.table == nullptr ? p.only[k] : p.table[static_cast<std::int64_t>(item) * (Inputs + 1) + k];
  }
  T* const out = static_cast<T*>(const_cast<void*>(address[0])) + p.offset[0];
  std::int32_t to[unroll];
  loaded_inputs<Inputs> in[unroll];
#pragma unroll
  for (int u = 0; u < unroll; ++u) {
    const std::uint32_t i = first + static_cast<std::uint32_t>(u) * device_threads;
    const element_offsets<Inputs> e = find_element<Flat, Inputs>(p, i < p.n ? i : p.n - 1);
    to[u] = e.at[0];
    load_inputs<Form>(
        in[u], address + 1, [&](int k) { return p.offset[k + 1] + e.at[k + 1]; }, std::make_index_sequence<Inputs>{});
  }
  T result[unroll];
#pragma unroll
  for (int u = 0; u < unroll; ++u) result[u] = value_at(p.form, in[u]);
#pragma unroll
  for (int u = 0; u < unroll; ++u) {
    if (first + static_cast<std::uint32_t>(u) * device_threads < p.n) out[to[u]] = result[u];
  }
}

// --- the entry ---

/// Elements of an item that one launch takes, and how far they may lie apart.
inline constexpr std::int64_t most_device_elements = std::int64_t{1} << 30;

/// What is too large, in number or in distances, is halved along its outermost axis.
template <class Form, int Inputs, class T>
void start_pieces(fused_arguments<Form, Inputs, T>& p, std::int64_t* extent, const std::int64_t (*stride)[device_axes],
                  std::int64_t items, const char* name, cudaStream_t stream) {
  std::int64_t n = 1;
  bool fits = true;
  for (int a = 0; a < p.ndim; ++a) n *= extent[a];
  for (int k = 0; k <= Inputs; ++k) {
    std::int64_t span = 0;
    for (int a = 0; a < p.ndim; ++a) {
      const std::int64_t step = stride[k][a] < 0 ? -stride[k][a] : stride[k][a];
      if (extent[a] > 1) span += (extent[a] - 1) * step;
    }
    fits = fits && span < most_device_elements;
  }
  int outermost = 0;
  while (outermost + 1 < p.ndim && extent[outermost] == 1) ++outermost;
  if ((n > most_device_elements || !fits) && extent[outermost] > 1) {
    const std::int64_t whole = extent[outermost];
    extent[outermost] = whole / 2;
    start_pieces(p, extent, stride, items, name, stream);
    for (int k = 0; k <= Inputs; ++k) p.offset[k] += whole / 2 * stride[k][outermost];
    extent[outermost] = whole - whole / 2;
    start_pieces(p, extent, stride, items, name, stream);
    for (int k = 0; k <= Inputs; ++k) p.offset[k] -= whole / 2 * stride[k][outermost];
    extent[outermost] = whole;
    return;
  }
  constexpr std::int64_t per_block = std::int64_t{device_threads} * device_unroll<Inputs>;
  const std::int64_t tiles = (n + per_block - 1) / per_block;
  p.n = static_cast<std::uint32_t>(n);
  p.tiles = static_cast<std::uint32_t>(tiles);
  for (int a = 0; a < p.ndim; ++a) {
    p.extent[a] = fast_divisor(extent[a]);
    for (int k = 0; k <= Inputs; ++k) p.stride[k][a] = extent[a] == 1 ? 0 : static_cast<std::int32_t>(stride[k][a]);
  }
  void* const* const table = p.table;
  const std::int64_t at_once = most_thread_blocks / tiles;
  for (std::int64_t done = 0; done < items; done += at_once) {
    const std::int64_t m = items - done < at_once ? items - done : at_once;
    if (table != nullptr) p.table = table + done * (Inputs + 1);
    const auto blocks = static_cast<unsigned>(m * tiles);
    if (p.ndim == 1) {
      fused<true><<<blocks, device_threads, 0, stream>>>(p);
    } else {
      fused<false><<<blocks, device_threads, 0, stream>>>(p);
    }
    check_launch(name, m);
  }
  p.table = table;
}

/// R, Op and K are deduced from the form's type, for the reason given above.
template <int Inputs, class R, class Op, class... K>
void start(const device_call<R, Op, K...>& form, const device_elementwise& work, const char* name,
           cudaStream_t stream) {
  std::int64_t extent[device_axes] = {1};
  for (int a = 0; a < work.ndim; ++a) {
    extent[a] = work.extent[a];
    if (extent[a] == 0) return;
  }
  if (work.items == 0) return;
  fused_arguments<device_call<R, Op, K...>, Inputs, R> p{form, nullptr, {}, {}, 1, 1, work.ndim, {}, {}};
  if (p.ndim == 0) p.ndim = 1;
  if (work.items == 1) {
    for (int k = 0; k <= Inputs; ++k) p.only[k] = work.table[k];
  } else {
    p.table = work.table;
  }
  std::int64_t stride[Inputs + 1][device_axes] = {};
  for (int a = 0; a < work.ndim; ++a) {
    stride[0][a] = work.out_stride[a];
    for (int k = 0; k < Inputs; ++k) stride[k + 1][a] = work.in_stride[k][a];
  }
  start_pieces(p, extent, stride, work.items, name, stream);
}

template <class K>
inline constexpr int device_inputs = [] {
  slot_table t;
  collect(t, static_cast<const K*>(nullptr));
  return t.inputs;
}();

/// @throws device_error when the launch fails; what fails later shows at the stream's next synchronisation
template <class K>
void launch(const void* parameters, const device_elementwise& work, void* stream) {
  start<device_inputs<K>>(device_form<K>::of(*static_cast<const K*>(parameters)), work,
                          kernel_name(static_cast<const K*>(nullptr)), static_cast<cudaStream_t>(stream));
}

/// Parameters of a launch that every supported device takes, less room for inputs and output.
inline constexpr std::size_t max_device_parameters = 2900;

template <class K>
constexpr bool has_device_entry() {
  if constexpr (device_form<K>::available && std::is_trivially_copyable_v<K>) {
    return sizeof(typename device_form<K>::type) <= max_device_parameters;
  } else {
    return false;
  }
}

/// The launcher of K, or null when something in it runs on the host only.
template <class K>
constexpr device_entry device_entry_of() {
  if constexpr (has_device_entry<K>()) {
    return &launch<K>;
  } else {
    return nullptr;
  }
}

}  // namespace ashlar::detail

#endif
