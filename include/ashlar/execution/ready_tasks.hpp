/// \file
/// Tasks that could run, the one of lowest rank first, for jobs that choose under a lock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ashlar::detail {

/// A binary heap of ranks whose first few entries can be looked at and taken: they are among the lowest, if not in
/// order, and one that fits can be preferred to the lowest that does not.
class ready_tasks {
 public:
  bool empty() const noexcept { return ranks_.empty(); }
  std::size_t size() const noexcept { return ranks_.size(); }
  std::uint32_t at(std::size_t k) const noexcept { return ranks_[k]; }

  void push(std::uint32_t rank) {
    ranks_.push_back(rank);
    rise(ranks_.size() - 1);
  }

  void remove(std::size_t k) noexcept {
    ranks_[k] = ranks_.back();
    ranks_.pop_back();
    if (k >= ranks_.size()) return;
    sink(k);
    rise(k);
  }

 private:
  void rise(std::size_t k) noexcept {
    const std::uint32_t rank = ranks_[k];
    for (; k > 0 && ranks_[(k - 1) / 2] > rank; k = (k - 1) / 2) ranks_[k] = ranks_[(k - 1) / 2];
    ranks_[k] = rank;
  }

  void sink(std::size_t k) noexcept {
    const std::uint32_t rank = ranks_[k];
    for (std::size_t child = 2 * k + 1; child < ranks_.size(); child = 2 * k + 1) {
      if (child + 1 < ranks_.size() && ranks_[child + 1] < ranks_[child]) ++child;
      if (ranks_[child] >= rank) break;
      ranks_[k] = ranks_[child];
      k = child;
    }
    ranks_[k] = rank;
  }

  std::vector<std::uint32_t> ranks_;
};

}  // namespace ashlar::detail
