/// \file
/// How nodes of scans are made and checked.
#pragma once

#include <cstdint>
#include <optional>
#include <source_location>

#include <ashlar/detail/config.hpp>
#include <ashlar/graph/node.hpp>

namespace ashlar::detail {

struct scan_spec {
  const scan_descriptor* scan;
  std::optional<std::int64_t> axis;
  bool sequential = false;
};

/// The scan along an axis, without one of the flattened array. @throws axis_error, chunk_error (unknown lengths)
node_ptr make_scan(node_ptr input, const scan_spec& spec, std::source_location where);

/// As make_scan, without an axis for arrays of one axis only. With `initial`, a node of no axes, as the first element
/// of each line.
/// @throws axis_error
node_ptr make_cumulative(node_ptr input, const scan_spec& spec, node_ptr initial, const char* name,
                         std::source_location where);

}  // namespace ashlar::detail

#if !defined(ASHLAR_SEPARATE)
#include <ashlar/graph/make_scan_impl.hpp>
#endif
