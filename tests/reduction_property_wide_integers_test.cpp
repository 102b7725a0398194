#include "support/reduction_property.hpp"

namespace test = ashlar::test;

TEST_CASE("reductions of int32 equal plain loops, for every shape, chunking, view, axes and executor") {
  test::check_all_reductions<std::int32_t>();
}

#if !defined(ASHLAR_TEST_SHORT)
TEST_CASE("reductions of int64 equal plain loops, for every shape, chunking, view, axes and executor") {
  test::check_all_reductions<std::int64_t>();
}
#endif
