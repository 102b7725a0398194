/// \file
/// What the demonstration asks the system: memory and disk that can be had, and the memory that this process has.
#pragma once

#include <sys/statvfs.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <thread>

namespace demo {

/// A number of KiB from a file of lines like "RssAnon:   1234 kB", in bytes; 0 when it is not there.
inline std::int64_t kib_field(const char* path, std::string_view name) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (line.compare(0, name.size(), name) == 0) return std::atoll(line.c_str() + name.size()) * 1024;
  }
  return 0;
}

inline std::int64_t anonymous_memory() { return kib_field("/proc/self/status", "RssAnon:"); }

/// Memory that can be had now, the limit of the control group included.
inline std::int64_t available_memory() {
  std::int64_t bytes = kib_field("/proc/meminfo", "MemAvailable:");
  std::int64_t limit = 0;
  std::int64_t used = 0;
  std::ifstream limit_file("/sys/fs/cgroup/memory.max");
  std::ifstream used_file("/sys/fs/cgroup/memory.current");
  if (limit_file >> limit && used_file >> used) {
    // pages of files count as used there, but leave when others want the room
    std::ifstream stat("/sys/fs/cgroup/memory.stat");
    std::string name;
    for (std::int64_t value = 0; stat >> name >> value;) {
      if (name == "inactive_file" || name == "active_file") used -= value;
    }
    bytes = std::min(bytes, limit - used);
  }
  return std::max<std::int64_t>(bytes, 0);
}

inline std::int64_t available_disk(const std::filesystem::path& folder) {
  struct statvfs s {};
  if (::statvfs(folder.c_str(), &s) != 0) return 0;
  return static_cast<std::int64_t>(s.f_bavail) * static_cast<std::int64_t>(s.f_frsize);
}

/// The most anonymous memory that this process has had since the object was made, looked at every 2 ms.
class peak_memory {
 public:
  peak_memory()
      : watcher_([this](const std::stop_token& stop) {
          while (!stop.stop_requested()) {
            look();
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
          }
        }) {}

  std::int64_t stop() {
    watcher_.request_stop();
    watcher_.join();
    look();
    return peak_.load();
  }

 private:
  void look() {
    const std::int64_t now = anonymous_memory();
    if (now > peak_.load()) peak_.store(now);
  }

  std::atomic<std::int64_t> peak_{0};
  std::jthread watcher_;
};

}  // namespace demo
