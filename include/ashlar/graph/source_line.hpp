/// \file
/// The user's line in messages.
#pragma once

#include <source_location>
#include <string>

namespace ashlar::detail {

/// "file:line"; of a node that no line of the user stands for, "a line unknown".
inline std::string line_text(const std::source_location& where) {
  if (where.line() == 0) return "a line unknown";
  return where.file_name() + (':' + std::to_string(where.line()));
}

}  // namespace ashlar::detail
