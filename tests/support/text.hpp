/// \file
/// Texts of errors: what was thrown, and what it says.
#pragma once

#include <string>
#include <string_view>

namespace testing_support {

inline bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

/// The text of the E that f() throws; empty when it throws nothing, or not an E.
template <class E, class F>
std::string message_of(F&& f) {
  try {
    f();
  } catch (const E& e) {
    return e.what();
  } catch (...) {
    return {};
  }
  return {};
}

}  // namespace testing_support
