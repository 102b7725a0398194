#include <ashlar/ashlar.hpp>

#include "support/text.hpp"

#include <doctest/doctest.h>

#include <string>

namespace ash = ashlar;
using testing_support::contains;

namespace {

ash::array<double> numbers() { return ash::random::normal<double>({2000, 2000}, {.chunks = {250, 250}}); }

}  // namespace

TEST_CASE("explain: of the executor and options that compute() would have") {
  const auto x = numbers();
  CHECK(contains(x.mean(0).explain(ash::serial{}), ", 1 worker\n"));
  CHECK(contains(x.mean(0).explain(ash::std_threads{.workers = 3}), ", 3 workers\n"));
  const std::string both = ash::explain(ash::std_threads{.workers = 3}, x.min(), x.max());
  CHECK(contains(both, "min, max"));
  CHECK(contains(both, ", 3 workers\n"));
  CHECK_THROWS_AS(x.explain(ash::std_threads{.workers = -1}), ash::value_error);
}

TEST_CASE("explain: before and after optimizing") {
  const auto x = numbers();
  const ash::array<double> a = x * 2.0;
  const ash::array<double> b = sqrt(abs(a));
  const auto result = (b + 1.0).sum();
  const std::string text = result.explain(ash::serial{});
  CAPTURE(text);
  CHECK(contains(text, "operations fused"));
  CHECK(contains(text, "not optimized it would be "));
  CHECK(contains(text, " layers instead of 3, "));
  const std::string apart = result.explain(ash::serial{}, {.optimize = false});
  CAPTURE(apart);
  CHECK(contains(apart, "layer 4"));
  CHECK(!contains(apart, "not optimized"));
  CHECK(!contains(x.sum().explain(), "not optimized"));  // nothing to be gained
  CHECK(contains(ash::explain(ash::serial{}, {.optimize = false}, result), "layer 4"));
}

TEST_CASE("explain: how a run keeps to its memory_limit, or that it cannot") {
  const auto x = ash::map([](double v) { return v + 1; }, numbers());
  const ash::array<double> kept = x;
  const ash::array<double> z = kept - kept.mean();
  const auto text = [&](std::int64_t limit) { return z.max().explain(ash::serial{.memory_limit = limit}); };
  CHECK(contains(text(std::int64_t{1} << 30), "memory_limit 1.0 GiB\n"));
  CHECK(!contains(text(std::int64_t{1} << 30), "file"));
  CHECK(contains(text(8 << 20), ", blocks go to a file\n"));
  CHECK(contains(text(8 << 20), "predicted peak of blocks and scratch 8.0 MiB"));
  CHECK(contains(text(1000), "refused: compute: memory_limit is 1000, and one task of "));
}

TEST_CASE("explain: the predicted peak is the one that a report compares with") {
  const auto x = numbers();
  ash::report r;
  const auto result = (x - x.mean(0)).max();
  for (const std::int64_t limit : {std::int64_t{0}, std::int64_t{3} << 20}) {
    const ash::std_threads on{.workers = 2, .memory_limit = limit};
    result.compute(on, {.report = &r});
    CHECK(contains(result.explain(on), "scratch " + ash::detail::bytes_text(r.predicted_peak_bytes)));
    CHECK(r.peak_bytes <= r.predicted_peak_bytes);
  }
}

TEST_CASE("bytes read are those of the tasks that are needed") {
  const auto x = ash::arange<double>(1000, {.chunks = {10}}).persist();
  const auto y = ash::map_blocks([](ash::ndarray<const double> in) { return in.copy(); }, x);
  CHECK(y.explain(ash::serial{}).find("read from sources 7.8 KiB") != std::string::npos);
  CHECK(y(ash::slice{0, 100}).explain(ash::serial{}).find("read from sources 800 B") != std::string::npos);
}
