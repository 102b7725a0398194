/// \file
/// What the table of bench/run.py holds Ashlar against: the best plain loop over the same memory, on the same number of
/// threads, in the same process. Wide vectors, several accumulators, no temporary, glibc's vector math, oneTBB's
/// parallel loops. Exported as C functions for run.py.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include "wide.hpp"

using table::vec;
using table::width;

namespace {

using size = std::int64_t;

// Columns that one task of a row-major array takes: 16 KB a row, so that whole pages are used up.
constexpr size strip = 2000;

tbb::task_arena& arena(int threads) {
  static tbb::task_arena all(threads);
  return all;
}

template <class F>
void each(int threads, size n, F f) {
  arena(threads).execute([&] { tbb::parallel_for(size{0}, n, f); });
}

double sum_run(const double* p, size n) {
  vec s[8] = {};
  size i = 0;
  for (; i + 8 * width <= n; i += 8 * width) {
    for (int k = 0; k < 8; ++k) s[k] += table::load(p + i + k * width);
  }
  for (int k = 1; k < 8; ++k) s[0] += s[k];
  double total = table::add_up(s[0]);
  for (; i < n; ++i) total += p[i];
  return total;
}

double chain_run(const double* p, size n) {
  vec s[2] = {};
  size i = 0;
  for (; i + 2 * width <= n; i += 2 * width) {
    for (int k = 0; k < 2; ++k) {
      const vec x = table::load(p + i + k * width);
      s[k] += table::root(table::magnitude((x - 10.0) / 0.1)) + table::sine(x);
    }
  }
  double total = table::add_up(s[0] + s[1]);
  for (; i < n; ++i) total += std::sqrt(std::abs((p[i] - 10.0) / 0.1)) + std::sin(p[i]);
  return total;
}

/// Sums of x - shift and of its square over four rows at a time, added to s and q.
void moments_run(double* __restrict s, double* __restrict q, const double* __restrict shift, const double* __restrict p,
                 size stride, size rows, size columns) {
  for (size i = 0; i + 4 <= rows; i += 4, p += 4 * stride) {
    for (size j = 0; j < columns; ++j) {
      const double k = shift[j];
      const double a = p[j] - k;
      const double b = p[j + stride] - k;
      const double c = p[j + 2 * stride] - k;
      const double d = p[j + 3 * stride] - k;
      s[j] += (a + b) + (c + d);
      q[j] += (a * a + b * b) + (c * c + d * d);
    }
  }
}

/// Mean and variance of every column of a row-major array, rows in fours.
void column_moments(const double* p, size n, double* mean, double* variance, int threads) {
  each(threads, (n + strip - 1) / strip, [=](size b) {
    const size first = b * strip;
    const size columns = n - first < strip ? n - first : strip;
    std::vector<double> s(strip), q(strip);
    moments_run(s.data(), q.data(), p + first, p + first, n, n, columns);
    const auto rows = static_cast<double>(n);
    for (size j = 0; j < columns; ++j) {
      mean[first + j] = p[first + j] + s[static_cast<std::size_t>(j)] / rows;
      variance[first + j] =
          (q[static_cast<std::size_t>(j)] - s[static_cast<std::size_t>(j)] * s[static_cast<std::size_t>(j)] / rows) /
          rows;
    }
  });
}

double add_all(const std::vector<double>& values) {
  double total = 0;
  for (const double v : values) total += v;
  return total;
}

}  // namespace

extern "C" {

/// Reads n elements once: the limit of every reduction.
double hand_read(const double* p, size n, int threads) {
  constexpr size piece = size{1} << 18;
  const size pieces = (n + piece - 1) / piece;
  std::vector<double> part(static_cast<std::size_t>(pieces));
  each(threads, pieces, [&](size k) {
    part[static_cast<std::size_t>(k)] = sum_run(p + k * piece, n - k * piece < piece ? n - k * piece : piece);
  });
  return add_all(part);
}

/// The same over separate blocks of `length` elements.
double hand_read_blocks(const double* const* block, size blocks, size length, int threads) {
  std::vector<double> part(static_cast<std::size_t>(blocks));
  each(threads, blocks, [&](size k) { part[static_cast<std::size_t>(k)] = sum_run(block[k], length); });
  return add_all(part);
}

/// Maps a file, adds up the n doubles behind `offset` bytes, unmaps. @returns NaN when the file cannot be mapped
double hand_read_mapped(const char* path, size offset, size n, int threads) {
  const int file = ::open(path, O_RDONLY);
  if (file < 0) return std::nan("");
  const auto bytes = static_cast<std::size_t>(offset) + static_cast<std::size_t>(n) * sizeof(double);
  void* const memory = ::mmap(nullptr, bytes, PROT_READ, MAP_SHARED, file, 0);
  ::close(file);
  if (memory == MAP_FAILED) return std::nan("");
  const double total =
      hand_read(reinterpret_cast<const double*>(static_cast<const char*>(memory) + offset), n, threads);
  ::munmap(memory, bytes);
  return total;
}

/// mean(sqrt(abs((x - 10) / 0.1)) + sin(x)) over blocks.
double hand_chain(const double* const* block, size blocks, size length, int threads) {
  std::vector<double> part(static_cast<std::size_t>(blocks));
  each(threads, blocks, [&](size k) { part[static_cast<std::size_t>(k)] = chain_run(block[k], length); });
  return add_all(part) / (static_cast<double>(blocks) * static_cast<double>(length));
}

/// Variance of every column; `grid` x `grid` blocks of c x c, c a multiple of four.
void hand_var(const double* const* block, size grid, size c, double* out, int threads) {
  const auto all = static_cast<std::size_t>(grid * grid * c);
  std::vector<double> s(all), q(all);
  each(threads, grid * grid, [&](size k) {
    moments_run(&s[static_cast<std::size_t>(k * c)], &q[static_cast<std::size_t>(k * c)], block[k % grid], block[k], c,
                c, c);
  });
  const auto rows = static_cast<double>(grid * c);
  for (size j = 0; j < grid * c; ++j) {
    double sum = 0;
    double square = 0;
    for (size i = 0; i < grid; ++i) {
      sum += s[static_cast<std::size_t>(i * grid * c + j)];
      square += q[static_cast<std::size_t>(i * grid * c + j)];
    }
    out[j] = (square - sum * sum / rows) / rows;
  }
}

/// (x - mean over axis 0) / standard deviation over axis 0 of a row-major array, into new memory in huge pages with
/// stores that pass by the caches; the first row is left in `sample`. @returns 1 when there is no memory
int hand_zscore(const double* p, size n, double* sample, int threads) {
  constexpr std::size_t huge_page = std::size_t{1} << 21;
  const std::size_t bytes = (static_cast<std::size_t>(n * n) * sizeof(double) + huge_page - 1) / huge_page * huge_page;
  void* const raw = ::mmap(nullptr, bytes + huge_page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (raw == MAP_FAILED) return 1;
  const std::size_t head = (huge_page - reinterpret_cast<std::uintptr_t>(raw) % huge_page) % huge_page;
  auto* const z = reinterpret_cast<double*>(static_cast<char*>(raw) + head);
  ::madvise(z, bytes, MADV_HUGEPAGE);
  std::vector<double> mean(static_cast<std::size_t>(n)), scale(static_cast<std::size_t>(n));
  column_moments(p, n, mean.data(), scale.data(), threads);
  for (double& v : scale) v = 1 / std::sqrt(v);
  arena(threads).execute([&] {
    tbb::parallel_for(tbb::blocked_range<size>(0, n, 16), [&](const tbb::blocked_range<size>& rows) {
      for (size i = rows.begin(); i < rows.end(); ++i) {
        const double* const from = p + i * n;
        double* const to = z + i * n;
        for (size j = 0; j < n; j += width) {
          table::stream(to + j, (table::load(from + j) - table::load(&mean[static_cast<std::size_t>(j)])) *
                                    table::load(&scale[static_cast<std::size_t>(j)]));
        }
      }
    });
  });
  std::memcpy(sample, z, static_cast<std::size_t>(n) * sizeof(double));
  ::munmap(raw, bytes + huge_page);
  return 0;
}

/// normal(10, 0.1) by Philox4x32-10 and Box-Muller, block by block, added up over axis 0; nothing is stored but four
/// rows at a time. n and c are multiples of four.
void hand_generate(size n, size c, double* out, int threads) {
  const size grid = n / c;
  std::vector<double> sums(static_cast<std::size_t>(grid * grid * c));
  each(threads, grid * grid, [&](size k) {
    double* const s = &sums[static_cast<std::size_t>(k * c)];
    std::vector<double> rows(static_cast<std::size_t>(4 * c + 16));
    for (size i = 0; i < c; i += 4) {
      table::normal_run(static_cast<std::uint64_t>(k * c * c + i * c) / 2, 1, rows.data(), 4 * c);
      const double* const r = rows.data();
      for (size j = 0; j < c; ++j) s[j] += (r[j] + r[j + c]) + (r[j + 2 * c] + r[j + 3 * c]);
    }
  });
  for (size j = 0; j < n; ++j) {
    double sum = 0;
    for (size i = 0; i < grid; ++i) sum += sums[static_cast<std::size_t>(i * n + j)];
    out[j] = sum / static_cast<double>(n);
  }
}
}
