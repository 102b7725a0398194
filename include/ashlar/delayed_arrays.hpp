/// \file
/// Between arrays and tasks that are none: to_delayed() gives the blocks of an array to delayed calls, from_delayed()
/// makes an array of what delayed calls give.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <source_location>
#include <string>
#include <utility>
#include <vector>

#include <ashlar/array.hpp>
#include <ashlar/chunks.hpp>
#include <ashlar/delayed.hpp>
#include <ashlar/detail/unify_chunks.hpp>
#include <ashlar/graph/region.hpp>
#include <ashlar/graph/source.hpp>

namespace ashlar {

namespace detail {

/// A packed, row-major block and what keeps it alive.
struct packed_block {
  const void* data = nullptr;
  buffer owner;
};

/// Blocks that delayed calls make, in C order.
class delayed_source final : public source {
 public:
  explicit delayed_source(std::vector<delayed<packed_block>> blocks) : blocks_(std::move(blocks)) {}

  const char* name() const noexcept override { return "delayed"; }
  void fill(std::int64_t, std::int64_t, void*) const override {}
  bool pending() const noexcept override { return true; }

  /// All in one run, so that what they share is made once. They are the only sources that are ever pending.
  std::vector<source_ptr> make(const std::vector<const source*>& all, const executor_ref& where,
                               const run_options& options) const override {
    std::vector<task_input> roots;
    for (const source* s : all) {
      for (const auto& b : static_cast<const delayed_source*>(s)->blocks_) roots.push_back(root_of(b));
    }
    run_options quiet;  // what watches the run of the arrays does not watch this one
    quiet.stop = options.stop;
    quiet.timeout = options.timeout;
    delayed_results results(where, roots, quiet);
    std::size_t next = 0;
    std::vector<source_ptr> made;
    for (const source* s : all) {
      const std::size_t count = static_cast<const delayed_source*>(s)->blocks_.size();
      auto owners = std::make_shared<std::vector<packed_block>>();
      std::vector<const void*> data;
      owners->reserve(count);
      data.reserve(count);
      for (std::size_t k = 0; k < count; ++k) {
        owners->push_back(take_result<packed_block>(results, next++));
        data.push_back(owners->back().data);
      }
      made.push_back(std::make_shared<blocks_source>(std::move(data), std::move(owners)));
    }
    return made;
  }

 private:
  std::vector<delayed<packed_block>> blocks_;
};

/// Checks a block, and packs it where it is not.
template <class T>
struct pack_block {
  ashlar::shape expected;
  std::int64_t number;

  packed_block operator()(const ndarray<T>& block) const {
    if (block.shape() != expected) {
      throw shape_error("from_delayed: block " + std::to_string(number) + " has shape " + block.shape().to_string() +
                        ", and by the chunks it has shape " + expected.to_string());
    }
    const ndarray<T> dense = block.contiguous();
    return {dense.data(), dense.owner()};
  }
};

/// Computes an array into blocks that stay.
template <class T>
struct keep_blocks {
  array<T> x;
  source_ptr operator()() const { return x.persist().node()->from; }
};

/// One block of them, as a view.
template <class T>
struct view_block {
  box where;

  ndarray<T> operator()(const source_ptr& kept, std::int64_t number) const {
    ashlar::shape extents;
    for (int a = 0; a < where.ndim; ++a) extents.push_back(where.length[a]);
    ashlar::strides steps = row_major_strides(extents);
    const T* data = nullptr;
    if (const memory_view* m = kept->memory(); m != nullptr) {
      steps = m->strides;
      data = static_cast<const T*>(m->data);
      for (int a = 0; a < where.ndim; ++a) data += where.offset[a] * steps[a];
    } else {
      data = static_cast<const T*>(kept->blocks()[number]);
    }
    T* const own = const_cast<T*>(data);
    return ndarray<T>(buffer::adopt(own, static_cast<std::size_t>(extents.size()) * sizeof(T), kept), own, extents,
                      steps);
  }
};

}  // namespace detail

/// The array of one block that a delayed call gives. It is called anew in each compute(), before the blocks of the
/// array are, on the same executor; compute(a, b) of several arrays makes what their calls share once. memory_limit
/// does not count what delayed calls hold. @throws in compute(): task_error, also for a block of another shape
template <element T>
array<T> from_delayed(const delayed<ndarray<T>>& block, const shape& extents,
                      std::source_location where = std::source_location::current());

/// The array whose blocks, in C order, are given by delayed calls. @throws shape_error unless there are as many of them
/// as blocks; chunk_error
template <element T>
array<T> from_delayed(const std::vector<delayed<ndarray<T>>>& blocks, const shape& extents,
                      const creation_options& options, std::source_location where = std::source_location::current()) {
  block_grid grid =
      normalize_chunks(options.chunks, extents, static_cast<std::int64_t>(sizeof(T)), nullptr, "from_delayed");
  if (grid.count() != static_cast<std::int64_t>(blocks.size())) {
    throw shape_error("from_delayed: " + std::to_string(blocks.size()) + " blocks are given, and shape " +
                      extents.to_string() + " in chunks " + grid.to_string() + " has " + std::to_string(grid.count()));
  }
  std::vector<delayed<detail::packed_block>> packed;
  packed.reserve(blocks.size());
  for (std::size_t k = 0; k < blocks.size(); ++k) {
    const auto number = static_cast<std::int64_t>(k);
    const delayed pack(detail::pack_block<T>{grid.block_shape(number), number}, {.name = "from_delayed"}, where);
    packed.push_back(pack(blocks[k], where));
  }
  return array<T>(detail::make_source(std::make_shared<detail::delayed_source>(std::move(packed)), dtype_of<T>, extents,
                                      std::move(grid), where));
}

template <element T>
array<T> from_delayed(const delayed<ndarray<T>>& block, const shape& extents, std::source_location where) {
  return from_delayed(std::vector<delayed<ndarray<T>>>{block}, extents, {.chunks = full}, where);
}

/// The blocks of an array as delayed values, in C order (those of x.chunks()). All of them are computed at once, on the
/// default executor, by one task that all blocks wait for, and stay until the last of them has gone. Blocks are views
/// of memory that is made for each run and shared with nothing else, so a call may write to the block that it is given
/// when no other call is.
template <lazy X>
auto to_delayed(const X& x, std::source_location where = std::source_location::current()) {
  using T = value_type_t<X>;
  const array<T> whole(detail::node_of(x, where));
  const block_grid& grid = whole.chunks();
  grid.require_known("to_delayed");
  const delayed compute_all(detail::keep_blocks<T>{whole}, {.name = "to_delayed"}, where);
  const delayed<detail::source_ptr> kept = compute_all(where);
  std::vector<delayed<ndarray<T>>> blocks;
  const std::int64_t count = grid.count();
  if (count > most_listed_blocks) {
    throw chunk_error("to_delayed: " + grid.to_string() + " are " + std::to_string(count) +
                      " blocks; use larger chunks");
  }
  blocks.reserve(static_cast<std::size_t>(count));
  std::int64_t position[max_ndim] = {};
  for (std::int64_t k = 0; k < count; ++k) {
    grid.coords(k, position);
    const delayed view(detail::view_block<T>{detail::block_box(grid, position)}, {.name = "block"}, where);
    blocks.push_back(view(kept, k, where));
  }
  return blocks;
}

}  // namespace ashlar
