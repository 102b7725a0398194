/// \file
/// Matrices of 4- and 8-byte elements turned over: rows of the source become columns of the destination. In tiles of
/// 8 x 8 that pass through registers, so that both sides are read and written in whole cache lines, with the next ones
/// on their way. Where there are no such vectors, or for other sizes, the caller's loops over tiles do.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ashlar/detail/config.hpp>

namespace ashlar::detail {

#if ASHLAR_DETAIL_X86 && !defined(__CUDACC__)

/// Bits of elements, four or eight in a vector. They may lie anywhere, so they are copied from and to memory.
using four_words = std::uint64_t __attribute__((vector_size(32)));
using eight_halves = std::uint32_t __attribute__((vector_size(32)));

/// 4 x 4 elements of 8 bytes; distances between rows in bytes.
ASHLAR_DETAIL_INLINE void turn_words(const unsigned char* from, std::int64_t from_row, unsigned char* to,
                                     std::int64_t to_row) {
  four_words a;
  __builtin_memcpy(&a, from, sizeof a);
  four_words b;
  __builtin_memcpy(&b, from + from_row, sizeof b);
  four_words c;
  __builtin_memcpy(&c, from + 2 * from_row, sizeof c);
  four_words d;
  __builtin_memcpy(&d, from + 3 * from_row, sizeof d);
  const four_words ab0 = __builtin_shufflevector(a, b, 0, 4, 2, 6);
  const four_words ab1 = __builtin_shufflevector(a, b, 1, 5, 3, 7);
  const four_words cd0 = __builtin_shufflevector(c, d, 0, 4, 2, 6);
  const four_words cd1 = __builtin_shufflevector(c, d, 1, 5, 3, 7);
  four_words v = __builtin_shufflevector(ab0, cd0, 0, 1, 4, 5);
  __builtin_memcpy(to, &v, sizeof v);
  v = __builtin_shufflevector(ab1, cd1, 0, 1, 4, 5);
  __builtin_memcpy(to + to_row, &v, sizeof v);
  v = __builtin_shufflevector(ab0, cd0, 2, 3, 6, 7);
  __builtin_memcpy(to + 2 * to_row, &v, sizeof v);
  v = __builtin_shufflevector(ab1, cd1, 2, 3, 6, 7);
  __builtin_memcpy(to + 3 * to_row, &v, sizeof v);
}

/// 8 x 8 elements of 4 bytes.
ASHLAR_DETAIL_INLINE void turn_halves(const unsigned char* from, std::int64_t from_row, unsigned char* to,
                                      std::int64_t to_row) {
  eight_halves r[8];
  for (int k = 0; k < 8; ++k) __builtin_memcpy(&r[k], from + k * from_row, sizeof r[k]);
  four_words pair[8];  // columns two by two
  for (int k = 0; k < 8; k += 2) {
    pair[k] = reinterpret_cast<four_words>(__builtin_shufflevector(r[k], r[k + 1], 0, 8, 1, 9, 4, 12, 5, 13));
    pair[k + 1] = reinterpret_cast<four_words>(__builtin_shufflevector(r[k], r[k + 1], 2, 10, 3, 11, 6, 14, 7, 15));
  }
  four_words quad[8];  // quad[2 g + h]: columns 2 h', 2 h' + 1 of rows 4 g to 4 g + 3
  for (int g = 0; g < 2; ++g) {
    quad[4 * g] = __builtin_shufflevector(pair[4 * g], pair[4 * g + 2], 0, 4, 2, 6);
    quad[4 * g + 1] = __builtin_shufflevector(pair[4 * g], pair[4 * g + 2], 1, 5, 3, 7);
    quad[4 * g + 2] = __builtin_shufflevector(pair[4 * g + 1], pair[4 * g + 3], 0, 4, 2, 6);
    quad[4 * g + 3] = __builtin_shufflevector(pair[4 * g + 1], pair[4 * g + 3], 1, 5, 3, 7);
  }
  for (int k = 0; k < 4; ++k) {
    const four_words low = __builtin_shufflevector(quad[k], quad[k + 4], 0, 1, 4, 5);
    const four_words high = __builtin_shufflevector(quad[k], quad[k + 4], 2, 3, 6, 7);
    __builtin_memcpy(to + k * to_row, &low, sizeof low);
    __builtin_memcpy(to + (k + 4) * to_row, &high, sizeof high);
  }
}

/// 8 x 8 elements of Size bytes.
template <std::size_t Size>
ASHLAR_DETAIL_INLINE void turn_tile(const unsigned char* from, std::int64_t from_row, unsigned char* to,
                                    std::int64_t to_row) {
  if constexpr (Size == 8) {
    for (int r = 0; r < 8; r += 4) {
      for (int c = 0; c < 8; c += 4) turn_words(from + r * from_row + 8 * c, from_row, to + c * to_row + 8 * r, to_row);
    }
  } else {
    turn_halves(from, from_row, to, to_row);
  }
}

/// Starts fetching `rows` rows of `bytes`, to be written or read. Neighbouring rows lie in pages of their own, and the
/// hardware does not look ahead across them: with it a large matrix takes less than half the time.
template <int Write>
ASHLAR_DETAIL_INLINE void fetch_tile(const unsigned char* at, std::int64_t row, std::int64_t rows, std::int64_t bytes) {
  for (std::int64_t k = 0; k < rows; ++k) {
    for (std::int64_t b = 0; b < bytes; b += 64) __builtin_prefetch(at + k * row + b, Write, 3);
  }
}

template <std::size_t Size>
ASHLAR_DETAIL_INLINE void turn_matrix(const unsigned char* from, std::int64_t from_row, unsigned char* to,
                                      std::int64_t to_row, std::int64_t rows, std::int64_t columns) {
  constexpr auto size = static_cast<std::int64_t>(Size);
  constexpr std::int64_t tile = 16;
  const auto one_by_one = [&](std::int64_t r, std::int64_t r_end, std::int64_t c, std::int64_t c_end) {
    for (std::int64_t j = c; j < c_end; ++j) {
      for (std::int64_t i = r; i < r_end; ++i) {
        __builtin_memcpy(to + j * to_row + i * size, from + i * from_row + j * size, Size);
      }
    }
  };
  const std::int64_t whole_rows = rows / 8 * 8;
  const std::int64_t whole_columns = columns / 8 * 8;
  for (std::int64_t c = 0; c < whole_columns; c += tile) {
    const std::int64_t c_end = c + tile < whole_columns ? c + tile : whole_columns;
    for (std::int64_t r = 0; r < whole_rows; r += tile) {
      const std::int64_t r_end = r + tile < whole_rows ? r + tile : whole_rows;
      fetch_tile<0>(from + (r + tile) * from_row + c * size, from_row, r_end - r, (c_end - c) * size);
      fetch_tile<1>(to + c * to_row + (r + tile) * size, to_row, c_end - c, (r_end - r) * size);
      for (std::int64_t j = c; j < c_end; j += 8) {
        for (std::int64_t i = r; i < r_end; i += 8) {
          turn_tile<Size>(from + i * from_row + j * size, from_row, to + j * to_row + i * size, to_row);
        }
      }
    }
  }
  one_by_one(whole_rows, rows, 0, whole_columns);
  one_by_one(0, rows, whole_columns, columns);
}

template <std::size_t Size>
ASHLAR_DETAIL_TARGET_AVX2 inline void turn_matrix_avx2(const unsigned char* from, std::int64_t from_row,
                                                       unsigned char* to, std::int64_t to_row, std::int64_t rows,
                                                       std::int64_t columns) {
  turn_matrix<Size>(from, from_row, to, to_row, rows, columns);
}

#endif

/// to[j][i] = from[i][j] for `rows` x `columns` elements of Size bytes, each row packed, rows as many bytes apart.
/// @returns false, and does nothing, where this machine or compiler has no vectors for it
template <std::size_t Size>
bool transpose_matrix([[maybe_unused]] const void* from, [[maybe_unused]] std::int64_t from_row,
                      [[maybe_unused]] void* to, [[maybe_unused]] std::int64_t to_row,
                      [[maybe_unused]] std::int64_t rows, [[maybe_unused]] std::int64_t columns) {
#if ASHLAR_DETAIL_X86 && !defined(__CUDACC__)
  if constexpr (Size == 4 || Size == 8) {
    if (current_isa() == isa_level::baseline) return false;
    turn_matrix_avx2<Size>(static_cast<const unsigned char*>(from), from_row, static_cast<unsigned char*>(to), to_row,
                           rows, columns);
    return true;
  }
#endif
  return false;
}

}  // namespace ashlar::detail
