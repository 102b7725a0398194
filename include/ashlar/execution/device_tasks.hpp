/// \file
/// The tasks of a group on a device, by kind of layer. add() collects, launch() starts what was collected.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <ashlar/execution/device_elementwise.hpp>

namespace ashlar::detail {

/// What tasks know of the run.
struct device_context {
  device_api& api;
  const plan& p;
  const device_values& values;
  std::vector<std::int64_t>& counts;  // by task: elements behind its states
};

/// The tasks of one layer that run together.
class device_group {
 public:
  virtual ~device_group() = default;
  virtual void add(std::uint32_t task, const std::int64_t* coords, unsigned char* chunk) = 0;
  virtual void launch() = 0;
};

/// Where a task writes its block: the address of its first element, and strides in elements.
inline unsigned char* open_device_block(const device_context& c, const layer_output& out, const box& b,
                                        unsigned char* chunk, std::int64_t* stride) {
  const strides s = out.root >= 0 ? row_major_strides(out.made_by->shape) : packed_strides(b);
  std::int64_t at = 0;
  for (int a = 0; a < b.ndim; ++a) {
    stride[a] = s[a];
    if (out.root >= 0) at += b.offset[a] * s[a];
  }
  return (out.root >= 0 ? c.values.result(out.root) : chunk) + at * itemsize(out.type);
}

class device_elementwise_group final : public device_group {
 public:
  device_elementwise_group(const device_context& c, const layer& l, device_room& room)
      : c_(c), l_(l), room_(room), operands_(c.api, c.p, c.values, room), tape_(c.api, l.tape, operands_, room) {}

  void add(std::uint32_t, const std::int64_t* coords, unsigned char* chunk) override {
    const box b = task_box(l_, coords);
    if (b.size() == 0) return;
    const layer_output& out = l_.outputs[0];
    std::int64_t stride[max_ndim];
    unsigned char* const to = open_device_block(c_, out, b, chunk, stride);
    const bool copies = out.value < static_cast<int>(l_.tape.leaves.size());
    tape_.add(b, copies ? -1 : out.value, to, stride);
    if (!copies) return;
    const device_operand& from = tape_.at(out.value);
    copies_.add(itemsize(out.type), b.ndim, b.length, from.data, from.stride, to, stride);
  }

  void launch() override {
    operands_.prepare();
    tape_.launch();
    copies_.launch(c_.api, room_);
  }

 private:
  const device_context& c_;
  const layer& l_;
  device_room& room_;
  device_operands operands_;
  device_tape tape_;
  device_copies copies_;
};

}  // namespace ashlar::detail
