/// \file
/// Compares the device passes of a reducer with its host entries, put together in the canonical order: states bit for
/// bit, except that a NaN is a NaN.
#pragma once

#include <cstdint>
#include <cstring>
#include <iostream>
#include <limits>
#include <string>
#include <vector>

#include "device_check.hpp"

#include <ashlar/detail/nan_reducers.hpp>
#include <ashlar/detail/reducers.hpp>
#include <ashlar/graph/device_work.hpp>

namespace device_reduce {

namespace ash = ashlar;
namespace dt = ashlar::detail;
using bytes = std::vector<unsigned char>;

using device_check::checks;
using device_check::failures;
using device_check::must;

/// One piece of device memory, given away from the front.
class test_queue final : public dt::device_queue {
 public:
  explicit test_queue(std::int64_t size) : size_(size) {
    must(cudaMalloc(&memory_, static_cast<std::size_t>(size)), "cudaMalloc");
    must(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
  }
  test_queue(const test_queue&) = delete;
  ~test_queue() {
    static_cast<void>(cudaStreamDestroy(stream_));
    static_cast<void>(cudaFree(memory_));
  }
  void* stream() const noexcept override { return stream_; }
  void* room(std::int64_t n) override {
    const std::int64_t at = used_;
    used_ += (n + 255) / 256 * 256;
    if (used_ > size_) throw ash::memory_error("the test's device memory is too small");
    return static_cast<unsigned char*>(memory_) + at;
  }
  void* upload(const void* from, std::int64_t n) override {
    void* const to = room(n);
    put(to, from, n);
    return to;
  }
  /// In the stream of the kernels: a plain copy from pageable memory may still be under way when it returns, and such a
  /// stream does not wait for it.
  void put(void* to, const void* from, std::int64_t n) {
    if (n == 0) return;
    must(cudaMemcpyAsync(to, from, static_cast<std::size_t>(n), cudaMemcpyHostToDevice, stream_), "cudaMemcpyAsync");
    must(cudaStreamSynchronize(stream_), "cudaStreamSynchronize");
  }
  template <class T>
  T* upload_all(const std::vector<T>& v) {
    return static_cast<T*>(upload(v.data(), static_cast<std::int64_t>(v.size() * sizeof(T))));
  }
  bytes download(const void* from, std::int64_t n) {
    must(cudaStreamSynchronize(stream_), "cudaStreamSynchronize");
    bytes b(static_cast<std::size_t>(n));
    if (n > 0) must(cudaMemcpy(b.data(), from, b.size(), cudaMemcpyDeviceToHost), "cudaMemcpy");
    return b;
  }
  void reset() { used_ = 0; }

 private:
  void* memory_ = nullptr;
  cudaStream_t stream_{};
  std::int64_t size_;
  std::int64_t used_ = 0;
};

// --- elements ---

enum class content { plain, special };

template <class T>
T element_at(std::uint64_t bits, content kind) {
  if constexpr (std::is_same_v<T, bool>) {
    return (bits >> 40) % 3 == 0;
  } else if constexpr (std::is_floating_point_v<T>) {
    if (kind == content::special) {
      constexpr T list[] = {T(0), -T(0), std::numeric_limits<T>::quiet_NaN(), std::numeric_limits<T>::infinity(), T(2)};
      if ((bits >> 20) % 7 == 0) return list[(bits >> 30) % 5];
    }
    return static_cast<T>((static_cast<double>(bits >> 11) * 0x1p-53 - 0.5) * 3);
  } else {
    return static_cast<T>(bits >> 32);
  }
}

inline bytes elements(ash::dtype type, std::int64_t n, content kind, std::uint64_t seed) {
  bytes b(static_cast<std::size_t>(n * ash::itemsize(type)));
  const auto fill = [&]<class T>(T, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) {
      seed = seed * 6364136223846793005ull + 1442695040888963407ull;
      const T v = element_at<T>(seed, kind);
      std::memcpy(b.data() + static_cast<std::size_t>(i) * sizeof(T), &v, sizeof(T));
    }
  };
  switch (type) {
    case ash::dtype::boolean:
      fill(bool{}, n);
      break;
    case ash::dtype::float32:
      fill(float{}, n);
      break;
    case ash::dtype::complex64:
      fill(float{}, 2 * n);
      break;
    case ash::dtype::float64:
      fill(double{}, n);
      break;
    case ash::dtype::complex128:
      fill(double{}, 2 * n);
      break;
    default:
      fill(std::uint8_t{}, n * ash::itemsize(type));
  }
  return b;
}

// --- states on the host ---

struct states {
  bytes field[dt::max_fields];
  std::int64_t columns = 0;
  std::int64_t count = 0;
};

struct reference {
  const dt::reducer_descriptor& d;
  const dt::reducer_entries& entries = d.host[static_cast<int>(dt::current_isa())];

  states make(std::int64_t columns) const {
    states s;
    s.columns = columns;
    for (int f = 0; f < d.fields; ++f) s.field[f].resize(static_cast<std::size_t>(columns * ash::itemsize(d.field[f])));
    dt::state_ref r = ref(s);
    d.identity(r, columns);
    return s;
  }
  dt::state_ref ref(states& s, std::int64_t column = 0) const {
    dt::state_ref r{};
    for (int f = 0; f < d.fields; ++f) r.field[f] = s.field[f].data() + column * ash::itemsize(d.field[f]);
    return r;
  }
  void merge(states& a, states& b) const {
    entries.merge(ref(a), ref(a), ref(b), a.columns, a.count, b.count);
    a.count += b.count;
  }
  /// Neighbours pair level by level.
  states tree(std::vector<states> level, std::int64_t columns) const {
    if (level.empty()) return make(columns);
    while (level.size() > 1) {
      std::vector<states> next;
      for (std::size_t k = 0; k < level.size(); k += 2) {
        if (k + 1 < level.size()) merge(level[k], level[k + 1]);
        next.push_back(std::move(level[k]));
      }
      level = std::move(next);
    }
    return std::move(level[0]);
  }
  /// Packed rows of `columns`, reduced.
  states columns(const unsigned char* in, std::int64_t rows, std::int64_t n, dt::index_map index) const {
    const std::int64_t stride = n * ash::itemsize(d.input);
    std::vector<states> leaves;
    for (std::int64_t r = 0; r < rows; r += dt::column_leaf) {
      const std::int64_t m = rows - r < dt::column_leaf ? rows - r : dt::column_leaf;
      leaves.push_back(make(n));
      leaves.back().count = m;
      dt::index_map at = index;
      at.first += r * index.row_step;
      if (n > 0) entries.columns(in + r * stride, stride, static_cast<int>(m), n, at, ref(leaves.back()));
    }
    return tree(std::move(leaves), n);
  }
};

// --- comparison ---

inline bool same(ash::dtype type, const unsigned char* a, const unsigned char* b) {
  const auto size = static_cast<std::size_t>(ash::itemsize(type));
  if (std::memcmp(a, b, size) == 0) return true;
  const auto parts = [&]<class T>(T) {
    for (std::size_t k = 0; k < size; k += sizeof(T)) {
      T x;
      T y;
      std::memcpy(&x, a + k, sizeof(T));
      std::memcpy(&y, b + k, sizeof(T));
      if (std::memcmp(&x, &y, sizeof(T)) != 0 && !(x != x && y != y)) return false;
    }
    return true;
  };
  if (ash::kind(type) < ash::dtype_kind::floating) return false;
  return type == ash::dtype::float32 || type == ash::dtype::complex64 ? parts(float{}) : parts(double{});
}

inline std::string text(ash::dtype type, const unsigned char* a) {
  double v = 0;
  if (type == ash::dtype::float64 || type == ash::dtype::complex128) {
    std::memcpy(&v, a, sizeof v);
    return std::to_string(v);
  }
  std::uint64_t i = 0;
  std::memcpy(&i, a,
              static_cast<std::size_t>(ash::itemsize(type)) < 8 ? static_cast<std::size_t>(ash::itemsize(type)) : 8);
  return std::to_string(i);
}

inline void expect_same(const std::string& what, ash::dtype type, const unsigned char* got,
                        const unsigned char* expected, std::int64_t n) {
  ++checks;
  const std::int64_t size = ash::itemsize(type);
  for (std::int64_t i = 0; i < n; ++i) {
    if (same(type, got + i * size, expected + i * size)) continue;
    ++failures;
    if (failures < 40) {
      std::cerr << "failed: " << what << ": element " << i << " of " << n << " is " << text(type, got + i * size)
                << " on the device, " << text(type, expected + i * size) << " on the host\n";
    }
    return;
  }
}

/// States of some items on the device, and their comparison.
struct device_states {
  test_queue& q;
  const dt::reducer_descriptor& d;
  std::int64_t columns;
  dt::device_fields fields{};
  std::int64_t item_bytes = 0;
  std::vector<void*> item;
  void** table = nullptr;

  device_states(test_queue& queue, const dt::reducer_descriptor& descriptor, std::int64_t items, std::int64_t n)
      : q(queue), d(descriptor), columns(n) {
    for (int f = 0; f < d.fields; ++f) {
      fields.offset[f] = item_bytes;
      item_bytes += (columns * ash::itemsize(d.field[f]) + 63) / 64 * 64;
    }
    for (std::int64_t i = 0; i < items; ++i) item.push_back(q.room(item_bytes));
    table = q.upload_all(item);
  }
  void set(std::size_t i, const states& s) {
    for (int f = 0; f < d.fields; ++f) {
      if (s.field[f].empty()) continue;
      q.put(static_cast<unsigned char*>(item[i]) + fields.offset[f], s.field[f].data(),
            static_cast<std::int64_t>(s.field[f].size()));
    }
  }
  /// Against `n` states from column `first` of the host's.
  void expect(const std::string& what, std::size_t i, states& s, std::int64_t first = 0) {
    const bytes got = q.download(item[i], item_bytes);
    for (int f = 0; f < d.fields; ++f) {
      const std::int64_t size = ash::itemsize(d.field[f]);
      expect_same(std::string(d.name) + " of " + std::string(ash::name(d.input)) + ", " + what + ", item " +
                      std::to_string(i) + ", field " + std::to_string(f),
                  d.field[f], got.data() + fields.offset[f] + first * size, s.field[f].data(), s.columns);
    }
  }
};

}  // namespace device_reduce
