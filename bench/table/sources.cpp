/// \file
/// The arrays of the table: generated, views of one row-major array, separate blocks, a mapped file.
#include <memory>
#include <utility>
#include <vector>

#include <ashlar/chunks.hpp>
#include <ashlar/creation.hpp>
#include <ashlar/npy.hpp>
#include <ashlar/random.hpp>

#include "table.hpp"

using table::numbers;

TABLE_FUNCTION const char* table_error() { return table::error.c_str(); }

TABLE_FUNCTION void table_workers(int n) { table::workers.workers = n; }

TABLE_FUNCTION int table_normal(std::int64_t n, std::int64_t block, numbers** out) {
  return table::guard([&] {
    *out = new numbers(ashlar::random::normal<double>({n, n}, {.mean = 10, .stddev = 0.1, .chunks = {block, block}}));
  });
}

TABLE_FUNCTION int table_view(double* data, std::int64_t n, std::int64_t rows, std::int64_t columns, numbers** out) {
  return table::guard([&] {
    *out = new numbers(ashlar::from(ashlar::ndarray<double>::view(data, {n, n}), {.chunks = {rows, columns}}));
  });
}

/// Blocks of the caller's, as persist() would have left them.
TABLE_FUNCTION int table_blocks(const void* const* block, std::int64_t n, std::int64_t length, numbers** out) {
  return table::guard([&] {
    const ashlar::shape shape{n, n};
    ashlar::block_grid grid =
        ashlar::normalize_chunks({length, length}, shape, sizeof(double), nullptr, "table_blocks");
    std::vector<const void*> list(block, block + grid.count());
    *out = new numbers(
        ashlar::detail::make_source(std::make_shared<ashlar::detail::blocks_source>(std::move(list), nullptr),
                                    ashlar::dtype::float64, shape, std::move(grid), std::source_location::current()));
  });
}

TABLE_FUNCTION int table_npy(const char* path, std::int64_t rows, std::int64_t columns, numbers** out) {
  return table::guard([&] { *out = new numbers(ashlar::from_npy<double>(path, {.chunks = {rows, columns}})); });
}

TABLE_FUNCTION int table_persist(const numbers* x, numbers** out) {
  return table::guard([&] { *out = new numbers(x->persist(table::workers)); });
}

/// Addresses of the blocks of a persisted array.
TABLE_FUNCTION int table_block_addresses(const numbers* x, const void** out) {
  return table::guard([&] {
    const void* const* const blocks = x->node()->from->blocks();
    for (std::int64_t k = 0; k < x->chunks().count(); ++k) out[k] = blocks[k];
  });
}

TABLE_FUNCTION void table_drop(numbers* x) {
  delete x;
  ashlar::host_memory().trim();
}

TABLE_FUNCTION void table_reset_peak() { ashlar::host_memory().reset_peak(); }
TABLE_FUNCTION std::int64_t table_peak() { return static_cast<std::int64_t>(ashlar::host_memory().peak()); }
