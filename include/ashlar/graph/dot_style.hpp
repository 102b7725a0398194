/// \file
/// What pictures of arrays and of delayed calls have in common. Knows neither of the two, so that calls need nothing of
/// arrays.
#pragma once

#include <cmath>
#include <string>

#include <ashlar/error.hpp>

namespace ashlar::detail {

/// Pale yellow for nothing to red for the most, as hue, saturation and value.
inline std::string heat_color(double x, double most) {
  const double share = most > 0 ? x / most : 0;
  const auto thousandths = [](double y) {
    const std::string digits = std::to_string(std::lround(y * 1000));
    return "0." + std::string(3 - digits.size(), '0') + digits;
  };
  return thousandths(0.16 * (1 - share)) + " " + thousandths(0.12 + 0.68 * share) + " 1.000";
}

inline std::string dot_begin() {
  return "digraph ashlar {\n"
         "  rankdir=TB;\n"
         "  node [shape=box, style=\"rounded,filled\", fillcolor=white, fontname=\"Helvetica\", fontsize=11];\n"
         "  edge [color=\"#555555\", arrowsize=0.7];\n";
}

[[noreturn]] inline void throw_no_report() {
  throw value_error(
      "visualize: colours by time need what a run measured: ashlar::report r; x.compute({.report = &r}); then "
      "{.color = ashlar::color_by::time, .report = &r}");
}

}  // namespace ashlar::detail
