/// \file
/// A hash table from 64-bit keys to int, open addressing, linear probing. One small non-template class: the planner
/// needs nothing more, and every standard hash map costs each file that includes it a fifth of a second.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace ashlar::detail {

class flat_index {
 public:
  /// The value of `key`, or -1.
  int find(std::uint64_t key) const noexcept {
    if (slots_.empty()) return -1;
    return slots_[position(key)].value;
  }

  /// Sets the value of `key`, 0 or more.
  void set(std::uint64_t key, int value) {
    if (2 * (used_ + 1) > slots_.size()) grow();
    slot& s = slots_[position(key)];
    if (s.value < 0) ++used_;
    s = {key, value};
  }

 private:
  struct slot {
    std::uint64_t key;
    int value;
  };

  std::size_t position(std::uint64_t key) const noexcept {
    const std::size_t mask = slots_.size() - 1;
    std::size_t i = static_cast<std::size_t>((key * 0x9e3779b97f4a7c15ull) >> 20) & mask;
    while (slots_[i].value >= 0 && slots_[i].key != key) i = (i + 1) & mask;
    return i;
  }

  void grow() {
    std::vector<slot> old = std::move(slots_);
    slots_.assign(old.empty() ? 16 : 2 * old.size(), slot{0, -1});
    for (const slot& s : old) {
      if (s.value >= 0) slots_[position(s.key)] = s;
    }
  }

  std::vector<slot> slots_;
  std::size_t used_ = 0;
};

/// An entry of a depth-first search that does not recurse: what is visited, and which of its inputs comes next.
struct visit_frame {
  std::uint64_t item;
  std::int64_t next;
};

}  // namespace ashlar::detail
