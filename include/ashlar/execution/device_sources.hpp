/// \file
/// What a run leaves on a device: blocks, or one array. A run on that device reads it in place; for any other it is
/// copied to the host first (execution/make_pending.hpp).
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <ashlar/graph/source.hpp>
#include <ashlar/memory.hpp>

namespace ashlar::detail {

/// Blocks that stay on a device, in one piece of memory.
class device_blocks_source final : public source {
 public:
  using fetcher = void (*)(void* to, const void* from, std::int64_t bytes, ashlar::place where);

  device_blocks_source(std::vector<const void*> blocks, buffer owner, fetcher fetch)
      : blocks_(std::move(blocks)), owner_(std::move(owner)), fetch_(fetch) {}

  const char* name() const noexcept override { return "persisted"; }
  const void* const* blocks() const noexcept override { return blocks_.data(); }
  ashlar::place where() const noexcept override { return owner_.where(); }
  void fill(std::int64_t, std::int64_t, void*) const override {}

  /// Cost: one copy of everything.
  source_ptr on_host() const override {
    buffer copy = buffer::allocate(owner_.bytes());
    if (owner_.bytes() > 0) fetch_(copy.data(), owner_.data(), static_cast<std::int64_t>(owner_.bytes()), where());
    std::vector<const void*> there;
    there.reserve(blocks_.size());
    const auto* const to = static_cast<const unsigned char*>(copy.data());
    for (const void* b : blocks_) {
      there.push_back(to + (static_cast<const unsigned char*>(b) - static_cast<const unsigned char*>(owner_.data())));
    }
    return std::make_shared<blocks_source>(std::move(there), std::make_shared<const buffer>(std::move(copy)));
  }

 private:
  std::vector<const void*> blocks_;
  buffer owner_;
  fetcher fetch_;
};

/// One array on a device, row-major.
class device_memory_source final : public source {
 public:
  device_memory_source(ashlar::strides strides, buffer owner, device_blocks_source::fetcher fetch)
      : owner_(std::move(owner)), view_{owner_.data(), strides}, fetch_(fetch) {}

  const char* name() const noexcept override { return "persisted"; }
  const memory_view* memory() const noexcept override { return &view_; }
  ashlar::place where() const noexcept override { return owner_.where(); }
  void fill(std::int64_t, std::int64_t, void*) const override {}

  source_ptr on_host() const override {
    buffer copy = buffer::allocate(owner_.bytes());
    if (owner_.bytes() > 0) fetch_(copy.data(), owner_.data(), static_cast<std::int64_t>(owner_.bytes()), where());
    const memory_view there{copy.data(), view_.strides};
    return std::make_shared<memory_source>(there, std::make_shared<const buffer>(std::move(copy)), "persisted");
  }

 private:
  buffer owner_;
  memory_view view_;
  device_blocks_source::fetcher fetch_;
};

}  // namespace ashlar::detail
