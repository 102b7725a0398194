/// \file
/// What is asked of a device: one launch serves many blocks.
///
/// A launch costs more host time than a small block costs a device, so the blocks of a layer that can run together are
/// the *items* of one launch: they share extents and strides, and differ in addresses, which stand in tables in device
/// memory. Everything here is free of any device library, so the planner, the dispatcher and g++ see it; the entries
/// are null in files that nvcc did not compile. Strides are in elements unless said otherwise.
#pragma once

#include <cstdint>

#include <ashlar/graph/reducer.hpp>

namespace ashlar::detail {

/// Loops of an item after neighbouring axes that lie one behind the other everywhere are joined.
inline constexpr int device_axes = 6;

/// Extents and strides of nested loops, outermost first.
struct device_loops {
  int ndim = 0;
  std::int64_t extent[device_axes] = {};
  std::int64_t stride[device_axes] = {};

  std::int64_t size() const noexcept {
    std::int64_t n = 1;
    for (int a = 0; a < ndim; ++a) n *= extent[a];
    return n;
  }
};

/// Where launches go, and memory that lives until everything that was launched through the queue has run.
class device_queue {
 public:
  /// The stream, a cudaStream_t.
  virtual void* stream() const noexcept = 0;

  /// Uninitialised device memory, 256-byte aligned. @throws memory_error
  virtual void* room(std::int64_t bytes) = 0;

  /// A copy in device memory of bytes of the host, which may change or go away after the call.
  virtual void* upload(const void* from, std::int64_t bytes) = 0;

 protected:
  ~device_queue() = default;
};

// --- element-wise kernels ---

/// One launch of a kernel. Table: by item the address of the output, then those of the inputs.
struct device_elementwise {
  int ndim = 0;
  std::int64_t extent[device_axes] = {};
  std::int64_t out_stride[device_axes] = {};
  const std::int64_t (*in_stride)[device_axes] = nullptr;  // by input; on the host
  void* const* table = nullptr;                            // in device memory; for one item on the host
  std::int64_t items = 0;
};

// --- reductions ---

/// Where the fields of an item's states begin, in bytes from the item's address.
struct device_fields {
  std::int64_t offset[max_fields] = {};
};

/// States of rows of elements. An item is a nest of kept or later reduced axes, `outer`, around rows of `n` elements.
/// The states are written one behind the other, in row-major order of the outer axes.
struct device_rows {
  device_loops outer;
  std::int64_t n = 0;
  std::int64_t step = 1;
  const void* const* in = nullptr;            // device: address of the first element by item
  void* const* out = nullptr;                 // device: states by item
  device_fields fields;                       // of the states
  const std::int64_t* first_index = nullptr;  // device, by item: what an argmin reports for the first element; or null
  std::int64_t index_stride[device_axes] = {};  // by outer axis
  std::int64_t index_step = 0;                  // along the row
  std::int64_t items = 0;
};

/// States of columns: outer axes, around `rows` rows that are reduced, of `columns` elements that are kept. Leaves of
/// 16 rows, then the tree. States in row-major order of outer axes and columns.
struct device_columns {
  device_loops outer;
  std::int64_t rows = 0;
  std::int64_t row_stride = 0;
  std::int64_t columns = 0;
  std::int64_t column_stride = 1;
  const void* const* in = nullptr;
  void* const* out = nullptr;
  device_fields fields;
  const std::int64_t* first_index = nullptr;
  std::int64_t index_stride[device_axes] = {};
  std::int64_t index_row_step = 0;
  std::int64_t index_column_step = 0;
  std::int64_t items = 0;
};

/// States of one further axis: an item is outer x n x columns states, row-major, of which the axis in the middle is
/// reduced, leaves of 16 in order, then the tree. The states are those of earlier passes.
struct device_fold {
  std::int64_t outer = 1;
  std::int64_t n = 0;
  std::int64_t columns = 1;
  std::int64_t count = 1;  // elements behind each state
  const void* const* in = nullptr;
  device_fields in_fields;
  void* const* out = nullptr;
  device_fields fields;
  std::int64_t items = 0;
};

/// States of one each: every element of an item becomes a state, row-major.
struct device_lift {
  device_loops loops;
  const void* const* in = nullptr;
  void* const* out = nullptr;
  device_fields fields;
  const std::int64_t* first_index = nullptr;
  std::int64_t index_stride[device_axes] = {};
  std::int64_t items = 0;
};

/// The tree over `leaves` arrays of `columns` states each, for every item.
struct device_tree {
  std::int64_t leaves = 0;
  std::int64_t columns = 0;
  const void* const* in = nullptr;       // device: by item and leaf
  const std::int64_t* counts = nullptr;  // device: by item and leaf, elements behind each state
  device_fields in_fields;
  void* const* out = nullptr;  // device: by item
  device_fields fields;
  std::int64_t items = 0;
};

/// A reducer's passes. Each may take room from the queue for what it keeps between launches of its own.
struct device_reducer {
  void (*rows)(device_queue& q, const device_rows& work);
  void (*columns)(device_queue& q, const device_columns& work);
  void (*lift)(device_queue& q, const device_lift& work);
  void (*fold)(device_queue& q, const device_fold& work);
  void (*tree)(device_queue& q, const device_tree& work);
};

/// The passes of a reducer over the values of an expression, which are computed as they are read. Tables of addresses
/// have all inputs of the expression by item; they share the strides of the work.
struct device_fused {
  void (*rows)(device_queue& q, const void* parameters, const device_rows& work);
  void (*columns)(device_queue& q, const void* parameters, const device_columns& work);
};

/// From states to results: `columns` states an item; results lie in loops over them, row-major.
struct device_finish {
  device_loops loops;  // extents of the columns, strides of the results
  const void* const* in = nullptr;
  device_fields fields;
  const std::int64_t* counts = nullptr;  // device: by item
  double parameter = 0;
  void* const* out = nullptr;
  std::int64_t items = 0;
};

using device_finisher = void (*)(device_queue& q, const device_finish& work);

// --- copies ---

/// Items are boxes of elements of 1, 2, 4, 8 or 16 bytes that go from one place to another, both in device memory.
struct device_copy {
  int ndim = 0;
  std::int64_t extent[device_axes] = {};
  std::int64_t from_stride[device_axes] = {};
  std::int64_t to_stride[device_axes] = {};
  std::int64_t element = 8;           // bytes
  const void* const* from = nullptr;  // device, by item
  void* const* to = nullptr;          // device, by item
  std::int64_t items = 0;
};

// --- generators ---

/// Items are boxes of a generator's elements, whose linear indices are first + the sum of index times stride; each is
/// written packed, row-major.
struct device_fill {
  device_loops loops;                   // strides in linear indices
  const std::int64_t* first = nullptr;  // device, by item
  void* const* out = nullptr;           // device, by item
  std::int64_t items = 0;
};

using device_filler = void (*)(const void* generator, device_queue& q, const device_fill& work);

// --- scans ---

/// A scan of lines of blocks. A line consists of `blocks` blocks that follow each other along the scanned axis; all
/// blocks at one place of a line have the same extents: outer x length[b] x columns elements, packed, row-major, in the
/// input and in the output, of which the axis in the middle is scanned. Lines begin at the start of the axis.
struct device_scan {
  std::int64_t lines = 0;
  std::int64_t blocks = 0;
  std::int64_t outer = 1;
  std::int64_t columns = 1;
  const std::int64_t* length = nullptr;  // host: by block of a line
  std::int64_t leaf = 64;                // elements in a leaf of floating-point sums (graph/scanner.hpp)
  const void* const* in = nullptr;       // host: by line and block, addresses in device memory
  void* const* out = nullptr;            // host: likewise
};

using device_scanner = void (*)(device_queue& q, const device_scan& work);

}  // namespace ashlar::detail
