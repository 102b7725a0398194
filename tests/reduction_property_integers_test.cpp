#include "support/reduction_property.hpp"

namespace test = ashlar::test;

TEST_CASE("reductions of bool equal plain loops, for every shape, chunking, view, axes and executor") {
  test::check_all_reductions<bool>();
}

#if !defined(ASHLAR_TEST_SHORT)
TEST_CASE("reductions of uint8 equal plain loops, for every shape, chunking, view, axes and executor") {
  test::check_all_reductions<std::uint8_t>();
}

TEST_CASE("reductions of int8 equal plain loops, for every shape, chunking, view, axes and executor") {
  test::check_all_reductions<std::int8_t>();
}
#endif
