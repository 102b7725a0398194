#include "support/reduction_property.hpp"

namespace test = ashlar::test;

#if !defined(ASHLAR_TEST_SHORT)
TEST_CASE("reductions of float32 equal plain loops, for every shape, chunking, view, axes and executor") {
  test::check_all_reductions<float>();
}
#endif

TEST_CASE("reductions of float64 equal plain loops, for every shape, chunking, view, axes and executor") {
  test::check_all_reductions<double>();
}
