#include "support/scan_property.hpp"

namespace test = ashlar::test;

TEST_CASE("scans of complex64 have the bits of plain loops, for every shape, chunking, view, axis and executor") {
  test::check_all_scans<std::complex<float>>();
}

#if !defined(ASHLAR_TEST_SHORT)
TEST_CASE("scans of complex128 have the bits of plain loops, for every shape, chunking, view, axis and executor") {
  test::check_all_scans<std::complex<double>>();
}
#endif
