// expect-gcc: element<.*>
// expect-clang: does not satisfy .element
#include <ashlar/ashlar.hpp>

int main() { static_cast<void>(ashlar::zeros<char>({4})); }
