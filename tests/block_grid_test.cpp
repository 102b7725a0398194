#include <ashlar/block_grid.hpp>
#include <ashlar/detail/unify_chunks.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <initializer_list>
#include <vector>

using ashlar::axis_blocks;
using ashlar::block_grid;
using ashlar::common_refinement;
using ashlar::shape;
using ashlar::unify_grids;
using ashlar::unify_operand;

namespace {

using lengths = std::vector<std::int64_t>;

axis_blocks blocks(std::initializer_list<std::int64_t> list) { return axis_blocks::explicit_lengths(list); }

block_grid grid(std::initializer_list<axis_blocks> axes) { return block_grid(std::vector<axis_blocks>(axes)); }

block_grid unify(const block_grid& a, const block_grid& b, const shape& result, std::int64_t itemsize = 8) {
  const unify_operand operands[] = {{&a, itemsize}, {&b, itemsize}};
  return unify_grids(operands, result, "add");
}

}  // namespace

TEST_CASE("an evenly cut axis has equal blocks and a smaller last one") {
  const axis_blocks axis = axis_blocks::regular(10, 4);
  CHECK(axis.count() == 3);
  CHECK(axis.lengths() == lengths{4, 4, 2});
  CHECK(axis.offset(2) == 8);
  CHECK(axis.offset(3) == 10);
  CHECK(axis.total() == 10);
  CHECK(axis.max_length() == 4);
  CHECK(axis.uniform());
  CHECK(axis.find(7) == 1);
  CHECK(axis.find(9) == 2);
}

TEST_CASE("an evenly cut axis costs the same for any number of blocks") {
  const axis_blocks axis = axis_blocks::regular(std::int64_t{1} << 62, 3);
  CHECK(axis.count() == ((std::int64_t{1} << 62) + 2) / 3);
  CHECK(axis.length(axis.count() - 1) == 1);
  CHECK(axis.find((std::int64_t{1} << 62) - 1) == axis.count() - 1);
}

TEST_CASE("a block longer than its axis is clipped") {
  CHECK(axis_blocks::regular(3, 100) == axis_blocks::single(3));
  CHECK(axis_blocks::regular(3, 100).max_length() == 3);
}

TEST_CASE("an empty axis has one empty block") {
  for (const axis_blocks& axis : {axis_blocks(), axis_blocks::regular(0, 5), axis_blocks::regular(0, 0), blocks({0})}) {
    CHECK(axis.count() == 1);
    CHECK(axis.length(0) == 0);
    CHECK(axis == axis_blocks::single(0));
  }
}

TEST_CASE("blocks without elements are refused on an axis that has some") {
  CHECK_THROWS_AS(axis_blocks::regular(3, 0), ashlar::chunk_error);
  CHECK_THROWS_AS(axis_blocks::regular(3, -1), ashlar::chunk_error);
  CHECK_THROWS_AS(axis_blocks::regular(-3, 1), ashlar::chunk_error);
}

TEST_CASE("an unevenly cut axis keeps its lengths, empty ones too") {
  const axis_blocks axis = blocks({2, 0, 3, 5});
  CHECK(axis.count() == 4);
  CHECK(axis.lengths() == lengths{2, 0, 3, 5});
  CHECK(axis.offset(2) == 2);
  CHECK(axis.total() == 10);
  CHECK(axis.max_length() == 5);
  CHECK_FALSE(axis.uniform());
}

TEST_CASE("find gives the block that holds a position, never an empty one") {
  const axis_blocks axis = blocks({0, 2, 0, 0, 3, 0});
  const lengths expected{1, 1, 4, 4, 4};
  for (std::int64_t i = 0; i < axis.total(); ++i) CHECK(axis.find(i) == expected[static_cast<std::size_t>(i)]);
}

TEST_CASE("explicit lengths that are even equal the even cut") {
  CHECK(blocks({4, 4, 2}) == axis_blocks::regular(10, 4));
  CHECK(blocks({4, 4}) == axis_blocks::regular(8, 4));
  CHECK(blocks({4, 4, 2}).uniform());
  CHECK_FALSE(blocks({4, 4, 0}).uniform());
  CHECK_FALSE(blocks({0, 0}).uniform());
  CHECK_FALSE(blocks({3, 4}).uniform());
  CHECK(blocks({2, 3}) == blocks({2, 3}));
  CHECK_FALSE(blocks({2, 3}) == blocks({3, 2}));
  CHECK_FALSE(blocks({2, 3}) == axis_blocks::single(5));
}

TEST_CASE("lists of block lengths are checked") {
  CHECK_THROWS_AS(axis_blocks::explicit_lengths(lengths{}), ashlar::chunk_error);
  CHECK_THROWS_WITH_AS(blocks({3, -1}),
                       "block lengths: -1 is negative; for the whole axis in one block write ashlar::full",
                       ashlar::chunk_error);
  const std::int64_t big = std::int64_t{1} << 62;
  CHECK_THROWS_AS(blocks({big, big, big}), ashlar::shape_error);
}

TEST_CASE("an axis of unknown lengths has bounds and refuses what needs the lengths") {
  const axis_blocks axis = axis_blocks::bounded({5, 5, 2});
  CHECK_FALSE(axis.known());
  CHECK_FALSE(axis.uniform());
  CHECK(axis.count() == 3);
  CHECK(axis.capacity(2) == 2);
  CHECK(axis.total_capacity() == 12);
  CHECK(axis.max_capacity() == 5);
  CHECK(axis.to_string() == "(<=5, <=5, <=2)");
  CHECK_THROWS_AS(static_cast<void>(axis.total()), ashlar::chunk_error);
  CHECK_THROWS_AS(static_cast<void>(axis.length(0)), ashlar::chunk_error);
  CHECK_THROWS_AS(static_cast<void>(axis.offset(0)), ashlar::chunk_error);
  CHECK_THROWS_AS(static_cast<void>(axis.max_length()), ashlar::chunk_error);
  CHECK_THROWS_AS(static_cast<void>(axis.find(0)), ashlar::chunk_error);
  CHECK_THROWS_WITH_AS(axis.require_known("sort"),
                       "sort needs known block lengths; those of (<=5, <=5, <=2) come out of the computation: "
                       "compute() or persist() the array first",
                       ashlar::chunk_error);
}

TEST_CASE("axes of unknown lengths are equal only as copies of one another") {
  const axis_blocks axis = axis_blocks::bounded({5, 2});
  CHECK(axis == std::vector<axis_blocks>(2, axis).back());
  CHECK_FALSE(axis == axis_blocks::bounded({5, 2}));
  CHECK_FALSE(axis == blocks({5, 2}));
}

TEST_CASE("a grid numbers its blocks in C order") {
  const block_grid cut = grid({axis_blocks::regular(10, 4), blocks({2, 3})});
  CHECK(cut.ndim() == 2);
  CHECK(cut.count() == 6);
  CHECK(cut.counts() == shape{3, 2});
  CHECK(cut.full_shape() == shape{10, 5});
  CHECK(cut.max_block_shape() == shape{4, 3});
  CHECK(cut.block_shape(0) == shape{4, 2});
  CHECK(cut.block_shape(5) == shape{2, 3});
  CHECK(cut.block_offset(3) == shape{4, 2});
  for (std::int64_t block = 0; block < cut.count(); ++block) {
    std::int64_t position[2];
    cut.coords(block, position);
    CHECK(position[0] == block / 2);
    CHECK(position[1] == block % 2);
    CHECK(cut.linear(position) == block);
  }
}

TEST_CASE("the grid of a 0-d array has one block") {
  const block_grid cut;
  CHECK(cut.ndim() == 0);
  CHECK(cut.count() == 1);
  CHECK(cut.block_shape(0) == shape{});
  CHECK(cut.to_string() == "()");
  CHECK(cut == block_grid::single(shape{}));
}

TEST_CASE("a grid prints as Dask prints it, and long axes are shortened") {
  CHECK(grid({axis_blocks::regular(10000, 4096), axis_blocks::single(5)}).to_string() == "((4096, 4096, 1808), (5,))");
  CHECK(grid({axis_blocks::regular(7, 4)}).to_string() == "((4, 3),)");
  CHECK(axis_blocks::regular(16, 1).to_string() == "(1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1)");
  CHECK(axis_blocks::regular(199, 10).to_string() == "(10, 10, 10, ..., 9; 20 blocks)");
}

TEST_CASE("grids with the same cuts are equal") {
  CHECK(block_grid::regular(shape{10, 5}, shape{4, 5}) == grid({blocks({4, 4, 2}), axis_blocks::single(5)}));
  CHECK_FALSE(block_grid::single(shape{10}) == block_grid::single(shape{10, 1}));
}

TEST_CASE("more blocks than 64 bits count are an error") {
  const std::int64_t big = std::int64_t{1} << 40;
  CHECK_THROWS_AS(static_cast<void>(block_grid::regular(shape{big, big}, shape{1, 1}).count()), ashlar::shape_error);
  CHECK_THROWS_AS(block_grid(std::vector<axis_blocks>(33)), ashlar::shape_error);
}

TEST_CASE("a grid with an unknown axis gives bounds only") {
  const block_grid cut = grid({axis_blocks::bounded({4, 4}), axis_blocks::single(3)});
  CHECK_FALSE(cut.known());
  CHECK(cut.count() == 2);
  CHECK(cut.capacity_shape() == shape{8, 3});
  CHECK_THROWS_AS(static_cast<void>(cut.full_shape()), ashlar::chunk_error);
  CHECK_THROWS_AS(static_cast<void>(cut.block_shape(0)), ashlar::chunk_error);
  CHECK_THROWS_AS(cut.require_known("matmul"), ashlar::chunk_error);
}

TEST_CASE("the common refinement has every cut of both axes") {
  CHECK(common_refinement(blocks({1, 2}), blocks({2, 1})) == blocks({1, 1, 1}));
  CHECK(common_refinement(blocks({5, 5}), blocks({2, 3, 5})) == blocks({2, 3, 5}));
  CHECK(common_refinement(blocks({4, 4, 4}), blocks({3, 3, 3, 3})) == blocks({3, 1, 2, 2, 1, 3}));
  CHECK(common_refinement(axis_blocks::regular(100, 10), axis_blocks::regular(100, 20)) ==
        axis_blocks::regular(100, 10));
}

TEST_CASE("an axis in one block leaves the other as it is") {
  CHECK(common_refinement(axis_blocks::single(5), blocks({2, 0, 3})) == blocks({2, 0, 3}));
  CHECK(common_refinement(blocks({2, 0, 3}), axis_blocks::single(5)) == blocks({2, 0, 3}));
}

TEST_CASE("refinement drops empty blocks and refuses different totals") {
  CHECK(common_refinement(blocks({0, 4}), blocks({2, 2})) == blocks({2, 2}));
  CHECK(common_refinement(blocks({0, 0}), blocks({0, 0, 0})) == axis_blocks::single(0));
  CHECK_THROWS_AS(common_refinement(blocks({2, 2}), blocks({2, 3})), ashlar::chunk_error);
}

TEST_CASE("equal grids unify to themselves") {
  const block_grid a = block_grid::regular(shape{10, 10}, shape{1, 1});
  CHECK(unify(a, a, shape{10, 10}) == a);
}

TEST_CASE("one operand that is cut gives the result its cuts") {
  const block_grid cut = block_grid::regular(shape{10, 10}, shape{3, 4});
  CHECK(unify(cut, block_grid::single(shape{10, 10}), shape{10, 10}) == cut);
  CHECK(unify(block_grid::single(shape{10, 10}), cut, shape{10, 10}) == cut);
}

TEST_CASE("axes of length 1 are broadcast and have no say") {
  const block_grid cut = block_grid::regular(shape{10, 6}, shape{3, 2});
  CHECK(unify(cut, block_grid::single(shape{10, 1}), shape{10, 6}) == cut);
  CHECK(unify(block_grid::regular(shape{6}, shape{2}), cut, shape{10, 6}) == cut);
  CHECK(unify(cut, block_grid(), shape{10, 6}) == cut);
  CHECK(unify(block_grid::single(shape{1}), block_grid::single(shape{0}), shape{0}) == block_grid::single(shape{0}));
}

TEST_CASE("a column and a row give the grid of both") {
  const block_grid column = block_grid::regular(shape{1000, 1}, shape{100, 1});
  const block_grid row = block_grid::regular(shape{1, 1000}, shape{1, 200});
  CHECK(unify(column, row, shape{1000, 1000}) == block_grid::regular(shape{1000, 1000}, shape{100, 200}));
}

TEST_CASE("x + transpose(x) of thin columns keeps one of the layouts") {
  const block_grid columns = block_grid::regular(shape{1000, 1000}, shape{1000, 10});
  const block_grid rows = block_grid::regular(shape{1000, 1000}, shape{10, 1000});
  CHECK(unify(columns, rows, shape{1000, 1000}) == columns);
  CHECK(unify(rows, columns, shape{1000, 1000}) == rows);
}

TEST_CASE("blocks of at least 1 MiB are refined") {
  const block_grid columns = block_grid::regular(shape{4096, 4096}, shape{4096, 512});
  const block_grid rows = block_grid::regular(shape{4096, 4096}, shape{512, 4096});
  CHECK(unify(columns, rows, shape{4096, 4096}, 8) == block_grid::regular(shape{4096, 4096}, shape{512, 512}));
  CHECK(unify(columns, rows, shape{4096, 4096}, 2) == columns);
}

TEST_CASE("below that the operand with the most bytes lends its layout, of equal ones that with fewer blocks") {
  const block_grid fours = block_grid::regular(shape{12}, shape{4});
  const block_grid threes = block_grid::regular(shape{12}, shape{3});
  CHECK(unify(threes, fours, shape{12}) == fours);
  const unify_operand operands[] = {{&fours, 4}, {&threes, 8}};
  CHECK(unify_grids(operands, shape{12}, "add") == threes);
}

TEST_CASE("a vector across a matrix does not cut the matrix further") {
  const block_grid matrix = block_grid::regular(shape{1000, 1000}, shape{100, 1000});
  const block_grid vector = block_grid::regular(shape{1000}, shape{100});
  CHECK(unify(matrix, vector, shape{1000, 1000}) == matrix);
}

TEST_CASE("no layout is lent that has larger blocks than every operand") {
  const block_grid column = block_grid::regular(shape{1000, 1}, shape{1000, 1});
  const block_grid row = block_grid::regular(shape{1, 1000}, shape{1, 10});
  const block_grid thin = block_grid::regular(shape{1000, 1}, shape{10, 1});
  const unify_operand operands[] = {{&column, 8}, {&row, 8}, {&thin, 8}};
  CHECK(unify_grids(operands, shape{1000, 1000}, "add") == block_grid::regular(shape{1000, 1000}, shape{10, 10}));
}

TEST_CASE("an unknown axis passes when it is shared and is refused when it meets another") {
  const axis_blocks unknown = axis_blocks::bounded({2, 2});
  const block_grid x = grid({unknown});
  CHECK(unify(x, grid({unknown}), shape{4}) == x);
  CHECK(unify(x, block_grid::single(shape{1}), shape{4}) == x);
  CHECK_THROWS_AS(unify(x, grid({axis_blocks::bounded({2, 2})}), shape{4}), ashlar::chunk_error);
  CHECK_THROWS_WITH_AS(unify(block_grid::single(shape{4}), x, shape{4}),
                       "add needs known block lengths; those of (<=2, <=2) come out of the computation: compute() or "
                       "persist() the array first",
                       ashlar::chunk_error);
}

TEST_CASE("operands whose blocks add up to different lengths are refused") {
  CHECK_THROWS_AS(unify(block_grid::single(shape{4}), block_grid::single(shape{5}), shape{5}), ashlar::chunk_error);
}
