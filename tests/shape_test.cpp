#include <ashlar/shape.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

using ashlar::all_axes;
using ashlar::axes;
using ashlar::broadcast_shapes;
using ashlar::normalize_axes;
using ashlar::normalize_axis;
using ashlar::shape;
using ashlar::strides;

namespace {

struct options {
  ashlar::shape shape;
};

int ndim_of(const shape& extents) { return extents.ndim(); }
int count_of(const axes& list = all_axes) { return list.all() ? -1 : list.count(); }

std::vector<int> sorted(const axes& list, int ndim) {
  const ashlar::axis_set set = normalize_axes(list, ndim, "sum");
  return {set.begin(), set.end()};
}

}  // namespace

TEST_CASE("shapes, strides and axes are trivially copyable values") {
  CHECK(std::is_trivially_copyable_v<shape>);
  CHECK(std::is_trivially_copyable_v<strides>);
  CHECK(std::is_trivially_copyable_v<axes>);
  CHECK(std::is_trivially_copyable_v<ashlar::axis_set>);
}

TEST_CASE("a shape takes lengths of any integer type without narrowing") {
  const std::size_t rows = 3;
  const std::int64_t columns = 4;
  const short planes = 2;
  CHECK(shape{rows, columns} == shape{3, 4});
  CHECK(shape{rows, columns, planes, 5}.ndim() == 4);
  CHECK(ndim_of({rows}) == 1);
  CHECK(ndim_of({3, columns}) == 2);
  CHECK(ndim_of({}) == 0);
  CHECK(options{.shape = {rows, 4}}.shape == shape{3, 4});
  CHECK(shape({3}) == shape{3});
}

TEST_CASE("a shape takes neither floating-point numbers nor truth values") {
  CHECK_FALSE(std::is_constructible_v<ashlar::detail::extent, double>);
  CHECK_FALSE(std::is_constructible_v<ashlar::detail::extent, bool>);
  CHECK_FALSE(std::is_constructible_v<axes, double>);
}

TEST_CASE("a shape is usable at compile time") {
  static_assert(shape{3, 4, 5}.size() == 60);
  static_assert(broadcast_shapes(shape{2, 1}, shape{3}) == shape{2, 3});
  static_assert(ashlar::row_major_strides(shape{2, 3})[0] == 3);
  CHECK(shape{3, 4, 5}.size() == 60);
}

TEST_CASE("a shape prints as NumPy prints it") {
  CHECK(shape{}.to_string() == "()");
  CHECK(shape{3}.to_string() == "(3,)");
  CHECK(shape{3, 4}.to_string() == "(3, 4)");
}

TEST_CASE("the size of a shape is the product of its lengths") {
  CHECK(shape{}.size() == 1);
  CHECK(shape{7}.size() == 7);
  CHECK(shape{3, 0, 5}.size() == 0);
  const std::int64_t big = std::int64_t{1} << 31;
  CHECK(shape{big, big}.size() == std::int64_t{1} << 62);
}

TEST_CASE("a size that 64 bits cannot hold is an error that shows the shape") {
  const std::int64_t big = std::int64_t{1} << 32;
  CHECK_THROWS_WITH_AS(static_cast<void>(shape{big, big}.size()),
                       "an array of shape (4294967296, 4294967296) has more elements than 64 bits count (at most "
                       "9223372036854775807)",
                       ashlar::shape_error);
  CHECK(shape{big, big, 0}.size() == 0);
}

TEST_CASE("a negative length is an error that names the axis") {
  CHECK_THROWS_WITH_AS(shape({3, -1}), "axis 1 of shape (3, -1) has a negative length; lengths are zero or more",
                       ashlar::shape_error);
  shape extents{3};
  CHECK_THROWS_AS(extents.push_back(-2), ashlar::shape_error);
  CHECK_THROWS_AS(shape::filled(2, -1), ashlar::shape_error);
}

TEST_CASE("an unsigned length above the signed range is an error") {
  CHECK_THROWS_WITH_AS(shape({std::numeric_limits<std::uint64_t>::max()}),
                       "length: 18446744073709551615 does not fit in a signed integer of 64 bits", ashlar::shape_error);
}

TEST_CASE("more than 32 axes are an error that names the count") {
  CHECK(shape::filled(32, 1).ndim() == 32);
  CHECK_THROWS_WITH_AS(shape::filled(33, 1), "an array has at most 32 axes, not 33", ashlar::shape_error);
  const std::vector<std::int64_t> many(40, 1);
  CHECK_THROWS_WITH_AS(shape(std::span<const std::int64_t>(many)), "an array has at most 32 axes, not 40",
                       ashlar::shape_error);
  shape full_up = shape::filled(32, 2);
  CHECK_THROWS_AS(full_up.push_back(1), ashlar::shape_error);
}

TEST_CASE("a span over a shape has one entry per axis") {
  const shape extents{3, 4, 5};
  const std::span<const std::int64_t> entries(extents);
  REQUIRE(entries.size() == 3);
  CHECK(entries[2] == 5);
  CHECK(shape(entries) == extents);
}

TEST_CASE("axes of a shape can be added and taken away") {
  shape extents{3, 4, 5};
  extents.erase(1);
  CHECK(extents == shape{3, 5});
  extents.insert(0, 7);
  CHECK(extents == shape{7, 3, 5});
  extents.insert(3, 1);
  CHECK(extents == shape{7, 3, 5, 1});
}

TEST_CASE("strides count elements in C or Fortran order") {
  CHECK(row_major_strides(shape{2, 3, 4}) == strides{12, 4, 1});
  CHECK(column_major_strides(shape{2, 3, 4}) == strides{1, 2, 6});
  CHECK(row_major_strides(shape{}) == strides{});
  CHECK(row_major_strides(shape{3, 0}) == strides{1, 1});
  CHECK(strides{-1, 4}.to_string() == "(-1, 4)");
}

TEST_CASE("strides that 64 bits cannot hold are an error") {
  const std::int64_t big = std::int64_t{1} << 32;
  CHECK_THROWS_AS(row_major_strides(shape{2, big, big}), ashlar::shape_error);
  CHECK_THROWS_AS(column_major_strides(shape{big, big, 2}), ashlar::shape_error);
}

TEST_CASE("shapes broadcast from the right and length 1 stretches") {
  CHECK(broadcast_shapes({3, 4}, {4}) == shape{3, 4});
  CHECK(broadcast_shapes({4}, {3, 1}) == shape{3, 4});
  CHECK(broadcast_shapes({5, 1, 3}, {2, 1}) == shape{5, 2, 3});
  CHECK(broadcast_shapes({}, {3, 4}) == shape{3, 4});
}

TEST_CASE("length 1 stretches to length 0 too") {
  CHECK(broadcast_shapes({0, 3}, {1, 3}) == shape{0, 3});
  CHECK(broadcast_shapes({2, 1}, {2, 0}) == shape{2, 0});
  CHECK_THROWS_AS(broadcast_shapes({0}, {2}), ashlar::shape_error);
}

TEST_CASE("shapes that do not broadcast are an error that names the call and both") {
  CHECK_THROWS_WITH_AS(broadcast_shapes({3, 4}, {5}, "add"),
                       "add: shapes (3, 4) and (5,) do not broadcast: axis -1 has length 4 in one and 5 in the other; "
                       "lengths must agree or be 1",
                       ashlar::shape_error);
}

TEST_CASE("axes are an integer, a list, or all") {
  CHECK(count_of() == -1);
  CHECK(count_of({}) == -1);
  CHECK(count_of(all_axes) == -1);
  CHECK(count_of(0) == 1);
  CHECK(count_of({0, 2}) == 2);
  CHECK(count_of(std::size_t{1}) == 1);
  CHECK(count_of(axes::none()) == 0);
}

TEST_CASE("axes are sorted and counted from the front") {
  CHECK(sorted({-1, 0}, 3) == std::vector<int>{0, 2});
  CHECK(sorted(-2, 2) == std::vector<int>{0});
  CHECK(sorted(all_axes, 3) == std::vector<int>{0, 1, 2});
  CHECK(sorted(all_axes, 0).empty());
  CHECK(sorted(axes::none(), 3).empty());
  CHECK(normalize_axis(-1, 4, "cumsum") == 3);
  CHECK(normalize_axes(31, 32, "sum").contains(31));
}

TEST_CASE("an axis out of range is an error that names the call, the shape and the range") {
  CHECK_THROWS_WITH_AS(normalize_axes(3, shape{3, 4}, "mean"),
                       "mean: axis 3 is out of range for an array of 2 axes with shape (3, 4): axes go from -2 to 1",
                       ashlar::axis_error);
  CHECK_THROWS_WITH_AS(normalize_axis(-2, 1, "cumsum"),
                       "cumsum: axis -2 is out of range for an array of 1 axis: axes go from -1 to 0",
                       ashlar::axis_error);
  CHECK_THROWS_WITH_AS(normalize_axes(0, shape{}, "sum"),
                       "sum: axis 0 is out of range for an array of 0 axes with shape ()", ashlar::axis_error);
}

TEST_CASE("an axis named twice is an error, however it is written") {
  CHECK_THROWS_WITH_AS(normalize_axes({0, 1, -1}, 2, "sum"),
                       "sum: axes (0, 1, -1) name axis 1 twice for an array of 2 axes; name each once",
                       ashlar::axis_error);
}

TEST_CASE("checked arithmetic refuses to wrap and names what it was for") {
  using ashlar::detail::checked_add;
  using ashlar::detail::checked_mul;
  const std::int64_t most = std::numeric_limits<std::int64_t>::max();
  const std::int64_t least = std::numeric_limits<std::int64_t>::min();
  CHECK(checked_mul(-3, 4, "bytes") == -12);
  CHECK(checked_add(most, -1, "bytes") == most - 1);
  CHECK_THROWS_WITH_AS(checked_mul(most, 2, "bytes"),
                       "bytes: 9223372036854775807 * 2 is more than 64 bits hold (at most 9223372036854775807)",
                       ashlar::shape_error);
  CHECK_THROWS_AS(checked_mul(least, -1, "bytes"), ashlar::shape_error);
  CHECK_THROWS_AS(checked_add(most, 1, "bytes"), ashlar::shape_error);
}

TEST_CASE("narrow converts what fits and refuses the rest") {
  using ashlar::detail::narrow;
  CHECK(narrow<std::uint8_t>(255, "byte") == 255);
  CHECK(narrow<int>(std::int64_t{-5}, "axis") == -5);
  CHECK_THROWS_WITH_AS(narrow<std::uint8_t>(-1, "byte"), "byte: -1 does not fit in an unsigned integer of 8 bits",
                       ashlar::shape_error);
  CHECK_THROWS_AS(narrow<std::int64_t>(std::uint64_t{1} << 63, "length"), ashlar::shape_error);
  CHECK_THROWS_AS(narrow<std::uint64_t>(-1, "length"), ashlar::shape_error);
}
