#include <doctest/doctest.h>

#include <atomic>
#include <stdexcept>
#include <string>

#include <ashlar/ashlar.hpp>
#include <ashlar/graph/explain.hpp>
#include <ashlar/graph/lower.hpp>

namespace ash = ashlar;

namespace {

int count_of(const std::string& text, const std::string& word) {
  int n = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++n;
  return n;
}

int layers_in(const std::string& text) {
  return count_of(text, "layer ") - count_of(text, "from layer ") - count_of(text, "reads layer ") -
         count_of(text, ", layer ");
}

ash::array<double> grid(int rows, int columns) {
  return ash::from(ash::arange<double>(rows * columns).compute(ash::serial{}).reshape({rows, columns}),
                   {.chunks = {rows / 4, columns / 4}});
}

std::shared_ptr<const ash::detail::plan> plan_of(std::vector<ash::detail::node_ptr> roots, int lanes = 2) {
  return ash::detail::make_plan(std::move(roots), lanes);
}

}  // namespace

TEST_CASE("explain names layers, tasks, bytes and workers") {
  const auto x = grid(400, 400);
  const std::string text = x.mean(0).explain();
  CAPTURE(text);
  CHECK(layers_in(text) == 2);
  CHECK(text.find("partial mean") != std::string::npos);
  CHECK(text.find("16 tasks") != std::string::npos);
  CHECK(text.find("combine mean") != std::string::npos);
  CHECK(text.find("memory (400, 400)") != std::string::npos);
  CHECK(text.find("predicted peak") != std::string::npos);
  CHECK(text.find("worker") != std::string::npos);
  CHECK(plan_of({x.mean(0).node()})->tasks() == 20);
}

TEST_CASE("reductions of the same data over the same axes share one pass") {
  const auto x = grid(400, 400);
  const std::string text = ash::explain(x.mean(0), x.std(0), x.min(0), x.max(0));
  CAPTURE(text);
  CHECK(layers_in(text) == 2);
  const auto p = plan_of({x.mean(0).node(), x.std(0).node(), x.min(0).node(), x.max(0).node()});
  CHECK(p->layers.size() == 2);
  CHECK(p->layers[0].reducers.size() == 3);  // the mean is in the moments
  CHECK(plan_of({x.std(0).node(), x.mean(0).node(), x.var(0).node()})->layers[0].reducers.size() == 1);
  CHECK(plan_of({x.mean(0).node(), x.sum(0).node(), x.std(0).node()})->layers[0].reducers.size() == 1);
}

TEST_CASE("reductions over other axes, other data or with other fan-ins have passes of their own") {
  const auto x = grid(400, 400);
  const auto y = grid(400, 404);
  CHECK(plan_of({x.mean(0).node(), x.mean(1).node()})->layers.size() == 4);
  CHECK(plan_of({x.mean(0).node(), y.mean(0).node()})->layers.size() == 4);
  CHECK(plan_of({x.mean(0).node(), x.mean(0, {.split_every = 2}).node()})->layers.size() == 5);
}

TEST_CASE("extrema of one expression share its pass, and what two expressions have in common is computed once") {
  const auto x = grid(400, 400);
  std::atomic<std::int64_t> calls{0};
  const ash::array<double> z = ash::map(
      [&calls](double v) {
        ++calls;
        return v * 2;
      },
      x);
  const auto [low, high] = ash::compute(ash::std_threads{.workers = 2}, z.min(), z.max());
  CHECK(low.item() == 0);
  CHECK(high.item() == 2.0 * (400 * 400 - 1));
  CHECK(calls >= 400 * 400);
  CHECK(calls < 400 * 400 + 400 * 128);  // tiles at the ends of rows are padded
  const ash::array<double> a = sqrt(x + 1.0);
  const ash::array<double> b = sqrt(x + 1.0);
  const auto p = plan_of({(a * 2.0).sum().node(), (b * 3.0).sum().node()});
  CHECK(p->layers.size() == 3);                // one pass, then combined along each axis
  CHECK(p->layers[0].tape.steps.size() == 3);  // sqrt(x + 1) once, and the two products
  CHECK(p->layers[0].reducers.size() == 2);
}

TEST_CASE("a user's function is never taken for another") {
  const auto x = grid(40, 40);
  double factor = 2;
  const auto twice = [factor](double v) { return v * factor; };
  factor = 3;
  const auto make = [](double f) { return [f](double v) { return v * f; }; };
  const ash::array<double> a = ash::map(make(2), x);
  const ash::array<double> b = ash::map(make(3), x);
  const auto [sum_a, sum_b, sum_c] = ash::compute(ash::serial{}, a.sum(), b.sum(), ash::map(twice, x).sum());
  CHECK(sum_b.item() == 1.5 * sum_a.item());
  CHECK(sum_c.item() == sum_a.item());
}

TEST_CASE("results that are equal are computed once and given twice") {
  const auto x = grid(40, 40);
  const auto p = plan_of({x.sum(0).node(), x.sum(0).node(), (x + 1.0).node(std::source_location::current()),
                          (x + 1.0).node(std::source_location::current())});
  CHECK(p->roots == 2);
  const auto [a, b, c, d] = ash::compute(ash::threads{.workers = 2}, x.sum(0), x.sum(0), x + 1.0, x + 1.0);
  CHECK(ash::array_equal(a, b));
  CHECK(a.data() != b.data());
  CHECK(ash::array_equal(c, d));
  CHECK(c(39, 39) == 1600);
}

TEST_CASE("any number of reductions may be asked for at once") {
  const auto x = grid(40, 40);
  std::vector<ash::array<double>> results;
  for (int k = 0; k < 100; ++k) results.push_back((x + static_cast<double>(k)).max(k % 2));
  for (int k = 0; k < 20; ++k) results.push_back(ash::array<double>(x * static_cast<double>(k)));
  for (int k = 0; k < 20; ++k) results.push_back(results[static_cast<std::size_t>(100 + k)].sum(0));
  std::vector<ash::ndarray<double>> out;
  std::vector<ash::detail::node_ptr> nodes;
  std::vector<ash::detail::result_target> targets;
  for (const auto& r : results) {
    nodes.push_back(r.node());
    out.emplace_back(r.shape());
    targets.push_back({out.back().data(), out.back().strides()});
  }
  ash::detail::compute_into_targets(ash::detail::ref(ash::std_threads{.workers = 3}), nodes, targets, {});
  bool right = true;
  for (std::size_t k = 0; k < 100; ++k) {
    right = right && out[k](0) == (k % 2 == 0 ? 1560.0 : 39.0) + static_cast<double>(k);
  }
  for (std::size_t k = 0; k < 20; ++k) {
    right = right && out[100 + k](39, 39) == 1599.0 * static_cast<double>(k) &&
            out[120 + k](0) == 31200.0 * static_cast<double>(k);
  }
  CHECK(right);
}

TEST_CASE("every task comes after its inputs in the order, and each once") {
  const auto x = grid(64, 64);
  const ash::array<double> z = (x - x.mean(0)) / x.std(0);
  const auto p = plan_of({z.max(1).node(), z.node(), z.sum().node()});
  std::vector<char> done(p->tasks(), 0);
  bool right = p->order.size() == p->tasks();
  for (const std::uint32_t t : p->order) {
    right = right && done[t] == 0;
    done[t] = 1;
    for (std::int64_t e = p->pred_begin[t]; e < p->pred_begin[t + 1]; ++e)
      right = right && done[p->pred[static_cast<std::size_t>(e)]] != 0;
  }
  CHECK(right);
}

TEST_CASE("blocks are freed at their last use: after a run the memory is what it was") {
  const auto x = grid(400, 400);
  const ash::array<double> z = (x - x.mean(0)) / x.std(0);
  const std::size_t before = ash::host_memory().allocated();
  {
    const auto [a, b] = ash::compute(ash::threads{.workers = 2}, z.sum(1), z.max());
    CHECK(ash::host_memory().allocated() == before + 400 * 8 + 8);
  }
  CHECK(ash::host_memory().allocated() == before);
  {
    const auto kept = z.persist(ash::std_threads{.workers = 2});
    CHECK(ash::host_memory().allocated() == before + 400 * 400 * 8);
  }
  CHECK(ash::host_memory().allocated() == before);
}

TEST_CASE("an error leaves no live bytes, and its text says where it happened") {
  const auto x = grid(400, 400);
  const std::size_t before = ash::host_memory().allocated();
  const auto broken = ash::map(
      [](double v) -> double {
        if (v == 12345) throw std::runtime_error("no such number");
        return v;
      },
      x);
  const ash::array<double> kept = broken;
  for (const int workers : {1, 2, 3}) {
    const ash::std_threads on{.workers = workers};
    CHECK_THROWS_WITH_AS((kept - kept.mean(0)).sum().compute(on), doctest::Contains("no such number"), ash::task_error);
    CHECK_THROWS_WITH_AS(kept.persist(on), doctest::Contains("plan_test.cpp"), ash::task_error);
    CHECK(ash::host_memory().allocated() == before);
  }
  try {
    kept.sum(0).compute(ash::serial{});
    FAIL("must throw");
  } catch (const ash::task_error& e) {
    CHECK_THROWS_WITH_AS(std::rethrow_if_nested(e), "no such number", std::runtime_error);
  }
}

TEST_CASE("the predicted peak is an upper bound of what a run takes") {
  const auto generated = ash::random::normal<double>({2000, 2000}, {.chunks = {250, 250}});
  const auto stored = grid(800, 800);
  const ash::array<double> z = (generated - generated.mean(0)) / generated.std(0);
  const ash::array<double> heavy = ash::map([](double v) { return v + 1; }, stored);
  const std::vector<std::vector<ash::detail::node_ptr>> cases = {{generated.mean(0).node()},
                                                                 {z.sum().node()},
                                                                 {stored.std(1).node(), stored.max(1).node()},
                                                                 {heavy.sum(0).node(), heavy.sum(1).node()},
                                                                 {(heavy + heavy.mean(0)).std().node()}};
  for (std::size_t k = 0; k < cases.size(); ++k) {
    for (const int lanes : {1, 2}) {
      const auto p = plan_of(cases[k], lanes);
      std::vector<ash::detail::result_target> targets;
      std::vector<ash::ndarray<double>> out;
      for (const auto& n : cases[k]) {
        out.emplace_back(n->shape);
        targets.push_back({out.back().data(), out.back().strides()});
      }
      const std::size_t before = ash::host_memory().allocated();
      ash::host_memory().reset_peak();
      ash::detail::compute_into_targets(ash::detail::ref(ash::std_threads{.workers = lanes}), cases[k], targets, {});
      const auto used = static_cast<std::int64_t>(ash::host_memory().peak() - before);
      CAPTURE(k);
      CAPTURE(lanes);
      CAPTURE(ash::detail::layers_text(*p));
      CHECK(used <= p->stats.block_bytes + p->stats.scratch_bytes);
      CHECK(p->stats.block_bytes + p->stats.scratch_bytes < 64 << 20);
    }
  }
}

TEST_CASE("a plan beyond memory_limit is refused before it runs, and the text names what it would need") {
  const auto x = ash::random::normal<double>({2000, 2000}, {.chunks = {500, 500}});
  std::atomic<int> calls{0};
  const ash::array<double> y = ash::map(
      [&calls](double v) {
        ++calls;
        return v;
      },
      x);
  const auto both = (y - y.mean(0)).sum();
  CHECK_THROWS_WITH_AS(both.compute(ash::serial{.memory_limit = 1000}), doctest::Contains("memory_limit is 1000"),
                       ash::memory_error);
  CHECK_THROWS_WITH_AS(both.compute(ash::threads{.workers = 2, .memory_limit = 4096}),
                       doctest::Contains("plan_test.cpp"), ash::memory_error);
  CHECK(calls == 0);
  CHECK(ash::ones<double>({1000}).sum().compute(ash::serial{.memory_limit = 64 << 20}).item() == 1000);
}

TEST_CASE("the peak of a reduction does not grow with the number of blocks") {
  const auto x = ash::arange<double>(0, 20'000'000, 1, {.chunks = 10'000});
  ash::host_memory().reset_peak();
  const std::size_t before = ash::host_memory().allocated();
  CHECK((x * x).sum().compute(ash::threads{.workers = 2}).item() == doctest::Approx(2.66666646666667e21));
  CHECK(ash::host_memory().peak() - before < 4u << 20);
}

TEST_CASE("the source bytes that a plan reads are those of its memory leaves") {
  const auto x = grid(400, 400);
  CHECK(plan_of({x.mean(0).node()})->stats.source_bytes == 400 * 400 * 8);
  CHECK(plan_of({x.mean(0).node(), x.max(0).node()})->stats.source_bytes == 400 * 400 * 8);
  CHECK(plan_of({ash::arange<double>(1000).sum().node()})->stats.source_bytes == 0);
}

TEST_CASE("plan: more tasks than a plan holds are an error at once, which names the layer") {
  const std::int64_t n = std::int64_t{1} << 40;
  const auto x = ash::ones<double>({n}, {.chunks = {1}});
  const auto explained = [](const auto& a) { static_cast<void>(a.explain()); };
  CHECK_THROWS_WITH_AS(explained(x), doctest::Contains("ones, from "), ash::chunk_error);
  CHECK_THROWS_WITH_AS(explained(x + 1.0), doctest::Contains("(1099511627776,)"), ash::chunk_error);
  CHECK_THROWS_AS(explained(ash::ones<double>({n, 1 << 20}, {.chunks = {1}})), ash::chunk_error);
  CHECK_THROWS_AS(static_cast<void>(x.persist(ash::serial{})), ash::chunk_error);
  const auto by = [&](std::int64_t block) { return ash::ones<double>({n}, {.chunks = {block}}); };
  CHECK_THROWS_WITH_AS(explained(by(2) + by(3)), doctest::Contains("use larger chunks"), ash::chunk_error);
}
