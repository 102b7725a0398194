/// \file
/// The loop of lanes over a frozen graph of tasks: the one scheduler of static work.
///
/// A lane goes depth first: after a task it runs on with the first choice among the successors that became ready and
/// puts the others on its own queue; then the newest of that queue; then what it can steal, the oldest of another lane,
/// which is the widest part of the graph that the other has not touched. Three things keep a task at a few nanoseconds:
///
/// - No allocation: queues hold numbers, counters stand in one array.
/// - A fan-out (and all roots together) is one entry that is split on demand, in halves for thieves and in pieces for
///   the owner. A piece is one task at first and grows while pieces are done in microseconds; whatever is left of it is
///   put back as soon as another lane looks for work, so a piece of long tasks is not kept from others.
/// - Neighbours in a range that lead to one and the same task decrement its counter together. The next task of the
///   range has to end before that one can start anyway, so nothing is held up.
///
/// Only sinks (tasks without successors) are counted to find the end, lane by lane: no counter is shared by all tasks.
/// What is measured, and against what: bench/README.md.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <utility>

#include <ashlar/execution/job.hpp>
#include <ashlar/execution/lane_gate.hpp>
#include <ashlar/execution/lane_policy.hpp>
#include <ashlar/execution/work_queue.hpp>
#include <ashlar/execution/worker_seat.hpp>
#include <ashlar/graph/task_graph.hpp>

namespace ashlar::detail {

/// `Body` has `void run(int lane, std::uint32_t task)`; what it throws ends the job. With `std::string
/// describe(std::uint32_t task) const` its tasks have names. The graph and the body outlive the job.
template <class Body, class Policy = lane_policy>
class graph_job final : public job {
 public:
  /// With one lane and an `order` (all tasks, each after those that it waits for) that order is followed exactly.
  graph_job(const task_graph& graph, Body& body, int lane_count, const std::uint32_t* order = nullptr)
      : graph_(graph),
        body_(body),
        lane_count_(lane_count),
        order_(lane_count == 1 ? order : nullptr),
        gate_(lane_count),
        lanes_(std::make_unique<lane_state[]>(static_cast<std::size_t>(lane_count))) {
    const std::uint32_t n = graph.tasks();
    if (order_ == nullptr) {
      pending_ = std::make_unique_for_overwrite<counter[]>(n);
      for (std::uint32_t t = 0; t < n; ++t) pending_[t].store(graph.waits[t], std::memory_order_relaxed);
    }
    sinks_left_.store(graph.sinks, std::memory_order_relaxed);
    if (n == 0) {
      set_finished();
    } else if (order_ == nullptr) {
      lanes_[0].queue.push({graph.edges(), graph.edges() + graph.roots});
    }
  }

  int lanes() const noexcept override { return lane_count_; }

  std::int64_t done() const noexcept override {
    std::int64_t n = 0;
    for (int i = 0; i < lane_count_; ++i) n += lanes_[static_cast<std::size_t>(i)].done.load(std::memory_order_relaxed);
    return n;
  }

  std::string describe() const override {
    std::string text = std::to_string(done()) + " of " + std::to_string(graph_.tasks()) + " tasks done";
    for (int i = 0; i < lane_count_; ++i) {
      const std::uint32_t task = lanes_[static_cast<std::size_t>(i)].current.load(std::memory_order_relaxed);
      if (task == no_task) continue;
      text += "; lane " + std::to_string(i) + " runs ";
      if constexpr (requires { body_.describe(task); }) {
        text += body_.describe(task);
      } else {
        text += "task " + std::to_string(task);
      }
    }
    return text;
  }

  void run_lane(int number, lane_host& host) noexcept override {
    const job_scope scope(*this);
    try {
      if (order_ != nullptr) {
        follow_order(number);
      } else {
        work(number, host);
      }
    } catch (...) {
      fail(std::current_exception());
    }
    if (finished() || stopping()) host.finish();
  }

 private:
  using counter = typename Policy::template atomic<std::uint32_t>;

  static constexpr std::uint32_t largest_piece = 64;
  static constexpr std::uint32_t no_task = 0xffffffff;
  static constexpr int spins = 200;  // rounds over all queues before a lane parks

  struct alignas(64) lane_state {
    work_queue<Policy> queue;
    std::uint32_t piece = 1;  // tasks of a range that are taken at once
    std::uint32_t sinks = 0;  // done and not yet counted by all
    int victim = 0;           // where something was stolen last
    std::atomic<std::uint32_t> current{no_task};
    std::atomic<std::int64_t> done{0};

    void begin_task(std::uint32_t task) noexcept { current.store(task, std::memory_order_relaxed); }

    void end_task() noexcept {
      current.store(no_task, std::memory_order_relaxed);
      done.store(done.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    }
  };

  void follow_order(int number) {
    lane_state& me = lanes_[0];
    for (std::uint32_t k = 0; k < graph_.tasks(); ++k) {
      if (stopping()) return;
      me.begin_task(order_[k]);
      body_.run(number, order_[k]);
      me.end_task();
    }
    set_finished();
  }

  void work(int number, lane_host& host) {
    lane_state& me = lanes_[static_cast<std::size_t>(number)];
    while (!stopping()) {
      work_item item;
      if (me.queue.pop(item)) {
        run_item(me, number, host, item);
        continue;
      }
      if (me.sinks != 0) count_sinks(me);
      if (finished()) return;
      if (find(me, number, item)) {
        run_item(me, number, host, item);
        continue;
      }
      if (!rest(number, host)) return;
    }
  }

  void count_sinks(lane_state& me) noexcept {
    const std::uint32_t n = std::exchange(me.sinks, 0u);
    if (sinks_left_.fetch_sub(n, std::memory_order_acq_rel) == n) set_finished();
  }

  bool find(lane_state& me, int number, work_item& item) noexcept {
    if (lane_count_ == 1) return false;
    searching_.fetch_add(1, std::memory_order_relaxed);
    bool found = false;
    for (int spin = 0; spin < spins && !found && !finished() && !stopping(); ++spin) {
      for (int k = 0, v = me.victim; k < lane_count_; ++k, v = v + 1 == lane_count_ ? 0 : v + 1) {
        if (v == number) continue;
        Policy::point(lane_point::before_steal);
        if (!lanes_[static_cast<std::size_t>(v)].queue.steal(item)) continue;
        me.victim = v;
        found = true;
        break;
      }
      for (int k = 0; k < 4 && !found; ++k) Policy::relax();
    }
    searching_.fetch_sub(1, std::memory_order_relaxed);
    return found;
  }

  /// @returns false when the lane has to leave its thread
  bool rest(int number, lane_host& host) {
    gate_.enter(number);
    Policy::point(lane_point::before_park);
    bool anything = finished() || stopping();
    for (int v = 0; v < lane_count_ && !anything; ++v) anything = !lanes_[static_cast<std::size_t>(v)].queue.empty();
    if (anything && gate_.withdraw(number)) return true;
    const off_seat away;  // lane 0 may be a worker of a pool, and others may wait for what that has to do
    return host.park(number);
  }

  void push(lane_state& me, lane_host& host, work_item item) {
    Policy::point(lane_point::before_push);
    me.queue.push(item);
    if (lane_count_ == 1) return;
    Policy::fence();
    if (!gate_.anyone()) return;
    const int lane = gate_.take();
    if (lane >= 0) host.call(lane);
    Policy::point(lane_point::after_call);
  }

  bool somebody_wants_work() const noexcept { return searching_.load(std::memory_order_relaxed) > 0 || gate_.anyone(); }

  void run_item(lane_state& me, int number, lane_host& host, work_item item) {
    if (item.is_task()) {
      work_item none;
      run_from(me, number, host, item.first, none);
      return;
    }
    const std::uint32_t piece = me.piece;
    while (item.last - item.first > piece) {
      const std::uint32_t half = (item.last - item.first) / 2;
      const std::uint32_t middle = half > piece ? item.first + half : item.first + piece;
      push(me, host, {middle, item.last});
      item.last = middle;
    }
    if (item.last - item.first < piece) {  // an end of a range tells nothing about its tasks
      run_piece(me, number, host, item);
      return;
    }
    const auto begin = std::chrono::steady_clock::now();
    run_piece(me, number, host, item);
    const auto passed = std::chrono::steady_clock::now() - begin;
    if (passed < std::chrono::microseconds(8)) {
      if (me.piece < largest_piece) me.piece *= 2;
    } else if (passed > std::chrono::microseconds(32)) {
      me.piece = me.piece > 4 ? me.piece / 4 : 1;
    }
  }

  void run_piece(lane_state& me, int number, lane_host& host, work_item rest) {
    std::uint32_t held = 0;  // decrements of the only successor that the tasks so far have in common
    while (rest.first < rest.last) {
      const std::uint32_t task = graph_.succ[rest.first++];
      if (lane_count_ > 1 && rest.first < rest.last && somebody_wants_work()) put_back(me, host, rest);
      const std::uint32_t begin = graph_.succ_begin[task];
      if (graph_.succ_begin[task + 1] - begin != 1) {
        run_from(me, number, host, task, rest);
        continue;
      }
      run_one(me, number, task);
      if (stopping()) return;
      ++held;
      const std::uint32_t target = graph_.succ[begin];
      if (rest.first < rest.last) {
        const std::uint32_t next = graph_.succ[rest.first];
        const std::uint32_t row = graph_.succ_begin[next];
        if (graph_.succ_begin[next + 1] - row == 1 && graph_.succ[row] == target) continue;
      }
      if (complete(target, std::exchange(held, 0u))) run_from(me, number, host, target, rest);
    }
  }

  /// Hands what is left of a range to the queue: others may have it, and what is pushed later comes first.
  void put_back(lane_state& me, lane_host& host, work_item& rest) {
    if (rest.first >= rest.last) return;
    push(me, host, rest);
    rest.first = rest.last;
  }

  void run_one(lane_state& me, int number, std::uint32_t task) {
    Policy::point(lane_point::before_task);
    me.begin_task(task);
    body_.run(number, task);
    me.end_task();
    Policy::point(lane_point::after_task);
  }

  /// Counts `n` ended predecessors of `task`. @returns true for the caller that makes it ready
  bool complete(std::uint32_t task, std::uint32_t n) noexcept {
    counter& pending = pending_[task];
    return pending.load(std::memory_order_acquire) == n || pending.fetch_sub(n, std::memory_order_acq_rel) == n;
  }

  /// Runs `task`, then the first choice among the successors that became ready, and so on.
  void run_from(lane_state& me, int number, lane_host& host, std::uint32_t task, work_item& rest) {
    while (!stopping()) {
      run_one(me, number, task);
      const std::uint32_t begin = graph_.succ_begin[task];
      std::uint32_t e = graph_.succ_begin[task + 1];
      if (begin == e) {
        ++me.sinks;
        return;
      }
      if (graph_.fans_out[task] != 0) {
        put_back(me, host, rest);
        push(me, host, {begin, e});
        return;
      }
      constexpr std::uint32_t none = work_item::no_range;
      std::uint32_t next = none;
      while (e > begin) {  // from the last choice to the first
        const std::uint32_t s = graph_.succ[--e];
        if (!complete(s, 1)) continue;
        if (next != none) {
          put_back(me, host, rest);
          push(me, host, work_item::task(next));
        }
        next = s;
      }
      if (next == none) return;
      task = next;
    }
  }

  const task_graph& graph_;
  Body& body_;
  const int lane_count_;
  const std::uint32_t* const order_;
  alignas(64) std::atomic<int> searching_{0};
  lane_gate<Policy> gate_;
  alignas(64) typename Policy::template atomic<std::uint32_t> sinks_left_{0};
  std::unique_ptr<counter[]> pending_;
  std::unique_ptr<lane_state[]> lanes_;
};

}  // namespace ashlar::detail
