/// \file
/// Times that users give, before they meet the arithmetic of clocks: a `duration<double>` may be infinite, no number,
/// or longer than a clock can count.
#pragma once

#include <chrono>
#include <string>

#include <ashlar/error.hpp>

namespace ashlar::detail {

/// Longer ones are as good as no limit.
inline constexpr std::chrono::hours longest_time_limit{24 * 365};

/// @throws value_error for a negative time or one that is no number; `what` names it
inline void check_time(std::chrono::duration<double> t, const char* what) {
  if (t.count() >= 0) return;  // false for no number too
  throw value_error(std::string(what) + " is " + std::to_string(t.count()) + " s; it is a time, 0 or more");
}

/// Whether a checked time-out ends anything: 0 stands for none.
inline bool is_time_limit(std::chrono::duration<double> t) noexcept { return t.count() > 0 && t <= longest_time_limit; }

/// A time that has been checked, from now on, in the clock's own unit.
inline std::chrono::steady_clock::time_point end_of_time(std::chrono::duration<double> t) noexcept {
  const std::chrono::duration<double> most = longest_time_limit;
  return std::chrono::steady_clock::now() +
         std::chrono::duration_cast<std::chrono::steady_clock::duration>(t < most ? t : most);
}

}  // namespace ashlar::detail
