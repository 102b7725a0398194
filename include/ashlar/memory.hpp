/// \file
/// Memory: resources with exact counters, host memory, and the reference-counted buffer.
///
/// Every block and every result comes from a memory_resource, so that where bytes live is a value and what a run holds
/// can be read off a counter. A buffer ties bytes to the resource that must take them back.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include <ashlar/host_memory.hpp>
#include <ashlar/memory_resource.hpp>
#include <ashlar/place.hpp>

namespace ashlar {

/// Shared handle of a run of bytes: copies refer to the same bytes, the last one gives them back. A default
/// constructed buffer owns nothing. Handles are as thread safe as std::shared_ptr: different handles may be used at
/// once, one handle may not be written at once.
class buffer {
 public:
  buffer() noexcept = default;

  /// New uninitialised bytes, 64-byte aligned. The resource must outlive every handle.
  /// @throws memory_error when the resource cannot give that much
  static buffer allocate(std::size_t bytes, memory_resource& resource = host_memory()) {
    void* data = resource.allocate(bytes);
    try {
      return buffer(new block{{1}, data, bytes, resource.where(), &resource, nullptr});
    } catch (...) {
      resource.release(data, bytes);
      throw;
    }
  }

  /// Bytes that belong to someone else. `keep_alive` (may be null) is dropped with the last handle, and whatever it
  /// owns is destroyed then; with a null keep_alive the caller keeps the bytes valid.
  static buffer adopt(void* data, std::size_t bytes, std::shared_ptr<const void> keep_alive, place where = {}) {
    return buffer(new block{{1}, data, bytes, where, nullptr, std::move(keep_alive)});
  }

  buffer(const buffer& other) noexcept : block_(other.block_) {
    if (block_ != nullptr) block_->count.fetch_add(1, std::memory_order_relaxed);
  }
  buffer(buffer&& other) noexcept : block_(std::exchange(other.block_, nullptr)) {}
  buffer& operator=(const buffer& other) noexcept {
    buffer(other).swap(*this);
    return *this;
  }
  buffer& operator=(buffer&& other) noexcept {
    buffer(std::move(other)).swap(*this);
    return *this;
  }
  ~buffer() { drop(); }

  void swap(buffer& other) noexcept { std::swap(block_, other.block_); }

  /// Gives up this handle's share; the buffer is empty afterwards.
  void reset() noexcept { buffer().swap(*this); }

  /// The first byte; null when empty.
  void* data() const noexcept { return block_ == nullptr ? nullptr : block_->data; }

  /// Bytes as asked for; 0 when empty.
  std::size_t bytes() const noexcept { return block_ == nullptr ? 0 : block_->bytes; }

  /// Where the bytes are; host when empty.
  place where() const noexcept { return block_ == nullptr ? place{} : block_->where; }

  /// True unless empty. A buffer of 0 bytes is not empty.
  explicit operator bool() const noexcept { return block_ != nullptr; }

  /// Handles that share the bytes; 0 when empty. Exact only while no other thread copies or drops one; 1 means that
  /// this handle is alone, which no other thread can change.
  std::int64_t use_count() const noexcept {
    return block_ == nullptr ? 0 : block_->count.load(std::memory_order_acquire);
  }

 private:
  struct block {
    std::atomic<std::int64_t> count;
    void* data;
    std::size_t bytes;
    place where;
    memory_resource* resource;
    std::shared_ptr<const void> keep_alive;
  };

  explicit buffer(block* owned) noexcept : block_(owned) {}

  void drop() noexcept {
    if (block_ == nullptr || block_->count.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
    if (block_->resource != nullptr) block_->resource->release(block_->data, block_->bytes);
    delete block_;
  }

  block* block_ = nullptr;
};

}  // namespace ashlar
