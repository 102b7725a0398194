/// \file
/// Bytes that go through a layer, from the plan alone: what reports show, pictures are coloured by, and progress
/// counts.
#pragma once

#include <cstdint>

#include <ashlar/dtype.hpp>
#include <ashlar/graph/plan.hpp>
#include <ashlar/graph/region.hpp>

namespace ashlar::detail {

struct layer_traffic {
  std::int64_t read = 0;     // from memory, files and blocks, once for each task that reads it
  std::int64_t made_up = 0;  // what generators yield, which costs time and no memory
  std::int64_t written = 0;  // blocks, states and results

  std::int64_t moved() const noexcept { return read + written; }
  /// What the time of a task is taken to be proportional to; never 0, so that empty arrays make progress too.
  std::int64_t work() const noexcept { return read + made_up + written + 1; }
};

inline std::int64_t chunk_bytes_of(const plan& p, const layer& l) {
  std::int64_t bytes = 0;
  for (std::int64_t t = l.first_task; t < l.first_task + l.task_count; ++t) {
    bytes += p.chunk_bytes[static_cast<std::size_t>(t)];
  }
  return bytes;
}

/// Elements of leaf `k` that all tasks of the layer read together. Along an axis that the leaf does not have, each task
/// reads the same elements again.
inline std::int64_t elements_read(const layer& l, std::size_t k) {
  const ashlar::shape& extents = l.tape.leaves[k].shape;
  if (l.kind == layer_kind::movement) return extents.size();
  std::int64_t elements = 1;
  if (l.kind != layer_kind::blockwise) {
    const int lead = l.counts.ndim() - extents.ndim();
    for (int a = 0; a < l.counts.ndim(); ++a) {
      elements *= a < lead || extents[a - lead] == 1 ? l.counts[a] : extents[a - lead];
    }
    return elements;
  }
  const halo* const h = l.rule->halo_of(k);
  ashlar::shape cut = ashlar::shape::filled(l.counts.ndim(), 0);  // how many of its axes an axis of the loop cuts
  for (int a = 0; a < extents.ndim(); ++a) {
    const int axis = l.rule->follows[k][static_cast<std::size_t>(a)];
    if (axis == block_rule::whole || extents[a] != l.rule->loop.axis(axis).total()) {
      elements *= extents[a];
    } else if (h == nullptr) {
      ++cut[axis];
    } else {  // of these axes none is cut twice
      const axis_blocks& blocks = l.rule->loop.axis(axis);
      std::int64_t together = 0;
      for (std::int64_t b = 0; b < blocks.count(); ++b) {
        together += reads_of(h[a], blocks.offset(b), blocks.length(b), extents[a]).elements();
      }
      elements *= together;
      cut[axis] = -1;
    }
  }
  for (int axis = 0; axis < cut.ndim(); ++axis) {
    if (cut[axis] < 0) continue;
    const axis_blocks& blocks = l.rule->loop.axis(axis);
    std::int64_t together = cut[axis] == 0 ? l.counts[axis] : cut[axis] == 1 ? blocks.total() : 0;
    for (std::int64_t b = 0; cut[axis] > 1 && b < blocks.count(); ++b) {  // blocks on a diagonal
      std::int64_t part = 1;
      for (std::int64_t again = 0; again < cut[axis]; ++again) part *= blocks.length(b);
      together += part;
    }
    elements *= together;
  }
  return elements;
}

/// States that blocks of a scan get from those before them.
inline std::int64_t handed_on_bytes(const plan& p, const layer& l) {
  std::int64_t bytes = 0;
  std::int64_t coords[max_ndim] = {};
  for (std::int64_t t = 0; t < l.task_count; ++t) {
    task_coords(l.counts, t, coords);
    if (!p.skipped.empty() && p.skipped[static_cast<std::size_t>(l.first_task + t)] != 0) continue;
    if (hands_on_states(l, coords)) bytes += scan_state_bytes(l, scan_lines(l, task_box(l, coords)));
  }
  return bytes;
}

/// Cost: one addition a task of the layer.
inline layer_traffic traffic_of(const plan& p, const layer& l) {
  layer_traffic bytes;
  bytes.written = chunk_bytes_of(p, l);
  for (const layer_output& out : l.outputs) {
    if (out.root >= 0 && out.made_by != nullptr) bytes.written += out.made_by->shape.size() * itemsize(out.type);
  }
  if (l.kind == layer_kind::scan) bytes.read += handed_on_bytes(p, l);
  if (l.source_layer >= 0) bytes.read += chunk_bytes_of(p, p.layers[static_cast<std::size_t>(l.source_layer)]);
  for (std::size_t k = 0; k < l.tape.leaves.size(); ++k) {
    const leaf& f = l.tape.leaves[k];
    const bool generated = f.from != nullptr && f.from->memory() == nullptr && f.from->blocks() == nullptr;
    (generated ? bytes.made_up : bytes.read) += needed_part(l, elements_read(l, k) * itemsize(f.type));
  }
  return bytes;
}

}  // namespace ashlar::detail
