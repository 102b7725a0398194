// expect: the function of this task cannot be called with these arguments
#include <ashlar/future.hpp>

int main() {
  static_cast<void>(ashlar::submit([](int& x) { return ++x; }, ashlar::submit([] { return 1; })));
}
