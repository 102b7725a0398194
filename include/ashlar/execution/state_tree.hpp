/// \file
/// The canonical tree over arrays of states: a binary counter whose levels are arrays, so that whole rows of columns
/// merge at once. Leaves are written into buffers that the tree hands out, and merges go into a buffer already held:
/// nothing is copied on the way up.
#pragma once

#include <cstdint>
#include <cstring>

#include <ashlar/execution/scratch.hpp>
#include <ashlar/graph/region.hpp>

namespace ashlar::detail {

inline constexpr int max_reducers = 32;

/// States of every reducer of a layer, with the number of elements behind each column.
struct states {
  unsigned char* memory = nullptr;
  std::int64_t count = 0;
};

/// What all states of a layer share.
class state_layout {
 public:
  explicit state_layout(const layer& l) : layer_(&l), isa_(static_cast<int>(current_isa())) {}

  int reducers() const noexcept { return static_cast<int>(layer_->reducers.size()); }
  const reducer_descriptor& reducer(int k) const noexcept {
    return *layer_->reducers[static_cast<std::size_t>(k)].reducer;
  }
  const reducer_entries& entries(int k) const noexcept { return reducer(k).host[isa_]; }
  int value(int k) const noexcept { return layer_->reducers[static_cast<std::size_t>(k)].value; }
  std::int64_t bytes(std::int64_t columns) const { return state_bytes(*layer_, columns) - state_header; }

  /// Pointers to column `first` of every reducer's fields, in memory for `columns` columns.
  void refs(unsigned char* memory, std::int64_t columns, std::int64_t first, state_ref* out) const {
    for (int k = 0; k < reducers(); ++k) {
      const reducer_descriptor& r = reducer(k);
      for (int f = 0; f < r.fields; ++f) {
        const std::int64_t size = itemsize(r.field[f]);
        out[k].field[f] = memory + first * size;
        memory += round_up(columns * size, 64);
      }
    }
  }

  /// out = a followed by b, for `n` columns of each; out may be a.
  void merge(const state_ref* out, const state_ref* a, const state_ref* b, std::int64_t n, std::int64_t count_a,
             std::int64_t count_b) const {
    for (int k = 0; k < reducers(); ++k) entries(k).merge(out[k], a[k], b[k], n, count_a, count_b);
  }

  void identity(const state_ref* out, std::int64_t n) const {
    for (int k = 0; k < reducers(); ++k) reducer(k).identity(out[k], n);
  }

 private:
  const layer* layer_;
  int isa_;
};

class state_tree {
 public:
  /// For at most `leaves` leaves of `columns` columns.
  state_tree(const state_layout& layout, scratch_stack& scratch, std::int64_t columns, std::int64_t leaves)
      : layout_(layout), columns_(columns) {
    int levels = 2;
    while ((std::int64_t{1} << (levels - 1)) <= leaves) ++levels;
    const std::int64_t bytes = layout.bytes(columns);
    free_ = scratch.take_array<unsigned char*>(levels);
    level_ = scratch.take_array<states>(levels);
    unsigned char* memory = scratch.take(bytes * levels);
    for (int k = 0; k < levels; ++k) free_[frees_++] = memory + k * bytes;
  }

  /// Memory for the next leaf; push() it, or take another.
  unsigned char* leaf() noexcept { return free_[frees_ - 1]; }

  /// The states in leaf() become the next leaf.
  void push(std::int64_t count) {
    unsigned char* const memory = free_[--frees_];
    insert(memory, count);
  }

  bool empty() const noexcept { return pushed_ == 0; }

  /// The root, or identities when nothing was pushed. Valid as long as the tree.
  states total() {
    if (pushed_ == 0) {
      state_ref r[max_reducers];
      layout_.refs(leaf(), columns_, 0, r);
      layout_.identity(r, columns_);
      return {leaf(), 0};
    }
    int l = 0;
    std::int64_t bits = pushed_;
    for (; (bits & 1) == 0; bits >>= 1) ++l;
    states s = level_[l];
    for (bits >>= 1, ++l; bits != 0; bits >>= 1, ++l) {
      if ((bits & 1) != 0) s = merged(level_[l], s);
    }
    return s;
  }

 private:
  states merged(const states& a, const states& b) {
    state_ref ra[max_reducers];
    state_ref rb[max_reducers];
    layout_.refs(a.memory, columns_, 0, ra);
    layout_.refs(b.memory, columns_, 0, rb);
    layout_.merge(ra, ra, rb, columns_, a.count, b.count);
    return {a.memory, a.count + b.count};
  }

  void insert(unsigned char* memory, std::int64_t count) {
    states s{memory, count};
    int l = 0;
    for (std::int64_t bits = pushed_; (bits & 1) != 0; bits >>= 1, ++l) {
      unsigned char* const used = s.memory;
      s = merged(level_[l], s);
      free_[frees_++] = used;
    }
    level_[l] = s;
    ++pushed_;
  }

  const state_layout& layout_;
  std::int64_t columns_;
  unsigned char** free_ = nullptr;
  int frees_ = 0;
  states* level_ = nullptr;
  std::int64_t pushed_ = 0;
};

}  // namespace ashlar::detail
