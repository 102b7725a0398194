/// \file
/// Memory of devices and page-locked memory of the host, and what a program asks about them.
///
/// Two resources, device_pool(i) and pinned_pool(), hold all that this library takes; the functions below are their
/// numbers under the names that users of torch.cuda know.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <ashlar/cuda/check.hpp>
#include <ashlar/cuda/device.hpp>
#include <ashlar/cuda/device_memory.hpp>
#include <ashlar/cuda/pinned_memory.hpp>
#include <ashlar/detail/bytes_text.hpp>

namespace ashlar::cuda {

namespace detail {

/// The pool of a device if it was ever used; asking about memory must not make a context.
inline device_memory* pool_if_used(int index, const char* what) {
  must_exist(index, what);
  return device_pools()[index].load(std::memory_order_acquire);
}

}  // namespace detail

/// Live bytes on a device: in arrays, results and runs of this library, as asked for.
/// @throws device_error when there is no such device; so do the other functions
inline std::size_t memory_allocated(int index = default_device()) {
  const device_memory* const pool = detail::pool_if_used(index, "cuda::memory_allocated");
  return pool == nullptr ? 0 : pool->allocated();
}

/// The most bytes that were live at once since the beginning or reset_peak_memory_stats().
inline std::size_t max_memory_allocated(int index = default_device()) {
  const device_memory* const pool = detail::pool_if_used(index, "cuda::max_memory_allocated");
  return pool == nullptr ? 0 : pool->peak();
}

/// Bytes that this library has taken from a device: live ones, and those that wait for reuse.
inline std::size_t memory_reserved(int index = default_device()) {
  const device_memory* const pool = detail::pool_if_used(index, "cuda::memory_reserved");
  return pool == nullptr ? 0 : pool->reserved();
}

/// The most bytes that were reserved since the beginning or reset_peak_memory_stats().
inline std::size_t max_memory_reserved(int index = default_device()) {
  const device_memory* const pool = detail::pool_if_used(index, "cuda::max_memory_reserved");
  return pool == nullptr ? 0 : pool->max_reserved();
}

/// Starts both peaks of a device anew at what there is now.
inline void reset_peak_memory_stats(int index = default_device()) {
  if (device_memory* const pool = detail::pool_if_used(index, "cuda::reset_peak_memory_stats")) pool->reset_peaks();
}

/// The most bytes that may be live on a device; the device's own memory, in effect, where none was set.
inline void set_memory_limit(std::size_t bytes, int index = default_device()) { device_pool(index).set_limit(bytes); }

/// Gives back what waits for reuse: to every device that was used, and to the host what is page-locked. Does nothing
/// without a device. Memory that streams still use stays.
inline void empty_cache() {
  for (int i = 0; i < device_count(); ++i) {
    if (detail::is_lost(i)) continue;
    if (device_memory* const pool = detail::device_pools()[i].load(std::memory_order_acquire)) pool->trim();
  }
  pinned_pool().trim();
}

/// A table of every device that was used and of page-locked memory: live and reserved bytes, now and at their peaks,
/// limits, and how often memory was short.
inline std::string memory_summary() {
  std::vector<std::vector<std::string>> rows{
      {"", "allocated", "peak", "reserved", "peak", "limit", "allocations", "retries", "out of memory"}};
  const auto bytes = [](std::size_t n) { return ashlar::detail::bytes_text(static_cast<std::int64_t>(n)); };
  for (int i = 0; i < device_count(); ++i) {
    const device_memory* const pool = detail::device_pools()[i].load(std::memory_order_acquire);
    if (pool == nullptr) continue;
    const device_memory_statistics s = pool->statistics();
    rows.push_back({detail::device_text(i) + (detail::is_lost(i) ? " (lost)" : ""), bytes(s.allocated),
                    bytes(s.max_allocated), bytes(s.reserved), bytes(s.max_reserved),
                    pool->limit() == device_memory::no_limit ? "none" : bytes(pool->limit()),
                    std::to_string(s.allocations), std::to_string(s.retries), std::to_string(s.out_of_memory)});
  }
  const pinned_memory& pinned = pinned_pool();
  rows.push_back({"pinned", bytes(pinned.allocated()), bytes(pinned.peak()), bytes(pinned.reserved()),
                  bytes(pinned.max_reserved()), bytes(pinned.limit()), "", "", ""});
  std::vector<std::size_t> width(rows[0].size());
  for (const auto& row : rows) {
    for (std::size_t c = 0; c < row.size(); ++c) width[c] = row[c].size() > width[c] ? row[c].size() : width[c];
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line = row[0] + std::string(width[0] - row[0].size(), ' ');
    for (std::size_t c = 1; c < row.size(); ++c) line += std::string(width[c] - row[c].size() + 2, ' ') + row[c];
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  }
  return text;
}

}  // namespace ashlar::cuda
