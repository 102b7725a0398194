// expect: the function of this task cannot be called with these arguments
#include <string>

#include <ashlar/delayed.hpp>

int main() {
  const auto text = ashlar::delayed([] { return std::string("text"); })();
  static_cast<void>(ashlar::delayed([](int x) { return x; })(text));
}
