// expect: uint64 and a signed type meet in float64
#include <ashlar/ashlar.hpp>

int main() {
  const auto x = ashlar::zeros<std::uint64_t>({4});
  const auto y = ashlar::zeros<std::int64_t>({4});
  static_cast<void>((x | y).compute());
}
