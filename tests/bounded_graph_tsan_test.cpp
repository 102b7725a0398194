// Random graphs within random budgets: every task once and after its inputs, blocks with what was written into them,
// bytes within the budget at every moment. Runs under the thread sanitizer too.
#include <doctest/doctest.h>

#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <ashlar/execution/bounded_job.hpp>
#include <ashlar/execution/executor.hpp>
#include <ashlar/graph/finish.hpp>
#include <ashlar/std_threads.hpp>
#include <support/counting_resource.hpp>

namespace ash = ashlar;
namespace detail = ashlar::detail;

namespace {

struct dice {
  std::uint64_t state;
  int operator()(int n) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return static_cast<int>(state >> 33) % n;
  }
};

/// Up to 80 tasks with up to 6 inputs each, near ones more often than far ones; blocks of 0 bytes to 4 KiB.
std::shared_ptr<detail::plan> random_plan(dice& d, int lanes) {
  auto p = std::make_shared<detail::plan>();
  p->lanes = lanes;
  const int n = 1 + d(80);
  const int reach = 1 + d(20);
  const int most_inputs = 1 + d(6);
  detail::layer l;
  l.name = "random";
  l.task_count = n;
  p->layers.push_back(l);
  p->pred_begin.push_back(0);
  for (int t = 0; t < n; ++t) {
    p->layer_of.push_back(0);
    const std::size_t begin = p->pred.size();
    for (int k = t == 0 ? 0 : d(most_inputs + 1); k > 0; --k) {
      const int back = d(5) == 0 ? 1 + d(t) : 1 + d(t < reach ? t : reach);
      const auto input = static_cast<std::uint32_t>(t - back);
      bool known = false;
      for (std::size_t e = begin; e < p->pred.size(); ++e) known = known || p->pred[e] == input;
      if (!known) p->pred.push_back(input);
    }
    p->pred_begin.push_back(static_cast<std::int64_t>(p->pred.size()));
    p->chunk_bytes.push_back(d(8) == 0 ? 0 : 64 * (1 + d(64)));
  }
  detail::finish_plan(*p);
  return p;
}

/// Fills each block with the task's number, looks at every byte of the inputs, and lets go of them.
class checking_body {
 public:
  checking_body(detail::run_state& run, int bad_task)
      : run_(run), runs_(std::make_unique<std::atomic<int>[]>(run.plan().tasks())), bad_task_(bad_task) {}

  void run(int, std::uint32_t task) {
    const detail::plan& p = run_.plan();
    if (static_cast<int>(task) == bad_task_) throw std::runtime_error("on purpose");
    const auto bytes = static_cast<std::size_t>(p.chunk_bytes[task]);
    if (bytes > 0) {
      void* const block = run_.resource().allocate(bytes);
      run_.set_chunk(task, block);
      std::memset(block, static_cast<int>(task % 251), bytes);
    }
    for_inputs(task, [&](std::uint32_t from) {
      const auto* const block = static_cast<const unsigned char*>(run_.chunk(from));
      bool right = runs_[from].load() == 1 && (block != nullptr || p.chunk_bytes[from] == 0);
      for (std::int64_t k = 0; right && k < p.chunk_bytes[from]; ++k) right = block[k] == from % 251;
      if (!right) wrong_.store(true);
    });
    ++runs_[task];
    for_inputs(task, [&](std::uint32_t from) {
      if (run_.drop_use(from)) let_go(from);
    });
    if (p.graph.succ_begin[task] == p.graph.succ_begin[task + 1]) let_go(task);
  }

  std::string describe(std::uint32_t task) const { return "task " + std::to_string(task); }

  bool right() const {
    bool once = !wrong_.load();
    for (std::uint32_t t = 0; t < run_.plan().tasks(); ++t) once = once && runs_[t].load() == 1;
    return once;
  }

 private:
  template <class F>
  void for_inputs(std::uint32_t task, F f) const {
    const detail::plan& p = run_.plan();
    for (std::int64_t e = p.pred_begin[task]; e < p.pred_begin[task + 1]; ++e) {
      f(p.pred[static_cast<std::size_t>(e)]);
    }
  }

  void let_go(std::uint32_t task) {
    if (run_.chunk(task) == nullptr) return;
    run_.resource().release(run_.detach_chunk(task), static_cast<std::size_t>(run_.plan().chunk_bytes[task]));
  }

  detail::run_state& run_;
  std::unique_ptr<std::atomic<int>[]> runs_;
  std::atomic<bool> wrong_{false};
  int bad_task_;
};

struct outcome {
  bool right = false;
  bool threw = false;
  detail::bounded_counts counts;
  std::int64_t peak = 0;
  std::int64_t left = 0;
};

outcome run_graph(const std::shared_ptr<const detail::plan>& p, const detail::run_budget& budget, int bad_task = -1) {
  outcome o;
  ash::test::counting_resource memory;
  {
    detail::run_state run(p, {}, {}, memory);
    checking_body body(run, bad_task);
    detail::bounded_job<checking_body> work(run, body, budget);
    try {
      detail::run_job(detail::ref(ash::std_threads{.workers = budget.lanes}), work, p->tasks(), {});
    } catch (const std::runtime_error&) {
      o.threw = true;
    }
    o.right = body.right() && work.done() == static_cast<std::int64_t>(p->tasks());
    o.counts = work.counts();
  }
  o.peak = static_cast<std::int64_t>(memory.peak());
  o.left = static_cast<std::int64_t>(memory.allocated());
  return o;
}

}  // namespace

TEST_CASE("the order of random graphs is one, and no worse than depth first by much") {
  std::int64_t ours = 0;
  std::int64_t plain = 0;
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    dice d{seed * 77};
    const auto p = random_plan(d, 1);
    std::vector<char> placed(p->tasks(), 0);
    bool right = p->order.size() == p->tasks();
    for (const std::uint32_t t : p->order) {
      right = right && placed[t] == 0;
      placed[t] = 1;
      for (std::int64_t e = p->pred_begin[t]; e < p->pred_begin[t + 1]; ++e) {
        right = right && placed[p->pred[static_cast<std::size_t>(e)]] != 0;
      }
    }
    CAPTURE(seed);
    REQUIRE(right);
    CHECK(p->stats.serial_bytes >= detail::largest_working_set(*p).bytes);
    ours += p->stats.serial_bytes;
    detail::plan again = *p;
    detail::make_order(again, {.by_weight = false, .pull_forward = false});
    plain += detail::simulate_peak(again);
  }
  CHECK(ours < plain);
}

TEST_CASE("random graphs within random budgets") {
  int spilled = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    dice d{seed * 1009};
    const int lanes = 1 + d(4);
    const auto p = random_plan(d, lanes);
    const std::int64_t serial = p->stats.serial_bytes;
    const std::int64_t own = detail::largest_working_set(*p).bytes;
    const std::int64_t between = own + (serial - own) * d(100) / 100;
    for (const std::int64_t blocks : {own, between, serial, serial + 1000, serial * lanes}) {
      const auto mode = blocks < serial ? detail::run_mode::spilling : detail::run_mode::bounded;
      const outcome o = run_graph(p, {mode, lanes, blocks, 0});
      CAPTURE(seed);
      CAPTURE(blocks);
      REQUIRE(o.right);
      CHECK_FALSE(o.threw);
      CHECK(o.peak <= blocks);
      CHECK(o.counts.peak_bytes <= blocks);
      CHECK(o.left == 0);
      if (o.counts.blocks_written > 0) ++spilled;
      CHECK((mode == detail::run_mode::spilling || o.counts.blocks_written == 0));
    }
  }
  CHECK(spilled > 100);
}

TEST_CASE("a task that throws in a random graph within a budget leaves nothing") {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    dice d{seed * 31337};
    const int lanes = 1 + d(3);
    const auto p = random_plan(d, lanes);
    const std::int64_t own = detail::largest_working_set(*p).bytes;
    const bool spills = d(2) == 0 && own < p->stats.serial_bytes;
    const int bad = d(static_cast<int>(p->tasks()));
    const outcome o = run_graph(p,
                                {spills ? detail::run_mode::spilling : detail::run_mode::bounded, lanes,
                                 spills ? own : p->stats.serial_bytes, 0},
                                bad);
    CAPTURE(seed);
    CHECK(o.threw);
    CHECK(o.left == 0);
  }
}
