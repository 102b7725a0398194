/// \file
/// The device entry of a kernel: one `__global__` function that evaluates the whole expression for one element.
///
/// Only nvcc sees this file. A kernel's tree of calls is rebuilt in its *device form*: library operations stay what
/// they are, an ASHLAR_FN pair is replaced by its device half (a plain lambda's type may not occur in a `__global__`
/// function's type), and every call states its result type, because the host cannot ask a device lambda for it. A
/// kernel that holds a function that is not device callable has no device form and a null entry, so nothing of it is
/// compiled for the device.
///
/// Cost: one kernel per expression in the object file. It reads packed inputs once and writes once.
#pragma once

#if defined(__CUDACC__)

#include <string>

#include <cuda_runtime.h>

#include <ashlar/detail/tile_kernel.hpp>
#include <ashlar/error.hpp>
#include <ashlar/function.hpp>

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

template <class R, class Op, class... K>
struct device_call {
  Op op;
  pack<K...> args;
};

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

// --- evaluation of one element ---

template <int N>
struct device_inputs {
  const void* data[N];
};

template <class Inputs, int I, class T>
__device__ T value_at(const slot<I, T>&, const Inputs& in, std::int64_t i) {
  return static_cast<const T*>(in.data[I])[i];
}
template <class Inputs, class T>
__device__ T value_at(const constant<T>& k, const Inputs&, std::int64_t) {
  return k.value;
}
template <class Inputs, class R, class Op, class... K>
__device__ R value_at(const device_call<R, Op, K...>& k, const Inputs& in, std::int64_t i);

template <class Inputs, class R, class Op, class... K, std::size_t... J>
__device__ R call_at(const device_call<R, Op, K...>& k, const Inputs& in, std::int64_t i, std::index_sequence<J...>) {
  return static_cast<R>(k.op(value_at(get<static_cast<int>(J)>(k.args), in, i)...));
}
template <class Inputs, class R, class Op, class... K>
__device__ R value_at(const device_call<R, Op, K...>& k, const Inputs& in, std::int64_t i) {
  return call_at(k, in, i, std::make_index_sequence<sizeof...(K)>{});
}

/// The one parameter of the `__global__` function. A parameter whose type is a template argument would be named by nvcc
/// the way that it was written, through the type of the host's kernel and so through a closure that has no name.
template <class Form, class Inputs, class T>
struct fused_arguments {
  Form form;
  Inputs in;
  T* out;
  std::int64_t n;
};

template <class Form, class Inputs, class T>
__global__ void fused(fused_arguments<Form, Inputs, T> p) {
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < p.n; i += step) {
    p.out[i] = value_at(p.form, p.in, i);
  }
}

// --- the entry ---

/// R, Op and K are deduced from the form's type, for the reason given above.
template <class R, class Op, class... K, class Inputs>
void start(const device_call<R, Op, K...>& form, const Inputs& in, void* out, std::int64_t n, void* stream) {
  constexpr std::int64_t threads = 256;
  constexpr std::int64_t most_blocks = 1 << 16;  // beyond that each thread takes several elements
  const std::int64_t blocks = (n + threads - 1) / threads;
  fused<<<static_cast<unsigned>(blocks < most_blocks ? blocks : most_blocks), static_cast<unsigned>(threads), 0,
          static_cast<cudaStream_t>(stream)>>>(
      fused_arguments<device_call<R, Op, K...>, Inputs, R>{form, in, static_cast<R*>(out), n});
}

/// @throws device_error when the launch fails; what fails later shows at the stream's next synchronisation
template <class K>
void launch(const void* parameters, const void* const* in, void* out, std::int64_t n, void* stream) {
  if (n <= 0) return;
  constexpr int inputs = [] {
    slot_table t;
    collect(t, static_cast<const K*>(nullptr));
    return t.inputs > 0 ? t.inputs : 1;
  }();
  device_inputs<inputs> tiles{};
  for (int s = 0; s < inputs; ++s) tiles.data[s] = in[s];
  start(device_form<K>::of(*static_cast<const K*>(parameters)), tiles, out, n, stream);
  const cudaError_t status = cudaGetLastError();
  if (status != cudaSuccess) {
    throw device_error(std::string(kernel_name(static_cast<const K*>(nullptr))) +
                       ": the device did not start a kernel over " + std::to_string(n) +
                       " elements: " + cudaGetErrorString(status));
  }
}

/// Parameters of a launch that every supported device takes, less room for inputs and output.
inline constexpr std::size_t max_device_parameters = 3840;

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
