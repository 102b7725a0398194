#include <ashlar/chunks.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

using ashlar::automatic;
using ashlar::axis_blocks;
using ashlar::block_bytes;
using ashlar::block_grid;
using ashlar::chunks;
using ashlar::full;
using ashlar::keep;
using ashlar::normalize_chunks;
using ashlar::shape;

namespace {

struct options {
  int seed = 0;
  ashlar::chunks chunks;
};

// What an options struct brings, on the shape of a new float64 array.
std::string with(const shape& extents, const options& given = {}) {
  return normalize_chunks(given.chunks, extents, 8).to_string();
}

std::string normal(const chunks& wanted, const shape& extents, std::int64_t itemsize = 8) {
  return normalize_chunks(wanted, extents, itemsize).to_string();
}

block_grid again(const chunks& wanted, const block_grid& previous, std::int64_t itemsize = 8) {
  return normalize_chunks(wanted, previous.full_shape(), itemsize, &previous, "rechunk");
}

// (times, length) pairs, as the golden values are written down.
axis_blocks runs(std::initializer_list<std::pair<int, std::int64_t>> list) {
  std::vector<std::int64_t> lengths;
  for (const auto& [times, length] : list) lengths.insert(lengths.end(), static_cast<std::size_t>(times), length);
  return axis_blocks::explicit_lengths(lengths);
}

block_grid grid(std::initializer_list<axis_blocks> axes) { return block_grid(std::vector<axis_blocks>(axes)); }

}  // namespace

TEST_CASE("chunks in an options struct mean what they say") {
  const std::size_t thousand = 1000;
  CHECK(with({2000, 1500}, {.chunks = {1000, 1000}}) == "((1000, 1000), (1000, 500))");
  CHECK(with({2000, 1500}, {.chunks = {thousand, 1000}}) == "((1000, 1000), (1000, 500))");
  CHECK(with({10, 9}, {.chunks = {4}}) == "((4, 4, 2), (4, 4, 1))");
  CHECK(with({10, 9}, {.chunks = 4}) == "((4, 4, 2), (4, 4, 1))");
  CHECK(with({5000, 4000}, {.chunks = {automatic, full}}) == "((4194, 806), (4000,))");
  CHECK(with({5000, 4000}, {.chunks = automatic}) == with({5000, 4000}));
  CHECK(with({5000, 4000}, {.chunks = {}}) == with({5000, 4000}));
  CHECK(with({5000, 4000}, {.chunks = full}) == "((5000,), (4000,))");
  CHECK(with({10, 9}, {.chunks = {{2, 3, 5}, 4}}) == "((2, 3, 5), (4, 4, 1))");
  CHECK(with({10, 9}, {.chunks = {{2, 3, 5}, {4, 5}}}) == "((2, 3, 5), (4, 5))");
  CHECK(with({10}, {.chunks = {{2, 3, 5}}}) == "((2, 3, 5),)");
  CHECK(with({10}, {.chunks = {4}}) == "((4, 4, 2),)");
}

TEST_CASE("chunks as an argument mean the same") {
  CHECK(normal({4}, {10, 9}) == "((4, 4, 2), (4, 4, 1))");
  CHECK(normal({{2, 3, 5}, 4}, {10, 9}) == "((2, 3, 5), (4, 4, 1))");
  CHECK(normal({{2, 3, 5}}, {10}) == "((2, 3, 5),)");
  CHECK(normal(chunks{{2, 3, 5}, 4}, {10, 9}) == "((2, 3, 5), (4, 4, 1))");
  CHECK(normal(chunks({5, 3}), {10, 9}) == "((5, 5), (3, 3, 3))");
  CHECK(normal(chunks{4}, {10}) == "((4, 4, 2),)");
  CHECK(normal(block_bytes(32), {10}) == "((4, 4, 2),)");
  CHECK(normal({block_bytes(32), full}, {4, 2}) == "((2, 2), (2,))");
  const chunks copy_of = {4, 3};
  CHECK(normal(chunks{copy_of}, {4, 6}) == "((4,), (3, 3))");
}

TEST_CASE("the blocks of another array can be asked for") {
  const block_grid other =
      grid({axis_blocks::regular(10, 4), axis_blocks::explicit_lengths({2, 3, 5}), axis_blocks::single(7)});
  CHECK(normalize_chunks(other, shape{10, 10, 7}, 8) == other);
  CHECK_THROWS_AS(chunks(grid({axis_blocks::bounded({3, 3})})), ashlar::chunk_error);
}

TEST_CASE("blocks longer than the axis are clipped and empty axes have one empty block") {
  CHECK(normal({100, 3}, {5, 6}) == "((5,), (3, 3))");
  CHECK(normal({4, 2}, {0, 3}) == "((0,), (2, 1))");
  CHECK(normal(0, {0}) == "((0,),)");
  CHECK(normal(chunks{ashlar::chunk_spec(std::vector<std::int64_t>{})}, {0}) == "((0,),)");
  CHECK(normal(automatic, {0, 5}) == "((0,), (5,))");
}

TEST_CASE("an explicit list may hold empty blocks") {
  CHECK(normal({{0, 10, 0}}, {10}) == "((0, 10, 0),)");
  CHECK(normal({{0, 0}}, {0}) == "((0, 0),)");
}

TEST_CASE("a 0-d array has one block whatever is asked") {
  CHECK(normalize_chunks({}, shape{}, 8).count() == 1);
  CHECK(normalize_chunks(4, shape{}, 8).ndim() == 0);
}

TEST_CASE("an evenly cut axis is not stored block by block") {
  const block_grid cut = normalize_chunks({1}, shape{std::int64_t{1} << 60}, 8);
  CHECK(cut.axis(0).uniform());
  CHECK(cut.count() == std::int64_t{1} << 60);
}

TEST_CASE("keep takes the blocks that are there, or the whole axis of a new array") {
  const block_grid previous = grid({axis_blocks::explicit_lengths({2, 3, 5}), axis_blocks::regular(9, 4)});
  CHECK(again({keep, 3}, previous).to_string() == "((2, 3, 5), (3, 3, 3))");
  CHECK(again(keep, previous) == previous);
  CHECK(normal({keep, 4}, {10, 8}) == "((10,), (4, 4))");
}

TEST_CASE("keep passes an axis of unknown block lengths through") {
  const block_grid previous = grid({axis_blocks::bounded({5, 5}), axis_blocks::single(6)});
  CHECK(normalize_chunks({keep, 3}, shape{10, 6}, 8, &previous).axis(0) == previous.axis(0));
  CHECK_THROWS_WITH_AS(normalize_chunks({automatic, 3}, shape{10, 6}, 8, &previous, "rechunk"),
                       "rechunk needs known block lengths; those of (<=5, <=5) come out of the computation: compute() "
                       "or persist() the array first",
                       ashlar::chunk_error);
}

TEST_CASE("a wrong number of entries is an error that says how to list blocks") {
  CHECK_THROWS_WITH_AS(normalize_chunks({2, 3, 5}, shape{10}, 8, nullptr, "rechunk"),
                       "rechunk: 3 chunk entries for an array of 1 axis; to list the lengths of its blocks write "
                       "{{2, 3, 5}} (shape (10,))",
                       ashlar::chunk_error);
  CHECK_THROWS_WITH_AS(normalize_chunks({4, 4, 4}, shape{10, 9}, 8),
                       "chunks: 3 chunk entries for an array of 2 axes; give one entry per axis, or one for all (shape "
                       "(10, 9))",
                       ashlar::chunk_error);
}

TEST_CASE("a negative length is an error that names full") {
  CHECK_THROWS_WITH_AS(normalize_chunks({-1, 4}, shape{10, 9}, 8, nullptr, "ones"),
                       "ones: chunk length -1 of axis 0 is negative; for the whole axis in one block write "
                       "ashlar::full (shape (10, 9))",
                       ashlar::chunk_error);
  CHECK_THROWS_WITH_AS(normalize_chunks({{12, -2}}, shape{10}, 8),
                       "chunks: block length -2 of axis 0 is negative; for the whole axis in one block write "
                       "ashlar::full (shape (10,))",
                       ashlar::chunk_error);
}

TEST_CASE("a length of 0 is an error on an axis that has elements") {
  CHECK_THROWS_WITH_AS(
      normalize_chunks({4, 0}, shape{10, 9}, 8),
      "chunks: chunk length 0 of axis 1 is too small; a block holds at least 1 element (shape (10, 9))",
      ashlar::chunk_error);
}

TEST_CASE("lists that do not add up to the axis are an error with both numbers") {
  CHECK_THROWS_WITH_AS(normalize_chunks({{2, 3}, 4}, shape{10, 9}, 8),
                       "chunks: the block lengths of axis 0 add up to 5, but the axis has length 10 (shape (10, 9))",
                       ashlar::chunk_error);
}

TEST_CASE("limits that contradict each other or hold nothing are errors") {
  CHECK_THROWS_AS(normalize_chunks({block_bytes(100), block_bytes(200)}, shape{10, 9}, 8), ashlar::chunk_error);
  CHECK_THROWS_AS(normalize_chunks(block_bytes(0), shape{10, 9}, 8), ashlar::chunk_error);
  CHECK_THROWS_AS(normalize_chunks(automatic, shape{10, 9}, 0), ashlar::chunk_error);
  CHECK(normal({block_bytes(100), block_bytes(100)}, {10, 9}) == normal(block_bytes(100), {10, 9}));
}

TEST_CASE("previous blocks of another shape and sizes beyond 64 bits are errors") {
  const block_grid previous = block_grid::single(shape{4});
  CHECK_THROWS_AS(normalize_chunks(keep, shape{5}, 8, &previous), ashlar::chunk_error);
  CHECK_THROWS_AS(normalize_chunks(keep, shape{4, 1}, 8, &previous), ashlar::chunk_error);
  const std::int64_t big = std::int64_t{1} << 40;
  CHECK_THROWS_AS(normalize_chunks(automatic, shape{big, big}, 8), ashlar::shape_error);
}

// Golden values below: Dask 2026.8, dask.array.core.normalize_chunks with its default limit of 128 MiB.

TEST_CASE("automatic blocks of a new array fill 128 MiB evenly") {
  CHECK(normal({}, {10000, 10000}) == "((4096, 4096, 1808), (4096, 4096, 1808))");
  CHECK(normalize_chunks({}, shape{100000000}, 8) == grid({runs({{5, 16777216}, {1, 16113920}})}));
  CHECK(normal({}, {100000000}, 4) == "((33554432, 33554432, 32891136),)");
}

TEST_CASE("automatic axes that are short are taken whole and the rest shares what they leave") {
  CHECK(normal({}, {100, 200, 300, 400}) ==
        "((64, 36), (64, 64, 64, 8), (64, 64, 64, 64, 44), (64, 64, 64, 64, 64, 64, 16))");
  CHECK(normal({}, {5, 10000000}) == "((5,), (3355443, 3355443, 3289114))");
}

TEST_CASE("automatic blocks make room for the axes that are given") {
  CHECK(normalize_chunks({full, automatic}, shape{10000, 10000}, 8) ==
        grid({axis_blocks::single(10000), runs({{5, 1677}, {1, 1615}})}));
  CHECK(normalize_chunks({automatic, full}, shape{96432, 1038240}, 4) ==
        grid({runs({{3013, 32}, {1, 16}}), axis_blocks::single(1038240)}));
  CHECK(normalize_chunks({1000, automatic}, shape{5000, 1000000}, 8) ==
        grid({runs({{5, 1000}}), runs({{59, 16777}, {1, 10157}})}));
}

TEST_CASE("a limit in bytes takes the place of 128 MiB") {
  CHECK(normal(block_bytes(std::int64_t{64} << 20), {8192, 8192}) == "((2896, 2896, 2400), (2896, 2896, 2400))");
  CHECK(normalize_chunks(block_bytes(1000000), shape{8192, 8192}, 8) ==
        grid({runs({{23, 353}, {1, 73}}), runs({{23, 353}, {1, 73}})}));
}

TEST_CASE("automatic blocks stand beside an empty axis") { CHECK(normal({0, automatic}, {0, 1}) == "((0,), (1,))"); }

TEST_CASE("automatic blocks of an array that has blocks merge whole ones") {
  CHECK(again(automatic, grid({axis_blocks::regular(10000, 100), axis_blocks::single(10000)})) ==
        grid({runs({{6, 1600}, {1, 400}}), axis_blocks::single(10000)}));
  const axis_blocks thousands = axis_blocks::regular(8000, 1000);
  CHECK(again(automatic, grid({thousands, thousands})).to_string() == "((4000, 4000), (4000, 4000))");
}

TEST_CASE("automatic blocks of an array that has blocks shrink where those are too large") {
  CHECK(again({full, automatic}, grid({axis_blocks::regular(30000, 500), axis_blocks::single(6000)})) ==
        grid({axis_blocks::single(30000), runs({{10, 559}, {1, 410}})}));
}

TEST_CASE("an axis that reaches its end while others shrink is counted once") {
  // Dask counts it twice and cuts the last axis into single elements.
  const block_grid previous =
      grid({axis_blocks::explicit_lengths({1020, 179}), axis_blocks::single(46), axis_blocks::single(8)});
  CHECK(again({{888, 311}, block_bytes(293057), block_bytes(293057)}, previous, 1).to_string() ==
        "((888, 311), (46,), (7, 1))");
}

TEST_CASE("automatic blocks follow the median of uneven previous ones") {
  const axis_blocks uneven = axis_blocks::explicit_lengths({10, 10, 10, 40, 30});
  CHECK(again(block_bytes(75 * 8), grid({uneven})).to_string() == "((70, 30),)");
  CHECK(again(block_bytes(25 * 8), grid({uneven})).to_string() == "((20, 20, 20, 20, 20),)");
}
