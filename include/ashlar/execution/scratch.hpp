/// \file
/// Memory of one lane: a stack of scratch bytes, and blocks that are used again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <ashlar/memory.hpp>

namespace ashlar::detail {

/// Bump allocation with marks. Grows by whole pieces and keeps them, so a lane that has seen its largest task allocates
/// no more.
class scratch_stack {
 public:
  struct mark {
    std::size_t piece;
    std::size_t used;
  };

  explicit scratch_stack(memory_resource& resource) : resource_(&resource) {}
  scratch_stack(const scratch_stack&) = delete;
  scratch_stack& operator=(const scratch_stack&) = delete;
  ~scratch_stack() {
    for (const piece& p : pieces_) resource_->release(p.data, p.bytes);
  }

  /// @returns 64-byte aligned memory until the next rewind below it
  unsigned char* take(std::int64_t bytes) {
    const auto wanted = (static_cast<std::size_t>(bytes) + 63) / 64 * 64;
    while (at_.piece < pieces_.size()) {
      const piece& p = pieces_[at_.piece];
      if (at_.used + wanted <= p.bytes) {
        unsigned char* const result = p.data + at_.used;
        at_.used += wanted;
        return result;
      }
      ++at_.piece;
      at_.used = 0;
    }
    const std::size_t size = wanted > smallest_piece ? wanted : smallest_piece;
    pieces_.reserve(pieces_.size() + 1);
    pieces_.push_back({static_cast<unsigned char*>(resource_->allocate(size)), size});
    at_ = {pieces_.size() - 1, wanted};
    return pieces_.back().data;
  }

  template <class T>
  T* take_array(std::int64_t n) {
    return reinterpret_cast<T*>(take(n * static_cast<std::int64_t>(sizeof(T))));
  }

  mark here() const noexcept { return at_; }
  void rewind(mark m) noexcept { at_ = m; }

 private:
  static constexpr std::size_t smallest_piece = 256 << 10;
  struct piece {
    unsigned char* data;
    std::size_t bytes;
  };
  memory_resource* resource_;
  std::vector<piece> pieces_;
  mark at_{0, 0};
};

/// Blocks of few sizes, handed back and taken again without a lock.
class block_cache {
 public:
  explicit block_cache(memory_resource& resource) : resource_(&resource) {}

  /// From now on blocks go back to the resource at once: for runs that count what they hold.
  void keep_nothing() noexcept { keeps_ = false; }

  block_cache(const block_cache&) = delete;
  block_cache& operator=(const block_cache&) = delete;
  ~block_cache() {
    for (const bin& b : bins_) {
      for (void* p : b.blocks) resource_->release(p, b.bytes);
    }
  }

  void* take(std::size_t bytes) {
    for (bin& b : bins_) {
      if (b.bytes == bytes && !b.blocks.empty()) {
        void* const p = b.blocks.back();
        b.blocks.pop_back();
        return p;
      }
    }
    return resource_->allocate(bytes);
  }

  void give_back(void* block, std::size_t bytes) noexcept {
    if (!keeps_) {
      resource_->release(block, bytes);
      return;
    }
    for (bin& b : bins_) {
      if (b.bytes != bytes) continue;
      if (b.blocks.size() < b.blocks.capacity()) {
        b.blocks.push_back(block);
      } else {
        resource_->release(block, bytes);
      }
      return;
    }
    try {
      bins_.reserve(bins_.size() + 1);
      bin b{bytes, {}};
      b.blocks.reserve(bytes > (1u << 20) ? 2 : 32);
      b.blocks.push_back(block);
      bins_.push_back(std::move(b));
    } catch (...) {
      resource_->release(block, bytes);
    }
  }

 private:
  struct bin {
    std::size_t bytes;
    std::vector<void*> blocks;
  };
  memory_resource* resource_;
  bool keeps_ = true;
  std::vector<bin> bins_;
};

}  // namespace ashlar::detail
