// expect: fromfunction.* calls f with one std::int64_t for each extent
#include <ashlar/ashlar.hpp>

int main() {
  static_cast<void>(ashlar::fromfunction([](std::int64_t i) { return i; }, {2, 3}).compute());
}
