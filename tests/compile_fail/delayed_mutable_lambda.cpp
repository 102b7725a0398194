// expect: a lambda may not be mutable
#include <ashlar/delayed.hpp>

int main() {
  int n = 0;
  static_cast<void>(ashlar::delayed([n](int x) mutable { return n += x; })(1));
}
