/// \file
/// The process's anonymous memory while something runs.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <fstream>
#include <stdexcept>
#include <string>
#include <thread>

inline std::int64_t anonymous_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    if (word != "RssAnon:") continue;
    std::int64_t kib = 0;
    status >> kib;
    return kib * 1024;
  }
  throw std::runtime_error("/proc/self/status has no RssAnon");
}

/// Looks at the process's anonymous memory every millisecond.
class memory_watch {
 public:
  memory_watch()
      : thread_([this] {
          while (!stop_.load()) {
            look();
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
          }
        }) {}
  ~memory_watch() {
    if (thread_.joinable()) thread_.join();
  }
  std::int64_t end() {
    stop_.store(true);
    thread_.join();
    look();
    return most_ - before_;
  }

 private:
  void look() {
    const std::int64_t now = anonymous_bytes();
    if (now > most_) most_ = now;
  }
  std::int64_t before_ = anonymous_bytes();
  std::int64_t most_ = before_;
  std::atomic<bool> stop_{false};
  std::thread thread_;
};
