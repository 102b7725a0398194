#include "support/scan_property.hpp"

namespace test = ashlar::test;

TEST_CASE("scans of int32 have the bits of plain loops, for every shape, chunking, view, axis and executor") {
  test::check_all_scans<std::int32_t>();
}

#if !defined(ASHLAR_TEST_SHORT)
TEST_CASE("scans of uint64 have the bits of plain loops, for every shape, chunking, view, axis and executor") {
  test::check_all_scans<std::uint64_t>();
}

TEST_CASE("scans of int64 have the bits of plain loops, for every shape, chunking, view, axis and executor") {
  test::check_all_scans<std::int64_t>();
}
#endif
