/// \file
/// Temporary files without a name: nothing is left behind, however the program ends.
#pragma once

#include <cstdlib>
#include <string>

#include <fcntl.h>
#include <unistd.h>

#include <ashlar/io/file_descriptor.hpp>

namespace ashlar::detail {

/// Where temporary files go when nobody says: $TMPDIR, else /var/tmp, which is on a disk where /tmp may be memory.
inline std::string temporary_directory() {
  const char* const set = std::getenv("TMPDIR");
  if (set != nullptr && *set != '\0') return set;
  return ::access("/var/tmp", W_OK) == 0 ? "/var/tmp" : "/tmp";
}

/// An empty file for reading and writing, gone when it is closed; no file, and errno, when there can be none.
inline file_descriptor unnamed_file(const std::string& directory) {
#if defined(O_TMPFILE)
  file_descriptor file(::open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  if (file) return file;
#endif
  std::string name = directory + "/ashlar-XXXXXX";  // file systems that know no such files
  file_descriptor named(::mkostemp(name.data(), O_CLOEXEC));
  if (named) ::unlink(name.c_str());
  return named;
}

}  // namespace ashlar::detail
