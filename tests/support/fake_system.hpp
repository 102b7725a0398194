/// \file
/// A directory with the files of a system, in place of /.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include <ashlar/execution/system_files.hpp>
#include <support/temporary_directory.hpp>

namespace testing_support {

/// Removed with all in it.
class fake_system {
 public:
  ~fake_system() {
    for (const std::string& name : root_.names()) std::filesystem::remove_all(root_ / name);
  }
  void set(const std::string& path, const std::string& text) {
    const std::filesystem::path file = root_.path() + path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  ashlar::detail::system_files files() const { return {root_.path()}; }

 private:
  temporary_directory root_;
};

}  // namespace testing_support
