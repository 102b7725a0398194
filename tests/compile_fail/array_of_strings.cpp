// expect: ashlar: .*bool, integers
#include <ashlar/ashlar.hpp>

int main() {
  const ashlar::array<std::string>* x = nullptr;
  return x->ndim();
}
