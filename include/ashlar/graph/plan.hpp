/// \file
/// The frozen run: layers, tasks = (layer, block), edges, order, bytes. A plan is constant once built; everything that
/// changes while it runs lives in execution/run.hpp, so two runs of one plan at once are legal.
///
/// A layer owns what all its tasks share; a task is an index. Six kinds of layer suffice for arrays: *elementwise*
/// (a tape of kernels over one block of the result), *partial* (a tape whose values are reduced, several reducers
/// sharing the pass), *combine* (states of neighbouring blocks merged along one axis), *blockwise* (a user's function
/// makes one block of the result from parts of its operands), *scan* (a tape whose values are scanned; each block goes
/// on from the one before it along the axis), *movement* (a block of the result is put together from parts of the
/// operands). The last layer of a reduction also turns states into results.
#pragma once

#include <cstdint>
#include <memory>
#include <source_location>
#include <string>
#include <vector>

#include <ashlar/block_grid.hpp>
#include <ashlar/graph/node.hpp>
#include <ashlar/graph/task_graph.hpp>

namespace ashlar::detail {

// Sizes of the pieces that a tape works on, chosen by measurement: they and what they become stay in the first-level
// cache.
inline constexpr std::int64_t tile_elements = 1024;        // elementwise, and rows that are reduced
inline constexpr std::int64_t column_tile_elements = 256;  // columns beside 16 rows that are reduced

/// Canonical blocks that one task may take side by side.
inline constexpr std::int64_t max_strip = 64;

/// Where one input of a tape comes from.
struct leaf {
  const source* from = nullptr;  // null: the value of another layer
  int layer = -1;
  int output = 0;
  bool in_result = false;  // the other layer writes it into a result, not into blocks
  dtype type = dtype::float64;
  ashlar::shape shape;  // as the tape reads it
  block_grid grid;      // blocks in which it is stored; used for persisted blocks and layer values
  view_ptr view;        // null: it is read as it is stored
  ashlar::shape stored;
};

struct tape_step {
  const kernel* call = nullptr;
  int inputs = 0;
  int input[max_kernel_inputs] = {};  // registers
  int output = 0;                     // register
  std::int64_t output_size = 8;       // bytes of an element
};

/// Registers 0 … leaves-1 are the leaves; each further one is the output of a step. Steps of one tape run one after the
/// other on a piece that stays in the first-level cache.
struct tape {
  std::vector<leaf> leaves;
  std::vector<tape_step> steps;
  std::vector<dtype> types;  // by register
  std::vector<int> slot;     // by register: scratch slot; leaves have one of their own, steps share
  int slots = 0;
  std::vector<int> after;  // layers of one task that has to run before, though nothing of it is read
};

/// Operations as they were written that the tape does in one pass.
inline int operations_of(const tape& t) noexcept {
  int operations = 0;
  for (const tape_step& s : t.steps) operations += s.call->descriptor->operations;
  return operations;
}

struct layer_output {
  dtype type = dtype::float64;
  int value = 0;  // register (elementwise, scan) or reducer (reductions)
  const finisher_descriptor* finisher = nullptr;
  double parameter = 0;
  block_grid grid;  // of this value
  int root = -1;    // index of the result that it is written to, or -1: a block of its own
  int sink = -1;    // index of the result whose sink takes each block, or -1
  const node* made_by = nullptr;
};

struct reducer_use {
  const reducer_descriptor* reducer = nullptr;
  int value = 0;                        // register
  const device_fused* fused = nullptr;  // for the kernel of the step that makes the value
};

enum class layer_kind : std::uint8_t { elementwise, partial, combine, blockwise, scan, movement };

inline const char* kind_text(layer_kind kind) noexcept {
  switch (kind) {
    case layer_kind::elementwise:
      return "elementwise";
    case layer_kind::partial:
      return "partial";
    case layer_kind::combine:
      return "combine";
    case layer_kind::blockwise:
      return "blockwise";
    case layer_kind::scan:
      return "scan";
    case layer_kind::movement:
      return "movement";
  }
  return "";
}

struct layer {
  layer_kind kind = layer_kind::elementwise;
  std::string name;
  std::source_location where;
  ashlar::detail::tape tape;
  block_grid grid;  // elementwise, blockwise, scan: of the result; partial: of the reduced array's canonical blocks
  ashlar::shape counts;               // tasks along each axis
  std::vector<layer_output> outputs;  // empty for a layer that hands on states

  // reductions
  std::vector<reducer_use> reducers;
  std::vector<int> axes;  // reduced axes, sorted
  int grouped_axis = -1;  // reduced axis along which one task takes `group` canonical blocks in turn
  std::int64_t group = 1;
  std::int64_t strip = 1;  // canonical blocks along the last axis that one task takes side by side
  // combine
  int source_layer = -1;
  int combined_axis = 0;
  std::int64_t fan_in = 0;
  // blockwise; leaf k of the tape is operand k
  const block_rule* rule = nullptr;
  // scan
  const scan_descriptor* scan = nullptr;
  int scan_axis = 0;
  std::int64_t scan_leaf = 0;  // elements
  // movement; leaf k of the tape is operand k
  const movement_rule* movement = nullptr;

  bool kept = false;  // its blocks are the result

  std::int64_t first_task = 0;
  std::int64_t task_count = 0;
  std::int64_t skipped = 0;        // tasks that no result needs
  std::int64_t largest_chunk = 0;  // bytes
  std::int64_t scratch = 0;        // bytes that a lane needs for one task
};

/// What becomes of the results of a run.
enum class result_kind : std::uint8_t {
  arrays,  // written into whole arrays
  blocks,  // stay in blocks of their own
  sinks    // each block is handed to a sink as it is finished, and freed
};

struct plan_stats {
  std::int64_t tasks = 0;
  std::int64_t edges = 0;
  std::int64_t result_bytes = 0;
  std::int64_t all_bytes = 0;      // of all blocks together, results apart
  std::int64_t serial_bytes = 0;   // most bytes in blocks at once when one lane follows the order
  std::int64_t block_bytes = 0;    // predicted most bytes in blocks at once
  std::int64_t lane_scratch = 0;   // of one lane
  std::int64_t scratch_bytes = 0;  // all lanes
  std::int64_t source_bytes = 0;   // bytes read from memory or files
};

struct plan {
  std::vector<node_ptr> keep_alive;
  std::vector<layer> layers;
  int roots = 0;
  std::vector<std::pair<int, int>> root_value;  // (layer, output) of each result
  result_kind results = result_kind::arrays;
  std::vector<int> root_of;  // result index → distinct root (equal results are computed once)

  // by task
  std::vector<std::uint32_t> layer_of;
  std::vector<std::int64_t> pred_begin;  // CSR
  std::vector<std::uint32_t> pred;
  std::vector<std::int64_t> chunk_bytes;  // 0: writes into a result
  std::vector<char> skipped;              // tasks that no result needs, and that do nothing; empty: none
  std::vector<std::uint32_t> rank;        // position in the order
  std::vector<std::uint32_t> order;       // tasks by rank
  task_graph graph;                       // successors of each task by rank

  plan_stats stats;
  int lanes = 1;

  std::uint32_t tasks() const noexcept { return static_cast<std::uint32_t>(layer_of.size()); }
};

}  // namespace ashlar::detail
