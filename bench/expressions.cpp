// Expressions over whole arrays in memory, by Ashlar and, where its headers are installed, by xtensor:
// bench_expressions ashlar|xtensor CASE N THREADS ROUNDS prints JSON. xtensor has xsimd's vectors and runs on one
// thread.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include <ashlar/ashlar.hpp>

#if defined(ASHLAR_BENCH_XTENSOR)
#define XTENSOR_USE_XSIMD 1
#include <xtensor/xarray.hpp>
#include <xtensor/xmath.hpp>
#include <xtensor/xnoalias.hpp>
#include <xtensor/xtensor.hpp>
#endif

namespace ash = ashlar;

namespace {

double x_value(std::int64_t i, std::int64_t j) {
  return 10 + static_cast<double>((i * 7919 + j * 104729) % 1000) / 5000;
}

struct timed {
  std::vector<double> seconds;
  double value = 0;
};

timed repeat(int rounds, const std::function<double()>& work) {
  timed t;
  for (int r = 0; r <= rounds; ++r) {  // the first one warms up
    const auto begin = std::chrono::steady_clock::now();
    t.value = work();
    if (r > 0) t.seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  return t;
}

timed by_ashlar(const std::string& name, std::int64_t n, int threads, int rounds) {
  const ash::threads on{.workers = threads};
  const auto make = [&](double shift) {
    return ash::from(
        ash::fromfunction([shift](std::int64_t i, std::int64_t j) { return x_value(i, j) + shift; }, {n, n})
            .compute(on),
        {.chunks = {std::max<std::int64_t>(1, (std::int64_t{1} << 20) / n), ash::full}});
  };
  const auto x = make(0);
  const auto y = make(1);
  if (name == "chain") {
    return repeat(rounds,
                  [&] { return (ash::sqrt(ash::abs((x - 10.0) / 0.1)) + ash::sin(x)).mean().compute(on).item(); });
  }
  if (name == "sum0") return repeat(rounds, [&] { return x.sum(0).compute(on)(n / 3); });
  const ash::ndarray<double> out(ash::shape{n, n});
  return repeat(rounds, [&] {
    (2.5 * x + y * y - x / y).compute_into(on, out);
    return out(n - 1, n / 3);
  });
}

#if defined(ASHLAR_BENCH_XTENSOR)
timed by_xtensor(const std::string& name, std::int64_t n, int rounds) {
  using matrix = xt::xtensor<double, 2>;
  const auto size = static_cast<std::size_t>(n);
  matrix x = matrix::from_shape({size, size});
  matrix y = matrix::from_shape({size, size});
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = 0; j < size; ++j) {
      x(i, j) = x_value(static_cast<std::int64_t>(i), static_cast<std::int64_t>(j));
      y(i, j) = x(i, j) + 1;
    }
  }
  if (name == "chain") {
    return repeat(rounds, [&] {
      return xt::mean(xt::sqrt(xt::abs((x - 10.0) / 0.1)) + xt::sin(x), xt::evaluation_strategy::immediate)();
    });
  }
  if (name == "sum0") {
    return repeat(rounds, [&] {
      const xt::xtensor<double, 1> sums = xt::sum(x, {0}, xt::evaluation_strategy::immediate);
      return sums(size / 3);
    });
  }
  matrix out = matrix::from_shape({size, size});
  return repeat(rounds, [&] {
    xt::noalias(out) = 2.5 * x + y * y - x / y;
    return out(size - 1, size / 3);
  });
}
#endif

}  // namespace

int main(int argc, char** argv) {
  if (argc != 6) {
    std::fprintf(stderr, "usage: bench_expressions ashlar|xtensor chain|sum0|stored N THREADS ROUNDS\n");
    return 2;
  }
  const std::string who = argv[1];
  const std::int64_t n = std::atoll(argv[3]);
  timed t;
  if (who == "ashlar") {
    t = by_ashlar(argv[2], n, std::atoi(argv[4]), std::atoi(argv[5]));
  } else {
#if defined(ASHLAR_BENCH_XTENSOR)
    t = by_xtensor(argv[2], n, std::atoi(argv[5]));
#else
    std::fprintf(stderr, "bench_expressions: built without xtensor\n");
    return 3;
#endif
  }
  std::printf("{\"seconds\": [");
  for (std::size_t k = 0; k < t.seconds.size(); ++k) std::printf("%s%.6f", k == 0 ? "" : ", ", t.seconds[k]);
  std::printf("], \"value\": %.17g}\n", t.value);
}
