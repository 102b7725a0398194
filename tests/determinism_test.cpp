// The promise: one binary on one machine gives the same bits for any number of workers, any executor, any split_every,
// any layout of the same elements in memory, and however tasks are cut.
#include <doctest/doctest.h>

#include <cmath>
#include <cstring>

#include <ashlar/ashlar.hpp>

namespace ash = ashlar;

namespace {

std::uint64_t hash_bits(std::uint64_t h, const void* data, std::size_t bytes) {
  const auto* p = static_cast<const unsigned char*>(data);
  for (std::size_t i = 0; i < bytes; ++i) h = (h ^ p[i]) * 1099511628211ull;
  return h;
}

template <class T>
std::uint64_t bits_of(const ash::ndarray<T>& a) {
  const ash::ndarray<T> dense = a.contiguous();
  return hash_bits(14695981039346656037ull, dense.data(), static_cast<std::size_t>(dense.nbytes()));
}

template <class... T>
std::uint64_t bits_of(const std::tuple<ash::ndarray<T>...>& all) {
  return std::apply(
      [](const auto&... a) {
        std::uint64_t h = 0;
        ((h = h * 31 + bits_of(a)), ...);
        return h;
      },
      all);
}

/// Numbers of very different sizes, so that nearly every order of adding them has bits of its own.
template <class T>
ash::ndarray<T> wild(const ash::shape& s) {
  ash::ndarray<T> a(s);
  std::uint64_t state = 7;
  for (T& x : a) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    const double m = static_cast<double>(state >> 11) * 0x1p-53 - 0.5;
    x = static_cast<T>(std::ldexp(m, static_cast<int>(state >> 3 & 31)));
  }
  return a;
}

/// What depends on the order of combination, and what shares its pass.
template <class Where, class X>
std::uint64_t reduce_bits(const Where& on, const X& x, const ash::axes& which, int split_every, bool optimize = true) {
  const ash::reduce_options o{.split_every = split_every};
  const ash::moment_options m{.ddof = 1, .split_every = split_every};
  return bits_of(ash::compute(on, ash::run_options{.optimize = optimize}, x.sum(which, o), x.mean(which, o),
                              x.var(which, m), x.std(which, m), x.min(which, o), x.max(which, o)));
}

struct layout {
  const char* name;
  ash::array<double> x;
};

const ash::axes all_lists[] = {ash::axes{0}, ash::axes{1}, ash::axes{0, 1}};

}  // namespace

TEST_CASE("every number of workers, executor and split_every gives the same bits") {
  struct {
    ash::shape shape;
    ash::chunks chunks;
  } const cases[] = {{{300, 700}, {1, 700}},  {{300, 700}, {7, 5}}, {{513, 300}, {16, 16}},
                     {{64, 2100}, {64, 600}}, {{100, 90}, {1, 1}},  {{257, 129}, {{3, 0, 254}, {100, 29}}}};
  for (const auto& c : cases) {
    const ash::array<double> x = ash::from(wild<double>(c.shape), {.chunks = c.chunks});
    for (const ash::axes& which : all_lists) {
      CAPTURE(c.shape.to_string());
      CAPTURE(which.to_string());
      CAPTURE(x.chunks().to_string());
      const std::uint64_t expected = reduce_bits(ash::serial{}, x, which, 8);
      for (const int split : {2, 4, 16}) {
        CAPTURE(split);
        CHECK(reduce_bits(ash::serial{}, x, which, split) == expected);
      }
      for (const int workers : {1, 2, 3, 8}) {
        CAPTURE(workers);
        CHECK(reduce_bits(ash::std_threads{.workers = workers}, x, which, 8) == expected);
        CHECK(reduce_bits(ash::threads{.workers = workers}, x, which, workers == 3 ? 2 : 8) == expected);
      }
      CHECK(reduce_bits(ash::threads{.workers = 2}, x, which, 8, false) == expected);
    }
  }
}

TEST_CASE("three axes: every subset gives the same bits on every number of workers") {
  const ash::array<double> x = ash::from(wild<double>({20, 30, 40}), {.chunks = {1, 2, 3}});
  const ash::axes lists[] = {{0}, {1}, {2}, {0, 1}, {0, 2}, {1, 2}, {0, 1, 2}};
  for (const ash::axes& which : lists) {
    CAPTURE(which.to_string());
    const std::uint64_t expected = reduce_bits(ash::serial{}, x, which, 8);
    for (const int workers : {2, 3, 8}) {
      CAPTURE(workers);
      CHECK(reduce_bits(ash::std_threads{.workers = workers}, x, which, 4) == expected);
    }
  }
}

TEST_CASE("the bits do not depend on where and how the elements lie in memory") {
  for (const ash::shape& s : {ash::shape{130, 2050}, ash::shape{1000, 70}}) {
    const ash::ndarray<double> rows = wild<double>(s);
    ash::ndarray<double> columns(ash::shape{s[1], s[0]});
    columns.transpose().assign(rows);
    ash::ndarray<double> wide(ash::shape{s[0], 2 * s[1]});
    wide.slice(1, 0, 2 * s[1], 2).assign(rows);
    for (const ash::chunks& cut :
         {ash::chunks{10, 10}, ash::chunks{16, 600}, ash::chunks{33, 7}, ash::chunks{ash::full, ash::full}}) {
      const ash::creation_options o{.chunks = cut};
      const double* const p = rows.data();
      const std::int64_t width = s[1];
      const layout layouts[] = {
          {"row-major", ash::from(rows, o)},
          {"column-major", ash::from(columns.transpose(), o)},
          {"every second column", ash::from(wide.slice(1, 0, 2 * s[1], 2), o)},
          {"persisted blocks", ash::from(rows, o).persist(ash::serial{})},
          {"generated",
           ash::fromfunction([p, width](std::int64_t i, std::int64_t j) { return p[i * width + j]; }, {s[0], s[1]}, o)},
      };
      for (const ash::axes& which : all_lists) {
        const std::uint64_t expected = reduce_bits(ash::serial{}, layouts[0].x, which, 8);
        for (const layout& l : layouts) {
          CAPTURE(l.name);
          CAPTURE(l.x.chunks().to_string());
          CAPTURE(which.to_string());
          CHECK(reduce_bits(ash::std_threads{.workers = 2}, l.x, which, 8) == expected);
        }
      }
    }
  }
}

TEST_CASE("a fused expression has the bits of the same expression made step by step") {
  const ash::array<double> x = ash::from(wild<double>({200, 300}), {.chunks = {30, 40}});
  const ash::array<double> mean = x.mean(0);
  const ash::array<double> deviation = x.std(0);
  const ash::array<double> z = (x - mean) / deviation;
  for (const ash::axes& which : all_lists) {
    const std::uint64_t expected = reduce_bits(ash::serial{}, z, which, 8);
    CHECK(reduce_bits(ash::serial{}, z, which, 8, false) == expected);
    CHECK(reduce_bits(ash::std_threads{.workers = 3}, z, which, 2) == expected);
    CHECK(reduce_bits(ash::serial{}, z.persist(ash::serial{}), which, 8) == expected);
    CHECK(bits_of(z.sum(which).compute(ash::serial{})) ==
          bits_of(z.persist(ash::serial{}).sum(which).compute(ash::threads{.workers = 2})));
  }
}

TEST_CASE("runs repeat to the bit") {
  const ash::array<float> x = ash::from(wild<float>({500, 410}), {.chunks = {50, 41}});
  const std::uint64_t first = bits_of(ash::compute(ash::threads{.workers = 3}, x.mean(0), x.std(1), x.sum()));
  for (int run = 0; run < 20; ++run) {
    CHECK(bits_of(ash::compute(ash::threads{.workers = 3}, x.mean(0), x.std(1), x.sum())) == first);
  }
}

TEST_CASE("alone or together with others, a reduction has the same bits") {
  const ash::array<double> x = ash::from(wild<double>({130, 1100}), {.chunks = {20, 600}});
  const ash::array<std::int32_t> k = ash::from(wild<std::int32_t>({130, 1100}), {.chunks = {20, 600}});
  for (const ash::axes& which : all_lists) {
    const auto [mean, deviation, sum, low] =
        ash::compute(ash::serial{}, x.mean(which), x.std(which), x.sum(which), x.min(which));
    CHECK(bits_of(mean) == bits_of(x.mean(which).compute(ash::serial{})));
    CHECK(bits_of(deviation) == bits_of(x.std(which).compute(ash::serial{})));
    CHECK(bits_of(sum) == bits_of(x.sum(which).compute(ash::serial{})));
    CHECK(bits_of(low) == bits_of(x.min(which).compute(ash::serial{})));
    const auto [k_mean, k_deviation] = ash::compute(ash::serial{}, k.mean(which), k.std(which));
    CHECK(bits_of(k_mean) == bits_of(k.mean(which).compute(ash::serial{})));
    CHECK(bits_of(k_deviation) == bits_of(k.std(which).compute(ash::serial{})));
  }
}

TEST_CASE("blocks of 512 * 2^k along one axis give the bits of the whole array") {
  const ash::ndarray<double> values = wild<double>({10000});
  const std::uint64_t expected = bits_of(ash::from(values, {.chunks = ash::full}).sum().compute(ash::serial{}));
  for (const int length : {512, 1024, 4096}) {
    CHECK(bits_of(ash::from(values, {.chunks = length}).sum().compute(ash::threads{.workers = 2})) == expected);
  }
  const ash::ndarray<double> tall = wild<double>({1000, 5});
  CHECK(bits_of(ash::from(tall, {.chunks = {ash::full, ash::full}}).sum(0).compute(ash::serial{})) ==
        bits_of(ash::from(tall, {.chunks = {64, 2}}).sum(0).compute(ash::serial{})));
}
