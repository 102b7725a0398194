/// \file
/// Scans on a device: all tasks of a layer at once, as lines of blocks that follow each other along the axis. The
/// device hands states on from block to block itself.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include <ashlar/execution/device_tasks.hpp>

namespace ashlar::detail {

class device_scan_group final : public device_group {
 public:
  device_scan_group(const device_context& c, const layer& l, device_room& room)
      : c_(c), l_(l), room_(room), operands_(c.api, c.p, c.values, room), tape_(c.api, l.tape, operands_, room) {}

  void add(std::uint32_t, const std::int64_t* coords, unsigned char* chunk) override {
    const box b = task_box(l_, coords);
    if (b.size() == 0) return;
    const layer_output& out = l_.outputs[0];
    std::int64_t stride[max_ndim];
    unsigned char* const target = open_device_block(c_, out, b, chunk, stride);
    const strides packed = packed_strides(b);
    block made;
    made.number = coords[l_.scan_axis];
    made.length = b.length[l_.scan_axis];
    tape_.add(b, -1, nullptr, nullptr);
    const device_operand& value = tape_.at(out.value);
    const std::int64_t in_size = itemsize(l_.scan->input);
    if (lies_packed(b, value.stride)) {
      made.in = value.data;
    } else {
      auto* const at = static_cast<unsigned char*>(room_.room(b.size() * in_size));
      packing_.add(in_size, b.ndim, b.length, value.data, value.stride, at, packed.begin());
      made.in = at;
    }
    if (lies_packed(b, stride)) {
      made.out = target;
    } else {
      made.out = static_cast<unsigned char*>(room_.room(b.size() * itemsize(out.type)));
      unpacking_.add(itemsize(out.type), b.ndim, b.length, made.out, packed.begin(), target, stride);
    }
    line& in = lines_[line_of(coords)];
    in.outer = 1;
    in.columns = 1;
    for (int a = 0; a < l_.scan_axis; ++a) in.outer *= b.length[a];
    for (int a = l_.scan_axis + 1; a < b.ndim; ++a) in.columns *= b.length[a];
    in.blocks.push_back(made);
  }

  void launch() override {
    operands_.prepare();
    tape_.launch();
    packing_.launch(c_.api, room_);
    keyed_batches<batch> batches;
    std::vector<std::int64_t> key;
    for (auto& [where, found] : lines_) {
      std::sort(found.blocks.begin(), found.blocks.end(),
                [](const block& a, const block& b) { return a.number < b.number; });
      key.assign({found.outer, found.columns});
      for (const block& b : found.blocks) key.push_back(b.length);
      const auto [b, fresh] = batches.at(key);
      if (fresh) {
        b->work.outer = found.outer;
        b->work.columns = found.columns;
        b->work.blocks = static_cast<std::int64_t>(found.blocks.size());
        b->work.leaf = l_.scan_leaf;
        for (const block& k : found.blocks) b->length.push_back(k.length);
      }
      for (const block& k : found.blocks) {
        b->in.push_back(k.in);
        b->out.push_back(k.out);
      }
      ++b->work.lines;
    }
    for (batch& b : batches.values()) {
      b.work.length = b.length.data();
      b.work.in = b.in.data();
      b.work.out = b.out.data();
      c_.api.run(room_, *l_.scan, b.work);
    }
    unpacking_.launch(c_.api, room_);
  }

 private:
  struct block {
    std::int64_t number = 0;
    std::int64_t length = 0;
    unsigned char* in = nullptr;
    unsigned char* out = nullptr;
  };
  struct line {
    std::int64_t outer = 1;
    std::int64_t columns = 1;
    std::vector<block> blocks;
  };
  struct batch {
    device_scan work;
    std::vector<std::int64_t> length;
    std::vector<const void*> in;
    std::vector<void*> out;
  };

  std::int64_t line_of(const std::int64_t* coords) const {
    std::int64_t number = 0;
    for (int a = 0; a < l_.counts.ndim(); ++a) number = number * l_.counts[a] + (a == l_.scan_axis ? 0 : coords[a]);
    return number;
  }

  static bool lies_packed(const box& b, const std::int64_t* stride) {
    const strides packed = packed_strides(b);
    for (int a = 0; a < b.ndim; ++a) {
      if (b.length[a] != 1 && stride[a] != packed[a]) return false;
    }
    return true;
  }

  const device_context& c_;
  const layer& l_;
  device_room& room_;
  device_operands operands_;
  device_tape tape_;
  device_copies packing_;
  device_copies unpacking_;
  std::map<std::int64_t, line> lines_;
};

}  // namespace ashlar::detail
