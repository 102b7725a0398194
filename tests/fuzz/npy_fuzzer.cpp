// Coverage-guided search for bytes that the .npy header parser handles wrongly. Needs clang:
//   clang++-16 -std=c++20 -g -O1 -fsanitize=fuzzer,address,undefined -Iinclude -Itests tests/fuzz/npy_fuzzer.cpp
//   ./a.out -max_total_time=60 -dict=tests/fuzz/npy.dict

#include "support/npy_check_header.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  bool accepted = false;
  const std::string fault = testing_support::check_header({reinterpret_cast<const std::byte*>(data), size}, accepted);
  if (!fault.empty()) throw std::logic_error(fault);
  return 0;
}
