/// \file
/// Where the operands of a group of tasks are on the device. What lies there is used where it lies; a region that spans
/// several blocks is put together, elements of the host are copied in, generators fill. All of that is collected and
/// then done in few launches, before the launches that need it.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include <ashlar/detail/copy_elements.hpp>
#include <ashlar/execution/device_loops.hpp>
#include <ashlar/execution/device_room.hpp>
#include <ashlar/execution/leaf_cursor.hpp>
#include <ashlar/graph/analyse.hpp>
#include <ashlar/graph/plan.hpp>
#include <ashlar/graph/region.hpp>

namespace ashlar::detail {

/// The first element of a part of a leaf, and by task axis the distance to the next, in elements.
struct device_operand {
  unsigned char* data = nullptr;
  std::int64_t stride[max_ndim] = {};
};

/// Copies within the device, of which those with equal loops are one launch.
class device_copies {
 public:
  /// Elements of `size` bytes, over axes [0, ndim); strides in elements.
  void add(std::int64_t size, int ndim, const std::int64_t* length, const unsigned char* from,
           const std::int64_t* from_stride, unsigned char* to, const std::int64_t* to_stride) {
    for (int a = 0; a < ndim; ++a) {
      if (length[a] == 0) return;
    }
    const std::int64_t* const strides[2] = {from_stride, to_stride};
    const joined_loops j = join_loops(ndim, length, 2, strides);
    const device_loops in = inner_loops(j, 0);
    const device_loops out = inner_loops(j, 1);
    key_.clear();
    key_.push_back(size);
    append_key(key_, in);
    append_key(key_, out);
    const auto [b, fresh] = batches_.at(key_);
    if (fresh) {
      b->work.ndim = in.ndim;
      b->work.element = size;
      for (int a = 0; a < in.ndim; ++a) {
        b->work.extent[a] = in.extent[a];
        b->work.from_stride[a] = in.stride[a];
        b->work.to_stride[a] = out.stride[a];
      }
    }
    for_each_outer(j, 2, [&, batch = b](const std::int64_t* at) {
      batch->from.push_back(from + at[0] * size);
      batch->to.push_back(to + at[1] * size);
    });
  }

  void launch(device_api& api, device_room& room) {
    for (batch& b : batches_.values()) {
      b.work.from = room.upload(b.from);
      b.work.to = room.upload(b.to);
      b.work.items = static_cast<std::int64_t>(b.from.size());
      api.copy(room, b.work);
    }
    batches_.clear();
  }

 private:
  struct batch {
    device_copy work;
    std::vector<const void*> from;
    std::vector<void*> to;
  };
  keyed_batches<batch> batches_;
  std::vector<std::int64_t> key_;
};

/// Regions of generators that are filled.
class device_fills {
 public:
  /// `length` and `stride` (in linear indices) by axis; `out` is packed.
  void add(const source& generator, int ndim, const std::int64_t* length, std::int64_t first,
           const std::int64_t* stride, unsigned char* out) {
    const joined_loops j = join_loops(ndim, length, 1, &stride);
    const device_loops loops = inner_loops(j, 0);
    key_.clear();
    key_.push_back(static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(&generator)));
    append_key(key_, loops);
    const auto [b, fresh] = batches_.at(key_);
    if (fresh) {
      b->generator = &generator;
      b->work.loops = loops;
    }
    // what is packed lies by the size of an inner item from one outer index to the next
    std::int64_t k = 0;
    const std::int64_t bytes = loops.size() * size_;
    for_each_outer(j, 1, [&, batch = b](const std::int64_t* at) {
      batch->first.push_back(first + at[0]);
      batch->out.push_back(out + k++ * bytes);
    });
  }

  /// Bytes of an element of what is added next.
  void element(std::int64_t size) noexcept { size_ = size; }

  void launch(device_api& api, device_room& room) {
    for (batch& b : batches_.values()) {
      b.work.first = room.upload(b.first);
      b.work.out = room.upload(b.out);
      b.work.items = static_cast<std::int64_t>(b.first.size());
      api.run(room, *b.generator, b.work);
    }
    batches_.clear();
  }

 private:
  struct batch {
    const source* generator = nullptr;
    device_fill work;
    std::vector<std::int64_t> first;
    std::vector<void*> out;
  };
  keyed_batches<batch> batches_;
  std::vector<std::int64_t> key_;
  std::int64_t size_ = 8;
};

/// Where the values of layers are.
class device_values {
 public:
  virtual unsigned char* chunk(std::uint32_t task) const noexcept = 0;
  virtual unsigned char* result(int root) const noexcept = 0;  // whole, row-major

 protected:
  ~device_values() = default;
};

class device_operands {
 public:
  device_operands(device_api& api, const plan& p, const device_values& values, device_room& room)
      : api_(api), plan_(p), values_(values), room_(room) {}

  /// The region `part` of a leaf, for a task of `task_ndim` axes. Good once prepare() was called.
  device_operand open(const leaf& f, const box& part, int task_ndim) {
    device_operand o;
    const int lead = task_ndim - part.ndim;
    const std::int64_t size = itemsize(f.type);
    if (part.size() == 0) return o;
    if (f.from == nullptr) {
      const layer& from = plan_.layers[to_index(f.layer)];
      const layer_output& value = from.outputs[to_index(f.output)];
      if (value.root >= 0) {
        at_origin(o, f, part, values_.result(value.root), row_major_strides(f.stored), lead);
        return o;
      }
      open_blocks(o, f, part, lead, [&](std::int64_t block, std::int64_t elements) {
        unsigned char* base = values_.chunk(static_cast<std::uint32_t>(from.first_task + block));
        for (int k = 0; k < f.output; ++k) {
          const layer_output& before = from.outputs[to_index(k)];
          if (before.root < 0) base += round_up(elements * itemsize(before.type), 64);
        }
        return base;
      });
      return o;
    }
    if (const memory_view* const m = f.from->memory(); m != nullptr) {
      if (f.from->where() == api_.place()) {
        at_origin(o, f, part, static_cast<unsigned char*>(const_cast<void*>(m->data)), m->strides, lead);
      } else {
        bring_in(o, f, part, *m, lead);
      }
      return o;
    }
    if (const void* const* const blocks = f.from->blocks(); blocks != nullptr) {
      const bool here = f.from->where() == api_.place();
      open_blocks(o, f, part, lead, [&](std::int64_t block, std::int64_t elements) {
        return here ? static_cast<unsigned char*>(const_cast<void*>(blocks[block]))
                    : bring_in_packed(blocks[block], elements * size);
      });
      return o;
    }
    generate(o, f, part, lead);
    return o;
  }

  /// Does what the operands that were opened need.
  void prepare() {
    fills_.launch(api_, room_);
    assembly_.launch(api_, room_);
  }

 private:
  static void set_operand_strides(device_operand& o, const leaf& f, const strides& stride, int lead) {
    leaf_cursor c;
    c.reset(f.shape.ndim() + lead);
    set_strides(c, f, stride, 1, lead);
    for (int a = 0; a < f.shape.ndim() + lead; ++a) o.stride[a] = c.stride[a];
  }

  static void at_origin(device_operand& o, const leaf& f, const box& part, unsigned char* data, const strides& stride,
                        int lead) {
    o.data = data + stored_start(f, part, stride, nullptr) * itemsize(f.type);
    set_operand_strides(o, f, stride, lead);
  }

  template <class Block>
  void open_blocks(device_operand& o, const leaf& f, const box& part, int lead, Block block) {
    const std::int64_t size = itemsize(f.type);
    const box needed = stored_box(f, part);
    const block_range r = blocks_under(f.grid, needed);
    box held = needed;
    if (r.single(needed.ndim)) {
      held = block_box(f.grid, r.first);
      o.data = block(f.grid.linear(r.first), held.size());
    } else {
      auto* const whole = static_cast<unsigned char*>(room_.room(needed.size() * size));
      const strides to = packed_strides(needed);
      for_each_block(r, needed.ndim, [&](const std::int64_t* coords) {
        const box b = block_box(f.grid, coords);
        if (b.size() == 0) return;
        const strides from = packed_strides(b);
        std::int64_t length[max_ndim];
        std::int64_t read = 0;
        std::int64_t write = 0;
        for (int a = 0; a < b.ndim; ++a) {
          const std::int64_t begin = b.offset[a] > needed.offset[a] ? b.offset[a] : needed.offset[a];
          const std::int64_t end_b = b.offset[a] + b.length[a];
          const std::int64_t end_n = needed.offset[a] + needed.length[a];
          length[a] = (end_b < end_n ? end_b : end_n) - begin;
          if (length[a] <= 0) return;
          read += (begin - b.offset[a]) * from[a];
          write += (begin - needed.offset[a]) * to[a];
        }
        assembly_.add(size, b.ndim, length, block(f.grid.linear(coords), b.size()) + read * size, from.begin(),
                      whole + write * size, to.begin());
      });
      o.data = whole;
    }
    const strides s = packed_strides(held);
    o.data += stored_start(f, part, s, held.offset) * size;
    set_operand_strides(o, f, s, lead);
  }

  /// Elements of the host that lie one behind the other.
  unsigned char* bring_in_packed(const void* data, std::int64_t bytes) {
    unsigned char*& held = brought_[data];
    if (held == nullptr) {
      held = static_cast<unsigned char*>(room_.room(bytes));
      api_.copy_in(held, data, {bytes, 1, bytes, bytes});
    }
    return held;
  }

  /// Strided elements of the host: the box around what is read, or, where a view leaves out most of it, what is read.
  void bring_in(device_operand& o, const leaf& f, const box& part, const memory_view& m, int lead) {
    const std::int64_t size = itemsize(f.type);
    const box needed = stored_box(f, part);
    leaf_cursor c;
    c.reset(part.ndim);
    set_strides(c, f, m.strides, 1, 0);
    box read = part;  // what stands still is brought in once
    for (int a = 0; a < part.ndim; ++a) {
      if (c.stride[a] == 0) read.length[a] = 1;
    }
    if (needed.size() / sparse_view <= read.size()) {
      std::int64_t first = 0;
      for (int a = 0; a < needed.ndim; ++a) first += needed.offset[a] * m.strides[a];
      o.data = bring_in_box(static_cast<const unsigned char*>(m.data) + first * size, needed.ndim, needed.length,
                            m.strides.begin(), size);
      const strides s = packed_strides(needed);
      o.data += stored_start(f, part, s, needed.offset) * size;
      set_operand_strides(o, f, s, lead);
      return;
    }
    const std::int64_t first = stored_start(f, part, m.strides, nullptr);
    o.data =
        bring_in_box(static_cast<const unsigned char*>(m.data) + first * size, part.ndim, read.length, c.stride, size);
    const strides s = packed_strides(read);
    for (int a = 0; a < part.ndim; ++a) o.stride[a + lead] = read.length[a] == 1 ? 0 : s[a];
  }

  unsigned char* bring_in_box(const unsigned char* from, int ndim, const std::int64_t* length,
                              const std::int64_t* stride, std::int64_t size) {
    const joined_loops j = join_loops(ndim, length, 1, &stride);
    std::int64_t n = 1;
    for (int a = 0; a < j.ndim; ++a) n *= j.extent[a];
    const int last = j.ndim - 1;
    const bool rows = j.extent[last] == 1 || j.stride[0][last] == 1;
    key_.clear();
    key_.push_back(static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(from)));
    key_.push_back(size);
    for (int a = 0; a < j.ndim; ++a) {
      key_.push_back(j.extent[a]);
      key_.push_back(j.stride[0][a]);
    }
    const auto [held, fresh] = boxes_.at(key_);
    if (!fresh) return *held;
    auto* const to = static_cast<unsigned char*>(room_.room(n * size));
    *held = to;
    if (!rows) {  // put together on the host
      std::vector<unsigned char> packed(static_cast<std::size_t>(n * size));
      ashlar::shape extents;
      strides in = strides::filled(j.ndim, 0);
      for (int a = 0; a < j.ndim; ++a) {
        extents.push_back(j.extent[a]);
        in[a] = j.stride[0][a];
      }
      copy_elements(size, extents, from, in, packed.data(), row_major_strides(extents));
      api_.upload(to, packed.data(), n * size);
      return to;
    }
    const std::int64_t width = j.extent[last] * size;
    const int middle = last - 1;  // rows of one copy
    byte_rows what{width, middle < 0 ? 1 : j.extent[middle], middle < 0 ? width : j.stride[0][middle] * size, width};
    if (what.from_pitch < width) {  // rows that overlap or run backwards
      what.from_pitch = width;
      what.rows = 1;
    }
    const int outer = what.rows == 1 ? last : middle;
    std::int64_t i[max_ndim] = {};
    std::int64_t at = 0;
    for (std::int64_t done = 0; done < n * size; done += width * what.rows) {
      api_.copy_in(to + done, from + at * size, what);
      for (int a = outer - 1; a >= 0; --a) {
        at += j.stride[0][a];
        if (++i[a] < j.extent[a]) break;
        at -= j.stride[0][a] * j.extent[a];
        i[a] = 0;
      }
    }
    return to;
  }

  void generate(device_operand& o, const leaf& f, const box& part, int lead) {
    const std::int64_t size = itemsize(f.type);
    const strides linear = row_major_strides(f.stored);
    leaf_cursor c;
    c.reset(part.ndim);
    set_strides(c, f, linear, 1, 0);
    box made = part;
    for (int a = 0; a < part.ndim; ++a) {
      if (c.stride[a] == 0) made.length[a] = 1;
    }
    o.data = static_cast<unsigned char*>(room_.room(made.size() * size));
    const strides s = packed_strides(made);
    for (int a = 0; a < part.ndim; ++a) o.stride[a + lead] = made.length[a] == 1 ? 0 : s[a];
    const std::int64_t first = stored_start(f, part, linear, nullptr);
    if (api_.runs(*f.from)) {
      fills_.element(size);
      fills_.add(*f.from, part.ndim, made.length, first, c.stride, o.data);
      return;
    }
    std::vector<unsigned char> values(static_cast<std::size_t>(made.size() * size));
    std::int64_t i[max_ndim] = {};
    std::int64_t at = first;
    const int last = part.ndim - 1;
    const std::int64_t n = last >= 0 && (c.stride[last] == 1 || made.length[last] == 1) ? made.length[last] : 1;
    const int outer = n == 1 ? last : last - 1;
    for (std::int64_t done = 0; done < made.size(); done += n) {
      f.from->fill(at, n, values.data() + done * size);
      for (int a = outer; a >= 0; --a) {
        at += c.stride[a];
        if (++i[a] < made.length[a]) break;
        at -= c.stride[a] * made.length[a];
        i[a] = 0;
      }
    }
    api_.upload(o.data, values.data(), made.size() * size);
  }

  device_api& api_;
  const plan& plan_;
  const device_values& values_;
  device_room& room_;
  device_copies assembly_;
  device_fills fills_;
  std::unordered_map<const void*, unsigned char*> brought_;
  keyed_batches<unsigned char*> boxes_;
  std::vector<std::int64_t> key_;
};

}  // namespace ashlar::detail
