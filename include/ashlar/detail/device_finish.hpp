/// \file
/// The end of reductions on a device: a thread turns the state of one column into a result, where it is to lie.
///
/// Only nvcc sees this file.
#pragma once

#if defined(__CUDACC__)

#include <cstdint>

#include <ashlar/detail/device_places.hpp>

namespace ashlar::detail {

inline constexpr int finish_threads = 128;

template <class F>
__global__ void __launch_bounds__(finish_threads)
    finished_states(const __grid_constant__ device_finish w, std::int64_t columns) {
  std::int64_t item = static_cast<std::int64_t>(blockIdx.x) * finish_threads + threadIdx.x;
  if (item >= w.items * columns) return;
  const std::int64_t c = take_index(item, columns);
  state_ref s;
  for (int f = 0; f < max_fields; ++f) {
    s.field[f] = const_cast<unsigned char*>(static_cast<const unsigned char*>(w.in[item])) + w.fields.offset[f];
  }
  std::int64_t offset = 0;
  std::int64_t i = c;
  for (int a = w.loops.ndim - 1; a >= 0; --a) {
    offset += (a == 0 ? i : take_index(i, w.loops.extent[a])) * w.loops.stride[a];
  }
  const std::int64_t count = w.counts == nullptr ? 0 : w.counts[item];
  static_cast<typename F::out*>(w.out[item])[offset] = F::at(s, c, count, w.parameter);
}

template <class F>
void finish_pass(device_queue& q, const device_finish& w) {
  const std::int64_t columns = w.loops.size();
  if (w.items * columns == 0) return;
  finished_states<F><<<launch_blocks(w.items * columns, finish_threads), finish_threads, 0, stream_of(q)>>>(w, columns);
  check_launch("the end of a reduction", w.items);
}

}  // namespace ashlar::detail

#endif
