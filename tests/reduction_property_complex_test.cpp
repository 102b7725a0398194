#include "support/reduction_property.hpp"

namespace test = ashlar::test;

TEST_CASE("reductions of complex64 equal plain loops, for every shape, chunking, view, axes and executor") {
  test::check_all_reductions<std::complex<float>>();
}
