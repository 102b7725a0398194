/// \file
/// One check for each pass that a reducer has on a device.
#pragma once

#include "device_reduce_cases.hpp"

namespace device_reduce {

/// Items whose elements lie in nested loops; the host gathers what the device reads by strides.
struct item_elements {
  bytes host;
  void* device;

  bytes gather(const dt::device_loops& loops, std::int64_t itemsize, std::int64_t first = 0) const {
    bytes packed;
    packed.reserve(static_cast<std::size_t>(loops.size() * itemsize));
    std::int64_t at[dt::device_axes] = {};
    for (std::int64_t k = loops.size(); k > 0; --k) {
      std::int64_t offset = first;
      for (int a = 0; a < loops.ndim; ++a) offset += at[a] * loops.stride[a];
      packed.insert(packed.end(), host.begin() + offset * itemsize, host.begin() + (offset + 1) * itemsize);
      for (int a = loops.ndim - 1; a >= 0 && ++at[a] == loops.extent[a]; --a) at[a] = 0;
    }
    return packed;
  }
};

inline std::vector<item_elements> make_items(test_queue& q, ash::dtype type, std::int64_t items,
                                             std::int64_t elements_each, content kind) {
  std::vector<item_elements> all;
  for (std::int64_t i = 0; i < items; ++i) {
    bytes b = elements(type, elements_each, kind, static_cast<std::uint64_t>(17 * i + elements_each));
    void* const on_device = q.upload_all(b);
    all.push_back({std::move(b), on_device});
  }
  return all;
}

inline const void* const* addresses(test_queue& q, const std::vector<item_elements>& items) {
  std::vector<const void*> list;
  for (const item_elements& i : items) list.push_back(i.device);
  return q.upload_all(list);
}

inline std::string strings(std::initializer_list<std::int64_t> numbers) {
  std::string s;
  for (const std::int64_t n : numbers) s += (s.empty() ? "" : " x ") + std::to_string(n);
  return s;
}

struct checker {
  test_queue& q;
  const dt::reducer_descriptor& d;
  content kind = content::plain;
  reference host{d};

  const std::int64_t* first_indices(std::int64_t items) const {
    if (!d.needs_index) return nullptr;
    std::vector<std::int64_t> first;
    for (std::int64_t i = 0; i < items; ++i) first.push_back(1000000 * i);
    return q.upload_all(first);
  }

  void rows(std::int64_t items, std::int64_t outer, std::int64_t n, std::int64_t step) {
    q.reset();
    const std::int64_t stride = n * step + 3;
    const auto in = make_items(q, d.input, items, outer * stride, kind);
    device_states out(q, d, items, outer);
    dt::device_rows w;
    w.outer.ndim = 1;
    w.outer.extent[0] = outer;
    w.outer.stride[0] = stride;
    w.n = n;
    w.step = step;
    w.in = addresses(q, in);
    w.out = out.table;
    w.fields = out.fields;
    w.first_index = first_indices(items);
    w.index_stride[0] = 3 * n;
    w.index_step = 2;
    w.items = items;
    d.device->rows(q, w);
    for (std::int64_t i = 0; i < items; ++i) {
      states expected = host.make(outer);
      for (std::int64_t o = 0; o < outer; ++o) {
        dt::device_loops row;
        row.ndim = 1;
        row.extent[0] = n;
        row.stride[0] = step;
        bytes packed = in[static_cast<std::size_t>(i)].gather(row, ash::itemsize(d.input), o * stride);
        packed.resize(packed.size() + 16);
        host.entries.rows(packed.data(), 0, 1, n, {1000000 * i + o * 3 * n, 0, 2}, host.ref(expected, o));
      }
      out.expect("rows of " + strings({outer, n}) + ", step " + std::to_string(step), static_cast<std::size_t>(i),
                 expected);
    }
  }

  void columns(std::int64_t items, std::int64_t outer, std::int64_t rows, std::int64_t columns, std::int64_t step) {
    q.reset();
    const std::int64_t stride = columns * step + 1;
    const auto in = make_items(q, d.input, items, outer * rows * stride + 1, kind);
    device_states out(q, d, items, outer * columns);
    dt::device_columns w;
    w.outer.ndim = 1;
    w.outer.extent[0] = outer;
    w.outer.stride[0] = rows * stride;
    w.rows = rows;
    w.row_stride = stride;
    w.columns = columns;
    w.column_stride = step;
    w.in = addresses(q, in);
    w.out = out.table;
    w.fields = out.fields;
    w.first_index = first_indices(items);
    w.index_stride[0] = 5 * rows;
    w.index_row_step = 4;
    w.index_column_step = 3;
    w.items = items;
    d.device->columns(q, w);
    for (std::int64_t i = 0; i < items; ++i) {
      for (std::int64_t o = 0; o < outer; ++o) {
        dt::device_loops box;
        box.ndim = 2;
        box.extent[0] = rows;
        box.extent[1] = columns;
        box.stride[0] = stride;
        box.stride[1] = step;
        const bytes packed = in[static_cast<std::size_t>(i)].gather(box, ash::itemsize(d.input), o * rows * stride);
        states expected = host.columns(packed.data(), rows, columns, {1000000 * i + o * 5 * rows, 4, 3});
        out.expect("columns of " + strings({outer, rows, columns}) + ", step " + std::to_string(step),
                   static_cast<std::size_t>(i), expected, o * columns);
      }
    }
  }

  void lift(std::int64_t rows, std::int64_t columns) {
    q.reset();
    const auto in = make_items(q, d.input, 2, 2 * rows * columns + 1, kind);
    device_states out(q, d, 2, rows * columns);
    dt::device_lift w;
    w.loops.ndim = 2;
    w.loops.extent[0] = rows;
    w.loops.extent[1] = columns;
    w.loops.stride[0] = 1;
    w.loops.stride[1] = 2 * rows;
    w.in = addresses(q, in);
    w.out = out.table;
    w.fields = out.fields;
    w.first_index = first_indices(2);
    w.index_stride[0] = 7;
    w.index_stride[1] = 1;
    w.items = 2;
    d.device->lift(q, w);
    for (std::int64_t i = 0; i < 2; ++i) {
      const bytes packed = in[static_cast<std::size_t>(i)].gather(w.loops, ash::itemsize(d.input));
      for (std::int64_t r = 0; r < rows; ++r) {
        states expected =
            host.columns(packed.data() + r * columns * ash::itemsize(d.input), 1, columns, {1000000 * i + 7 * r, 0, 1});
        out.expect("states of one, " + strings({rows, columns}), static_cast<std::size_t>(i), expected, r * columns);
      }
    }
  }

  /// States of `rows` rows each, made on the host.
  states some_states(std::int64_t rows, std::int64_t columns, std::int64_t seed) const {
    const bytes from = elements(d.input, rows * columns, kind, static_cast<std::uint64_t>(seed));
    states s = host.columns(from.data(), rows, columns, {1000 * seed, 3, 1});
    s.count = rows;
    return s;
  }

  void fold(std::int64_t outer, std::int64_t n, std::int64_t columns) {
    q.reset();
    constexpr std::int64_t count = 5;
    device_states in(q, d, 2, outer * n * columns);
    device_states out(q, d, 2, outer * columns);
    std::vector<states> given;
    for (std::int64_t i = 0; i < 2; ++i) {
      given.push_back(some_states(count, outer * n * columns, i + 3));
      in.set(static_cast<std::size_t>(i), given.back());
    }
    dt::device_fold w;
    w.outer = outer;
    w.n = n;
    w.columns = columns;
    w.count = count;
    w.in = in.table;
    w.in_fields = in.fields;
    w.out = out.table;
    w.fields = out.fields;
    w.items = 2;
    d.device->fold(q, w);
    for (std::int64_t i = 0; i < 2; ++i) {
      for (std::int64_t o = 0; o < outer; ++o) {
        std::vector<states> leaves;
        for (std::int64_t j = 0; j < n; ++j) {
          states one = host.make(columns);
          one.count = count;
          for (int f = 0; f < d.fields; ++f) {
            const std::int64_t size = columns * ash::itemsize(d.field[f]);
            std::memcpy(one.field[f].data(), given[static_cast<std::size_t>(i)].field[f].data() + (o * n + j) * size,
                        static_cast<std::size_t>(size));
          }
          if (j % dt::column_leaf == 0) {
            leaves.push_back(std::move(one));
          } else {
            host.merge(leaves.back(), one);
          }
        }
        states expected = host.tree(std::move(leaves), columns);
        out.expect("fold of " + strings({outer, n, columns}), static_cast<std::size_t>(i), expected, o * columns);
      }
    }
  }

  void tree(std::int64_t leaves, std::int64_t columns) {
    q.reset();
    device_states in(q, d, 2 * leaves, columns);
    device_states out(q, d, 2, columns);
    std::vector<std::int64_t> counts;
    std::vector<std::vector<states>> given(2);
    for (std::int64_t i = 0; i < 2; ++i) {
      for (std::int64_t j = 0; j < leaves; ++j) {
        const std::int64_t rows = (i + j) % 7 == 3 ? 0 : (j % 5 == 0 ? 16 : (i + j) % 19);
        states s = some_states(rows, columns, i + j);
        in.set(static_cast<std::size_t>(i * leaves + j), s);
        counts.push_back(rows);
        given[static_cast<std::size_t>(i)].push_back(std::move(s));
      }
    }
    dt::device_tree w;
    w.leaves = leaves;
    w.columns = columns;
    w.in = in.table;
    w.counts = q.upload_all(counts);
    w.in_fields = in.fields;
    w.out = out.table;
    w.fields = out.fields;
    w.items = 2;
    d.device->tree(q, w);
    for (std::size_t i = 0; i < 2; ++i) {
      states expected = host.tree(given[i], columns);
      out.expect("tree of " + strings({leaves, columns}), i, expected);
    }
  }

  void finish(const dt::finisher_descriptor& f, double parameter) {
    q.reset();
    constexpr std::int64_t columns = 35;
    const std::int64_t size = ash::itemsize(f.output);
    device_states in(q, d, 3, columns);
    std::vector<states> given;
    std::vector<std::int64_t> counts;
    std::vector<void*> results;
    for (std::int64_t i = 0; i < 3; ++i) {
      given.push_back(some_states(i * 6, columns, i));
      in.set(static_cast<std::size_t>(i), given.back());
      counts.push_back(given.back().count);
      results.push_back(q.room(columns * size));
    }
    dt::device_finish w;
    w.loops.ndim = 2;
    w.loops.extent[0] = 5;
    w.loops.extent[1] = 7;
    w.loops.stride[0] = 1;
    w.loops.stride[1] = 5;
    w.in = in.table;
    w.fields = in.fields;
    w.counts = q.upload_all(counts);
    w.parameter = parameter;
    w.out = q.upload_all(results);
    w.items = 3;
    f.device(q, w);
    for (std::size_t i = 0; i < 3; ++i) {
      bytes packed(static_cast<std::size_t>(columns * size));
      f.apply(host.ref(given[i]), columns, counts[i], parameter, packed.data());
      const bytes got = q.download(results[i], columns * size);
      bytes gathered;
      for (std::int64_t c = 0; c < columns; ++c) {
        const auto from = got.begin() + (c / 7 + c % 7 * 5) * size;
        gathered.insert(gathered.end(), from, from + size);
      }
      expect_same(std::string(f.name) + " of " + std::string(ash::name(d.input)) + ", its end over " +
                      std::to_string(counts[i]),
                  f.output, gathered.data(), packed.data(), columns);
    }
  }

  void all() {
    for (const content c : {content::plain, content::special}) {
      kind = c;
      for (const std::int64_t n : {0, 1, 2, 3, 5, 8, 15, 16, 17, 31, 32, 33, 100, 511, 512, 513, 1000, 5000}) {
        rows(3, 5, n, 1);
        rows(1, 3, n, 3);
        columns(3, 2, n, 5, 1);
        columns(1, 1, n, 3, 2);
        if (n <= 1000) fold(2, n, 3);
        if (n <= 100) tree(n, 3);
      }
      for (const std::int64_t n : {1, 15, 16, 17, 127, 128, 129, 1000}) {
        columns(2, 1, 20, n, 1);
        columns(2, 2, 40, n, 3);
        fold(1, 40, n);
        tree(7, n);
      }
      rows(2, 1, 40000, 1);  // more leaves than a thread block pairs
      rows(1, 9000, 40, 1);
      columns(1, 1, 5000, 200, 1);
      fold(1, 40000, 1);
      fold(1, 3000, 40);
      lift(5, 7);
      lift(1, 1000);
      lift(0, 3);
    }
    kind = content::plain;
  }

  /// Enough rows and columns for runs of several leaves, and for warps of several rows.
  void large() {
    rows(2, 20000, 1100, 1);
    rows(3, 70000, 20, 1);  // so many short rows that a warp takes several
    rows(2, 40000, 67, 1);
    columns(2, 1, 1100, 20000, 1);
  }
};

}  // namespace device_reduce
