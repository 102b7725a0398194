/// \file
/// What a user's task threw, with the task's name and line around it.
#pragma once

#include <exception>
#include <source_location>
#include <string>

#include <ashlar/error.hpp>
#include <ashlar/graph/source_line.hpp>

namespace ashlar::detail {

/// Called while the exception is being handled; it is nested in the task_error that is returned.
inline std::exception_ptr nested_task_error(const std::string& name, const std::source_location& where) noexcept {
  try {
    std::string text = name + ", on host, from " + line_text(where) + ": ";
    try {
      throw;
    } catch (const std::exception& e) {
      text += e.what();
    } catch (...) {
      text += "an exception that is not a std::exception";
    }
    std::throw_with_nested(task_error(text));
  } catch (...) {
    return std::current_exception();
  }
}

}  // namespace ashlar::detail
