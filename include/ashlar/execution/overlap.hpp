/// \file
/// Whether a run may write a result where it still has to read.
///
/// In place is right when every element is read by the task that writes it, or by one that this task waits for: a plan
/// of element-wise layers over the very view that is written. Anything else that shares bytes (a shifted or reversed
/// view, a reduction that later blocks need) goes through memory of its own first.
#pragma once

#include <cstdint>

#include <ashlar/execution/run.hpp>

namespace ashlar::detail {

/// The bytes that a strided view spans, as addresses.
struct byte_range {
  std::uintptr_t first;
  std::uintptr_t end;
};

inline byte_range bytes_of(const void* data, const ashlar::shape& shape, const ashlar::strides& strides,
                           std::int64_t size) {
  std::int64_t low = 0;
  std::int64_t high = 0;
  for (int a = 0; a < shape.ndim(); ++a) (strides[a] < 0 ? low : high) += (shape[a] - 1) * strides[a];
  const auto at = reinterpret_cast<std::uintptr_t>(data);
  return {at + static_cast<std::uintptr_t>(low * size), at + static_cast<std::uintptr_t>((high + 1) * size)};
}

/// Cost: linear in the leaves of the plan.
inline bool overwrites_input(const plan& p, const node& result, const result_target& out) {
  if (result.shape.size() == 0) return false;
  const byte_range to = bytes_of(out.data, result.shape, out.strides, itemsize(result.type));
  bool in_place = p.roots == 1;
  for (const layer& l : p.layers) {
    in_place = in_place && l.kind == layer_kind::elementwise;
    for (const leaf& f :
         l.tape.leaves) {  // through a view a block is read that other tasks of this layer may overwrite
      in_place = in_place && (f.from != nullptr || f.view == nullptr);
    }
  }
  for (const layer& l : p.layers) {
    for (const leaf& f : l.tape.leaves) {
      const memory_view* const m = f.from == nullptr ? nullptr : f.from->memory();
      if (m == nullptr || f.shape.size() == 0) continue;
      const byte_range from = bytes_of(m->data, f.stored, m->strides, itemsize(f.type));
      if (from.end <= to.first || to.end <= from.first) continue;
      const bool same_view = m->data == out.data && f.view == nullptr && f.shape == result.shape &&
                             m->strides == out.strides && f.type == result.type;
      if (!in_place || !same_view) return true;
    }
  }
  return false;
}

}  // namespace ashlar::detail
