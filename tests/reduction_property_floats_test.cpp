#include "support/reduction_property.hpp"

namespace test = ashlar::test;

TEST_CASE("reductions of float32 equal plain loops, for every shape, chunking, view, axes and executor") {
  test::check_all_reductions<float>();
}

TEST_CASE("reductions of float64 equal plain loops, for every shape, chunking, view, axes and executor") {
  test::check_all_reductions<double>();
}
