#pragma once

#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#include <dirent.h>
#include <unistd.h>

namespace testing_support {

/// A directory of its own under TMPDIR or /tmp, removed with the plain files in it.
class temporary_directory {
 public:
  temporary_directory() {
    const char* base = std::getenv("TMPDIR");
    path_ = std::string(base != nullptr && *base != '\0' ? base : "/tmp") + "/ashlar-test-XXXXXX";
    if (::mkdtemp(path_.data()) == nullptr) throw std::runtime_error("cannot create " + path_);
  }

  temporary_directory(const temporary_directory&) = delete;
  temporary_directory& operator=(const temporary_directory&) = delete;

  ~temporary_directory() {
    for (const std::string& name : names()) ::unlink((*this / name).c_str());
    ::rmdir(path_.c_str());
  }

  const std::string& path() const { return path_; }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

  /// Names of everything in it.
  std::vector<std::string> names() const {
    std::vector<std::string> result;
    if (DIR* directory = ::opendir(path_.c_str())) {
      while (const dirent* entry = ::readdir(directory)) {
        const std::string name = entry->d_name;
        if (name != "." && name != "..") result.push_back(name);
      }
      ::closedir(directory);
    }
    return result;
  }

 private:
  std::string path_;
};

}  // namespace testing_support
