// expect: a task without a result has nothing to pass on; name it in after
#include <ashlar/delayed.hpp>

int main() {
  const auto nothing = ashlar::delayed([] {})();
  static_cast<void>(ashlar::delayed([](int x) { return x; })(nothing));
}
