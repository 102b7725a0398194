/// \file
/// Element-wise tasks on a device: each step of the tape is one launch over all blocks of the group that have the same
/// loops. A value that is needed in between lies packed in room of the group.
#pragma once

#include <cstdint>
#include <vector>

#include <ashlar/execution/device_operands.hpp>

namespace ashlar::detail {

/// Launches of one kernel, collected by loops.
class device_launches {
 public:
  /// Operand 0 is the output. Strides by axis [0, ndim), in elements.
  void add(int ndim, const std::int64_t* length, int operands, unsigned char* const* data,
           const std::int64_t* const* stride, const std::int64_t* size) {
    for (int a = 0; a < ndim; ++a) {
      if (length[a] == 0) return;
    }
    const joined_loops j = join_loops(ndim, length, operands, stride);
    key_.clear();
    device_loops loops;
    for (int k = 0; k < operands; ++k) {
      loops = inner_loops(j, k);
      append_key(key_, loops);
    }
    const auto [b, fresh] = batches_.at(key_);
    if (fresh) {
      b->work.ndim = loops.ndim;
      for (int a = 0; a < loops.ndim; ++a) b->work.extent[a] = loops.extent[a];
      for (int k = 0; k < operands; ++k) {
        const device_loops l = inner_loops(j, k);
        for (int a = 0; a < l.ndim; ++a) (k == 0 ? b->work.out_stride : b->in_stride[k - 1])[a] = l.stride[a];
      }
    }
    for_each_outer(j, operands, [&, batch = b](const std::int64_t* at) {
      for (int k = 0; k < operands; ++k) batch->table.push_back(data[k] + at[k] * size[k]);
      ++batch->work.items;
    });
  }

  void launch(device_api& api, const kernel& call, device_room& room) {
    for (batch& b : batches_.values()) {
      b.work.in_stride = b.in_stride;
      b.work.table = b.work.items == 1 ? b.table.data() : room.upload(b.table);
      api.run(room, call, b.work);
    }
    batches_.clear();
  }

 private:
  struct batch {
    device_elementwise work;
    std::int64_t in_stride[max_kernel_inputs][device_axes] = {};
    std::vector<void*> table;
  };
  keyed_batches<batch> batches_;
  std::vector<std::int64_t> key_;
};

/// A tape over many boxes. Values that are asked for are where the leaves are, or packed in room of the group.
class device_tape {
 public:
  device_tape(device_api& api, const tape& t, device_operands& operands, device_room& room)
      : api_(api), tape_(t), operands_(operands), room_(room), launches_(t.steps.size()) {}

  /// Bytes that the values in between need for a box of `n` elements.
  static std::int64_t bytes_between(const tape& t, std::int64_t n, int direct) {
    std::int64_t bytes = 0;
    for (const tape_step& s : t.steps) {
      if (s.output != direct) bytes += round_up(n * s.output_size, device_alignment);
    }
    return bytes;
  }

  /// As add(), without the steps that `skipped` marks: their values are not made.
  void add(const box& b, const std::vector<char>& skipped) {
    skipped_ = &skipped;
    add(b, -1, nullptr, nullptr);
    skipped_ = nullptr;
  }

  /// The box `b` of a task; register `direct` is written to `out` with `out_stride` (-1: none). The operands of all
  /// registers are left in at().
  void add(const box& b, int direct, unsigned char* out, const std::int64_t* out_stride) {
    at_.assign(tape_.types.size(), {});
    for (std::size_t k = 0; k < tape_.leaves.size(); ++k) {
      at_[k] = operands_.open(tape_.leaves[k], operand_box(b, tape_.leaves[k].shape), b.ndim);
    }
    if (b.size() == 0) return;
    const strides packed = packed_strides(b);
    for (std::size_t s = 0; s < tape_.steps.size(); ++s) {
      if (skipped_ != nullptr && (*skipped_)[s] != 0) continue;
      const tape_step& step = tape_.steps[s];
      device_operand& to = at_[to_index(step.output)];
      if (step.output == direct) {
        to.data = out;
        for (int a = 0; a < b.ndim; ++a) to.stride[a] = out_stride[a];
      } else {
        to.data = static_cast<unsigned char*>(room_.room(b.size() * step.output_size));
        for (int a = 0; a < b.ndim; ++a) to.stride[a] = packed[a];
      }
      unsigned char* data[max_joined_operands];
      const std::int64_t* stride[max_joined_operands];
      std::int64_t size[max_joined_operands];
      data[0] = to.data;
      stride[0] = to.stride;
      size[0] = step.output_size;
      for (int k = 0; k < step.inputs; ++k) {
        const device_operand& in = at_[to_index(step.input[k])];
        data[k + 1] = in.data;
        stride[k + 1] = in.stride;
        size[k + 1] = itemsize(tape_.types[to_index(step.input[k])]);
      }
      launches_[s].add(b.ndim, b.length, step.inputs + 1, data, stride, size);
    }
  }

  const device_operand& at(int r) const { return at_[to_index(r)]; }

  void launch() {
    for (std::size_t s = 0; s < tape_.steps.size(); ++s) launches_[s].launch(api_, *tape_.steps[s].call, room_);
  }

 private:
  device_api& api_;
  const tape& tape_;
  device_operands& operands_;
  device_room& room_;
  std::vector<device_launches> launches_;
  std::vector<device_operand> at_;
  const std::vector<char>* skipped_ = nullptr;
};

}  // namespace ashlar::detail
