// expect: the function given to fromfunction must return an element type
#include <ashlar/ashlar.hpp>

int main() {
  static_cast<void>(ashlar::fromfunction([](std::int64_t i) { return std::to_string(i); }, {2}).compute());
}
