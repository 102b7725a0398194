// Memory of a simulated device. Every byte knows who wrote and who read it last, so that a read of what was never
// written, of what was given back, and of what another thread of the same launch writes is found and named.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <ashlar/error.hpp>
#include <ashlar/place.hpp>

namespace simulated_device {

/// A breach of the rules of a device by those who use it.
class violation : public ashlar::device_error {
 public:
  using device_error::device_error;
};

/// Calls are made under a lock of the caller's.
class shadowed_memory {
 public:
  shadowed_memory(ashlar::place where, std::int64_t size) : where_(where), size_(size) {}

  std::int64_t live() const noexcept { return live_; }
  std::int64_t size() const noexcept { return size_; }
  void resize(std::int64_t size) noexcept { size_ = size; }

  /// Null when there is no room.
  void* take(std::int64_t bytes) {
    if (bytes > size_ - live_) return nullptr;
    piece p;
    const auto n = static_cast<std::size_t>(bytes < 1 ? 1 : bytes);
    p.storage = std::make_unique<unsigned char[]>(n + 256);
    const auto first = (reinterpret_cast<std::uintptr_t>(p.storage.get()) + 255) / 256 * 256;
    p.data = p.storage.get() + (first - reinterpret_cast<std::uintptr_t>(p.storage.get()));
    p.bytes = bytes;
    p.writer.assign(n, 0);
    p.reader.assign(n, 0);
    std::memset(p.data, 0xa5, n);
    void* const data = p.data;
    pieces_.emplace(first, std::move(p));
    live_ += bytes;
    return data;
  }

  /// The bytes count as free from now on; drop() has to follow.
  void give_back(void* data, std::int64_t bytes) {
    const auto found = pieces_.find(reinterpret_cast<std::uintptr_t>(data));
    if (found == pieces_.end()) fail("memory is given back that is not there");
    if (found->second.given_back) fail("memory is given back twice");
    if (found->second.bytes != bytes) {
      fail(std::to_string(bytes) + " bytes are given back of a piece of " + std::to_string(found->second.bytes));
    }
    found->second.given_back = true;
    live_ -= bytes;
  }

  void drop(void* data) {
    pieces_.erase(reinterpret_cast<std::uintptr_t>(data));
    for (piece*& p : recent_) p = nullptr;
  }

  void begin_launch(const char* name) {
    name_ = name;
    launch_ = now_ = ++thread_;
  }
  /// Numbers for the next threads of the launch. Each is who it is by be_thread().
  std::uint32_t threads(std::int64_t count) noexcept {
    const std::uint32_t first = thread_ + 1;
    thread_ += static_cast<std::uint32_t>(count);
    return first;
  }
  void be_thread(std::uint32_t number) noexcept { now_ = number; }

  void read(void* to, const void* from, std::int64_t bytes) {
    if (bytes <= 0) return;
    piece& p = piece_of(from, bytes, "reads");
    const auto first = static_cast<std::size_t>(static_cast<const unsigned char*>(from) - p.data);
    for (std::size_t i = first; i < first + static_cast<std::size_t>(bytes); ++i) {
      const std::uint32_t w = p.writer[i];
      if (w == 0)
        fail("reads " + place_in(p, first, bytes) + ", of which byte " + std::to_string(i) + " was never written");
      if (w >= launch_ && w != now_) fail("reads " + place_in(p, first, bytes) + ", which the same launch writes");
      p.reader[i] = now_;
    }
    std::memcpy(to, from, static_cast<std::size_t>(bytes));
  }

  void write(void* to, const void* from, std::int64_t bytes) {
    if (bytes <= 0) return;
    piece& p = piece_of(to, bytes, "writes");
    const auto first = static_cast<std::size_t>(static_cast<unsigned char*>(to) - p.data);
    for (std::size_t i = first; i < first + static_cast<std::size_t>(bytes); ++i) {
      if (p.writer[i] >= launch_ && p.writer[i] != now_) {
        fail("writes " + place_in(p, first, bytes) + " twice in one launch");
      }
      if (p.reader[i] >= launch_ && p.reader[i] != now_) {
        fail("writes " + place_in(p, first, bytes) + ", which the same launch reads");
      }
      p.writer[i] = now_;
    }
    std::memcpy(to, from, static_cast<std::size_t>(bytes));
  }

  /// Bytes for the host. Those that were never written hold a pattern, for gaps between blocks are copied too.
  void read_all(void* to, const void* from, std::int64_t bytes) {
    if (bytes <= 0) return;
    static_cast<void>(piece_of(from, bytes, "reads"));
    std::memcpy(to, from, static_cast<std::size_t>(bytes));
  }

 private:
  struct piece {
    std::unique_ptr<unsigned char[]> storage;
    unsigned char* data = nullptr;
    std::int64_t bytes = 0;
    bool given_back = false;
    std::vector<std::uint32_t> writer;  // by byte: the thread; 0: nobody yet
    std::vector<std::uint32_t> reader;
  };

  [[noreturn]] void fail(const std::string& what) const {
    throw violation("simulated " + to_string(where_) + ": '" + name_ + "' " + what);
  }

  static std::string place_in(const piece& p, std::size_t first, std::int64_t bytes) {
    return std::to_string(bytes) + " bytes from byte " + std::to_string(first) + " of a piece of " +
           std::to_string(p.bytes);
  }

  piece& piece_of(const void* data, std::int64_t bytes, const char* does) {
    const auto* const at = static_cast<const unsigned char*>(data);
    for (piece* p : recent_) {
      if (p != nullptr && at >= p->data && at + bytes <= p->data + p->bytes) return *p;
    }
    auto found = pieces_.upper_bound(reinterpret_cast<std::uintptr_t>(data));
    if (found != pieces_.begin()) {
      piece& p = (--found)->second;
      if (at >= p.data && at + bytes <= p.data + p.bytes) {
        recent_[next_++ % 8] = &p;
        return p;
      }
      if (at < p.data + p.bytes) {
        fail(std::string(does) + " " + place_in(p, static_cast<std::size_t>(at - p.data), bytes) + ", past its end");
      }
    }
    fail(std::string(does) + " " + std::to_string(bytes) + " bytes where no memory of the device is");
  }

  ashlar::place where_;
  std::int64_t size_;
  std::int64_t live_ = 0;
  std::map<std::uintptr_t, piece> pieces_;
  piece* recent_[8] = {};
  std::uint32_t next_ = 0;
  const char* name_ = "";
  std::uint32_t launch_ = 1;
  std::uint32_t thread_ = 1;
  std::uint32_t now_ = 1;
};

}  // namespace simulated_device
