// Copies, generators and scans of blocks in device memory, by device events: medians of 15 launches over 3.2 GB of
// doubles in 400 blocks, beside one cudaMemcpyAsync of the same bytes. Checks nothing: tests/cuda does.
//
//   nvcc -std=c++20 --extended-lambda -O2 -arch=native -Iinclude bench/gpu_copy.cu -o gpu_copy -ltbb && ./gpu_copy
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "gpu_timing.hpp"

#include <ashlar/creation.hpp>
#include <ashlar/detail/device_copy.hpp>
#include <ashlar/random.hpp>
#include <ashlar/scans.hpp>

namespace ash = ashlar;
namespace dt = ashlar::detail;

namespace {

using gpu_timing::must;
using gpu_timing::queue;

/// What is measured writes `bytes` and, unless it generates them, reads as many.
template <class F>
void measure(queue& q, const std::string& what, double bytes, const F& work) {
  const std::vector<float> times = q.times(15, work);
  const double ms = static_cast<double>(times[times.size() / 2]);
  std::printf("%-58s %8.3f ms %8.0f GB/s\n", what.c_str(), ms, bytes / ms * 1e-6);
}

constexpr std::int64_t n = 20000;    // rows and columns
constexpr std::int64_t side = 1000;  // of a block
constexpr std::int64_t along = n / side;
constexpr double all_bytes = 8.0 * n * n;

struct places {
  double* from;
  double* to;
};

/// Items of a copy of 8-byte elements.
class copy_list {
 public:
  dt::device_copy work;
  copy_list(std::vector<std::int64_t> extent, std::vector<std::int64_t> from, std::vector<std::int64_t> to) {
    work.ndim = static_cast<int>(extent.size());
    for (std::size_t a = 0; a < extent.size(); ++a) {
      work.extent[a] = extent[a];
      work.from_stride[a] = from[a];
      work.to_stride[a] = to[a];
    }
  }
  void add(const double* from, double* to) {
    from_.push_back(from);
    to_.push_back(to);
  }
  void finish(queue& q) {
    work.from = q.put(from_);
    work.to = q.put(to_);
    work.items = static_cast<std::int64_t>(from_.size());
  }

 private:
  std::vector<const void*> from_;
  std::vector<void*> to_;
};

void copies(queue& q, places m) {
  const auto run = [&](const std::string& what, copy_list& list) {
    list.finish(q);
    measure(q, what, 2 * all_bytes, [&] { dt::copy_on_device(q, list.work); });
  };
  measure(q, "cudaMemcpyAsync, device to device", 2 * all_bytes, [&] {
    must(cudaMemcpyAsync(m.to, m.from, static_cast<std::size_t>(all_bytes), cudaMemcpyDeviceToDevice,
                         static_cast<cudaStream_t>(q.stream())),
         "cudaMemcpy");
  });
  copy_list same({side * side}, {1}, {1});
  copy_list odd({side * side - 1}, {1}, {1});
  copy_list turned({side, side}, {1, side}, {side, 1});
  copy_list gathered({side, side}, {side, 1}, {n, 1});
  for (std::int64_t i = 0; i < along; ++i) {
    for (std::int64_t j = 0; j < along; ++j) {
      const double* const from = m.from + (i * along + j) * side * side;
      same.add(from, m.to + (i * along + j) * side * side);
      odd.add(from + 1, m.to + (i * along + j) * side * side);
      turned.add(from, m.to + (j * along + i) * side * side);
      gathered.add(from, m.to + i * side * n + j * side);
    }
  }
  run("copy, 400 blocks", same);
  run("copy, 400 blocks, addresses 8 bytes apart from 16", odd);
  run("400 blocks into one array", gathered);
  copy_list narrow({side, 50}, {side, 1}, {50, 1});
  copy_list flat({50, side}, {side, 1}, {n, 1});
  for (std::int64_t k = 0; k < along; ++k) {
    for (std::int64_t t = 0; t < 400; ++t) {
      narrow.add(m.from + (k * along + t / 20) * side * side + t % 20 * 50, m.to + t * 50 * n + k * side * 50);
      flat.add(m.from + (t / 20 * along + k) * side * side + t % 20 * 50 * side, m.to + t * 50 * n + k * side);
    }
  }
  run("rechunk to 400 blocks of 20000 x 50", narrow);
  run("rechunk to 400 blocks of 50 x 20000", flat);
  run("transpose, 400 blocks", turned);
  copy_list whole({n, n}, {1, n}, {n, 1});
  whole.add(m.from, m.to);
  run("transpose, one array", whole);
  const auto with_edge = [&](auto edge) {
    measure(q, "transpose, one array, tiles of " + std::to_string(edge()), 2 * all_bytes,
            [&] { dt::copy_in_tiles<8, edge()>(q, whole.work, dt::copy_order(whole.work), 1, 0, 0); });
    measure(q, "transpose, 400 blocks, tiles of " + std::to_string(edge()), 2 * all_bytes,
            [&] { dt::copy_in_tiles<8, edge()>(q, turned.work, dt::copy_order(turned.work), 1, 0, 0); });
  };
  with_edge(std::integral_constant<int, 32>{});
  with_edge(std::integral_constant<int, 64>{});
  const auto of_size = [&](std::int64_t element) {
    copy_list other({n, n}, {1, n}, {n, 1});
    other.add(m.from, m.to);
    other.work.element = element;
    other.finish(q);
    measure(q, "transpose, one array, elements of " + std::to_string(element),
            2.0 * static_cast<double>(element) * n * n, [&] { dt::copy_on_device(q, other.work); });
  };
  of_size(1);
  of_size(2);
  of_size(4);
}

template <class T>
void fill(queue& q, places m, const std::string& what, const ash::array<T>& a) {
  std::vector<std::int64_t> first;
  std::vector<void*> out;
  for (std::int64_t b = 0; b < along * along; ++b) {
    first.push_back(b / along * side * n + b % along * side);
    out.push_back(reinterpret_cast<T*>(m.to) + b * side * side);
  }
  dt::device_fill work;
  work.loops.ndim = 2;
  work.loops.extent[0] = work.loops.extent[1] = side;
  work.loops.stride[0] = n;
  work.loops.stride[1] = 1;
  work.first = q.put(first);
  work.out = q.put(out);
  work.items = along * along;
  const dt::device_source d = a.node()->from->device();
  measure(q, what + ", 400 blocks (" + std::to_string(n * n / 1000000) + " million)", sizeof(T) * double(n) * double(n),
          [&] { d.fill(d.generator, q, work); });
}

/// Over blocks of `rows` x `columns`, along axis 0 or 1.
template <class P>
void scan(queue& q, places m, const std::string& what, std::int64_t rows, std::int64_t columns, int axis) {
  using in_type = typename P::in_type;
  using out_type = typename P::out_type;
  const std::int64_t down = n / rows;
  const std::int64_t across = n / columns;
  dt::device_scan work;
  work.lines = axis == 0 ? across : down;
  work.blocks = axis == 0 ? down : across;
  work.outer = axis == 0 ? 1 : rows;
  work.columns = axis == 0 ? columns : 1;
  work.leaf = axis == 0 ? dt::column_scan_leaf : dt::row_scan_leaf;
  const std::vector<std::int64_t> length(static_cast<std::size_t>(work.blocks), axis == 0 ? rows : columns);
  std::vector<const void*> in;
  std::vector<void*> out;
  for (std::int64_t line = 0; line < work.lines; ++line) {
    for (std::int64_t b = 0; b < work.blocks; ++b) {
      const std::int64_t at = (axis == 0 ? b * across + line : line * across + b) * rows * columns;
      in.push_back(reinterpret_cast<const in_type*>(m.from) + at);
      out.push_back(reinterpret_cast<out_type*>(m.to) + at);
    }
  }
  work.length = length.data();
  work.in = in.data();
  work.out = out.data();
  measure(q, what + ", " + std::to_string(work.lines * work.blocks) + " blocks",
          double(sizeof(in_type) + sizeof(out_type)) * double(n) * double(n),
          [&] { dt::scan_of<P, dt::backend_tag>.device(q, work); });
}

/// One line in 400 blocks.
template <class P>
void line(queue& q, places m, const std::string& what) {
  const std::vector<std::int64_t> length(400, side * side);
  std::vector<const void*> in;
  std::vector<void*> out;
  for (std::int64_t b = 0; b < 400; ++b) {
    in.push_back(m.from + b * side * side);
    out.push_back(m.to + b * side * side);
  }
  dt::device_scan work;
  work.lines = 1;
  work.blocks = 400;
  work.leaf = dt::row_scan_leaf;
  work.length = length.data();
  work.in = in.data();
  work.out = out.data();
  measure(q, what, 2 * all_bytes, [&] { dt::scan_of<P, dt::backend_tag>.device(q, work); });
}

void scans(queue& q, places m) {
  using sum = dt::running_sum<double, double, double>;
  using float_sum = dt::running_sum<float, double, float>;
  using product = dt::running_product<double, double, double>;
  using largest = dt::running_extremum<dt::max_policy<double>>;
  scan<sum>(q, m, "cumsum over axis 0", side, side, 0);
  scan<sum>(q, m, "cumsum over axis 0", n, n, 0);
  scan<sum>(q, m, "cumsum over axis 0", 200, 200, 0);
  scan<sum>(q, m, "cumsum over axis 1", side, side, 1);
  scan<sum>(q, m, "cumsum over axis 1", n, n, 1);
  line<sum>(q, m, "cumsum of one line of 400 million");
  scan<float_sum>(q, m, "cumsum of float over axis 0", side, side, 0);
  scan<float_sum>(q, m, "cumsum of float over axis 1", side, side, 1);
  scan<product>(q, m, "cumprod over axis 0", side, side, 0);
  scan<product>(q, m, "cumprod over axis 1", side, side, 1);
  scan<largest>(q, m, "cummax over axis 0", side, side, 0);
  scan<largest>(q, m, "cummax over axis 1", side, side, 1);
}

}  // namespace

int main() {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::printf("SKIPPED: there is no CUDA device\n");
    return 77;
  }
  try {
    queue q(std::int64_t{1} << 30);
    void* from = nullptr;
    void* to = nullptr;
    must(cudaMalloc(&from, static_cast<std::size_t>(all_bytes)), "cudaMalloc");
    must(cudaMalloc(&to, static_cast<std::size_t>(all_bytes)), "cudaMalloc");
    const places m{static_cast<double*>(from), static_cast<double*>(to)};
    const ash::shape shape{n, n};
    fill(q, places{m.from, m.from}, "uniform, which the rest reads", ash::random::uniform<double>(shape));
    copies(q, m);
    fill(q, m, "zeros", ash::zeros<double>(shape));
    fill(q, m, "arange", ash::arange<double>(0, n * n));
    fill(q, m, "uniform", ash::random::uniform<double>(shape));
    fill(q, m, "normal", ash::random::normal<double>(shape));
    fill(q, m, "normal, float", ash::random::normal<float>(shape));
    fill(q, m, "integers below 1000", ash::random::integers<std::int64_t>(shape, {.high = 1000}));
    scans(q, m);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "failed: %s\n", e.what());
    return 1;
  }
  return 0;
}
