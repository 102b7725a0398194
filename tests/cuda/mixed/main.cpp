// One program of a .cpp (g++) and a .cu (nvcc) that build the same expressions. The linker keeps one body of every
// inline function that has the same name in both: if one of them decided about device entries, one half would get the
// other's. So: every kernel of the .cu has its device entry, none of the .cpp has one, both compute the same right
// values on the CPU, and both see the same class layouts. Needs no device.
#include <cmath>
#include <iostream>
#include <string>

#include "report.hpp"

namespace {

int failures = 0;

void expect(bool holds, const std::string& what) {
  if (holds) return;
  std::cerr << "failed: " << what << '\n';
  ++failures;
}

void check_half(const char* half, const report& r, bool device) {
  for (const report::entry& e : r.entries) {
    const bool wanted = device && e.may_have_device_entry;
    expect(e.has_device_entry == wanted, std::string(half) + ": the kernel of '" + e.name + "' must " +
                                             (wanted ? "" : "not ") + "have a device entry");
    expect(std::fabs(e.value - e.expected) < 1e-12, std::string(half) + ": '" + e.name + "' gives " +
                                                        std::to_string(e.value) + ", expected " +
                                                        std::to_string(e.expected));
  }
}

}  // namespace

int main() {
  const report host = host_report();
  const report device = device_report();
  expect(host.entries.size() > 30 && host.entries.size() == device.entries.size(), "both halves build every case");
  check_half(".cpp", host, false);
  check_half(".cu", device, true);
  expect(host.sizes == device.sizes, "class sizes are equal in both halves");
  if (failures == 0) std::cout << host.entries.size() << " cases in both halves\n";
  return failures == 0 ? 0 : 1;
}
