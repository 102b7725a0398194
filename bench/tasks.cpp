// Nanoseconds a task, in graphs whose tasks do nothing (or spin for a microsecond): Ashlar's loop beside oneTBB's
// task_group and flow graph and, when its headers are given (-DASHLAR_BENCH_TASKFLOW=folder), Taskflow. Contenders take
// turns in rounds; every run is checked to have run every task. Prints the table of bench/README.md.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <malloc.h>

#include <tbb/flow_graph.h>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#if __has_include(<taskflow/taskflow.hpp>)
#define BENCH_TASKFLOW
#include <taskflow/taskflow.hpp>
#endif

#include <ashlar/execution/graph_job.hpp>
#include <ashlar/threads.hpp>

namespace {

using clock_type = std::chrono::steady_clock;
using edge_list = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

double seconds_since(clock_type::time_point begin) {
  return std::chrono::duration<double>(clock_type::now() - begin).count();
}

std::int64_t spin_ns = 0;

struct alignas(64) lane_count {
  std::uint64_t tasks = 0;
};

/// What every task of every contender does.
void body(void* counter) {
  ++static_cast<lane_count*>(counter)->tasks;
  if (spin_ns == 0) return;
  const auto end = clock_type::now() + std::chrono::nanoseconds(spin_ns);
  while (clock_type::now() < end) {
  }
}

std::uint64_t total(const std::vector<lane_count>& counts) {
  std::uint64_t n = 0;
  for (const lane_count& c : counts) n += c.tasks;
  return n;
}

struct shape_of_graph {
  std::string name;
  std::uint32_t tasks = 0;
  edge_list edges;
};

std::vector<shape_of_graph> shapes(std::uint32_t n) {
  shape_of_graph chain{"chain", n, {}};
  shape_of_graph wide{"wide", n, {}};
  shape_of_graph tree{"binary tree", n / 2, {}};
  shape_of_graph wave{"wavefront", 0, {}};
  shape_of_graph random{"random", n, {}};
  for (std::uint32_t i = 1; i < n; ++i) chain.edges.push_back({i - 1, i});
  for (std::uint32_t i = 1; i + 1 < n; ++i) {
    wide.edges.push_back({0, i});
    wide.edges.push_back({i, n - 1});
  }
  for (std::uint32_t base = 0, width = n / 2; width > 1; base += width, width = (width + 1) / 2) {
    for (std::uint32_t i = 0; i < width; ++i) tree.edges.push_back({base + i, base + width + i / 2});
    tree.tasks += (width + 1) / 2;
  }
  const auto side = static_cast<std::uint32_t>(std::sqrt(n));
  wave.tasks = side * side;
  for (std::uint32_t i = 0; i < side; ++i) {
    for (std::uint32_t j = 0; j < side; ++j) {
      if (j + 1 < side) wave.edges.push_back({i * side + j, i * side + j + 1});
      if (i + 1 < side) wave.edges.push_back({i * side + j, (i + 1) * side + j});
    }
  }
  std::uint64_t state = 1;
  for (std::uint32_t i = 1; i < n; ++i) {
    for (int k = 0; k < 2; ++k) {
      state = state * 6364136223846793005ull + 1442695040888963407ull;
      random.edges.push_back({i - 1 - static_cast<std::uint32_t>(state >> 33) % std::min(i, 1000u), i});
    }
  }
  return {chain, wide, tree, wave, random};
}

/// Bytes in use on the heap.
double heap_bytes() {
  const struct mallinfo2 m = ::mallinfo2();
  return static_cast<double>(m.uordblks + m.hblkhd);
}

/// Builds a graph once a round and runs it once.
class contender {
 public:
  explicit contender(std::string title) : name(std::move(title)) {}
  virtual ~contender() = default;
  virtual void build(const shape_of_graph& shape) = 0;
  virtual void run() = 0;
  virtual void clear() = 0;
  virtual std::uint64_t ran() const = 0;

  std::string name;
  std::vector<double> build_ns, run_ns, bytes;
};

class ashlar_graph final : public contender {
 public:
  explicit ashlar_graph(int threads)
      : contender("Ashlar"), counts_(static_cast<std::size_t>(threads)), threads_(threads) {}

  void build(const shape_of_graph& shape) override {
    ashlar::detail::task_graph_builder b;
    b.reserve(shape.tasks, shape.edges.size());
    for (std::uint32_t t = 0; t < shape.tasks; ++t) b.add_task();
    for (const auto& [from, to] : shape.edges) b.add_edge(from, to);
    graph_ = std::move(b).freeze();
    calls_.calls.assign(shape.tasks, &body);
    calls_.counts = counts_.data();
  }
  void run() override {
    ashlar::detail::graph_job<call_table> work(graph_, calls_, threads_);
    ashlar::threads{.workers = threads_}.execute(work);
    work.rethrow();
  }
  void clear() override {
    graph_ = {};
    calls_ = {};
    counts_.assign(counts_.size(), {});
  }
  std::uint64_t ran() const override { return total(counts_); }

 private:
  /// A pointer to a function for each task, as plans have one for each layer.
  struct call_table {
    std::vector<void (*)(void*)> calls;
    lane_count* counts = nullptr;
    void run(int lane, std::uint32_t task) { calls[task](counts + lane); }
  };
  std::vector<lane_count> counts_;
  int threads_;
  ashlar::detail::task_graph graph_;
  call_table calls_;
};

lane_count& my_count(std::vector<lane_count>& counts) {
  const int slot = tbb::this_task_arena::current_thread_index();
  return counts[slot < 0 ? 0 : static_cast<std::size_t>(slot) % counts.size()];
}

/// Counters of joins by hand, tasks by task_group::run, the first successor run on.
class tbb_task_group final : public contender {
 public:
  explicit tbb_task_group(int threads)
      : contender("TBB task_group"), counts_(static_cast<std::size_t>(threads)), arena_(threads) {}

  void build(const shape_of_graph& shape) override {
    begin_.assign(shape.tasks + 1, 0);
    waits_.assign(shape.tasks, 0);
    for (const auto& [from, to] : shape.edges) {
      ++begin_[from + 1];
      ++waits_[to];
    }
    for (std::uint32_t t = 0; t < shape.tasks; ++t) begin_[t + 1] += begin_[t];
    successors_.resize(shape.edges.size());
    std::vector<std::uint32_t> next(begin_.begin(), begin_.end() - 1);
    for (const auto& [from, to] : shape.edges) successors_[next[from]++] = to;
    pending_ = std::vector<std::atomic<std::uint32_t>>(shape.tasks);
  }
  void run() override {
    for (std::size_t t = 0; t < waits_.size(); ++t) pending_[t].store(waits_[t], std::memory_order_relaxed);
    arena_.execute([this] {
      tbb::task_group group;
      for (std::uint32_t t = 0; t < waits_.size(); ++t) {
        if (waits_[t] == 0) group.run([this, t, &group] { from(t, group); });
      }
      group.wait();
    });
  }
  void clear() override { counts_.assign(counts_.size(), {}); }
  std::uint64_t ran() const override { return total(counts_); }

 private:
  void from(std::uint32_t t, tbb::task_group& group) {
    lane_count& mine = my_count(counts_);
    for (bool more = true; more;) {
      body(&mine);
      more = false;
      std::uint32_t next = 0;
      for (std::uint32_t e = begin_[t]; e < begin_[t + 1]; ++e) {
        const std::uint32_t s = successors_[e];
        if (pending_[s].fetch_sub(1, std::memory_order_acq_rel) != 1) continue;
        if (!more) {
          more = true;
          next = s;
        } else {
          group.run([this, s, &group] { from(s, group); });
        }
      }
      t = next;
    }
  }

  std::vector<lane_count> counts_;
  tbb::task_arena arena_;
  std::vector<std::uint32_t> begin_, successors_, waits_;
  std::vector<std::atomic<std::uint32_t>> pending_;
};

class tbb_flow_graph final : public contender {
 public:
  explicit tbb_flow_graph(int threads) : contender("TBB flow graph"), counts_(static_cast<std::size_t>(threads)) {}

  void build(const shape_of_graph& shape) override {
    using node = tbb::flow::continue_node<tbb::flow::continue_msg>;
    graph_ = std::make_unique<tbb::flow::graph>();
    nodes_.reserve(shape.tasks);
    std::vector<char> root(shape.tasks, 1);
    for (std::uint32_t t = 0; t < shape.tasks; ++t) {
      nodes_.push_back(
          std::make_unique<node>(*graph_, [this](const tbb::flow::continue_msg&) { body(&my_count(counts_)); }));
    }
    for (const auto& [from, to] : shape.edges) {
      tbb::flow::make_edge(*nodes_[from], *nodes_[to]);
      root[to] = 0;
    }
    for (std::uint32_t t = 0; t < shape.tasks; ++t) {
      if (root[t] != 0) roots_.push_back(t);
    }
  }
  void run() override {
    for (const std::uint32_t t : roots_) nodes_[t]->try_put(tbb::flow::continue_msg());
    graph_->wait_for_all();
  }
  void clear() override {
    nodes_.clear();
    roots_.clear();
    graph_.reset();
    counts_.assign(counts_.size(), {});
  }
  std::uint64_t ran() const override { return total(counts_); }

 private:
  std::vector<lane_count> counts_;
  std::unique_ptr<tbb::flow::graph> graph_;
  std::vector<std::unique_ptr<tbb::flow::continue_node<tbb::flow::continue_msg>>> nodes_;
  std::vector<std::uint32_t> roots_;
};

#if defined(BENCH_TASKFLOW)
class taskflow final : public contender {
 public:
  explicit taskflow(int threads)
      : contender("Taskflow"),
        counts_(static_cast<std::size_t>(threads)),
        executor_(static_cast<std::size_t>(threads)) {}

  void build(const shape_of_graph& shape) override {
    flow_ = std::make_unique<tf::Taskflow>();
    std::vector<tf::Task> tasks(shape.tasks);
    for (tf::Task& t : tasks) {
      t = flow_->emplace([this] { body(&counts_[static_cast<std::size_t>(executor_.this_worker_id())]); });
    }
    for (const auto& [from, to] : shape.edges) tasks[from].precede(tasks[to]);
  }
  void run() override { executor_.run(*flow_).wait(); }
  void clear() override {
    flow_.reset();
    counts_.assign(counts_.size(), {});
  }
  std::uint64_t ran() const override { return total(counts_); }

 private:
  std::vector<lane_count> counts_;
  tf::Executor executor_;
  std::unique_ptr<tf::Taskflow> flow_;
};
#endif

struct spread {
  double median, low, high;
};

spread of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return {values[values.size() / 2], values.front(), values.back()};
}

/// One round: build, a first run that is not counted, a run that is.
bool measure(contender& c, const shape_of_graph& shape) {
  const double heap = heap_bytes();
  auto begin = clock_type::now();
  c.build(shape);
  c.build_ns.push_back(seconds_since(begin) * 1e9 / shape.tasks);
  c.bytes.push_back((heap_bytes() - heap) / shape.tasks);
  c.run();
  begin = clock_type::now();
  c.run();
  c.run_ns.push_back(seconds_since(begin) * 1e9 / shape.tasks);
  const bool all = c.ran() == 2 * std::uint64_t{shape.tasks};
  c.clear();
  return all;
}

std::vector<std::unique_ptr<contender>> contenders(int threads) {
  std::vector<std::unique_ptr<contender>> all;
  all.push_back(std::make_unique<ashlar_graph>(threads));
  all.push_back(std::make_unique<tbb_task_group>(threads));
  all.push_back(std::make_unique<tbb_flow_graph>(threads));
#if defined(BENCH_TASKFLOW)
  all.push_back(std::make_unique<taskflow>(threads));
#endif
  return all;
}

}  // namespace

// usage: bench_tasks [tasks [threads [rounds]]]
int main(int argc, char** argv) {
  const auto tasks = static_cast<std::uint32_t>(argc > 1 ? std::atol(argv[1]) : 1000000);
  const int threads = argc > 2 ? std::atoi(argv[2]) : 2;
  const int rounds = argc > 3 ? std::atoi(argv[3]) : 7;
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(threads));
  std::printf("ns a task (median [range] of %d rounds), %u tasks, %d threads\n", rounds, tasks, threads);
  bool good = true;
  for (const std::int64_t spin : {std::int64_t{0}, std::int64_t{1000}}) {
    spin_ns = spin;
    for (const shape_of_graph& shape : shapes(spin == 0 ? tasks : tasks / 5)) {
      const auto all = contenders(threads);
      for (int round = 0; round < rounds; ++round) {
        for (const auto& c : all) {
          if (measure(*c, shape)) continue;
          std::printf("%s did not run every task of %s\n", c->name.c_str(), shape.name.c_str());
          good = false;
        }
      }
      std::printf("| %s%s", shape.name.c_str(), spin == 0 ? "" : ", 1 us a task");
      for (const auto& c : all) {
        const spread r = of(c->run_ns);
        std::printf(" | %s %.1f [%.1f-%.1f]", c->name.c_str(), r.median, r.low, r.high);
        if (spin == 0 && c->name != "TBB task_group") {
          std::printf(", build %.0f, %.0f B", of(c->build_ns).median, of(c->bytes).median);
        }
      }
      std::printf(" |\n");
      std::fflush(stdout);
    }
  }
  return good ? 0 : 1;
}
