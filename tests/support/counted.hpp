// A value that counts how it is handled, and how many of its kind live.
#pragma once

#include <atomic>
#include <utility>

struct counted {
  static inline std::atomic<int> live{0};
  static inline std::atomic<int> copies{0};

  static void reset() {
    live = 0;
    copies = 0;
  }

  int value = 0;

  explicit counted(int v) : value(v) { ++live; }
  counted(const counted& other) : value(other.value) {
    ++live;
    ++copies;
  }
  counted(counted&& other) noexcept : value(std::exchange(other.value, -1)) { ++live; }
  counted& operator=(const counted&) = default;
  counted& operator=(counted&&) = default;
  ~counted() { --live; }
};
