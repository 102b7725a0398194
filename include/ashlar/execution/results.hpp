/// \file
/// Where the results of a run go.
#pragma once

#include <ashlar/shape.hpp>

namespace ashlar::detail {

struct box;

/// Where a result goes: strided host memory; strides in elements.
struct result_target {
  void* data = nullptr;
  ashlar::strides strides;
};

/// Takes the blocks of a result one by one, in any order, from any thread.
class block_sink {
 public:
  block_sink() = default;
  block_sink(const block_sink&) = delete;
  block_sink& operator=(const block_sink&) = delete;
  virtual ~block_sink() = default;

  /// `data`: the elements of the box, packed, row-major. Each box comes once; boxes do not overlap.
  virtual void write(const box& where, const void* data) = 0;
};

}  // namespace ashlar::detail
