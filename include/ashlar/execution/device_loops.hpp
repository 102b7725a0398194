/// \file
/// From boxes and strides to the loops of a launch: neighbouring axes that lie one behind the other in every operand
/// are one loop, and blocks whose loops are equal are items of one launch.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <ashlar/graph/box.hpp>
#include <ashlar/graph/device_work.hpp>
#include <ashlar/graph/kernel.hpp>
#include <ashlar/shape.hpp>

namespace ashlar::detail {

inline constexpr int max_joined_operands = max_kernel_inputs + 1;

/// Loops over a box for several operands, outermost first; strides in elements.
struct joined_loops {
  int ndim = 0;
  std::int64_t extent[max_ndim];  // the first ndim of each are set
  std::int64_t stride[max_joined_operands][max_ndim];
};

/// Joins the axes [0, ndim) of `length`; stride[k] points to the strides of operand k by axis.
inline joined_loops join_loops(int ndim, const std::int64_t* length, int operands, const std::int64_t* const* stride) {
  joined_loops j;
  for (int a = 0; a < ndim; ++a) {
    if (length[a] == 1) continue;
    bool join = j.ndim > 0;
    for (int k = 0; k < operands && join; ++k) join = j.stride[k][j.ndim - 1] == stride[k][a] * length[a];
    if (join) {
      j.extent[j.ndim - 1] *= length[a];
    } else {
      j.extent[j.ndim++] = length[a];
    }
    for (int k = 0; k < operands; ++k) j.stride[k][j.ndim - 1] = stride[k][a];
  }
  if (j.ndim == 0) {
    j.ndim = 1;
    j.extent[0] = 1;
  }
  return j;
}

/// Calls f(offsets by operand, in elements) for each index of the loops that a launch has no room for.
template <class F>
void for_each_outer(const joined_loops& j, int operands, F f) {
  const int outer = j.ndim > device_axes ? j.ndim - device_axes : 0;
  std::int64_t at[max_joined_operands] = {};
  if (outer == 0) return f(static_cast<const std::int64_t*>(at));
  std::int64_t i[max_ndim] = {};
  for (;;) {
    f(static_cast<const std::int64_t*>(at));
    int a = outer - 1;
    for (; a >= 0; --a) {
      for (int k = 0; k < operands; ++k) at[k] += j.stride[k][a];
      if (++i[a] < j.extent[a]) break;
      i[a] = 0;
      for (int k = 0; k < operands; ++k) at[k] -= j.stride[k][a] * j.extent[a];
    }
    if (a < 0) return;
  }
}

/// The innermost loops, for a launch.
inline device_loops inner_loops(const joined_loops& j, int operand) {
  device_loops l;
  const int outer = j.ndim > device_axes ? j.ndim - device_axes : 0;
  l.ndim = j.ndim - outer;
  for (int a = 0; a < l.ndim; ++a) {
    l.extent[a] = j.extent[a + outer];
    l.stride[a] = j.stride[operand][a + outer];
  }
  return l;
}

/// Work that is collected under equal keys, in the order in which keys first came.
template <class Value>
class keyed_batches {
 public:
  /// The value of a key that is a run of plain numbers, and whether it is new.
  std::pair<Value*, bool> at(const std::vector<std::int64_t>& key) {
    if (!values_.empty() && key == last_key_) return {&values_[last_], false};  // neighbours are mostly alike
    std::string bytes(reinterpret_cast<const char*>(key.data()), key.size() * sizeof(std::int64_t));
    const auto [found, fresh] = index_.try_emplace(std::move(bytes), values_.size());
    if (fresh) values_.emplace_back();
    last_key_ = key;
    last_ = found->second;
    return {&values_[last_], fresh};
  }

  std::vector<Value>& values() noexcept { return values_; }

  void clear() {
    index_.clear();
    values_.clear();
    last_key_.clear();
  }

 private:
  std::unordered_map<std::string, std::size_t> index_;
  std::vector<Value> values_;
  std::vector<std::int64_t> last_key_;
  std::size_t last_ = 0;
};

inline void append_key(std::vector<std::int64_t>& key, const device_loops& l) {
  key.push_back(l.ndim);
  for (int a = 0; a < l.ndim; ++a) {
    key.push_back(l.extent[a]);
    key.push_back(l.stride[a]);
  }
}

}  // namespace ashlar::detail
