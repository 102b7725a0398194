/// \file
/// From what map_overlap() is asked for to the halos of a rule: checks, and constants in the type of each array.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <ashlar/detail/any_number.hpp>
#include <ashlar/detail/checked.hpp>
#include <ashlar/error.hpp>
#include <ashlar/graph/node.hpp>

namespace ashlar::detail {

template <class T>
bool put_number(const any_number& n, unsigned char* out) {
  T value{};
  if (!convert_number(n, value)) return false;
  std::memcpy(out, &value, sizeof(T));
  return true;
}

inline bool put_number(const any_number& n, dtype type, unsigned char* out) {
  switch (type) {
    case dtype::boolean: {
      std::uint8_t value = 0;
      if (!convert_number(n, value) || value > 1) return false;
      *out = value;
      return true;
    }
    case dtype::int8:
      return put_number<std::int8_t>(n, out);
    case dtype::int16:
      return put_number<std::int16_t>(n, out);
    case dtype::int32:
      return put_number<std::int32_t>(n, out);
    case dtype::int64:
      return put_number<std::int64_t>(n, out);
    case dtype::uint8:
      return put_number<std::uint8_t>(n, out);
    case dtype::uint16:
      return put_number<std::uint16_t>(n, out);
    case dtype::uint32:
      return put_number<std::uint32_t>(n, out);
    case dtype::uint64:
      return put_number<std::uint64_t>(n, out);
    case dtype::float32:
      return put_number<float>(n, out);
    case dtype::float64:
      return put_number<double>(n, out);
    case dtype::complex64:
      return put_number<std::complex<float>>(n, out);
    case dtype::complex128:
      return put_number<std::complex<double>>(n, out);
  }
  return false;
}

/// Refuses a list that is neither one for all nor one for each axis.
inline void check_axis_count(std::size_t entries, int rank, const char* what, const std::string& call) {
  if (entries == 1 || static_cast<int>(entries) == rank) return;
  throw value_error(call + ": " + what + " has " + std::to_string(entries) + " entries for arrays of " +
                    std::to_string(rank) + (rank == 1 ? " axis" : " axes") +
                    "; give one per axis of the broadcast arrays, or one for all");
}

inline void check_depth(const axis_depth& d, int axis, std::int64_t extent, const std::string& call) {
  if (d.before < 0 || d.after < 0) {
    throw value_error(call + ": the depth along axis " + std::to_string(axis) + " is " + std::to_string(d.before) +
                      " before and " + std::to_string(d.after) + " after a block; it is zero or more");
  }
  static_cast<void>(checked_add(checked_add(d.before, d.after, call), checked_mul(2, extent, call), call));
}

/// Sets the halos of `rule`. Labels, by operand and axis, are the axes of the broadcast operands, which have these
/// extents.
inline void make_halos(block_rule& rule, const halo_request& s, const std::vector<node_ptr>& inputs,
                       const std::vector<std::vector<int>>& labels, const std::vector<std::int64_t>& extents,
                       bool gives_elements, const std::string& call) {
  if (s.depth.empty()) return;
  int rank = 0;
  for (const node_ptr& i : inputs) rank = i->shape.ndim() > rank ? i->shape.ndim() : rank;
  check_axis_count(s.depth.size(), rank, "depth", call);
  if (!s.beyond.empty()) check_axis_count(s.beyond.size(), rank, "boundary", call);
  bool any = false;
  for (int axis = 0; axis < rank; ++axis) {
    const axis_depth& d = s.depth[s.depth.size() == 1 ? 0 : static_cast<std::size_t>(axis)];
    check_depth(d, axis, extents[static_cast<std::size_t>(axis)], call);
    any = any || d.before != 0 || d.after != 0;
  }
  if (!any) return;
  if (s.beyond.empty()) {
    throw value_error(call +
                      ": blocks are given with what lies around them, and nothing says what lies beyond the array"
                      "; add .boundary, one of boundary::constant(value), edge, reflect, symmetric, wrap and none");
  }
  rule.trimmed = s.trim;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const node& x = *inputs[i];
    std::vector<halo> halos;
    std::int64_t most = itemsize(x.type);  // bytes of a block with what lies around it
    for (int a = 0; a < x.shape.ndim(); ++a) {
      const auto axis = static_cast<std::size_t>(labels[i][static_cast<std::size_t>(a)]);
      halo h;
      if (x.shape[a] == extents[axis]) {  // an axis that is stretched is read as it is
        const axis_depth& d = s.depth[s.depth.size() == 1 ? 0 : axis];
        const boundary& b = s.beyond[s.beyond.size() == 1 ? 0 : axis];
        h.before = d.before;
        h.after = d.after;
        most = checked_mul(most, checked_add(x.grid.axis(a).max_length() + 1, d.before + d.after, call), call);
        if (d.before != 0 || d.after != 0) h.beyond = b.kind();
        if (h.beyond == boundary_kind::constant && !put_number(b.value(), x.type, h.value)) {
          throw dtype_error(call + ": the boundary's constant " + number_text(b.value()) + " is no value of " +
                            std::string(name(x.type)) + ", the type of array " + std::to_string(i));
        }
        if (h.beyond > boundary_kind::constant && x.shape[a] == 0 && gives_elements) {
          throw shape_error(
              call + ": axis " + std::to_string(a) + " of array " + std::to_string(i) + ", of shape " +
              x.shape.to_string() +
              ", is empty, so there is no element that could lie beyond it; use boundary::constant(value) "
              "or boundary::none");
        }
      }
      halos.push_back(h);
    }
    rule.halos.push_back(std::move(halos));
  }
}

}  // namespace ashlar::detail
