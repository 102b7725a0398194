/// \file
/// Delayed calls in a list, as delayed::tasks() gives them.
#pragma once

#include <cstdint>
#include <source_location>
#include <string>
#include <vector>

namespace ashlar {

/// One task of a graph, for drawing it or looking at it.
struct task_description {
  std::string name;
  std::source_location where;  // of the call that made it
  int priority = 0;
  std::vector<std::uint32_t> inputs;  // positions in the list of the tasks whose results it takes, in argument order
  std::vector<std::uint32_t> after;   // of those that it only runs behind
};

}  // namespace ashlar
