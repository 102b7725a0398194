// The device passes of reductions alone, by device events: medians of 15 launches over 3.2 GB in blocks, beside one
// call of CUB over the same bytes.
//
//   nvcc -std=c++20 --extended-lambda -O2 --fmad=false -arch=native -Iinclude bench/gpu_reduce.cu -o gpu_reduce
//   ./gpu_reduce
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include <cub/cub.cuh>

#include "gpu_timing.hpp"

#include <ashlar/detail/reducers.hpp>
#include <ashlar/graph/device_work.hpp>

namespace dt = ashlar::detail;
using tag = dt::backend_tag;

namespace {

using gpu_timing::must;
using gpu_timing::queue;

template <class T>
__global__ void fill(T* p, std::int64_t n) {
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += step) {
    p[i] = static_cast<T>(10.0 + 0.1 * static_cast<double>(i * 2654435761u % 1000) / 1000.0);
  }
}

constexpr double bytes = 3.2e9;

template <class F>
void measure(const std::string& what, queue& q, F f) {
  const std::vector<float> times = q.times(15, f);
  const double ms = static_cast<double>(times[times.size() / 2]);
  std::printf("%-66s %8.3f ms %8.0f GB/s\n", what.c_str(), ms, bytes / ms / 1e6);
}

/// Addresses and offsets of packed states, one item behind the other.
struct result {
  void** table;
  dt::device_fields fields{};
  result(queue& q, const dt::reducer_descriptor& d, std::int64_t items, std::int64_t columns) {
    std::int64_t item_bytes = 0;
    for (int f = 0; f < d.fields; ++f) {
      fields.offset[f] = item_bytes;
      item_bytes += (columns * ashlar::itemsize(d.field[f]) + 255) / 256 * 256;
    }
    auto* const memory = static_cast<unsigned char*>(q.room(items * item_bytes));
    std::vector<void*> list;
    for (std::int64_t i = 0; i < items; ++i) list.push_back(memory + i * item_bytes);
    table = q.put(list);
  }
};

/// Blocks of side x side elements, `per_axis` along each axis.
template <class P>
void blocks(queue& q, const dt::reducer_descriptor& d, unsigned char* data, std::int64_t side, std::int64_t per_axis) {
  using D = dt::device_rules<P>;
  const std::int64_t here = q.mark();
  const std::int64_t items = per_axis * per_axis;
  const std::string of = std::string(d.name) + " of " + std::string(ashlar::name(d.input)) + ", " +
                         std::to_string(items) + " blocks of " + std::to_string(side) + "^2: ";
  std::vector<const void*> in;
  for (std::int64_t i = 0; i < items; ++i) in.push_back(data + i * side * side * ashlar::itemsize(d.input));
  const result states(q, d, items, side);
  const result joined(q, d, per_axis, side);

  dt::device_columns c;
  c.rows = side;
  c.row_stride = side;
  c.columns = side;
  c.in = q.put(in);
  c.out = states.table;
  c.fields = states.fields;
  c.items = items;
  measure(of + "columns", q, [&] { d.device->columns(q, c); });
  if (side >= 1000) {
    for (const int leaves : {2, 4, 8, 16, 32}) {
      const std::int64_t runs = (side + 16 * leaves - 1) / (16 * leaves);
      measure(of + "columns, runs of " + std::to_string(leaves), q, [&] {
        dt::state_memory out;
        out.table = c.out;
        out.fields = c.fields;
        const dt::state_memory to = runs == 1 ? out : dt::state_room<D>(q, items, runs * side);
        const dt::memory_elements<typename D::in_type> elements{c.in};
        dt::column_states<D>
            <<<dt::launch_blocks(items * side * runs, dt::column_threads), dt::column_threads, 0, dt::stream_of(q)>>>(
                c, elements, to, 1, runs, leaves);
        if (runs > 1) dt::join_runs<D>(q, to, out, items, 1, runs, side, 16 * leaves, side);
      });
    }
  }

  // columns of blocks: per_axis trees of per_axis leaves
  must(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  std::vector<void*> leaves(static_cast<std::size_t>(items));
  must(cudaMemcpy(leaves.data(), states.table, leaves.size() * sizeof(void*), cudaMemcpyDeviceToHost), "cudaMemcpy");
  dt::device_tree t;
  t.leaves = per_axis;
  t.columns = side;
  t.in = q.put(leaves);
  t.counts = q.put(std::vector<std::int64_t>(static_cast<std::size_t>(items), side));
  t.in_fields = states.fields;
  t.out = joined.table;
  t.fields = joined.fields;
  t.items = per_axis;
  measure(of + "the tree over blocks", q, [&] { d.device->tree(q, t); });
  measure(of + "columns and tree", q, [&] {
    d.device->columns(q, c);
    d.device->tree(q, t);
  });

  dt::device_rows r;
  r.outer.ndim = 1;
  r.outer.extent[0] = side;
  r.outer.stride[0] = side;
  r.n = side;
  r.in = c.in;
  r.out = states.table;
  r.fields = states.fields;
  r.items = items;
  measure(of + "rows", q, [&] { d.device->rows(q, r); });
  measure(of + "rows and tree", q, [&] {
    d.device->rows(q, r);
    d.device->tree(q, t);
  });

  // all: the rows' states of a block are folded, then the blocks pair
  const result one(q, d, items, 1);
  const result last(q, d, 1, 1);
  dt::device_fold f;
  f.n = side;
  f.count = side;
  f.in = states.table;
  f.in_fields = states.fields;
  f.out = one.table;
  f.fields = one.fields;
  f.items = items;
  dt::device_tree whole = t;
  must(cudaMemcpy(leaves.data(), one.table, leaves.size() * sizeof(void*), cudaMemcpyDeviceToHost), "cudaMemcpy");
  whole.leaves = items;
  whole.columns = 1;
  whole.in = q.put(leaves);
  whole.in_fields = one.fields;
  whole.out = last.table;
  whole.fields = last.fields;
  whole.items = 1;
  measure(of + "all: fold and tree alone", q, [&] {
    d.device->fold(q, f);
    d.device->tree(q, whole);
  });
  measure(of + "all: rows, fold and tree", q, [&] {
    d.device->rows(q, r);
    d.device->fold(q, f);
    d.device->tree(q, whole);
  });
  q.back_to(here);
}

template <class T>
void library(queue& q, T* data) {
  const std::int64_t here = q.mark();
  const auto n = static_cast<std::int64_t>(bytes) / static_cast<std::int64_t>(sizeof(T));
  auto* const out = static_cast<T*>(q.room(sizeof(T)));
  std::size_t size = 0;
  must(cub::DeviceReduce::Sum(nullptr, size, data, out, n), "cub::DeviceReduce::Sum");
  void* const work = q.room(static_cast<std::int64_t>(size));
  measure("CUB's sum of 3.2 GB", q,
          [&] { must(cub::DeviceReduce::Sum(work, size, data, out, n, dt::stream_of(q)), "cub::DeviceReduce::Sum"); });
  q.back_to(here);
}

template <class T>
void of_type(queue& q, unsigned char* data, bool more) {
  auto* const typed = reinterpret_cast<T*>(data);
  fill<<<1320, 256>>>(typed, static_cast<std::int64_t>(bytes) / static_cast<std::int64_t>(sizeof(T)));
  must(cudaDeviceSynchronize(), "fill");
  library(q, typed);
  using sum = dt::sum_policy<T, dt::accumulator_t<T>>;
  using moments = dt::moments_policy<T>;
  using max = dt::max_policy<T>;
  const std::int64_t wide = 8 / static_cast<std::int64_t>(sizeof(T)) == 2 ? 28 : 20;  // 3.2 GB, or a little less
  blocks<sum>(q, dt::fold_reducer<sum, tag>, data, 1000, wide);
  blocks<moments>(q, dt::moments_reducer<T, tag>, data, 1000, wide);
  blocks<max>(q, dt::fold_reducer<max, tag>, data, 1000, wide);
  if (!more) return;
  blocks<sum>(q, dt::fold_reducer<sum, tag>, data, 200, 100);
  blocks<sum>(q, dt::fold_reducer<sum, tag>, data, 100, 200);
  blocks<moments>(q, dt::moments_reducer<T, tag>, data, 200, 100);
  blocks<sum>(q, dt::fold_reducer<sum, tag>, data, 20000, 1);
}

}  // namespace

int main() {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::printf("SKIPPED: there is no CUDA device\n");
    return 77;
  }
  try {
    unsigned char* data = nullptr;
    must(cudaMalloc(&data, static_cast<std::size_t>(bytes)), "cudaMalloc");
    queue q(std::int64_t{2} << 30);
    of_type<double>(q, data, true);
    of_type<float>(q, data, false);
  } catch (const std::exception& e) {
    std::printf("failed: %s\n", e.what());
    return 1;
  }
  return 0;
}
