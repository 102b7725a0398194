/// \file
/// What the dispatcher asks of a device: memory in the order of a stream, copies, the end of all that was asked for.
/// The dispatcher knows no device library; cuda/runner.hpp implements this with CUDA.
#pragma once

#include <cstdint>
#include <memory>

#include <ashlar/graph/device_work.hpp>
#include <ashlar/graph/kernel.hpp>
#include <ashlar/graph/reducer.hpp>
#include <ashlar/graph/scanner.hpp>
#include <ashlar/graph/source.hpp>
#include <ashlar/memory_resource.hpp>
#include <ashlar/place.hpp>

namespace ashlar::detail {

/// Rows of bytes of a copy between host and device.
struct byte_rows {
  std::int64_t width = 0;  // bytes of a row
  std::int64_t rows = 1;
  std::int64_t from_pitch = 0;  // bytes from row to row
  std::int64_t to_pitch = 0;
};

/// All calls are about one stream: what is asked for first happens first. Errors of earlier work may show in any call.
/// @throws device_error in all that is not noexcept
class device_api {
 public:
  device_api() = default;
  device_api(const device_api&) = delete;
  device_api& operator=(const device_api&) = delete;
  virtual ~device_api() = default;

  virtual ashlar::place place() const noexcept = 0;
  virtual void* stream() const noexcept = 0;  // a cudaStream_t

  /// Memory for work that is asked for from now on, 256-byte aligned; null when there is none.
  virtual void* allocate(std::int64_t bytes) = 0;
  /// After all work that was asked for so far.
  virtual void release(void* data, std::int64_t bytes) noexcept = 0;

  /// Memory that outlives the run comes from here, and goes back to the host by this.
  virtual memory_resource& resource() = 0;
  virtual void (*fetcher() const)(void* to, const void* from, std::int64_t bytes, ashlar::place where) = 0;

  /// The host's memory may not change before wait() unless it was read when the call returns.
  virtual void copy_in(void* to, const void* from, const byte_rows& what) = 0;
  virtual void copy_out(void* to, const void* from, const byte_rows& what) = 0;
  /// As copy_in; the host's memory is read when this returns.
  virtual void upload(void* to, const void* from, std::int64_t bytes) = 0;

  virtual void copy(device_queue& q, const device_copy& work) = 0;

  // What descriptors have entries for. A device that has ways of its own overrides these.

  virtual bool runs(const kernel_descriptor& k) const { return k.device != nullptr; }
  virtual bool runs(const reducer_descriptor& r) const { return r.device != nullptr; }
  virtual bool runs(const finisher_descriptor& f) const { return f.device != nullptr; }
  virtual bool runs(const scan_descriptor& s) const { return s.device != nullptr; }
  virtual bool runs(const source& generator) const { return generator.device().fill != nullptr; }

  virtual void run(device_queue& q, const kernel& k, const device_elementwise& work) {
    k.descriptor->device(k.parameters.get(), work, q.stream());
  }
  virtual void run(device_queue& q, const reducer_descriptor& r, const device_rows& work) { r.device->rows(q, work); }
  virtual void run(device_queue& q, const reducer_descriptor& r, const device_columns& work) {
    r.device->columns(q, work);
  }
  virtual void run(device_queue& q, const reducer_descriptor& r, const device_lift& work) { r.device->lift(q, work); }
  virtual void run(device_queue& q, const reducer_descriptor& r, const device_fold& work) { r.device->fold(q, work); }
  virtual void run(device_queue& q, const reducer_descriptor& r, const device_tree& work) { r.device->tree(q, work); }
  /// Over the values of an expression; only for what has such passes.
  virtual void run(device_queue& q, const device_fused& f, const void* parameters, const device_rows& work) {
    f.rows(q, parameters, work);
  }
  virtual void run(device_queue& q, const device_fused& f, const void* parameters, const device_columns& work) {
    f.columns(q, parameters, work);
  }
  virtual void run(device_queue& q, const finisher_descriptor& f, const device_finish& work) { f.device(q, work); }
  virtual void run(device_queue& q, const scan_descriptor& s, const device_scan& work) { s.device(q, work); }
  virtual void run(device_queue& q, const source& generator, const device_fill& work) {
    const device_source d = generator.device();
    d.fill(d.generator, q, work);
  }

  /// Notes when the device comes here. @returns the number of the note
  virtual int mark() { return 0; }
  /// Between two notes, once everything has run.
  virtual double seconds(int, int) { return 0; }

  /// Until everything has run.
  virtual void wait() = 0;

  /// Bytes that may be allocated, about.
  virtual std::int64_t free_bytes() = 0;
};

}  // namespace ashlar::detail
