/// \file
/// Where the elements of a leaf come from: memory, a generator, a file, separate blocks, tasks that are not arrays.
///
/// A source is an entry of the plan's resource table; kernels never hold pointers. Every source is read in place or
/// evaluated tile by tile inside the loop of whoever consumes it, so it is never materialised and costs no memory of
/// its own. The exception are sources that are pending: what their tasks give is made before each run, and held by it.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <ashlar/block_grid.hpp>
#if defined(__CUDACC__)
#include <ashlar/detail/device_generators.hpp>
#endif
#include <ashlar/dtype.hpp>
#include <ashlar/graph/kernel.hpp>
#include <ashlar/memory.hpp>
#include <ashlar/place.hpp>
#include <ashlar/shape.hpp>

namespace ashlar {

struct run_options;

namespace detail {
struct executor_ref;
class source;
using source_ptr = std::shared_ptr<const source>;
}  // namespace detail

}  // namespace ashlar

namespace ashlar::detail {

class device_queue;
struct device_fill;

/// How a device makes the elements of a generator: an entry, null for generators that only the host runs, and what it
/// is called with.
struct device_source {
  void (*fill)(const void* generator, device_queue& q, const device_fill& work) = nullptr;
  const void* generator = nullptr;
};

/// Strided elements in memory; strides in elements.
struct memory_view {
  const void* data = nullptr;
  ashlar::strides strides;
};

class source {
 public:
  source() = default;
  source(const source&) = delete;
  source& operator=(const source&) = delete;
  virtual ~source() = default;

  /// One word for messages: "memory", "arange", "normal", "npy".
  virtual const char* name() const noexcept = 0;

  /// Elements that lie in memory in native form, or null: then fill() makes them.
  virtual const memory_view* memory() const noexcept { return nullptr; }

  /// Contiguous row-major blocks of a grid in memory, one pointer a block in row-major order, or null.
  virtual const void* const* blocks() const noexcept { return nullptr; }

  /// Writes the `n` elements whose C-order linear indices are first, first+1, … Pure: the same indices give the same
  /// values on any thread.
  virtual void fill(std::int64_t first, std::int64_t n, void* out) const = 0;

  /// Where memory() or blocks() are.
  virtual ashlar::place where() const noexcept { return place::host(); }

  /// For a source that is elsewhere: a copy of all of it on the host.
  virtual source_ptr on_host() const { return nullptr; }

  /// How a device makes what fill() makes on the host.
  virtual device_source device() const noexcept { return {}; }

  /// True when `other` certainly yields the same elements (equal parameters of one generator).
  virtual bool same_as(const source& other) const noexcept { return this == &other; }

  /// Equal for sources that are the same.
  virtual std::size_t hash() const noexcept { return reinterpret_cast<std::size_t>(this); }

  /// Whether the elements have to be made before each run, by make().
  virtual bool pending() const noexcept { return false; }

  /// Sources that stand in for `all` pending ones of a run, made in one run before it. The executor is that of the run.
  virtual std::vector<source_ptr> make(const std::vector<const source*>& all, const executor_ref& where,
                                       const run_options& options) const {
    static_cast<void>(all);
    static_cast<void>(where);
    static_cast<void>(options);
    return {};
  }
};

/// Elements of an ndarray, of user memory, or of a mapped file; keeps the owner alive.
class memory_source final : public source {
 public:
  memory_source(memory_view view, std::shared_ptr<const void> owner, const char* name = "memory")
      : view_(view), owner_(std::move(owner)), name_(name) {}

  const char* name() const noexcept override { return name_; }
  const memory_view* memory() const noexcept override { return &view_; }
  void fill(std::int64_t, std::int64_t, void*) const override {}

  bool same_as(const source& other) const noexcept override {
    const memory_view* v = other.memory();
    return v != nullptr && v->data == view_.data && v->strides == view_.strides;
  }
  std::size_t hash() const noexcept override { return reinterpret_cast<std::size_t>(view_.data); }

 private:
  memory_view view_;
  std::shared_ptr<const void> owner_;
  const char* name_;
};

/// Separate contiguous blocks, as persist() leaves them.
class blocks_source final : public source {
 public:
  blocks_source(std::vector<const void*> blocks, std::shared_ptr<const void> owner)
      : blocks_(std::move(blocks)), owner_(std::move(owner)) {}

  const char* name() const noexcept override { return "persisted"; }
  const void* const* blocks() const noexcept override { return blocks_.data(); }
  void fill(std::int64_t, std::int64_t, void*) const override {}

 private:
  std::vector<const void*> blocks_;
  std::shared_ptr<const void> owner_;
};

/// A generator: a pure function of the linear index. `F` has `void operator()(std::int64_t first, std::int64_t n,
/// T* out) const`; when `F` has operator== and hash() two equal ones are taken for one. A device can make the elements
/// when F has a device form (detail/device_generators.hpp) and nvcc compiled the place where the array was made.
template <class T, class F, class Tag>
class generator_source final : public source {
 public:
  generator_source(F f, const char* name) : f_(std::move(f)), name_(name) {}

  const char* name() const noexcept override { return name_; }
  void fill(std::int64_t first, std::int64_t n, void* out) const override { f_(first, n, static_cast<T*>(out)); }

  device_source device() const noexcept override {
#if defined(__CUDACC__)
    if constexpr (std::is_same_v<Tag, cuda_backend>) return {device_filler_of<F>(), &f_};
#endif
    return {};
  }

  bool same_as(const source& other) const noexcept override {
    if (this == &other) return true;
    if constexpr (requires(const F& a, const F& b) { a == b; }) {
      const auto* o = dynamic_cast<const generator_source*>(&other);
      return o != nullptr && o->f_ == f_;
    } else {
      return false;
    }
  }
  std::size_t hash() const noexcept override {
    if constexpr (requires(const F& a) { a.hash(); }) {
      return f_.hash();
    } else {
      return source::hash();
    }
  }

 private:
  F f_;
  const char* name_;
};

}  // namespace ashlar::detail
