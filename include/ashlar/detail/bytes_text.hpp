/// \file
/// Bytes in words, for messages, plans and reports.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>

namespace ashlar::detail {

/// "1.5 GiB", "12.0 KiB", "640 B".
inline std::string bytes_text(std::int64_t bytes) {
  const char* const units[] = {" B", " KiB", " MiB", " GiB", " TiB", " PiB", " EiB"};
  int unit = 0;
  double x = static_cast<double>(bytes);
  while (x >= 1024 && unit < 6) {
    x /= 1024;
    ++unit;
  }
  if (unit == 0) return std::to_string(bytes) + units[0];
  const auto tenths = static_cast<std::int64_t>(std::llround(x * 10));
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + units[unit];
}

/// "3.21 s", "45.6 ms", "7.8 us", "12 ns": three digits, or fewer of nanoseconds.
inline std::string seconds_text(double seconds) {
  const char* const units[] = {" s", " ms", " us", " ns"};
  int unit = 0;
  double x = seconds;
  while (x < 0.9995 && unit < 3) {
    x *= 1000;
    ++unit;
  }
  int digits = unit == 3 || x >= 99.95 ? 0 : x >= 9.995 ? 1 : 2;
  std::int64_t scale = 1;
  for (int k = 0; k < digits; ++k) scale *= 10;
  const auto scaled = static_cast<std::int64_t>(std::llround(x * static_cast<double>(scale)));
  std::string text = std::to_string(scaled / scale);
  if (digits > 0) {
    const std::string rest = std::to_string(scaled % scale);
    text += '.' + std::string(static_cast<std::size_t>(digits) - rest.size(), '0') + rest;
  }
  return text + units[unit];
}

}  // namespace ashlar::detail
