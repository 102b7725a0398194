// What a simulated device does for each kind of work: the host's entries, on operands that are gathered element by
// element, in the canonical order.
#pragma once

#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include <ashlar/graph/device_work.hpp>
#include <ashlar/graph/kernel.hpp>
#include <ashlar/graph/reducer.hpp>
#include <ashlar/graph/scanner.hpp>
#include <ashlar/graph/source.hpp>

#include "simulated_memory.hpp"

namespace simulated_device {

namespace dt = ashlar::detail;

using byte_list = std::vector<unsigned char>;

inline byte_list room(std::int64_t n) { return byte_list(static_cast<std::size_t>(n) + 64); }

template <class T>
T load(shadowed_memory& m, const T* from) {
  T value{};
  m.read(&value, from, sizeof(T));
  return value;
}

/// Where element `i` of nested loops is, by their strides.
inline std::int64_t offset_of(int ndim, const std::int64_t* extent, const std::int64_t* stride, std::int64_t i) {
  std::int64_t offset = 0;
  for (int a = ndim - 1; a >= 0; --a) {
    offset += i % extent[a] * stride[a];
    i /= extent[a];
  }
  return offset;
}
inline std::int64_t offset_of(const dt::device_loops& l, std::int64_t i) {
  return offset_of(l.ndim, l.extent, l.stride, i);
}

inline const unsigned char* at(const void* base, std::int64_t offset) {
  return static_cast<const unsigned char*>(base) + offset;
}
inline unsigned char* at(void* base, std::int64_t offset) { return static_cast<unsigned char*>(base) + offset; }

// --- elements ---

inline void compute_elements(shadowed_memory& m, const dt::kernel& k, const dt::device_elementwise& w,
                             const std::int64_t (*in_stride)[dt::device_axes], const std::vector<void*>& only) {
  const dt::kernel_descriptor& d = *k.descriptor;
  const std::int64_t size = ashlar::itemsize(d.output);
  std::int64_t n = 1;
  for (int a = 0; a < w.ndim; ++a) n *= w.extent[a];
  constexpr std::int64_t piece = 256;
  std::vector<byte_list> in;
  for (int j = 0; j < d.inputs; ++j) in.push_back(room(piece * ashlar::itemsize(d.input[j])));
  byte_list out = room(piece * size);
  std::vector<void*> operand(static_cast<std::size_t>(d.inputs) + 1);
  std::vector<const void*> packed;
  for (const byte_list& b : in) packed.push_back(b.data());
  for (std::int64_t item = 0; item < w.items; ++item) {
    for (std::size_t j = 0; j < operand.size(); ++j) {
      operand[j] =
          w.items == 1
              ? only[j]
              : load(m, w.table + item * static_cast<std::int64_t>(operand.size()) + static_cast<std::int64_t>(j));
    }
    const std::uint32_t thread = m.threads(n);
    for (std::int64_t first = 0; first < n; first += piece) {
      const std::int64_t count = n - first < piece ? n - first : piece;
      for (std::int64_t i = 0; i < count; ++i) {
        m.be_thread(thread + static_cast<std::uint32_t>(first + i));
        for (int j = 0; j < d.inputs; ++j) {
          const std::int64_t each = ashlar::itemsize(d.input[j]);
          m.read(
              in[static_cast<std::size_t>(j)].data() + i * each,
              at(operand[static_cast<std::size_t>(j) + 1], offset_of(w.ndim, w.extent, in_stride[j], first + i) * each),
              each);
        }
      }
      k(packed.data(), out.data(), count);
      for (std::int64_t i = 0; i < count; ++i) {
        m.be_thread(thread + static_cast<std::uint32_t>(first + i));
        m.write(at(operand[0], offset_of(w.ndim, w.extent, w.out_stride, first + i) * size), out.data() + i * size,
                size);
      }
    }
  }
}

inline void copy_elements(shadowed_memory& m, const dt::device_copy& w) {
  std::int64_t n = 1;
  for (int a = 0; a < w.ndim; ++a) n *= w.extent[a];
  unsigned char value[16];
  for (std::int64_t item = 0; item < w.items; ++item) {
    const void* const from = load(m, w.from + item);
    void* const to = load(m, w.to + item);
    for (std::int64_t i = 0; i < n; ++i) {
      m.be_thread(m.threads(1));
      m.read(value, at(from, offset_of(w.ndim, w.extent, w.from_stride, i) * w.element), w.element);
      m.write(at(to, offset_of(w.ndim, w.extent, w.to_stride, i) * w.element), value, w.element);
    }
  }
}

/// Bytes of an element: those that come out alike whatever lay there before.
inline std::int64_t element_bytes(const dt::source& generator, std::int64_t index) {
  unsigned char a[16];
  unsigned char b[16];
  std::memset(a, 0x5a, sizeof a);
  std::memset(b, 0xa5, sizeof b);
  generator.fill(index, 1, a);
  generator.fill(index, 1, b);
  std::int64_t n = 0;
  while (n < 16 && a[n] == b[n]) ++n;
  return n;
}

inline void fill_elements(shadowed_memory& m, const dt::source& generator, const dt::device_fill& w) {
  const std::int64_t n = w.loops.size();
  unsigned char value[16];
  const std::int64_t size = element_bytes(generator, load(m, w.first));
  for (std::int64_t item = 0; item < w.items; ++item) {
    const std::int64_t first = load(m, w.first + item);
    void* const to = load(m, w.out + item);
    for (std::int64_t i = 0; i < n; ++i) {
      m.be_thread(m.threads(1));
      generator.fill(first + offset_of(w.loops, i), 1, value);
      m.write(at(to, i * size), value, size);
    }
  }
}

// --- states ---

/// States on the host, one array a field.
class states {
 public:
  states(const dt::reducer_descriptor& r, std::int64_t columns) : r_(&r), columns_(columns) {
    for (int f = 0; f < r.fields; ++f) field_[f] = room(columns * size(f));
  }

  std::int64_t columns() const noexcept { return columns_; }

  dt::state_ref ref(std::int64_t first = 0) {
    dt::state_ref s{};
    for (int f = 0; f < r_->fields; ++f) s.field[f] = field_[f].data() + first * size(f);
    return s;
  }

  /// As many as there is room for, the first of them at `first` of what is on the device.
  void load(shadowed_memory& m, const void* from, const dt::device_fields& fields, std::int64_t first) {
    for (int f = 0; f < r_->fields; ++f) {
      m.read(field_[f].data(), at(from, fields.offset[f] + first * size(f)), columns_ * size(f));
    }
  }
  void store(shadowed_memory& m, void* to, const dt::device_fields& fields, std::int64_t first) const {
    for (int f = 0; f < r_->fields; ++f) {
      m.write(at(to, fields.offset[f] + first * size(f)), field_[f].data(), columns_ * size(f));
    }
  }

  std::int64_t count = 0;  // elements behind each

 private:
  std::int64_t size(int f) const { return ashlar::itemsize(r_->field[f]); }

  const dt::reducer_descriptor* r_;
  std::int64_t columns_;
  byte_list field_[dt::max_fields];
};

inline const dt::reducer_entries& entries_of(const dt::reducer_descriptor& r) {
  return r.host[static_cast<int>(dt::current_isa())];
}

inline void merge(const dt::reducer_descriptor& r, states& a, states& b) {
  entries_of(r).merge(a.ref(), a.ref(), b.ref(), a.columns(), a.count, b.count);
  a.count += b.count;
}

/// Neighbours pair level by level, an odd last one passing up.
inline states pair_up(const dt::reducer_descriptor& r, std::vector<states> level, std::int64_t columns) {
  if (level.empty()) {
    states none(r, columns);
    r.identity(none.ref(), columns);
    return none;
  }
  while (level.size() > 1) {
    std::vector<states> next;
    for (std::size_t k = 0; k < level.size(); k += 2) {
      if (k + 1 < level.size()) merge(r, level[k], level[k + 1]);
      next.push_back(std::move(level[k]));
    }
    level = std::move(next);
  }
  return std::move(level.front());
}

inline std::int64_t index_of(const dt::device_loops& outer, const std::int64_t* stride, std::int64_t i) {
  return offset_of(outer.ndim, outer.extent, stride, i);
}
template <class Work>
std::int64_t first_index_of(shadowed_memory& m, const Work& w, std::int64_t item) {
  return w.first_index == nullptr ? 0 : load(m, w.first_index + item);
}

/// Elements that are reduced: they lie in memory, or are computed from inputs of equal strides as they are read.
struct element_reader {
  const dt::reducer_descriptor* reducer = nullptr;
  const dt::kernel* call = nullptr;  // null: they lie in memory

  std::int64_t inputs() const { return call == nullptr ? 1 : call->descriptor->inputs; }

  /// The element at `offset` of item `item` of the table.
  void read(shadowed_memory& m, const void* const* table, std::int64_t item, std::int64_t offset, void* to) const {
    if (call == nullptr) {
      const std::int64_t size = ashlar::itemsize(reducer->input);
      return m.read(to, at(load(m, table + item), offset * size), size);
    }
    alignas(16) unsigned char value[dt::max_kernel_inputs][16];
    const void* in[dt::max_kernel_inputs];
    for (int k = 0; k < call->descriptor->inputs; ++k) {
      const std::int64_t size = ashlar::itemsize(call->descriptor->input[k]);
      m.read(value[k], at(load(m, table + item * inputs() + k), offset * size), size);
      in[k] = value[k];
    }
    (*call)(in, to, 1);
  }
};

inline void reduce_rows(shadowed_memory& m, const element_reader& e, const dt::device_rows& w) {
  const dt::reducer_descriptor& r = *e.reducer;
  const std::int64_t size = ashlar::itemsize(r.input);
  byte_list row = room(w.n * size);
  for (std::int64_t item = 0; item < w.items; ++item) {
    m.be_thread(m.threads(1));
    const std::int64_t index = first_index_of(m, w, item);
    for (std::int64_t o = 0; o < w.outer.size(); ++o) {
      for (std::int64_t i = 0; i < w.n; ++i) {
        e.read(m, w.in, item, offset_of(w.outer, o) + i * w.step, row.data() + i * size);
      }
      states s(r, 1);
      const dt::index_map map{index + index_of(w.outer, w.index_stride, o), 0, w.index_step};
      if (w.n == 0) {
        r.identity(s.ref(), 1);
      } else {
        entries_of(r).rows(row.data(), w.n * size, 1, w.n, map, s.ref());
      }
      s.store(m, load(m, w.out + item), w.fields, o);
    }
  }
}

inline void reduce_columns(shadowed_memory& m, const element_reader& e, const dt::device_columns& w) {
  const dt::reducer_descriptor& r = *e.reducer;
  const std::int64_t size = ashlar::itemsize(r.input);
  byte_list leaf = room(dt::column_leaf * w.columns * size);
  for (std::int64_t item = 0; item < w.items; ++item) {
    m.be_thread(m.threads(1));
    const std::int64_t first = first_index_of(m, w, item);
    for (std::int64_t o = 0; o < w.outer.size(); ++o) {
      std::vector<states> leaves;
      for (std::int64_t row = 0; row < w.rows; row += dt::column_leaf) {
        const std::int64_t n = w.rows - row < dt::column_leaf ? w.rows - row : dt::column_leaf;
        for (std::int64_t i = 0; i < n * w.columns; ++i) {
          const std::int64_t offset =
              offset_of(w.outer, o) + (row + i / w.columns) * w.row_stride + i % w.columns * w.column_stride;
          e.read(m, w.in, item, offset, leaf.data() + i * size);
        }
        states& s = leaves.emplace_back(r, w.columns);
        s.count = n;
        const std::int64_t index = first + index_of(w.outer, w.index_stride, o) + row * w.index_row_step;
        entries_of(r).columns(leaf.data(), w.columns * size, static_cast<int>(n), w.columns,
                              {index, w.index_row_step, w.index_column_step}, s.ref());
      }
      pair_up(r, std::move(leaves), w.columns).store(m, load(m, w.out + item), w.fields, o * w.columns);
    }
  }
}

inline void lift_elements(shadowed_memory& m, const dt::reducer_descriptor& r, const dt::device_lift& w) {
  const std::int64_t size = ashlar::itemsize(r.input);
  byte_list value = room(size);
  for (std::int64_t item = 0; item < w.items; ++item) {
    m.be_thread(m.threads(1));
    const void* const in = load(m, w.in + item);
    void* const out = load(m, w.out + item);
    const std::int64_t index = first_index_of(m, w, item);
    for (std::int64_t i = 0; i < w.loops.size(); ++i) {
      m.read(value.data(), at(in, offset_of(w.loops, i) * size), size);
      states s(r, 1);
      entries_of(r).columns(value.data(), size, 1, 1, {index + index_of(w.loops, w.index_stride, i), 0, 0}, s.ref());
      s.store(m, out, w.fields, i);
    }
  }
}

inline void fold_states(shadowed_memory& m, const dt::reducer_descriptor& r, const dt::device_fold& w) {
  for (std::int64_t item = 0; item < w.items; ++item) {
    m.be_thread(m.threads(1));
    const void* const in = load(m, w.in + item);
    for (std::int64_t o = 0; o < w.outer; ++o) {
      std::vector<states> leaves;
      for (std::int64_t j = 0; j < w.n; ++j) {
        states s(r, w.columns);
        s.load(m, in, w.in_fields, (o * w.n + j) * w.columns);
        s.count = w.count;
        if (j % dt::column_leaf == 0) {
          leaves.push_back(std::move(s));
        } else {
          merge(r, leaves.back(), s);
        }
      }
      pair_up(r, std::move(leaves), w.columns).store(m, load(m, w.out + item), w.fields, o * w.columns);
    }
  }
}

inline void pair_states(shadowed_memory& m, const dt::reducer_descriptor& r, const dt::device_tree& w) {
  for (std::int64_t item = 0; item < w.items; ++item) {
    m.be_thread(m.threads(1));
    std::vector<states> leaves;
    for (std::int64_t k = item * w.leaves; k < (item + 1) * w.leaves; ++k) {
      states& s = leaves.emplace_back(r, w.columns);
      s.load(m, load(m, w.in + k), w.in_fields, 0);
      s.count = load(m, w.counts + k);
    }
    pair_up(r, std::move(leaves), w.columns).store(m, load(m, w.out + item), w.fields, 0);
  }
}

/// The fields are those of some reducer: a finisher does not tell their types, so it reads what lies there.
inline void finish_states(shadowed_memory& m, const dt::finisher_descriptor& f, const dt::device_finish& w) {
  const std::int64_t size = ashlar::itemsize(f.output);
  const std::int64_t n = w.loops.size();
  byte_list out = room(n * size);
  for (std::int64_t item = 0; item < w.items; ++item) {
    m.be_thread(m.threads(1));
    const void* const in = load(m, w.in + item);
    void* const to = load(m, w.out + item);
    dt::state_ref s{};
    for (int k = 0; k < dt::max_fields; ++k) s.field[k] = const_cast<unsigned char*>(at(in, w.fields.offset[k]));
    unsigned char first = 0;
    m.read(&first, s.field[0], 1);  // that it is there at all
    f.apply(s, n, w.counts == nullptr ? 0 : load(m, w.counts + item), w.parameter, out.data());
    for (std::int64_t i = 0; i < n; ++i) m.write(at(to, offset_of(w.loops, i) * size), out.data() + i * size, size);
  }
}

// --- scans ---

inline void scan_lines(shadowed_memory& m, const dt::scan_descriptor& s, const dt::device_scan& w,
                       const std::vector<std::int64_t>& length, const std::vector<const void*>& in,
                       const std::vector<void*>& out) {
  const dt::scan_entries& e = s.host[static_cast<int>(dt::current_isa())];
  const std::int64_t in_size = ashlar::itemsize(s.input);
  const std::int64_t out_size = ashlar::itemsize(s.output);
  for (std::int64_t line = 0; line < w.lines; ++line) {
    m.be_thread(m.threads(1));
    byte_list field[dt::max_fields];
    const auto state_at = [&](std::int64_t first) {
      dt::state_ref r{};
      for (int f = 0; f < s.fields; ++f) r.field[f] = field[f].data() + first * ashlar::itemsize(s.field[f]);
      return r;
    };
    for (int f = 0; f < s.fields; ++f) field[f] = room(w.outer * w.columns * ashlar::itemsize(s.field[f]));
    s.begin(state_at(0), w.outer * w.columns);
    std::int64_t position = 0;
    for (std::int64_t b = 0; b < w.blocks; ++b) {
      const std::int64_t n = length[static_cast<std::size_t>(b)];
      const std::int64_t each = n * w.columns;  // elements of an outer index
      byte_list from = room(w.outer * each * in_size);
      byte_list to = room(w.outer * each * out_size);
      const auto k = static_cast<std::size_t>(line * w.blocks + b);
      m.read(from.data(), in[k], w.outer * each * in_size);
      for (std::int64_t o = 0; o < w.outer; ++o) {
        dt::scan_piece p{};
        p.in = from.data() + o * each * in_size;
        p.out = to.data() + o * each * out_size;
        p.rows = w.columns == 1 ? 1 : n;
        p.n = w.columns == 1 ? n : w.columns;
        p.in_stride = p.n * in_size;
        p.out_stride = p.n * out_size;
        p.position = position;
        p.leaf = w.leaf;
        (w.columns == 1 ? e.rows : e.columns)(p, state_at(o * w.columns));
      }
      m.write(out[k], to.data(), w.outer * each * out_size);
      position += n;
    }
  }
}

}  // namespace simulated_device
