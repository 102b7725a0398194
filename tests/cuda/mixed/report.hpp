#pragma once

#include <cstddef>
#include <string>
#include <vector>

/// What one half found out about itself.
struct report {
  struct entry {
    std::string name;
    bool has_device_entry;
    bool may_have_device_entry;  // in a .cu
    double value;
    double expected;
  };
  std::vector<entry> entries;
  std::vector<std::size_t> sizes;
};

report host_report();
report device_report();
