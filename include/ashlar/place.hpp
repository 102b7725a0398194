/// \file
/// Where memory is. A place is a two-word value: code that passes memory around says where it lies without knowing any
/// device library.
#pragma once

#include <cstdint>
#include <string>

namespace ashlar {

/// Where memory is: on the host, on the host in a segment that processes share, on the host pinned for a device, on
/// the device with an index, or on another rank. Default: host.
class place {
 public:
  enum class kind : std::uint8_t { host, shared, pinned, device, rank };

  constexpr place() noexcept = default;

  static constexpr place host() noexcept { return place{}; }
  /// Host memory that several processes of this machine map.
  static constexpr place shared() noexcept { return place{kind::shared, 0}; }
  /// Page-locked host memory, which a device copies to and from directly.
  static constexpr place pinned() noexcept { return place{kind::pinned, 0}; }
  /// Memory of GPU `index`, counted from 0.
  static constexpr place device(int index) noexcept { return place{kind::device, index}; }
  /// Memory of another process of a distributed run, counted from 0.
  static constexpr place rank(int index) noexcept { return place{kind::rank, index}; }

  constexpr kind what() const noexcept { return kind_; }

  /// The device or rank; 0 for the others.
  constexpr int index() const noexcept { return index_; }

  /// True when code of this process may read and write the memory through a plain pointer.
  constexpr bool on_host() const noexcept {
    return kind_ == kind::host || kind_ == kind::shared || kind_ == kind::pinned;
  }

  friend constexpr bool operator==(place, place) noexcept = default;

 private:
  constexpr place(kind what, int index) noexcept : kind_(what), index_(index) {}

  kind kind_ = kind::host;
  int index_ = 0;
};

/// "host", "shared", "pinned", "cuda:0", "rank 3".
inline std::string to_string(place where) {
  switch (where.what()) {
    case place::kind::host:
      return "host";
    case place::kind::shared:
      return "shared";
    case place::kind::pinned:
      return "pinned";
    case place::kind::device:
      return "cuda:" + std::to_string(where.index());
    case place::kind::rank:
      return "rank " + std::to_string(where.index());
  }
  return {};
}

}  // namespace ashlar
