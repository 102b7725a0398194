#include "support/scan_property.hpp"

namespace test = ashlar::test;

TEST_CASE("scans of bool have the bits of plain loops, for every shape, chunking, view, axis and executor") {
  test::check_all_scans<bool>();
}

#if !defined(ASHLAR_TEST_SHORT)
TEST_CASE("scans of int8 have the bits of plain loops, for every shape, chunking, view, axis and executor") {
  test::check_all_scans<std::int8_t>();
}

TEST_CASE("scans of uint8 have the bits of plain loops, for every shape, chunking, view, axis and executor") {
  test::check_all_scans<std::uint8_t>();
}
#endif
