/// \file
/// Movement on a device: a block is copied together from the parts of its operands, where they lie.
#pragma once

#include <cstdint>
#include <vector>

#include <ashlar/execution/device_tasks.hpp>
#include <ashlar/execution/movement_task.hpp>

namespace ashlar::detail {

class device_movement_group final : public device_group {
 public:
  device_movement_group(const device_context& c, const layer& l, device_room& room)
      : c_(c), l_(l), room_(room), operands_(c.api, c.p, c.values, room) {}

  void add(std::uint32_t, const std::int64_t* coords, unsigned char* chunk) override {
    const box b = task_box(l_, coords);
    if (b.size() == 0) return;
    const movement_rule& rule = *l_.movement;
    const layer_output& out = l_.outputs[0];
    const std::int64_t size = itemsize(out.type);
    std::int64_t stride[max_ndim];
    unsigned char* const target = open_device_block(c_, out, b, chunk, stride);
    if (rule.reshapes()) return add_reshaped(b, target, stride);
    const operand_range operands = operands_in(rule, l_.tape.leaves.size(), b);
    for (std::size_t k = operands.first; k < operands.end; ++k) {
      const leaf& f = l_.tape.leaves[k];
      const box part = placed_part(rule, k, f.shape, b);
      if (part.size() == 0) continue;
      unsigned char* to = target;
      std::int64_t step[max_ndim] = {};
      for (int a = 0; a < b.ndim; ++a) {
        const std::int64_t start = rule.places.empty() ? 0 : rule.places[k].start[a];
        const std::int64_t by = rule.places.empty() ? 1 : rule.places[k].step[a];
        to += (start + by * part.offset[a] - b.offset[a]) * stride[a] * size;
        step[a] = by * stride[a];
      }
      // operands that may cover earlier ones are copied after them
      move(rule.in_order >= 0 || rule.apart ? 0 : k, f, part, to, step);
    }
  }

  void launch() override {
    operands_.prepare();
    for (device_copies& c : copies_) c.launch(c_.api, room_);
    last_.launch(c_.api, room_);
  }

 private:
  void move(std::size_t turn, const leaf& f, const box& part, unsigned char* to, const std::int64_t* step) {
    const std::int64_t size = itemsize(f.type);
    if (copies_.size() <= turn) copies_.resize(turn + 1);
    const bool in_blocks = f.from == nullptr ? !f.in_result : f.from->blocks() != nullptr;
    for_each_in_one_block(f, in_blocks, part, [&](const box& piece) {
      if (piece.size() == 0) return;
      const device_operand from = operands_.open(f, piece, piece.ndim);
      std::int64_t at = 0;
      for (int a = 0; a < piece.ndim; ++a) at += (piece.offset[a] - part.offset[a]) * step[a];
      copies_[turn].add(size, piece.ndim, piece.length, from.data, from.stride, to + at * size, step);
    });
  }

  /// Each group of axes is a run of the operand; where the target's runs are cut, through packed room.
  void add_reshaped(const box& b, unsigned char* target, const std::int64_t* stride) {
    const movement_rule& rule = *l_.movement;
    const layer_output& out = l_.outputs[0];
    const leaf& f = l_.tape.leaves[0];
    const std::int64_t size = itemsize(out.type);
    const bool direct = groups_are_runs(rule, b, stride);
    unsigned char* const made = direct ? target : static_cast<unsigned char*>(room_.room(b.size() * size));
    for (const reshaped_part& p : reshaped_parts(rule, f.shape, out.made_by->shape, b)) {
      std::int64_t step[max_ndim] = {};
      std::int64_t at = 0;
      std::int64_t rest = p.start;
      std::int64_t behind = b.size();
      for (const reshape_group& g : rule.groups) {
        std::int64_t n = 1;
        std::int64_t unit = 1;
        for (int a = g.out; a < g.out_end; ++a) {
          n *= b.length[a];
          if (direct && b.length[a] != 1) unit = stride[a];
        }
        behind /= n;
        if (!direct) unit = behind;
        at += rest / behind * unit;
        rest %= behind;
        for (int a = g.in; a < g.in_end; ++a) step[a] = p.step[a] / behind * unit;
      }
      move(0, f, p.from, made + at * size, step);
    }
    if (direct) return;
    const strides packed = packed_strides(b);
    last_.add(size, b.ndim, b.length, made, packed.begin(), target, stride);
  }

  const device_context& c_;
  const layer& l_;
  device_room& room_;
  device_operands operands_;
  std::vector<device_copies> copies_;  // by turn
  device_copies last_;
};

}  // namespace ashlar::detail
