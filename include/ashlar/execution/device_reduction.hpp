/// \file
/// Reductions on a device, in the canonical order of graph/reducer.hpp. Every canonical block of the group goes through
/// the same passes: rows or columns of elements, folds of the further axes, then the tree over the blocks of a task.
/// Passes whose loops are equal are one launch.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include <ashlar/execution/device_elementwise.hpp>

namespace ashlar::detail {

/// States in device memory: an address, and where the fields begin.
struct device_states {
  unsigned char* data = nullptr;
  device_fields fields;
};

/// Where the fields of `columns` states begin when they lie one behind the other, from `first` on; @returns the end.
inline std::int64_t lay_fields(const reducer_descriptor& r, std::int64_t columns, std::int64_t first,
                               device_fields& fields) {
  for (int f = 0; f < r.fields; ++f) {
    fields.offset[f] = first;
    first += round_up(columns * itemsize(r.field[f]), 64);
  }
  return first;
}

/// Where the fields of reducer `k` begin in a chunk that holds the states of all reducers of a layer.
inline device_fields chunk_fields(const layer& l, std::size_t k, std::int64_t columns) {
  device_fields fields;
  std::int64_t first = state_header;
  for (std::size_t i = 0; i <= k; ++i) {
    fields = {};
    first = lay_fields(*l.reducers[i].reducer, columns, first, fields);
  }
  return fields;
}

inline void append_key(std::vector<std::int64_t>& key, const device_fields& f) {
  for (const std::int64_t o : f.offset) key.push_back(o);
}

/// Values of an expression that a pass computes as it reads the expression's inputs, which have the strides of the
/// first.
struct computed_value {
  const device_fused* passes = nullptr;  // null: a value that lies in memory
  const void* parameters = nullptr;
  std::vector<const void*> inputs;
};

/// Items of one kind of pass.
template <class Work>
struct pass_batch {
  Work work;
  std::vector<const void*> in;
  std::vector<void*> out;
  std::vector<std::int64_t> numbers;  // first indices, or counts of leaves

  void place(device_room& room) {
    work.in = room.upload(in);
    work.out = room.upload(out);
    work.items = static_cast<std::int64_t>(out.size());
  }
};

template <class Work>
struct computed_batch : pass_batch<Work> {
  const device_fused* passes = nullptr;
  const void* parameters = nullptr;
};

/// The passes of one reducer of a layer, in the order in which they run.
class reduction_passes {
 public:
  reduction_passes(device_api& api, const reducer_descriptor& r, device_room& room)
      : api_(api), reducer_(r), room_(room) {}

  /// The states of one canonical block go to `to`; its elements are at `value`. `reduced` by axis; `index` by axis.
  /// `computed`, when its passes are not null, says how elements come from inputs with the strides of `value`; then
  /// the first pass must be one over rows or columns, see takes_computed().
  void add_block(const box& b, const bool* reduced, const device_operand& value, std::int64_t first_index,
                 const std::int64_t* index_stride, const device_states& to, const computed_value& computed = {}) {
    computed_ = &computed;
    std::int64_t kept = 1;
    for (int a = 0; a < b.ndim; ++a) kept *= reduced[a] ? 1 : b.length[a];
    if (kept == 0) return;
    if (b.size() == 0) return add_tree({}, {}, {}, kept, to);
    const int last = b.ndim - 1;
    int first_reduced = b.ndim;
    for (int a = last; a >= 0; --a) {
      if (reduced[a]) first_reduced = a;
    }
    const bool rows = last >= 0 && reduced[last];
    const bool columns = !rows && last >= 1 && reduced[last - 1];
    const int d = rows ? last : columns ? last - 1 : b.ndim;  // the first pass does the axes from here on
    std::int64_t count = 1;
    std::int64_t below = 1;  // states of one index of the axes before
    for (int a = d; a < b.ndim; ++a) (reduced[a] ? count : below) *= b.length[a];
    std::int64_t states = below;
    for (int a = 0; a < d; ++a) states *= b.length[a];
    device_states at = first_reduced >= d ? to : room_for(states);
    if (rows) {
      add_rows(b, value, first_index, index_stride, at);
    } else if (columns) {
      add_columns(b, value, first_index, index_stride, at);
    } else {
      add_lift(b, value, first_index, index_stride, at);
    }
    int level = 0;
    for (int a = d - 1; a >= first_reduced; --a) {
      if (!reduced[a]) {
        below *= b.length[a];
        continue;
      }
      std::int64_t outer = 1;
      for (int c = 0; c < a; ++c) outer *= b.length[c];
      const device_states next = a == first_reduced ? to : room_for(outer * below);
      add_fold(level++, outer, b.length[a], below, count, at, next);
      count *= b.length[a];
      at = next;
    }
  }

  /// Whether the first pass over such boxes is one that can compute elements.
  static bool takes_computed(int ndim, const bool* reduced) {
    return ndim >= 1 && (reduced[ndim - 1] || (ndim >= 2 && reduced[ndim - 2]));
  }

  device_states room_for(std::int64_t columns) {
    device_states s;
    const std::int64_t bytes = lay_fields(reducer_, columns, 0, s.fields);
    s.data = static_cast<unsigned char*>(room_.room(bytes));
    return s;
  }

  /// The tree over states that lie apart; fields of all of them begin at `in_fields`.
  void add_tree(const std::vector<const void*>& in, const std::vector<std::int64_t>& counts,
                const device_fields& in_fields, std::int64_t columns, const device_states& to, std::size_t level = 0) {
    if (trees_.size() <= level) trees_.resize(level + 1);
    key_.assign({static_cast<std::int64_t>(in.size()), columns});
    append_key(key_, in_fields);
    append_key(key_, to.fields);
    const auto [b, fresh] = trees_[level].at(key_);
    if (fresh) {
      b->work.leaves = static_cast<std::int64_t>(in.size());
      b->work.columns = columns;
      b->work.in_fields = in_fields;
      b->work.fields = to.fields;
    }
    b->in.insert(b->in.end(), in.begin(), in.end());
    b->numbers.insert(b->numbers.end(), counts.begin(), counts.end());
    b->out.push_back(to.data);
  }

  void launch() {
    run(rows_);
    run(columns_);
    run_computed(computed_rows_);
    run_computed(computed_columns_);
    run(lifts_);
    for (auto& level : folds_) run(level);
    for (auto& level : trees_) run(level);
  }

 private:
  template <class Work>
  void run(keyed_batches<pass_batch<Work>>& batches) {
    for (auto& b : batches.values()) {
      b.place(room_);
      if constexpr (requires { b.work.first_index; }) {
        if (reducer_.needs_index) b.work.first_index = room_.upload(b.numbers);
      }
      if constexpr (requires { b.work.counts; }) b.work.counts = room_.upload(b.numbers);
      api_.run(room_, reducer_, b.work);
    }
    batches.clear();
  }

  template <class Work>
  void run_computed(keyed_batches<computed_batch<Work>>& batches) {
    for (auto& b : batches.values()) {
      b.place(room_);
      if (reducer_.needs_index) b.work.first_index = room_.upload(b.numbers);
      api_.run(room_, *b.passes, b.parameters, b.work);
    }
    batches.clear();
  }

  /// The batch of a key, among those that compute elements where `computed_` says so; `set` fills new work.
  template <class Work, class Set>
  void add_item(keyed_batches<pass_batch<Work>>& stored, keyed_batches<computed_batch<Work>>& computed,
                const device_operand& value, std::int64_t first_index, const device_states& to, Set set) {
    if (computed_->passes == nullptr) {
      const auto [batch, fresh] = stored.at(key_);
      if (fresh) set(batch->work);
      batch->in.push_back(value.data);
      batch->out.push_back(to.data);
      batch->numbers.push_back(first_index);
      return;
    }
    const auto [batch, fresh] = computed.at(key_);
    if (fresh) {
      set(batch->work);
      batch->passes = computed_->passes;
      batch->parameters = computed_->parameters;
    }
    batch->in.insert(batch->in.end(), computed_->inputs.begin(), computed_->inputs.end());
    batch->out.push_back(to.data);
    batch->numbers.push_back(first_index);
  }

  /// Joins axes [0, ndim) of the element's strides and the index's. What is reduced was packed when it had more loops
  /// than a launch has room for.
  joined_loops join(int ndim, const box& b, const device_operand& value, const std::int64_t* index_stride) const {
    const std::int64_t* const strides[2] = {value.stride, index_stride};
    return join_loops(ndim, b.length, reducer_.needs_index ? 2 : 1, strides);
  }

  void start_key(const joined_loops& j, const device_states& to) {
    key_.clear();
    append_key(key_, inner_loops(j, 0));
    if (reducer_.needs_index) append_key(key_, inner_loops(j, 1));
    append_key(key_, to.fields);
  }

  template <class Work>
  void set_outer(Work& w, const joined_loops& j, const device_states& to) const {
    const device_loops l = inner_loops(j, 0);
    if constexpr (requires { w.outer; }) {
      w.outer = l;
    } else {
      w.loops = l;
    }
    w.fields = to.fields;
    if (!reducer_.needs_index) return;
    const device_loops i = inner_loops(j, 1);
    for (int a = 0; a < i.ndim; ++a) w.index_stride[a] = i.stride[a];
  }

  void add_rows(const box& b, const device_operand& value, std::int64_t first, const std::int64_t* index,
                const device_states& to) {
    const int last = b.ndim - 1;
    const joined_loops j = join(last, b, value, index);
    start_key(j, to);
    for (const std::int64_t k : {b.length[last], value.stride[last], index[last]}) key_.push_back(k);
    add_item(rows_, computed_rows_, value, first, to, [&](device_rows& w) {
      set_outer(w, j, to);
      w.n = b.length[last];
      w.step = value.stride[last];
      w.index_step = index[last];
    });
  }

  void add_columns(const box& b, const device_operand& value, std::int64_t first, const std::int64_t* index,
                   const device_states& to) {
    const int last = b.ndim - 1;
    const joined_loops j = join(last - 1, b, value, index);
    start_key(j, to);
    for (int a = last - 1; a <= last; ++a) {
      for (const std::int64_t k : {b.length[a], value.stride[a], index[a]}) key_.push_back(k);
    }
    add_item(columns_, computed_columns_, value, first, to, [&](device_columns& w) {
      set_outer(w, j, to);
      w.rows = b.length[last - 1];
      w.row_stride = value.stride[last - 1];
      w.columns = b.length[last];
      w.column_stride = value.stride[last];
      w.index_row_step = index[last - 1];
      w.index_column_step = index[last];
    });
  }

  void add_lift(const box& b, const device_operand& value, std::int64_t first, const std::int64_t* index,
                const device_states& to) {
    const joined_loops j = join(b.ndim, b, value, index);
    start_key(j, to);
    const auto [batch, fresh] = lifts_.at(key_);
    if (fresh) set_outer(batch->work, j, to);
    batch->in.push_back(value.data);
    batch->out.push_back(to.data);
    batch->numbers.push_back(first);
  }

  void add_fold(int level, std::int64_t outer, std::int64_t n, std::int64_t columns, std::int64_t count,
                const device_states& from, const device_states& to) {
    if (folds_.size() <= to_index(level)) folds_.resize(to_index(level) + 1);
    key_.assign({outer, n, columns, count});
    append_key(key_, from.fields);
    append_key(key_, to.fields);
    const auto [b, fresh] = folds_[to_index(level)].at(key_);
    if (fresh) {
      device_fold& w = b->work;
      w.outer = outer;
      w.n = n;
      w.columns = columns;
      w.count = count;
      w.in_fields = from.fields;
      w.fields = to.fields;
    }
    b->in.push_back(from.data);
    b->out.push_back(to.data);
  }

  device_api& api_;
  const reducer_descriptor& reducer_;
  device_room& room_;
  keyed_batches<pass_batch<device_rows>> rows_;
  keyed_batches<pass_batch<device_columns>> columns_;
  keyed_batches<computed_batch<device_rows>> computed_rows_;
  keyed_batches<computed_batch<device_columns>> computed_columns_;
  keyed_batches<pass_batch<device_lift>> lifts_;
  std::vector<keyed_batches<pass_batch<device_fold>>> folds_;
  std::vector<keyed_batches<pass_batch<device_tree>>> trees_;
  std::vector<std::int64_t> key_;
  const computed_value* computed_ = nullptr;  // of the block that is being added
};

}  // namespace ashlar::detail
