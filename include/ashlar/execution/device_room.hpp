/// \file
/// Memory of a device during a run: room that lives as long as a group of tasks, and slabs of chunks.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <ashlar/error.hpp>
#include <ashlar/execution/device_api.hpp>
#include <ashlar/graph/region.hpp>

namespace ashlar::detail {

inline constexpr std::int64_t device_alignment = 256;

/// Bytes in use, for limits and messages.
struct device_account {
  std::int64_t limit = 0;
  std::int64_t live = 0;
};

/// A piece of memory that is given back in the order of the stream.
class device_piece {
 public:
  device_piece() = default;
  /// @throws memory_error
  device_piece(device_api& api, device_account& account, std::int64_t bytes, const char* what)
      : api_(&api), account_(&account), bytes_(bytes) {
    if (bytes <= account.limit - account.live) data_ = static_cast<unsigned char*>(api.allocate(bytes));
    if (data_ == nullptr) {
      throw memory_error(std::string(what) + ": " + std::to_string(bytes) + " bytes are needed on " +
                         to_string(api.place()) + ", where this run holds " + std::to_string(account.live) +
                         " of the " + std::to_string(account.limit) + " bytes that it may have, and " +
                         std::to_string(api.free_bytes()) +
                         " are free; use smaller chunks, hold fewer arrays there, or raise the memory_limit");
    }
    account.live += bytes;
  }
  device_piece(device_piece&& other) noexcept { swap(other); }
  device_piece& operator=(device_piece&& other) noexcept {
    device_piece moved(std::move(other));
    swap(moved);
    return *this;
  }
  ~device_piece() {
    if (data_ == nullptr) return;
    api_->release(data_, bytes_);
    account_->live -= bytes_;
  }

  unsigned char* data() const noexcept { return data_; }

 private:
  void swap(device_piece& other) noexcept {
    std::swap(api_, other.api_);
    std::swap(account_, other.account_);
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
  }

  device_api* api_ = nullptr;
  device_account* account_ = nullptr;
  unsigned char* data_ = nullptr;
  std::int64_t bytes_ = 0;
};

/// Room for the launches of one group, cut from few large pieces.
class device_room final : public device_queue {
 public:
  device_room(device_api& api, device_account& account) : api_(api), account_(account) {}

  void* stream() const noexcept override { return api_.stream(); }

  void* room(std::int64_t bytes) override {
    const std::int64_t size = round_up(bytes < 1 ? 1 : bytes, device_alignment);
    if (left_ < size) {
      const std::int64_t usual = std::min({usual_piece, account_.limit / 8, account_.limit - account_.live});
      const std::int64_t piece = std::max(size, usual);
      pieces_.emplace_back(api_, account_, piece, "compute: what a group of blocks keeps for a moment");
      next_ = pieces_.back().data();
      left_ = piece;
    }
    unsigned char* const data = next_;
    next_ += size;
    left_ -= size;
    return data;
  }

  void* upload(const void* from, std::int64_t bytes) override {
    void* const to = room(bytes);
    if (bytes > 0) api_.upload(to, from, bytes);
    return to;
  }

  template <class T>
  T* upload(const std::vector<T>& from) {
    return static_cast<T*>(upload(from.data(), static_cast<std::int64_t>(from.size() * sizeof(T))));
  }

 private:
  static constexpr std::int64_t usual_piece = 4 << 20;

  device_api& api_;
  device_account& account_;
  std::vector<device_piece> pieces_;
  unsigned char* next_ = nullptr;
  std::int64_t left_ = 0;
};

}  // namespace ashlar::detail
